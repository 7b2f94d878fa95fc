package mixing

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/schedule"
)

// One outcome that is not symmetric: p and rate are those of the matrix, p from its norm, the rate its radius squared.
func TestExpectedOfOneMatrix(t *testing.T) {
	s := matrixSchedule([][]float64{{.5, .5, 0}, {.25, .5, .25}, {.25, 0, .75}})
	single := report(t, s)
	s.Random = &schedule.Random{LocalSteps: 1, Outcomes: []schedule.Outcome{{Probability: 1, Round: s.Rounds[0]}}}
	s.Rounds = nil
	r := report(t, s)
	near(t, "p", r.Expected.P, 1-*single.Sigma2**single.Sigma2, 1e-12)
	near(t, "rate", r.Expected.Rate, .25, 1e-9)
	near(t, "effective neighbors", r.EffectiveNbrs[0].Mean, *single.EffectiveNbrs[0].Mean, 1e-9)
	seq := sequence(t, s)
	if w := seq.Random.Draw(rand.New(rand.NewPCG(1, 1))); !mat.Equal(w.Dense(), seq.Random.Outcomes[0].W.Dense()) {
		t.Error("the only outcome is not drawn")
	}
}

// Draws have the frequencies of their probabilities.
func TestDraw(t *testing.T) {
	s := cliqueSchedule(3)
	s.Random = &schedule.Random{LocalSteps: 1}
	for _, p := range []float64{.1, .6, .3} {
		k := len(s.Random.Outcomes)
		s.Random.Outcomes = append(s.Random.Outcomes, schedule.Outcome{Probability: p, Round: schedule.Round{LocalSteps: 1, Cliques: [][]int{{k, (k + 1) % 3}}}})
	}
	seq, rng := sequence(t, s), rand.New(rand.NewPCG(1, 1))
	var count, rounds [3]int
	const draws = 30_000
	for range draws {
		w := seq.Random.Draw(rng)
		for k, o := range seq.Random.Outcomes {
			if o.W == w {
				count[k]++
			}
		}
		rounds[s.Random.Draw(rng).Cliques[0][0]]++
	}
	for k, o := range s.Random.Outcomes {
		for _, c := range [][3]int{count, rounds} {
			if math.Abs(float64(c[k])/draws-o.Probability) > 0.015 { // five standard errors
				t.Errorf("outcome %d drawn %d times of %d, probability %v", k, c[k], draws, o.Probability)
			}
		}
	}
}

// MATCHA's draws have the mean that its closed form says.
func TestMatchaDraws(t *testing.T) {
	s := load(t, "matcha:graph=star,n=16,budget=0.4") // 15 matchings: too many subsets to list
	seq := sequence(t, s)
	if seq.Random.Outcomes != nil {
		t.Fatal("2^15 outcomes listed")
	}
	rng := rand.New(rand.NewPCG(2, 1))
	sum := mat.NewDense(16, 16, nil)
	const draws = 5_000
	for range draws {
		addScaled(sum, 1.0/draws, seq.Random.Draw(rng).Dense())
	}
	if !mat.EqualApprox(sum, seq.Random.Mean.Dense(), 0.15) { // the hub's entry varies most
		t.Errorf("mean of draws\n%v\nwant\n%v", mat.Formatted(sum), mat.Formatted(seq.Random.Mean.Dense()))
	}
	if !seq.Random.Mean.DoublyStochastic() {
		t.Error("E[W] is not doubly stochastic")
	}
}

// Exactness is decided by fractions: weights so close to 1/2 that every entry is within tolerance are not exact.
func TestExactness(t *testing.T) {
	pair := func(w float64) *Sequence {
		return sequence(t, &schedule.Schedule{N: 2, Rounds: []schedule.Round{
			{LocalSteps: 1, Edges: []schedule.Edge{{I: 0, J: 1, Weight: w}}}, {LocalSteps: 1, Edges: []schedule.Edge{{I: 0, J: 1, Weight: w}}}}})
	}
	if x := exactPrefix(context.Background(), pair(.5), 4); x.after != 1 || x.how != "rational arithmetic" {
		t.Errorf("1/2: %+v", x)
	}
	// W - J has the eigenvalue 1 - 2w = 1/50000: squared below the tolerance, never 0.
	if x := exactPrefix(context.Background(), pair(49999.0/100000), 10); x.after != 0 || x.reason != "not within 10 rounds, in rational arithmetic" {
		t.Errorf("49999/100000: %+v", x)
	}
	// No fraction of small denominator: judged by tolerance.
	if x := exactPrefix(context.Background(), pair(.5-1.23456789e-6), 4); x.after != 2 || x.how != "within 1e-9" {
		t.Errorf("decimal: %+v", x)
	}
	if x := exactPrefix(context.Background(), pair(math.Pi/8), 4); x.after != 0 || x.reason != "not within 4 rounds and 1e-9" {
		t.Errorf("pi/8: %+v", x)
	}
}

