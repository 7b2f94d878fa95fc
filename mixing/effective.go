package mixing

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// effectiveDense bounds n for the covariance of a period: some forty dense products for each γ.
const effectiveDense = 300

// effective fills the effective number of neighbors: the random walk z ← W (√γ z + noise) has a covariance C after the
// period's last round, C = W (γ C + I) W' around the period, and noise that nobody averages has 1/(1-γ).
func (a *analysis) effective() {
	n := a.seq.N
	for _, gamma := range a.o.Gammas {
		if a.ctx.Err() != nil {
			return
		}
		e := Effective{Gamma: gamma}
		switch {
		case a.squares != nil:
			e.Mean = number(transitiveNeighbors(a.squares, gamma))
			e.Worst = e.Mean
		case a.seq.Period() == 1 && a.one.transitive:
			e.Mean = number(transitiveNeighbors([][]float64{a.one.squares}, gamma))
			e.Worst = e.Mean
		case n <= effectiveDense:
			if c, ok := a.seq.covariance(gamma); ok {
				e.set(c)
			} else {
				a.warn("gamma %v: the noise grows without bound", gamma)
			}
		case a.seq.Period() == 1 && a.one.squares != nil:
			e.Mean = number(transitiveNeighbors([][]float64{a.one.squares}, gamma))
			a.warn("gamma %v: the worst node is looked for up to %d nodes", gamma, effectiveDense)
		default:
			a.warn("gamma %v: effective neighbors are computed up to %d nodes", gamma, effectiveDense)
		}
		a.r.EffectiveNbrs = append(a.r.EffectiveNbrs, e)
	}
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

// set fills mean and worst from the covariance.
func (e *Effective) set(c *mat.Dense) {
	n, _ := c.Dims()
	worst := 0.0
	for i := range n {
		worst = max(worst, c.At(i, i))
	}
	alone := 1 / (1 - e.Gamma)
	e.Mean, e.Worst = number(alone*float64(n)/mat.Trace(c)), number(alone/worst)
}

// covariance solves C = W (γ C + I) W' around the period.
func (s *Sequence) covariance(gamma float64) (*mat.Dense, bool) {
	n := s.N
	c, tmp := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	phi, next := identity(n), mat.NewDense(n, n, nil)
	for t := range s.Steps {
		w := s.Steps[t].W
		c.Scale(gamma, c)
		for i := range n {
			c.Set(i, i, c.At(i, i)+1)
		}
		w.conjugate(c, tmp, mat.DenseCopyOf(c))
		w.LeftMul(next, phi)
		phi, next = next, phi
		phi.Scale(math.Sqrt(gamma), phi)
	}
	return c, sumPowers(c, phi)
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
		case a.seq.N <= jointNodes && a.r.DoublyStochastic && a.r.Expected.Rate != nil && *a.r.Expected.Rate < 1:
			// The part along J is J/(1-γ); the rest contracts by γ times the rate.
			c, next := mat.NewDense(a.seq.N, a.seq.N, nil), mat.NewDense(a.seq.N, a.seq.N, nil)
			for change := 1.0; change > 1e-14 && a.ctx.Err() == nil; {
				c.Scale(gamma, c)
				addDrift(c, 1)
				x.SecondMoment(next, c)
				change *= gamma * *a.r.Expected.Rate
				c, next = next, c
			}
			d := c.RawMatrix().Data
			for i := range d {
				d[i] += 1 / (1 - gamma) / n
			}
			e.set(c)
		default:
			a.warn("gamma %v: effective neighbors of this random schedule are computed up to %d nodes", gamma, jointNodes)
		}
		a.r.EffectiveNbrs = append(a.r.EffectiveNbrs, e)
	}
}
