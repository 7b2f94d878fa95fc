package optimize

import (
	"math"
	"math/bits"
	"slices"
)

// The staleness of two alternating rounds in closed form.
//
// Averaging in cliques is an orthogonal projection: W_A projects on the vectors that are constant on the cliques of
// A. Two projections split the space into planes, one for each pair of principal vectors, and the disagreement in a
// plane evolves by itself. With x the squared cosine of the angle in a plane, the variance along A's principal vector
// after round A (T_A seconds), and along B's after round B, settle at
//
//	v_A = T_A + x v_B,  v_B = T_B + x v_A   so   v_A = (T_A + x T_B)/(1 - x²),  v_B = (T_B + x T_A)/(1 - x²);
//
// directions that belong to one of the two spaces alone keep v_A = T_A or v_B = T_B. The disagreement at the start of
// round A is s_A = Σ v_B/(n-1), at the start of B it is s_B = Σ v_A/(n-1), and the staleness is
//
//	[T_A (s_A + T_A/2) + T_B (s_B + T_B/2)] / (T_A + T_B).
//
// The squared cosines are the eigenvalues of W_A W_B off consensus. An x of 1 is a disagreement that neither round
// touches, which exists exactly when the cliques of both rounds together leave the islands disconnected: the
// staleness of such a pair is infinite.

// untouched is the mean squared cosine from which a pair counts as disconnected in overlapBound. A mean of 1 means
// that every plane is untouched by both rounds; short of that one plane at least is turned by an angle that sets of
// at most ten islands cannot make smaller than 1e-3, so the sum of exact fractions stays clear of this margin.
const untouched = 1 - 1e-12

// single returns the staleness of one round repeated: T/2 where it is one clique of all, else infinite.
func single(p partition, seconds float64) float64 {
	if len(p) != 1 || seconds <= 0 {
		return math.Inf(1)
	}
	return seconds / 2
}

// combine evaluates the staleness of a pair from the sums of v_A and v_B.
func combine(n int, ta, tb, sumA, sumB float64) float64 {
	m := float64(n - 1)
	return (ta*(sumB/m+ta/2) + tb*(sumA/m+tb/2)) / (ta + tb)
}

// plainBound is a lower bound on the staleness of a pair that looks at neither partition: x ≥ 0 in every plane, so
// Σ v_A ≥ T_A (c_A - 1) where A has c_A cliques. For T_B ≥ T_A it grows with T_B.
func plainBound(n, ca, cb int, ta, tb float64) float64 {
	return combine(n, ta, tb, ta*float64(ca-1), tb*float64(cb-1))
}

// overlapBound is a lower bound on the staleness of a pair from the sum of its squared cosines alone. Both v_A and v_B
// are convex in x, so by Jensen's inequality equal cosines are the least stale.
func overlapBound(n int, a, b partition, ta, tb float64) float64 {
	planes := min(len(a), len(b)) - 1
	if planes == 0 {
		return plainBound(n, len(a), len(b), ta, tb)
	}
	x := max(0, a.overlap(b)-1) / float64(planes)
	if x >= untouched {
		return math.Inf(1)
	}
	r := float64(planes)
	sumA := r*(ta+x*tb)/(1-x*x) + ta*(float64(len(a)-1)-r)
	sumB := r*(tb+x*ta)/(1-x*x) + tb*(float64(len(b)-1)-r)
	return combine(n, ta, tb, sumA, sumB)
}

// pairStaleness is the exact staleness, in seconds, of the rounds a and b in turn, lasting ta and tb seconds.
func pairStaleness(n int, a, b partition, ta, tb float64) float64 {
	if ta+tb <= 0 || !connected(n, a, b) {
		return math.Inf(1)
	}
	small, large := a, b
	if len(a) > len(b) {
		small, large = b, a
	}
	var cosines [maxExhaustive]float64
	squaredCosines(cosines[:len(small)], small, large)
	planes := len(small) - 1
	sumA := ta * float64(len(a)-1-planes)
	sumB := tb * float64(len(b)-1-planes)
	for _, x := range cosines[:planes] {
		sumA += (ta + x*tb) / (1 - x*x)
		sumB += (tb + x*ta) / (1 - x*x)
	}
	return combine(n, ta, tb, sumA, sumB)
}

// squaredCosines fills out with the eigenvalues of G G', G_ab = |a∩b| / sqrt(|a| |b|), ascending; the last, 1, belongs
// to consensus. The matrix is at most 10 × 10, so cyclic Jacobi rotations are both simple and accurate.
func squaredCosines(out []float64, small, large partition) {
	const size = maxExhaustive
	var g, m [size][size]float64
	k := len(small)
	for i, a := range small {
		for j, b := range large {
			c := bits.OnesCount16(a & b)
			g[i][j] = float64(c) * math.Sqrt(inverse[bits.OnesCount16(a)]*inverse[bits.OnesCount16(b)])
		}
	}
	for i := range k {
		for j := range i + 1 {
			s := 0.0
			for l := range large {
				s += g[i][l] * g[j][l]
			}
			m[i][j], m[j][i] = s, s
		}
	}
	jacobi(&m, k)
	for i := range k {
		out[i] = max(0, m[i][i])
	}
	slices.Sort(out[:k])
}

// jacobi diagonalizes the leading k × k block in place (Golub & Van Loan, Matrix Computations, §8.5).
func jacobi(m *[maxExhaustive][maxExhaustive]float64, k int) {
	const (
		sweeps     = 30    // convergence is quadratic; 5 or 6 are used
		negligible = 1e-30 // sum of squares off the diagonal, entries being at most 1
	)
	for range sweeps {
		off := 0.0
		for i := range k {
			for j := range i {
				off += m[i][j] * m[i][j]
			}
		}
		if off <= negligible {
			return
		}
		for p := range k {
			for q := p + 1; q < k; q++ {
				if m[p][q] == 0 {
					continue
				}
				theta := (m[q][q] - m[p][p]) / (2 * m[p][q])
				t := 1 / (math.Abs(theta) + math.Sqrt(theta*theta+1))
				if theta < 0 {
					t = -t
				}
				c := 1 / math.Sqrt(t*t+1)
				s := t * c
				for i := range k {
					mp, mq := m[i][p], m[i][q]
					m[i][p], m[i][q] = c*mp-s*mq, s*mp+c*mq
				}
				for i := range k {
					mp, mq := m[p][i], m[q][i]
					m[p][i], m[q][i] = c*mp-s*mq, s*mp+c*mq
				}
			}
		}
	}
}
