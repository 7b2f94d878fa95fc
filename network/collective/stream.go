package collective

import (
	"slices"

	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/schedule"
)

// Plan says how a round is carried, as bytes that flow along trees. It holds no seconds and no loads: package netsim
// computes those by itself, which makes it a witness of the price and not its echo.
type Plan struct {
	// Parts are the sets of islands that synchronize with one another, in island order: the cliques of two and more;
	// of another round the connected components of who sends to whom.
	Parts   [][]int
	Streams []Stream
}

// Stream is a share of a part's payload on its way through stages of trees: each stage sends on what the one before
// delivers, piece by piece, so that all its trees move at one rate.
type Stream struct {
	Part   int
	Bytes  float64 // on the wire, of one payload's share
	Stages [][]Tree
	Joined []Joined
}

// Joined is an access arc that carries one payload for all trees of a stream that cross it, because the router sums
// what arrives for the island, or copies what departs from it.
type Joined struct {
	Arc  int
	Size float64 // relative to the stream's bytes, with repair packets
}

// Tree is a broadcast away from its root, or a reduction toward it. Where branches meet, at a router that can or at an
// island, the payload is copied or summed.
type Tree struct {
	Reduce   bool // toward the root
	Root     End
	Repair   float64  // bytes sent for each of the payload's: above 1 with the repair packets of a multicast
	Branches []Branch // each after the one that it continues
}

// End is an island and its router, or a router alone.
type End struct {
	Router int
	Island int // -1: none
}

// Branch is a way without copying or summing.
type Branch struct {
	Parent int     // the branch that it continues, away from the root; -1 at the root
	Arcs   []int   // from the root outwards, each in the direction of traffic
	Far    End     // its end away from the root; a far end with an island is a member that takes or gives a payload
	Size   float64 // of what it carries relative to the stream's bytes, without repair packets
}

// Plan returns how Round carries a round.
func (p *Pricer) Plan(r *schedule.Round) (*Plan, error) {
	s := p.scratch.Get().(*scratch)
	defer p.scratch.Put(s)
	if !r.IsCliques() {
		return p.pairPlan(s, r)
	}
	sorted, err := p.usable(s, r.Cliques)
	if err != nil {
		return nil, err
	}
	out := &Plan{Parts: sorted}
	if p.usesProgram() {
		packed, err := p.program(s, sorted)
		if err != nil {
			return nil, err
		}
		if packed != nil {
			p.packedStreams(packed, out)
			return out, nil
		}
	}
	choice, _, err := p.plan(s, r.Cliques)
	if err != nil {
		return nil, err
	}
	for q, c := range choice {
		p.streams(c, q, sorted[q], out)
	}
	return out, nil
}

// pairPlan is Plan of a round that is not made of cliques.
func (p *Pricer) pairPlan(s *scratch, r *schedule.Round) (*Plan, error) {
	c, list, err := p.carryPairs(s, r)
	if err != nil {
		return nil, err
	}
	out := &Plan{Parts: list.components()}
	l := p.loaderWith(c.can)
	for q, members := range out.Parts {
		l.exchangeStreams(c.carriage, list, q, members, out)
	}
	return out, nil
}

// components lists the connected components of two and more.
func (p *pairs) components() [][]int {
	var out [][]int
	seen := make([]bool, len(p.sends))
	for i := range seen {
		if seen[i] {
			continue
		}
		part := []int{i}
		for k := 0; k < len(part); k++ {
			if i := part[k]; !seen[i] {
				seen[i] = true
				part = append(append(part, p.sends[i]...), p.takes[i]...)
			}
		}
		slices.Sort(part)
		if part = slices.Compact(part); len(part) > 1 {
			out = append(out, part)
		}
	}
	return out
}

// loaderWith is a loader for trees that copy and sum at some of the routers.
func (p *Pricer) loaderWith(can network.Capability) *loader { return newLoader(p.g, can, p.res) }

// streams appends what a candidate sends.
func (p *Pricer) streams(c *candidate, part int, members []int, out *Plan) {
	l := p.loaderWith(c.can)
	whole, k := p.options.Payload*p.res.wire, float64(len(members))
	switch c.name {
	case Exchange:
		l.exchangeStreams(c.carriage, completePairs(len(p.g.Topology.Islands), members), part, members, out)
	case Hub:
		out.Streams = append(out.Streams, Stream{Part: part, Bytes: whole, Stages: l.hubStages(c.root, members)})
	case Sharded:
		for _, owner := range members {
			out.Streams = append(out.Streams, Stream{Part: part, Bytes: whole / k, Stages: l.hubStages(owner, members)})
		}
	case Ring:
		for first := range c.order {
			out.Streams = append(out.Streams, Stream{Part: part, Bytes: whole / k, Stages: l.ringStages(c.order, first)})
		}
	}
}

// hubStages are a reduction to a root and a broadcast from it.
func (l *loader) hubStages(root int, members []int) [][]Tree {
	return [][]Tree{
		{l.grow(l.endOf(root), up, members, root, 1)},
		{l.grow(l.endOf(root), down, members, root, l.res.width(len(members)))},
	}
}

// ringStages are the hops of the part that starts at a position: k-1 as a growing sum, k-1 as the whole one.
func (l *loader) ringStages(order []int, first int) [][]Tree {
	k := len(order)
	var stages [][]Tree
	for hop := range 2 * (k - 1) {
		from, to := order[(first+hop)%k], order[(first+hop+1)%k]
		size := l.res.width(min(hop+1, k))
		t := Tree{Root: l.endOf(from), Repair: 1}
		arcs := append([]int{l.g.Egress(from)}, l.g.Path(l.router(from), l.router(to))...)
		t.Branches = []Branch{{-1, append(arcs, l.g.Ingress(to)), l.endOf(to), size}}
		stages = append(stages, []Tree{t})
	}
	return stages
}

