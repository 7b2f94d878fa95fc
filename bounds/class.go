package bounds

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Worst names the curvature at which a budget does most harm.
type Worst struct {
	T         int     `json:"t"`
	Budget    string  `json:"budget"`    // start, heterogeneity or noise
	Curvature float64 `json:"curvature"` // a in [μ, L]
	Mode      float64 `json:"mode"`      // eigenvalue λ of W in which it does; of noise: 1 (it acts on all modes at once)
	Value     float64 `json:"value"`     // what it contributes to the bound
}

// class evaluates the exact worst case over a class of quadratics: all islands share one curvature A with spectrum in
// [μ, L], any dimension and directions; given are ‖x̄_0 - x*‖², the consensus error at the start, ζ* and the noise of
// every island in total. With one symmetric W and one curvature everything decouples into scalars: curvature a, mode
// λ of W, a round is
//
//	y ← A y + B g + noise of variance C
//
// with z = 1 - ηa, s_m(z) = Σ_{k<m} z^k and H local steps,
//
//	atc  A = λ z^H                B = η λ s_H(z)                      C = η² λ² s_H(z²)
//	cta  A = λ z^H                B = η s_H(z)                        C = η² s_H(z²)
//	dgd  A = (λ-ηa) z^(H-1)       B = η + η (λ-ηa) s_{H-1}(z)         C = η² + η² (λ-ηa)² s_{H-1}(z²)
//
// so after t rounds y = A^t y_0 + B s_t(A) g with variance C s_t(A²). Start, heterogeneity and noise are independent
// budgets, and the worst problem gives each its own coordinate with its own worst curvature: three dimensions suffice.
// The maxima over a are certified (see maximum), not sampled. When the islands start apart, start and heterogeneity
// can share a coordinate, and the square of the sum of their worst amplitudes takes the place of the exact maximum.
func (c *setup) class(ctx context.Context) ([]Bound, error) {
	a := append(c.common, c.additive(), oneOf(c.Algorithm.String(), "atc", "cta", "dgd"))
	var modes []mode
	if a.hold() {
		a = append(a,
			is("equal island weights", c.Problem.Weights == nil, "the islands have weights"),
			is("identical curvature", c.constants.DeltaA == 0, "curvatures differ: δ_A = %.6g", c.constants.DeltaA),
			c.oneSymmetric(), atMost("nodes", float64(c.Problem.N), "limit of the eigenvectors", maxClassNodes))
	}
	if a.hold() {
		modes = spectrum(c.Sequence.Steps[0].W.Dense())
	}
	var out []Bound
	for _, quantity := range []string{Centroid, Consensus, MSE} {
		b := Bound{ID: "class-" + quantity, Name: "exact worst case over all quadratics of the class", Kind: Guarantee, Quantity: quantity,
			Source: "exact moments by modes of W and of the curvature, maximized over the curvature", Points: []Point{}}
		if b.apply(a); b.Applicable {
			w := worstCase{c: c, modes: modes, quantity: quantity, h: c.localSteps(0)}
			for _, t := range c.At {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				b.Points = append(b.Points, Point{t, capped(w.at(t, &b))})
			}
			b.Vacuous = w.grows()
			b.Detail = fmt.Sprintf("curvature in [%.6g, %.6g]", c.constants.Mu, c.constants.L)
		}
		out = append(out, b)
	}
	return out, nil
}

// maxClassNodes bounds the cubic work of eigenvectors.
const maxClassNodes = 300

// oneSymmetric asks for a single symmetric W.
func (c *setup) oneSymmetric() Assumption {
	text := "one symmetric W in every round"
	switch {
	case c.Sequence.Random != nil:
		return is(text, false, "the schedule is random")
	case c.Sequence.Period() > 1:
		return is(text, false, "the period has %d matrices, must be 1", c.Sequence.Period())
	case !c.Sequence.Steps[0].W.Symmetric():
		return is(text, false, "W is not symmetric")
	}
	return met(text, "one symmetric W")
}

// mode is an eigenvalue of W with the weight of its eigenspace at every node: Σ v(i)² over an orthonormal basis.
type mode struct {
	lambda float64
	at     []float64
}

// spectrum returns the modes, with equal eigenvalues joined; the first is λ = 1 along (1, …, 1) alone.
func spectrum(w *mat.Dense) []mode {
	n, _ := w.Dims()
	// W + shift J: the vector (1, …, 1) gets an eigenvalue of its own, above all others, which stay where they are.
	shift := 2 + 2*mat.Norm(w, math.Inf(1))
	sym := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			sym.SetSym(i, j, (w.At(i, j)+w.At(j, i))/2+shift/float64(n))
		}
	}
	out := []mode{{1, make([]float64, n)}}
	for i := range n {
		out[0].at[i] = 1 / float64(n)
	}
	var e mat.EigenSym
	e.Factorize(sym, true)
	var v mat.Dense
	e.VectorsTo(&v)
	for k, lambda := range e.Values(nil)[:n-1] {
		switch size := math.Abs(lambda); {
		case size < normTol:
			lambda = 0
		case size < 0.5: // outwards: of a small one, rounding is a part that shows
			lambda = math.Copysign(size+normRounding, lambda)
		}
		last := len(out) - 1
		if last == 0 || math.Abs(out[last].lambda-lambda) > joinTol {
			out = append(out, mode{lambda, make([]float64, n)})
			last++
		} else if math.Abs(lambda) > math.Abs(out[last].lambda) {
			out[last].lambda = lambda // the larger of the two: the bound must not lose by rounding
		}
		for i := range n {
			out[last].at[i] += v.At(i, k) * v.At(i, k)
		}
	}
	return out
}

// joinTol is the distance at which eigenvalues count as one; their rounding is below it.
const joinTol = 1e-12
