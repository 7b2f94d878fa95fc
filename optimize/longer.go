package optimize

import (
	"cmp"
	"context"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/islandsgd/islands/mixing"
)

// beamWidth is how many schedules of each length are kept and extended. Wider beams were not seen to find better
// schedules of nine cities; this one keeps a search to four rounds within some seconds.
const beamWidth = 8

// longer searches schedules of 3 to periodMax rounds. It proves nothing: the best shorter schedules are extended by
// every partition, then each round in turn is exchanged for a better one until none is found.
func (s *space) longer(ctx context.Context, periodMax, jobs int, lead *leaders) (evaluated int, err error) {
	v := newEvaluator(s, periodMax, jobs)
	beam := slices.Clone(lead.best)
	for period := 3; period <= periodMax; period++ {
		next := newLeaders(beamWidth, math.Inf(1))
		for _, c := range beam {
			if len(c.rounds) != period-1 {
				continue
			}
			for at := range c.rounds { // before every round: insertion at the end is insertion at the start
				trial := slices.Insert(slices.Clone(c.rounds), at, 0)
				if err := v.exchange(ctx, trial, at, next); err != nil {
					return v.evaluated, err
				}
			}
		}
		for _, c := range slices.Clone(next.best) {
			if err := v.polish(ctx, c, next); err != nil {
				return v.evaluated, err
			}
		}
		beam = next.best
		for _, c := range beam {
			lead.offer(c)
		}
	}
	return v.evaluated, nil
}

// polish exchanges rounds one at a time as long as that helps.
func (v *evaluator) polish(ctx context.Context, c candidate, lead *leaders) error {
	for improved := true; improved; {
		improved = false
		for at := range c.rounds {
			best := newLeaders(1, math.Inf(1))
			if err := v.exchange(ctx, slices.Clone(c.rounds), at, best); err != nil {
				return err
			}
			if len(best.best) > 0 && best.best[0].value < c.value*(1-1e-12) {
				c, improved = best.best[0], true
				lead.offer(c)
				break // positions have moved: the rounds were rotated into canonical order
			}
		}
	}
	return nil
}

// evaluator values schedules of any length, with one solver per worker.
type evaluator struct {
	s         *space
	labels    [][]uint16
	solvers   []*mixing.StalenessSolver
	evaluated int
}

func newEvaluator(s *space, periodMax, jobs int) *evaluator {
	v := &evaluator{s: s, labels: make([][]uint16, len(s.parts))}
	for i, p := range s.parts {
		v.labels[i] = mixing.Labels(s.n, p.cliques())
	}
	for range max(1, jobs) {
		v.solvers = append(v.solvers, mixing.NewStalenessSolver(s.n, periodMax))
	}
	return v
}

// exchange tries every partition at one position of a schedule and offers the results.
func (v *evaluator) exchange(ctx context.Context, rounds []int, at int, lead *leaders) error {
	jobs := len(v.solvers)
	found := make([]*leaders, jobs)
	g, ctx := errgroup.WithContext(ctx)
	for w := range jobs {
		found[w] = newLeaders(lead.k, math.Inf(1))
		g.Go(func() error {
			trial := slices.Clone(rounds)
			labels, seconds := make([][]uint16, len(trial)), make([]float64, len(trial))
			for k, i := range trial {
				labels[k], seconds[k] = v.labels[i], v.s.seconds[i]
			}
			for i := w; i < len(v.s.parts); i += jobs {
				if i&1023 == w && ctx.Err() != nil {
					return ctx.Err()
				}
				trial[at], labels[at], seconds[at] = i, v.labels[i], v.s.seconds[i]
				if trial[at] == trial[(at+1)%len(trial)] || trial[at] == trial[(at+len(trial)-1)%len(trial)] {
					continue // the same round twice in a row averages nothing new
				}
				if repeats(trial) {
					continue // a shorter schedule, written twice
				}
				if value := v.s.value.longer(v.s.n, v.solvers[w], labels, seconds); value <= found[w].bar {
					found[w].offer(candidate{canonical(trial), value})
				}
			}
			return nil
		})
	}
	v.evaluated += len(v.s.parts)
	err := g.Wait()
	for _, f := range found {
		for _, c := range f.best {
			lead.offer(c)
		}
	}
	return err
}

// repeats reports whether a period is a shorter one written several times.
func repeats(rounds []int) bool {
	n := len(rounds)
	for p := 1; p <= n/2; p++ {
		if n%p == 0 && slices.Equal(rounds[p:], rounds[:n-p]) {
			return true
		}
	}
	return false
}

// canonical rotates a period so that its least partition comes first: rotations of a schedule are the same schedule.
func canonical(rounds []int) []int {
	n := len(rounds)
	best := slices.Clone(rounds)
	for k := 1; k < n; k++ {
		turned := append(slices.Clone(rounds[k:]), rounds[:k]...)
		if slices.Compare(turned, best) < 0 {
			best = turned
		}
	}
	return best
}

// sortBySeconds orders partition indices by their price.
func (s *space) sortBySeconds(list []int) {
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(s.seconds[a], s.seconds[b]) })
}
