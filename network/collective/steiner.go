package collective

import (
	"math"
	"math/bits"

	"github.com/islandsgd/islands/network"
)

// exactTree is the largest clique whose cheapest trees are found exactly: Dreyfus and Wagner's recursion (Networks 1,
// 1971) takes 3^k steps a node.
const exactTree = 12

// A tree for a clique is an arborescence in the closure: its nodes are the members and the routers that can branch
// (copy in a broadcast, sum in a reduction), its edges cheapest routes between them. Other routers only forward, so
// what branches before them crosses them once for each branch.

// treeFinder finds cheapest trees at given arc prices, in one direction: flip = 0 for broadcasts, 1 for reductions,
// which are broadcasts against the direction of the arcs.
type treeFinder struct {
	g       *network.Graph
	members []int
	routers []int // that can branch, or be the root
	flip    int

	nodes  []int       // router of each node: members first, then routers
	before []float64   // price of leaving a node: a member's access arc
	after  []float64   // price of entering a node
	dist   [][]float64 // between the nodes
	into   [][]int     // link arcs of the cheapest routes from each node's router

	cost [][]float64 // cost[D][v]: serve the members in the set D from node v, which has the payload
	part [][]float64 // the same when v is a router that splits, and pays for each part; nil when that is free

	toll []float64 // price of each part at a node that splits: what an aggregator takes in
	res  *resources
}

func newTreeFinder(p *Pricer, members []int, flip int) *treeFinder {
	g, branching := p.g, p.can.Multicast
	if flip == up {
		branching = p.can.Aggregation
	}
	f := &treeFinder{g: g, members: members, flip: flip, res: p.res}
	at := g.Topology.Islands[members[0]].Router
	for _, m := range members {
		f.nodes = append(f.nodes, g.Topology.Islands[m].Router)
	}
	for r, can := range branching {
		if can && g.Connected(r, at) {
			f.routers = append(f.routers, r)
			f.nodes = append(f.nodes, r)
		}
	}
	n := len(f.nodes)
	f.before, f.after = make([]float64, n), make([]float64, n)
	f.dist, f.into = make([][]float64, n), make([][]int, n)
	for v := range n {
		f.dist[v] = make([]float64, n)
		f.into[v] = make([]int, len(g.Topology.Routers))
	}
	f.toll = make([]float64, n)
	if len(members) <= exactTree {
		f.cost = table(n, len(members))
		if flip == up && p.res.limited() {
			f.part = table(n, len(members))
		}
	}
	return f
}

func table(nodes, members int) [][]float64 {
	t := make([][]float64, 1<<members)
	space := make([]float64, nodes<<members)
	for d := range t {
		t[d], space = space[:nodes:nodes], space[nodes:]
	}
	return t
}

// tollRow is the row that pays for parts at a node, or -1.
func (f *treeFinder) tollRow(node int) int {
	if node < len(f.members) || f.flip != up || !f.res.limited() {
		return -1
	}
	return f.res.ingest[f.nodes[node]]
}

// parts is the table of what the parts of a split cost.
func (f *treeFinder) parts() [][]float64 {
	if f.part != nil {
		return f.part
	}
	return f.cost
}

// out and in are the access arcs by which a member's payload leaves and arrives, in the finder's direction.
func (f *treeFinder) out(member int) int {
	if f.flip == 0 {
		return f.g.Egress(member)
	}
	return f.g.Ingress(member)
}

func (f *treeFinder) in(member int) int {
	if f.flip == 0 {
		return f.g.Ingress(member)
	}
	return f.g.Egress(member)
}

// price sets the arcs' prices and, up to exactTree members, solves for every set and node.
func (f *treeFinder) price(prices []float64) {
	for i, m := range f.members {
		f.before[i], f.after[i] = prices[f.out(m)], prices[f.in(m)]
	}
	for v := range f.nodes {
		if row := f.tollRow(v); row >= 0 {
			f.toll[v] = prices[row]
		}
	}
	far := make([]float64, len(f.g.Topology.Routers))
	for v, from := range f.nodes {
		f.cheapest(from, prices, far, f.into[v])
		for u, to := range f.nodes {
			f.dist[v][u] = f.before[v] + far[to] + f.after[u]
		}
	}
	if f.cost != nil {
		f.solve()
	}
}

// cheapest is Dijkstra's method over router distances, in a plain array: networks here are small.
func (f *treeFinder) cheapest(from int, prices, far []float64, into []int) {
	done := make([]bool, len(far))
	for v := range far {
		far[v], into[v] = math.Inf(1), -1
	}
	far[from] = 0
	for {
		u := -1
		for v := range far {
			if !done[v] && !math.IsInf(far[v], 1) && (u < 0 || far[v] < far[u]) {
				u = v
			}
		}
		if u < 0 {
			return
		}
		done[u] = true
		for _, arc := range f.g.Out(u) {
			w := f.g.Arcs[arc].Head
			if d := far[u] + prices[arc^f.flip]; d < far[w] {
				far[w], into[w] = d, arc
			}
		}
	}
}

