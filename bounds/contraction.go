package bounds

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/mixing"
)

// sumTol is how far a row or column sum may be from its target by rounding.
const sumTol = 1e-12

// unbalanced checks that agreement stays, W1 = 1, and that the average stays, w'W = w' (column sums 1 where the islands
// weigh the same): without these there is no disagreement to contract and no centroid to follow.
func (c *setup) unbalanced() {
	text := "W1 = 1 and w'W = w' in every round"
	for t := range c.Sequence.Steps {
		rows, columns := c.Sequence.Steps[t].W.Sums(c.weights)
		for i, sum := range rows {
			if math.Abs(sum-1) > sumTol {
				c.common = append(c.common, is(text, false, "row %d of the mixing matrix of round %d sums to %.6g, must be 1", i, t+1, sum))
				return
			}
		}
		for j, sum := range columns {
			if math.Abs(sum-c.weights[j]) > sumTol {
				c.common = append(c.common, is(text, false, "column %d of the mixing matrix of round %d carries %.6g of the island weight %.6g: the average is not preserved", j, t+1, sum, c.weights[j]))
				return
			}
		}
	}
	c.common = append(c.common, met(text, "agreement and average are preserved"))
}

// additive asks for noise that does not depend on where the islands are.
func (c *setup) additive() Assumption {
	return is("additive noise", !c.Problem.LeastSquares, "needs additive noise: that of least squares grows with the distance from the optimum")
}

// norm returns the norm of Φ on disagreement, measured with the island weights: ‖D^½ (Φ - 1w') D^-½‖₂ with
// D = diag(w), which is ‖Φ - J‖₂ for equal weights.
func (c *setup) norm(phi *mat.Dense) float64 {
	n := c.Problem.N
	if c.Problem.Weights == nil {
		return mixing.DisagreementNorm(phi)
	}
	m := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			m.Set(i, j, math.Sqrt(c.weights[i]/c.weights[j])*(phi.At(i, j)-c.weights[j]))
		}
	}
	var svd mat.SVD
	if !svd.Factorize(m, mat.SVDNone) {
		return mat.Norm(m, 2) // Frobenius: never smaller
	}
	return svd.Values(nil)[0]
}

// contraction returns the norm of one W. Averaging in cliques is a projection: it shrinks nothing, unless there is
// one clique of all.
func (c *setup) contraction(w *mixing.Matrix) float64 {
	if cliques, ok := w.Cliques(); ok && c.Problem.Weights == nil {
		if n := c.Problem.N; n == 1 || len(cliques) == 1 && len(cliques[0]) == n {
			return 0
		}
		return 1
	}
	return clean(c.norm(w.Dense()))
}

func clean(v float64) float64 {
	if v <= normTol {
		return 0
	}
	return v
}

const (
	// normTol is the norm below which one W is taken as exact averaging: rounding leaves some 1e-16 there.
	normTol = 1e-14
	// normRounding is what rounding may take from the norm of a product.
	normRounding = 1e-15
	// exactJump is how far a product must contract at least by its factors' own contraction to be near exact averaging
	// without being exact.
	exactJump = 1e-6
)

// ofProduct returns what a computed norm of a product tells, given what its factors guarantee. Factors that guarantee
// little and leave nothing average exactly together, as matchings of a hypercube do; factors that have contracted far
// leave something, however little.
func ofProduct(computed, factors float64) float64 {
	if computed <= normTol && factors > exactJump {
		return 0
	}
	return min(computed+normRounding, factors)
}

// products holds ρ(u, k) ≥ ‖W_{u+k-1} … W_u - J‖: the factor by which k mixings from mixing u on shrink disagreement;
// in the mean square, ρ(k)² ≥ ‖E[Π'Π] - J‖, where every round draws its own W.
// It depends on u through the phase alone. The first lengths are exact norms; longer products use
// ρ(u, k) ≤ ρ(u, m) ρ(u+m, k-m). The table ends where every ρ is negligible, or with the horizon.
type products struct {
	period int
	table  [][]float64 // by phase of u, then length; table[u][0] = 1
	last   []float64   // by phase of u: bounds ρ(u, k) for k beyond the table
}

const (
	// negligible ends the table. What lies beyond still counts, with this factor, so the bound stays one.
	negligible = 1e-13

	// exactWork bounds the arithmetic that goes into exact norms; about a second.
	exactWork = 2e9

	// exactLengths is how many lengths get exact norms at most; n³·svdCost is what one norm costs.
	exactLengths, svdCost = 256, 30
)

func (c *setup) newProducts(horizon int) *products {
	period, n := c.Sequence.Period(), c.Problem.N
	horizon = max(horizon, 2*period) // two periods say whether a bound settles, whatever the rounds asked for
	p := &products{period: period, table: make([][]float64, period)}
	for u := range p.table {
		p.table[u] = []float64{1}
	}
	exact := int(exactWork / (float64(period) * float64(n) * float64(n) * float64(n) * svdCost))
	exact = min(max(exact, 1), exactLengths, horizon)
	switch {
	case c.Sequence.Random != nil:
		p.table[0] = append(p.table[0], c.randomNorms(exact)...)
		exact = len(p.table[0]) - 1
	case c.powersSuffice():
		exact = 1
		p.table[0] = append(p.table[0], c.contract[0])
	}
	for u := range p.table {
		if len(p.table[u]) > exact {
			continue
		}
		phi, next := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
		for i := range n {
			phi.Set(i, i, 1)
		}
		for k := range exact {
			c.Sequence.Step(u+k).W.Apply(next.RawMatrix().Data, phi.RawMatrix().Data, n)
			phi, next = next, phi
			rho := c.contract[(u+k)%period]
			if k > 0 {
				rho = ofProduct(c.norm(phi), p.table[u][k]*rho)
			}
			p.table[u] = append(p.table[u], rho)
		}
	}
	nonexpansive := true
	for _, v := range c.contract {
		nonexpansive = nonexpansive && v <= 1+sumTol
	}
	for k := exact + 1; k <= horizon; k++ {
		if nonexpansive && p.largest(k-1) <= negligible {
			break
		}
		for u := range p.table {
			later := (u + exact) % period
			p.table[u] = append(p.table[u], p.table[u][exact]*p.table[later][k-exact])
		}
	}
	p.last = make([]float64, period)
	for u := range p.table {
		p.last[u] = p.table[u][len(p.table[u])-1]
	}
	return p
}

func (p *products) largest(k int) float64 {
	v := 0.0
	for u := range p.table {
		v = max(v, p.table[u][k])
	}
	return v
}

// length returns the number of mixings that the table covers.
func (p *products) length() int { return len(p.table[0]) - 1 }

// at returns ρ(u, k) for k up to length.
func (p *products) at(u, k int) float64 { return p.table[u%p.period][k] }

// powersSuffice reports whether ρ(k) = ρ(1)^k: so it is for one symmetric W.
func (c *setup) powersSuffice() bool {
	return c.Sequence.Period() == 1 && c.Problem.Weights == nil && symmetric(c.Sequence.Steps[0].W)
}

// localSteps returns the number of local steps of round t.
func (c *setup) localSteps(t int) int {
	if r := c.Sequence.Random; r != nil {
		return r.LocalSteps
	}
	return c.Sequence.Step(t).LocalSteps
}

func symmetric(w *mixing.Matrix) bool {
	d := w.Dense()
	n := w.N()
	for i := range n {
		for j := range i {
			if d.At(i, j) != d.At(j, i) {
				return false
			}
		}
	}
	return true
}
