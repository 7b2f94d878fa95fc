package mixing

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/schedule"
)

func TestExpected(t *testing.T) {
	for _, c := range []struct {
		line    string
		p, rate float64 // closed forms; ring 4: enumerated independently in double precision
	}{
		{"random-matching:n=8", 1 - .428571428571429, .428571428571429},
		{"random-matching:n=4", 2.0 / 3, 1.0 / 3},
		{"random-edge:graph=complete,n=6", .2, -1},
		{"random-edge:graph=ring,n=4", .25, .695194102},
		{"random-edge:graph=torus,n=14400", torusLow(120) / (2 * 28800), -1},
		{"random-edge:graph=torus,n=14400,lazy=0.5", .75 * torusLow(120) / (2 * 28800), -1},
		{"random-edge:graph=torus,n=16,lazy=0.5", .75 * torusLow(4) / (2 * 32), -1},
		{"random-cliques:k=3,n=9", 1 - 6.0/(3*8), 6.0 / (3 * 8)},
		{"random-cliques:k=5,n=1000", 1 - 995.0/(5*999), 995.0 / (5 * 999)},
		{"matcha:graph=ring,n=6,budget=0.25", 1 - 6.0/7, -1},
		{"matcha:graph=ring,n=6,budget=0.5", 1 - 33.0/49, -1},
		{"matcha:graph=ring,n=6,budget=1", 1 - .36, .36},
	} {
		r := analyze(t, c.line)
		near(t, c.line+" p", r.Expected.P, c.p, 1e-8*math.Max(c.p, 1e-3))
		if c.rate >= 0 {
			near(t, c.line+" rate", r.Expected.Rate, c.rate, 1e-8)
		}
		if r.Expected.Rate != nil && *r.Expected.Rate > 1-*r.Expected.P+1e-9 {
			t.Errorf("%s: rate %v above 1-p", c.line, *r.Expected.Rate)
		}
		if seq := sequence(t, load(t, c.line)); seq.Random.Outcomes != nil { // pairs by structure and by listing
			seq.Random.pairsMean = 0
			listed, err := Analyze(context.Background(), seq, Options{})
			if err != nil {
				t.Fatal(err)
			}
			near(t, c.line+" pairs per round", r.PairsPerRound, *listed.PairsPerRound, 1e-9)
			if *r.PairsMet != *listed.PairsMet {
				t.Errorf("%s: %d pairs, listed %d", c.line, *r.PairsMet, *listed.PairsMet)
			}
		}
		if !r.DoublyStochastic || !r.ConnectedOverPeriod || r.SLEM != nil || r.PrefixNorms != nil {
			t.Errorf("%s: %+v", c.line, r)
		}
	}
}

// Two triangles and a bridge: values of an independent solution, right to 1e-9 in λ_2, which is flat at its maximum:
// the probabilities are then right to some 1e-6 (λ_2 at budget 0.6 is larger here, in its eleventh digit).
func TestMatchaBridge(t *testing.T) {
	matchings := [][]schedule.Edge{{{I: 0, J: 1}, {I: 2, J: 3}, {I: 4, J: 5}}, {{I: 0, J: 2}, {I: 3, J: 4}}, {{I: 1, J: 2}, {I: 3, J: 5}}}
	for _, c := range []struct {
		budget float64
		p      [3]float64
		step   float64
		rho    float64
	}{
		{.4, [3]float64{.552594884, .323702558, .323702558}, .543740993, .874758656},
		{.6, [3]float64{.828893617, .485553192, .485553192}, .467052491, .811080845},
		{1, [3]float64{1, 1, 1}, .4, .68},
	} {
		p, step, err := matcha(6, matchings, c.budget)
		if err != nil {
			t.Fatal(err)
		}
		for j := range p {
			if math.Abs(p[j]-c.p[j]) > 2e-6 {
				t.Errorf("budget %v: p = %v, want %v", c.budget, p, c.p)
			}
		}
		if math.Abs(step-c.step) > 2e-6 {
			t.Errorf("budget %v: step %v, want %v", c.budget, step, c.step)
		}
		s := &schedule.Schedule{N: 6, Random: &schedule.Random{LocalSteps: 1, Matchings: matchings, Budget: c.budget}}
		seq, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		second := mat.NewDense(6, 6, nil)
		seq.Random.adjoint(second, identity(6))
		if got := DisagreementNorm(second); math.Abs(got-c.rho) > 2e-7 {
			t.Errorf("budget %v: rho %v, want %v", c.budget, got, c.rho)
		}
		// The closed form is the sum over all subsets.
		listed := &Random{n: 6, Outcomes: seq.Random.Outcomes}
		all := mat.NewDense(6, 6, nil)
		listed.SecondMoment(all, identity(6))
		if !mat.EqualApprox(all, second, 1e-12) {
			t.Errorf("budget %v: closed form and enumeration differ", c.budget)
		}
	}
}

// Closed forms of exchangeable families against their own enumeration, and the sampler against both.
func TestExchangeable(t *testing.T) {
	for _, line := range []string{"random-matching:n=7", "random-cliques:k=3,n=8", "random-cliques:k=1,n=3", "random-cliques:k=4,n=5", "random-matching:n=2", "random-matching:n=3", "random-cliques:k=5,n=7,lazy=0.6", "random-cliques:k=3,n=3", "random-cliques:k=3,n=9,lazy=0.3"} {
		s, err := schedule.Load(line, schedule.Options{})
		if err != nil {
			t.Fatal(err)
		}
		seq, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		x := seq.Random
		listed := &Random{n: x.n, Outcomes: x.Outcomes}
		second := mat.NewDense(x.n, x.n, nil)
		listed.adjoint(second, identity(x.n))
		if got := DisagreementNorm(second); math.Abs(got-x.kept) > 1e-12 {
			t.Errorf("%s: enumerated %v, closed form %v", line, got, x.kept)
		}
		if got := listed.rate(); math.Abs(got-x.kept) > 1e-10 {
			t.Errorf("%s: enumerated rate %v, closed form %v", line, got, x.kept)
		}
		any := mat.NewDense(x.n, x.n, nil) // a symmetric matrix without structure
		for i := range x.n {
			for j := range i + 1 {
				v := math.Sin(float64(3*i*i + 7*j + 1))
				any.Set(i, j, v)
				any.Set(j, i, v)
			}
		}
		got, want := mat.NewDense(x.n, x.n, nil), mat.NewDense(x.n, x.n, nil)
		x.SecondMoment(got, any)
		listed.SecondMoment(want, any)
		if !mat.EqualApprox(got, want, 1e-12) {
			t.Errorf("%s: second moment\n%v\nenumerated\n%v", line, mat.Formatted(got), mat.Formatted(want))
		}
		mean := meanMatrix(x.n, x.Outcomes)
		if !mat.EqualApprox(mean.Dense(), x.Mean.Dense(), 1e-12) {
			t.Errorf("%s: E[W] differs", line)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		sum := mat.NewDense(x.n, x.n, nil)
		const draws = 20_000
		for range draws {
			round := s.Random.Draw(rng)
			addScaled(sum, 1.0/draws, fromRound(x.n, &round).Dense())
		}
		if !mat.EqualApprox(sum, mean.Dense(), 0.02) { // five standard errors of a mean of values in [0, 1/2]
			t.Errorf("%s: the sampler's mean is off", line)
		}
	}
}
