package optimize

import (
	"cmp"
	"context"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"
)

// space is the search space: every partition of n islands with the seconds that a round of it takes.
type space struct {
	n       int
	value   objective
	parts   []partition
	seconds []float64
	byCount [][]int // partitions with c cliques, by ascending seconds (then index): byCount[c]
}

// newSpaces prices all partitions under a number of conditions and returns a space for each. The price function sets
// out[k] to the seconds under the k-th; it must be safe for concurrent calls. The partition that leaves every island
// alone is left out: it averages nothing.
func newSpaces(ctx context.Context, n, jobs int, value objective, conditions int, price func(cliques [][]int, out []float64) error) ([]*space, error) {
	all := partitions(n)
	if n > 1 {
		all = all[:len(all)-1]
	}
	spaces := make([]*space, conditions)
	for k := range spaces {
		spaces[k] = &space{n: n, value: value, parts: all, seconds: make([]float64, len(all)), byCount: make([][]int, n+1)}
	}
	const chunk = 64
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, jobs))
	for start := 0; start < len(all); start += chunk {
		g.Go(func() error {
			out := make([]float64, conditions)
			for i := start; i < min(start+chunk, len(all)); i++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := price(all[i].cliques(), out); err != nil {
					return err
				}
				for k, s := range spaces {
					s.seconds[i] = out[k]
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for _, s := range spaces {
		for i, p := range all {
			s.byCount[len(p)] = append(s.byCount[len(p)], i)
		}
		for _, list := range s.byCount {
			s.sortBySeconds(list)
		}
	}
	return spaces, nil
}

// after returns the space in which every round comes after so many seconds of computation.
func (s *space) after(compute float64) *space {
	if compute == 0 {
		return s
	}
	out := *s // the order by seconds stays
	out.seconds = make([]float64, len(s.seconds))
	for i, v := range s.seconds {
		out.seconds[i] = v + compute
	}
	return &out
}

// candidate is a schedule in the making: indices of partitions, one per round, and its value under the objective.
type candidate struct {
	rounds []int
	value  float64
}

// compareCandidates orders by value, then by fewer rounds, then by the partitions themselves, so that the result
// of a search does not depend on the order in which workers finish.
func compareCandidates(a, b candidate) int {
	return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(len(a.rounds), len(b.rounds)), slices.Compare(a.rounds, b.rounds))
}

// leaders keeps the k best candidates seen.
type leaders struct {
	k    int
	best []candidate
	bar  float64 // a candidate of a larger value cannot enter
}

func newLeaders(k int, incumbent float64) *leaders { return &leaders{k: k, bar: incumbent} }

func (l *leaders) offer(c candidate) {
	if c.value > l.bar || math.IsInf(c.value, 1) {
		return
	}
	for _, b := range l.best { // the same schedule may come back with another last bit
		if slices.Equal(b.rounds, c.rounds) {
			return
		}
	}
	at, _ := slices.BinarySearchFunc(l.best, c, compareCandidates)
	l.best = slices.Insert(l.best, at, c)
	if len(l.best) > l.k {
		l.best = l.best[:l.k]
	}
	if len(l.best) == l.k {
		l.bar = min(l.bar, l.best[l.k-1].value)
	}
}

// Count says what became of every schedule of one or two rounds. The sums are exact: Pairs = PrunedPlain +
// PrunedOverlap + Evaluated.
type Count struct {
	Partitions int `json:"partitions_priced"`
	// Pairs of different partitions; (A, B) and (B, A) are the same rotation, and (A, A) is A.
	Pairs int `json:"pairs"`
	// PrunedPlain were cut off by their seconds and numbers of cliques alone: after round A with c cliques, for
	// instance, the disagreement left is at least T_A (c-1)/(n-1).
	PrunedPlain int `json:"pairs_pruned_by_clique_counts"`
	// PrunedOverlap were cut off by what the cliques of the two rounds have in common (the sum of their squared cosines
	// and Jensen's inequality, for staleness).
	PrunedOverlap int `json:"pairs_pruned_by_overlap"`
	Evaluated     int `json:"pairs_evaluated"`
}

// outcome is what the search, or one chunk of it, has come to.
type outcome struct {
	count   Count
	leaders *leaders
	front   *front // nil when it is not asked for
}

// skips reports whether a pair of at least the given value, and lasting so long, can enter neither the leaders nor the
// front. contraction is the least that it can have.
func (o *outcome) skips(bound, period, contraction float64) bool {
	return bound > o.leaders.bar && (o.front == nil || o.front.dominated(period, bound, contraction))
}

// singles offers the schedules of one round.
func (s *space) singles(o *outcome) {
	o.count.Partitions = len(s.parts)
	for i, p := range s.parts {
		v := s.value.single(s.n, p, s.seconds[i])
		o.leaders.offer(candidate{[]int{i}, v})
		if o.front != nil && !math.IsInf(v, 1) {
			o.front.add(ParetoPoint{Period: s.seconds[i], Staleness: v, rounds: []int{i}})
		}
	}
}

// pairs finds the best schedules of one and two rounds among all of them, and with o.front all that no other dominates.
// Nothing is left out but what a bound excludes.
func (s *space) pairs(ctx context.Context, jobs int, o *outcome) error {
	s.singles(o)
	o.count.Pairs = len(s.parts) * (len(s.parts) - 1) / 2
	order := make([]int, len(s.parts)) // fast rounds first: they make good incumbents early
	for i := range order {
		order[i] = i
	}
	s.sortBySeconds(order)

	// The work goes in batches, and bar and front move between batches only: what is pruned, and so every count, is the
	// same for any number of workers.
	const smallest, chunk = 64, 16
	for start, size := 0, smallest; start < len(order); start, size = start+size, 2*size {
		batch := order[start:min(start+size, len(order))]
		results := make([]outcome, (len(batch)+chunk-1)/chunk)
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(max(1, jobs))
		for k := range results {
			g.Go(func() error {
				r := &results[k]
				r.leaders = newLeaders(o.leaders.k, o.leaders.bar)
				if o.front != nil {
					r.front = &front{slices.Clone(o.front.points)}
				}
				for _, a := range batch[k*chunk : min((k+1)*chunk, len(batch))] {
					if err := ctx.Err(); err != nil {
						return err
					}
					s.partners(a, r)
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		for _, r := range results {
			o.count.PrunedPlain += r.count.PrunedPlain
			o.count.PrunedOverlap += r.count.PrunedOverlap
			o.count.Evaluated += r.count.Evaluated
			for _, c := range r.leaders.best {
				o.leaders.offer(c)
			}
			if o.front != nil {
				for _, p := range r.front.points {
					o.front.add(p)
				}
			}
		}
	}
	return nil
}

// partners evaluates partition a with every partition that takes longer (or as long, and stands later).
func (s *space) partners(a int, out *outcome) {
	pa, ta := s.parts[a], s.seconds[a]
	later := func(b int) bool { return s.seconds[b] > ta || s.seconds[b] == ta && b > a }
	for cb, list := range s.byCount {
		first, _ := slices.BinarySearchFunc(list, ta, func(i int, t float64) int { return cmp.Compare(s.seconds[i], t) })
		for k, b := range list[first:] {
			tb := s.seconds[b]
			if out.skips(s.value.plainBound(s.n, len(pa), cb, ta, tb), ta+tb, 0) {
				// Every later partner takes longer, and the bound grows with T_B ≥ T_A.
				rest := list[first+k:]
				for ; len(rest) > 0 && s.seconds[rest[0]] == ta; rest = rest[1:] {
					if later(rest[0]) {
						out.count.PrunedPlain++
					}
				}
				out.count.PrunedPlain += len(rest)
				break
			}
			if later(b) {
				s.evaluate(a, b, out)
			}
		}
	}
}

// evaluate offers one pair, unless what its cliques have in common already excludes it.
func (s *space) evaluate(a, b int, out *outcome) {
	pa, pb, ta, tb := s.parts[a], s.parts[b], s.seconds[a], s.seconds[b]
	least := 0.0
	if planes := min(len(pa), len(pb)) - 1; out.front != nil && planes > 0 {
		least = max(0, pa.overlap(pb)-1) / float64(planes) // the mean squared cosine is at most the largest
	}
	if out.skips(s.value.overlapBound(s.n, pa, pb, ta, tb), ta+tb, least) {
		out.count.PrunedOverlap++
		return
	}
	out.count.Evaluated++
	v := s.value.pair(s.n, pa, pb, ta, tb)
	out.leaders.offer(candidate{[]int{a, b}, v})
	if out.front != nil && !math.IsInf(v, 1) {
		out.front.add(ParetoPoint{Period: ta + tb, Staleness: v, Contraction: pairRadius(pa, pb), rounds: []int{a, b}})
	}
}
