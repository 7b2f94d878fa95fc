package mixing

import (
	"math"
	"math/bits"
	"strconv"
)

// Many schedules look the same from every node: rings, tori, hypercubes, exponential graphs. Then W_ij depends on the
// difference j - i in a commutative group alone, the characters of the group are the eigenvectors, and the eigenvalues
// are sums of a few cosines and sines: exact at any size.

// group is a commutative group on the node numbers, node 0 being its zero.
type group interface {
	sum(i, d int) int
	// squares returns the |eigenvalues|² of the invariant matrix with this row 0, but for the one of consensus, in an
	// order that depends on the group alone: invariant matrices commute, and their eigenvalues multiply.
	squares(row []Term) []float64
	name() string
}

// cyclic is Z_a × Z_b; node i is the pair (i / b, i mod b). Z_n is Z_1 × Z_n.
type cyclic struct{ a, b int }

// bitwise is Z_2^m on n = 2^m nodes.
type bitwise struct{ n int }

func (g cyclic) name() string {
	if g.a > 1 {
		return "Z_" + strconv.Itoa(g.a) + " × Z_" + strconv.Itoa(g.b)
	}
	return "Z_" + strconv.Itoa(g.b)
}

func (g bitwise) name() string     { return "Z_2^" + strconv.Itoa(bits.Len(uint(g.n))-1) }
func (g bitwise) sum(i, d int) int { return i ^ d }

// symmetry finds a group under which all matrices are invariant, and returns it with row 0 of each.
func symmetry(ws []*Matrix) (g group, rows [][]Term, ok bool) {
	n := ws[0].n
	if n < 2 {
		return nil, nil, false
	}
	full := make([]*Matrix, len(ws))
	work := 0
	for t, w := range ws {
		for _, c := range w.cliques {
			work += len(c) * len(c)
		}
		if w.rows != nil {
			work += n * len(w.rows[0])
		}
		if work > maxCharacterTerms {
			return nil, nil, false
		}
		full[t] = &Matrix{n: n, rows: w.Rows(), theta: 1}
		rows = append(rows, full[t].rows[0])
	}
	var candidates []group
	for a := 1; a*a <= n; a++ {
		if n%a == 0 {
			candidates = append(candidates, cyclic{a, n / a})
			if a > 1 {
				candidates = append(candidates, cyclic{n / a, a})
			}
		}
	}
	if n&(n-1) == 0 {
		candidates = append(candidates, bitwise{n})
	}
	for _, g := range candidates {
		all := true
		for _, w := range full {
			if all = invariant(w, g.sum); !all {
				break
			}
		}
		if all {
			return g, rows, true
		}
	}
	return nil, nil, false
}

// maxCharacterTerms bounds the sums: n eigenvalues of as many terms as a row has.
const maxCharacterTerms = 50_000_000

// invariantTol is what rounding may leave between entries that should be equal.
const invariantTol = 4e-16

func (g cyclic) sum(i, d int) int {
	x, y := i/g.b+d/g.b, i%g.b+d%g.b
	if x >= g.a {
		x -= g.a
	}
	if y >= g.b {
		y -= g.b
	}
	return x*g.b + y
}

// invariant reports whether W_{i, i+d} = W_{0, d} for all i and d. Node 0 is the group's zero, so that row 0 lists
// the differences.
func invariant(w *Matrix, sum func(i, d int) int) bool {
	first := w.rows[0]
	for i := w.n - 1; i > 0; i-- { // the last rows are where a plain grid differs from a torus
		if len(w.rows[i]) != len(first) {
			return false
		}
		for _, t := range first {
			if math.Abs(w.at(i, sum(i, t.J))-t.Weight) > invariantTol {
				return false
			}
		}
	}
	return true
}

func (g cyclic) squares(row []Term) []float64 {
	table := func(n int) (c, s []float64) {
		c, s = make([]float64, n), make([]float64, n)
		for k := range n {
			s[k], c[k] = math.Sincos(2 * math.Pi * float64(k) / float64(n))
		}
		return c, s
	}
	ca, sa := table(g.a)
	cb, sb := table(g.b)
	out := make([]float64, 0, g.a*g.b-1)
	for p := range g.a {
		for q := range g.b {
			if p == 0 && q == 0 {
				continue
			}
			re, im := 0.0, 0.0
			for _, t := range row {
				i, j := p*(t.J/g.b)%g.a, q*(t.J%g.b)%g.b
				re += t.Weight * (ca[i]*cb[j] - sa[i]*sb[j])
				im += t.Weight * (sa[i]*cb[j] + ca[i]*sb[j])
			}
			out = append(out, re*re+im*im)
		}
	}
	return out
}

// squares sums the characters ±1.
func (g bitwise) squares(row []Term) []float64 {
	out := make([]float64, 0, g.n-1)
	for p := 1; p < g.n; p++ {
		sum := 0.0
		for _, t := range row {
			if bits.OnesCount(uint(p&t.J))%2 == 1 {
				sum -= t.Weight
			} else {
				sum += t.Weight
			}
		}
		out = append(out, sum*sum)
	}
	return out
}
