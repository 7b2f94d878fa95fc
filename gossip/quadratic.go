package gossip

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Quadratic is the problem on which everything can be computed exactly: n islands, d parameters,
//
//	f_i(x) = ½ (x - b_i)' A_i (x - b_i),   stochastic gradient A_i (x - b_i) + ξ_i,   E ξ_i ξ_i' = N_i,
//
// noise white in time and independent between islands. Diagonal problems keep only diagonals. A Quadratic is made by
// NewQuadratic, ParseProblem or ReadProblem, which check it; it does not change afterwards.
type Quadratic struct {
	N, D int

	Diagonal bool        // every A_i and N_i is diagonal: then A[i], Noise[i] hold d values, else d × d row-major
	A        [][]float64 // curvature, symmetric positive semidefinite
	B        [][]float64 // own optimum b_i, d values
	Noise    [][]float64 // noise covariance N_i
	Start    [][]float64 // start of each island, d values
	Weights  []float64   // island weights, sum 1; nil: equal

	// LeastSquares makes the noise multiplicative: every A_i is I, and the stochastic gradient is h h'(x - b_i) + ξ_i
	// with a fresh h ~ N(0, I), the random isotropic quadratic of Vogels, Hendrikx and Jaggi (2022). Noise is then
	// the same multiple of I in all coordinates of an island.
	LeastSquares bool
}

const (
	// maxEntry keeps squares of entries, and sums of them, finite.
	maxEntry = 1e150
	// maxValues bounds n·d (and n·d² for dense problems): 10⁸ numbers are 0.8 GB, beyond which a mistyped size is
	// likelier than a machine that can hold it.
	maxValues = 100_000_000

	// symmetryTol is the relative asymmetry that printing and reading a matrix leaves behind.
	symmetryTol = 1e-12

	// semidefiniteTol is how far below zero, relative to the largest eigenvalue, rounding may push an eigenvalue that
	// is zero.
	semidefiniteTol = 1e-12

	// weightSumTol is how far the island weights may be from summing to 1 before that is a mistake and not rounding.
	weightSumTol = 1e-9
)

// NewQuadratic checks q and returns a copy with what may be left out filled in: N and D from B; Noise nil: no noise;
// Start nil: all zeros; Weights nil: equal. The slices are shared with q, except where they need repair: curvatures are
// symmetrized and eigenvalues (or diagonal entries) that are negative by rounding become zero.
func NewQuadratic(q Quadratic) (*Quadratic, error) {
	if len(q.B) == 0 || len(q.B[0]) == 0 {
		return nil, fmt.Errorf("problem: no islands or no parameters")
	}
	q.N, q.D = len(q.B), len(q.B[0])
	size := q.D
	if !q.Diagonal {
		size *= q.D
	}
	if q.N > maxValues/size {
		return nil, fmt.Errorf("problem: %d islands with %d parameters are too large", q.N, q.D)
	}
	if q.Noise == nil {
		q.Noise = make([][]float64, q.N)
		zero := make([]float64, size)
		for i := range q.Noise {
			q.Noise[i] = zero
		}
	}
	if q.Start == nil {
		q.Start = make([][]float64, q.N)
		zero := make([]float64, q.D)
		for i := range q.Start {
			q.Start[i] = zero
		}
	}
	for _, f := range []struct {
		name string
		rows [][]float64
		size int
	}{{"curvature", q.A, size}, {"optimum", q.B, q.D}, {"noise", q.Noise, size}, {"start", q.Start, q.D}} {
		if len(f.rows) != q.N {
			return nil, fmt.Errorf("problem: %s for %d islands, optimum for %d", f.name, len(f.rows), q.N)
		}
		for i, row := range f.rows {
			if len(row) != f.size {
				return nil, fmt.Errorf("problem: %s of island %d has %d values, want %d", f.name, i, len(row), f.size)
			}
			for _, v := range row {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return nil, fmt.Errorf("problem: %s of island %d is not finite", f.name, i)
				}
				if math.Abs(v) > maxEntry {
					return nil, fmt.Errorf("problem: %s of island %d has %g: squares of what is beyond %g are past the range of floating point", f.name, i, v, maxEntry)
				}
			}
		}
	}
	a, noise := make([][]float64, q.N), make([][]float64, q.N)
	for i := range q.N {
		var err error
		if a[i], err = semidefinite(q.A[i], q.D, q.Diagonal); err != nil {
			return nil, fmt.Errorf("problem: curvature of island %d %w", i, err)
		}
		if noise[i], err = semidefinite(q.Noise[i], q.D, q.Diagonal); err != nil {
			return nil, fmt.Errorf("problem: noise of island %d %w", i, err)
		}
	}
	q.A, q.Noise = a, noise
	if q.LeastSquares && !isotropic(&q) {
		return nil, fmt.Errorf("problem: least squares needs diagonal storage, curvature 1 and the same noise in every coordinate")
	}
	if q.Weights != nil {
		if err := checkWeights(q.Weights, q.N); err != nil {
			return nil, fmt.Errorf("problem: %w", err)
		}
	}
	return &q, nil
}