func TestAsFraction(t *testing.T) {
	for _, c := range []struct {
		v        float64
		num, den int64
	}{{0, 0, 1}, {1, 1, 1}, {.5, 1, 2}, {1.0 / 3, 1, 3}, {-2.0 / 7, -2, 7}, {1 - 2.0/3, 1, 3}, {99999.0 / 100000, 99999, 100000}, {12.25, 49, 4}} {
		if num, den, ok := asFraction(c.v); !ok || num != c.num || den != c.den {
			t.Errorf("%v read as %d/%d, %v", c.v, num, den, ok)
		}
	}
	for _, v := range []float64{math.Pi / 4, math.Sqrt2, .3333333333, math.NaN(), math.Inf(1)} {
		if num, den, ok := asFraction(v); ok {
			t.Errorf("%v read as %d/%d", v, num, den)
		}
	}
}

// Lazy factors of every kind of round, and Explicit's promise that only cliques keep theirs.
func TestLazy(t *testing.T) {
	for _, line := range []string{"one-way-ring:n=5,lazy=0.25", "ring:n=5,lazy=0.25", "allreduce:n=5,lazy=0.25", "rotating-cliques:k=2,n=4,lazy=0.25"} {
		s := load(t, line)
		out, err := Explicit(s)
		if err != nil {
			t.Fatal(err)
		}
		for i := range out.Rounds {
			if r := &out.Rounds[i]; r.Rule != "" || r.Lazy != 0 && !r.IsCliques() {
				t.Errorf("%s: %+v is not explicit", line, r)
			}
		}
		lazy := sequence(t, out).Steps[0].W
		for i := range s.Rounds {
			s.Rounds[i].Lazy = 0
		}
		plain := sequence(t, s).Steps[0].W.Dense()
		want := mat.NewDense(s.N, s.N, nil)
		want.Scale(.25, plain)
		addScaled(want, .75, identity(s.N))
		if !mat.EqualApprox(lazy.Dense(), want, 1e-15) {
			t.Errorf("%s: %v", line, mat.Formatted(lazy.Dense()))
		}
		x := make([]float64, 2*s.N)
		pseudoRandom(x)
		got, product := mat.NewDense(s.N, 2, nil), mat.NewDense(s.N, 2, nil)
		lazy.LeftMul(got, mat.NewDense(s.N, 2, x))
		product.Mul(want, mat.NewDense(s.N, 2, x))
		if !mat.EqualApprox(got, product, 1e-14) {
			t.Errorf("%s: applied %v, want %v", line, got, product)
		}
	}
	s := load(t, "base:k=1,n=5")
	if out, err := Explicit(s); err != nil || out != s {
		t.Error("an explicit schedule is returned as it is")
	}
}

// LeftMul works on views, whose rows are not contiguous.
func TestLeftMulOfViews(t *testing.T) {
	w := sequence(t, load(t, "ring:n=4")).Steps[0].W
	big, out := mat.NewDense(4, 6, nil), mat.NewDense(4, 6, nil)
	pseudoRandom(big.RawMatrix().Data)
	view := big.Slice(0, 4, 1, 4).(*mat.Dense)
	w.LeftMul(out.Slice(0, 4, 2, 5).(*mat.Dense), view)
	want := mat.NewDense(4, 3, nil)
	want.Mul(w.Dense(), view)
	if !mat.EqualApprox(out.Slice(0, 4, 2, 5), want, 1e-15) {
		t.Error("views are multiplied wrongly")
	}
	if w.N() != 4 {
		t.Error("wrong size")
	}
}

// The norm of a dense product, at sizes on both sides of the change of method.
func TestDisagreementNorm(t *testing.T) {
	for _, n := range []int{20, 90} {
		w := sequence(t, graphSchedule(n, randomGraph(n, 2*n, 3), "metropolis")).Steps[0].W.Dense()
		var svd mat.SVD
		svd.Factorize(minusJ(w), mat.SVDNone)
		if got, want := DisagreementNorm(w), svd.Values(nil)[0]; math.Abs(got-want) > 1e-9 {
			t.Errorf("n=%d: %v, want %v", n, got, want)
		}
	}
}
