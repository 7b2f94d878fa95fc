package mixing

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// RandomStaleness is Staleness for independent random rounds: outcome k is drawn with its probability and takes
// seconds[k]. With V = E[W (V + T P) W'] in the steady state and s = tr(P V)/(n-1),
//
//	staleness = E[T s + T²/2] / E[T]
//
// The result is (0, false) when the outcomes together do not connect all islands, expand disagreement, or take no
// time, and unless every W keeps a common value, W1 = 1.
func RandomStaleness(outcomes []Outcome, seconds []float64) (float64, bool) {
	if len(outcomes) == 0 || len(outcomes) != len(seconds) {
		return 0, false
	}
	n := outcomes[0].W.n
	r := &Random{n: n, Outcomes: outcomes, Mean: meanMatrix(n, outcomes)}
	mean, square := 0.0, 0.0
	for k, o := range outcomes {
		t := seconds[k]
		if !(t >= 0) || math.IsInf(t, 0) || !keepsAgreement(o.W) {
			return 0, false
		}
		mean += o.Probability * t
		square += o.Probability * t * t
	}
	if mean == 0 || !stronglyConnected(n, []*Matrix{r.Mean}) {
		return 0, false
	}
	if n == 1 {
		return 0, true
	}
	// What one round adds: E[T W P W'].
	add, both, tmp, p := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil), mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	addDrift(p, 1)
	for k, o := range outcomes {
		o.W.conjugate(both, tmp, p)
		addScaled(add, o.Probability*seconds[k], both)
	}
	v, ok := r.fixedPoint(add, 1)
	if !ok {
		return 0, false
	}
	return told(disagreement(v)/float64(n-1) + square/(2*mean))
}

// fixedPoint solves V = γ P E[W V W'] P + P C P for symmetric C: by conjugate gradients where all W are symmetric and
// the map hence self-adjoint, by plain iteration otherwise.
func (r *Random) fixedPoint(c *mat.Dense, gamma float64) (*mat.Dense, bool) {
	n := r.n
	step := func(v *mat.Dense) *mat.Dense {
		out := mat.NewDense(n, n, nil)
		r.SecondMoment(out, v)
		projectRows(out)
		transpose(out)
		projectRows(out)
		out.Scale(gamma, out)
		return out
	}
	rhs := mat.DenseCopyOf(c)
	projectRows(rhs)
	transpose(rhs)
	projectRows(rhs)
	v := mat.NewDense(n, n, nil)
	size := mat.Norm(rhs, 2)
	if r.symmetric() {
		res, dir := mat.DenseCopyOf(rhs), mat.DenseCopyOf(rhs)
		rr := size * size
		for range fixedPointSteps {
			if math.Sqrt(rr) <= fixedPointTol*size {
				return v, true
			}
			image := step(dir)
			image.Sub(dir, image)
			curvature := dot(dir.RawMatrix().Data, image.RawMatrix().Data)
			if !(curvature > 0) { // the map does not contract
				return nil, false
			}
			addScaled(v, rr/curvature, dir)
			addScaled(res, -rr/curvature, image)
			next := dot(res.RawMatrix().Data, res.RawMatrix().Data)
			dir.Scale(next/rr, dir)
			dir.Add(dir, res)
			rr = next
		}
		return nil, false
	}
	for range fixedPointSteps {
		next := step(v)
		next.Add(next, rhs)
		var d mat.Dense
		d.Sub(next, v)
		v = next
		norm := mat.Norm(v, 2)
		if change := mat.Norm(&d, 2); change <= fixedPointTol*norm {
			return v, true
		} else if !(change < 1e300) {
			return nil, false
		}
	}
	return nil, false
}

const (
	// fixedPointTol is the residual, relative to the right-hand side, at which the steady state is found.
	fixedPointTol = 1e-13
	// fixedPointSteps bounds the iterations: a map that needs more does not mix in practice.
	fixedPointSteps = 20_000
)

// SampleStaleness estimates the staleness of independent random rounds from a simulated sequence of them: draw returns
// a matrix over n nodes and the seconds that its round takes. It returns the standard error too, from the spread of 32
// stretches of the sequence; a hundredth of it is given to settling first. ok is false when no time passed, the
// disagreement grew without bound, or a W was drawn that does not keep a common value, W1 = 1.
func SampleStaleness(n, rounds int, draw func(rng *rand.Rand) (*Matrix, float64), rng *rand.Rand) (value, standardError float64, ok bool) {
	if n == 1 {
		return 0, 0, true
	}
	const stretches = 32
	v, tmp := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	var num, den [stretches]float64
	settle := rounds/100 + 100
	length := max(1, rounds/stretches)
	for k := -settle; k < length*stretches; k++ {
		w, t := draw(rng)
		if !keepsAgreement(w) {
			return 0, 0, false
		}
		if k >= 0 {
			num[k/length] += t * (disagreement(v)/float64(n-1) + t/2)
			den[k/length] += t
		}
		addDrift(v, t)
		w.conjugate(v, tmp, mat.DenseCopyOf(v))
	}
	sumNum, sumDen := 0.0, 0.0
	for i := range num {
		sumNum += num[i]
		sumDen += den[i]
	}
	if !(sumDen > 0) || math.IsNaN(sumNum) || math.IsInf(sumNum, 0) {
		return 0, 0, false
	}
	value = sumNum / sumDen
	spread := 0.0 // of the ratio estimator
	for i := range num {
		d := num[i] - value*den[i]
		spread += d * d
	}
	return value, math.Sqrt(spread*stretches/(stretches-1)) / sumDen, true
}
