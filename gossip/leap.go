package gossip

import (
	"math"

	"github.com/islandsgd/islands/mixing"
)

// leap is h local steps of a diagonal quadratic in one draw. Each step is x ← (1-ηa) x + ηa b + η√N ξ, so h of them
// are one such line again, with
//
//	p = (1-ηa)^h,   q = (1-p) b,   r² = η² N Σ_{k<h} (1-ηa)^{2k},
//
// and the noise is Gaussian: exact in distribution.
type leap struct {
	p, q, r []float64 // n × d
}

func (w *localWalk) leap(h int) *leap {
	if l, ok := w.leaps[h]; ok {
		return l
	}
	n, d := w.s.q.N, w.s.q.D
	l := &leap{make([]float64, n*d), make([]float64, n*d), make([]float64, n*d)}
	for i := range n {
		for k := range d {
			one := affine{1, 1, []float64{1 - w.s.step*w.s.q.A[i][k]}, []float64{w.s.step * w.s.q.A[i][k] * w.s.q.B[i][k]},
				[]float64{w.s.step * w.s.step * w.s.q.Noise[i][k]}}
			f := one.power(h)
			l.p[i*d+k], l.q[i*d+k], l.r[i*d+k] = f.m[0], f.c[0], math.Sqrt(f.g[0])
		}
	}
	w.leaps[h] = l
	return l
}

// apply lets island i leap.
func (l *leap) apply(w *localWalk, i int) {
	w.sources[i].stir(w.row(w.x, i), w.row(l.p, i), w.row(l.q, i), w.row(l.r, i))
}

// average lets all islands leap and then average within cliques, with one draw for each clique: the mean of c islands
// has the mean of their lines and noise of variance Σ r² / c². Islands in no clique leap alone.
func (l *leap) average(w *localWalk, cliques [][]int, alone []int) {
	for _, i := range alone {
		l.apply(w, i)
	}
	for _, c := range cliques {
		w.sources[c[0]].normals(w.noise)
		scale := 1 / float64(len(c))
		mean := w.row(w.x, c[0])
		d := len(mean)
		for k, v := range w.noise {
			sum, variance := 0.0, 0.0
			for _, i := range c {
				at := i*d + k
				sum += l.p[at]*w.x[at] + l.q[at]
				variance += l.r[at] * l.r[at]
			}
			mean[k] = scale * (sum + math.Sqrt(variance)*v)
		}
		for _, i := range c[1:] {
			copy(w.row(w.x, i), mean)
		}
	}
}

// alone returns the islands that are in no clique.
func alone(n int, cliques [][]int) []int {
	in := make([]bool, n)
	for _, c := range cliques {
		for _, i := range c {
			in[i] = true
		}
	}
	var out []int
	for i, v := range in {
		if !v {
			out = append(out, i)
		}
	}
	return out
}

// cliquesOf returns the cliques of a round and the islands in none, or ok = false where W is no clique averaging.
func cliquesOf(w *mixing.Matrix) (cliques [][]int, rest []int, ok bool) {
	if cliques, ok = w.Cliques(); ok {
		rest = alone(w.N(), cliques)
	}
	return cliques, rest, ok
}

// diagonalized returns the problem in the basis in which it is diagonal, or q itself where there is none. The error
// measures are the same in any basis; what an algorithm that tells coordinates apart does is not.
func (q *Quadratic) diagonalized(alg Algorithm) *Quadratic {
	if q.Diagonal || alg.coordinatewise() {
		return q
	}
	u, ok := q.commonBasis()
	if !ok {
		return q
	}
	out := &Quadratic{N: q.N, D: q.D, Diagonal: true, Weights: q.Weights}
	for i := range q.N {
		if !diagonalIs(u, q.Noise[i]) {
			return q
		}
		out.A, out.Noise = append(out.A, nonnegative(diagonalIn(u, q.A[i]))), append(out.Noise, nonnegative(diagonalIn(u, q.Noise[i])))
		out.B, out.Start = append(out.B, vectorIn(u, q.B[i])), append(out.Start, vectorIn(u, q.Start[i]))
	}
	return out
}

func nonnegative(v []float64) []float64 {
	for k := range v {
		v[k] = max(0, v[k])
	}
	return v
}
