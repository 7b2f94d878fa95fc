package bounds

import (
	"context"
	"math"
)

// local evaluates local SGD with exact averaging after every round on identical objectives. Without heterogeneity the
// islands drift apart by their noise alone: a gradient step of a convex L-smooth f with η ≤ 2/L is nonexpansive, so m
// steps after averaging Ξ ≤ m η² σ² (1 - 1/n), and the centroid line of recursion closes with that. It needs no strong
// convexity of its own and no p, and covers the penalty of local steps on any convex objective. (On quadratics with
// one curvature there is no penalty at all, as kernel and class say.)
func (c *setup) local(ctx context.Context) (method, error) {
	m := method{id: "local", name: "local SGD on identical objectives", values: map[int]pair{},
		source: "drift by noise alone (compare Khaled et al. 2020, arXiv 1909.04746), with constant 3/2 in place of 2"}
	m.assume = append(c.common, c.additive(), oneOf(c.Algorithm.String(), "atc"), c.smallStep())
	if !m.assume.hold() {
		return m, nil
	}
	exact := true
	for _, rho := range c.contract {
		exact = exact && rho == 0
	}
	identical := c.identical()
	m.assume = append(m.assume,
		is("every round averages exactly, W = J", exact, "not every round averages exactly"),
		is("identical objectives", identical, "objectives differ: ζ* = %.6g, δ_A = %.6g", math.Sqrt(c.constants.Zeta2), c.constants.DeltaA),
		equal("consensus error at the start", c.constants.StartConsensus, "", 0))
	if !m.assume.hold() {
		return m, nil
	}
	first := c.recursionStep(0) // its centroid line
	r, now := c.constants.StartCentroid, 0
	for _, t := range c.at {
		for ; now < t; now++ {
			if now%checkEvery == 0 && ctx.Err() != nil {
				return m, ctx.Err()
			}
			for step := range c.localSteps(now) {
				drift := float64(step) * c.step * c.step * c.spread
				r = first.a*r + first.b*drift + first.e
			}
		}
		m.values[t] = pair{centroid: r}
	}
	m.vacuous = first.a >= 1 && (first.e > 0 || c.spread > 0)
	return m, nil
}

// identical reports whether all islands have the same objective.
func (c *setup) identical() bool {
	q := c.Problem
	for i := 1; i < q.N; i++ {
		for k := range q.A[0] {
			if q.A[i][k] != q.A[0][k] {
				return false
			}
		}
		for k := range q.B[0] {
			if q.B[i][k] != q.B[0][k] {
				return false
			}
		}
	}
	return true
}
