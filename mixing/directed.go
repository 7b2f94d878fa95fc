package mixing

import (
	"fmt"

	"github.com/islandsgd/islands/schedule"
)

// Reversible returns the entries of a row-stochastic W on a graph with π'W = π' for a target distribution π: the
// islands agree on Σ π_i x_i, and SGD that mixes with W minimizes Σ π_i f_i. With degrees d_i,
//
//	W_ij = min(π_i/(1+d_i), π_j/(1+d_j)) / π_i
//
// (Metropolis's choice of flows π_i W_ij = π_j W_ji). The contraction is that of the norm weighted by π: W is similar to
// a symmetric matrix, and ‖W - 1π'‖_π is its second largest |eigenvalue|.
func Reversible(n int, edges []schedule.Edge, pi []float64) []schedule.Edge {
	degree, diagonal := make([]float64, n), make([]float64, n)
	for _, e := range edges {
		degree[e.I]++
		degree[e.J]++
	}
	for i := range diagonal {
		diagonal[i] = 1
	}
	var entries []schedule.Edge
	for _, e := range edges {
		flow := min(pi[e.I]/(1+degree[e.I]), pi[e.J]/(1+degree[e.J]))
		for _, a := range [][2]int{{e.I, e.J}, {e.J, e.I}} {
			w := flow / pi[a[0]]
			entries = append(entries, schedule.Edge{I: a[0], J: a[1], Weight: w})
			diagonal[a[0]] -= w
		}
	}
	for i, v := range diagonal {
		entries = append(entries, schedule.Edge{I: i, J: i, Weight: v})
	}
	return entries
}

// PushSum averages over a sequence of column-stochastic matrices, whose rows need not sum to 1, as happens on directed
// graphs where a node knows only to how many others it sends: x ← A x spreads the sum, w ← A w from w = 1 spreads the
// same weight, and z = x/w is an estimate of the mean that every node can form (Kempe, Dobra, Gehrke 2003). It returns
// z after rounds 1, ..., rounds. The limit of x alone, n φ times the mean with the Perron vector φ, is biased.
func PushSum(seq *Sequence, x []float64, rounds int) ([][]float64, error) {
	if seq.Random != nil {
		return nil, fmt.Errorf("push-sum follows a periodic sequence")
	}
	if len(x) != seq.N {
		return nil, fmt.Errorf("%d values for %d nodes", len(x), seq.N)
	}
	for t := range seq.Steps {
		if w := seq.Steps[t].W; !w.ColumnStochastic() || !w.Nonnegative() {
			return nil, fmt.Errorf("round %d: push-sum needs columns that sum to 1 and no negative entry", t)
		}
	}
	v, w := append([]float64(nil), x...), make([]float64, seq.N)
	for i := range w {
		w[i] = 1
	}
	tmp := make([]float64, seq.N)
	z := make([][]float64, rounds)
	for t := range rounds {
		a := seq.Step(t).W
		a.Apply(tmp, v, 1)
		v, tmp = tmp, v
		a.Apply(tmp, w, 1)
		w, tmp = tmp, w
		z[t] = make([]float64, seq.N)
		for i := range v {
			if w[i] == 0 {
				return nil, fmt.Errorf("round %d: node %d has given all its weight away (keep a share on the diagonal)", t, i)
			}
			z[t][i] = v[i] / w[i]
		}
	}
	return z, nil
}
