package bounds

import (
	"context"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/schedule"
)

// flat has no curvature and no noise: what happens to it is averaging alone.
func flat(t interface{ Fatal(...any) }, start [][]float64) *gossip.Quadratic {
	q := gossip.Quadratic{Diagonal: true, Start: start}
	for _, x := range start {
		zero := make([]float64, len(x))
		q.A, q.B = append(q.A, zero), append(q.B, zero)
	}
	out, err := gossip.NewQuadratic(q)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestAveraging: on random schedules and starts, no bound on averaging alone is exceeded.
func TestAveraging(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "n")
		seq := randomSequence(t, n)
		start := make([][]float64, n)
		for i := range start {
			start[i] = []float64{rapid.Float64Range(-1, 1).Draw(t, "start")}
		}
		s := Setting{Problem: flat(t, start), Sequence: seq, Step: 0.1, At: []int{0, 1, 2, 3, 5, 9, 40, 90}}
		r, err := gossip.Exact(context.Background(), s.Problem, seq, gossip.ExactOptions{Step: s.Step, At: s.At})
		if err != nil {
			t.Fatal(err)
		}
		all, err := Evaluate(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float64, n)
		for i := range x {
			x[i] = start[i][0]
		}
		now := 0
		for i, at := range s.At {
			for ; now < at && seq.Random == nil; now++ {
				next := make([]float64, n)
				seq.Step(now).W.Apply(next, x, 1)
				x = next
			}
			for _, b := range all {
				if !b.Applicable || b.Quantity != Contraction && b.Quantity != Range {
					continue
				}
				got, first := r.Points[i].Consensus, r.Points[0].Consensus
				if b.Quantity == Range {
					got, first = width(x), width(column(start))
				}
				if v := b.Points[i].Value; got > v*first*(1+1e-9)+1e-14 {
					t.Fatalf("%s at t=%d is %g, reached %g", b.ID, at, v, got/first)
				}
			}
		}
	})
}

func column(start [][]float64) []float64 {
	out := make([]float64, len(start))
	for i, x := range start {
		out[i] = x[0]
	}
	return out
}

func width(x []float64) float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range x {
		lo, hi = min(lo, v), max(hi, v)
	}
	return hi - lo
}

// TestRandomProducts: a uniform edge of ring 4. Contraction over 2, 4, 8 rounds in the mean square is .53125,
// .258300781, .060358167, below the powers of .75 (independent enumeration).
func TestRandomProducts(t *testing.T) {
	seq := load(t, "random-edge:n=4,graph=ring")
	s := Setting{Problem: flat(t, [][]float64{{0}, {1}, {2}, {3}}), Sequence: seq, Step: 0.1, At: []int{1, 2, 4, 8, 100}}
	b := find(t, evaluate(t, s), "expected-contraction")
	for i, want := range []float64{.75, .53125, .258300781, .060358167} {
		near(t, "E contraction", b.Points[i].Value, want)
	}
	if v := b.Points[4].Value; v > 1.5*math.Pow(.695194102, 100) || v < math.Pow(.695194102, 100) { // the exact rate
		t.Errorf("after 100 rounds: %g", v)
	}
}

// TestDobrushin: ring 6 has τ₁ = 1, .555555556, .407407407 after 1, 2, 3 rounds, one-peer exponential with 6 nodes .25
// after a period (independent computation). Column sums are not needed.
func TestDobrushin(t *testing.T) {
	six := [][]float64{{0}, {1}, {2}, {3}, {4}, {5}}
	b := find(t, evaluate(t, Setting{Problem: flat(t, six), Sequence: load(t, "ring:n=6"), Step: 0.1, At: []int{1, 2, 3, 0}}), "dobrushin-range")
	for i, want := range []float64{1, .555555556, .407407407, 1} {
		near(t, "τ₁ of ring 6", b.Points[i].Value, want)
	}
	b = find(t, evaluate(t, Setting{Problem: flat(t, six), Sequence: load(t, "one-peer-exponential:n=6"), Step: 0.1, At: []int{3}}), "dobrushin-range")
	near(t, "τ₁ of one-peer exponential", b.Points[0].Value, .25)
	rows := sequence(t, 2, schedule.Round{LocalSteps: 1, Entries: []schedule.Edge{{I: 0, J: 0, Weight: 1}, {I: 1, J: 0, Weight: .5}, {I: 1, J: 1, Weight: .5}}})
	b = find(t, evaluate(t, Setting{Problem: flat(t, six[:2]), Sequence: rows, Step: 0.1, At: []int{1}}), "dobrushin-range")
	near(t, "τ₁ of rows alone", b.Points[0].Value, .5)
	negative := load(t, "star:n=5,weights=fdla")
	b = find(t, evaluate(t, Setting{Problem: flat(t, six[:5]), Sequence: negative, Step: 0.1, At: []int{1}}), "dobrushin-range")
	if b.Applicable || !strings.Contains(b.Reason, "nonnegative") {
		t.Errorf("negative weights: %+v", b)
	}
}

