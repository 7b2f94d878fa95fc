package mixing

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
)

const (
	// lanczosTol is the residual, relative to the largest |eigenvalue|, at which an end of the spectrum counts as
	// found. The error of the eigenvalue itself is far smaller: quadratic in the residual over the gap.
	lanczosTol = 1e-10
	// lanczosDim is the size of a Krylov space before it is restarted, and lanczosRestarts how often that may happen.
	lanczosDim      = 160
	lanczosRestarts = 60
)

// ends are the extreme eigenvalues of a symmetric operator, each within residual of a true eigenvalue.
type ends struct {
	low, high float64
	residual  float64 // the larger of both ends' ‖A v - λ v‖ for unit v
	converged bool
	vector    []float64 // Ritz vector of the end that is larger in size
}

// lanczos finds both ends of the spectrum of a symmetric operator of dimension n, by the Lanczos process with full
// reorthogonalization, restarted with the sum of both extreme Ritz vectors. start is the first vector; nil takes a
// fixed pseudo-random one, which no symmetry of the operator leaves out. See Parlett, The Symmetric Eigenvalue
// Problem, chapter 13.
func lanczos(n int, mul func(dst, x []float64), start []float64, tol float64) ends {
	if n == 0 {
		return ends{converged: true}
	}
	v := make([]float64, n)
	if start == nil {
		pseudoRandom(v)
	} else {
		copy(v, start)
	}
	if normalize(v) == 0 {
		return ends{converged: true, vector: v}
	}
	dim := min(n, lanczosDim)
	basis := make([][]float64, 0, dim+1)
	var best ends
	for range lanczosRestarts {
		basis = append(basis[:0], v)
		var alpha, beta []float64
		check := 6
		for {
			k := len(alpha)
			w := make([]float64, n)
			mul(w, basis[k])
			a := dot(w, basis[k])
			alpha = append(alpha, a)
			for range 2 { // twice is enough (Kahan, Parlett)
				for _, b := range basis {
					axpy(w, -dot(w, b), b)
				}
			}
			b := normalize(w)
			k++
			scale := math.Max(math.Abs(best.low), math.Abs(best.high))
			last := k == dim || b <= 1e-15*scale || b == 0
			if last || k >= check {
				check = k + max(4, k/3)
				low, high, bottom, top := tridiagonalEnds(alpha, beta)
				best = ends{low: low, high: high}
				if b > 0 && k < n {
					best.residual = b * math.Max(math.Abs(bottom[k-1]), math.Abs(top[k-1]))
				}
				size := math.Max(math.Abs(low), math.Abs(high))
				best.converged = best.residual <= tol*size
				if best.converged || last {
					pick := top
					if math.Abs(low) > math.Abs(high) {
						pick = bottom
					}
					best.vector = combine(basis[:k], pick)
					if best.converged || b == 0 || k == n {
						best.converged = true
						return best
					}
					v = combine(basis[:k], top)
					axpy(v, 1, combine(basis[:k], bottom))
					normalize(v)
					break
				}
			}
			beta = append(beta, b)
			basis = append(basis, w)
		}
	}
	return best
}

// tridiagonalEnds returns the extreme eigenvalues of a symmetric tridiagonal matrix with their unit eigenvectors.
func tridiagonalEnds(diagonal, off []float64) (low, high float64, bottom, top []float64) {
	k := len(diagonal)
	a := blas64.Symmetric{N: k, Stride: k + 1, Uplo: blas.Upper, Data: make([]float64, k*(k+1))} // odd stride: no cache cliff
	for i, d := range diagonal {
		a.Data[i*a.Stride+i] = d
		if i+1 < k {
			a.Data[i*a.Stride+i+1] = off[i]
		}
	}
	values := symmetricEigen(a, true)
	bottom, top = make([]float64, k), make([]float64, k)
	for i := range k {
		bottom[i], top[i] = a.Data[i*a.Stride], a.Data[i*a.Stride+k-1]
	}
	return values[0], values[k-1], bottom, top
}

// symmetricEigen returns the eigenvalues, ascending, and overwrites a with the eigenvectors in its columns when they
// are asked for.
func symmetricEigen(a blas64.Symmetric, vectors bool) []float64 {
	values := make([]float64, a.N)
	job := lapack.EVNone
	if vectors {
		job = lapack.EVCompute
	}
	work := []float64{0}
	lapack64.Syev(job, a, values, work, -1)
	work = make([]float64, int(work[0]))
	lapack64.Syev(job, a, values, work, len(work))
	return values
}

func combine(basis [][]float64, c []float64) []float64 {
	v := make([]float64, len(basis[0]))
	for i, b := range basis {
		axpy(v, c[i], b)
	}
	return v
}

// pseudoRandom fills v with fixed values in (-1, 1) (splitmix64), the same in every run.
func pseudoRandom(v []float64) {
	state := uint64(0x9e3779b97f4a7c15)
	for i := range v {
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		v[i] = float64(int64(z^z>>31)) / (1 << 63)
	}
}

func dot(x, y []float64) float64 {
	return blas64.Dot(blas64.Vector{N: len(x), Inc: 1, Data: x}, blas64.Vector{N: len(y), Inc: 1, Data: y})
}

func axpy(dst []float64, a float64, x []float64) {
	blas64.Axpy(a, blas64.Vector{N: len(x), Inc: 1, Data: x}, blas64.Vector{N: len(dst), Inc: 1, Data: dst})
}

func normalize(v []float64) float64 {
	norm := blas64.Nrm2(blas64.Vector{N: len(v), Inc: 1, Data: v})
	if norm > 0 {
		for i := range v {
			v[i] /= norm
		}
	}
	return norm
}
