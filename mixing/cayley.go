package mixing

import (
	"math"
	"math/bits"
	"strconv"
)

// Many schedules look the same from every node: rings, tori, hypercubes, exponential graphs. Then W_ij depends on the
// difference j - i in a commutative group alone, the characters of the group are the eigenvectors, and the eigenvalues
// are sums of a few cosines and sines: exact at any size.

// cyclic is a group Z_a × Z_b; node i is the pair (i / b, i mod b). Z_n is Z_1 × Z_n.
type cyclic struct{ a, b int }

// characters finds a group under which W is invariant, and returns the |eigenvalues|² off consensus with its name.
func characters(w *Matrix) (squares []float64, group string, ok bool) {
	n := w.n
	if w.rows == nil || n < 2 || len(w.rows[0])*n > maxCharacterTerms {
		return nil, "", false
	}
	for a := 1; a*a <= n; a++ {
		if n%a != 0 {
			continue
		}
		for _, g := range []cyclic{{a, n / a}, {n / a, a}} {
			if g.a == n && n > 1 {
				continue // Z_n again
			}
			if invariant(w, g.sum) {
				name := "Z_" + strconv.Itoa(g.b)
				if g.a > 1 {
					name = "Z_" + strconv.Itoa(g.a) + " × " + name
				}
				return g.eigenvalues(w.rows[0]), name, true
			}
		}
	}
	if n&(n-1) == 0 && invariant(w, xor) {
		return walsh(w.rows[0], n), "Z_2^m", true
	}
	return nil, "", false
}

// maxCharacterTerms bounds the sums: n eigenvalues of as many terms as a row has.
const maxCharacterTerms = 50_000_000

// invariantTol is what rounding may leave between entries that should be equal.
const invariantTol = 4e-16

func xor(i, j int) int { return i ^ j }

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

func (g cyclic) eigenvalues(row []Term) []float64 {
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

// walsh sums the characters ±1 of Z_2^m.
func walsh(row []Term, n int) []float64 {
	out := make([]float64, 0, n-1)
	for p := 1; p < n; p++ {
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
