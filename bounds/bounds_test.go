package bounds

import (
	"context"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

// The instances C and N: four islands in two dimensions with commuting and non-commuting curvatures. Values of bounds
// and exact moments below were computed independently in numpy.
const (
	tail = `
optimum: [[1, 0], [0, 2], [-1, 1], [2, -1]]
noise: [0.04, 0.01, 0.09, 0.04]
`
	instanceC = "problem: quadratic\ncurvature: [[1, 0.1], [0.5, 0.1], [1.5, 0.2], [1, 0.2]]" + tail
	instanceN = "problem: quadratic\ncurvature: [[[1, 0.3], [0.3, 0.5]], [[0.6, 0], [0, 0.8]], [[1.2, -0.4], [-0.4, 0.7]], [[0.5, 0.1], [0.1, 0.3]]]" + tail
)

func problem(t testing.TB, text string) *gossip.Quadratic {
	t.Helper()
	q, err := gossip.ReadProblem("problem.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func sequence(t testing.TB, n int, rounds ...schedule.Round) *mixing.Sequence {
	t.Helper()
	seq, err := mixing.New(&schedule.Schedule{Name: "test", N: n, Rounds: rounds})
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

func ring(t testing.TB, n, h int) *mixing.Sequence {
	t.Helper()
	r := schedule.Round{LocalSteps: h}
	for i := range n {
		r.Edges = append(r.Edges, schedule.Edge{I: i, J: (i + 1) % n, Weight: 1. / 3})
	}
	return sequence(t, n, r)
}

// lazyMatchings is W_t = 0.2 I + 0.8 (average over a matching), with the two matchings of ring 4 alternating.
func lazyMatchings(t testing.TB) *mixing.Sequence {
	t.Helper()
	pairs := func(a, b, c, d int) schedule.Round {
		return schedule.Round{LocalSteps: 1, Edges: []schedule.Edge{{I: a, J: b, Weight: 0.4}, {I: c, J: d, Weight: 0.4}}}
	}
	return sequence(t, 4, pairs(0, 1, 2, 3), pairs(1, 2, 3, 0))
}

func find(t testing.TB, all []Bound, id string) Bound {
	t.Helper()
	for _, b := range all {
		if b.ID == id {
			return b
		}
	}
	t.Fatalf("no bound %q", id)
	return Bound{}
}

func close(got, want float64) bool { return math.Abs(got-want) <= 2e-8*math.Abs(want) }

func TestRecursionAgainstReference(t *testing.T) {
	for _, c := range []struct {
		text                string
		step                float64
		t                   int
		centroid, consensus float64
	}{
		{instanceN, 0.02, 1, 1.58200658, 6.68269164e-4}, {instanceN, 0.02, 10, 1.44495259, 1.40957802e-3},
		{instanceN, 0.02, 50, .966216617, 1.04236963e-3}, {instanceN, 0.02, 200, .214521003, 4.59012523e-4},
		{instanceN, 0.1, 10, 1.05786529, .0297707415}, {instanceN, 0.1, 200, .0392170936, .0082079724},
		{instanceC, 0.1, 10, .247131518, .0232059275}, {instanceC, 0.1, 200, .28761126, .0241760438},
		{instanceC, 0.02, 200, .120670328, 8.07398721e-4},
	} {
		all, err := Evaluate(context.Background(), Setting{Problem: problem(t, c.text), Sequence: ring(t, 4, 1), Step: c.step, At: []int{c.t}})
		if err != nil {
			t.Fatal(err)
		}
		centroid, consensus := find(t, all, "recursion-centroid").Points[0].Value, find(t, all, "recursion-consensus").Points[0].Value
		if !close(centroid, c.centroid) || !close(consensus, c.consensus) {
			t.Errorf("step %g, t=%d: got %.9g %.9g, want %.9g %.9g", c.step, c.t, centroid, consensus, c.centroid, c.consensus)
		}
		if mse := find(t, all, "recursion-mse").Points[0].Value; mse != centroid+consensus {
			t.Errorf("mse %g is not the sum of %g and %g", mse, centroid, consensus)
		}
	}
}

func TestKernelAgainstReference(t *testing.T) {
	for _, c := range []struct {
		name                string
		text                string
		seq                 *mixing.Sequence
		step                float64
		forms               form
		t                   int
		centroid, consensus float64
	}{
		{"C products", instanceC, ring(t, 4, 1), 0.1, productForm, 10, .211340967, .00856142575},
		{"C products", instanceC, ring(t, 4, 1), 0.1, productForm, 200, .06243878, .00781838887},
		{"N products", instanceN, ring(t, 4, 1), 0.1, productForm, 10, .523955029, .00566144502},
		{"N products", instanceN, ring(t, 4, 1), 0.1, productForm, 200, .00512064693, .00342500368},
		{"C gamma", instanceC, ring(t, 4, 1), 0.1, gammaForm, 10, .209761169, .007253753},
		{"C gamma", instanceC, ring(t, 4, 1), 0.1, gammaForm, 200, .055238039, .00658628816},
		{"N gamma", instanceN, ring(t, 4, 1), 0.1, gammaForm, 10, .521473291, .00473259479},
		{"N gamma", instanceN, ring(t, 4, 1), 0.1, gammaForm, 200, .00475269139, .00287290723},
		{"C gamma H=4", instanceC, ring(t, 4, 4), 0.1, gammaForm, 10, .741653399, .113685923}, // 40 local steps
		{"N gamma H=4", instanceN, ring(t, 4, 4), 0.1, gammaForm, 10, .150619582, .0428706873},
		{"N lazy matchings", instanceN, lazyMatchings(t), 0.02, productForm, 1, 1.56152157, .00112609153},
		{"N lazy matchings", instanceN, lazyMatchings(t), 0.02, productForm, 2, 1.52653748, .00161292046},
		{"N lazy matchings", instanceN, lazyMatchings(t), 0.02, productForm, 10, 1.27576659, .00235676205},
		{"N lazy matchings", instanceN, lazyMatchings(t), 0.02, productForm, 11, 1.24753721, .00234119339},
		{"N lazy matchings", instanceN, lazyMatchings(t), 0.02, productForm, 40, .653859802, .00194853021},
	} {
		s, err := newSetup(context.Background(), Setting{Problem: problem(t, c.text), Sequence: c.seq, Step: c.step, At: []int{c.t}})
		if err != nil {
			t.Fatal(err)
		}
		k := s.newKernel(c.forms)
		for now := range c.t {
			k.round(now)
		}
		centroid, consensus := k.r*k.r, k.consensus()*k.consensus()
		if !close(centroid, c.centroid) || !close(consensus, c.consensus) {
			t.Errorf("%s, t=%d: got %.9g %.9g, want %.9g %.9g", c.name, c.t, centroid, consensus, c.centroid, c.consensus)
		}
	}
}

func TestWindowAgainstReference(t *testing.T) {
	for _, c := range []struct {
		t                   int
		centroid, consensus float64
	}{
		{1, 1.58200658, .0144238139}, {2, 1.56655136, .0400077159}, {10, 1.46881502, .0809808207}, {11, 1.45649738, .17603429}, {40, 1.18182875, .072082882},
	} {
		all, err := Evaluate(context.Background(), Setting{Problem: problem(t, instanceN), Sequence: lazyMatchings(t), Step: 0.02, At: []int{c.t}})
		if err != nil {
			t.Fatal(err)
		}
		centroid, consensus := find(t, all, "window-centroid").Points[0].Value, find(t, all, "window-consensus").Points[0].Value
		if !close(centroid, c.centroid) || !close(consensus, c.consensus) {
			t.Errorf("t=%d: got %.9g %.9g, want %.9g %.9g", c.t, centroid, consensus, c.centroid, c.consensus)
		}
	}
}

// TestPublishedCap: L = 1.5, p = 8/9, τ = 1 make the cap 2.52005118e-3.
func TestPublishedCap(t *testing.T) {
	for step, applicable := range map[float64]bool{0.1: false, 2.521e-3: false, 2.519e-3: true} {
		all, err := Evaluate(context.Background(), Setting{Problem: problem(t, instanceC), Sequence: ring(t, 4, 1), Step: step, At: []int{1, 100}})
		if err != nil {
			t.Fatal(err)
		}
		b := find(t, all, "koloskova-consensus")
		if b.Applicable != applicable || b.Kind != Order || !applicable && !strings.Contains(b.Reason, "cap p/(96√6 τL) = 0.00252") {
			t.Errorf("step %g: %+v", step, b)
		}
	}
}

// TestGuarantees is what makes a bound a guarantee: on random instances, at every round, it is at least the exact value.
func TestGuarantees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, d := rapid.IntRange(1, 6).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "d")
		q := randomProblem(t, n, d)
		seq := randomSequence(t, n)
		algorithm := gossip.Algorithm{Name: rapid.SampledFrom([]string{"atc", "cta", "dgd"}).Draw(t, "algorithm")}
		step := rapid.Float64Range(0.005, 0.6).Draw(t, "step")
		var at []int
		for r := range 60 {
			at = append(at, r)
		}
		at = append(at, 500)
		exact, err := gossip.Exact(context.Background(), q, seq, gossip.ExactOptions{Algorithm: algorithm, Step: step, At: at})
		if err != nil {
			t.Fatal(err)
		}
		all, err := Evaluate(context.Background(), Setting{Problem: q, Sequence: seq, Algorithm: algorithm, Step: step, At: at})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range all {
			if b.Kind != Guarantee {
				continue
			}
			for i, p := range b.Points {
				e := exact.Points[i]
				value, ok := map[string]float64{"centroid": e.Centroid, "consensus": e.Consensus, "mse": e.MSE}[b.Quantity]
				if !ok {
					break
				}
				if p.T != e.T || p.Value < value-1e-12*(e.MSE+1) {
					t.Fatalf("%s at t=%d is %g, exact %g", b.ID, p.T, p.Value, value)
				}
			}
		}
	})
}

