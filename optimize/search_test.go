package optimize

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Bell numbers (OEIS A000110).
func TestPartitionsAreAllAndDistinct(t *testing.T) {
	for n, want := range map[int]int{1: 1, 2: 2, 3: 5, 4: 15, 6: 203, 9: 21147} {
		seen := map[[16]uint16]bool{}
		for _, p := range partitions(n) {
			var key [16]uint16
			copy(key[:], p)
			seen[key] = true
			union := uint16(0)
			for _, c := range p {
				if c == 0 || c&union != 0 {
					t.Fatalf("n=%d: %v is no partition", n, p)
				}
				union |= c
			}
			if union != 1<<n-1 {
				t.Fatalf("n=%d: %v does not cover", n, p)
			}
		}
		if len(seen) != want {
			t.Errorf("n=%d: %d partitions, want the Bell number %d", n, len(seen), want)
		}
	}
}

// dense is the averaging matrix of a partition.
func dense(n int, p partition) *mat.Dense {
	w := mat.NewDense(n, n, nil)
	for _, c := range p.cliques() {
		for _, i := range c {
			for _, j := range c {
				w.Set(i, j, 1/float64(len(c)))
			}
		}
	}
	return w
}

// iterated is the definition of staleness, run until it settles: V ← W (V + T P) W'.
func iterated(n int, ps []partition, ts []float64) float64 {
	v, p := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			p.Set(i, j, -1/float64(n))
		}
		p.Set(i, i, 1-1/float64(n))
	}
	value := math.Inf(1)
	for range 3000 {
		sum, total := 0.0, 0.0
		for r, part := range ps {
			s := mat.Trace(v) / float64(n-1)
			sum += ts[r] * (s + ts[r]/2)
			total += ts[r]
			w := dense(n, part)
			var scaled, next mat.Dense
			scaled.Scale(ts[r], p)
			v.Add(v, &scaled)
			next.Product(w, v, w.T())
			v = &next
		}
		value = sum / total
	}
	return value
}

func TestPairStalenessIsTheSettledRecursion(t *testing.T) {
	const n = 6
	all := partitions(n)
	r := rand.New(rand.NewPCG(1, 2))
	for range 25 {
		a, b := all[r.IntN(len(all)-1)], all[r.IntN(len(all)-1)]
		ta, tb := 0.2+r.Float64(), 0.2+r.Float64()
		got := pairStaleness(n, a, b, ta, tb)
		if !connected(n, a, b) {
			if !math.IsInf(got, 1) {
				t.Errorf("%v %v: %v although the islands are never all connected", a, b, got)
			}
			continue
		}
		want := iterated(n, []partition{a, b}, []float64{ta, tb})
		if math.Abs(got-want) > 1e-9*want {
			t.Errorf("%v %v: closed form %v, recursion %v", a.cliques(), b.cliques(), got, want)
		}
		for name, bound := range map[string]float64{"plain": plainBound(n, len(a), len(b), ta, tb), "overlap": overlapBound(n, a, b, ta, tb)} {
			if bound > got*(1+1e-12) {
				t.Errorf("%v %v: %s bound %v exceeds the staleness %v", a.cliques(), b.cliques(), name, bound, got)
			}
		}
	}
}

// randomSpace prices partitions at random, cheaper the smaller their largest clique, so that rotations can win and no
// structure of a network helps the pruning to be right.
func randomSpace(t *testing.T, n int, seed uint64) *space {
	t.Helper()
	s, err := newSpace(context.Background(), n, 1, func(c [][]int) (float64, error) {
		h, largest := seed, 0
		for _, clique := range c {
			for _, i := range clique {
				h = (h ^ uint64(i+1)) * 0x9e3779b97f4a7c15
			}
			h = (h ^ 99) * 0xbf58476d1ce4e5b9
			largest = max(largest, len(clique))
		}
		share := float64(largest) / float64(n)
		return (0.3 + float64(h>>40)/float64(1<<24)) * share * share, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Every pair of six islands by plain enumeration against the search, for several price lists, numbers of leaders,
// workers and starting incumbents.
func TestPairsFindsTheOptimum(t *testing.T) {
	const n = 6
	for seed := range uint64(4) {
		s := randomSpace(t, n, seed)
		best := candidate{staleness: math.Inf(1)}
		for a := range s.parts {
			if c := (candidate{[]int{a}, single(s.parts[a], s.seconds[a])}); compareCandidates(c, best) < 0 {
				best = c
			}
			for b := range a {
				v := pairStaleness(n, s.parts[a], s.parts[b], s.seconds[a], s.seconds[b])
				if v < best.staleness {
					best = candidate{[]int{a, b}, v}
				}
			}
		}
		for _, run := range []struct {
			k, jobs   int
			incumbent float64
		}{{1, 1, math.Inf(1)}, {5, 2, math.Inf(1)}, {1, 2, best.staleness * 1.5}, {3, 1, best.staleness * 1.01}} {
			lead := newLeaders(run.k, run.incumbent)
			count, err := s.pairs(context.Background(), run.jobs, lead)
			if err != nil {
				t.Fatal(err)
			}
			if len(lead.best) == 0 || math.Abs(lead.best[0].staleness-best.staleness) > 1e-12 {
				t.Errorf("seed %d %+v: found %v, enumeration %v", seed, run, lead.best, best)
			}
			if sum := count.PrunedPlain + count.PrunedOverlap + count.Evaluated; sum != 202*201/2 || count.Pairs != sum {
				t.Errorf("seed %d: counts do not add up to all pairs of 202 partitions: %+v", seed, count)
			}
			if run.k == 1 && run.jobs == 1 {
				t.Logf("seed %d: %+v", seed, count)
			}
		}
	}
}
