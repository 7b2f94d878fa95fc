package bounds

import (
	"context"
	"math"
)

// koloskova evaluates the consensus lemma of Koloskova et al. 2020 for convex functions. With τ steps and contraction
// 1-p of a block, s = (⌊t/τ⌋ - 1) τ, and e_j = E f(x̄) - f* at step j,
//
//	Ξ_t ≤ (1 - p/2) Ξ_s + p/(64τ) Σ_{s≤j<t} Ξ_j + (36 τL/p) Σ η² e_j + (8σ² + 18 τζ*²/p) Σ η²,   η ≤ p / (96√6 τL),
//
// with the centroid from their descent lemma, r⁺ ≤ (1 - ημ/2) r + η²σ²/n + 3LηΞ, and e ≤ L/2 r. The constants are
// quoted from the paper's appendix and not derived here, so it counts as an order and not as a guarantee.
func (c *setup) koloskova(ctx context.Context) (method, error) {
	m := method{id: "koloskova", name: "published consensus lemma", values: map[int]pair{}, kind: Order, only: Consensus,
		source: "Koloskova et al. 2020 (arXiv 2003.10422), consensus recursion for convex functions; constants as recalled"}
	b, a := c.koloskovaBlock()
	if m.assume = a; !a.hold() {
		return m, nil
	}
	m.detail = c.describe(b)
	eta, l, k := c.step, c.constants.L, c.constants
	tau := c.steps(0, b.rounds)
	r, xi := []float64{k.StartCentroid}, []float64{k.StartConsensus}
	// Running sums make each window sum a difference; they only grow.
	sumXi, sumR := []float64{0}, []float64{0}
	t, round := 0, 0
	for _, at := range c.at {
		for ; round < at; round++ {
			if round%checkEvery == 0 && ctx.Err() != nil {
				return m, ctx.Err()
			}
			for range c.localSteps(round) {
				sumXi, sumR = append(sumXi, sumXi[t]+xi[t]), append(sumR, sumR[t]+r[t])
				r = append(r, (1-eta*k.Mu/2)*r[t]+eta*eta*k.MeanNoise+3*l*eta*xi[t])
				t++
				s := max(0, (t/tau-1)*tau)
				n := float64(t - s)
				xi = append(xi, (1-b.p/2)*xi[s]+b.p/(64*float64(tau))*(sumXi[t]-sumXi[s])+
					36*float64(tau)*l/b.p*eta*eta*l/2*(sumR[t]-sumR[s])+(8*k.Sigma2+18*float64(tau)*k.Zeta2/b.p)*eta*eta*n)
			}
		}
		m.values[at] = pair{r[t], xi[t]}
	}
	return m, nil
}

func (c *setup) koloskovaBlock() (block, assumptions) {
	a := append(c.common, c.additive(), oneOf(c.Algorithm.String(), "atc"))
	if !a.hold() {
		return block{}, a
	}
	b, ok := c.bestBlock()
	if a = append(a, c.contractingBlock(b, ok)); !ok {
		return block{}, a
	}
	least, most := c.blockSteps(b)
	a = append(a, is("all blocks have as many local steps", least == most, "blocks have %d to %d local steps", least, most))
	return b, append(a, atMost("step", c.step, "cap p/(96√6 τL)", koloskovaCap(b.p, float64(most), c.constants.L)))
}

// koloskovaCap is the step up to which the published lemma is stated.
func koloskovaCap(p, tau, l float64) float64 { return p / (96 * math.Sqrt(6) * tau * l) }