func TestNotApplicable(t *testing.T) {
	matching := sequence(t, 4, schedule.Round{LocalSteps: 1, Cliques: [][]int{{0, 1}, {2, 3}}})
	unbalanced := sequence(t, 2, schedule.Round{LocalSteps: 1, Entries: []schedule.Edge{{I: 0, J: 0, Weight: 1}, {I: 1, J: 0, Weight: 1}}})
	two := "problem: quadratic\ncurvature: [1, 1]\noptimum: [[0], [1]]\n"
	for _, c := range []struct {
		name    string
		setting Setting
		id      string
		want    string
	}{
		{"a matching contracts nothing", Setting{Problem: problem(t, instanceN), Sequence: matching, Step: 0.02}, "recursion-centroid", "round 1 does not (p = 0)"},
		{"local steps", Setting{Problem: problem(t, instanceN), Sequence: ring(t, 4, 4), Step: 0.02}, "recursion-consensus", "3 local steps without mixing (p = 0)"},
		{"large step", Setting{Problem: problem(t, instanceN), Sequence: ring(t, 4, 1), Step: 0.5}, "recursion-mse", "step 0.5 > 1/(2L) = 0.351692"},
		{"never mixes", Setting{Problem: problem(t, instanceN), Sequence: sequence(t, 4, schedule.Round{LocalSteps: 1}), Step: 0.02}, "window-mse", "no block of at most two periods contracts"},
		{"not doubly stochastic", Setting{Problem: problem(t, two), Sequence: unbalanced}, "kernel-centroid", "the average is not preserved"},
	} {
		c.setting.At = []int{1}
		all, err := Evaluate(context.Background(), c.setting)
		if err != nil {
			t.Fatal(err)
		}
		if b := find(t, all, c.id); b.Applicable || !strings.Contains(b.Reason, c.want) || len(b.Points) != 0 {
			t.Errorf("%s: %+v, want the reason %q", c.name, b, c.want)
		}
	}
}

