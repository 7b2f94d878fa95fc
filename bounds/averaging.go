package bounds

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/mixing"
)

// averaging bounds what the schedule does by itself, without gradients: by how much t rounds shrink disagreement from
// the worst start. Four guarantees that know less and less: the norm of the whole product, (p, τ) of a block,
// expectation over random rounds, and Dobrushin's coefficient, which is about the range max - min and needs no column
// sums.
func (c *setup) averaging(ctx context.Context) ([]Bound, error) {
	horizon := 0
	if len(c.at) > 0 {
		horizon = c.at[len(c.at)-1]
	}
	fixed := is("a periodic schedule", c.Sequence.Random == nil, "the schedule is random")
	drawn := is("a random schedule", c.Sequence.Random != nil, "the schedule is not random")
	product := c.averagingBound("product-contraction", "norm of the product, squared", "‖W_t…W_1 - J‖²", append(c.common, fixed))
	block := c.averagingBound("block-contraction", "contraction over blocks", "(1-p)^⌊t/τ⌋, τ in rounds (Koloskova et al. 2020, Assumption 4)", c.common)
	expected := c.averagingBound("expected-contraction", "contraction of random rounds in the mean square", "‖E[Π'Π] - J‖ (Boyd et al. 2006)", append(c.common, drawn))
	if block.Applicable {
		b, ok := c.bestBlock()
		block.apply(append(c.common, c.nonexpansive(), c.contractingBlock(b, ok)))
		if block.Detail = c.describe(b); block.Applicable {
			for _, t := range c.At {
				block.Points = append(block.Points, Point{t, math.Pow(1-b.p, math.Floor(float64(t)/float64(b.rounds)))})
			}
		} else {
			block.Detail = ""
		}
	}
	if product.Applicable || expected.Applicable {
		rho := c.newProducts(horizon)
		to := &product
		if expected.Applicable {
			to = &expected
		}
		for _, t := range c.At {
			v := rho.at(0, min(t, rho.length()))
			to.Points = append(to.Points, Point{t, v * v})
		}
	}
	dobrushin, err := c.dobrushin(ctx, horizon, fixed)
	return []Bound{product, block, expected, dobrushin}, err
}

func (c *setup) averagingBound(id, name, source string, a assumptions) Bound {
	b := Bound{ID: id, Name: "averaging alone: " + name, Source: source, Kind: Guarantee, Quantity: Contraction, Points: []Point{}}
	b.apply(a)
	return b
}

// dobrushin bounds the range by τ₁ of the product; beyond maxDense rounds, by products of what it has.
func (c *setup) dobrushin(ctx context.Context, horizon int, fixed Assumption) (Bound, error) {
	b := Bound{ID: "dobrushin-range", Name: "averaging alone: Dobrushin's coefficient", Kind: Guarantee, Quantity: Range, Points: []Point{},
		Source: "τ₁ = max ½ Σ_k |a_ik - a_jk| over rows of the product"}
	a := assumptions{fixed}
	if fixed.Holds {
		text, found := "every W has nonnegative entries and row sums 1", ""
		for t := range c.Sequence.Steps {
			if w := c.Sequence.Steps[t].W; found == "" && !(w.Nonnegative() && w.RowStochastic()) {
				found = "not every entry is nonnegative, or a row sum is not 1"
			}
		}
		if a = append(a, is(text, found == "", "%s", found)); found == "" {
			a = append(a, atMost("nodes", float64(c.Problem.N), "limit of dense products", maxDobrushinNodes))
		}
	}
	if b.apply(a); !b.Applicable {
		return b, nil
	}
	n, period := c.Problem.N, c.Sequence.Period()
	known := max(1, horizon)
	if horizon > maxDobrushinRounds {
		known = max(1, maxDobrushinRounds/period) * period // whole periods, so that the rest begins in phase
	}
	values := []float64{1}
	phi, next := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		phi.Set(i, i, 1)
	}
	for t := range known {
		if ctx.Err() != nil {
			return b, ctx.Err()
		}
		c.Sequence.Step(t).W.Apply(next.RawMatrix().Data, phi.RawMatrix().Data, n)
		phi, next = next, phi
		v := mixing.Dobrushin(phi)
		if v <= normTol {
			v = 0
		}
		if values = append(values, min(values[t], v)); v < accurate && (t+1)%period == 0 {
			known = t + 1 // what is left of a smaller product is rounding
			break
		}
	}
	for _, t := range c.At {
		whole, rest := t/known, t%known
		b.Points = append(b.Points, Point{t, math.Pow(values[known], float64(whole)) * values[rest]})
	}
	return b, nil
}

// accurate is the coefficient down to which the entries of a product say it to nine digits.
const accurate = 1e-7

// Limits on dense products for Dobrushin's coefficient, which costs n³ for each round.
const (
	maxDobrushinNodes  = 128
	maxDobrushinRounds = 64
)
