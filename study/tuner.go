package study

import (
	"context"
	"math"
	"slices"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

// Clock says how long things take.
type Clock struct {
	StepTime float64 // seconds of computation per local step
	Overlap  bool    // a round lasts the longer of computation and communication instead of their sum
}

// Round returns the seconds of a round with h local steps and the given communication.
func (c Clock) Round(h int, communication float64) float64 {
	compute := float64(h) * c.StepTime
	if c.Overlap {
		return max(compute, communication)
	}
	return compute + communication
}

// Tuning bounds the search for the settings with which a schedule reaches a target soonest. The zero value works.
type Tuning struct {
	Target    float64 // relative to the mse at the start; default (0): 0.01
	Steps     []int   // numbers of local steps H to try; default: 1, 2, 4, …, 128
	MaxRounds int     // give up beyond; default (0): 4000
}

func (u Tuning) withDefaults() Tuning {
	if u.Target == 0 {
		u.Target = 0.01
	}
	if u.Steps == nil {
		u.Steps = []int{1, 2, 4, 8, 16, 32, 64, 128}
	}
	if u.MaxRounds == 0 {
		u.MaxRounds = 4000
	}
	return u
}

// Tuned is the best that a schedule can do.
type Tuned struct {
	H       int
	Step    float64
	Rounds  int     // to the target
	Seconds float64 // to the target
}

// Tuner finds the settings with which one schedule reaches the target soonest. It remembers how many rounds each setting
// takes, which no network changes, so that asking again for other prices costs little. A Tuner serves one goroutine at a
// time.
type Tuner struct {
	q        *gossip.Quadratic
	schedule *schedule.Schedule
	o        Tuning
	l        float64 // smoothness, which sets the scale of step sizes
	target   float64 // absolute mse
	rounds   map[setting]tried
}

// setting is a number of local steps and a step size 2^(1-k/4)/L.
type setting struct{ h, k int }

// tried is the first round at the target, or 0 if none of the first limit rounds is.
type tried struct{ rounds, limit int }

// NewTuner returns a Tuner of atc for a periodic schedule.
func NewTuner(q *gossip.Quadratic, s *schedule.Schedule, o Tuning) *Tuner {
	c := q.Constants()
	o = o.withDefaults()
	return &Tuner{q: q, schedule: s, o: o, l: c.L, target: o.Target * (c.StartCentroid + c.StartConsensus), rounds: map[setting]tried{}}
}

// Best returns the number of local steps and the step size with which the schedule reaches the target in the fewest
// seconds (expected ones, where the schedule is random), by exact moments; ok is false when it never does. For each H
// the step size is searched on a logarithmic scale from 2/L down: the number of rounds first falls with a smaller step
// (less noise is left) and then grows (less progress is made).
func (u *Tuner) Best(ctx context.Context, communication Communication, clock Clock) (best Tuned, ok bool, err error) {
	best.Seconds = math.Inf(1)
	for _, h := range u.o.Steps {
		seq, err := withLocalSteps(u.schedule, h)
		if err != nil {
			return best, false, err
		}
		ends := func(t int) float64 { return communication.end(clock, h, t) }
		limit := u.o.MaxRounds
		for limit > 1 && ends(limit) >= best.Seconds { // rounds that could still win
			limit /= 2
		}
		limit = min(2*limit, u.o.MaxRounds)
		k, rounds, err := bestStep(func(k int) (int, error) {
			at := setting{h, k}
			if known, ok := u.rounds[at]; ok && (known.rounds > 0 || known.limit >= limit) {
				if known.rounds > limit {
					return 0, nil
				}
				return known.rounds, nil
			}
			r, err := roundsToTarget(ctx, u.q, seq, u.step(k), u.target, limit)
			if err == nil {
				u.rounds[at] = tried{r, limit}
			}
			return r, err
		})
		if err != nil {
			return best, false, err
		}
		if rounds > 0 && ends(rounds) < best.Seconds {
			best = Tuned{h, u.step(k), rounds, ends(rounds)}
		}
	}
	return best, !math.IsInf(best.Seconds, 1), nil
}

func (u *Tuner) step(k int) float64 { return math.Pow(2, 1-float64(k)/4) / u.l }

// bestStep minimizes rounds(k) over the step sizes 2^(1-k/4)/L, k ≥ 1. rounds is 0 for a step that does not reach the
// target. It scans in factors of 2 and refines around the best.
func bestStep(rounds func(k int) (int, error)) (bestK, best int, err error) {
	bestK = -1
	eval := func(k int) error {
		r, err := rounds(k)
		if err == nil && r > 0 && (best == 0 || r < best) {
			bestK, best = k, r
		}
		return err
	}
	const coarse, depth = 4, 48 // factors of 2, down to 2^-12 of 2/L
	for k := 1; k <= depth; k += coarse {
		before := best
		if err := eval(k); err != nil {
			return -1, 0, err
		}
		if best > 0 && best == before { // no longer improving
			break
		}
	}
	if bestK < 0 {
		return -1, 0, nil
	}
	for _, d := range []int{-2, 2, -1, 1} {
		if k := bestK + d; k >= 1 {
			if err := eval(k); err != nil {
				return -1, 0, err
			}
		}
	}
	return bestK, best, nil
}

// roundsToTarget returns the first round after which the exact mse is at most the target, or 0 if none up to limit is.
// It looks at whole periods ever farther apart (by a tenth), then at every round between the last miss and the first
// hit; an excursion below the target that is over within the gap would go unseen.
func roundsToTarget(ctx context.Context, q *gossip.Quadratic, seq *mixing.Sequence, step, target float64, limit int) (int, error) {
	period := seq.Period()
	var grid []int
	for k := 1; k*period <= limit+period-1; k += max(1, k/10) {
		for phase := range period {
			if t := (k-1)*period + phase + 1; t <= limit {
				grid = append(grid, t)
			}
		}
	}
	hit, err := firstBelow(ctx, q, seq, step, target, grid)
	if err != nil || hit < 0 {
		return 0, err
	}
	first := 1
	if hit > 0 {
		first = grid[hit-1] + 1
	}
	if first == grid[hit] {
		return first, nil
	}
	var between []int
	for t := first; t <= grid[hit]; t++ {
		between = append(between, t)
	}
	fine, err := firstBelow(ctx, q, seq, step, target, between)
	if err != nil {
		return 0, err
	}
	return between[fine], nil
}

// firstBelow returns the index of the first of the given rounds after which the exact mse is at most the target, or -1.
func firstBelow(ctx context.Context, q *gossip.Quadratic, seq *mixing.Sequence, step, target float64, at []int) (int, error) {
	r, err := gossip.Exact(ctx, q, seq, gossip.ExactOptions{Step: step, At: at, Jobs: 1})
	if err != nil {
		return -1, err
	}
	for i, p := range r.Points {
		if p.MSE <= target && !p.Overflow {
			return i, nil
		}
	}
	return -1, nil
}

// withLocalSteps returns the mixing sequence of a schedule whose rounds all have h local steps.
func withLocalSteps(s *schedule.Schedule, h int) (*mixing.Sequence, error) {
	c := *s
	c.Rounds = make([]schedule.Round, len(s.Rounds))
	for i, r := range s.Rounds {
		r.LocalSteps = h
		c.Rounds[i] = r
	}
	if s.Random != nil {
		r := *s.Random
		r.LocalSteps, r.Outcomes = h, slices.Clone(r.Outcomes)
		for i := range r.Outcomes {
			r.Outcomes[i].Round.LocalSteps = h
		}
		c.Random = &r
	}
	return mixing.New(&c)
}
