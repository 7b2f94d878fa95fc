package collective

import (
	"slices"

	"github.com/islandsgd/islands/network"
)

// candidate is one way to carry one clique.
type candidate struct {
	name     string
	carriage string // exchange
	root     int    // hub: island index, or number of islands + router index; else -1
	order    []int  // ring
	load     []float64
	picos    int64              // latency term in picoseconds: whole numbers, so that equal orders tie
	trips    float64            // of its slowest connection: share of the payload × round trip in seconds; 0 where nothing limits it
	can      network.Capability // the routers at which its trees copy and sum
}

func (c *candidate) latency() float64 { return network.Seconds(c.picos) }

// loader computes loads of trees. It is scratch space for one goroutine.
type loader struct {
	g   *network.Graph
	can network.Capability
	res *resources
	at  []waiting // at each router
	own []float64 // one tree's load
}

// waiting is what a router still has to hand on: copies toward the leaves of a broadcast, or inputs of a reduction.
type waiting struct {
	copies      int
	size        float64 // of all together
	members     int     // whose payloads are in them
	first, last int64   // when inputs arrive, in picoseconds after the senders start
}

func newLoader(g *network.Graph, can network.Capability, res *resources) *loader {
	return &loader{g, can, res, make([]waiting, len(g.Topology.Routers)), make([]float64, res.rows)}
}

func (l *loader) router(island int) int { return l.g.Topology.Islands[island].Router }

func (l *loader) newLoad() []float64 { return make([]float64, l.res.rows) }

// down and up are the two directions of a tree: a broadcast away from its root, and a reduction toward it. In a
// reduction every link is used against the direction of the tree's own arcs.
const (
	down = 0
	up   = 1
)

// leafArc is the access arc at which a member ends a tree.
func (l *loader) leafArc(member, way int) int {
	if way == down {
		return l.g.Ingress(member)
	}
	return l.g.Egress(member)
}

// rootArc is the access arc at which a member roots a tree.
func (l *loader) rootArc(member, way int) int { return l.leafArc(member, 1-way) }

func (l *loader) merges(way int) []bool {
	if way == down {
		return l.can.Multicast
	}
	return l.can.Aggregation
}

// tree adds the load of one tree between a root router and members, each of which takes or gives a payload of a given
// size, and returns what passes between the root's router and the root. Leaf access arcs are the caller's; rootArc is
// loaded unless it is -1.
func (l *loader) tree(root, rootArc, way int, members []int, except int, size float64, load []float64) {
	for _, m := range members {
		if m == except {
			continue
		}
		w := &l.at[l.router(m)]
		w.copies++
		w.size += size
		w.members++
	}
	if l.res.plain() {
		x := l.drain(root, way, load)
		if rootArc >= 0 {
			load[rootArc] += x
		}
		for _, m := range members {
			if m != except {
				load[l.leafArc(m, way)]++
			}
		}
		return
	}
	clear(l.own)
	x, copied := l.drainLimited(root, way)
	if rootArc >= 0 {
		l.own[rootArc] += x
	}
	for _, m := range members {
		if m != except {
			l.own[l.leafArc(m, way)] += size
		}
	}
	factor := 1.0
	if copied {
		factor = l.res.fec
	}
	for row, x := range l.own {
		load[row] += factor * x
	}
}

// drain carries the copies along the tree of root and returns how many pass the root's own router. Routers that merge
// (copy or sum) carry at most one on the arc to their predecessor.
func (l *loader) drain(root, way int, load []float64) float64 {
	tree, merges := l.g.Tree(root), l.merges(way)
	for i := len(tree.Order) - 1; i > 0; i-- {
		v := tree.Order[i]
		copies := l.at[v].copies
		if copies == 0 {
			continue
		}
		l.at[v] = waiting{}
		if merges[v] {
			copies = 1
		}
		arc := tree.Into[v]
		load[arc^way] += float64(copies)
		l.at[l.g.Arcs[arc].Tail].copies += copies
	}
	copies := l.at[root].copies
	l.at[root] = waiting{}
	if merges[root] {
		copies = min(copies, 1)
	}
	return float64(copies)
}

