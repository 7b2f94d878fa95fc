package bounds

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/mixing"
)

// sumTol is how far a row or column sum may be from its target by rounding.
const sumTol = 1e-9

// unbalanced says why a guarantee cannot hold on the schedule: it needs that agreement stays, W1 = 1, and that the
// average stays, w'W = w' (column sums 1 where the islands weigh the same).
func (c *setup) unbalanced() string {
	n := c.Problem.N
	for t := range c.Sequence.Steps {
		columns := make([]float64, n)
		for i, row := range c.Sequence.Steps[t].W.Rows() {
			sum := 0.0
			for _, term := range row {
				sum += term.Weight
				columns[term.J] += c.weights[i] * term.Weight
			}
			if math.Abs(sum-1) > sumTol {
				return fmt.Sprintf("row %d of the mixing matrix of round %d sums to %.6g, must be 1", i, t+1, sum)
			}
		}
		for j, sum := range columns {
			if math.Abs(sum-c.weights[j]) > sumTol {
				return fmt.Sprintf("column %d of the mixing matrix of round %d carries %.6g of the island weight %.6g: the average is not preserved", j, t+1, sum, c.weights[j])
			}
		}
	}
	return ""
}

// disagreement returns the norm of Φ on disagreement, measured with the island weights: ‖D^½ (Φ - 1w') D^-½‖₂ with
// D = diag(w), which is ‖Φ - J‖₂ for equal weights.
func (c *setup) disagreement(phi *mat.Dense) float64 {
	n := c.Problem.N
	if c.Problem.Weights == nil {
		return clean(mixing.DisagreementNorm(phi))
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
	return clean(svd.Values(nil)[0])
}

// contraction returns disagreement of one W. Averaging in cliques is a projection: it shrinks nothing, unless there is
// one clique of all.
func (c *setup) contraction(w *mixing.Matrix) float64 {
	if cliques, ok := w.Cliques(); ok && c.Problem.Weights == nil {
		if n := c.Problem.N; n == 1 || len(cliques) == 1 && len(cliques[0]) == n {
			return 0
		}
		return 1
	}
	return c.disagreement(w.Dense())
}

func clean(v float64) float64 {
	if v <= normTol {
		return 0
	}
	return v
}

// normTol is the norm below which a product is taken as exact averaging: rounding leaves some 1e-16 there.
const normTol = 1e-14

// products holds ρ(u, k) ≥ ‖W_{u+k-1} … W_u - J‖: the factor by which k mixings from mixing u on shrink disagreement.
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
	exact := int(exactWork / (float64(period) * float64(n*n*n) * svdCost))
	exact = min(max(exact, 1), exactLengths, horizon)
	if c.powersSuffice() {
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
				rho = min(c.disagreement(phi), p.table[u][k]*rho)
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

// powersSuffice reports whether ρ(k) = ρ(1)^k: for one symmetric W that is exact, and for independent random W it is
// all that is known, in the sense of E ‖W…W x‖² ≤ (1-p)^k ‖x‖².
func (c *setup) powersSuffice() bool {
	if c.Sequence.Random != nil {
		return true
	}
	return c.Sequence.Period() == 1 && c.Problem.Weights == nil && symmetric(c.Sequence.Steps[0].W)
}

// localSteps returns the number of local steps of round t.
func (c *setup) localSteps(t int) int {
	if r := c.Sequence.Random; r != nil {
		return r.LocalSteps
	}
	return c.Sequence.Step(t).LocalSteps
}

// randomContraction returns √(1-p) with p = 1 - ‖E[W'W] - J‖ of a random schedule, or says why there is no guarantee.
func (c *setup) randomContraction(ctx context.Context) (float64, string, error) {
	if c.Problem.Weights != nil {
		return 0, "holds for equal island weights where the schedule is random", nil
	}
	report, err := mixing.Analyze(ctx, c.Sequence, mixing.Options{})
	switch {
	case err != nil:
		return 0, "", err
	case !report.DoublyStochastic:
		return 0, "an outcome of the random schedule is not doubly stochastic: the average is not preserved", nil
	case report.Expected == nil || report.Expected.P == nil:
		return 0, "p = 1 - ‖E[W'W]-J‖ of the random schedule is not known", nil
	}
	return math.Sqrt(max(0, 1-*report.Expected.P)), "", nil
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
