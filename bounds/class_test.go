package bounds

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

// sharedProblem has one random curvature for all islands, of any rank and direction.
func sharedProblem(t *rapid.T, n, d int) *gossip.Quadratic {
	q := *randomProblem(t, n, d)
	common := rapid.Bool().Draw(t, "common start")
	if rapid.IntRange(0, 9).Draw(t, "no curvature") == 0 {
		q.A[0] = make([]float64, len(q.A[0]))
	}
	for i := range n {
		q.A[i] = q.A[0]
		if common {
			q.Start[i] = q.Start[0]
		}
	}
	out, err := gossip.NewQuadratic(q)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// symmetricSequence is one symmetric W, with eigenvalues of both signs.
func symmetricSequence(t *rapid.T, n int) *mixing.Sequence {
	r := schedule.Round{LocalSteps: rapid.IntRange(1, 4).Draw(t, "h")}
	weight := rapid.Float64Range(0, 0.8/float64(max(1, n-1)))
	for i := range n {
		for j := range i {
			if rapid.Bool().Draw(t, "linked") {
				r.Edges = append(r.Edges, schedule.Edge{I: i, J: j, Weight: weight.Draw(t, "weight")})
			}
		}
	}
	seq, err := mixing.New(&schedule.Schedule{Name: "symmetric", N: n, Rounds: []schedule.Round{r}})
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

func TestClassHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "n")
		q := sharedProblem(t, n, rapid.IntRange(1, 3).Draw(t, "d"))
		s := Setting{Problem: q, Sequence: symmetricSequence(t, n), Step: rapid.Float64Range(0.005, 1.2).Draw(t, "step"),
			Algorithm: gossip.Algorithm{Name: rapid.SampledFrom([]string{"atc", "cta", "dgd"}).Draw(t, "algorithm")}, At: []int{0, 1, 2, 3, 7, 20, 101}}
		exact, err := gossip.Exact(context.Background(), q, s.Sequence, gossip.ExactOptions{Algorithm: s.Algorithm, Step: s.Step, At: s.At})
		if err != nil {
			t.Fatal(err)
		}
		all, err := Evaluate(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		for quantity, value := range map[string]func(gossip.Moments) float64{
			Centroid: func(m gossip.Moments) float64 { return m.Centroid }, Consensus: func(m gossip.Moments) float64 { return m.Consensus }, MSE: func(m gossip.Moments) float64 { return m.MSE },
		} {
			b := class(all, quantity)
			if b == nil || !b.Applicable {
				t.Fatalf("class-%s: %+v", quantity, b)
			}
			for i, p := range b.Points {
				if x := exact.Points[i]; !x.Overflow && p.Value < value(x.Moments)*(1-1e-9)-1e-14*(1+x.MSE) {
					t.Fatalf("%s at t=%d is %.17g, exact %.17g", b.ID, p.T, p.Value, value(x.Moments))
				}
			}
		}
	})
}

func class(all []Bound, quantity string) *Bound {
	for i := range all {
		if all[i].ID == "class-"+quantity {
			return &all[i]
		}
	}
	return nil
}

