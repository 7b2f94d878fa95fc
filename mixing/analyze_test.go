package mixing

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/islandsgd/islands/schedule"
)

func cliqueSchedule(n int, rounds ...[][]int) *schedule.Schedule {
	s := &schedule.Schedule{N: n}
	for _, c := range rounds {
		s.Rounds = append(s.Rounds, schedule.Round{LocalSteps: 1, Cliques: c})
	}
	return s
}

func matrixSchedule(rows [][]float64) *schedule.Schedule {
	r := schedule.Round{LocalSteps: 1}
	for i, row := range rows {
		for j, v := range row {
			if v != 0 {
				r.Entries = append(r.Entries, schedule.Edge{I: i, J: j, Weight: v})
			}
		}
	}
	return &schedule.Schedule{N: len(rows), Rounds: []schedule.Round{r}}
}

// ringMatchings alternates the two perfect matchings of an even ring.
func ringMatchings(n int) *schedule.Schedule {
	var a, b [][]int
	for i := 0; i < n; i += 2 {
		a, b = append(a, []int{i, i + 1}), append(b, []int{i + 1, (i + 2) % n})
	}
	return cliqueSchedule(n, a, b)
}

// Ring of even n, two matchings: norm cos(2π/n), radius cos²(2π/n).
func TestTwoMatchings(t *testing.T) {
	for _, n := range []int{6, 8, 10, 80} {
		r := report(t, ringMatchings(n))
		c := math.Cos(2 * math.Pi / float64(n))
		near(t, "norm", r.PeriodNorm, c, 1e-9)
		near(t, "radius", r.PeriodRadius, c*c, 1e-9)
		near(t, "rate", r.RatePerRound, c, 1e-9)
		if n <= 8 { // beyond, three rounds have a smaller tau/p
			near(t, "p", r.P, 1-c*c, 1e-9)
		}
		if (n <= 8) != (*r.Tau == 2) || r.SLEM != nil || r.Sigma2 != nil || r.SpectralGap != nil {
			t.Errorf("n=%d: %+v", n, r)
		}
	}
	r := report(t, ringMatchings(6)) // p of tau = 1, 2, 3, 4: 0, .75, .9375, .984375
	for i, norm := range []float64{1, .5, .25, .125} {
		if math.Abs(r.PrefixNorms[i]-norm) > 1e-12 {
			t.Errorf("prefix norms %v", r.PrefixNorms)
		}
	}
	if r := report(t, ringMatchings(4)); *r.ExactAfter != 2 || r.ExactProof != "rational arithmetic" || *r.PeriodRadius != 0 {
		t.Errorf("ring of 4: %+v", r)
	}
}

// A path of three, averaging (2,3) and then (1,2): norm and radius of a product differ.
func TestPathOfThree(t *testing.T) {
	r := report(t, cliqueSchedule(3, [][]int{{1, 2}}, [][]int{{0, 1}}))
	near(t, "norm", r.PeriodNorm, .5, 1e-12)
	near(t, "radius", r.PeriodRadius, .25, 1e-12)
	if r.ExactAfter != nil || !strings.HasPrefix(r.ExactReason, "never: 3 divides n = 3") {
		t.Errorf("exact after %v: %q", r.ExactAfter, r.ExactReason)
	}
}

// Doubly stochastic but not symmetric: |λ_2| = .5, ‖B-J‖ = .683.
func TestNotSymmetric(t *testing.T) {
	r := report(t, matrixSchedule([][]float64{{.5, .5, 0}, {.25, .5, .25}, {.25, 0, .75}}))
	near(t, "slem", r.SLEM, .5, 1e-9)
	near(t, "sigma2", r.Sigma2, .683012702, 1e-9)
	near(t, "gap", r.SpectralGap, 1-.683012702, 1e-9)
	if !r.DoublyStochastic || r.Symmetric || !r.Nonnegative {
		t.Errorf("%+v", r)
	}
	one := analyze(t, "one-way-ring:n=8")
	near(t, "one-way ring", one.Sigma2, math.Cos(math.Pi/8), 1e-12)
}

