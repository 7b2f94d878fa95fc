package gossip

import (
	"encoding/binary"
	"math"

	"gonum.org/v1/gonum/mat"
)

// group is a part of a quadratic that can be solved on its own: m coordinates that belong together (one, where the
// curvatures commute; all d otherwise) on n islands. Groups that differ in nothing but optimum and start have the same
// covariance, so they are one group with several members.
type group struct {
	n, m    int
	a       [][]float64 // curvature of each island, m × m
	noise   [][]float64 // noise covariance of each island, m × m
	members int
	shift   []float64 // b_i - x*, (n·m) × members: rows are islands, within them coordinates
	start   []float64 // x_i - x* at the start, likewise
	star    []float64 // x*, m × members

	fragment int // of the coordinates, where the algorithm tells fragments apart
}

// groups splits the problem for an algorithm. Coordinates are measured from x*. With several fragments, which only
// diagonal problems can have, coordinates of different fragments (consecutive parts of the coordinates) are in different
// groups.
func (q *Quadratic) groups(alg Algorithm) []*group {
	if q.Diagonal {
		return q.split(q.A, q.B, q.Noise, q.Start, q.Constants().XStar, alg.fragments())
	}
	star := q.Constants().XStar
	if u, ok := q.commonBasis(); ok && !alg.coordinatewise() {
		a, noise := make([][]float64, q.N), make([][]float64, q.N)
		b, start := make([][]float64, q.N), make([][]float64, q.N)
		for i := range q.N {
			a[i], noise[i] = diagonalIn(u, q.A[i]), diagonalIn(u, q.Noise[i])
			b[i], start[i] = vectorIn(u, q.B[i]), vectorIn(u, q.Start[i])
		}
		return q.split(a, b, noise, start, vectorIn(u, star), 1)
	}
	g := &group{n: q.N, m: q.D, a: q.A, noise: q.Noise, members: 1, star: star}
	for i := range q.N {
		for k := range q.D {
			g.shift = append(g.shift, q.B[i][k]-star[k])
			g.start = append(g.start, q.Start[i][k]-star[k])
		}
	}
	return []*group{g}
}

// split makes groups of single coordinates out of diagonals.
func (q *Quadratic) split(a, b, noise, start [][]float64, star []float64, fragments int) []*group {
	var groups []*group
	var members [][]int
	index := map[string]int{} // looked up only, never walked: the order of groups is that of first coordinates
	key := make([]byte, 0, 16*q.N)
	for k := range q.D {
		key = key[:0]
		for i := range q.N {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(a[i][k]))
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(noise[i][k]))
		}
		fragment := k * fragments / q.D
		key = binary.LittleEndian.AppendUint32(key, uint32(fragment))
		at, known := index[string(key)]
		if !known {
			at = len(groups)
			index[string(key)] = at
			g := &group{n: q.N, m: 1, fragment: fragment, a: make([][]float64, q.N), noise: make([][]float64, q.N)}
			for i := range q.N {
				g.a[i], g.noise[i] = []float64{a[i][k]}, []float64{noise[i][k]}
			}
			groups, members = append(groups, g), append(members, nil)
		}
		members[at] = append(members[at], k)
	}
	for at, g := range groups {
		g.members = len(members[at])
		g.shift, g.start = make([]float64, q.N*g.members), make([]float64, q.N*g.members)
		for _, k := range members[at] {
			g.star = append(g.star, star[k])
		}
		for i := range q.N {
			for c, k := range members[at] {
				g.shift[i*g.members+c] = b[i][k] - star[k]
				g.start[i*g.members+c] = start[i][k] - star[k]
			}
		}
	}
	return groups
}

// commutingTol is the size, relative to the largest entry, of the off-diagonal entries that remain when commuting
// matrices are diagonalized together in floating point. Matrices that miss it are solved without decoupling, which is
// slower and never wrong.
const commutingTol = 1e-13

// commonBasis returns the orthonormal columns in which every A_i is diagonal, or false when the A_i do not commute. A
// generic combination of commuting matrices has exactly their common eigenvectors.
func (q *Quadratic) commonBasis() (*mat.Dense, bool) {
	d := q.D
	mix := mat.NewSymDense(d, nil)
	for i := range q.N {
		factor := 1 + math.Mod(float64(i+1)*math.Phi, 1) // irrational: no combination cancels by accident
		mix.AddSym(mix, scaled(factor, mat.NewSymDense(d, q.A[i])))
	}
	var e mat.EigenSym
	if !e.Factorize(mix, true) {
		return nil, false
	}
	u := new(mat.Dense)
	e.VectorsTo(u)
	for i := range q.N {
		if !diagonalIs(u, q.A[i]) {
			return nil, false
		}
	}
	return u, true
}

// diagonalIs reports whether U' A U is diagonal.
func diagonalIs(u *mat.Dense, a []float64) bool {
	d, _ := u.Dims()
	var t, r mat.Dense
	t.Mul(mat.NewDense(d, d, a), u)
	r.Mul(u.T(), &t)
	largest := 0.0
	for _, v := range a {
		largest = max(largest, math.Abs(v))
	}
	for j := range d {
		for k := range d {
			if j != k && math.Abs(r.At(j, k)) > commutingTol*float64(d)*largest {
				return false
			}
		}
	}
	return true
}

// diagonalIn returns the diagonal of U' A U.
func diagonalIn(u *mat.Dense, a []float64) []float64 {
	d, _ := u.Dims()
	var t mat.Dense
	t.Mul(mat.NewDense(d, d, a), u)
	out := make([]float64, d)
	for k := range d {
		for j := range d {
			out[k] += u.At(j, k) * t.At(j, k)
		}
	}
	return out
}

// vectorIn returns U' x.
func vectorIn(u *mat.Dense, x []float64) []float64 {
	out := make([]float64, len(x))
	for k := range out {
		for j, v := range x {
			out[k] += u.At(j, k) * v
		}
	}
	return out
}
