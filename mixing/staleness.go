package mixing

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Staleness returns how old, on average over time, the agreement between the islands is, in seconds: the figure of
// merit of a schedule on a network. Round r of the period takes seconds[r], its averaging stands at its end.
//
// The islands drift by independent noise of unit variance per second in every direction; V is the covariance of their
// disagreement. A round does V ← W (V + T P) W'. With s_r = tr(P V)/(n-1) at the start of round r in the steady state,
//
//	staleness = Σ T_r (s_r + T_r/2) / Σ T_r
//
// Exact averaging every T seconds gives T/2. The steady state is solved for, not iterated toward: the sum
// Σ_k Φ^k C Φ'^k is doubled until the rest vanishes. The result is (0, false) when there is no steady state, because
// the schedule never connects all islands or expands disagreement, or when the period takes no time. Every W must keep
// a common value, W1 = 1 (RowStochastic), else (0, false): where rows sum to something else, as in push-sum, what the
// islands agree on comes back as disagreement, which grows with it for ever. A random sequence has no period: (0, false).
func Staleness(seq *Sequence, seconds []float64) (float64, bool) {
	if seq.Random != nil || len(seconds) != len(seq.Steps) {
		return 0, false
	}
	if partitions, ok := seq.partitions(); ok {
		return NewStalenessSolver(seq.N, len(partitions)).Solve(partitions, seconds)
	}
	total, ok := totalSeconds(seconds)
	if !ok || !seq.connected() || !keepsAgreement(seq.matrices()...) {
		return 0, false
	}
	n := seq.N
	if n == 1 {
		return 0, true
	}
	// One period from V = 0, and the product of the period.
	v, tmp := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	phi := identity(n)
	for r := range seq.Steps {
		addDrift(v, seconds[r])
		seq.Steps[r].W.conjugate(v, tmp, mat.DenseCopyOf(v))
		seq.Steps[r].W.LeftMul(tmp, mat.DenseCopyOf(phi))
		phi.Copy(tmp)
	}
	projectRows(phi)
	if !sumPowers(v, phi) {
		return 0, false
	}
	sum := 0.0
	for r := range seq.Steps {
		t := seconds[r]
		sum += t * (disagreement(v)/float64(n-1) + t/2)
		addDrift(v, t)
		seq.Steps[r].W.conjugate(v, tmp, mat.DenseCopyOf(v))
	}
	return told(sum / total)
}

// keepsAgreement reports whether islands that agree go on to agree, W1 = 1.
func keepsAgreement(ws ...*Matrix) bool {
	for _, w := range ws {
		if !w.RowStochastic() {
			return false
		}
	}
	return true
}

// told is a staleness that is a number: weights can be so large that no steady state can be computed.
func told(v float64) (float64, bool) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, false
	}
	return v, true
}

func identity(n int) *mat.Dense {
	d := mat.NewDense(n, n, nil)
	for i := range n {
		d.Set(i, i, 1)
	}
	return d
}

// addDrift adds t P.
func addDrift(v *mat.Dense, t float64) {
	n, _ := v.Dims()
	d := v.RawMatrix().Data
	for i := range d {
		d[i] -= t / float64(n)
	}
	for i := range n {
		d[i*n+i] += t
	}
}

// projectRows replaces A by A P.
func projectRows(a *mat.Dense) {
	n, _ := a.Dims()
	for i := range n {
		row := a.RawRowView(i)
		mean := 0.0
		for _, v := range row {
			mean += v / float64(n)
		}
		for j := range row {
			row[j] -= mean
		}
	}
}

// disagreement returns tr(P V).
func disagreement(v *mat.Dense) float64 {
	n, _ := v.Dims()
	return mat.Trace(v) - mat.Sum(v)/float64(n)
}

const (
	// maxDoublings bounds the sum of powers to 2^40 periods: a schedule that needs more does not mix in practice,
	// and rounding would have spoiled its powers.
	maxDoublings = 40
	// restTol is the size of Φ^(2^k) at which the rest of the sum is below rounding (it enters squared).
	restTol = 1e-9
)

// sumPowers replaces S by Σ_k A^k S A'^k, and A by a high power of itself. It reports whether the sum converges.
func sumPowers(s, a *mat.Dense) bool {
	n, _ := a.Dims()
	tmp, add := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for range maxDoublings {
		tmp.Mul(a, s)
		add.Mul(tmp, a.T())
		s.Add(s, add)
		tmp.Mul(a, a)
		a.Copy(tmp)
		size := mat.Norm(a, 2)
		if size <= restTol {
			return true
		}
		if !(size < 1e9) {
			return false
		}
	}
	return false
}
