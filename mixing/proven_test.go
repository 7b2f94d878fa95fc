package mixing

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/schedule"
)

// deBruijn takes the mean of nodes i/2 and i/2 + n/2: its power log2 n is J, so that all eigenvalues off consensus are
// 0, in one Jordan block of size log2 n and others. The nodes are renamed, which changes what rounding makes of them.
func deBruijn(n int, seed uint64) [][]float64 {
	to := rand.New(rand.NewPCG(seed, 5)).Perm(n)
	rows := make([][]float64, n)
	for i := range n {
		rows[to[i]] = make([]float64, n)
		rows[to[i]][to[i/2]], rows[to[i]][to[i/2+n/2]] = .5, .5
	}
	return rows
}

// Where a power of W is proven to be J, the spectral radius is 0, not what rounding leaves of it.
func TestNilpotent(t *testing.T) {
	for k, n := range []int{4, 8, 16, 32} {
		for seed := range uint64(3) {
			s := matrixSchedule(deBruijn(n, seed))
			r := report(t, s)
			if *r.ExactAfter != k+2 || r.ExactProof != "rational arithmetic" || *r.SLEM != 0 || *r.SLEMError != 0 || *r.PeriodRadius != 0 || *r.RatePerRound != 0 {
				t.Errorf("n=%d: exact after %v (%s), slem %v ± %v, radius %v, rate %v", n, *r.ExactAfter, r.ExactProof, *r.SLEM, value(r.SLEMError), *r.PeriodRadius, *r.RatePerRound)
			}
			near(t, "sigma2", r.Sigma2, 1, 1e-12) // a matrix of means of pairs, disjoint ones
			s.Rounds = append(s.Rounds, s.Rounds[0])
			if r := report(t, s); *r.PeriodRadius != 0 || *r.RatePerRound != 0 {
				t.Errorf("n=%d twice: radius %v, rate %v", n, *r.PeriodRadius, *r.RatePerRound)
			}
		}
	}
}

// Without normality or proof there is no bound on the error of an eigenvalue; -J has a power J and is no averaging.
func TestNoBoundWithoutNormality(t *testing.T) {
	r := report(t, matrixSchedule([][]float64{{.5, .5, 0}, {.25, .5, .25}, {.25, 0, .75}}))
	if r.SLEMError != nil {
		t.Errorf("slem_error %v of a matrix that is not normal", *r.SLEMError)
	}
	// Decimals that are no short fractions: no proof, and what the solver says of eigenvalues near 0 is off by 1e-5.
	rows := deBruijn(16, 0)
	for i := range rows {
		for j := range rows {
			rows[i][j] = rows[i][j]*0.9999912345678 + 0.0000087654322/16 // (1-θ)W + θJ: nilpotent too, and only in exact arithmetic
		}
	}
	if r = report(t, matrixSchedule(rows)); r.SLEMError != nil || *r.SLEM > 1e-2 {
		t.Errorf("slem %v ± %v", *r.SLEM, value(r.SLEMError))
	}
	r = report(t, matrixSchedule([][]float64{{-.5, -.5}, {-.5, -.5}}))
	near(t, "-J", r.SLEM, 2, 1e-12)
	if r = analyze(t, "ring:n=501,weights=max-degree-lazy"); r.SLEMError == nil {
		t.Error("a ring is normal")
	}
}

// Schedules so fast that a few periods are within 1e-9 of J, but not exact: W_1 = J + (1-na)(I-J) commutes with all, so
// that the radius of W_2 W_1 - J is |1-na| times that of W_2 - J (closed form).
func TestFastIsNotExact(t *testing.T) {
	const a = 0.3333301234567
	all := []schedule.Edge{{I: 0, J: 1, Weight: a}, {I: 0, J: 2, Weight: a}, {I: 1, J: 2, Weight: a}}
	for _, c := range []struct {
		second []schedule.Edge
		slem   float64
	}{
		{[]schedule.Edge{{I: 0, J: 1, Weight: .5}, {I: 1, J: 2, Weight: .5}}, .5}, // best weights of a path: cos(π/3)
		{all, 1 - 3*a}, // both invariant under rotation: closed forms by characters
	} {
		r := report(t, &schedule.Schedule{N: 3, Rounds: []schedule.Round{{LocalSteps: 1, Edges: all}, {LocalSteps: 1, Edges: c.second}}})
		want := (1 - 3*a) * c.slem
		if r.ExactAfter == nil || r.ExactProof != "within 1e-9" {
			t.Fatalf("exact after %v (%s)", r.ExactAfter, r.ExactProof)
		}
		if math.Abs(*r.PeriodRadius-want) > 1e-9*want+1e-15 || math.Abs(*r.RatePerRound-math.Sqrt(want)) > 1e-9 || !(r.PrefixNorms[3] > 0) {
			t.Errorf("radius %v, want %v; rate %v; norms %v", *r.PeriodRadius, want, *r.RatePerRound, r.PrefixNorms)
		}
	}
	one := report(t, &schedule.Schedule{N: 3, Rounds: []schedule.Round{{LocalSteps: 1, Edges: []schedule.Edge{
		{I: 0, J: 1, Weight: 1./3 + 1e-11}, {I: 0, J: 2, Weight: 1./3 + 1e-11}, {I: 1, J: 2, Weight: 1./3 + 1e-11}}}}})
	if near(t, "nearly J", one.SLEM, 3e-11, 1e-15); one.ExactProof != "within 1e-9" {
		t.Errorf("%q", one.ExactProof)
	}
	third := []float64{1. / 3, 1. / 3, 1. / 3}
	one = report(t, matrixSchedule([][]float64{third, third, third}))
	if *one.SLEM != 0 || *one.PeriodRadius != 0 || *one.Sigma2 != 0 || !strings.Contains(one.ExactProof, "averaging of all") {
		t.Errorf("J: %+v", one)
	}
}