// Kirkman's fifteen: any two classes 2/3; the prefix norms were computed independently.
func TestKirkman(t *testing.T) {
	r := analyze(t, "rotating-cliques:k=3,n=15")
	for i, want := range []float64{1, .666667, .359563109, .122272602, .039951457, .008230453, .004439051} {
		if math.Abs(r.PrefixNorms[i]-want) > 1e-6 {
			t.Errorf("prefix %d: %v, want %v", i+1, r.PrefixNorms[i], want)
		}
	}
	if r.ExactAfter != nil || !strings.Contains(r.ExactReason, "5 divides n = 15") {
		t.Errorf("exact after %v: %q", r.ExactAfter, r.ExactReason)
	}
	if *r.PairsMet != 105 || r.Pairs != 105 || *r.PairsPerRound != 15 || !r.ConnectedOverPeriod {
		t.Errorf("%d of %d pairs, %v per round", *r.PairsMet, r.Pairs, *r.PairsPerRound)
	}
}

// One-peer exponential graphs: exact after log2 n for powers of two, else only asymptotic.
func TestOnePeerExponential(t *testing.T) {
	for n, want := range map[int]float64{6: .216506351, 7: .125, 12: .209129076, 8: 0, 16: 0} {
		r := analyze(t, fmt.Sprintf("one-peer-exponential:n=%d", n))
		if got := r.PrefixNorms[r.Period-1]; math.Abs(got-want) > 1e-8 {
			t.Errorf("n=%d: %v, want %v", n, got, want)
		}
		if (r.ExactAfter != nil) != (want == 0) || want == 0 && *r.ExactAfter != r.Period {
			t.Errorf("n=%d: exact after %v", n, r.ExactAfter)
		}
	}
	near(t, "dobrushin n=6", analyze(t, "one-peer-exponential:n=6").Dobrushin, .25, 1e-12)
}

// Affine geometries average in as many rounds as directions span the space, and hyper-hypercubes in one per factor.
func TestExactFamilies(t *testing.T) {
	for line, want := range map[string]int{
		"rotating-cliques:k=4,n=16": 2, "rotating-cliques:k=3,n=27": 3, "rotating-cliques:k=2,n=2": 1,
		"hyper-hypercube:k=3,n=4": 1, "hyper-hypercube:k=2,n=12": 3, "one-peer-hypercube:n=32": 5,
		"hierarchical:groups=3,n=9": 2, "hierarchical:groups=3,inner=3,outer=0,n=9": 0, "allreduce:n=7": 1, "complete:n=6": 1, "local:n=3": 0, "local:n=1": 1,
	} {
		r := analyze(t, line)
		got := 0
		if r.ExactAfter != nil {
			got = *r.ExactAfter
		}
		if got != want {
			t.Errorf("%s: exact after %d, want %d (%s)", line, got, want, r.ExactReason)
		}
	}
}

// Dobrushin coefficients of powers of ring 6.
func TestDobrushin(t *testing.T) {
	w := sequence(t, load(t, "ring:n=6")).Steps[0].W.Dense()
	power := mat.DenseCopyOf(w)
	for k, want := range []float64{1, .555555556, .407407407} {
		if got := Dobrushin(power); math.Abs(got-want) > 1e-9 {
			t.Errorf("power %d: %v, want %v", k+1, got, want)
		}
		next := mat.NewDense(6, 6, nil)
		next.Mul(w, power)
		power = next
	}
}

// An adversary can repeat one matching for ever; of lazy rings it can only take the slowest.
func TestJointRadius(t *testing.T) {
	if j := report(t, ringMatchings(6)).JointRadius; j == nil || math.Abs(j.Lower-1) > 1e-9 || math.Abs(j.Upper-1) > 1e-9 {
		t.Errorf("matchings: %+v", j)
	}
	s := load(t, "ring:n=6")
	s.Rounds = append(s.Rounds, load(t, "complete:n=6,lazy=0.5").Rounds...)
	if j := report(t, s).JointRadius; j == nil || math.Abs(j.Lower-2.0/3) > 1e-9 || math.Abs(j.Upper-2.0/3) > 1e-9 {
		t.Errorf("symmetric: %+v", j)
	}
	b := report(t, &schedule.Schedule{N: 3, Rounds: append(
		matrixSchedule([][]float64{{.5, .5, 0}, {.25, .5, .25}, {.25, 0, .75}}).Rounds,
		matrixSchedule([][]float64{{.75, .25, 0}, {.25, .25, .5}, {0, .5, .5}}).Rounds...)}).JointRadius
	if b == nil || b.Lower > b.Upper || b.Upper >= .75 || b.Lower < .5 {
		t.Errorf("two matrices: %+v", b)
	}
}

