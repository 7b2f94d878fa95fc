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
	// found. An eigenvalue is always that close; its actual error is of the order of the residual's square over the
	// gap to its neighbor.
	lanczosTol = 1e-9
	// lanczosSteps bounds the iteration. What has not converged by then sits in a crowded end of the spectrum and is
	// reported with its residual.
	lanczosSteps = 2000
	// nothing is the size below which an operator made of matrices of norm about 1 is rounding, as is its spectrum.
	nothing = 1e-24
)

// ends are the extreme eigenvalues of a symmetric operator. Each is within its residual ‖A v - λ v‖ (unit v) of a true
// eigenvalue.
type ends struct {
	low, high                 float64
	lowResidual, highResidual float64
}

// size returns the larger |end|, the spectral radius, with its residual.
func (e ends) size() (value, residual float64) {
	if math.Abs(e.low) > math.Abs(e.high) {
		return math.Abs(e.low), e.lowResidual
	}
	return math.Abs(e.high), e.highResidual
}

// lanczos finds both ends of the spectrum of a symmetric operator of dimension n from the start vector; nil takes a
// fixed pseudo-random one, which has a share of every eigenvector whatever the symmetries of the operator are.
//
// The vectors are not reorthogonalized. Orthogonality is lost in the directions of converged eigenvectors only, which
// then appear again: copies of an extreme eigenvalue do not harm an extreme (Paige 1980; Parlett, The Symmetric
// Eigenvalue Problem, chapter 13). radius says that only the larger |end| has to converge.
func lanczos(n int, mul func(dst, x []float64), start []float64, radius bool) ends {
	v, w, previous := make([]float64, n), make([]float64, n), make([]float64, n)
	if start == nil {
		pseudoRandom(v)
	} else {
		copy(v, start)
	}
	var e ends
	if n == 0 || normalize(v) == 0 {
		return e
	}
	var alpha, beta []float64
	check := min(8, n)
	for k := 1; k <= lanczosSteps; k++ {
		mul(w, v)
		a := dot(w, v)
		alpha = append(alpha, a)
		axpy(w, -a, v)
		if k > 1 {
			axpy(w, -beta[k-2], previous)
		}
		axpy(w, -dot(w, v), v) // once more against the last vector: local orthogonality is what the theory needs
		b := normalize(w)
		scale := math.Max(math.Abs(e.low), math.Abs(e.high))
		broken := b <= 1e-14*math.Max(scale, math.Abs(a)) || b == 0
		if broken || k == check || k == lanczosSteps {
			check += max(4, k/4)
			var bottom, top float64
			e.low, bottom = tridiagonalEnd(alpha, beta, false)
			e.high, top = tridiagonalEnd(alpha, beta, true)
			if broken {
				b = 0
			}
			e.lowResidual, e.highResidual = b*bottom, b*top
			size := math.Max(math.Abs(e.low), math.Abs(e.high))
			if size+math.Max(e.lowResidual, e.highResidual) <= nothing {
				break
			}
			done := e.lowResidual <= lanczosTol*size && e.highResidual <= lanczosTol*size
			if radius {
				value, residual := e.size()
				other := math.Min(math.Abs(e.low)+e.lowResidual, math.Abs(e.high)+e.highResidual)
				done = done || residual <= lanczosTol*size && other < value
			}
			if done || broken {
				break
			}
		}
		beta = append(beta, b)
		previous, v, w = v, w, previous
	}
	return e
}

// tridiagonalEnd returns the smallest or largest eigenvalue of a symmetric tridiagonal matrix, and the size of the
// last component of its unit eigenvector: bisection by Sturm counts, then inverse iteration.
func tridiagonalEnd(diagonal, off []float64, largest bool) (value, last float64) {
	k := len(diagonal)
	low, high := math.Inf(1), math.Inf(-1)
	for i, d := range diagonal {
		r := 0.0
		if i > 0 {
			r += math.Abs(off[i-1])
		}
		if i+1 < k {
			r += math.Abs(off[i])
		}
		low, high = math.Min(low, d-r), math.Max(high, d+r)
	}
	size := math.Max(math.Abs(low), math.Abs(high))
	want := 1 // bisect for the eigenvalue with this many at or below it
	if largest {
		want = k
	}
	for high-low > 4e-16*size {
		mid := low + (high-low)/2
		if mid <= low || mid >= high {
			break
		}
		if sturm(diagonal, off, mid) >= want {
			high = mid
		} else {
			low = mid
		}
	}
	value = low + (high-low)/2
	return value, lastComponent(diagonal, off, value, size)
}

// sturm counts the eigenvalues below x.
func sturm(diagonal, off []float64, x float64) int {
	count, q := 0, 1.0
	for i, d := range diagonal {
		b := 0.0
		if i > 0 {
			b = off[i-1] * off[i-1] / q
		}
		q = d - x - b
		if q == 0 {
			q = -1e-300
		}
		if q < 0 {
			count++
		}
	}
	return count
}

// lastComponent solves (T - x) y = e twice by Gaussian elimination with row exchanges.
func lastComponent(diagonal, off []float64, x, size float64) float64 {
	k := len(diagonal)
	if k == 1 || size == 0 {
		return 1
	}
	y := make([]float64, k)
	for i := range y {
		y[i] = 1
	}
	d, u, u2, l := make([]float64, k), make([]float64, k), make([]float64, k), make([]float64, k)
	swap := make([]bool, k)
	for i := range k {
		d[i] = diagonal[i] - x
		if i+1 < k {
			u[i], l[i] = off[i], off[i]
		}
	}
	tiny := 1e-16 * size
	for i := range k - 1 {
		if math.Abs(l[i]) > math.Abs(d[i]) {
			swap[i] = true
			d[i], l[i] = l[i], d[i]
			u[i], d[i+1] = d[i+1], u[i]
			if i+2 < k {
				u2[i], u[i+1] = u[i+1], 0
			}
		}
		if math.Abs(d[i]) < tiny {
			d[i] = tiny
		}
		l[i] /= d[i]
		d[i+1] -= l[i] * u[i]
		if i+2 < k {
			u[i+1] -= l[i] * u2[i]
		}
	}
	if math.Abs(d[k-1]) < tiny {
		d[k-1] = tiny
	}
	for range 3 {
		for i := range k - 1 {
			if swap[i] {
				y[i], y[i+1] = y[i+1], y[i]
			}
			y[i+1] -= l[i] * y[i]
		}
		for i := k - 1; i >= 0; i-- {
			v := y[i]
			if i+1 < k {
				v -= u[i] * y[i+1]
			}
			if i+2 < k {
				v -= u2[i] * y[i+2]
			}
			y[i] = v / d[i]
		}
		normalize(y)
	}
	return math.Abs(y[k-1])
}

// symmetricEigen returns the eigenvalues, ascending, and overwrites a with the eigenvectors in its columns when they
// are asked for.
func symmetricEigen(a blas64.Symmetric, vectors bool) []float64 {
	values := make([]float64, a.N)
	if a.N == 0 {
		return values
	}
	job := lapack.EVNone
	if vectors {
		job = lapack.EVCompute
	}
	a.Uplo = blas.Upper
	work := []float64{0}
	lapack64.Syev(job, a, values, work, -1)
	work = make([]float64, int(work[0]))
	lapack64.Syev(job, a, values, work, len(work))
	return values
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
		blas64.Scal(1/norm, blas64.Vector{N: len(v), Inc: 1, Data: v})
	}
	return norm
}
