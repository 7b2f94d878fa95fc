package bounds

import (
	"context"
	"fmt"
	"math"

	"github.com/islandsgd/islands/gossip"
)

// Reach says when a bound, or the exact error, is first at the target.
type Reach struct {
	ID     string `json:"id"`     // a guarantee on the mse, or "exact"
	Rounds *int   `json:"rounds"` // nil: not within the horizon, or it does not apply
	Steps  *int   `json:"steps"`  // the same in local steps
	Reason string `json:"reason"` // why there is none
}

// RoundsToTarget returns, for the exact mse and for every guarantee on it, the first round at which it is at most
// Setting.Target times the mse at the start. It looks at every round up to the horizon.
func RoundsToTarget(ctx context.Context, s Setting, horizon int) ([]Reach, error) {
	if horizon < 1 {
		return nil, fmt.Errorf("horizon %d: at least 1 round is needed", horizon)
	}
	s.At = make([]int, horizon+1)
	for t := range s.At {
		s.At[t] = t
	}
	c, err := newSetup(ctx, s)
	if err != nil {
		return nil, err
	}
	x, err := gossip.Exact(ctx, s.Problem, s.Sequence, gossip.ExactOptions{Algorithm: s.Algorithm, Step: c.step, At: s.At})
	if err != nil {
		return nil, err
	}
	limit := c.Target * (c.constants.StartCentroid + c.constants.StartConsensus)
	reach := func(id string, value func(i int) float64) Reach {
		for i := range s.At {
			if value(i) <= limit {
				steps := c.steps(0, i)
				return Reach{ID: id, Rounds: &i, Steps: &steps}
			}
		}
		return Reach{ID: id, Reason: fmt.Sprintf("not within %d rounds", horizon)}
	}
	out := []Reach{reach("exact", func(i int) float64 { return x.Points[i].MSE })}
	all, err := c.moments(ctx)
	if err != nil {
		return nil, err
	}
	for _, b := range all {
		switch {
		case b.Kind != Guarantee || b.Quantity != MSE:
		case !b.Applicable:
			out = append(out, Reach{ID: b.ID, Reason: b.Reason})
		case len(b.Points) == len(s.At):
			out = append(out, reach(b.ID, func(i int) float64 { return b.Points[i].Value }))
		}
	}
	return out, nil
}

// moments returns the guarantees and their minimum.
func (c *setup) moments(ctx context.Context) ([]Bound, error) {
	all, err := c.guarantees(ctx)
	if err != nil {
		return nil, err
	}
	return append(all, best(all, c.At)...), nil
}

// withStep returns the setup with another step size; nothing else of it depends on the step.
func (c *setup) withStep(step float64) *setup {
	other := *c
	other.Step, other.step = step, step
	return &other
}

// StepLimit is the largest step at which something holds.
type StepLimit struct {
	ID   string   `json:"id"`   // a guarantee on the mse, "exact", or a published cap
	Kind Kind     `json:"kind"` // of the bound; guarantee for exact
	Step *float64 `json:"step"` // nil: at no step
	Open bool     `json:"open"` // it still holds at the largest step looked at, 4/L
}

// LargestSteps returns up to which step each guarantee on the mse applies without being vacuous, up to which the exact
// moments settle (radius below 1), and the cap of the published consensus lemma. Limits are found by bisection to nine
// digits, from a very small step upwards, so they end the first interval in which the condition holds.
func LargestSteps(ctx context.Context, s Setting) ([]StepLimit, error) {
	s.At = nil
	c, err := newSetup(ctx, s)
	if err != nil {
		return nil, err
	}
	stable := func(step float64) (bool, error) {
		r, err := gossip.Exact(ctx, s.Problem, s.Sequence, gossip.ExactOptions{Algorithm: s.Algorithm, Step: step})
		return err == nil && r.Stable, err
	}
	limit, err := c.largestStep("exact", Guarantee, stable)
	if err != nil {
		return nil, err
	}
	out := []StepLimit{limit}
	all, err := c.guarantees(ctx)
	if err != nil {
		return nil, err
	}
	for k, b := range all {
		if b.Kind != Guarantee || b.Quantity != MSE {
			continue
		}
		limit, err := c.largestStep(b.ID, Guarantee, func(step float64) (bool, error) {
			again, err := c.withStep(step).guarantees(ctx)
			return err == nil && len(again) == len(all) && again[k].Applicable && !again[k].Vacuous, err
		})
		if err != nil {
			return nil, err
		}
		out = append(out, limit)
	}
	n, err := c.numbers(ctx)
	if err != nil {
		return nil, err
	}
	for _, th := range Theorems() {
		if th.Quantity == StepSize {
			b := th.Bound(n, nil)
			out = append(out, StepLimit{ID: b.ID, Kind: b.Kind, Step: b.Value})
		}
	}
	return out, nil
}

// Bisection for the largest step: from smallestStep/L to largestStep/L.
const (
	smallestStep = 1e-6
	largestStep  = 4
	bisections   = 32
)

