package presets

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/network/netsim"
	"github.com/islandsgd/islands/schedule"
)

// Quantities that search or solve.
var searchQuantities = map[string]quantity{
	"topology-gain":       {"convergence speed 1/ln(1/λ) of the best of ring, torus and exponential graph with as many edges, over that of a topology found by search (both with optimal weights)", topologyGain},
	"steady-disagreement": {"consensus error in the limit of many rounds on one coordinate with unit noise and curvature: exact moments", steadyDisagreement},
	"hop-rate": {"Gb/s of a hop that carries several TCP connections: min(bandwidth, connections × window / round trip)", func(_ context.Context, r *reader) float64 {
		return min(r.rate("bandwidth"), r.number("connections")*r.bytes("window")*8/(2*r.seconds("latency"))) / 1e9
	}},
	"asynchrony-gain": {"local steps per second of islands that never wait, each with a server of its own, over those of islands that average together (event simulation), when the slowest island takes slow times as long as the fastest", asynchronyGain},
	"found-lambda":    {"λ of the topology found by search under the edge budget, with optimal weights", foundLambda},
}

// rivals are the usual topologies with the given number of nodes and undirected edges.
func rivals(n, edges int) []string {
	var out []string
	if edges == n {
		out = append(out, "ring")
	}
	for rows := 3; rows*rows <= n; rows++ {
		if n%rows == 0 && n/rows >= 3 && edges == 2*n {
			out = append(out, "torus:rows="+strconv.Itoa(rows)+",columns="+strconv.Itoa(n/rows))
		}
	}
	if d := math.Log2(float64(n)); d == math.Trunc(d) && edges == n*int(d)/2 {
		out = append(out, "hypercube")
	}
	return out
}

func topologyGain(ctx context.Context, r *reader) float64 {
	n, edges := r.int("nodes"), r.int("edges")
	if r.err != nil {
		return math.NaN()
	}
	best := 1.0
	for _, line := range rivals(n, edges) {
		s, err := schedule.Load(line, schedule.Options{N: n})
		if err != nil {
			r.check(err)
			return math.NaN()
		}
		best = min(best, optimalLambda(ctx, r, n, s.Rounds[0].Edges))
	}
	if best == 1 {
		r.fail("no usual topology has %d nodes and %d edges", n, edges)
		return math.NaN()
	}
	return math.Log(1/foundLambda(ctx, r)) / math.Log(1/best)
}

func foundLambda(ctx context.Context, r *reader) float64 {
	n, edges := r.int("nodes"), r.int("edges")
	if r.err != nil {
		return math.NaN()
	}
	best := 1.0
	const starts = 6
	for start := range uint64(starts) {
		best = min(best, optimalLambda(ctx, r, n, searchTopology(n, edges, rand.New(rand.NewPCG(7, start)))))
	}
	for _, line := range rivals(n, edges) { // the search may also begin where others end
		if s, err := schedule.Load(line, schedule.Options{N: n}); err == nil {
			best = min(best, optimalLambda(ctx, r, n, improve(n, s.Rounds[0].Edges, rand.New(rand.NewPCG(7, 99)))))
		}
	}
	return best
}

// optimalLambda is ‖W-J‖ with the best symmetric weights on the edges (fdla).
func optimalLambda(ctx context.Context, r *reader, n int, edges []schedule.Edge) float64 {
	s := &schedule.Schedule{Name: "found", N: n, Rounds: []schedule.Round{{LocalSteps: 1, Edges: edges, Rule: "fdla"}}}
	seq, err := mixing.New(s)
	if err != nil {
		r.check(err)
		return math.NaN()
	}
	report, err := mixing.Analyze(ctx, seq, mixing.Options{})
	if err != nil {
		r.check(err)
		return math.NaN()
	}
	return number(r, report.Sigma2)
}

// searchTopology starts from a random cycle with random chords.
func searchTopology(n, edges int, rng *rand.Rand) []schedule.Edge {
	order := rng.Perm(n)
	var out []schedule.Edge
	for k := range n {
		out = append(out, edge(order[k], order[(k+1)%n]))
	}
	for len(out) < edges {
		if e := edge(rng.IntN(n), rng.IntN(n)); e.I != e.J && !contains(out, e) {
			out = append(out, e)
		}
	}
	return improve(n, out[:edges], rng)
}

