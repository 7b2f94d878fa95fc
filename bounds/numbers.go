package bounds

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/gossip"
)

// Numbers computes what published theorems ask for from the schedule and the problem.
func (s Setting) Numbers(ctx context.Context) (Numbers, error) {
	c, err := newSetup(ctx, s)
	if err != nil {
		return Numbers{}, err
	}
	return c.numbers(ctx)
}

func (c *setup) numbers(ctx context.Context) (Numbers, error) {
	q, k := c.Problem, c.constants
	n := Numbers{
		Algorithm: c.Algorithm.Name, N: q.N, H: c.commonSteps(), Step: c.step, Target: c.Target,
		L: k.L, Mu: k.Mu, Sigma2: k.Sigma2, Zeta2: k.Zeta2, Uniform2: math.Inf(1), Bound2: math.Inf(1),
		Identical: c.identical(), Distance2: k.StartCentroid, StartConsensus: k.StartConsensus, IsotropicNoise: q.LeastSquares,
		Random: c.Sequence.Random != nil, Period: c.Sequence.Period(), Lambda: 1, Delay: c.Algorithm.Delay,
	}
	if n.Algorithm == "" {
		n.Algorithm = "atc"
	}
	if len(c.at) > 0 {
		n.Steps = float64(c.at[len(c.at)-1]) * float64(n.H)
	}
	if k.DeltaA == 0 {
		n.Uniform2 = k.Zeta2
	}
	n.Gap, n.Gradient2 = startGap(q, k, c.weights)
	c.scheduleNumbers(&n)
	n.Groups = c.groups()
	if n.Algorithm == "choco" && n.Symmetric {
		n.Omega, n.Beta = c.Algorithm.Omega(q.D), 1-n.Least
		if n.Gamma = c.Algorithm.Gamma; n.Gamma == 0 {
			n.Gamma = ChocoGamma(1-n.Lambda, n.Omega, n.Beta)
		}
	}
	return n, ctx.Err()
}

// commonSteps returns the local steps of every round, or 0 where they differ.
func (c *setup) commonSteps() int {
	h := c.localSteps(0)
	for t := range c.Sequence.Period() {
		if c.localSteps(t) != h {
			return 0
		}
	}
	return h
}

// scheduleNumbers fills in what the schedule alone decides.
func (c *setup) scheduleNumbers(n *Numbers) {
	n.Doubly = c.common.hold() && c.Problem.Weights == nil
	if n.Doubly {
		if b, ok := c.bestBlock(); ok {
			_, most := c.blockSteps(b)
			n.P, n.Tau = b.p, float64(most)
		}
	}
	if n.Random {
		n.Lambda = c.contract[0]
		if mean := c.Sequence.Random.Mean; mean != nil {
			c.graphNumbers(n, [][][]float64{dense(mean.Dense())})
		}
		return
	}
	n.Exact, n.Column = n.Doubly, true
	var all [][][]float64
	for t := range c.Sequence.Steps {
		w := c.Sequence.Steps[t].W
		n.Column = n.Column && w.Nonnegative() && w.ColumnStochastic()
		n.Exact = n.Exact && c.contract[t] == 0
		if n.N <= maxGraphNodes {
			all = append(all, dense(w.Dense()))
		}
	}
	c.graphNumbers(n, all)
	if n.Fixed = n.Period == 1; n.Fixed && n.Doubly {
		n.Lambda = c.contract[0]
		if n.Symmetric = c.Sequence.Steps[0].W.Symmetric(); n.Symmetric {
			n.Least = leastEigenvalue(c.Sequence.Steps[0].W.Dense(), n.Lambda)
		}
	}
}

// maxGraphNodes bounds the cubic work on graphs and least eigenvalues.
const maxGraphNodes = 400

func dense(m *mat.Dense) [][]float64 {
	n, _ := m.Dims()
	out := make([][]float64, n)
	for i := range out {
		out[i] = m.RawRowView(i)
	}
	return out
}

// leastEigenvalue returns λ_min of a symmetric W; for a very large one -‖W-J‖, which is never above it.
func leastEigenvalue(w *mat.Dense, norm float64) float64 {
	n, _ := w.Dims()
	if n > maxGraphNodes {
		return -norm
	}
	sym := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			sym.SetSym(i, j, (w.At(i, j)+w.At(j, i))/2)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(sym, false) {
		return -norm
	}
	return e.Values(nil)[0]
}

// graphNumbers sets the eigengap, the diameter and connectedness of the graph of all pairs that exchange.
func (c *setup) graphNumbers(n *Numbers, matrices [][][]float64) {
	nodes := n.N
	if len(matrices) == 0 || nodes > maxGraphNodes {
		return
	}
	linked := make([][]bool, nodes)
	for i := range linked {
		linked[i] = make([]bool, nodes)
	}
	for _, w := range matrices {
		for i, row := range w {
			for j, v := range row {
				if i != j && v != 0 {
					linked[i][j] = true
				}
			}
		}
	}
	strong := reach(linked, func(i, j int) bool { return linked[i][j] }, 0) >= 0 && reach(linked, func(i, j int) bool { return linked[j][i] }, 0) >= 0
	n.Connected = strong
	both := func(i, j int) bool { return linked[i][j] || linked[j][i] }
	for from := range nodes {
		depth := reach(linked, both, from)
		if depth < 0 {
			n.Diameter = 0
			return
		}
		n.Diameter = max(n.Diameter, depth)
	}
	if nodes < 2 {
		return
	}
	l := mat.NewSymDense(nodes, nil)
	for i := range nodes {
		for j := range i {
			if both(i, j) {
				l.SetSym(i, j, -1)
				l.SetSym(i, i, l.At(i, i)+1)
				l.SetSym(j, j, l.At(j, j)+1)
			}
		}
	}
	var e mat.EigenSym
	if e.Factorize(l, false) {
		values := e.Values(nil)
		n.Eigengap = max(0, values[1]) / values[nodes-1]
	}
}

