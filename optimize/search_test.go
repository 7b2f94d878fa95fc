package optimize

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
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
func randomSpace(t *testing.T, n int, seed uint64, value objective) *space {
	t.Helper()
	spaces, err := newSpaces(context.Background(), n, 1, value, 1, func(c [][]int, out []float64) error {
		h, largest := seed, 0
		for _, clique := range c {
			for _, i := range clique {
				h = (h ^ uint64(i+1)) * 0x9e3779b97f4a7c15
			}
			h = (h ^ 99) * 0xbf58476d1ce4e5b9
			largest = max(largest, len(clique))
		}
		share := float64(largest) / float64(n)
		out[0] = (0.3 + float64(h>>40)/float64(1<<24)) * share * share
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return spaces[0]
}

// Every pair of six islands by plain enumeration against the search, for every objective, several price lists, numbers
// of leaders, workers and starting incumbents.
func TestPairsFindsTheOptimum(t *testing.T) {
	const n = 6
	for name, value := range map[string]objective{Staleness: staleness{}, Contraction: contraction{}, Exchange: exchange{}} {
		for seed := range uint64(4) {
			s := randomSpace(t, n, seed, value)
			best := candidate{value: math.Inf(1)}
			for a := range s.parts {
				if c := (candidate{[]int{a}, value.single(n, s.parts[a], s.seconds[a])}); compareCandidates(c, best) < 0 {
					best = c
				}
				for b := range a {
					v := value.pair(n, s.parts[a], s.parts[b], s.seconds[a], s.seconds[b])
					if v < best.value {
						best = candidate{[]int{a, b}, v}
					}
					ca, cb, ta, tb := a, b, s.seconds[a], s.seconds[b]
					if ta > tb {
						ca, cb, ta, tb = b, a, tb, ta
					}
					pa, pb := s.parts[ca], s.parts[cb]
					if l := value.plainBound(n, len(pa), len(pb), ta, tb); l > v*(1+1e-12) {
						t.Fatalf("%s: plain bound %v exceeds %v", name, l, v)
					}
					if l := value.overlapBound(n, pa, pb, ta, tb); l > v*(1+1e-12) {
						t.Fatalf("%s: overlap bound %v exceeds %v", name, l, v)
					}
				}
			}
			for _, run := range []struct {
				k, jobs   int
				incumbent float64
			}{{1, 1, math.Inf(1)}, {5, 2, math.Inf(1)}, {1, 2, best.value * 1.5}, {3, 1, best.value * 1.01}} {
				o := &outcome{leaders: newLeaders(run.k, run.incumbent)}
				if err := s.pairs(context.Background(), run.jobs, o); err != nil {
					t.Fatal(err)
				}
				if len(o.leaders.best) == 0 || math.Abs(o.leaders.best[0].value-best.value) > 1e-12 {
					t.Errorf("%s, seed %d %+v: found %v, enumeration %v", name, seed, run, o.leaders.best, best)
				}
				if sum := o.count.PrunedPlain + o.count.PrunedOverlap + o.count.Evaluated; sum != 202*201/2 || o.count.Pairs != sum {
					t.Errorf("%s, seed %d: counts do not add up to all pairs of 202 partitions: %+v", name, seed, o.count)
				}
			}
		}
	}
}

// The closed form of a pair's contraction against the eigenvalues of the product, and every objective on two rounds
// against its own evaluation of any number of rounds.
func TestObjectivesAgreeWithThemselves(t *testing.T) {
	const n = 6
	s := randomSpace(t, n, 9, staleness{})
	v := newEvaluator(s, 2, 1)
	r := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		a, b := r.IntN(len(s.parts)), r.IntN(len(s.parts))
		if a == b {
			continue
		}
		pa, pb, ta, tb := s.parts[a], s.parts[b], s.seconds[a], s.seconds[b]
		labels, seconds := [][]uint16{v.labels[a], v.labels[b]}, []float64{ta, tb}
		if got, want := pairRadius(pa, pb), radius(n, labels); connected(n, pa, pb) && math.Abs(got-want) > 1e-6 {
			t.Errorf("%v %v: largest squared cosine %v, spectral radius %v", pa.cliques(), pb.cliques(), got, want)
		}
		for _, value := range []objective{staleness{}, contraction{}, exchange{}} {
			got, want := value.pair(n, pa, pb, ta, tb), value.longer(n, v.solvers[0], labels, seconds)
			if got != want && math.Abs(got-want) > 1e-6*want {
				t.Errorf("%T %v %v: pair %v, general %v", value, pa.cliques(), pb.cliques(), got, want)
			}
		}
	}
}

// The front must hold exactly the schedules that plain enumeration finds undominated.
func TestFrontIsComplete(t *testing.T) {
	const n = 5
	for seed := range uint64(5) {
		s := randomSpace(t, n, seed, staleness{})
		var every front
		for a := range s.parts {
			if v := single(s.parts[a], s.seconds[a]); !math.IsInf(v, 1) {
				every.add(ParetoPoint{Period: s.seconds[a], Staleness: v, rounds: []int{a}})
			}
			for b := range a {
				if v := pairStaleness(n, s.parts[a], s.parts[b], s.seconds[a], s.seconds[b]); !math.IsInf(v, 1) {
					every.add(ParetoPoint{Period: s.seconds[a] + s.seconds[b], Staleness: v, Contraction: pairRadius(s.parts[a], s.parts[b])})
				}
			}
		}
		o := &outcome{leaders: newLeaders(3, math.Inf(1)), front: &front{}}
		if err := s.pairs(context.Background(), 2, o); err != nil {
			t.Fatal(err)
		}
		if len(o.front.points) != len(every.points) {
			t.Fatalf("seed %d: %d points on the front, enumeration %d", seed, len(o.front.points), len(every.points))
		}
		for i, p := range o.front.points {
			q := every.points[i]
			if math.Abs(p.Period-q.Period)+math.Abs(p.Staleness-q.Staleness)+math.Abs(p.Contraction-q.Contraction) > 1e-9 {
				t.Errorf("seed %d: point %d is %+v, enumeration %+v", seed, i, p, q)
			}
		}
	}
}

// A sweep finds what a search for each payload finds.
func TestSweepIsEverySearch(t *testing.T) {
	payloads := []float64{1e6, 1e8, 1e9}
	for _, name := range []string{"path:n=5,bandwidth=10Gbps,latency=5ms", "ring:n=12,bandwidth=10Gbps,latency=5ms"} {
		top, err := network.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := top.Capability(network.LevelUnicast)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{PeriodMax: 2, RunnersUp: 2}
		var got [][]*Result
		for i, s := range append([]float64{1}, payloads...) {
			p, err := collective.NewPricer(top, plain, collective.Options{Payload: s})
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				if got, err = Sweep(context.Background(), top, p, payloads, []float64{0, 0.05}, o); err != nil {
					t.Fatal(err)
				}
				continue
			}
			for k, compute := range []float64{0, 0.05} {
				o := o
				o.Compute = compute
				want, err := Search(context.Background(), top, p, o)
				if err != nil {
					t.Fatal(err)
				}
				g := got[i-1][k]
				if math.Abs(g.Best.Staleness-want.Best.Staleness) > 1e-11*want.Best.Staleness || g.AllReduce.Period != want.AllReduce.Period ||
					g.Best.Schedule.CliqueText() != want.Best.Schedule.CliqueText() || g.Certificate.Count != want.Certificate.Count {
					t.Errorf("%s, %g bytes: %s %v, want %s %v", name, s, g.Best.Schedule.CliqueText(), g.Best.Staleness, want.Best.Schedule.CliqueText(), want.Best.Staleness)
				}
				if math.Abs(g.Best.Staleness-g.Best.Value) > 1e-9*g.Best.Staleness {
					t.Errorf("%s, %g bytes after %g s: staleness %v, searched for %v", name, s, compute, g.Best.Staleness, g.Best.Value)
				}
			}
		}
	}
}