func TestVacuous(t *testing.T) {
	for _, c := range []struct {
		name    string
		text    string
		seq     *mixing.Sequence
		step    float64
		id      string
		vacuous bool
	}{
		{"settles at .29, above its start", instanceC, ring(t, 4, 1), 0.1, "recursion-centroid", false},
		{"settles", instanceN, ring(t, 4, 1), 0.02, "recursion-centroid", false},
		{"the 2×2 system is unstable", instanceC, ring(t, 4, 1), 0.2, "recursion-centroid", true},
		{"settles", instanceN, ring(t, 4, 1), 0.1, "kernel-centroid", false},
		{"settles by products alone", instanceN, lazyMatchings(t), 0.02, "kernel-centroid", false},
		{"step above 2/L", instanceN, ring(t, 4, 1), 3, "kernel-centroid", true},
		{"never mixes", instanceN, sequence(t, 4, schedule.Round{LocalSteps: 1}), 0.3, "kernel-centroid", true},
	} {
		all, err := Evaluate(context.Background(), Setting{Problem: problem(t, c.text), Sequence: c.seq, Step: c.step, At: []int{4000, 8000}})
		if err != nil {
			t.Fatal(err)
		}
		b := find(t, all, c.id)
		if b.Vacuous != c.vacuous {
			t.Errorf("%s (step %g): vacuous is %v", c.name, c.step, b.Vacuous)
		}
		// Close to rounding, or without limit.
		if grew := b.Points[1].Value > b.Points[0].Value*(1+1e-6) || b.Points[1].Value == math.MaxFloat64; grew != c.vacuous {
			t.Errorf("%s (step %g): goes from %g to %g, vacuous %v", c.name, c.step, b.Points[0].Value, b.Points[1].Value, b.Vacuous)
		}
	}
}

