package collective

import (
	"math"
	"math/bits"
	"slices"

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

	nodes  []int     // router of each node: members first, then routers
	before []float64 // price of leaving a node: a member's access arc
	after  []float64 // price of entering a node

	sites []int       // the routers of the nodes, each once
	site  []int       // of each node
	far   [][]float64 // between the sites
	into  [][]int     // link arcs of the cheapest routes from each site

	routerFar []float64 // scratch of cheapest
	done      []bool
	near      []float64 // scratch of solve
	reach     []float64

	own   [][]float64 // own[m][D]: serve the members in the set D from member m outside D, who has the payload
	split [][]lanes   // split[i/4][D][i%4]: serve D from the i-th router, which has the payload and splits at once
	part  [][]lanes   // the same when D is one part of a split: a router may also pass it on, for a toll

	toll []float64 // price of each part at a node that splits: what an aggregator takes in
	res  *resources
}

// lanes holds the costs of four routers side by side: their splits are the same, so that one walk over these serves
// all four, with every minimum in a register.
type lanes [4]float64

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
	for _, r := range f.nodes {
		i := slices.Index(f.sites, r)
		if i < 0 {
			i = len(f.sites)
			f.sites = append(f.sites, r)
		}
		f.site = append(f.site, i)
	}
	n := len(f.nodes)
	f.before, f.after, f.toll = make([]float64, n), make([]float64, n), make([]float64, n)
	f.routerFar, f.done = make([]float64, len(g.Topology.Routers)), make([]bool, len(g.Topology.Routers))
	f.near, f.reach = make([]float64, len(f.sites)), make([]float64, len(f.sites))
	f.far = matrix(len(f.sites), len(f.sites))
	for range f.sites {
		f.into = append(f.into, make([]int, len(g.Topology.Routers)))
	}
	if len(members) <= exactTree {
		f.own = table[float64](len(members), len(members))
		blocks := (len(f.routers) + 3) / 4
		f.split, f.part = table[lanes](blocks, len(members)), table[lanes](blocks, len(members))
	}
	return f
}

func table[T any](rows, members int) [][]T {
	t := make([][]T, rows)
	for i := range t {
		t[i] = make([]T, 1<<members)
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
	for i, from := range f.sites {
		f.cheapest(from, prices, f.into[i])
		for j, to := range f.sites {
			f.far[i][j] = f.routerFar[to]
		}
	}
	if f.own != nil {
		f.solve()
	}
}

// cheapest is Dijkstra's method over router distances, in a plain array: networks here are small.
func (f *treeFinder) cheapest(from int, prices []float64, into []int) {
	far := f.routerFar
	clear(f.done)
	for v := range far {
		far[v], into[v] = math.Inf(1), -1
	}
	far[from] = 0
	for {
		u := -1
		for v := range far {
			if !f.done[v] && !math.IsInf(far[v], 1) && (u < 0 || far[v] < far[u]) {
				u = v
			}
		}
		if u < 0 {
			return
		}
		f.done[u] = true
		for _, arc := range f.g.Out(u) {
			w := f.g.Arcs[arc].Head
			if d := far[u] + prices[arc^f.flip]; d < far[w] {
				far[w], into[w] = d, arc
			}
		}
	}
}

// dist is the price of going from node v to node u.
func (f *treeFinder) dist(v, u int) float64 {
	return f.before[v] + f.far[f.site[v]][f.site[u]] + f.after[u]
}

// solve fills the tables in the order of growing sets. A member of D keeps the payload that reaches it and passes it on;
// other members never relay in a cheapest tree.
//
//	serve(D, u) = own[u][D - u]                                  for a member u of D
//	            = split[u][D]                                    for a router
//	reach(D, v) = min over u of dist(v, u) + serve(D, u)         less what it costs to leave v
//	split[v][D] = min over D = E + E' of part[v][E] + part[v][E']
//	part[v][D]  = min(split[v][D], toll[v] + reach(D, v))
//	own[v][D]   = min over D = E + E' of own[v][E] + own[v][E'], and of before[v] + reach(D, v)
//
// An aggregator with a limit takes a toll for each of the parts that it merges, however many.
func (f *treeFinder) solve() {
	k := len(f.members)
	all := 1<<k - 1
	routers, tolls := f.site[k:], f.toll[k:]
	for d := 1; d <= all; d++ {
		for s := range f.near {
			f.near[s] = math.Inf(1)
		}
		for rest := d; rest > 0; rest &= rest - 1 {
			m := bits.TrailingZeros(uint(rest))
			f.keep(f.site[m], f.after[m]+f.own[m][d^1<<m])
		}
		for b, t := range f.part {
			split := &f.split[b][d]
			*split = cheapestSplits(t, d)
			for i, s := range routers[4*b : min(4*b+4, len(routers))] {
				f.keep(s, split[i])
			}
		}
		f.spread()
		for b, t := range f.part {
			split := &f.split[b][d]
			for i, s := range routers[4*b : min(4*b+4, len(routers))] {
				t[d][i] = min(split[i], tolls[4*b+i]+f.reach[s])
			}
		}
		for rest := all ^ d; rest > 0; rest &= rest - 1 {
			m := bits.TrailingZeros(uint(rest))
			f.own[m][d] = min(cheapestSplit(f.own[m], d), f.before[m]+f.reach[f.site[m]])
		}
	}
}

// keep lowers near, the cost of a set from each site without going on from it.
func (f *treeFinder) keep(site int, cost float64) {
	if cost < f.near[site] {
		f.near[site] = cost
	}
}

// spread sets reach, the cost from each site with going on.
func (f *treeFinder) spread() {
	for s, far := range f.far {
		least := math.Float64bits(math.Inf(1))
		for i, near := range f.near {
			least = min(least, math.Float64bits(far[i]+near))
		}
		f.reach[s] = math.Float64frombits(least)
	}
}

// cheapestSplit returns the least t[E] + t[D - E]. Each split is looked at once, E being the part with the lowest member.
// Costs are not negative, so that their bits compare as they do, which takes the processor no branches.
func cheapestSplit(t []float64, d int) float64 {
	rest := d & (d - 1)
	low := d ^ rest
	least := math.Float64bits(math.Inf(1))
	for e := rest; e > 0; {
		e = (e - 1) & rest
		least = min(least, math.Float64bits(t[low|e]+t[rest^e]))
	}
	return math.Float64frombits(least)
}

// cheapestSplits is cheapestSplit for four routers.
func cheapestSplits(t []lanes, d int) lanes {
	rest := d & (d - 1)
	low := d ^ rest
	inf := math.Float64bits(math.Inf(1))
	l0, l1, l2, l3 := inf, inf, inf, inf
	for e := rest; e > 0; {
		e = (e - 1) & rest
		a, b := &t[low|e], &t[rest^e]
		l0 = min(l0, math.Float64bits(a[0]+b[0]))
		l1 = min(l1, math.Float64bits(a[1]+b[1]))
		l2 = min(l2, math.Float64bits(a[2]+b[2]))
		l3 = min(l3, math.Float64bits(a[3]+b[3]))
	}
	return lanes{math.Float64frombits(l0), math.Float64frombits(l1), math.Float64frombits(l2), math.Float64frombits(l3)}
}
