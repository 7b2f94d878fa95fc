package gossip

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// folded is a random mixing M with many outcomes, written out as the linear maps of the mean, E[M], and of the second
// moment, E → E[M E M'] on the upper triangle read row by row.
type folded struct{ mean, second []float64 }

// maxFolded is the largest size whose map of second moments is written out: 0.7 MB.
const maxFolded = 24

// fold returns the maps where applying them is cheaper than applying every outcome, else nil.
func fold(outcomes []weightedOp, used int) *folded {
	if used > maxFolded || len(outcomes) < used*used/8 {
		return nil
	}
	dim := used * (used + 1) / 2
	f := &folded{make([]float64, used*used), make([]float64, dim*dim)}
	identity, m := make([]float64, used*used), make([]float64, used*used)
	for k := range used {
		identity[k*used+k] = 1
	}
	for _, w := range outcomes {
		w.linear(m, identity, used)
		axpy(f.mean, w.probability, m)
		row := f.second
		for r := range used {
			a := m[r*used : (r+1)*used]
			for c := r; c < used; c++ {
				b, at := m[c*used:(c+1)*used], 0
				for k := range used { // (M E M')_rc = Σ_k a_k b_k E_kk + Σ_{k<l} (a_k b_l + a_l b_k) E_kl
					x, y := w.probability*a[k], w.probability*b[k]
					row[at] += x * b[k]
					at++
					for l := k + 1; l < used; l++ {
						row[at] += x*b[l] + y*a[l]
						at++
					}
				}
				row = row[dim:]
			}
		}
	}
	return f
}

// apply sets dst to E[M E M'].
func (f *folded) apply(dst, e []float64, used int) {
	dim := used * (used + 1) / 2
	x := blas64.Vector{N: dim, Inc: 1, Data: make([]float64, 0, dim)}
	for r := range used {
		x.Data = append(x.Data, e[r*used+r:(r+1)*used]...)
	}
	y := blas64.Vector{N: dim, Inc: 1, Data: make([]float64, dim)}
	blas64.Gemv(blas.NoTrans, 1, general(dim, dim, f.second), x, 0, y)
	at := 0
	for r := range used {
		for c := r; c < used; c++ {
			dst[r*used+c], dst[c*used+r] = y.Data[at], y.Data[at]
			at++
		}
	}
}