// Effective neighbors (Vogels, Hendrikx, Jaggi 2022), computed independently.
func TestEffectiveNeighbors(t *testing.T) {
	for _, c := range []struct {
		line        string
		gamma, want float64
	}{
		{"ring:n=8", 0, 3}, {"ring:n=8", .5, 3.715005035}, {"ring:n=8", .9, 5.919786096}, {"ring:n=8", .99, 7.690644932}, {"ring:n=8", .999, 7.967472823},
		{"ring:n=16", .9, 6.601096288}, {"ring:n=32", .99, 17.075527016}, {"exponential:n=16", .9, 12.492139149},
		{"hypercube:n=16", .99, 15.501883961}, {"torus:rows=3,columns=3", .9, 8.246562200}, {"path:n=5", 0, 2.368421053}, {"path:n=5", .99, 4.827908632},
		{"one-peer-exponential:n=8", .5, 2.909090909}, {"one-peer-exponential:n=8", .9, 5.755395683}, {"one-peer-exponential:n=8", .99, 7.693047408},
		{"complete:n=16", .9, 16}, {"local:n=4", .9, 1},
	} {
		seq := sequence(t, load(t, c.line))
		r, err := Analyze(context.Background(), seq, Options{Gammas: []float64{c.gamma}})
		if err != nil {
			t.Fatal(err)
		}
		near(t, fmt.Sprintf("%s gamma %v", c.line, c.gamma), r.EffectiveNbrs[0].Mean, c.want, 1e-8)
		// The closed form of transitive graphs is the covariance's.
		for _, stochastic := range []bool{false, true} {
			cov, ok := seq.covariance(c.gamma, stochastic)
			e := Effective{Gamma: c.gamma}
			if e.set(diagonal(cov)); !ok || math.Abs(*e.Mean-c.want) > 1e-8 || *e.Worst > *e.Mean+1e-9 {
				t.Errorf("%s gamma %v: covariance gives %v, worst %v", c.line, c.gamma, *e.Mean, *e.Worst)
			}
		}
	}
	// Random: one outcome is no different from a period of one; a random matching from its enumeration.
	s := load(t, "random-matching:n=6")
	closed, _ := Analyze(context.Background(), sequence(t, s), Options{Gammas: []float64{.9}})
	s.Random.Exchangeable = false
	listed, _ := Analyze(context.Background(), sequence(t, s), Options{Gammas: []float64{.9}})
	near(t, "random matching", listed.EffectiveNbrs[0].Mean, *closed.EffectiveNbrs[0].Mean, 1e-9)
}

// Row-stochastic ring of four with π = (.4, .3, .2, .1).
func TestStationary(t *testing.T) {
	r := report(t, matrixSchedule([][]float64{{2.0 / 3, .25, 0, 1.0 / 12}, {1.0 / 3, 4.0 / 9, 2.0 / 9, 0}, {0, 1.0 / 3, .5, 1.0 / 6}, {1.0 / 3, 0, 1.0 / 3, 1.0 / 3}}))
	for i, want := range []float64{.4, .3, .2, .1} {
		if math.Abs(r.Stationary[i]-want) > 1e-12 {
			t.Fatalf("stationary %v", r.Stationary)
		}
	}
	near(t, "factor", r.StationaryFactor, .590823201, 1e-9)
	near(t, "slem", r.SLEM, .590823201, 1e-9)
	if r.DoublyStochastic || r.P != nil || len(r.Warnings) == 0 {
		t.Errorf("%+v", r)
	}
}

func TestPeriodicEigenvalue(t *testing.T) {
	if r := analyze(t, "ring:n=6,weights=max-degree"); !r.Periodic {
		t.Error("eigenvalue -1 goes unnoticed")
	}
	if r := analyze(t, "ring:n=6"); r.Periodic {
		t.Error("a lazy ring is not periodic")
	}
}

