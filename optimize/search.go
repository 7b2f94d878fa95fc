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
	parts   []partition
	seconds []float64
	byCount [][]int // partitions with c cliques, by ascending seconds (then index): byCount[c]
}

// newSpace prices all partitions with the given function, which must be safe for concurrent calls. The partition
// that leaves every island alone is left out: it averages nothing.
func newSpace(ctx context.Context, n, jobs int, price func(cliques [][]int) (float64, error)) (*space, error) {
	all := partitions(n)
	if n > 1 {
		all = all[:len(all)-1]
	}
	s := &space{n: n, parts: all, seconds: make([]float64, len(all)), byCount: make([][]int, n+1)}
	const chunk = 64
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, jobs))
	for start := 0; start < len(all); start += chunk {
		g.Go(func() error {
			for i := start; i < min(start+chunk, len(all)); i++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				t, err := price(all[i].cliques())
				if err != nil {
					return err
				}
				s.seconds[i] = t
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for i, p := range all {
		s.byCount[len(p)] = append(s.byCount[len(p)], i)
	}
	for _, list := range s.byCount {
		s.sortBySeconds(list)
	}
	return s, nil
}

// candidate is a schedule in the making: indices of partitions, one per round, and its staleness.
type candidate struct {
	rounds    []int
	staleness float64
}

// compareCandidates orders by staleness, then by fewer rounds, then by the partitions themselves, so that the result
// of a search does not depend on the order in which workers finish.
func compareCandidates(a, b candidate) int {
	return cmp.Or(cmp.Compare(a.staleness, b.staleness), cmp.Compare(len(a.rounds), len(b.rounds)), slices.Compare(a.rounds, b.rounds))
}

// leaders keeps the k best candidates seen.
type leaders struct {
	k    int
	best []candidate
	bar  float64 // a candidate that is staler cannot enter
}

func newLeaders(k int, incumbent float64) *leaders { return &leaders{k: k, bar: incumbent} }

func (l *leaders) offer(c candidate) {
	if c.staleness > l.bar || math.IsInf(c.staleness, 1) {
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
		l.bar = min(l.bar, l.best[l.k-1].staleness)
	}
}

// Count says what became of every schedule of one or two rounds. The sums are exact: Pairs = PrunedPlain +
// PrunedOverlap + Evaluated.
type Count struct {
	Partitions int `json:"partitions_priced"`
	// Pairs of different partitions; (A, B) and (B, A) are the same rotation, and (A, A) is A.
	Pairs int `json:"pairs"`
	// PrunedPlain were cut off by T and the number of cliques alone: after round A with c cliques the disagreement
	// left is at least T_A (c-1)/(n-1).
	PrunedPlain int `json:"pairs_pruned_by_clique_counts"`
	// PrunedOverlap were cut off by the sum of squared cosines between the two rounds (Jensen's inequality).
	PrunedOverlap int `json:"pairs_pruned_by_overlap"`
	Evaluated     int `json:"pairs_evaluated"`
}

// pairs finds the best schedules of one and two rounds among all of them. Nothing is left out but what a bound
// excludes: a pair is skipped only if its lower bound exceeds the k-th best staleness known.
func (s *space) pairs(ctx context.Context, jobs int, lead *leaders) (Count, error) {
	count := s.singles(lead)
	count.Pairs = len(s.parts) * (len(s.parts) - 1) / 2
	order := make([]int, len(s.parts)) // fast rounds first: they make good incumbents early
	for i := range order {
		order[i] = i
	}
	s.sortBySeconds(order)

	// The work goes in batches, and the bar moves between batches only: what is pruned, and so every count, is the
	// same for any number of workers.
	const smallest, chunk = 64, 16
	for start, size := 0, smallest; start < len(order); start, size = start+size, 2*size {
		batch := order[start:min(start+size, len(order))]
		results := make([]outcome, (len(batch)+chunk-1)/chunk)
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(max(1, jobs))
		for k := range results {
			g.Go(func() error {
				results[k].leaders = newLeaders(lead.k, lead.bar)
				for _, a := range batch[k*chunk : min((k+1)*chunk, len(batch))] {
					if err := ctx.Err(); err != nil {
						return err
					}
					s.partners(a, &results[k])
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			return count, err
		}
		for _, r := range results {
			count.PrunedPlain += r.count.PrunedPlain
			count.PrunedOverlap += r.count.PrunedOverlap
			count.Evaluated += r.count.Evaluated
			for _, c := range r.leaders.best {
				lead.offer(c)
			}
		}
	}
	return count, nil
}

// outcome is what one chunk of the pairs came to.
type outcome struct {
	count   Count
	leaders *leaders
}

// partners evaluates partition a with every partition that takes longer (or as long, and stands later).
func (s *space) partners(a int, out *outcome) {
	pa, ta := s.parts[a], s.seconds[a]
	later := func(b int) bool { return s.seconds[b] > ta || s.seconds[b] == ta && b > a }
	for cb, list := range s.byCount {
		first, _ := slices.BinarySearchFunc(list, ta, func(i int, t float64) int { return cmp.Compare(s.seconds[i], t) })
		for k, b := range list[first:] {
			tb := s.seconds[b]
			if plainBound(s.n, len(pa), cb, ta, tb) > out.leaders.bar {
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
			if !later(b) {
				continue
			}
			pb := s.parts[b]
			if overlapBound(s.n, pa, pb, ta, tb) > out.leaders.bar {
				out.count.PrunedOverlap++
				continue
			}
			out.count.Evaluated++
			out.leaders.offer(candidate{[]int{a, b}, pairStaleness(s.n, pa, pb, ta, tb)})
		}
	}
}