// solve fills cost in the order of growing sets.
//
//	serve(D, u) = cost[D - u][u]   for a member u of D: it keeps the payload and passes it on
//	            = split(D, u)      for a router
//	split(D, u) = min over D = E + E' of part[E][u] + part[E'][u]
//	cost[D][v]  = min(split(D, v), min over u of dist[v][u] + serve(D, u))
//	part[D][v]  = min(split(D, v), toll[v] + min over u of dist[v][u] + serve(D, u))
//
// An aggregator with a limit takes a toll for each of the parts that it merges, however many; without tolls, part is
// cost.
func (f *treeFinder) solve() {
	k, n := len(f.members), len(f.nodes)
	serve := make([]float64, n)
	parts := f.parts()
	for d := 1; d < 1<<k; d++ {
		cost := f.cost[d]
		low := d & -d
		for v := range n {
			cost[v] = math.Inf(1)
		}
		for e := (d - 1) & d; e > 0; e = (e - 1) & d {
			if e&low == 0 {
				continue // each split once: the part with the lowest member first
			}
			a, b := parts[e], parts[d^e]
			for v, x := range a {
				if s := x + b[v]; s < cost[v] {
					cost[v] = s
				}
			}
		}
		for u := range n {
			serve[u] = f.serve(d, u, cost)
		}
		for v := range n {
			move := math.Inf(1)
			for u, s := range serve {
				if c := f.dist[v][u] + s; c < move && u != v {
					move = c
				}
			}
			if f.part != nil {
				f.part[d][v] = min(cost[v], move+f.toll[v])
			}
			cost[v] = min(cost[v], move)
		}
		for m := range k {
			if d>>m&1 == 1 {
				cost[m] = f.cost[d^1<<m][m] // it has the payload already
				if f.part != nil {
					f.part[d][m] = cost[m]
				}
			}
		}
	}
}

// serve is the cost of D once the payload has reached node u; split holds the costs of splitting there.
func (f *treeFinder) serve(d, u int, split []float64) float64 {
	if u >= len(f.members) {
		return split[u]
	}
	if d>>u&1 == 0 {
		return math.Inf(1) // a member that is served elsewhere never relays in a cheapest tree
	}
	return f.cost[d^1<<u][u]
}

// tree is one broadcast or reduction: how often it uses each arc, and the longest way from its root in picoseconds.
type tree struct {
	arcs  []int // with repetition
	depth int64

	spans []span // its branches; nil for a tree on the lowest-latency routes, which sums at the routers in sums
	sums  []bool
}

// span is a branch of a tree: arcs[from:to] from the branch parent (-1: the root) to an end, an island or a router that
// counts on from the islands.
type span struct{ parent, from, to, end int }

// branch closes a branch that ends at node v, begun where the tree had from arcs.
func (f *treeFinder) branch(t *tree, parent, from, v int) int {
	end := len(f.g.Topology.Islands) + f.nodes[v]
	if v < len(f.members) {
		end = f.members[v]
	}
	t.spans = append(t.spans, span{parent, from, len(t.arcs), end})
	return len(t.spans) - 1
}

// find returns the cheapest tree from a root: a member's position, or len(members) + a position in routers.
func (f *treeFinder) find(root int) *tree {
	t := &tree{}
	if f.cost == nil {
		f.grow(t, root)
		return t
	}
	f.trace(t, f.all(root), root, 0, false, -1)
	return t
}

// all is the set of members that a root must serve.
func (f *treeFinder) all(root int) int {
	d := 1<<len(f.members) - 1
	if root < len(f.members) {
		d ^= 1 << root
	}
	return d
}

// trace follows the choices that solve made. part says whether v is a router that is splitting already, branch by which
// branch it was reached.
func (f *treeFinder) trace(t *tree, d, v int, depth int64, part bool, branch int) {
	if d == 0 {
		return
	}
	parts := f.parts()
	toll := 0.0
	if part {
		toll = f.toll[v]
	}
	low := d & -d
	split, next, least := 0, -1, math.Inf(1)
	for e := (d - 1) & d; e > 0; e = (e - 1) & d {
		if e&low == 0 {
			continue
		}
		if x := parts[e][v] + parts[d^e][v]; x < least {
			split, least = e, x
		}
	}
	for u := range f.nodes {
		if u == v {
			continue
		}
		if x := f.dist[v][u] + f.afterMove(d, u) + toll; x < least {
			next, least = u, x
		}
	}
	if next < 0 {
		f.trace(t, split, v, depth, true, branch)
		f.trace(t, d^split, v, depth, true, branch)
		return
	}
	if row := f.tollRow(v); part && row >= 0 {
		t.arcs = append(t.arcs, row)
	}
	from := len(t.arcs)
	depth = f.route(t, v, next, depth)
	branch = f.branch(t, branch, from, next)
	if next < len(f.members) {
		d ^= 1 << next
	}
	f.trace(t, d, next, depth, false, branch)
}

// afterMove is the cost after entering u; a router that is entered splits at once, since moving on from there is a
// cheapest route by itself.
func (f *treeFinder) afterMove(d, u int) float64 {
	if u < len(f.members) {
		if d>>u&1 == 0 {
			return math.Inf(1)
		}
		return f.cost[d^1<<u][u]
	}
	if bits.OnesCount(uint(d)) < 2 {
		return math.Inf(1)
	}
	split := math.Inf(1)
	low := d & -d
	for e := (d - 1) & d; e > 0; e = (e - 1) & d {
		if e&low != 0 {
			split = min(split, f.parts()[e][u]+f.parts()[d^e][u])
		}
	}
	return split
}

// route appends the arcs from node v to node u and returns the depth at u.
func (f *treeFinder) route(t *tree, v, u int, depth int64) int64 {
	if v < len(f.members) {
		t.arcs = append(t.arcs, f.out(f.members[v]))
		depth += f.res.access(f.out(f.members[v]))
	}
	for r := f.nodes[u]; f.into[v][r] >= 0; {
		arc := f.into[v][r]
		t.arcs = append(t.arcs, arc^f.flip)
		depth += f.g.Picos(arc) + f.res.access(arc)
		r = f.g.Arcs[arc].Tail
	}
	if u < len(f.members) {
		t.arcs = append(t.arcs, f.in(f.members[u]))
		depth += f.res.access(f.in(f.members[u]))
	}
	t.depth = max(t.depth, depth)
	return depth
}
