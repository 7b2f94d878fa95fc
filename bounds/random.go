package bounds

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/mixing"
)

// randomContraction checks a random schedule and sets contract to √(1-p), p = 1 - ‖E[W'W] - J‖. The average matrix
// E[W] would say too much: it forgets that one outcome may contract nothing.
func (c *setup) randomContraction(ctx context.Context) error {
	c.contract = []float64{1}
	equal := is("equal island weights where the schedule is random", c.Problem.Weights == nil, "the schedule is random and the islands have weights")
	if c.common = append(c.common, equal); !equal.Holds {
		return nil
	}
	report, err := mixing.Analyze(ctx, c.Sequence, mixing.Options{})
	if err != nil {
		return err
	}
	c.common = append(c.common, is("every outcome is doubly stochastic", report.DoublyStochastic,
		"an outcome of the random schedule is not doubly stochastic: the average is not preserved"))
	known := report.Expected != nil && report.Expected.P != nil
	c.common = append(c.common, is("‖E[W'W]-J‖ is known", known, "‖E[W'W]-J‖ of the random schedule is not known"))
	if known {
		c.contract[0] = math.Sqrt(max(0, 1-*report.Expected.P))
	}
	return nil
}

// randomNorms returns √‖E[Π'Π] - J‖ for products Π of 1, 2, ... independent rounds, up to the length asked for: by
// S ← E[W'SW] from S = I - J. Where that cannot be computed it returns the first alone.
func (c *setup) randomNorms(lengths int) []float64 {
	out := []float64{c.contract[0]}
	n, r := c.Problem.N, c.Sequence.Random
	if n > maxRandomNodes {
		return out
	}
	lengths = min(lengths, maxRandomLengths)
	s, next := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			s.Set(i, j, -1/float64(n))
		}
		s.Set(i, i, 1-1/float64(n))
	}
	var outcomes []weighted
	for _, o := range r.Outcomes {
		if outcomes = append(outcomes, weighted{o.Probability, o.W.Dense()}); len(outcomes) > maxRandomOutcomes {
			return out
		}
	}
	for k := range lengths {
		if outcomes != nil {
			average(next, s, outcomes)
		} else if !r.SecondMoment(next, s) { // E[WSW'], the same thing: outcomes that are not listed are symmetric
			return out
		}
		s, next = next, s
		rho := math.Sqrt(largest(s))
		if k == 0 {
			continue // known, and to the same accuracy
		}
		out = append(out, ofProduct(rho, out[k-1]*out[0]))
	}
	return out
}

// Limits on the work of randomNorms: n³ times outcomes times lengths.
const (
	maxRandomNodes    = 64
	maxRandomOutcomes = 64
	maxRandomLengths  = 64
)

type weighted struct {
	probability float64
	w           *mat.Dense
}

// average writes Σ probability W'SW into dst.
func average(dst, s *mat.Dense, outcomes []weighted) {
	dst.Zero()
	var half, whole mat.Dense
	for _, o := range outcomes {
		half.Mul(s, o.w)
		whole.Mul(o.w.T(), &half)
		whole.Scale(o.probability, &whole)
		dst.Add(dst, &whole)
	}
}

// largest returns the largest eigenvalue of a symmetric semidefinite matrix. The matrix is brought to the scale of 1
// first: LAPACK's values-only path in gonum does not survive very small ones.
func largest(m *mat.Dense) float64 {
	n, _ := m.Dims()
	scale := mat.Max(m)
	if scale <= 0 { // the largest entry of a semidefinite matrix is on its diagonal
		return 0
	}
	sym := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			sym.SetSym(i, j, (m.At(i, j)+m.At(j, i))/2/scale)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(sym, false) {
		return scale * mat.Trace(sym) // never smaller
	}
	return scale * max(0, e.Values(nil)[n-1])
}
