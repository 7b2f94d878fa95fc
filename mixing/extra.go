package mixing

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// phase returns the dense product of one period that starts at the given round.
func (s *Sequence) phase(start int) *mat.Dense {
	phi, next := identity(s.N), mat.NewDense(s.N, s.N, nil)
	for t := range s.Steps {
		s.Step(start+t).W.LeftMul(next, phi)
		phi, next = next, phi
	}
	return phi
}

// dobrushin fills the ergodicity coefficient of the period product, for row-stochastic non-negative matrices, and the
// singular values of small ones.
func (a *analysis) dobrushin() {
	n, period, r := a.seq.N, a.seq.Period(), a.r
	if n <= smallDense {
		var svd mat.SVD
		if e := minusJ(a.seq.phase(0)); finite(e) && svd.Factorize(e, mat.SVDNone) {
			r.SingularValues = svd.Values(nil)
		}
	}
	if r.SLEM != nil {
		r.Periodic = r.ConnectedOverPeriod && n > 1 && *r.SLEM >= 1-sumTol && *r.SLEM <= 1+sumTol
	}
	rows := r.Nonnegative
	for _, w := range a.seq.matrices() {
		rows = rows && w.RowStochastic()
	}
	if !rows || float64(period)*math.Pow(float64(n), 3) > dobrushinWork {
		return
	}
	worst := 0.0
	for start := range period {
		worst = max(worst, Dobrushin(a.seq.phase(start)))
	}
	r.Dobrushin = &worst
}

// dobrushinWork bounds the n³ comparisons of rows over all phases.
const dobrushinWork = 5e8

// Dobrushin returns max_{i,j} ½ Σ_k |a_ik - a_jk|, the factor by which the range max x - min x shrinks under a
// row-stochastic non-negative matrix. Unlike ‖W-J‖₂ it needs no column sums.
func Dobrushin(a *mat.Dense) float64 {
	n, _ := a.Dims()
	worst := 0.0
	for i := range n {
		x := a.RawRowView(i)
		for j := range i {
			sum := 0.0
			for k, v := range a.RawRowView(j) {
				sum += math.Abs(v - x[k])
			}
			worst = max(worst, sum/2)
		}
	}
	return worst
}

const (
	// jointProducts bounds the number of products of one length, jointNodes their size.
	jointProducts, jointNodes = 700, 32
)

// jointRadius bounds the joint spectral radius of the period's different matrices.
func (a *analysis) jointRadius() {
	n := a.seq.N
	if a.seq.Period() == 1 || n > jointNodes || !a.r.DoublyStochastic {
		return
	}
	var set []*Matrix
	for _, w := range a.seq.matrices() {
		known := false
		for _, v := range set {
			known = known || mat.Equal(v.Dense(), w.Dense())
		}
		if !known {
			set = append(set, w)
		}
	}
	out := JointRadius{Upper: math.Inf(1)}
	products := []*mat.Dense{identity(n)}
	for length := 1; len(products)*len(set) <= jointProducts && length <= 12 && a.ctx.Err() == nil; length++ {
		var longer []*mat.Dense
		norm := 0.0
		for _, p := range products {
			for _, w := range set {
				q := mat.NewDense(n, n, nil)
				w.LeftMul(q, p)
				longer = append(longer, q)
				norm = max(norm, DisagreementNorm(q))
				if radius := spectralRadius(minusJ(q)); radius > radiusNoise {
					out.Lower = max(out.Lower, math.Pow(radius, 1/float64(length)))
				}
			}
		}
		out.Upper = min(out.Upper, math.Pow(norm, 1/float64(length)))
		out.Length = length
		products = longer
	}
	out.Lower = min(out.Lower, out.Upper)
	if out.Length > 0 {
		a.r.JointRadius = &out
	}
}

// radiusNoise is the spectral radius that an eigenvalue solver may report for a nilpotent product.
const radiusNoise = 1e-6

// pairs counts the pairs of nodes that exchange directly: in a period and per round, or in any outcome and on average.
func (a *analysis) pairs() {
	n, ws := a.seq.N, a.seq.matrices()
	a.r.Pairs = n * (n - 1) / 2
	if x := a.seq.Random; x != nil && x.pairsMean > 0 {
		a.r.PairsMet, a.r.PairsPerRound = &x.pairsMet, number(x.pairsMean)
		return
	}
	if n > pairNodes || len(ws) == 0 || float64(len(ws))*float64(n)*float64(n) > dobrushinWork {
		return
	}
	met, last := make([]bool, n*n), make([]int, n*n) // last: 1 + the last matrix in which the pair was counted
	count, mean := 0, 0.0
	for t, w := range ws {
		share := 1.0
		if x := a.seq.Random; x != nil {
			share = x.Outcomes[t].Probability
		}
		for i, row := range w.Rows() {
			for _, term := range row {
				lo, hi := min(i, term.J), max(i, term.J)
				if k := lo*n + hi; lo != hi && last[k] != t+1 {
					last[k] = t + 1
					mean += share
					if !met[k] {
						met[k] = true
						count++
					}
				}
			}
		}
	}
	if a.seq.Random == nil {
		mean /= float64(len(ws))
	}
	a.r.PairsMet, a.r.PairsPerRound = &count, number(mean)
}

const pairNodes = 2000

// stationary fills π and the contraction in its norm where the mean is not what the islands agree on.
func (a *analysis) stationary() {
	r := a.r
	if r.DoublyStochastic || !r.ConnectedOverPeriod || !r.Nonnegative {
		return
	}
	for _, w := range a.seq.matrices() {
		if !w.RowStochastic() {
			return
		}
	}
	phi := a.seq.phase(0)
	pi, ok := Stationary(phi)
	if !ok {
		return
	}
	r.Stationary = pi
	n := a.seq.N
	e := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			e.Set(i, j, math.Sqrt(pi[i]/pi[j])*(phi.At(i, j)-pi[j]))
		}
	}
	norm := spectralNorm(e)
	if n > smallDense {
		norm = operatorNorm(denseOperator{e})
	}
	r.StationaryFactor = number(norm)
}

// Stationary returns the left Perron vector of a row-stochastic matrix, π'A = π' with sum 1: the weights of the
// islands in the value that they agree on. ok is false when it is not unique or not positive.
func Stationary(a *mat.Dense) (pi []float64, ok bool) {
	n, _ := a.Dims()
	// (I - A' + 11') π = 1 has the solution π exactly when the eigenvalue 1 is simple.
	m := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			v := 1 - a.At(j, i)
			if i == j {
				v++
			}
			m.Set(i, j, v)
		}
	}
	ones := mat.NewVecDense(n, nil)
	for i := range n {
		ones.SetVec(i, 1)
	}
	var x mat.VecDense
	if err := x.SolveVec(m, ones); err != nil {
		return nil, false
	}
	pi = x.RawVector().Data
	for _, v := range pi {
		if !(v > 0) {
			return nil, false
		}
	}
	return pi, true
}
