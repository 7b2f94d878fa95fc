package study

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/islandsgd/islands/bounds"
	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

// AttackOptions are the settings of Attack. The zero value works.
type AttackOptions struct {
	Starts int             // random instances to begin with; default (0): 200
	Moves  int             // small changes tried on each; default (0): 40
	Bound  string          // attack this guarantee alone; default: all
	Scale  float64         // multiplies every bound; default (0): 1
	Seed   uint64          // instance k depends on the seed and k alone
	Jobs   int             // default (0): one for each processor
	Own    []bounds.Method // bounds of your own
}

// Attacked is the least bound/exact that was found for one guarantee.
type Attacked struct {
	Bound string  `json:"bound"`
	T     int     `json:"t"`
	Ratio float64 `json:"bound_over_exact"`
}

// Attack is the result of a search for instances on which a bound is as small as possible against the truth.
type Attack struct {
	Holds     bool       `json:"holds"` // no ratio is below 1, up to rounding
	Instances int        `json:"instances"`
	Least     []Attacked `json:"least"` // one for each guarantee, in the order of the bounds
	Worst     *Attacked  `json:"worst"` // nil: no guarantee applied anywhere
	File      string     `json:"file"`  // the instance of Worst as a file for ReadCase; "" when there is none
}

// RunAttack searches small instances for the least bound/exact: from random starts, small random changes of the
// numbers of problem, weights and step are kept when they lower it. A guarantee that can be broken here is none; one
// that comes down to 1 is tight.
func RunAttack(ctx context.Context, o AttackOptions) (*Attack, error) {
	if o.Starts == 0 {
		o.Starts = 200
	}
	if o.Moves == 0 {
		o.Moves = 40
	}
	climbs := make([]climb, o.Starts)
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(workers(o.Jobs))
	for k := range climbs {
		work.Go(func() error {
			var err error
			climbs[k], err = o.climb(ctx, k)
			return err
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	out := &Attack{Holds: true}
	var worst *climb
	for k := range climbs {
		c := &climbs[k]
		out.Instances += c.tried
		out.Holds = out.Holds && !c.broken
		for _, found := range c.least {
			out.Least = keepLeast(out.Least, found)
		}
		if c.best.Bound != "" && (worst == nil || c.best.Ratio < worst.best.Ratio) {
			worst = c
		}
	}
	if worst != nil {
		out.Worst = &worst.best
		text, err := worst.c.text(worst.best)
		if err != nil {
			return nil, err
		}
		out.File = text
	} else if o.Bound != "" {
		return nil, fmt.Errorf("no guarantee %q applied to any instance", o.Bound)
	}
	return out, nil
}

func keepLeast(all []Attacked, found Attacked) []Attacked {
	i := slices.IndexFunc(all, func(a Attacked) bool { return a.Bound == found.Bound })
	switch {
	case i < 0:
		return append(all, found)
	case found.Ratio < all[i].Ratio:
		all[i] = found
	}
	return all
}

// attackRounds are the rounds at which an attacked bound is held against the truth.
var attackRounds = []int{1, 2, 3, 5, 10, 20, 50}

// climb is the search from one start.
type climb struct {
	c      Case
	best   Attacked
	least  []Attacked
	tried  int
	broken bool
}

func (o AttackOptions) climb(ctx context.Context, k int) (climb, error) {
	rng := rand.New(rand.NewPCG(o.Seed, uint64(k)))
	start, err := randomCase(rng)
	if err != nil {
		return climb{}, err
	}
	start.ScheduleName, start.ProblemName, start.At = "attack", "attack", attackRounds
	out := climb{c: start}
	if err := o.judge(ctx, &out, start); err != nil {
		return out, err
	}
	for range o.Moves {
		next, ok := perturb(rng, out.c)
		if !ok {
			continue
		}
		if err := o.judge(ctx, &out, next); err != nil {
			return out, err
		}
	}
	return out, nil
}

// judge evaluates an instance and moves to it when it is worse for the bounds than the present one.
func (o AttackOptions) judge(ctx context.Context, into *climb, c Case) error {
	seq, err := mixing.New(c.Schedule)
	if err != nil {
		return err
	}
	exact, err := gossip.Exact(ctx, c.Problem, seq, gossip.ExactOptions{Algorithm: c.Algorithms[0], Step: c.Step, At: c.At, Jobs: 1})
	if err != nil {
		return err
	}
	all, err := bounds.Evaluate(ctx, bounds.Setting{Problem: c.Problem, Sequence: seq, Algorithm: c.Algorithms[0], Step: c.Step, At: c.At, Scale: o.Scale, Own: o.Own})
	if err != nil {
		return err
	}
	into.tried++
	here := Attacked{Ratio: math.Inf(1)}
	for _, b := range all {
		if b.Kind != bounds.Guarantee || o.Bound != "" && b.ID != o.Bound {
			continue
		}
		for _, p := range b.Points {
			i := slices.Index(c.At, p.T)
			x, ok := bounds.Of(exact.Points[i].Moments, b.Quantity)
			if !ok || exact.Points[i].Overflow {
				continue
			}
			mse := exact.Points[i].MSE
			into.broken = into.broken || !bounds.Holds(p.Value, x, mse)
			if x < leastExact || x < leastShare*mse {
				continue
			}
			if r := bounds.Tight(p, x).BoundOverExact; r != nil {
				found := Attacked{b.ID, p.T, *r}
				into.least = keepLeast(into.least, found)
				if found.Ratio < here.Ratio {
					here = found
				}
			}
		}
	}
	if here.Bound != "" && (into.best.Bound == "" || here.Ratio < into.best.Ratio) {
		into.c, into.best = c, here
	}
	return nil
}

// Below leastExact, and below leastShare of the mse, a ratio is about rounding and not about the bound.
const leastExact, leastShare = 1e-9, 1e-4

// perturb changes some numbers of an instance by a few percent, or moves them to a simple place; the structure stays.
func perturb(rng *rand.Rand, c Case) (Case, bool) {
	q := *c.Problem
	nudge := func(v float64) float64 {
		switch rng.IntN(8) {
		case 0:
			return 0
		case 1:
			return v * math.Exp(rng.NormFloat64())
		case 2, 3:
			return v * (1 + 0.1*rng.NormFloat64())
		}
		return v
	}
	change := func(all [][]float64) [][]float64 {
		out := make([][]float64, len(all))
		for i, v := range all {
			out[i] = slices.Clone(v)
			for k := range out[i] {
				out[i][k] = nudge(out[i][k])
			}
		}
		return out
	}
	switch rng.IntN(6) {
	case 0:
		q.B = change(q.B)
	case 1:
		q.Start = change(q.Start)
	case 2:
		q.Noise = scaleAll(rng, q.Noise)
	case 3:
		q.A = scaleAll(rng, q.A)
	case 4: // all islands alike
		i := rng.IntN(q.N)
		q.A, q.Start = slices.Repeat([][]float64{q.A[i]}, q.N), slices.Repeat([][]float64{q.Start[i]}, q.N)
	default:
		c.Step *= math.Exp(0.3 * rng.NormFloat64())
		c.Schedule = nudgeWeights(rng, c.Schedule)
	}
	out, err := gossip.NewQuadratic(q)
	if err != nil || !(out.L() > 0) || c.Step*out.L() > 1.5 {
		return c, false
	}
	c.Problem = out
	return c, true
}

// scaleAll multiplies each matrix by a factor of its own, which keeps it semidefinite.
func scaleAll(rng *rand.Rand, all [][]float64) [][]float64 {
	out := make([][]float64, len(all))
	for i, m := range all {
		f := math.Exp(0.3 * rng.NormFloat64())
		if rng.IntN(6) == 0 {
			f = 0
		}
		out[i] = slices.Clone(m)
		for k := range out[i] {
			out[i][k] *= f
		}
	}
	return out
}

// nudgeWeights changes symmetric edge weights a little; other rounds stay.
func nudgeWeights(rng *rand.Rand, s *schedule.Schedule) *schedule.Schedule {
	out := *s
	out.Rounds = slices.Clone(s.Rounds)
	for t := range out.Rounds {
		out.Rounds[t].Edges = slices.Clone(out.Rounds[t].Edges)
		for k := range out.Rounds[t].Edges {
			e := &out.Rounds[t].Edges[k]
			e.Weight = min(e.Weight*math.Exp(0.2*rng.NormFloat64()), 1.2/float64(s.N))
		}
	}
	return &out
}