func (c *setup) largestStep(id string, kind Kind, holds func(step float64) (bool, error)) (StepLimit, error) {
	out := StepLimit{ID: id, Kind: kind}
	if c.constants.L == 0 {
		return out, nil
	}
	lo, hi := smallestStep/c.constants.L, largestStep/c.constants.L
	ok, err := holds(lo)
	if err != nil || !ok {
		return out, err
	}
	for probe := lo * 4; probe < hi; probe *= 4 { // the first interval: a grid before bisection
		ok, err := holds(probe)
		if err != nil {
			return out, err
		}
		if !ok {
			hi = probe
			break
		}
		lo = probe
	}
	if ok, err = holds(hi); err != nil || ok {
		out.Step, out.Open = &hi, ok
		return out, err
	}
	for range bisections {
		middle := (lo + hi) / 2
		if ok, err = holds(middle); err != nil {
			return out, err
		}
		if ok {
			lo = middle
		} else {
			hi = middle
		}
	}
	out.Step = &lo
	return out, nil
}

// StepChoice is a constant step for a horizon, by the exact mse and by the least guarantee.
type StepChoice struct {
	Horizon  int      `json:"horizon"`    // rounds
	Exact    float64  `json:"exact_step"` // minimizes the exact mse at the horizon ...
	ExactMSE float64  `json:"exact_mse"`  // ... which is then this
	Bound    *float64 `json:"bound_step"` // minimizes best-mse at the horizon; nil: no guarantee applies at any step
	BoundMSE *float64 `json:"bound_mse"`
	AtBound  *float64 `json:"exact_mse_at_bound_step"` // what the step chosen by the bound really gives
}

// BestStep chooses the constant step for a number of rounds: on a logarithmic grid from 1e-4/L to 2/L, then by golden
// section around the best. The error at the horizon need not be unimodal in the step; the grid is what finds the basin.
func BestStep(ctx context.Context, s Setting, horizon int) (StepChoice, error) {
	s.At = []int{horizon}
	out := StepChoice{Horizon: horizon}
	if horizon < 1 {
		return out, fmt.Errorf("horizon %d: at least 1 round is needed", horizon)
	}
	c, err := newSetup(ctx, s)
	if err != nil {
		return out, err
	}
	exact := func(step float64) float64 {
		r, e := gossip.Exact(ctx, s.Problem, s.Sequence, gossip.ExactOptions{Algorithm: s.Algorithm, Step: step, At: s.At})
		if e != nil {
			err = e
			return math.Inf(1)
		}
		return r.Points[0].MSE
	}
	bound := func(step float64) float64 {
		all, e := c.withStep(step).moments(ctx)
		if e != nil {
			err = e
			return math.Inf(1)
		}
		if b := all[len(all)-1]; b.Applicable { // best-mse is last
			return b.Points[0].Value
		}
		return math.Inf(1)
	}
	lo, hi := 1e-4/c.constants.L, 2/c.constants.L
	out.Exact, out.ExactMSE = minimize(exact, lo, hi)
	step, value := minimize(bound, lo, hi)
	if value < math.MaxFloat64 {
		at := exact(step)
		out.Bound, out.BoundMSE, out.AtBound = &step, &value, &at
	}
	return out, err
}

// OptimalStep minimizes the exact centroid error of a scalar quadratic with curvature a after T steps,
//
//	(1-ηa)^{2T} e0² + η noise / (a (2-ηa)) (1 - (1-ηa)^{2T}),
//
// where noise is the variance of the averaged gradient, s/n. η a and the value depend on noise/(a² e0²) alone.
func OptimalStep(a, noise, e02 float64, steps int) (eta, value float64) {
	return minimize(func(eta float64) float64 {
		kept := math.Pow(1-eta*a, 2*float64(steps))
		return kept*e02 + eta*noise/(a*(2-eta*a))*(1-kept)
	}, 1e-8/a, 1/a)
}

// minimize looks on a logarithmic grid, then by golden section between the neighbors of the best point.
func minimize(f func(float64) float64, lo, hi float64) (at, value float64) {
	const points, golden = 40, 0.6180339887498949
	grid := func(k int) float64 { return lo * math.Pow(hi/lo, float64(k)/(points-1)) }
	best := 0
	value = math.Inf(1)
	for k := range points {
		if v := f(grid(k)); v < value {
			best, value = k, v
		}
	}
	at = grid(best)
	a, b := grid(max(0, best-1)), grid(min(points-1, best+1))
	x, y := b-golden*(b-a), a+golden*(b-a)
	fx, fy := f(x), f(y)
	for range 60 {
		if (b - a) <= 1e-7*b {
			break
		}
		if fx <= fy {
			b, y, fy = y, x, fx
			x = b - golden*(b-a)
			fx = f(x)
		} else {
			a, x, fx = x, y, fy
			y = a + golden*(b-a)
			fy = f(y)
		}
	}
	for _, p := range []float64{x, y} {
		if v := f(p); v < value {
			at, value = p, v
		}
	}
	return at, value
}
