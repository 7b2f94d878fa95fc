package mixing

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/schedule"
)

func sequence(t testing.TB, s *schedule.Schedule) *Sequence {
	t.Helper()
	seq, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

// relabel renames the nodes at random, which hides every structure but the spectrum.
func relabel(s *schedule.Schedule, seed uint64) *schedule.Schedule {
	to := rand.New(rand.NewPCG(seed, 3)).Perm(s.N)
	out := *s
	out.Rounds = make([]schedule.Round, len(s.Rounds))
	for k, r := range s.Rounds {
		r.Edges = append([]schedule.Edge(nil), r.Edges...)
		for i := range r.Edges {
			r.Edges[i].I, r.Edges[i].J = to[r.Edges[i].I], to[r.Edges[i].J]
		}
		out.Rounds[k] = r
	}
	return &out
}

func cycleGap(n int) float64 { return 2.0 / 3 * (1 - math.Cos(2*math.Pi/float64(n))) }

// Closed forms at sizes where nothing dense is formed: each way of finding the SLEM.
func TestLargeSpectra(t *testing.T) {
	pathGap := 2.0 / 3 * (1 - math.Cos(math.Pi/3000)) // all weights 1/3: 1 - 2/3 (1 - cos(pi k/n))
	torus := 1 - (2-2*math.Cos(2*math.Pi/100))/5
	for _, c := range []struct {
		name   string
		s      *schedule.Schedule
		want   float64
		tol    float64
		method string
	}{
		{"torus of ten thousand", load(t, "torus:rows=100,columns=100"), torus, 1e-13, "characters of Z_100 × Z_100"},
		{"hypercube of 4096", load(t, "hypercube:n=4096"), 11.0 / 13, 1e-13, "Z_2^12"},
		{"cycle of ten thousand", load(t, "ring:n=10000"), 1 - cycleGap(10000), 1e-13, "Z_10000"},
		{"the same, renamed", relabel(load(t, "ring:n=10000"), 1), 1 - cycleGap(10000), 1e-5 * cycleGap(10000), "band"},
		{"path", load(t, "path:n=3000"), 1 - pathGap, 1e-6 * pathGap, "band"},
		{"torus, renamed", relabel(load(t, "torus:rows=100,columns=100"), 2), torus, 1e-9, ""},
		{"star", load(t, "star:n=5000"), 1 - 1.0/5000, 1e-12, ""},
		{"even cycle without self-weights", relabel(load(t, "ring:n=2000,weights=max-degree"), 1), 1, 1e-12, ""},
		{"two cycles that never meet", twoCycles(2000), 1, 1e-12, ""},
		{"best-constant", load(t, "torus:rows=40,columns=40,weights=best-constant"), (8 - torusLow(40)) / (8 + torusLow(40)), 1e-9, ""},
	} {
		x := spectrumOf(sequence(t, c.s).Steps[0].W)
		if math.Abs(x.slem-c.want) > c.tol || !strings.Contains(x.method, c.method) {
			t.Errorf("%s: %v by %s, want %v", c.name, x.slem, x.method, c.want)
		}
		if math.Abs(x.slem-c.want) > x.bound+1e-13 {
			t.Errorf("%s: off by %v, bound %v", c.name, math.Abs(x.slem-c.want), x.bound)
		}
	}
}

// torusLow is λ_2 of the Laplacian of the torus of m × m.
func torusLow(m int) float64 { return 2 - 2*math.Cos(2*math.Pi/float64(m)) }

func twoCycles(n int) *schedule.Schedule {
	r := schedule.Round{LocalSteps: 1, Rule: "metropolis"}
	for i := range n / 2 {
		r.Edges = append(r.Edges, schedule.Edge{I: i, J: (i + 1) % (n / 2)}, schedule.Edge{I: n/2 + i, J: n/2 + (i+1)%(n/2)})
	}
	return &schedule.Schedule{N: n, Rounds: []schedule.Round{r}}
}

// Two identical halves (random, so that no band helps) joined by one weak edge: the slow mode between them is alone at
// the top of a spectrum in which every other eigenvalue is double.
func TestWeaklyJoinedHalves(t *testing.T) {
	const half = 1500
	const weak = 1e-3
	base := sequence(t, &schedule.Schedule{N: half, Rounds: []schedule.Round{{LocalSteps: 1, Edges: regular(half, 4, 5)}}})
	inner := spectrumOf(base.Steps[0].W).slem
	r := schedule.Round{LocalSteps: 1}
	for _, e := range regular(half, 4, 5) {
		r.Edges = append(r.Edges, e, schedule.Edge{I: half + e.I, J: half + e.J, Weight: e.Weight})
	}
	r.Edges = append(r.Edges, schedule.Edge{I: 0, J: half, Weight: weak})
	x := spectrumOf(sequence(t, &schedule.Schedule{N: 2 * half, Rounds: []schedule.Round{r}}).Steps[0].W)
	// The vector +1 on one half and -1 on the other gives at least 1 - 2 weak/half.
	if x.slem < 1-2*weak/half-1e-12 || x.slem >= 1 || inner > 0.99 {
		t.Errorf("slem %v (one half alone: %v)", x.slem, inner)
	}
}

// regular returns a random graph of even degree d, the union of d/2 random cycles without repeated edges, with
// weights 1/(d+1).
func regular(n, d int, seed uint64) []schedule.Edge {
	rng := rand.New(rand.NewPCG(seed, 9))
	seen := map[[2]int]bool{}
	var edges []schedule.Edge
	for len(edges) < n*d/2 {
		cycle := rng.Perm(n)
		var fresh []schedule.Edge
		for k, i := range cycle {
			j := cycle[(k+1)%n]
			if !seen[[2]int{min(i, j), max(i, j)}] {
				fresh = append(fresh, schedule.Edge{I: min(i, j), J: max(i, j), Weight: 1 / float64(d+1)})
			}
		}
		for _, e := range fresh {
			seen[[2]int{e.I, e.J}] = true
		}
		edges = append(edges, fresh...)
		if len(fresh) < n {
			break // a few nodes have one edge less: close enough to regular
		}
	}
	return edges
}

// On any graph small enough for it, Lanczos, the band and the dense solver agree.
func TestSolversAgree(t *testing.T) {
	for seed := range uint64(20) {
		n := 30 + 7*int(seed)
		s := graphSchedule(n, randomGraph(n, n+3*int(seed), seed), "metropolis")
		w := sequence(t, s).Steps[0].W
		low, high, _ := denseEnds(w)
		e := lanczos(n, newBlock([]*Matrix{w}).mul, nil, false)
		if math.Abs(e.low-low) > 1e-9 || math.Abs(e.high-high) > 1e-9 {
			t.Errorf("seed %d: Lanczos %v %v, dense %v %v", seed, e.low, e.high, low, high)
		}
		order, band := cuthillMcKee(w)
		sorted := append([]int(nil), order...)
		sort.Ints(sorted)
		for i, v := range sorted {
			if i != v {
				t.Fatalf("seed %d: the order is no permutation", seed)
			}
		}
		up, _, ok1 := bandGap(w, order, band, 1)
		down, _, ok2 := bandGap(w, order, band, -1)
		if !ok1 || !ok2 || math.Abs(1-up-high) > 1e-9 || math.Abs(down-1-low) > 1e-9 {
			t.Errorf("seed %d: band %v %v, dense %v %v", seed, down-1, 1-up, low, high)
		}
	}
}

// Characters against dense singular values, for directed and undirected families.
func TestCharacters(t *testing.T) {
	for _, line := range []string{"exponential:n=12", "exponential:n=9", "one-way-ring:n=8", "torus:rows=3,columns=5", "ring:n=7", "hypercube:n=16", "complete:n=6", "torus:rows=4,columns=2"} {
		w := sequence(t, load(t, line)).Steps[0].W
		g, rows, ok := symmetry([]*Matrix{w})
		if !ok {
			t.Errorf("%s: no group found", line)
			continue
		}
		squares, group := g.squares(rows[0]), g.name()
		var svd mat.SVD
		svd.Factorize(minusJ(w.Dense()), mat.SVDNone)
		want := svd.Values(nil)
		sort.Sort(sort.Reverse(sort.Float64Slice(squares)))
		for k, v := range squares {
			if math.Abs(math.Sqrt(v)-want[k]) > 1e-7 { // singular values that are 0 come out of squares as 1e-8
				t.Errorf("%s by %s: value %d is %v, want %v", line, group, k, math.Sqrt(v), want[k])
			}
		}
	}
	for _, line := range []string{"path:n=8", "star:n=6", "grid:rows=3,columns=4"} {
		if g, _, ok := symmetry([]*Matrix{sequence(t, load(t, line)).Steps[0].W}); ok {
			t.Errorf("%s: taken for %s", line, g.name())
		}
	}
}

// Static exponential graphs (Ying et al. 2021; odd sizes computed independently).
func TestExponential(t *testing.T) {
	for n, want := range map[int]float64{4: 1.0 / 3, 5: .25, 6: .5, 7: .353553391, 8: .5, 9: .441786611, 10: .6, 12: .6, 16: .6, 24: 2.0 / 3, 32: 2.0 / 3} {
		r := analyze(t, fmt.Sprintf("exponential:n=%d", n))
		near(t, fmt.Sprintf("n=%d slem", n), r.SLEM, want, 1e-8)
		near(t, fmt.Sprintf("n=%d sigma2", n), r.Sigma2, want, 1e-8)
	}
}

func benchmarkSLEM(b *testing.B, s *schedule.Schedule) {
	seq := sequence(b, s)
	for b.Loop() {
		if _, err := Analyze(context.Background(), seq, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSLEMRegular10000(b *testing.B) {
	benchmarkSLEM(b, &schedule.Schedule{N: 10000, Rounds: []schedule.Round{{LocalSteps: 1, Edges: regular(10000, 4, 1)}}})
}

func BenchmarkSLEMTorus10000(b *testing.B) {
	s, err := schedule.Load("torus:rows=100,columns=100", schedule.Options{})
	if err != nil {
		b.Fatal(err)
	}
	benchmarkSLEM(b, s)
}

func BenchmarkSLEMTorus10000Renamed(b *testing.B) {
	s, err := schedule.Load("torus:rows=100,columns=100", schedule.Options{})
	if err != nil {
		b.Fatal(err)
	}
	benchmarkSLEM(b, relabel(s, 2))
}

func BenchmarkSLEMCycle10000(b *testing.B) {
	s, err := schedule.Load("ring:n=10000", schedule.Options{})
	if err != nil {
		b.Fatal(err)
	}
	benchmarkSLEM(b, s)
}

func BenchmarkSLEMCycle10000Renamed(b *testing.B) {
	s, err := schedule.Load("ring:n=10000", schedule.Options{})
	if err != nil {
		b.Fatal(err)
	}
	benchmarkSLEM(b, relabel(s, 1))
}

// The sizes of exponential graphs and hypercubes are powers of two: they must not cost more than their neighbors.
func BenchmarkDense(b *testing.B) {
	for _, n := range []int{255, 256, 257, 499, 500, 511, 512, 513} {
		s := mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				s.SetSym(i, j, math.Sin(float64(i*n+j)))
			}
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				eigenvalues(s)
			}
		})
	}
}
