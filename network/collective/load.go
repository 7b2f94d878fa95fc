package collective

import "github.com/islandsgd/islands/network"

// candidate is one way to carry one clique.
type candidate struct {
	name     string
	carriage string // exchange
	root     int    // hub: island index, or number of islands + router index; else -1
	order    []int  // ring
	load     []float64
	picos    int64 // latency term in picoseconds: whole numbers, so that equal orders tie
}

func (c *candidate) latency() float64 { return network.Seconds(c.picos) }

// loader computes loads of trees. It is scratch space for one goroutine.
type loader struct {
	g    *network.Graph
	can  network.Capability
	need []int // copies still wanted at each router
}

func newLoader(g *network.Graph, can network.Capability) *loader {
	return &loader{g, can, make([]int, len(g.Topology.Routers))}
}

func (l *loader) router(island int) int { return l.g.Topology.Islands[island].Router }

// want asks for one copy at an island's router.
func (l *loader) want(island int) { l.need[l.router(island)]++ }

// drain carries the wanted copies along the tree of root and returns how many pass the root's own router. Routers
// that merge (copy or sum) carry at most one on the arc to their predecessor. flip = 0 loads the arcs away from the
// root, a broadcast; flip = 1 those towards it, a reduction.
func (l *loader) drain(root int, merges []bool, flip int, load []float64) float64 {
	tree := l.g.Tree(root)
	for i := len(tree.Order) - 1; i > 0; i-- {
		v := tree.Order[i]
		copies := l.need[v]
		if copies == 0 {
			continue
		}
		l.need[v] = 0
		if merges[v] {
			copies = 1
		}
		arc := tree.Into[v]
		load[arc^flip] += float64(copies)
		l.need[l.g.Arcs[arc].Tail] += copies
	}
	copies := l.need[root]
	l.need[root] = 0
	if merges[root] {
		copies = min(copies, 1)
	}
	return float64(copies)
}

// broadcast adds the load of one payload from an island to the others of a clique.
func (l *loader) broadcast(from int, members []int, load []float64) {
	for _, m := range members {
		if m != from {
			l.want(m)
			load[l.g.Ingress(m)]++
		}
	}
	load[l.g.Egress(from)] += l.drain(l.router(from), l.can.Multicast, 0, load)
}

// reduce adds the load of one sum of the others of a clique, arriving at an island.
func (l *loader) reduce(to int, members []int, load []float64) {
	for _, m := range members {
		if m != to {
			l.want(m)
			load[l.g.Egress(m)]++
		}
	}
	load[l.g.Ingress(to)] += l.drain(l.router(to), l.can.Aggregation, 1, load)
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
	b := &candidate{name: Exchange, carriage: ByBroadcast, root: -1, load: make([]float64, len(l.g.Arcs))}
	r := &candidate{name: Exchange, carriage: ByReduce, root: -1, load: make([]float64, len(l.g.Arcs))}
	for i, to := range p.sends {
		if len(to) == 0 {
			continue
		}
		tree := l.g.Tree(l.router(i))
		for _, j := range to {
			l.want(j)
			b.picos = max(b.picos, tree.Picos[l.router(j)])
		}
		b.load[l.g.Egress(i)] = l.drain(l.router(i), l.can.Multicast, 0, b.load)
		r.load[l.g.Egress(i)] = mergedCount(len(to), l.can.Multicast[l.router(i)])
	}
	for j, from := range p.takes {
		if len(from) == 0 {
			continue
		}
		for _, i := range from {
			l.want(i)
		}
		r.load[l.g.Ingress(j)] = l.drain(l.router(j), l.can.Aggregation, 1, r.load)
		b.load[l.g.Ingress(j)] = mergedCount(len(from), l.can.Aggregation[l.router(j)])
	}
	r.picos = b.picos
	return b, r
}

func mergedCount(n int, merges bool) float64 {
	if merges {
		return 1
	}
	return float64(n)
}

// hubLoads adds the loads of a hub's reduction and broadcast. The root is a member, or a router when it counts on from
// the islands.
func (l *loader) hubLoads(root int, members []int, reduce, broadcast []float64) {
	islands := len(l.g.Topology.Islands)
	if root < islands {
		l.reduce(root, members, reduce)
		l.broadcast(root, members, broadcast)
		return
	}
	for _, m := range members {
		l.want(m)
		reduce[l.g.Egress(m)]++
		broadcast[l.g.Ingress(m)]++
	}
	l.drain(root-islands, l.can.Aggregation, 1, reduce)
	for _, m := range members {
		l.want(m)
	}
	l.drain(root-islands, l.can.Multicast, 0, broadcast)
}

// hubAt returns the hub at a root.
func (l *loader) hubAt(root int, members []int) *candidate {
	c := &candidate{name: Hub, root: root, load: make([]float64, len(l.g.Arcs))}
	l.hubLoads(root, members, c.load, c.load)
	at := root - len(l.g.Topology.Islands)
	if at < 0 {
		at = l.router(root)
	}
	for _, m := range members {
		c.picos = max(c.picos, 2*l.g.Tree(at).Picos[l.router(m)])
	}
	return c
}

// sharded returns the collective in which every member owns a k-th part.
func (l *loader) sharded(members []int) *candidate {
	c := &candidate{name: Sharded, root: -1, load: make([]float64, len(l.g.Arcs))}
	for _, owner := range members {
		l.reduce(owner, members, c.load)
		l.broadcast(owner, members, c.load)
		tree := l.g.Tree(l.router(owner))
		for _, m := range members {
			c.picos = max(c.picos, 2*tree.Picos[l.router(m)])
		}
	}
	for a := range c.load {
		c.load[a] /= float64(len(members))
	}
	return c
}