// drainLimited is drain into l.own with an account of sizes and of what aggregators take in and hold. It also reports
// whether any router copied.
func (l *loader) drainLimited(root, way int) (size float64, copied bool) {
	tree, merges := l.g.Tree(root), l.merges(way)
	for i := len(tree.Order) - 1; i >= 0; i-- {
		v := tree.Order[i]
		w := l.at[v]
		l.at[v] = waiting{}
		if w.copies == 0 {
			continue
		}
		if merges[v] && w.copies > 1 {
			if way == down {
				w.size /= float64(w.copies)
				copied = true
			} else {
				l.takeIn(v, w)
				w.size, w.first = l.res.width(w.members), w.last
			}
			w.copies = 1
		}
		if i == 0 {
			return w.size, copied
		}
		arc := tree.Into[v]
		l.own[arc^way] += w.size
		t := &l.at[l.g.Arcs[arc].Tail]
		first, last := w.first+l.g.Picos(arc), w.last+l.g.Picos(arc)
		if t.copies == 0 {
			t.first, t.last = first, last
		}
		t.first, t.last = min(t.first, first), max(t.last, last)
		t.copies += w.copies
		t.size += w.size
		t.members += w.members
	}
	return 0, copied
}

// takeIn accounts for a merge: its inputs, how long they wait, and the tree.
func (l *loader) takeIn(v int, w waiting) {
	if !l.res.limited() {
		return
	}
	if row := l.res.ingest[v]; row >= 0 {
		l.own[row] += w.size
	}
	if row := l.res.buffer[v]; row >= 0 {
		wait := network.Seconds(w.last - w.first)
		if l.res.limits.Paced {
			wait = l.res.limits.Jitter
		}
		l.own[row] += w.size * (wait + l.res.limits.Recovery)
	}
	if row := l.res.trees[v]; row >= 0 {
		l.own[row]++
	}
}

// way returns the picoseconds from one island to another, with a chunk's time on every hop.
func (l *loader) way(from, to int) int64 {
	return l.res.access(l.g.Egress(from)) + l.res.delay(l.g, l.router(from))[l.router(to)] + l.res.access(l.g.Ingress(to))
}

// connection returns what a connection between two routers needs for a share of a payload: share × round trip, of which
// res.flow makes seconds.
func (l *loader) connection(from, to int, share float64) float64 {
	if l.res.flow == 0 {
		return 0
	}
	return share * 2 * network.Seconds(l.g.Tree(from).Picos[to])
}

// pairs lists who sends to whom: sends[i] are the receivers of island i's payload, takes[j] the senders to island j.
type pairs struct {
	sends, takes [][]int
}

func newPairs(n int) *pairs { return &pairs{make([][]int, n), make([][]int, n)} }

func (p *pairs) add(i, j int) {
	p.sends[i] = append(p.sends[i], j)
	p.takes[j] = append(p.takes[j], i)
}

// completePairs is the pair list of cliques: everyone to everyone.
func completePairs(n int, members []int) *pairs {
	p := newPairs(n)
	for _, i := range members {
		for _, j := range members {
			if i != j {
				p.add(i, j)
			}
		}
	}
	return p
}

// exchange returns the two carriages of a pair list: a broadcast tree per sender, its arrivals summed at the
// receiver's own router if that can; or a reduce tree per receiver, its departures copied at the sender's own router.
func (l *loader) exchange(p *pairs) (byBroadcast, byReduce *candidate) {
	b := &candidate{name: Exchange, carriage: ByBroadcast, root: -1, load: l.newLoad(), can: l.can}
	r := &candidate{name: Exchange, carriage: ByReduce, root: -1, load: l.newLoad(), can: l.can}
	for i, to := range p.sends {
		if len(to) == 0 {
			continue
		}
		l.tree(l.router(i), l.g.Egress(i), down, to, -1, 1, b.load)
		for _, j := range to {
			b.picos = max(b.picos, l.way(i, j))
			b.trips = max(b.trips, l.connection(l.router(i), l.router(j), 1))
		}
	}
	repaired := l.repaired(p)
	wet := l.newLoad() // of trees that carry multicasts on, with their repair packets
	for j, from := range p.takes {
		load := r.load
		if repaired[j] {
			load = wet
		}
		if len(from) > 0 {
			l.tree(l.router(j), l.g.Ingress(j), up, from, -1, 1, load)
		}
	}
	// At the leaves the trees counted one payload each, unless the island's own router merges them.
	for i := range p.sends {
		if l.departsOnce(p, i) {
			wet[l.g.Egress(i)], r.load[l.g.Egress(i)] = 0, 1
			if repaired[i] {
				wet[l.g.Egress(i)], r.load[l.g.Egress(i)] = 1, 0
			}
		}
	}
	for row, x := range wet {
		if row < len(l.g.Arcs) {
			x *= l.res.fec
		}
		r.load[row] += x
	}
	for j, from := range p.takes {
		if len(from) > 1 && l.can.Aggregation[l.router(j)] {
			b.load[l.g.Ingress(j)] = l.sumArrivals(j, from, b.load)
		}
	}
	r.picos, r.trips = b.picos, b.trips
	return b, r
}

