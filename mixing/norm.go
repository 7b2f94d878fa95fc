package mixing

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// DisagreementNorm returns ‖Φ-J‖₂ of a dense n × n matrix.
func DisagreementNorm(phi *mat.Dense) float64 {
	n, _ := phi.Dims()
	if n <= smallDense {
		return spectralNorm(minusJ(phi))
	}
	return operatorNorm(denseOperator{minusJ(phi)})
}

func minusJ(phi *mat.Dense) *mat.Dense {
	n, _ := phi.Dims()
	e := mat.DenseCopyOf(phi)
	d := e.RawMatrix().Data
	for i := range d {
		d[i] -= 1 / float64(n)
	}
	return e
}

// spectralNorm returns ‖A‖₂, NaN for a matrix that has overflowed.
func spectralNorm(a *mat.Dense) float64 {
	if !finite(a) {
		return math.NaN()
	}
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDNone) {
		return operatorNorm(denseOperator{a})
	}
	return svd.Values(nil)[0]
}

// finite reports whether the entries are so small that their squares are finite.
func finite(a *mat.Dense) bool {
	for _, v := range a.RawMatrix().Data {
		if !(math.Abs(v) < 1e150) {
			return false
		}
	}
	return true
}

// spectralRadius returns the largest |eigenvalue| of a dense square matrix, or NaN when the iteration fails.
func spectralRadius(a *mat.Dense) float64 {
	r, ok := SpectralRadius(a)
	if !ok {
		return math.NaN()
	}
	return r
}

// SpectralRadius returns the largest modulus of an eigenvalue of a square matrix; false when there is none to be had, as of
// Eigenvalues.
func SpectralRadius(a *mat.Dense) (float64, bool) {
	values, ok := Eigenvalues(a)
	r := 0.0
	for _, v := range values {
		r = max(r, math.Hypot(real(v), imag(v)))
	}
	return r, ok
}

// Eigenvalues returns the eigenvalues of a square matrix in no order; false when entries are too large or not numbers, or
// when the iteration fails. It goes on where gonum's own gives up or panics: the iteration can stall where many
// eigenvalues have one modulus, as of a permutation, and a shift tells them apart.
func Eigenvalues(a *mat.Dense) ([]complex128, bool) {
	if !finite(a) {
		return nil, false
	}
	for _, share := range []float64{0, 0.37, -0.61} {
		shift := share * mat.Norm(a, 1)
		if values, ok := complexEigenvalues(a, shift); ok {
			for i := range values {
				values[i] -= complex(shift, 0)
			}
			return values, true
		}
	}
	return nil, false
}

// complexEigenvalues returns the eigenvalues of A + shift I; false when the iteration fails, of which gonum makes a panic
// for small matrices.
func complexEigenvalues(a *mat.Dense, shift float64) (values []complex128, ok bool) {
	defer func() {
		if recover() != nil {
			values, ok = nil, false
		}
	}()
	b := mat.DenseCopyOf(a)
	n, _ := b.Dims()
	for i := range n {
		b.Set(i, i, b.At(i, i)+shift)
	}
	var e mat.Eigen
	if !e.Factorize(b, mat.EigenNone) {
		return nil, false
	}
	return e.Values(nil), true
}

// operator is a square matrix that is only ever multiplied by vectors.
type operator interface {
	dim() int
	mul(dst, x []float64)  // dst = A x
	mulT(dst, x []float64) // dst = A' x
}

type denseOperator struct{ a *mat.Dense }

func (o denseOperator) dim() int { n, _ := o.a.Dims(); return n }
func (o denseOperator) mul(dst, x []float64) {
	mat.NewVecDense(len(dst), dst).MulVec(o.a, mat.NewVecDense(len(x), x))
}
func (o denseOperator) mulT(dst, x []float64) {
	mat.NewVecDense(len(dst), dst).MulVec(o.a.T(), mat.NewVecDense(len(x), x))
}

// smallDense is the largest n for which dense factorizations beat Lanczos: up to here everything is dense.
const smallDense = 64

// operatorNorm returns ‖A‖₂ by Lanczos on A'A.
func operatorNorm(a operator) float64 {
	tmp := make([]float64, a.dim())
	e := lanczos(a.dim(), func(dst, x []float64) { a.mul(tmp, x); a.mulT(dst, tmp) }, nil, true)
	return math.Sqrt(max(0, e.high))
}
