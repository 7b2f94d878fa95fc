package mixing

import (
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Long thin graphs (paths, rings, ladders, narrow grids) have eigenvalues that crowd at 1, where Lanczos stalls, and
// they can be numbered so that W is a narrow band, which is cheap to factorize. Lanczos on ((1+δ)I - W)⁻¹ then finds
// the small gap 1 - λ_2 as the largest eigenvalue, in a few steps and with small relative error.

// bandShift is δ: far below any gap worth telling, and above the rounding of a factorization.
const bandShift = 1e-13

const (
	// narrowWork is the n b² of a factorization that is cheaper than finding out whether Lanczos would do.
	narrowWork = 3e7
	// bandWork is the n b² beyond which it is never tried: some seconds.
	bandWork = 3e9
)

// cuthillMcKee numbers the nodes of a symmetric matrix so that neighbors get close numbers (Cuthill and McKee 1969,
// from a node at the rim), and returns the order with the half-bandwidth that results.
func cuthillMcKee(w *Matrix) (order []int, band int) {
	n := w.n
	seen := make([]int, n) // number of the search that saw the node
	search := 0
	bfs := func(start int, out []int) []int {
		search++
		first := len(out)
		out = append(out, start)
		seen[start] = search
		for k := first; k < len(out); k++ {
			from := len(out)
			for _, t := range w.rows[out[k]] {
				if seen[t.J] != search {
					seen[t.J] = search
					out = append(out, t.J)
				}
			}
			slices.SortFunc(out[from:], func(a, b int) int { return len(w.rows[a]) - len(w.rows[b]) })
		}
		return out
	}
	done := make([]bool, n)
	for i := range n {
		if done[i] {
			continue
		}
		start := i
		for range 2 { // the last node of a search is far from its first
			reached := bfs(start, nil)
			start = reached[len(reached)-1]
		}
		from := len(order)
		order = bfs(start, order)
		for _, v := range order[from:] {
			done[v] = true
		}
	}
	position := make([]int, n)
	for k, v := range order {
		position[v] = k
	}
	for i, row := range w.rows {
		for _, t := range row {
			band = max(band, position[i]-position[t.J])
		}
	}
	return order, band
}

// bandGap returns 1 - λ for the largest eigenvalue λ of sign·W off consensus, with a residual relative to it; false when the matrix has eigenvalues beyond 1.
func bandGap(w *Matrix, order []int, band int, sign float64) (gap, residual float64, ok bool) {
	n := w.n
	position := make([]int, n)
	for k, v := range order {
		position[v] = k
	}
	a := blas64.SymmetricBand{N: n, K: band, Stride: band + 1, Uplo: blas.Upper, Data: make([]float64, n*(band+1))}
	for i, row := range w.rows {
		p := position[i]
		a.Data[p*a.Stride] += 1 + bandShift
		for _, t := range row {
			if q := position[t.J]; q >= p {
				a.Data[p*a.Stride+q-p] -= sign * t.Weight
			}
		}
	}
	factor, ok := lapack64.Pbtrf(a)
	if !ok {
		return 0, 0, false
	}
	x := make([]float64, n)
	e := lanczos(n, func(dst, src []float64) {
		center(x, src)
		lapack64.Pbtrs(factor, blas64.General{Rows: n, Cols: 1, Stride: 1, Data: x})
		center(dst, x)
	}, nil, true)
	return 1/e.high - bandShift, e.highResidual / e.high, e.high > 0
}

// center writes x less its mean into dst.
func center(dst, x []float64) {
	mean := 0.0
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	for i, v := range x {
		dst[i] = v - mean
	}
}
