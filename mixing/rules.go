package mixing

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

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
		low, high, err := laplacianEnds(n, edges)
		if err != nil {
			return nil, nil, err
		}
		return fill(func(schedule.Edge) float64 { return 2 / (low + high) })
	case "fdla":
		return optimalWeights(n, edges, false)
	case "fmmc":
		return optimalWeights(n, edges, true)
	}
	return nil, nil, fmt.Errorf("weights %q cannot be computed", rule)
}

// laplacianEnds returns the second smallest and the largest eigenvalue of the graph's Laplacian.
func laplacianEnds(n int, edges []schedule.Edge) (low, high float64, err error) {
	l := mat.NewSymDense(n, nil)
	for _, e := range edges {
		l.SetSym(e.I, e.J, -1)
		l.SetSym(e.I, e.I, l.At(e.I, e.I)+1)
		l.SetSym(e.J, e.J, l.At(e.J, e.J)+1)
	}
	var eig mat.EigenSym
	if !eig.Factorize(l, false) {
		return 0, 0, fmt.Errorf("the eigenvalues of the Laplacian did not converge")
	}
	values := eig.Values(nil)
	return values[min(1, n-1)], values[n-1], nil
}
