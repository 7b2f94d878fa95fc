package gossip

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// folded is a random mixing M with many outcomes, written out as linear maps: E[M] of the mean, and on the upper
// triangles of symmetric matrices, read row by row, E → E[M E M'] and E → E[(M - E[M]) E (M - E[M])'].
type folded struct{ mean, second, spread []float64 }

// maxFolded is the largest size whose maps of symmetric matrices are written out: 0.7 MB each.
const maxFolded = 24

// fold returns the maps where applying them is cheaper than applying every outcome, else nil.
func fold(outcomes []weightedOp, used int) *folded {
	if used > maxFolded || len(outcomes) < used*used/8 {
		return nil
	}
	dim := used * (used + 1) / 2
	f := &folded{make([]float64, used*used), make([]float64, dim*dim), make([]float64, dim*dim)}
	identity, m := make([]float64, used*used), make([]float64, used*used)
	for k := range used {
		identity[k*used+k] = 1
	}
	for _, w := range outcomes {
		w.linear(m, identity, used)
		axpy(f.mean, w.probability, m)
		addConjugation(f.second, w.probability, m, used)
	}
	for _, w := range outcomes {
		w.linear(m, identity, used)
		axpy(m, -1, f.mean)
		addConjugation(f.spread, w.probability, m, used)
	}
	return f
}

// addConjugation adds p times the map E → M E M' to rows.
func addConjugation(rows []float64, p float64, m []float64, used int) {
	dim := used * (used + 1) / 2
	for r := range used {
		a := m[r*used : (r+1)*used]
		for c := r; c < used; c++ {
			b, at := m[c*used:(c+1)*used], 0
			for k := range used { // (M E M')_rc = Σ_k a_k b_k E_kk + Σ_{k<l} (a_k b_l + a_l b_k) E_kl
				x, y := p*a[k], p*b[k]
				rows[at] += x * b[k]
				at++
				for l := k + 1; l < used; l++ {
					rows[at] += x*b[l] + y*a[l]
					at++
				}
			}
			rows = rows[dim:]
		}
	}
}

// applyMap sets dst to one of the maps of symmetric matrices, applied to e.
func applyMap(dst, rows, e []float64, used int) {
	dim := used * (used + 1) / 2
	x := blas64.Vector{N: dim, Inc: 1, Data: make([]float64, 0, dim)}
	for r := range used {
		x.Data = append(x.Data, e[r*used+r:(r+1)*used]...)
	}
	y := blas64.Vector{N: dim, Inc: 1, Data: make([]float64, dim)}
	blas64.Gemv(blas.NoTrans, 1, general(dim, dim, rows), x, 0, y)
	at := 0
	for r := range used {
		for c := r; c < used; c++ {
			dst[r*used+c], dst[c*used+r] = y.Data[at], y.Data[at]
			at++
		}
	}
}