// exchangeStreams appends the trees of an exchange. Where an access arc is shared by several trees, they all keep pace
// and are one stream.
func (l *loader) exchangeStreams(carriage string, list *pairs, part int, members []int, out *Plan) {
	bytes := l.res.payload * l.res.wire
	all := Stream{Part: part, Bytes: bytes, Stages: [][]Tree{nil}}
	ends, at, way, others := list.sends, l.can.Aggregation, down, list.takes
	if carriage == ByReduce {
		ends, at, way, others = list.takes, l.can.Multicast, up, list.sends
	}
	for _, i := range members {
		if len(ends[i]) > 0 {
			all.Stages[0] = append(all.Stages[0], l.grow(l.endOf(i), way, ends[i], -1, 1))
		}
		if len(others[i]) > 1 && at[l.router(i)] {
			size := l.res.fec
			if way == down {
				size = l.res.width(len(others[i]))
			}
			all.Joined = append(all.Joined, Joined{l.leafArc(i, way), size})
		}
	}
	if len(all.Joined) == 0 {
		for _, t := range all.Stages[0] {
			out.Streams = append(out.Streams, Stream{Part: part, Bytes: bytes, Stages: [][]Tree{{t}}})
		}
		return
	}
	if way == up { // these departures are multicasts, which the reduce trees carry on
		for i := range all.Stages[0] {
			all.Stages[0][i].Repair = l.res.fec
		}
	}
	out.Streams = append(out.Streams, all)
}

// packedStreams appends one stream for each pair of trees in use.
func (p *Pricer) packedStreams(packed *packedPlan, out *Plan) {
	k := packed.packing
	if k == nil {
		return
	}
	for j, x := range k.shares() {
		if x == 0 {
			continue
		}
		pl := k.plans[j]
		of := k.jobs[pl.job]
		members := k.cliques[of.clique]
		s := Stream{Part: of.clique, Bytes: x * of.share * p.options.Payload * p.res.wire}
		l := p.newLoader()
		if pl.reduce == nil {
			s.Stages = l.hubStages(pl.root, members)
		} else {
			s.Stages = [][]Tree{{p.treeOf(pl.reduce, pl.root, up, members)}, {p.treeOf(pl.broadcast, pl.root, down, members)}}
		}
		out.Streams = append(out.Streams, s)
	}
}

// treeOf writes out a tree of a packing.
func (p *Pricer) treeOf(t *tree, root, way int, members []int) Tree {
	l := p.newLoader()
	if t.sums != nil {
		l.can.Aggregation = t.sums
	}
	if t.spans == nil {
		return l.grow(l.endOf(root), way, members, root, 1)
	}
	out := Tree{Reduce: way == up, Root: l.endOf(root), Repair: 1}
	for _, s := range t.spans {
		b := Branch{s.parent, slices.Clone(t.arcs[s.from:s.to]), l.endOf(s.end), 1}
		first, last := 0, len(b.Arcs) // the links, which the finder lists backwards
		for first < last && p.g.Arcs[b.Arcs[first]].Kind != network.KindLink {
			first++
		}
		for last > first && p.g.Arcs[b.Arcs[last-1]].Kind != network.KindLink {
			last--
		}
		slices.Reverse(b.Arcs[first:last])
		out.Branches = append(out.Branches, b)
	}
	return out
}

// endOf is an island, or a router that counts on from the islands.
func (l *loader) endOf(at int) End {
	if n := len(l.g.Topology.Islands); at >= n {
		return End{at - n, -1}
	}
	return End{l.router(at), at}
}

// sprout is a branch under construction: its arcs so far from the far end to the root.
type sprout struct {
	arcs    []int
	far     End
	members int
	next    []*sprout
}

// grow makes the tree between a root and members along the lowest-latency routes. It merges branches at the routers
// that copy or sum; size is that of a broadcast payload.
func (l *loader) grow(root End, way int, members []int, except int, size float64) Tree {
	routes, merges := l.g.Tree(root.Router), l.merges(way)
	waiting := make([][]*sprout, len(merges))
	for _, m := range members {
		if m != except {
			at := l.router(m)
			waiting[at] = append(waiting[at], &sprout{[]int{l.leafArc(m, way)}, End{at, m}, 1, nil})
		}
	}
	merged := false
	for i := len(routes.Order) - 1; i >= 0; i-- {
		v := routes.Order[i]
		here := waiting[v]
		if merges[v] && len(here) > 1 {
			joint := &sprout{far: End{v, -1}, next: here}
			for _, s := range here {
				joint.members += s.members
			}
			here, merged = []*sprout{joint}, true
		}
		waiting[v] = here
		if i == 0 {
			break
		}
		arc := routes.Into[v]
		for _, s := range here {
			s.arcs = append(s.arcs, arc^way)
		}
		before := l.g.Arcs[arc].Tail
		waiting[before] = append(waiting[before], here...)
	}
	out := Tree{Reduce: way == up, Root: root, Repair: 1}
	if way == down && merged {
		out.Repair = l.res.fec
	}
	var write func(s *sprout, parent int)
	write = func(s *sprout, parent int) {
		slices.Reverse(s.arcs)
		b := Branch{parent, s.arcs, s.far, size}
		if way == up {
			b.Size = l.res.width(s.members)
		}
		out.Branches = append(out.Branches, b)
		at := len(out.Branches) - 1
		for _, n := range s.next {
			write(n, at)
		}
	}
	for _, s := range waiting[root.Router] {
		if root.Island >= 0 {
			s.arcs = append(s.arcs, l.rootArc(root.Island, way))
		}
		write(s, -1)
	}
	return out
}
