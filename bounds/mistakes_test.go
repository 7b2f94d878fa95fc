package bounds

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

// Twenty mistakes that are easily made with decentralized SGD, and numbers that tell them from the right thing. The
// numbers are closed forms or come from independent computations in float64.

// load returns the mixing of a schedule line.
func load(t *testing.T, line string) *mixing.Sequence {
	t.Helper()
	s, err := schedule.Load(line, schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	seq, err := mixing.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

func report(t *testing.T, seq *mixing.Sequence) *mixing.Report {
	t.Helper()
	r, err := mixing.Analyze(context.Background(), seq, mixing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func evaluate(t *testing.T, s Setting) []Bound {
	t.Helper()
	all, err := Evaluate(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func exact(t *testing.T, s Setting) *gossip.ExactResult {
	t.Helper()
	r, err := gossip.Exact(context.Background(), s.Problem, s.Sequence, gossip.ExactOptions{Algorithm: s.Algorithm, Step: s.Step, At: s.At})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// near compares with a reference of so many decimals as it shows, some 1e-8 of it.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 2e-8*max(1e-3, math.Abs(want)) {
		t.Errorf("%s = %.10g, want %.10g", what, got, want)
	}
}

// matchings are rounds of pairs with weight 1/2, each round one clique list.
func matchings(t *testing.T, n int, rounds ...[][]int) *mixing.Sequence {
	t.Helper()
	var out []schedule.Round
	for _, cliques := range rounds {
		out = append(out, schedule.Round{LocalSteps: 1, Cliques: cliques})
	}
	return sequence(t, n, out...)
}

var pathOfThree = [][][]int{{{1, 2}}, {{0, 1}}}

func TestMistake01GapFromTheSecondEigenvalueAlone(t *testing.T) {
	// Ring 4 with weights 1/2: eigenvalues 1, 0, 0, -1. 1 - λ₂ = 1, yet nothing converges.
	near(t, "‖W-J‖ of ring 4, max-degree", *report(t, load(t, "ring:n=4,weights=max-degree")).Sigma2, 1)
	near(t, "‖W-J‖ of path 4, best-constant", *report(t, load(t, "path:n=4,weights=best-constant")).Sigma2, math.Sqrt2/2)
	b := find(t, evaluate(t, Setting{Problem: problem(t, instanceC), Sequence: load(t, "ring:n=4,weights=max-degree"), Step: 0.1, At: []int{1}}), "recursion-mse")
	if b.Applicable || !strings.Contains(b.Reason, "p = 0") {
		t.Errorf("a bound that needs contraction was applied: %+v", b)
	}
}

func TestMistake02LambdaForItsSquare(t *testing.T) {
	r := report(t, load(t, "path:n=4"))
	near(t, "gap of path 4", *r.SpectralGap, .195262146)
	near(t, "p of path 4", *r.P, .352396986) // 1 - λ², not 1 - λ
	n, err := Setting{Problem: problem(t, instanceC), Sequence: load(t, "path:n=4"), Step: 0.1}.Numbers(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	near(t, "p that theorems are given", n.P, .352396986)
}

func TestMistake03EigenvaluesOfWhatIsNotSymmetric(t *testing.T) {
	seq := sequence(t, 3, schedule.Round{LocalSteps: 1, Entries: []schedule.Edge{{I: 0, J: 0, Weight: .5}, {I: 0, J: 1, Weight: .5}, {I: 1, J: 0, Weight: .25}, {I: 1, J: 1, Weight: .5},
		{I: 1, J: 2, Weight: .25}, {I: 2, J: 0, Weight: .25}, {I: 2, J: 2, Weight: .75}}})
	r := report(t, seq)
	near(t, "SLEM", *r.SLEM, .5)
	near(t, "‖B-J‖", *r.Sigma2, .683012702)
	q := "problem: quadratic\ncurvature: [1, 1, 1]\noptimum: [[0], [1], [2]]\n"
	c, err := newSetup(context.Background(), Setting{Problem: problem(t, q), Sequence: seq, Step: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "contraction in bounds", c.contract[0], .683012702)
	r = report(t, matchings(t, 3, pathOfThree...))
	near(t, "radius of a product of two symmetric matrices", *r.PeriodRadius, .25)
	near(t, "norm of the same", *r.PeriodNorm, .5)
}

func TestMistake04PowersOfTheAverageMatrix(t *testing.T) {
	s := &schedule.Schedule{Name: "either", N: 3, Random: &schedule.Random{LocalSteps: 1}}
	for _, cliques := range pathOfThree {
		s.Random.Outcomes = append(s.Random.Outcomes, schedule.Outcome{Probability: .5, Round: schedule.Round{LocalSteps: 1, Cliques: cliques}})
	}
	seq, err := mixing.New(s)
	if err != nil {
		t.Fatal(err)
	}
	mean := mat.DenseCopyOf(seq.Random.Mean.Dense())
	near(t, "‖E[W]-J‖²", square(mixing.DisagreementNorm(mean)), .5625)
	c, err := newSetup(context.Background(), Setting{Problem: problem(t, "problem: quadratic\ncurvature: [1, 1, 1]\noptimum: [[0], [1], [2]]\n"), Sequence: seq, Step: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "1-p in bounds", square(c.contract[0]), .75)
}

func TestMistake05ContractionOfSingleRounds(t *testing.T) {
	six := matchings(t, 6, [][]int{{0, 1}, {2, 3}, {4, 5}}, [][]int{{1, 2}, {3, 4}, {5, 0}})
	four := matchings(t, 4, [][]int{{0, 1}, {2, 3}}, [][]int{{1, 2}, {3, 0}})
	near(t, "p of ring 6 by matchings", *report(t, six).P, .75)
	near(t, "p of ring 4 by matchings", *report(t, four).P, 1)
	all := evaluate(t, Setting{Problem: problem(t, instanceC), Sequence: four, Step: 0.01, At: []int{1}})
	if find(t, all, "recursion-mse").Applicable || !find(t, all, "window-mse").Applicable || !find(t, all, "kernel-mse").Applicable {
		t.Error("matchings are for windows and kernels, not for one-step recursions")
	}
	if d := find(t, all, "window-mse").Detail; !strings.Contains(d, "p = 1 over τ = 2 local steps") {
		t.Errorf("window: %s", d)
	}
}

func TestMistake06PhaseOfTheWindow(t *testing.T) {
	// Three rounds: all blocks of one period contract by the same radius, their norms differ. The kernel takes the norm
	// of the product that begins where its step was taken.
	seq := sequence(t, 3,
		schedule.Round{LocalSteps: 1, Cliques: [][]int{{1, 2}}},
		schedule.Round{LocalSteps: 1, Cliques: [][]int{{0, 1}}},
		schedule.Round{LocalSteps: 1, Edges: []schedule.Edge{{I: 0, J: 2, Weight: .1}}})
	c, err := newSetup(context.Background(), Setting{Problem: problem(t, "problem: quadratic\ncurvature: [1, 1, 1]\noptimum: [[0], [1], [2]]\n"), Sequence: seq, Step: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	rho := c.newProducts(9)
	least, most := math.Inf(1), 0.0
	for u := range 3 {
		least, most = min(least, rho.at(u, 3)), max(most, rho.at(u, 3))
	}
	if most-least < 0.01 {
		t.Fatalf("the phases do not differ: %g to %g", least, most)
	}
	near(t, "norm of the worst phase", *report(t, seq).PeriodNorm, most)
	if b, ok := c.bestBlock(); !ok || b.rounds%3 == 0 && b.p > 1-rho.at(0, b.rounds)*rho.at(0, b.rounds)+1e-12 {
		t.Errorf("block %+v promises more than its own alignment", b)
	}
}

func TestMistake07NoisePerNodeOrPerCoordinateOrInTotal(t *testing.T) {
	q := *problem(t, instanceC)
	k := q.Constants()
	near(t, "σ²", k.Sigma2, .09) // not the mean of s_i, .045, nor their sum times d, .36
	q.Start = [][]float64{k.XStar, k.XStar, k.XStar, k.XStar}
	fromStar, err := gossip.NewQuadratic(q)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "centroid after one step from the optimum", exact(t, Setting{Problem: fromStar, Sequence: ring(t, 4, 1), Step: 0.1, At: []int{1}}).Points[0].Centroid, 2.25e-4)
}

func TestMistake08HeterogeneityAtTheOptimumOrEverywhere(t *testing.T) {
	n, err := Setting{Problem: problem(t, instanceC), Sequence: ring(t, 4, 1), Step: 0.1, Algorithm: gossip.Algorithm{Name: "dgd"}}.Numbers(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	near(t, "ζ*²", n.Zeta2, 1.85952257)
	if !math.IsInf(n.Uniform2, 1) {
		t.Errorf("the supremum over all x is %g, must be infinite: curvatures differ", n.Uniform2)
	}
	b := find(t, evaluate(t, Setting{Problem: problem(t, instanceC), Sequence: ring(t, 4, 1), Step: 1e-4, Algorithm: gossip.Algorithm{Name: "dgd"}, At: []int{100}}), "lian-gradient")
	if b.Applicable || !strings.Contains(b.Reason, "= ∞") {
		t.Errorf("a theorem that needs uniform heterogeneity: %+v", b)
	}
}

func TestMistake09NoiseOfTheMeanCountedAsDisagreement(t *testing.T) {
	c, err := newSetup(context.Background(), Setting{Problem: problem(t, instanceC), Sequence: ring(t, 4, 1), Step: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "noise that is disagreement / σ²", c.spread/c.constants.Sigma2, .75)
}

func TestMistake10OrdersOfOperation(t *testing.T) {
	for name, want := range map[string]float64{"atc": .003453509, "cta": .031081580, "dgd": .025087991} {
		s := Setting{Problem: problem(t, instanceC), Sequence: ring(t, 4, 1), Step: 0.1, Algorithm: gossip.Algorithm{Name: name}, At: []int{400}}
		got := exact(t, s).Stationary.Consensus
		if math.Abs(got-want) > 5e-9 {
			t.Errorf("%s: stationary consensus %.9f, want %.9f", name, got, want)
		}
		all := evaluate(t, s)
		if b := find(t, all, "best-consensus"); b.Points[0].Value < want {
			t.Errorf("%s: bound %g below its own limit", name, b.Points[0].Value)
		}
		if b := find(t, all, "recursion-consensus"); b.Applicable != (name == "atc") {
			t.Errorf("%s: a recursion for atc was applied: %v", name, b.Applicable)
		}
	}
}

func TestMistake11CurvatureOfTheAverageOrOfTheWorstIsland(t *testing.T) {
	k := problem(t, instanceC).Constants()
	for what, v := range map[string][2]float64{"μ of the average": {k.MeanMu, .15}, "least μ_i": {k.Mu, .1}, "L of the average": {k.MeanL, 1}, "largest L_i": {k.L, 1.5}} {
		near(t, what, v[0], v[1])
	}
}

func TestMistake12MetropolisWithAndWithoutOne(t *testing.T) {
	near(t, "ring 6, metropolis", *report(t, load(t, "ring:n=6")).Sigma2, 2./3)
	near(t, "ring 6, metropolis-hastings", *report(t, load(t, "ring:n=6,weights=metropolis-hastings")).Sigma2, 1)
}

func TestMistake13BestConstantFromTheLaplacian(t *testing.T) {
	seq := load(t, "ring:n=6,weights=best-constant")
	near(t, "weight", seq.Steps[0].W.Dense().At(0, 1), .4)
	near(t, "factor", *report(t, seq).Sigma2, .6)
}

func TestMistake14ClaimsOfExactness(t *testing.T) {
	r := report(t, load(t, "one-peer-exponential:n=6"))
	near(t, "‖Φ-J‖ of one-peer exponential, n = 6", r.PrefixNorms[2], .216506351)
	if r.ExactAfter != nil {
		t.Error("n = 6 is no power of two")
	}
	if r := report(t, load(t, "one-peer-exponential:n=8")); r.ExactAfter == nil || *r.ExactAfter != 3 {
		t.Error("n = 8 is exact after 3 rounds")
	}
	if r := report(t, load(t, "rotating-cliques:k=3,n=15")); r.ExactAfter != nil {
		t.Error("5 divides no power of 3: triples never average 15 nodes")
	}
	// A bound that believed in exactness would drop to the noise of one round; the product says how much is left.
	b := find(t, evaluate(t, Setting{Problem: parse(t, "quadratic:d=2", 6), Sequence: load(t, "one-peer-exponential:n=6"), At: []int{3}}), "product-contraction")
	near(t, "product-contraction after 3 rounds", b.Points[0].Value, square(.216506351))
}

func parse(t *testing.T, line string, n int) *gossip.Quadratic {
	t.Helper()
	q, err := gossip.ParseProblem(line, n)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestMistake15RoundsForSteps(t *testing.T) {
	r := exact(t, Setting{Problem: problem(t, instanceC), Sequence: ring(t, 4, 4), Step: 0.1, At: []int{1}})
	near(t, "radius per round, H = 4", *r.Radius, .941676050)
	near(t, "radius per step", math.Pow(*r.Radius, .25), .98508880)
	n, err := Setting{Problem: problem(t, instanceC), Sequence: ring(t, 4, 4), Step: 0.1, At: []int{10}}.Numbers(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if n.Tau != 4 || n.Steps != 40 {
		t.Errorf("τ = %g, T = %g: both must count local steps", n.Tau, n.Steps)
	}
}

func TestMistake16MidRoundForEndOfRound(t *testing.T) {
	// Step 7 of H = 4: one round and three steps, as a schedule that mixes in its first round only.
	mid := sequence(t, 4, schedule.Round{LocalSteps: 4, Edges: ring4Edges()}, schedule.Round{LocalSteps: 3})
	s := Setting{Problem: problem(t, instanceC), Sequence: mid, Step: 0.1, At: []int{2}}
	if got := exact(t, s).Points[0].Consensus; math.Abs(got-.176982758) > 5e-9 {
		t.Errorf("before the mixing: %.9f", got)
	}
	s.Sequence = ring(t, 4, 4)
	if got := exact(t, s).Points[0].Consensus; math.Abs(got-.028026835) > 5e-9 {
		t.Errorf("after it: %.9f", got)
	}
	// Statements about averages of iterates say so by their quantity and are no moments.
	for _, th := range Theorems() {
		if th.Quantity == Gap && strings.Contains(th.ID, "centroid") {
			t.Errorf("%s mixes up f - f* of an average with an iterate", th.ID)
		}
	}
}

func ring4Edges() []schedule.Edge {
	var out []schedule.Edge
	for i := range 4 {
		out = append(out, schedule.Edge{I: i, J: (i + 1) % 4, Weight: 1. / 3})
	}
	return out
}

func TestMistake17DelayedMixingWithoutDamping(t *testing.T) {
	for tau, want := range []float64{2, 1, .618033989, .445041868, .347296355, .284629677, .241073361} {
		near(t, "threshold", DelayThreshold(tau), want)
	}
	s := Setting{Problem: problem(t, instanceC), Sequence: ring(t, 4, 1), Step: 0.1, Algorithm: gossip.Algorithm{Name: "delayed", Delay: 1}, At: []int{1}}
	if b := find(t, evaluate(t, s), "delayed-threshold"); b.Applicable || !strings.Contains(b.Reason, "1-λ_min 1.33333 ≥ 2 sin(π/(2(2τ+1))) = 1") {
		t.Errorf("ring 4 diverges with τ = 1: %+v", b)
	}
	if r := exact(t, s); math.Abs(*r.Radius-1.154678888) > 1e-8 || r.Stable || r.Stationary != nil {
		t.Errorf("radius %g, stable %v", *r.Radius, r.Stable)
	}
	s.Sequence = load(t, "ring:n=4,lazy=0.5")
	if b := find(t, evaluate(t, s), "delayed-threshold"); !b.Applicable || *b.Value > 1+1e-12 {
		t.Errorf("damped by a half it is stable: %+v", b)
	}
}

func TestMistake18WeightedIslands(t *testing.T) {
	pi := []float64{.4, .3, .2, .1}
	r := schedule.Round{LocalSteps: 1}
	own := []float64{1, 1, 1, 1}
	for i := range 4 {
		for _, j := range []int{(i + 1) % 4, (i + 3) % 4} {
			w := min(pi[i], pi[j]) / 3 / pi[i]
			r.Entries = append(r.Entries, schedule.Edge{I: i, J: j, Weight: w})
			own[i] -= w
		}
		r.Entries = append(r.Entries, schedule.Edge{I: i, J: i, Weight: own[i]})
	}
	q := *problem(t, instanceC)
	q.Weights = pi
	weighted, err := gossip.NewQuadratic(q)
	if err != nil {
		t.Fatal(err)
	}
	s := Setting{Problem: weighted, Sequence: sequence(t, 4, r), Step: 0.1, At: []int{1, 10, 200}}
	c, err := newSetup(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "contraction in the π-norm", c.contract[0], .590823201)
	want := .4*.4*.08 + .3*.3*.02 + .2*.2*.18 + .1*.1*.08
	near(t, "noise of the weighted mean", c.constants.MeanNoise, want) // Σ π_i² tr N_i
	for i, e := range exact(t, s).Points {
		for _, g := range evaluate(t, s) {
			if g.Kind == Guarantee && g.Quantity == MSE && g.Applicable && g.Points[i].Value < e.MSE*(1-1e-9) {
				t.Errorf("%s at t=%d: %g below %g", g.ID, e.T, g.Points[i].Value, e.MSE)
			}
		}
	}
	// With the simple mean the same W is refused: it does not preserve it.
	s.Problem = problem(t, instanceC)
	if b := find(t, evaluate(t, s), "kernel-mse"); b.Applicable {
		t.Error("a chain with unequal stationary weights was taken for an average")
	}
}

func TestMistake19StepConditionsIgnored(t *testing.T) {
	for id, reason := range map[string]string{"koloskova-consensus": "cap p/(96√6 τL) = 0.00252", "recursion-mse": "1/(2L) = 0.333333"} {
		step := map[string]float64{"koloskova-consensus": 0.1, "recursion-mse": 0.34}[id]
		b := find(t, evaluate(t, Setting{Problem: problem(t, instanceC), Sequence: ring(t, 4, 1), Step: step, At: []int{1}}), id)
		if b.Applicable || len(b.Points) > 0 || !strings.Contains(b.Reason, reason) {
			t.Errorf("%s at step %g: %+v", id, step, b)
		}
	}
}

func TestMistake20TunedRatesAtAGivenStep(t *testing.T) {
	// A rate for a tuned step does not depend on the step given, and says that it chooses its own.
	small := evaluate(t, Setting{Problem: parse(t, "quadratic:d=3", 4), Sequence: ring(t, 4, 1), Step: 0.01, At: []int{100}})
	large := evaluate(t, Setting{Problem: parse(t, "quadratic:d=3", 4), Sequence: ring(t, 4, 1), Step: 0.2, At: []int{100}})
	tuned := 0
	for i := range small {
		if !small[i].Tuned || !small[i].Applicable {
			continue
		}
		tuned++
		if small[i].Kind == Guarantee {
			t.Errorf("%s: a tuned rate is no guarantee at a given step", small[i].ID)
		}
		if v := small[i].Value; v != nil && *v != *large[i].Value {
			t.Errorf("%s depends on the step given", small[i].ID)
		}
	}
	if tuned < 4 {
		t.Errorf("only %d tuned rates apply", tuned)
	}
	// f - f* against ‖x - x*‖², and ‖∇f‖ against its square: the quantity is part of every bound.
	for _, b := range small {
		if b.Quantity == "" || !strings.HasSuffix(b.ID, "-"+b.Quantity) && b.Quantity != StepSize {
			t.Errorf("%s does not say what it bounds (%q)", b.ID, b.Quantity)
		}
	}
}
