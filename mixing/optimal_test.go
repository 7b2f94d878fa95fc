package mixing

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/islandsgd/islands/schedule"
)

func graphSchedule(n int, pairs [][2]int, rule string) *schedule.Schedule {
	r := schedule.Round{LocalSteps: 1, Rule: rule}
	for _, p := range pairs {
		r.Edges = append(r.Edges, schedule.Edge{I: p[0], J: p[1]})
	}
	return &schedule.Schedule{N: n, Rounds: []schedule.Round{r}}
}

func report(t *testing.T, s *schedule.Schedule) *Report {
	t.Helper()
	seq, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Analyze(context.Background(), seq, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var (
	twoTriangles = [][2]int{{0, 1}, {0, 2}, {1, 2}, {2, 3}, {3, 4}, {3, 5}, {4, 5}}
	// The example of eight nodes and thirteen edges that the CVX package ships.
	boyd = [][2]int{{0, 1}, {0, 4}, {1, 2}, {1, 3}, {1, 6}, {1, 7}, {2, 3}, {2, 6}, {3, 7}, {4, 5}, {4, 6}, {5, 6}, {6, 7}}
	// A hub (4) and a rim of four: weights 1/4 throughout give eigenvalues ±1/4, and degree 4 of the hub forbids more.
	wheel = [][2]int{{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}
)

func TestOptimalWeights(t *testing.T) {
	for _, c := range []struct {
		name string
		s    *schedule.Schedule
		want float64
		tol  float64
	}{
		{"star fdla m/(m+2)", load(t, "star:n=8,weights=fdla"), 7.0 / 9, 1e-8},
		{"star fmmc 1-1/m", load(t, "star:n=8,weights=fmmc"), 6.0 / 7, 1e-8},
		{"path fdla cos(pi/n)", load(t, "path:n=5,weights=fdla"), math.Cos(math.Pi / 5), 1e-8},
		{"path fmmc cos(pi/n)", load(t, "path:n=12,weights=fmmc"), math.Cos(math.Pi / 12), 1e-8},
		{"ring 7, computed independently", load(t, "ring:n=7,weights=fdla"), .669362319, 1e-8},
		{"hypercube (d-1)/(d+1)", load(t, "hypercube:n=8,weights=fmmc"), .5, 1e-8},
		{"complete", load(t, "complete:n=5,weights=fdla"), 0, 1e-12},
		{"one edge", load(t, "ring:n=2,weights=fmmc"), 0, 1e-12},
		{"no edge", load(t, "ring:n=1,weights=fmmc"), 0, 0},
		{"grid 3x3", load(t, "grid:rows=3,columns=3,weights=fdla"), .692551220, 1e-8},
		{"grid 3x3", load(t, "grid:rows=3,columns=3,weights=fmmc"), .692551220, 1e-8},
		{"two triangles and a bridge, fdla sqrt(2/3)", graphSchedule(6, twoTriangles, "fdla"), math.Sqrt(2.0 / 3), 1e-8},
		{"two triangles and a bridge, fmmc", graphSchedule(6, twoTriangles, "fmmc"), .841982853, 1e-8},
		{"Boyd's eight nodes, fdla (.6433 printed)", graphSchedule(8, boyd, "fdla"), .643331403, 1e-8},
		{"Boyd's eight nodes, fmmc (.6810 printed)", graphSchedule(8, boyd, "fmmc"), .680960676, 1e-8},
		{"wheel of four spokes, fmmc", graphSchedule(5, wheel, "fmmc"), .25, 1e-8},
		{"not connected", graphSchedule(4, [][2]int{{0, 1}, {2, 3}}, "fdla"), 1, 1e-12},
	} {
		r := report(t, c.s)
		near(t, c.name, r.SLEM, c.want, c.tol)
		if c.s.N > 1 && r.Certificate == nil {
			t.Errorf("%s: no certificate", c.name)
		} else if c.s.N > 1 && !(r.Certificate.Gap >= 0 && r.Certificate.Gap <= 1e-8 && r.Certificate.LowerBound <= *r.SLEM+1e-15) {
			t.Errorf("%s: certificate %+v for %v", c.name, *r.Certificate, *r.SLEM)
		}
	}
}

func load(t *testing.T, line string) *schedule.Schedule {
	t.Helper()
	s, err := schedule.Load(line, schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// randomGraph returns a connected graph: a random tree and random further edges.
func randomGraph(n, m int, seed uint64) [][2]int {
	rng := rand.New(rand.NewPCG(seed, 1))
	seen := map[[2]int]bool{}
	var pairs [][2]int
	add := func(i, j int) {
		if p := [2]int{min(i, j), max(i, j)}; i != j && !seen[p] {
			seen[p] = true
			pairs = append(pairs, p)
		}
	}
	for i := 1; i < n; i++ {
		add(i, rng.IntN(i))
	}
	for len(pairs) < m {
		add(rng.IntN(n), rng.IntN(n))
	}
	return pairs
}

// On any graph: the certificate closes, fdla ≤ fmmc ≤ every rule with W ≥ 0, fdla ≤ best-constant.
func TestOptimalOrder(t *testing.T) {
	for seed := range uint64(12) {
		n := 5 + int(seed)*2
		pairs := randomGraph(n, n+int(seed)*2, seed)
		slem := func(rule string) float64 {
			r := report(t, graphSchedule(n, pairs, rule))
			if c := r.Certificate; c != nil && !(c.Gap >= 0 && c.Gap <= 1e-8) {
				t.Errorf("seed %d, %s: gap %v", seed, rule, c.Gap)
			}
			if rule == "fmmc" && !r.Nonnegative {
				t.Errorf("seed %d: fmmc has negative entries", seed)
			}
			return *r.SLEM
		}
		fdla, fmmc := slem("fdla"), slem("fmmc")
		const slack = 1e-8
		if fdla > fmmc+slack || fmmc > slem("metropolis")+slack || fmmc > slem("max-degree")+slack || fdla > slem("best-constant")+slack {
			t.Errorf("seed %d: fdla %v, fmmc %v above a rule", seed, fdla, fmmc)
		}
	}
}

func benchmarkOptimal(b *testing.B, n, m int, nonnegative bool) {
	s := graphSchedule(n, randomGraph(n, m, 7), "fdla")
	for b.Loop() {
		_, c, err := optimalWeights(n, s.Rounds[0].Edges, nonnegative)
		if err != nil || c.Gap > 1e-8 {
			b.Fatal(c, err)
		}
	}
}

func BenchmarkFDLA50(b *testing.B)  { benchmarkOptimal(b, 50, 100, false) }
func BenchmarkFDLA100(b *testing.B) { benchmarkOptimal(b, 100, 510, false) }
func BenchmarkFMMC50(b *testing.B)  { benchmarkOptimal(b, 50, 100, true) }
func BenchmarkFMMC100(b *testing.B) { benchmarkOptimal(b, 100, 510, true) }