// departsOnce reports whether an island's own router copies its one departure.
func (l *loader) departsOnce(p *pairs, i int) bool {
	return len(p.sends[i]) > 1 && l.can.Multicast[l.router(i)]
}

// repaired says which islands are joined, over whatever others, to one whose departure is a multicast with repair
// packets: reduce trees that share its pace carry them on.
func (l *loader) repaired(p *pairs) []bool {
	out := make([]bool, len(p.sends))
	if l.res.fec == 1 {
		return out
	}
	for _, part := range p.components() {
		wet := slices.ContainsFunc(part, func(i int) bool { return l.departsOnce(p, i) })
		for _, i := range part {
			out[i] = wet
		}
	}
	return out
}

// sumArrivals accounts for an island's own router summing what others sent, and returns the size of the sum.
func (l *loader) sumArrivals(island int, from []int, load []float64) float64 {
	if l.res.limited() {
		tree := l.g.Tree(l.router(island))
		w := waiting{copies: len(from), size: float64(len(from)), members: len(from)}
		for n, i := range from {
			d := tree.Picos[l.router(i)]
			if n == 0 {
				w.first = d
			}
			w.first, w.last = min(w.first, d), max(w.last, d)
		}
		clear(l.own)
		l.takeIn(l.router(island), w)
		for row, x := range l.own {
			load[row] += x
		}
	}
	return l.res.width(len(from))
}

// hubLoads adds the loads of a hub's reduction and broadcast. The root is a member, or a router when it counts on from
// the islands.
func (l *loader) hubLoads(root int, members []int, reduce, broadcast []float64) {
	at, in, out, except := root-len(l.g.Topology.Islands), -1, -1, -1
	if at < 0 {
		at, in, out, except = l.router(root), l.rootArc(root, up), l.rootArc(root, down), root
	}
	l.tree(at, in, up, members, except, 1, reduce)
	l.tree(at, out, down, members, except, l.res.width(len(members)), broadcast)
}

// hubAt returns the hub at a root.
func (l *loader) hubAt(root int, members []int) *candidate {
	c := &candidate{name: Hub, root: root, load: l.newLoad(), can: l.can}
	l.hubLoads(root, members, c.load, c.load)
	in, out := l.hubDelay(root, members)
	c.picos = in + out
	at := root - len(l.g.Topology.Islands)
	if at < 0 {
		at = l.router(root)
	}
	for _, m := range members {
		c.trips = max(c.trips, l.connection(at, l.router(m), l.res.width(len(members)))) // the sum, on its way back
	}
	return c
}

// hubDelay is the longest way to a hub's root, and the longest from it.
func (l *loader) hubDelay(root int, members []int) (in, out int64) {
	at := root - len(l.g.Topology.Islands)
	for _, m := range members {
		switch {
		case m == root:
		case at < 0:
			in, out = max(in, l.way(m, root)), max(out, l.way(root, m))
		default:
			d := l.res.delay(l.g, at)[l.router(m)]
			in, out = max(in, d+l.res.access(l.g.Egress(m))), max(out, d+l.res.access(l.g.Ingress(m)))
		}
	}
	return in, out
}

// sharded returns the collective in which every member owns a k-th part.
func (l *loader) sharded(members []int) *candidate {
	c := &candidate{name: Sharded, root: -1, load: l.newLoad(), can: l.can}
	k := float64(len(members))
	both := (1 + l.res.width(len(members))) / k // a part to its owner, and a sum from one
	for _, owner := range members {
		l.hubLoads(owner, members, c.load, c.load)
		in, out := l.hubDelay(owner, members)
		c.picos = max(c.picos, in+out)
		for _, m := range members {
			c.trips = max(c.trips, l.connection(l.router(owner), l.router(m), both))
		}
	}
	for row := range c.load {
		if !l.res.countsTrees(row) {
			c.load[row] /= k
		}
	}
	return c
}
