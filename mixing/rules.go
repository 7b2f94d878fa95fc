package mixing

import (
	"fmt"

	"github.com/islandsgd/islands/schedule"
)

// Certificate proves how good optimal weights are: no symmetric weights on the graph (for fmmc: no such weights with
// W ≥ 0) have a SLEM below LowerBound. Gap = (SLEM - LowerBound)/SLEM.
type Certificate struct {
	LowerBound float64 `json:"lower_bound"`
	Gap        float64 `json:"gap"`
}

// ruleWeights returns the weight of each edge under a rule of schedule.Rules.
func ruleWeights(n int, edges []schedule.Edge, rule string) ([]float64, *Certificate, error) {
	degree := make([]int, n)
	for _, e := range edges {
		degree[e.I]++
		degree[e.J]++
	}
	largest := 0
	for _, d := range degree {
		largest = max(largest, d)
	}
	weights := make([]float64, len(edges))
	fill := func(f func(e schedule.Edge) float64) ([]float64, *Certificate, error) {
		for k, e := range edges {
			weights[k] = f(e)
		}
		return weights, nil, nil
	}
	switch rule {
	case "metropolis":
		return fill(func(e schedule.Edge) float64 { return 1 / float64(1+max(degree[e.I], degree[e.J])) })
	case "metropolis-hastings":
		return fill(func(e schedule.Edge) float64 { return 1 / float64(max(degree[e.I], degree[e.J])) })
	case "max-degree":
		return fill(func(schedule.Edge) float64 { return 1 / float64(largest) })
	case "max-degree-lazy":
		return fill(func(schedule.Edge) float64 { return 1 / float64(1+largest) })
	case "best-constant":
		low, high := laplacianEnds(n, edges)
		return fill(func(schedule.Edge) float64 { return 2 / (low + high) })
	case "fdla":
		return optimalWeights(n, edges, false)
	case "fmmc":
		return optimalWeights(n, edges, true)
	}
	return nil, nil, fmt.Errorf("weights %q cannot be computed", rule)
}

// laplacianEnds returns the second smallest and the largest eigenvalue of the graph's Laplacian, from those of the
// doubly stochastic I - L/d_max.
func laplacianEnds(n int, edges []schedule.Edge) (low, high float64) {
	degree := make([]float64, n)
	scale := 1.0
	for _, e := range edges {
		degree[e.I]++
		degree[e.J]++
		scale = max(scale, degree[e.I], degree[e.J])
	}
	r := schedule.Round{Edges: make([]schedule.Edge, len(edges))}
	for k, e := range edges {
		r.Edges[k] = schedule.Edge{I: e.I, J: e.J, Weight: 1 / scale}
	}
	bottom, top, _, _ := symmetricEnds(fromRound(n, &r), false)
	return scale * (1 - top), scale * (1 - bottom)
}