func TestScale(t *testing.T) {
	s := Setting{Problem: problem(t, instanceN), Sequence: ring(t, 4, 1), At: []int{3}}
	whole, err := Evaluate(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	s.Scale = 0.25
	part, err := Evaluate(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		if !whole[i].Applicable {
			continue
		}
		for k, p := range part[i].Points {
			if p.Value != whole[i].Points[k].Value/4 {
				t.Errorf("%s: %g of %g", whole[i].ID, p.Value, whole[i].Points[k].Value)
			}
		}
		if v := part[i].Value; v != nil && *v != *whole[i].Value/4 {
			t.Errorf("%s: %g of %g", whole[i].ID, *v, *whole[i].Value)
		}
	}
}

// TestTailOfProductsIsKept checks that ending the table of products early changes a bound by no more than rounding,
// and never downwards.
func TestTailOfProductsIsKept(t *testing.T) {
	s, err := newSetup(context.Background(), Setting{Problem: problem(t, instanceN), Sequence: lazyMatchings(t), Step: 0.02, At: []int{2000}})
	if err != nil {
		t.Fatal(err)
	}
	short, long := s.newKernel(productForm), s.newKernel(productForm)
	for u := range long.rho.table { // a table for the whole horizon
		for k := short.rho.length() + 1; k <= 2000; k++ {
			long.rho.table[u] = append(long.rho.table[u], long.rho.at(u, 2)*long.rho.at(u+2, k-2))
		}
	}
	if short.rho.length() >= 2000 {
		t.Fatal("the table is not cut")
	}
	for now := range 2000 {
		short.round(now)
		long.round(now)
	}
	if a, b := short.consensus(), long.consensus(); a < b*(1-1e-14) || a > b*(1+1e-9) {
		t.Errorf("cut table %.17g, whole table %.17g", a, b)
	}
}

func BenchmarkEvaluate(b *testing.B) {
	q := problem(b, instanceN)
	seq := lazyMatchings(b)
	for b.Loop() {
		if _, err := Evaluate(context.Background(), Setting{Problem: q, Sequence: seq, Step: 0.02, At: []int{5000}}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestWeightedGuarantees: with island weights, norms and averages are the weighted ones.
func TestWeightedGuarantees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 5).Draw(t, "n")
		q := *randomProblem(t, n, rapid.IntRange(1, 2).Draw(t, "d"))
		w, sum := make([]float64, n), 0.0
		for i := range w {
			w[i] = rapid.Float64Range(0.1, 1).Draw(t, "weight")
			sum += w[i]
		}
		for i := range w {
			w[i] /= sum
		}
		q.Weights = w
		weighted, err := gossip.NewQuadratic(q)
		if err != nil {
			t.Fatal(err)
		}
		// The reversible chain on a ring with these weights: flows min(w_i, w_j)/3.
		r := schedule.Round{LocalSteps: rapid.IntRange(1, 3).Draw(t, "h")}
		own := make([]float64, n)
		for i := range n {
			own[i] = 1
		}
		for i := range n {
			if j := (i + 1) % n; n > 2 || i == 0 {
				flow := min(w[i], w[j]) / 3
				r.Entries = append(r.Entries, schedule.Edge{I: i, J: j, Weight: flow / w[i]}, schedule.Edge{I: j, J: i, Weight: flow / w[j]})
				own[i] -= flow / w[i]
				own[j] -= flow / w[j]
			}
		}
		for i, v := range own {
			r.Entries = append(r.Entries, schedule.Edge{I: i, J: i, Weight: v})
		}
		seq, err := mixing.New(&schedule.Schedule{Name: "weighted", N: n, Rounds: []schedule.Round{r}})
		if err != nil {
			t.Fatal(err)
		}
		at := []int{0, 1, 2, 5, 20, 200}
		step := rapid.Float64Range(0.01, 0.3).Draw(t, "step")
		exact, err := gossip.Exact(context.Background(), weighted, seq, gossip.ExactOptions{Step: step, At: at})
		if err != nil {
			t.Fatal(err)
		}
		all, err := Evaluate(context.Background(), Setting{Problem: weighted, Sequence: seq, Step: step, At: at})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range all {
			if b.Kind != Guarantee {
				continue
			}
			for i, p := range b.Points {
				e := exact.Points[i]
				value, ok := map[string]float64{"centroid": e.Centroid, "consensus": e.Consensus, "mse": e.MSE}[b.Quantity]
				if !ok {
					break
				}
				if p.Value < value-1e-12*(e.MSE+1) {
					t.Fatalf("%s at t=%d is %g, exact %g", b.ID, p.T, p.Value, value)
				}
			}
		}
	})
}

func TestSizeLimit(t *testing.T) {
	seq := &mixing.Sequence{N: maxNodes + 1}
	q, err := gossip.LoadProblem("quadratic:d=1", seq.N)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Evaluate(context.Background(), Setting{Problem: q, Sequence: seq, At: []int{1}}); err == nil || !strings.Contains(err.Error(), "at most 5000") {
		t.Errorf("error %v", err)
	}
}