// isotropic reports whether the problem has what LeastSquares requires.
func isotropic(q *Quadratic) bool {
	for i := range q.N {
		for k := range q.D {
			if !q.Diagonal || q.A[i][k] != 1 || q.Noise[i][k] != q.Noise[i][0] {
				return false
			}
		}
	}
	return true
}

func checkWeights(w []float64, n int) error {
	if len(w) != n {
		return fmt.Errorf("%d weights for %d islands", len(w), n)
	}
	sum := 0.0
	for i, v := range w {
		if !(v > 0) {
			return fmt.Errorf("weight %g of island %d is not positive", v, i)
		}
		sum += v
	}
	if math.Abs(sum-1) > weightSumTol {
		return fmt.Errorf("weights sum to %g, want 1", sum)
	}
	return nil
}

// semidefinite returns the matrix, repaired by what rounding does to a positive semidefinite one, or says why it is
// none. The message completes "curvature of island 3 ...".
func semidefinite(a []float64, d int, diagonal bool) ([]float64, error) {
	if diagonal {
		return semidefiniteDiagonal(a)
	}
	largest := 0.0
	for _, v := range a {
		largest = max(largest, math.Abs(v))
	}
	out := make([]float64, d*d)
	sym := mat.NewSymDense(d, out)
	for i := range d {
		for j := i; j < d; j++ {
			if math.Abs(a[i*d+j]-a[j*d+i]) > symmetryTol*largest {
				return nil, fmt.Errorf("is not symmetric: entry (%d,%d) is %g, entry (%d,%d) is %g", i, j, a[i*d+j], j, i, a[j*d+i])
			}
			v := 0.5*a[i*d+j] + 0.5*a[j*d+i]
			out[i*d+j], out[j*d+i] = v, v
		}
	}
	var e mat.EigenSym
	if !e.Factorize(sym, false) {
		return nil, fmt.Errorf("has no eigenvalues: the decomposition did not converge")
	}
	if values := e.Values(nil); values[0] < -semidefiniteTol*max(values[d-1], -values[0]) {
		return nil, fmt.Errorf("is not positive semidefinite: it has the eigenvalue %.4g", values[0])
	}
	return out, nil
}

func semidefiniteDiagonal(a []float64) ([]float64, error) {
	largest, negative := 0.0, false
	for _, v := range a {
		largest = max(largest, math.Abs(v))
		negative = negative || v < 0
	}
	if !negative {
		return a, nil
	}
	out := make([]float64, len(a))
	for k, v := range a {
		if v < -semidefiniteTol*largest {
			return nil, fmt.Errorf("is not positive semidefinite: it has the eigenvalue %.4g", v)
		}
		out[k] = max(0, v)
	}
	return out, nil
}

// weight returns the weight of island i.
func (q *Quadratic) weight(i int) float64 {
	if q.Weights == nil {
		return 1 / float64(q.N)
	}
	return q.Weights[i]
}

// weights returns the island weights, written out.
func (q *Quadratic) weights() []float64 {
	w := make([]float64, q.N)
	for i := range w {
		w[i] = q.weight(i)
	}
	return w
}

// dense returns a d × d matrix for the island's curvature or noise, whatever its storage.
func (q *Quadratic) dense(a []float64) []float64 {
	if !q.Diagonal {
		return a
	}
	out := make([]float64, q.D*q.D)
	for k, v := range a {
		out[k*q.D+k] = v
	}
	return out
}
