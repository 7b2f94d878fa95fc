package mixing

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// effectiveDense bounds n for the covariance of a period, or the eigenvectors of one matrix: seconds at most.
const effectiveDense = 500

// effective fills the effective number of neighbors: the random walk z ← W (√γ z + noise) has a covariance C after the
// period's last round, C = W (γ C + I) W' around the period, and noise that nobody averages has 1/(1-γ).
func (a *analysis) effective() {
	one := a.seq.Period() == 1
	var symmetric func(gamma float64) []float64
	if one && a.one.squares != nil && !a.one.transitive && a.seq.N <= effectiveDense {
		symmetric = symmetricVariances(a.seq.Steps[0].W)
	}
	for _, gamma := range a.o.Gammas {
		if a.ctx.Err() != nil {
			return
		}
		e := Effective{Gamma: gamma}
		switch {
		case a.squares != nil:
			e.Mean = number(transitiveNeighbors(a.squares, gamma))
			e.Worst = e.Mean
		case one && a.one.squares != nil && (a.one.transitive || a.seq.N > effectiveDense):
			e.Mean = number(transitiveNeighbors([][]float64{a.one.squares}, gamma))
			if a.one.transitive {
				e.Worst = e.Mean
			}
		case symmetric != nil:
			e.set(symmetric(gamma))
		case a.seq.N <= effectiveDense:
			if c, ok := a.seq.covariance(gamma, a.r.DoublyStochastic); ok {
				e.set(diagonal(c))
			}
		}
		a.r.EffectiveNbrs = append(a.r.EffectiveNbrs, e)
	}
	a.warnEffective(effectiveDense)
}

// warnEffective says once what is missing.
func (a *analysis) warnEffective(limit int) {
	for _, e := range a.r.EffectiveNbrs {
		switch {
		case e.Mean == nil && a.seq.N > limit:
			a.warn("%d nodes: effective neighbors of a schedule like this are computed up to %d", a.seq.N, limit)
			return
		case e.Mean == nil:
			a.warn("gamma %v: the noise grows without bound", e.Gamma)
		case e.Worst == nil:
			a.warn("%d nodes: the node with the fewest effective neighbors is looked for up to %d", a.seq.N, limit)
			return
		}
	}
}

// symmetricVariances returns the diagonal of C for one symmetric W: Σ_k v_ik² l_k²/(1 - γ l_k²) over its eigenvectors.
func symmetricVariances(w *Matrix) func(gamma float64) []float64 {
	a := oddStride(denseSym(w))
	values := symmetricEigen(a, true)
	return func(gamma float64) []float64 {
		variances := make([]float64, w.n)
		for i := range variances {
			for k, l := range values {
				v := a.Data[i*a.Stride+k]
				variances[i] += v * v * l * l / (1 - gamma*l*l)
			}
		}
		return variances
	}
}

func diagonal(c *mat.Dense) []float64 {
	n, _ := c.Dims()
	d := make([]float64, n)
	for i := range d {
		d[i] = c.At(i, i)
	}
	return d
}

// transitiveNeighbors is n_W from the |eigenvalues|² of commuting normal rounds: in each eigenvector, the variance c
// after the last round solves c ← l² (γ c + 1) around the period, and along consensus it is 1/(1-γ).
func transitiveNeighbors(squares [][]float64, gamma float64) float64 {
	alone := 1 / (1 - gamma)
	trace := alone
	for k := range squares[0] {
		factor, c := 1.0, 0.0
		for t := range squares {
			l2 := squares[t][k]
			factor, c = factor*gamma*l2, l2*(gamma*c+1)
		}
		trace += c / (1 - factor)
	}
	return float64(len(squares[0])+1) * alone / trace
}

// set fills mean and worst from the variances.
func (e *Effective) set(variances []float64) {
	worst, sum := 0.0, 0.0
	for _, v := range variances {
		worst = max(worst, v)
		sum += v
	}
	alone := 1 / (1 - e.Gamma)
	e.Mean, e.Worst = number(alone*float64(len(variances))/sum), number(alone/worst)
}

// covariance solves C = W (γ C + I) W' around the period. Of doubly stochastic rounds the part along consensus is
// J/(1-γ), and only the rest, which contracts faster than γ, has to be summed.
func (s *Sequence) covariance(gamma float64, stochastic bool) (*mat.Dense, bool) {
	n := s.N
	c, tmp := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	phi, next := identity(n), mat.NewDense(n, n, nil)
	for t := range s.Steps {
		w := s.Steps[t].W
		c.Scale(gamma, c)
		if stochastic {
			addDrift(c, 1)
		} else {
			addScaled(c, 1, identity(n))
		}
		w.conjugate(c, tmp, mat.DenseCopyOf(c))
		w.LeftMul(next, phi)
		phi, next = next, phi
		phi.Scale(math.Sqrt(gamma), phi)
	}
	if stochastic {
		projectRows(phi)
	}
	ok := sumPowers(c, phi)
	if stochastic {
		addConsensus(c, 1/(1-gamma))
	}
	return c, ok
}

// addConsensus adds v J.
func addConsensus(c *mat.Dense, v float64) {
	n, _ := c.Dims()
	d := c.RawMatrix().Data
	for i := range d {
		d[i] += v / float64(n)
	}
}

// effectiveRandom is effective for independent draws: C = E[W (γ C + I) W'].
func (a *analysis) effectiveRandom() {
	x, n := a.seq.Random, float64(a.seq.N)
	for _, gamma := range a.o.Gammas {
		e := Effective{Gamma: gamma}
		switch {
		case x.exchangeable: // C = a P + J/(1-γ) with a = kept (γ a + 1)
			diagonal := ((n-1)*x.kept/(1-gamma*x.kept) + 1/(1-gamma)) / n
			e.Mean = number(1 / (1 - gamma) / diagonal)
			e.Worst = e.Mean
		case a.seq.N <= jointNodes && a.r.DoublyStochastic:
			// The part along consensus is J/(1-γ); the rest solves V = E[W (γ V + P) W'].
			drift, add := mat.NewDense(a.seq.N, a.seq.N, nil), mat.NewDense(a.seq.N, a.seq.N, nil)
			addDrift(drift, 1)
			x.SecondMoment(add, drift)
			c, ok := x.fixedPoint(add, gamma)
			if !ok {
				break
			}
			addConsensus(c, 1/(1-gamma))
			e.set(diagonal(c))
		}
		a.r.EffectiveNbrs = append(a.r.EffectiveNbrs, e)
	}
	a.warnEffective(jointNodes)
}