// What keeps the mean but not a common value has no staleness: with independent drift of every island the disagreement
// grows with what they have in common. Rows that sum to 1 suffice, whatever the columns.
func TestStalenessNeedsAgreement(t *testing.T) {
	columns := sequence(t, matrixSchedule([][]float64{{1. / 3, 0, 0, .5}, {1. / 3, .5, 0, 0}, {1. / 3, .5, .5, 0}, {0, 0, .5, .5}}))
	rows := sequence(t, matrixSchedule([][]float64{{1. / 3, 1. / 3, 1. / 3, 0}, {0, .5, .5, 0}, {0, 0, .5, .5}, {.5, 0, 0, .5}}))
	brute := func(seq *Sequence, rounds int) float64 { // V ← W (V + T I) W'
		v, tmp, w := mat.NewDense(4, 4, nil), mat.NewDense(4, 4, nil), seq.Steps[0].W.Dense()
		for range rounds {
			for i := range 4 {
				v.Set(i, i, v.At(i, i)+1.5)
			}
			tmp.Mul(w, v)
			v.Mul(tmp, w.T())
		}
		return disagreement(v)/3 + .75
	}
	if near, far := brute(columns, 100), brute(columns, 10_000); far < 50*near {
		t.Fatalf("column sums alone: %v, then %v", near, far)
	}
	seconds := []float64{1.5}
	if v, ok := Staleness(columns, seconds); ok {
		t.Errorf("column sums alone: staleness %v", v)
	}
	if v, ok := RandomStaleness([]Outcome{{.5, columns.Steps[0].W}, {.5, rows.Steps[0].W}}, []float64{1.5, 1.5}); ok {
		t.Errorf("an outcome with column sums alone: %v", v)
	}
	draw := func(w *Matrix) func(*rand.Rand) (*Matrix, float64) {
		return func(*rand.Rand) (*Matrix, float64) { return w, 1.5 }
	}
	rng := rand.New(rand.NewPCG(1, 1))
	if v, _, ok := SampleStaleness(4, 100, draw(columns.Steps[0].W), rng); ok {
		t.Errorf("column sums alone, drawn: %v", v)
	}
	want := brute(rows, 2000)
	one, ok1 := Staleness(rows, seconds)
	random, ok2 := RandomStaleness([]Outcome{{1, rows.Steps[0].W}}, seconds)
	drawn, _, ok3 := SampleStaleness(4, 1000, draw(rows.Steps[0].W), rng)
	for _, got := range []float64{one, random, drawn} {
		if !ok1 || !ok2 || !ok3 || math.Abs(got-want) > 1e-9*want {
			t.Errorf("row sums alone: %v %v %v, by brute force %v", one, random, drawn, want)
		}
	}
}

// Two cycles of four, a permutation: all eigenvalues off one are of modulus 1, and gonum's iteration panics on them.
func TestEigenvaluesOfOneModulus(t *testing.T) {
	rows := make([][]float64, 8)
	for i := range rows {
		rows[i] = make([]float64, 8)
		rows[i][(i+2)%8] = 1
	}
	if r := spectralRadius(minusJ(sequence(t, matrixSchedule(rows)).Steps[0].W.Dense())); math.Abs(r-1) > 1e-12 {
		t.Errorf("radius %v, want 1", r)
	}
	s := matrixSchedule(rows)
	s.Rounds = append(s.Rounds, schedule.Round{LocalSteps: 1, Cliques: [][]int{{0, 1}}})
	near(t, "joint radius", &report(t, s).JointRadius.Upper, 1, 1e-9)
}

// The least τ/p over aligned blocks, by its definition; the shorter block on a tie up to rounding, and only then.
func TestBestWindow(t *testing.T) {
	tie := func(second float64) func(int, int) float64 {
		return func(_, rounds int) float64 { return []float64{0, math.Sqrt(.75), math.Sqrt(second)}[rounds] }
	}
	for _, c := range []struct {
		second float64 // norm² of two rounds, .5 is a tie with one: τ/p = 4
		want   int
	}{{.5, 1}, {.5 - 1e-14, 1}, {.5 - 1e-10, 2}, {.4, 2}, {.6, 1}} {
		if p, tau, ok := BestWindow(1, 2, tie(c.second)); !ok || tau != c.want || math.Abs(p-[]float64{0, .25, 1 - c.second}[tau]) > 1e-15 {
			t.Errorf("norm² %v: p %v, τ %d, want τ %d", c.second, p, tau, c.want)
		}
	}
	if p, tau, ok := BestWindow(3, 6, func(_, _ int) float64 { return 1 - 1e-13 }); ok || p != 0 || tau != 0 {
		t.Errorf("nothing contracts: %v %v", p, tau)
	}
	rng := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		period := 1 + rng.IntN(6)
		table := map[[2]int]float64{}
		norm := func(start, rounds int) float64 {
			key := [2]int{start, rounds}
			if _, ok := table[key]; !ok {
				table[key] = math.Pow(rng.Float64(), float64(rounds)/float64(period))
			}
			return table[key]
		}
		var costs []float64
		for tau := 1; tau <= 2*period; tau++ {
			worst := 0.0
			for l := range period {
				worst = max(worst, norm(l*tau%period, tau))
			}
			costs = append(costs, float64(tau)/(1-worst*worst))
		}
		p, tau, ok := BestWindow(period, 2*period, norm)
		if best := slices.Min(costs); !ok || math.Abs(float64(tau)/p-best) > 1e-9*best || costs[tau-1] > best*(1+1e-9) {
			t.Fatalf("τ %d, p %v; costs %v", tau, p, costs)
		}
	}
}