// Large schedules lose what is dense, never the rest, and say so.
func TestLargeAnalysis(t *testing.T) {
	r := analyze(t, "base:k=2,n=1100")
	if r.ExactAfter != nil || r.PeriodRadius != nil || len(r.Warnings) < 3 || len(r.PrefixNorms) != 2*r.Period || r.PrefixNorms[r.Period-1] > 1e-7 {
		t.Errorf("warnings %q, prefix norms %v", r.Warnings, r.PrefixNorms)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
	// Translations of the plane leave every class as it is: all is known in closed form.
	r = analyze(t, "rotating-cliques:k=37,n=1369")
	if r.ExactAfter == nil || *r.ExactAfter != 2 || len(r.Warnings) > 0 || *r.Tau != 2 || *r.PeriodRadius != 0 || *r.EffectiveNbrs[0].Worst < 37 {
		t.Errorf("affine plane of order 37: %q, exact after %v", r.Warnings, r.ExactAfter)
	}
	r = analyze(t, "one-peer-exponential:n=4096")
	if r.ExactAfter == nil || *r.ExactAfter != 12 {
		t.Errorf("one-peer exponential of 4096: exact after %v (%s)", r.ExactAfter, r.ExactReason)
	}
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Analyze(ctx, sequence(t, load(t, "round-robin:n=30")), Options{}); err == nil {
		t.Error("not interrupted")
	}
	if _, err := Analyze(context.Background(), sequence(t, load(t, "ring:n=3")), Options{Gammas: []float64{1}}); err == nil {
		t.Error("gamma 1 accepted")
	}
}

// drawMatrix is a doubly stochastic matrix: a mixture of permutations.
func drawMatrix(t *rapid.T, n int) *schedule.Schedule {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, n)
	}
	k := rapid.IntRange(1, 4).Draw(t, "permutations")
	for range k {
		p := rapid.Permutation(span(n)).Draw(t, "permutation")
		for i, j := range p {
			rows[i][j] += 1 / float64(k)
		}
	}
	return matrixSchedule(rows)
}

func span(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// What holds of any sequence of doubly stochastic matrices.
func TestReportInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 8).Draw(t, "n")
		s := &schedule.Schedule{N: n}
		for range rapid.IntRange(1, 3).Draw(t, "period") {
			s.Rounds = append(s.Rounds, drawMatrix(t, n).Rounds...)
		}
		seq, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Analyze(context.Background(), seq, Options{})
		if err != nil {
			t.Fatal(err)
		}
		const eps = 1e-9
		if !r.DoublyStochastic || !r.Nonnegative {
			t.Fatal("a mixture of permutations is doubly stochastic")
		}
		if *r.PeriodRadius > *r.PeriodNorm+1e-6 || *r.PeriodNorm > 1+eps {
			t.Fatalf("radius %v, norm %v", *r.PeriodRadius, *r.PeriodNorm)
		}
		for i := 1; i < len(r.PrefixNorms); i++ {
			if r.PrefixNorms[i] > r.PrefixNorms[i-1]+eps {
				t.Fatalf("prefix norms grow: %v", r.PrefixNorms)
			}
		}
		if r.P != nil && (*r.P > 1+eps || *r.P <= 0 || *r.Tau > 2*r.Period) {
			t.Fatalf("p %v, tau %d", *r.P, *r.Tau)
		}
		if !r.ConnectedOverPeriod && (r.P != nil || *r.PeriodNorm < 1-eps) {
			t.Fatalf("not connected, but contracts")
		}
		if r.ExactAfter != nil && *r.PeriodRadius != 0 && r.Period > 1 {
			t.Fatalf("exact, but radius %v", *r.PeriodRadius)
		}
		for _, e := range r.EffectiveNbrs {
			if *e.Mean < 1-eps || *e.Mean > float64(n)+eps || *e.Worst > *e.Mean+eps {
				t.Fatalf("effective neighbors %v, worst %v", *e.Mean, *e.Worst)
			}
		}
		if j := r.JointRadius; j != nil && (j.Lower > j.Upper+eps || *r.RatePerRound > j.Upper+1e-4) {
			t.Fatalf("joint %+v, rate %v", *j, *r.RatePerRound)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Fatal(err)
		}
		// Sparse and dense application agree, and so do norms by either way.
		phi := seq.phase(0)
		if got, want := operatorNorm(newBlock(seq.matrices())), spectralNorm(minusJ(phi)); math.Abs(got-want) > 1e-7 {
			t.Fatalf("norm by Lanczos %v, by singular values %v", got, want)
		}
	})
}
