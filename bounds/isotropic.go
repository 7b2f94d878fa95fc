package bounds

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/mixing"
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
		Source: "Vogels, Hendrikx, Jaggi 2022 (arXiv 2206.03093); derived for h ~ N(0, I), any periodic W with W1 = 1"}
	b.apply(assumptions{
		is("least squares, h ~ N(0, I)", c.Problem.LeastSquares, "the problem has additive noise, not that of least squares"),
		oneOf(c.Algorithm.String(), "atc"),
		is("a periodic schedule", c.Sequence.Random == nil, "the schedule is random"),
		c.agreement(),
		equal("σ² + heterogeneity at x*", c.constants.Sigma2, "", 0),
		atMost("nodes", float64(c.Problem.N), "limit of dense iterations", maxIsotropicNodes),
	})
	if !b.Applicable {
		return b, nil
	}
	rate, err := c.isotropicRadius(ctx)
	if err != nil {
		return b, err
	}
	if math.IsNaN(rate) {
		b.apply(append(b.Assumptions, is("the largest eigenvalue has a bound", false, "no bound on the largest eigenvalue was found in %d iterations", maxIterations)))
		return b, nil
	}
	if b.Value = &rate; rate >= 1 {
		b.Vacuous = true
	}
	return b, nil
}

// agreement asks for W1 = 1: x* at every island is then a fixed point. Columns may sum to anything.
func (c *setup) agreement() Assumption {
	text := "W1 = 1 in every round"
	for t := range c.Sequence.Steps {
		for i, row := range c.Sequence.Steps[t].W.Rows() {
			sum := 0.0
			for _, term := range row {
				sum += term.Weight
			}
			if math.Abs(sum-1) > sumTol {
				return is(text, false, "row %d of the mixing matrix of round %d sums to %.6g, must be 1", i, t+1, sum)
			}
		}
	}
	return met(text, "agreement is preserved")
}

// maxIsotropicNodes bounds n³ times the iterations; maxIterations and radiusTol end those.
const (
	maxIsotropicNodes = 100
	maxIterations     = 20_000
	radiusTol         = 1e-13
)

// isotropicRadius returns a bound from above on the largest eigenvalue per period, to the power 1/period; NaN: none.
//
// The map T of a period keeps a cone, and for any X inside it T(X) ≤ βX shows that the largest eigenvalue is at most β
// (Collatz and Wielandt). Damped power iteration finds an X at which this is sharp; where it is slow, β is less sharp,
// but still a bound. Where W ≥ 0 the cone is that of matrices without a negative entry, and β the largest ratio of
// entries. Else it is that of semidefinite matrices (see semidefiniteRatio).
func (c *setup) isotropicRadius(ctx context.Context) (float64, error) {
	n, m := c.Problem.N, c.isotropicMap()
	x := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			x.Set(i, j, 1)
		}
		x.Set(i, i, 2)
	}
	image := mat.NewDense(n, n, nil)
	bound, last := math.Inf(1), 0.0
	for k := range maxIterations {
		if k%checkEvery == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		m.apply(image, x)
		factor := mat.Trace(image) / mat.Trace(x)
		if math.IsInf(factor, 0) || math.IsNaN(factor) {
			return math.Inf(1), nil
		}
		if m.nonnegative {
			bound = min(bound, entryRatio(image, x))
		} else if k&(k-1) == 0 { // seldom, since it costs more; early ones too, before islands that learn fast fade
			bound = min(bound, semidefiniteRatio(image, x, m.rounding))
		}
		settled := math.Abs(factor-last) <= radiusTol*factor
		if factor == 0 || settled && (!m.nonnegative || bound <= factor*(1+radiusTol)) {
			break
		}
		last = factor
		// The damping lets eigenvalues of the same modulus die out, those of a W that shifts.
		image.Scale(0.75/factor, image)
		x.Scale(0.25, x)
		x.Add(x, image)
	}
	if !m.nonnegative {
		m.apply(image, x)
		bound = min(bound, semidefiniteRatio(image, x, m.rounding))
	}
	if !(bound < math.Inf(1)) {
		return math.NaN(), nil
	}
	return math.Pow(bound*(1+m.rounding), 1/float64(c.Sequence.Period())) * (1 + 4*unit), nil
}

