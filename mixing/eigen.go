package mixing

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
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
	a := blas64.Symmetric{N: n, Stride: max(1, stride), Uplo: blas64Upper, Data: make([]float64, max(1, n*stride))}
	for i := range n {
		for j := i; j < n; j++ {
			a.Data[i*stride+j] = s.At(i, j)
		}
	}
	return a
}

const blas64Upper = 'U'

// addEdge adds w (e_i - e_j)(e_i - e_j)' to a Laplacian.
func addEdge(l *mat.SymDense, e schedule.Edge, w float64) {
	l.SetSym(e.I, e.J, l.At(e.I, e.J)-w)
	l.SetSym(e.I, e.I, l.At(e.I, e.I)+w)
	l.SetSym(e.J, e.J, l.At(e.J, e.J)+w)
}

// newton solves H d = -g and returns d with the decrement d'Hd. A system that rounding has made indefinite gets a
// small multiple of its diagonal.
func newton(h *mat.SymDense, g *mat.VecDense) (d []float64, decrement float64, ok bool) {
	n := g.Len()
	for ridge := 0.0; ridge < 1e-3; ridge = max(1e-14, ridge*10) {
		a := h
		if ridge > 0 {
			a = mat.NewSymDense(n, nil)
			a.CopySym(h)
			for i := range n {
				a.SetSym(i, i, a.At(i, i)*(1+ridge))
			}
		}
		var chol mat.Cholesky
		if !chol.Factorize(a) {
			continue
		}
		x := mat.NewVecDense(n, nil)
		if err := chol.SolveVecTo(x, g); err != nil {
			if _, bad := err.(mat.Condition); !bad {
				continue
			}
		}
		x.ScaleVec(-1, x)
		decrement = -mat.Dot(x, g)
		return x.RawVector().Data, decrement, decrement >= 0 && !math.IsNaN(decrement)
	}
	return nil, 0, false
}
