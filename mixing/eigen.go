package mixing

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/schedule"
)

// eigenvalues returns the eigenvalues of s, ascending. The copy has an odd stride: at strides that are powers of two
// the cache's sets collide, and n = 512 would take eight times as long as n = 500.
func eigenvalues(s mat.Symmetric) []float64 {
	return symmetricEigen(oddStride(s), false)
}

func oddStride(s mat.Symmetric) blas64.Symmetric {
	n := s.SymmetricDim()
	stride := n + 1 - n%2
	a := blas64.Symmetric{N: n, Stride: max(1, stride), Uplo: blas.Upper, Data: make([]float64, max(1, n*stride))}
	for i := range n {
		for j := i; j < n; j++ {
			a.Data[i*stride+j] = s.At(i, j)
		}
	}
	return a
}

func denseSym(w *Matrix) *mat.SymDense {
	s := mat.NewSymDense(w.n, nil)
	for i, row := range w.Rows() {
		for _, t := range row {
			if t.J >= i {
				s.SetSym(i, t.J, t.Weight)
			}
		}
	}
	return s
}

// addEdge adds w (e_i - e_j)(e_i - e_j)' to a Laplacian.
func addEdge(l *mat.SymDense, e schedule.Edge, w float64) {
	l.SetSym(e.I, e.J, l.At(e.I, e.J)-w)
	l.SetSym(e.I, e.I, l.At(e.I, e.I)+w)
	l.SetSym(e.J, e.J, l.At(e.J, e.J)+w)
}

// factor overwrites a with its Cholesky factor; false when it is not positive definite. It spares the estimate of the
// condition number that mat.Cholesky makes each time.
func factor(a *mat.SymDense) (blas64.Triangular, bool) { return lapack64.Potrf(a.RawSymmetric()) }

// logDeterminant returns log det A, and overwrites A.
func logDeterminant(a *mat.SymDense) (float64, bool) {
	t, ok := factor(a)
	if !ok {
		return 0, false
	}
	sum := 0.0
	for i := range t.N {
		sum += math.Log(t.Data[i*t.Stride+i])
	}
	return 2 * sum, true
}

// inverse returns A⁻¹, all entries, and overwrites A.
func inverse(a *mat.SymDense) (*mat.Dense, bool) {
	t, ok := factor(a)
	if !ok {
		return nil, false
	}
	s, ok := lapack64.Potri(t)
	if !ok {
		return nil, false
	}
	out := mat.NewDense(t.N, t.N, nil)
	d := out.RawMatrix().Data
	for i := range t.N {
		for j := i; j < t.N; j++ {
			v := s.Data[i*s.Stride+j]
			d[i*t.N+j], d[j*t.N+i] = v, v
		}
	}
	return out, true
}

// newton solves H d = -g and returns d with the squared decrement d'Hd. A system that rounding has
// made indefinite gets a small multiple of its diagonal.
func newton(h *mat.SymDense, g *mat.VecDense) (d []float64, decrement float64, ok bool) {
	n := g.Len()
	a := mat.NewSymDense(n, nil)
	for ridge := 0.0; ridge < 1e-3; ridge = max(1e-14, ridge*10) {
		a.CopySym(h)
		for i := range n {
			a.SetSym(i, i, a.At(i, i)*(1+ridge))
		}
		t, ok := factor(a)
		if !ok {
			continue
		}
		d = make([]float64, n)
		for i := range d {
			d[i] = -g.AtVec(i)
		}
		lapack64.Potrs(t, blas64.General{Rows: n, Cols: 1, Stride: 1, Data: d})
		decrement = -dot(d, g.RawVector().Data)
		return d, decrement, decrement >= 0 && !math.IsNaN(decrement)
	}
	return nil, 0, false
}