// improve exchanges edges as long as that lowers λ of the best constant weight, which costs one eigenvalue problem.
func improve(n int, edges []schedule.Edge, rng *rand.Rand) []schedule.Edge {
	const tries = 3000
	out := make([]schedule.Edge, len(edges))
	for i, e := range edges {
		out[i] = edge(e.I, e.J)
	}
	best := constantLambda(n, out)
	for range tries {
		k := rng.IntN(len(out))
		e := edge(rng.IntN(n), rng.IntN(n))
		if e.I == e.J || contains(out, e) {
			continue
		}
		old := out[k]
		out[k] = e
		if l := constantLambda(n, out); l < best {
			best = l
		} else {
			out[k] = old
		}
	}
	return out
}

// constantLambda is (λ_max - λ_2)/(λ_max + λ_2) of the Laplacian (Xiao, Boyd 2004).
func constantLambda(n int, edges []schedule.Edge) float64 {
	l := mat.NewSymDense(n, nil)
	for _, e := range edges {
		l.SetSym(e.I, e.J, -1)
		l.SetSym(e.I, e.I, l.At(e.I, e.I)+1)
		l.SetSym(e.J, e.J, l.At(e.J, e.J)+1)
	}
	var eig mat.EigenSym
	if !eig.Factorize(l, false) {
		return 1
	}
	v := eig.Values(nil)
	return (v[n-1] - v[1]) / (v[n-1] + v[1])
}

func edge(i, j int) schedule.Edge { return schedule.Edge{I: min(i, j), J: max(i, j)} }

func contains(list []schedule.Edge, e schedule.Edge) bool {
	for _, x := range list {
		if x.I == e.I && x.J == e.J {
			return true
		}
	}
	return false
}

func steadyDisagreement(ctx context.Context, r *reader) float64 {
	line, algorithm, step := r.text("schedule"), r.text("algorithm"), r.number("step")
	if r.err != nil {
		return math.NaN()
	}
	s, err := schedule.Load(line, schedule.Options{})
	r.check(err)
	a, err := gossip.ParseAlgorithm(algorithm)
	r.check(err)
	if r.err != nil {
		return math.NaN()
	}
	seq, err := mixing.New(s)
	r.check(err)
	q, err := gossip.ParseProblem("quadratic:d=1,L=1,mu=1,heterogeneity=0,noise=1", s.N)
	r.check(err)
	if r.err != nil {
		return math.NaN()
	}
	out, err := gossip.Exact(ctx, q, seq, gossip.ExactOptions{Algorithm: a, Step: step})
	r.check(err)
	if r.err != nil {
		return math.NaN()
	}
	if out.Stationary == nil {
		r.missing("there is no limit: the step size is too large")
		return math.NaN()
	}
	return out.Stationary.Consensus
}

// asynchronyGain lets the speeds of the islands fall linearly from 1 to 1/slow.
func asynchronyGain(ctx context.Context, r *reader) float64 {
	t, payload, h, step, slow := islands(r), r.bytes("payload"), r.int("local_steps"), r.seconds("step_time"), r.number("slow")
	if r.err != nil {
		return math.NaN()
	}
	n := len(t.Islands)
	c, err := t.Capability(network.LevelUnicast)
	r.check(err)
	s, err := schedule.Load("allreduce:h="+strconv.Itoa(h), schedule.Options{Nodes: t.IslandNames()})
	r.check(err)
	if r.err != nil {
		return math.NaN()
	}
	pace := make([]float64, n)
	for i := range pace {
		pace[i] = 1 + (slow-1)*float64(i)/float64(max(1, n-1))
	}
	const rounds = 20
	together, err := netsim.Run(ctx, netsim.Options{
		Topology: t, Capability: c, Schedule: s, Collective: collective.Options{Payload: payload}, Rounds: rounds, StepTime: step, Slow: pace,
	})
	r.check(err)
	if r.err != nil {
		return math.NaN()
	}
	alone := 0.0
	for i, p := range pace {
		up, down := t.Islands[i].Egress, t.Islands[i].Ingress
		if r.has("bandwidth") { // of a server nearby
			up = r.rate("bandwidth")
			down = up
		}
		exchange := payload * 8 * (1/up + 1/down)
		alone += float64(h) / (float64(h)*step*p + exchange)
	}
	return alone / (float64(n*h*rounds) / together.Seconds)
}
