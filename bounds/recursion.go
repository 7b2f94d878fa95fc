package bounds

import (
	"context"
	"math"
)

// recursion evaluates the one-step recursions on r = E‖x̄ - x*‖² and Ξ = E average ‖x_i - x̄‖², with e = E f(x̄) - f*:
//
//	r⁺ ≤ (1 - ημ) r - (2η - 4Lη²) e + (ηL + 2η²L²) Ξ + η² σ²/n
//	Ξ⁺ ≤ (1 - p/2 + 3L²η²k) Ξ + η² k (6L e + 3ζ*²) + (1-p) η² σ² (1 - 1/n),   k = (1-p)(2-p)/p
//
// closed by μ/2 r ≤ e ≤ L/2 r. The first follows from convexity and smoothness of each f_i, the second from Young's
// inequality with parameter p/(2(1-p)). Every coefficient is nonnegative for η ≤ 1/(2L), so bounds go in and out.
func (c *setup) recursion(ctx context.Context) (method, error) {
	m := method{id: "recursion", name: "explicit recursion", values: map[int]pair{},
		source: "one-step recursions in the setting of Koloskova et al. 2020 (arXiv 2003.10422), with explicit constants"}
	if m.assume = c.recursionAssumptions(); !m.assume.hold() {
		return m, nil
	}
	steps := make([]twoByTwo, len(c.contract))
	for t, rho := range c.contract {
		steps[t] = c.recursionStep(rho)
	}
	period := identityMap()
	for t, s := range steps {
		for range c.localSteps(t) { // several only when there is a single island
			period = s.after(period)
		}
	}
	m.vacuous = period.radius() >= 1
	v := pair{c.constants.StartCentroid, c.constants.StartConsensus}
	now := 0
	for _, t := range c.at {
		for ; now < t; now++ {
			if now%checkEvery == 0 && ctx.Err() != nil {
				return m, ctx.Err()
			}
			for range c.localSteps(now) {
				v = steps[now%len(steps)].apply(v)
			}
		}
		m.values[t] = v
	}
	return m, nil
}

// checkEvery is how many rounds pass between two looks at the context.
const checkEvery = 1024

func (c *setup) recursionAssumptions() assumptions {
	a := append(c.common, c.additive(), oneOf(c.Algorithm.String(), "atc"), c.smallStep())
	if !a.hold() {
		return a
	}
	text := "every step contracts disagreement, p > 0"
	for t, rho := range c.contract {
		if h := c.localSteps(t); h > 1 && c.Problem.N > 1 {
			return append(a, is(text, false, "every step must contract disagreement, but round %d has %d local steps without mixing (p = 0)", t+1, h-1))
		}
		if p := 1 - rho*rho; p < minContraction {
			return append(a, is(text, false, "every step must contract disagreement, but round %d does not (p = 0)", t+1))
		}
	}
	worst := 0.0
	for _, rho := range c.contract {
		worst = max(worst, rho)
	}
	return append(a, met(text, "p ≥ %.6g in every step", 1-worst*worst))
}

// smallStep is η ≤ 1/(2L): the coefficient of e in the centroid line must not be negative for e ≥ μ/2 r to close it.
func (c *setup) smallStep() Assumption {
	return atMost("step", c.step, "1/(2L)", 1/(2*c.constants.L))
}

// minContraction is the p below which a step counts as not contracting at all, p = 0. Rounding leaves some 1e-16 of
// ‖W-J‖ = 1, and a true p this small would make the recursion vacuous anyhow.
const minContraction = 1e-12

// recursionStep is the step of a mixing with ‖W-J‖ = rho; 0 is exact averaging, after which nobody disagrees. p is
// written by rho², which keeps its digits where p is near 1.
func (c *setup) recursionStep(rho float64) twoByTwo {
	eta, l, mu := c.step, c.constants.L, c.constants.Mu
	left := rho * rho // 1 - p
	k := left * (1 + left) / (1 - left)
	s := twoByTwo{
		a: 1 - eta*mu - (2*eta-4*l*eta*eta)*mu/2, b: eta*l + 2*eta*eta*l*l,
		c: 3 * eta * eta * k * l * l, d: (1+left)/2 + 3*l*l*eta*eta*k,
		e: eta * eta * c.constants.MeanNoise, f: 3*eta*eta*k*c.constants.Zeta2 + left*eta*eta*c.spread,
	}
	if rho == 0 {
		s.d = 0
	}
	return s
}

// twoByTwo is the affine map (r, Ξ) ← (a r + b Ξ + e, c r + d Ξ + f).
type twoByTwo struct{ a, b, c, d, e, f float64 }

func identityMap() twoByTwo { return twoByTwo{a: 1, d: 1} }

func (s twoByTwo) apply(v pair) pair {
	return pair{s.a*v.centroid + s.b*v.consensus + s.e, s.c*v.centroid + s.d*v.consensus + s.f}
}

// after returns the linear part of "first, then s".
func (s twoByTwo) after(first twoByTwo) twoByTwo {
	return twoByTwo{
		a: s.a*first.a + s.b*first.c, b: s.a*first.b + s.b*first.d,
		c: s.c*first.a + s.d*first.c, d: s.c*first.b + s.d*first.d,
	}
}

// radius returns the spectral radius; the entries are nonnegative, so the larger eigenvalue is real and positive.
func (s twoByTwo) radius() float64 {
	half := (s.a + s.d) / 2
	return half + math.Sqrt((s.a-s.d)*(s.a-s.d)/4+s.b*s.c)
}