// unit is the distance from 1 to the next number.
const unit = 0x1p-52

// isotropicMap is the map of a period, begun after the local steps of its first round.
type isotropicMap struct {
	w           []*mixing.Matrix
	off, on     []float64 // factors of the local steps that follow round t, off and on the diagonal
	tmp         *mat.Dense
	nonnegative bool
	rounding    float64 // of an entry, relative to the largest
}

func (c *setup) isotropicMap() *isotropicMap {
	n, period := c.Problem.N, c.Sequence.Period()
	m := &isotropicMap{tmp: mat.NewDense(n, n, nil), nonnegative: true}
	keep, add := (1-c.step)*(1-c.step), c.step*c.step*float64(c.Problem.D+1)
	grows := 1.0 // sums without signs, over those with
	for t := range period {
		w, h := c.Sequence.Steps[t].W, float64(c.localSteps((t+1)%period))
		m.w, m.off, m.on = append(m.w, w), append(m.off, math.Pow(keep, h)), append(m.on, math.Pow(keep+add, h))
		m.rounding += (2*float64(n) + 2*h + 8) * unit
		if !w.Nonnegative() {
			m.nonnegative = false
			norm := mat.Norm(w.Dense().T(), 1)
			grows *= norm * norm
		}
	}
	m.rounding *= grows
	return m
}

// apply writes T(x) into dst.
func (m *isotropicMap) apply(dst, x *mat.Dense) {
	dst.Copy(x)
	for t, w := range m.w {
		w.LeftMul(m.tmp, dst)
		dst.Copy(m.tmp.T())
		w.LeftMul(m.tmp, dst)
		dst.Scale(m.off[t], m.tmp)
		for i := range w.N() {
			dst.Set(i, i, m.on[t]*m.tmp.At(i, i))
		}
	}
}

// entryRatio returns the largest image_ij/x_ij; +Inf when an x_ij is not positive or has lost digits.
func entryRatio(image, x *mat.Dense) float64 {
	worst, above := 0.0, x.RawMatrix().Data
	for k, v := range image.RawMatrix().Data {
		if !(above[k] > 1e-280) {
			return math.Inf(1)
		}
		worst = max(worst, v/above[k])
	}
	return worst
}

// semidefiniteRatio returns β with image ≤ βx as quadratic forms, x positive definite: the largest eigenvalue of
// L⁻¹ image L⁻ᵀ, x = LL', and what rounding may have changed; +Inf when x is too close to singular.
func semidefiniteRatio(image, x *mat.Dense, rounding float64) float64 {
	n, _ := x.Dims()
	values := symmetricValues(x)
	low, most := values[0], 0.0
	for i := range n {
		most = max(most, x.At(i, i))
	}
	slack := 4 * float64(n+1) * unit * mat.Trace(x) // of factors and eigenvalues: |L||L'| has no larger norm than the trace
	var f mat.Cholesky
	if !(low > slack) || !f.Factorize(symmetrized(x)) {
		return math.Inf(1)
	}
	var l mat.TriDense
	f.LTo(&l)
	half, z := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	if half.Solve(&l, image) != nil || z.Solve(&l, half.T()) != nil {
		return math.Inf(1)
	}
	top := max(0, symmetricValues(z)[n-1])
	return top + (float64(n)*rounding*most+slack*(1+top))/(low-slack)
}

func symmetrized(a *mat.Dense) *mat.SymDense {
	n, _ := a.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			s.SetSym(i, j, (a.At(i, j)+a.At(j, i))/2)
		}
	}
	return s
}

// symmetricValues returns the eigenvalues of a symmetric matrix, ascending; NaN where the iteration fails.
func symmetricValues(a *mat.Dense) []float64 {
	n, _ := a.Dims()
	var e mat.EigenSym
	if !e.Factorize(symmetrized(a), false) {
		return slices.Repeat([]float64{math.NaN()}, n)
	}
	return e.Values(nil)
}