// TestClassIsTight builds the worst problem that the bound names, three coordinates for three budgets and two more that
// pin μ and L, and finds the bound in its exact moments.
func TestClassIsTight(t *testing.T) {
	const mu, smooth, rounds = 0.1, 1.0, 12
	for _, c := range []struct {
		line      string
		algorithm string
		step      float64
	}{
		{"ring:n=6", "atc", 0.25}, {"ring:n=6", "cta", 0.25}, {"ring:n=6", "dgd", 0.25}, {"ring:n=6", "atc", 1.7},
		{"ring:n=6,weights=max-degree", "atc", 0.4}, {"ring:n=6,h=3", "atc", 0.25}, {"ring:n=6,h=4", "cta", 0.5},
		{"ring:n=4,h=3", "atc", 0.9}, {"ring:n=6,h=3", "dgd", 0.6}, {"hypercube:n=8", "dgd", 0.5}, {"star:n=5", "atc", 0.25}, {"path:n=4,h=2", "cta", 0.3},
	} {
		name := fmt.Sprintf("%s %s step %g", c.line, c.algorithm, c.step)
		s, err := schedule.Load(c.line, schedule.Options{})
		if err != nil {
			t.Fatal(err)
		}
		seq, err := mixing.New(s)
		if err != nil {
			t.Fatal(err)
		}
		n := seq.N
		build := func(start, heterogeneity, noise, lambda float64) *gossip.Quadratic {
			q := gossip.Quadratic{Diagonal: true}
			v := eigenvector(t, seq.Steps[0].W.Dense(), lambda)
			for i := range n {
				q.A = append(q.A, []float64{start, heterogeneity, noise, mu, smooth})
				q.B = append(q.B, []float64{0, v[i] * math.Sqrt(float64(n)) / heterogeneity, 0, 0, 0}) // ζ* = 1
				q.Noise = append(q.Noise, []float64{0, 0, 0.3 + 0.1*float64(i), 0, 0})
				q.Start = append(q.Start, []float64{1, 0, 0, 0, 0})
			}
			out, err := gossip.NewQuadratic(q)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		setting := Setting{Problem: build(mu, smooth, mu, 0.5), Sequence: seq, Algorithm: gossip.Algorithm{Name: c.algorithm}, Step: c.step, At: []int{rounds}}
		worst := map[string]Worst{}
		all, err := Evaluate(context.Background(), setting)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range class(all, MSE).Worst {
			worst[w.Budget] = w
		}
		q := build(worst["start"].Curvature, worst["heterogeneity"].Curvature, worst["noise"].Curvature, worst["heterogeneity"].Mode)
		exact, err := gossip.Exact(context.Background(), q, seq, gossip.ExactOptions{Algorithm: setting.Algorithm, Step: c.step, At: setting.At})
		if err != nil {
			t.Fatal(err)
		}
		setting.Problem = q
		if all, err = Evaluate(context.Background(), setting); err != nil {
			t.Fatal(err)
		}
		got, want := class(all, MSE).Points[0].Value, exact.Points[0].MSE
		if got < want*(1-1e-12) || got > want*(1+1e-5) {
			t.Errorf("%s: bound %.12g, exact worst case %.12g", name, got, want)
		}
	}
}

// eigenvector returns a unit eigenvector of a symmetric W, orthogonal to (1, …, 1), for the eigenvalue nearest to λ.
func eigenvector(t *testing.T, w *mat.Dense, lambda float64) []float64 {
	t.Helper()
	n, _ := w.Dims()
	sym := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			sym.SetSym(i, j, w.At(i, j)+5/float64(n)) // (1, …, 1) moves to 6
		}
	}
	var e mat.EigenSym
	if !e.Factorize(sym, true) {
		t.Fatal("no eigenvalues")
	}
	var v mat.Dense
	e.VectorsTo(&v)
	best := 0
	for k, value := range e.Values(nil)[:n-1] {
		if math.Abs(value-lambda) < math.Abs(e.Values(nil)[best]-lambda) {
			best = k
		}
	}
	return mat.Col(nil, best, &v)
}

// TestSpans checks the ranges that the maxima rest on against values inside.
func TestSpans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(-1.5, 1).Draw(t, "lo")
		s := span{lo, lo + rapid.Float64Range(0, 1).Draw(t, "width")}
		m := rapid.IntRange(0, 7).Draw(t, "m")
		power, sum := s.power(m), s.sum(m)
		for k := range 21 {
			z := s.lo + (s.hi-s.lo)*float64(k)/20
			p, g := math.Pow(z, float64(m)), 0.0
			for j := range m {
				g += math.Pow(z, float64(j))
			}
			const slack = 1e-12
			if p < power.lo-slack || p > power.hi+slack || g < sum.lo-slack || g > sum.hi+slack {
				t.Fatalf("z=%g m=%d: %g in %+v? %g in %+v?", z, m, p, power, g, sum)
			}
			if got := geometric(z, m); math.Abs(got-g) > 1e-12*(1+math.Abs(g)) {
				t.Fatalf("geometric(%g, %d) = %g, want %g", z, m, got, g)
			}
		}
		if end := max(math.Abs(geometric(s.lo, m)), math.Abs(geometric(s.hi, m))); end < math.Abs(geometric(s.lo+(s.hi-s.lo)*0.37, m))-1e-12 {
			t.Fatalf("|s_m| is not largest at an end of %+v", s)
		}
	})
}
