package bounds

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"
)

// isotropicRate is the factor per round on E average ‖x_i - x*‖² of atc on the random isotropic quadratic of Vogels,
// Hendrikx and Jaggi 2022: stochastic gradients hh'(x - x*) with h ~ N(0, I), the same x* for all islands. With
// S_ij = E (x_i - x*)'(x_j - x*) a local step and a mixing are
//
//	S ← (1-η)² S + η² (d+1) diag(S),   S ← W S W'
//
// and the factor is the largest eigenvalue of this map: one number of W, the effective number of neighbors, decides.
func (c *setup) isotropicRate(ctx context.Context) (Bound, error) {
	b := Bound{ID: "vogels-rate", Name: "factor per round on random isotropic quadratics", Kind: Guarantee, Quantity: Rate, Points: []Point{},
		Source: "Vogels, Hendrikx, Jaggi 2022 (arXiv 2206.03093); derived for h ~ N(0, I), any periodic W"}
	b.apply(assumptions{
		is("least squares, h ~ N(0, I)", c.Problem.LeastSquares, "the problem has additive noise, not that of least squares"),
		oneOf(c.Algorithm.String(), "atc"),
		is("a periodic schedule", c.Sequence.Random == nil, "the schedule is random"),
		equal("σ² + heterogeneity at x*", c.constants.Sigma2, "", 0),
		atMost("nodes", float64(c.Problem.N), "limit of dense iterations", maxIsotropicNodes),
	})
	if !b.Applicable {
		return b, nil
	}
	rate, err := c.isotropicRadius(ctx)
	if b.Value = &rate; rate >= 1 {
		b.Vacuous = true
	}
	return b, err
}

// maxIsotropicNodes bounds n³ times the iterations; maxIterations and radiusTol end those.
const (
	maxIsotropicNodes = 100
	maxIterations     = 20_000
	radiusTol         = 1e-13
)

// isotropicRadius returns the factor per round by power iteration. The map keeps the cone of semidefinite S with
// positive entries, so its largest eigenvalue is the limit of the growth of the trace.
func (c *setup) isotropicRadius(ctx context.Context) (float64, error) {
	n, eta := c.Problem.N, c.step
	keep, add := (1-eta)*(1-eta), eta*eta*float64(c.Problem.D+1)
	s, half := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			s.Set(i, j, 1)
		}
		s.Set(i, i, 2)
	}
	last, period := 0.0, c.Sequence.Period()
	for k := range maxIterations {
		if k%checkEvery == 0 && ctx.Err() != nil {
			return last, ctx.Err()
		}
		before := mat.Trace(s)
		for t := range period {
			for range c.localSteps(t) {
				for i := range n {
					for j := range n {
						v := keep * s.At(i, j)
						if i == j {
							v += add * s.At(i, i)
						}
						s.Set(i, j, v)
					}
				}
			}
			w := c.Sequence.Steps[t].W
			w.LeftMul(half, s)
			s.Copy(half.T())
			w.LeftMul(half, s)
			s.Copy(half)
		}
		factor := mat.Trace(s) / before
		if factor == 0 || math.IsInf(factor, 0) {
			return factor, nil
		}
		s.Scale(1/factor, s)
		if math.Abs(factor-last) <= radiusTol*factor {
			last = factor
			break
		}
		last = factor
	}
	return math.Pow(last, 1/float64(period)), nil
}
