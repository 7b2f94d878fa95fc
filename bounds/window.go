package bounds

import (
	"context"
	"fmt"
	"math"

	"github.com/islandsgd/islands/mixing"
)

// block is a window of rounds over which disagreement contracts: ‖product - J‖² ≤ 1 - p for every aligned block
// [l·rounds, (l+1)·rounds) of the repeated schedule (Koloskova et al. 2020, Assumption 4).
type block struct {
	rounds int
	p      float64
	rho    float64 // ‖product - J‖; 0 is exact averaging
}

// bestBlock returns the block of at most two periods with the least rounds/p, the shorter one on a tie, or false when
// none contracts.
func (c *setup) bestBlock() (block, bool) {
	period := len(c.contract)
	products := c.newProducts(2 * period)
	p, rounds, ok := mixing.BestWindow(period, min(2*period, products.length()), products.at)
	if !ok {
		if products.length() < 2*period { // the table ends where every product is negligible
			return block{products.length(), 1, products.largest(products.length())}, true
		}
		return block{}, false
	}
	b := block{rounds: rounds, p: p}
	for l := range period { // the starts l·rounds modulo the period repeat after so many
		b.rho = max(b.rho, products.at(l*rounds, rounds))
	}
	return b, true
}

// steps returns the local steps of the block that begins at a round.
func (c *setup) steps(from, rounds int) int {
	n := 0
	for t := from; t < from+rounds; t++ {
		n += c.localSteps(t)
	}
	return n
}

// window evaluates the recursion over windows: the centroid line is that of recursion, step by step; consensus in a
// window that began at step s with Ξ_s is, m steps later,
//
//	Ξ_{s+m} ≤ (1+a) c_m Ξ_s + (2 + 1/a) m η² Σ_j (3L² Ξ_j + 6L e_j + 3ζ*²) + 2 m η² σ² (1 - 1/n)
//
// for any a > 0, with c = 1 inside the window and 1 - p at its end; a is 1 inside and p/(2(1-p)) at the end. It needs
// contraction over a window alone, so it covers local steps and matchings.
func (c *setup) window(ctx context.Context) (method, error) {
	m := method{id: "window", name: "recursion over windows", values: map[int]pair{},
		source: "recursion over blocks of rounds in the setting of Koloskova et al. 2020 (arXiv 2003.10422), with explicit constants"}
	if m.assume = c.windowAssumptions(); !m.assume.hold() {
		return m, nil
	}
	b, ok := c.bestBlock()
	if m.assume = append(m.assume, c.contractingBlock(b, ok)); !ok {
		return m, nil
	}
	m.detail = c.describe(b)
	m.vacuous = c.windowGrows(b)
	w := &windowState{c: c, block: b, v: pair{c.constants.StartCentroid, c.constants.StartConsensus}}
	now := 0
	for _, t := range c.at {
		for ; now < t; now++ {
			if now%checkEvery == 0 && ctx.Err() != nil {
				return m, ctx.Err()
			}
			w.round(now, true)
		}
		m.values[t] = w.v
	}
	return m, nil
}

func (c *setup) windowAssumptions() assumptions {
	a := append(c.common, c.additive(), oneOf(c.Algorithm.String(), "atc"), c.smallStep())
	if !a.hold() {
		return a
	}
	return append(a, c.nonexpansive())
}

// nonexpansive asks that no mixing makes disagreement larger.
func (c *setup) nonexpansive() Assumption {
	text := "‖W-J‖ ≤ 1 in every round"
	for t, rho := range c.contract {
		if rho > 1+sumTol {
			return is(text, false, "the mixing of round %d expands disagreement: ‖W-J‖ = %.6g > 1", t+1, rho)
		}
	}
	return met(text, "no mixing expands disagreement")
}

func (c *setup) contractingBlock(b block, ok bool) Assumption {
	text := "a block of rounds contracts disagreement, p > 0"
	if !ok {
		return is(text, false, "no block of at most two periods contracts disagreement (p = 0)")
	}
	return met(text, "%s", c.describe(b))
}

// describe says what (p, τ) a block has, τ in local steps.
func (c *setup) describe(b block) string {
	least, most := c.blockSteps(b)
	steps := fmt.Sprint(most)
	if least != most {
		steps = fmt.Sprintf("%d to %d", least, most)
	}
	return fmt.Sprintf("p = %.6g over τ = %s local steps (rounds in a block: %d)", b.p, steps, b.rounds)
}

// blockSteps returns the least and the most local steps of an aligned block.
func (c *setup) blockSteps(b block) (least, most int) {
	least = c.steps(0, b.rounds)
	for l := range len(c.contract) {
		n := c.steps(l*b.rounds, b.rounds)
		least, most = min(least, n), max(most, n)
	}
	return least, most
}

// windowState walks through the steps of windows.
type windowState struct {
	c     *setup
	block block
	v     pair

	began  float64 // Ξ at the start of the window
	driven float64 // Σ of what drives Ξ since then
	m      int     // steps since then
}

// round is one round; constants false leaves out noise and heterogeneity.
func (w *windowState) round(t int, constants bool) {
	c, eta, l := w.c, w.c.step, w.c.constants.L
	if t%w.block.rounds == 0 {
		w.began, w.driven, w.m = w.v.consensus, 0, 0
	}
	h := c.localSteps(t)
	centroid := c.recursionStep(0) // its first line
	zeta2, noise, spread := c.constants.Zeta2, centroid.e, c.spread
	if !constants {
		zeta2, noise, spread = 0, 0, 0
	}
	for step := range h {
		w.driven += 3*l*l*w.v.consensus + 6*l*(l/2)*w.v.centroid + 3*zeta2
		w.m++
		m := float64(w.m)
		keep, drive := 2.0, 3.0 // (1+a) c and 2 + 1/a with a = 1
		if step == h-1 && (t+1)%w.block.rounds == 0 {
			left := w.block.rho * w.block.rho    // 1 - p
			keep, drive = (1+left)/2, 2/(1-left) // (1+a)(1-p) and 2 + 1/a with a = p/(2(1-p))
			if left == 0 {
				keep, drive = 0, 2
			}
		}
		w.v = pair{
			centroid.a*w.v.centroid + centroid.b*w.v.consensus + noise,
			keep*w.began + drive*m*eta*eta*w.driven + 2*m*eta*eta*spread,
		}
	}
	if c.Problem.N == 1 {
		w.v.consensus = 0
	}
}

// windowGrows reports whether the linear part over a whole number of windows and periods does not contract.
func (c *setup) windowGrows(b block) bool {
	rounds := b.rounds * len(c.contract) / gcd(b.rounds, len(c.contract))
	var columns [2]pair
	for k := range columns {
		w := &windowState{c: c, block: b}
		if k == 0 {
			w.v.centroid = 1
		} else {
			w.v.consensus = 1
		}
		for t := range rounds {
			w.round(t, false)
		}
		columns[k] = w.v
	}
	linear := twoByTwo{a: columns[0].centroid, b: columns[1].centroid, c: columns[0].consensus, d: columns[1].consensus}
	radius := linear.radius()
	return !(radius < 1) || math.IsNaN(radius)
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
