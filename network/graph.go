package network

import (
	"container/heap"
	"math"
	"slices"
	"sync"
)

// Kinds of arcs.
const (
	KindLink    = "link"
	KindEgress  = "egress"
	KindIngress = "ingress"
)

// Arc is one direction of a link, or one of an island's two access arcs.
type Arc struct {
	From, To string  // names: routers, or an island and its router
	Kind     string  // KindLink, KindEgress or KindIngress
	Capacity float64 // bit/s
	Latency  float64 // seconds; 0 for access arcs

	Tail, Head int // router indices; -1 on the island's side of an access arc
}

// Graph is a topology compiled for computing: arcs with capacities, and lowest-latency routes.
//
// Link l gives arcs 2l (from A to B) and 2l+1 (from B to A), so an arc's other direction is arc^1. Island i's egress
// and ingress follow the links, at Egress(i) and Ingress(i).
//
// Routes are those of an interior gateway protocol with latency as its metric: least latency first, then fewest
// hops, then the predecessor that comes first in router order. Latencies are compared in whole picoseconds, so that
// two routes of equal length tie whatever the order in which they are summed. A Graph is safe for concurrent use.
type Graph struct {
	Topology *Topology
	Arcs     []Arc

	out       [][]int // link arcs that leave each router, in router order of their heads
	picos     []int64 // latency of each arc
	component []int   // of each router
	trees     []lazyTree
}

type lazyTree struct {
	once sync.Once
	tree *Tree
}

// NewGraph compiles a topology that Validate accepts. The topology must not change afterwards.
func NewGraph(t *Topology) *Graph {
	n := len(t.Routers)
	g := &Graph{Topology: t, out: make([][]int, n), trees: make([]lazyTree, n)}
	for _, l := range t.Links {
		a, b := t.Routers[l.A].ID, t.Routers[l.B].ID
		g.out[l.A] = append(g.out[l.A], len(g.Arcs))
		g.Arcs = append(g.Arcs, Arc{a, b, KindLink, l.Bandwidth, l.Latency, l.A, l.B})
		g.out[l.B] = append(g.out[l.B], len(g.Arcs))
		g.Arcs = append(g.Arcs, Arc{b, a, KindLink, l.Bandwidth, l.Latency, l.B, l.A})
	}
	for _, s := range t.Islands {
		at := t.Routers[s.Router].ID
		g.Arcs = append(g.Arcs,
			Arc{s.ID, at, KindEgress, s.Egress, 0, -1, s.Router},
			Arc{at, s.ID, KindIngress, s.Ingress, 0, s.Router, -1})
	}
	for _, arcs := range g.out {
		slices.SortStableFunc(arcs, func(x, y int) int { return g.Arcs[x].Head - g.Arcs[y].Head })
	}
	g.picos = make([]int64, len(g.Arcs))
	for i, a := range g.Arcs {
		g.picos[i] = int64(math.Round(a.Latency * 1e12))
	}
	g.component = t.components()
	return g
}

// Egress returns the arc from island i to its router.
func (g *Graph) Egress(i int) int { return 2*len(g.Topology.Links) + 2*i }

// Ingress returns the arc to island i from its router.
func (g *Graph) Ingress(i int) int { return 2*len(g.Topology.Links) + 2*i + 1 }

// Picos returns an arc's latency in whole picoseconds.
func (g *Graph) Picos(arc int) int64 { return g.picos[arc] }

// Out returns the link arcs that leave a router. The slice is the graph's own.
func (g *Graph) Out(router int) []int { return g.out[router] }

// Connected reports whether routers a and b can reach each other.
func (g *Graph) Connected(a, b int) bool { return g.component[a] == g.component[b] }

// Tree holds the routes from one router to all others; reversed, the routes from all others to it.
type Tree struct {
	Root int
	// Into is the arc by which each router is entered; -1 for the root and for routers out of reach.
	Into []int
	// Order lists the routers within reach, the root first and every other after its predecessor.
	Order []int
	// Picos is each router's distance in picoseconds, -1 out of reach.
	Picos []int64
}

// Latency returns the one-way seconds between the root and router v, +Inf when it is out of reach.
func (t *Tree) Latency(v int) float64 {
	if t.Picos[v] < 0 {
		return math.Inf(1)
	}
	return Seconds(t.Picos[v])
}

// Seconds converts picoseconds.
func Seconds(picos int64) float64 { return float64(picos) / 1e12 }

// Tree returns the lowest-latency routes from a router.
func (g *Graph) Tree(root int) *Tree {
	l := &g.trees[root]
	l.once.Do(func() { l.tree = g.dijkstra(root) })
	return l.tree
}

// Path returns the arcs from router a to router b in order, along the tree of a, or nil when b is out of reach or a.
func (g *Graph) Path(a, b int) []int {
	var arcs []int
	for in := g.Tree(a).Into; in[b] >= 0; b = g.Arcs[in[b]].Tail {
		arcs = append(arcs, in[b])
	}
	slices.Reverse(arcs)
	return arcs
}

// label is a router's distance; less compares in the order of routing.
type label struct {
	picos  int64
	hops   int
	router int
}

func (a label) less(b label) bool {
	if a.picos != b.picos {
		return a.picos < b.picos
	}
	if a.hops != b.hops {
		return a.hops < b.hops
	}
	return a.router < b.router
}

type labelHeap []label

func (h labelHeap) Len() int           { return len(h) }
func (h labelHeap) Less(i, j int) bool { return h[i].less(h[j]) }
func (h labelHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *labelHeap) Push(x any)        { *h = append(*h, x.(label)) }
func (h *labelHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// dijkstra settles routers in the order of (latency, hops, router). A router's predecessor is the first in router
// order among those on a route that is best in latency and hops.
func (g *Graph) dijkstra(root int) *Tree {
	n := len(g.out)
	t := &Tree{Root: root, Into: make([]int, n), Picos: make([]int64, n)}
	best := make([]label, n)
	settled := make([]bool, n)
	for v := range n {
		t.Into[v], t.Picos[v] = -1, -1
		best[v] = label{math.MaxInt64, 0, v}
	}
	best[root] = label{0, 0, root}
	h := &labelHeap{best[root]}
	for h.Len() > 0 {
		at := heap.Pop(h).(label)
		u := at.router
		if settled[u] {
			continue
		}
		settled[u] = true
		t.Picos[u] = at.picos
		t.Order = append(t.Order, u)
		for _, arc := range g.out[u] {
			v := g.Arcs[arc].Head
			next := label{at.picos + g.picos[arc], at.hops + 1, v}
			switch {
			case next.less(best[v]):
				best[v], t.Into[v] = next, arc
				heap.Push(h, next)
			case next == best[v] && t.Into[v] >= 0 && u < g.Arcs[t.Into[v]].Tail:
				t.Into[v] = arc
			}
		}
	}
	return t
}