// reach returns how many hops it takes from a node to all others, or -1.
func reach(nodes [][]bool, linked func(i, j int) bool, from int) int {
	depth := make([]int, len(nodes))
	for i := range depth {
		depth[i] = -1
	}
	depth[from] = 0
	queue, most := []int{from}, 0
	for k := 0; k < len(queue); k++ {
		i := queue[k]
		for j := range nodes {
			if depth[j] < 0 && linked(i, j) {
				depth[j] = depth[i] + 1
				most = max(most, depth[j])
				queue = append(queue, j)
			}
		}
	}
	if len(queue) < len(nodes) {
		return -1
	}
	return most
}

// startGap returns f(x̄_0) - f* and ‖∇f(x̄_0)‖².
func startGap(q *gossip.Quadratic, k gossip.Constants, weights []float64) (gap, gradient2 float64) {
	e := make([]float64, q.D)
	for j := range q.D {
		for i := range q.N {
			e[j] += weights[i] * q.Start[i][j]
		}
		e[j] -= k.XStar[j]
	}
	g := make([]float64, q.D)
	for i := range q.N {
		for j, v := range times(q, i, e) {
			g[j] += weights[i] * v
		}
	}
	for j := range q.D {
		gap += e[j] * g[j] / 2
		gradient2 += g[j] * g[j]
	}
	return gap, gradient2
}

// times returns A_i x.
func times(q *gossip.Quadratic, i int, x []float64) []float64 {
	out := make([]float64, q.D)
	for j := range out {
		if q.Diagonal {
			out[j] = q.A[i][j] * x[j]
			continue
		}
		for k, v := range x {
			out[j] += q.A[i][j*q.D+k] * v
		}
	}
	return out
}

// groups recognizes a hierarchical schedule: rounds in the same groups, then one round or more of all islands.
func (c *setup) groups() Groups {
	var g Groups
	if c.Sequence.Random != nil || c.Problem.Weights != nil {
		return g
	}
	var cliques [][]int
	inner, total := 0, 0
	for t := range c.Sequence.Steps {
		total += c.localSteps(t)
		these, ok := c.Sequence.Steps[t].W.Cliques()
		switch {
		case !ok:
			return Groups{}
		case len(these) == 1 && len(these[0]) == c.Problem.N:
			continue
		case t != inner || inner > 0 && !samePartition(these, cliques, c.Problem.N):
			return Groups{}
		}
		cliques, inner = these, inner+1
	}
	outer := len(c.Sequence.Steps) - inner
	if inner == 0 || outer == 0 {
		return Groups{}
	}
	g.Count = c.Problem.N
	for _, group := range cliques {
		g.Count -= len(group) - 1
	}
	g.Inner, g.Outer = float64(c.localSteps(0)), float64(total)
	if outer > 1 {
		g.Outer = float64(c.steps(0, inner+1)) // between the last averaging of all and the next one
	}
	g.Between2, g.Within2 = math.Inf(1), math.Inf(1)
	if c.constants.DeltaA == 0 {
		g.Between2, g.Within2 = splitHeterogeneity(c.Problem, cliques)
	}
	return g
}

func samePartition(a, b [][]int, n int) bool {
	label := func(cliques [][]int) []int {
		out := numbered(n)
		for _, clique := range cliques {
			least := clique[0]
			for _, i := range clique {
				least = min(least, i)
			}
			for _, i := range clique {
				out[i] = least
			}
		}
		return out
	}
	x, y := label(a), label(b)
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return true
}

func numbered(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// splitHeterogeneity splits average ‖A (b_i - b̄)‖² into the part between groups and the part within, for one A.
func splitHeterogeneity(q *gossip.Quadratic, cliques [][]int) (between, within float64) {
	group := numbered(q.N)
	for _, clique := range cliques {
		for _, i := range clique {
			group[i] = clique[0]
		}
	}
	mean, means, size := make([]float64, q.D), map[int][]float64{}, map[int]float64{}
	for i, g := range group {
		if means[g] == nil {
			means[g] = make([]float64, q.D)
		}
		size[g]++
		for j, v := range q.B[i] {
			mean[j] += v / float64(q.N)
			means[g][j] += v
		}
	}
	difference := func(a []float64, scale float64, b []float64) float64 {
		x := make([]float64, q.D)
		for j := range x {
			x[j] = a[j]*scale - b[j]
		}
		sum := 0.0
		for _, v := range times(q, 0, x) {
			sum += v * v
		}
		return sum / float64(q.N)
	}
	for i, g := range group {
		own := make([]float64, q.D)
		for j := range own {
			own[j] = means[g][j] / size[g]
		}
		between += difference(own, 1, mean)
		within += difference(q.B[i], 1, own)
	}
	return between, within
}