// TestIsotropicRate: the factor per round on random isotropic quadratics. ζ = d + 2 = 10 on ring 8: .821900479 at
// η = .1, .668840999 at .3, .932491224 at .5; complete graph of 8 .82125 at .1, .59125 at .3, alone .9 at .1
// (published closed form, independent computation). It is the square of the exact radius of any schedule.
func TestIsotropicRate(t *testing.T) {
	for _, c := range []struct {
		line string
		step float64
		want float64
	}{{"ring:n=8", .1, .821900479}, {"ring:n=8", .3, .668840999}, {"ring:n=8", .5, .932491224}, {"complete:n=8", .1, .82125}, {"complete:n=8", .3, .59125}, {"local:n=1", .1, .9}} {
		seq := load(t, c.line)
		b := find(t, evaluate(t, Setting{Problem: parse(t, "least-squares:d=8,heterogeneity=0", seq.N), Sequence: seq, Step: c.step}), "vogels-rate")
		if !b.Applicable {
			t.Fatal(b.Reason)
		}
		near(t, c.line, *b.Value, c.want)
	}
	for _, line := range []string{"star:n=5,h=2", "rotating-cliques:k=2,n=4", "one-way-ring:n=4"} {
		seq := load(t, line)
		s := Setting{Problem: parse(t, "least-squares:d=3,heterogeneity=0", seq.N), Sequence: seq, Step: .2}
		near(t, line, *find(t, evaluate(t, s), "vogels-rate").Value, square(*exact(t, s).Radius))
	}
}

// TestLocal: scalar a = .5, η = .1, H = 5, four islands with σ² = 1 that start at distance 1 (independent computation):
// exact centroid .374935001, .0314097464, .0256410268 after 10, 50, 200 steps.
func TestLocal(t *testing.T) {
	seq := load(t, "allreduce:n=4,h=5")
	q := problem(t, "problem: quadratic\ncurvature: [0.5, 0.5, 0.5, 0.5]\noptimum: [[0], [0], [0], [0]]\nnoise: [1, 1, 1, 1]\nstart: [[1], [1], [1], [1]]\n")
	s := Setting{Problem: q, Sequence: seq, Step: .1, At: []int{2, 10, 40}}
	all, r := evaluate(t, s), exact(t, s)
	for i, want := range []float64{.374935001, .0314097464, .0256410268} {
		near(t, "exact", r.Points[i].Centroid, want)
		local, khaled := find(t, all, "local-centroid").Points[i].Value, find(t, all, "khaled-centroid").Points[i].Value
		if !(want <= local && local <= khaled) {
			t.Errorf("t=%d: exact %g, guarantee %g, published %g: must ascend", s.At[i], want, local, khaled)
		}
	}
	for i, want := range []float64{.728736939, .206944975, .130035053} {
		near(t, "khaled", find(t, all, "khaled-centroid").Points[i].Value, want)
	}
	for name, change := range map[string]func(*Setting){
		"not every round averages exactly": func(s *Setting) { s.Sequence = load(t, "ring:n=4,h=5") },
		"objectives differ":                func(s *Setting) { s.Problem = parse(t, "quadratic:d=2", 4) },
		"step 1.01 > 1/(2L) = 1":           func(s *Setting) { s.Step = 1.01 },
		"holds for atc, not for cta":       func(s *Setting) { s.Algorithm = gossip.Algorithm{Name: "cta"} },
	} {
		other := s
		change(&other)
		if b := find(t, evaluate(t, other), "local-mse"); b.Applicable || !strings.Contains(b.Reason, name) {
			t.Errorf("%q: %+v", name, b.Reason)
		}
	}
}

// TestBest is the minimum of what applies, and takes part in nothing that does not.
func TestBest(t *testing.T) {
	s := Setting{Problem: problem(t, instanceN), Sequence: ring(t, 4, 1), Step: 0.02, At: []int{1, 10, 200}}
	all := evaluate(t, s)
	for _, quantity := range []string{Centroid, Consensus, MSE} {
		b := find(t, all, "best-"+quantity)
		for i, p := range b.Points {
			least := math.Inf(1)
			for _, g := range all {
				if g.Kind == Guarantee && g.Quantity == quantity && g.Applicable && g.ID != b.ID {
					least = min(least, g.Points[i].Value)
				}
			}
			if p.Value != least {
				t.Errorf("%s at t=%d: %g, least of the others %g", b.ID, p.T, p.Value, least)
			}
		}
	}
	s.Algorithm = gossip.Algorithm{Name: "gradient-tracking"}
	if b := find(t, evaluate(t, s), "best-mse"); b.Applicable || b.Reason != "no guarantee applies" {
		t.Errorf("%+v", b)
	}
}

// own is a bound of a user: the mse of islands that never come closer than they start.
type own struct{ factor float64 }

func (o own) Bounds(ctx context.Context, s Setting) ([]Bound, error) {
	k := s.Problem.Constants()
	b := Bound{ID: "own-mse", Name: "never farther than at the start", Kind: Guarantee, Quantity: MSE, Applicable: true}
	for _, t := range s.At {
		b.Points = append(b.Points, Point{T: t, Value: o.factor * (k.StartCentroid + k.StartConsensus)})
	}
	return []Bound{b}, nil
}

func TestOwnBound(t *testing.T) {
	s := Setting{Problem: problem(t, instanceN), Sequence: ring(t, 4, 1), Step: 0.02, At: []int{5}, Scale: 0.5, Own: []Method{own{1e-3}}}
	all := evaluate(t, s)
	want := 0.5e-3 * 1.598056523
	near(t, "own", find(t, all, "own-mse").Points[0].Value, want)
	near(t, "best takes it in", find(t, all, "best-mse").Points[0].Value, want)
	s.Own = []Method{own{math.NaN()}}
	if _, err := Evaluate(context.Background(), s); err == nil || !strings.Contains(err.Error(), "no number") {
		t.Errorf("a NaN passed: %v", err)
	}
}
