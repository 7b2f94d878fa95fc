package netsim

import (
	"maps"
	"math"
	"slices"

	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
)

// carriage is a stream turned into what every byte of it does to resources and routers, counted along the branches of
// its trees.
type carriage struct {
	part    int
	bytes   float64
	stages  []stage
	routers []Passage
	trees   []int // the aggregators with contexts that merge for it, once for each tree
	first   []leaf
	holds   []hold
}

// stage is what a stream does at once: all its trees where they are one pipeline.
type stage struct {
	uses    []use
	latency float64 // seconds
}

// carrier turns streams into carriages.
type carrier struct {
	o        *Options
	g        *network.Graph
	f        *fluid
	window   float64          // bytes that a connection may have under way; 0: no limit
	ingest   []int            // each router's resource of merged inputs, -1: no limit
	contexts []int            // of each router, 0: no limit
	pairs    map[[3]int64]int // the resource of each connection, by its ends and latency
}

func newCarrier(o *Options, g *network.Graph, f *fluid) *carrier {
	l := o.Collective.Limits
	c := &carrier{o: o, g: g, f: f, window: l.Window, pairs: map[[3]int64]int{}}
	if l.Loss > 0 { // Mathis, Semke, Mahdavi, Ott, CCR 27(3), 1997
		if w := 1.22 * l.MSS / math.Sqrt(l.Loss); c.window == 0 || w < c.window {
			c.window = w
		}
	}
	c.window *= float64(max(1, l.Connections))
	for v, r := range o.Topology.Routers {
		throughput, contexts := l.Ingest, l.Contexts
		if own := r.Aggregation; own != nil {
			if own.Throughput > 0 {
				throughput = own.Throughput
			}
			if own.Contexts > 0 {
				contexts = own.Contexts
			}
		}
		row := -1
		if o.Capability.Aggregation[v] && throughput > 0 {
			row = f.add(throughput)
		}
		c.ingest, c.contexts = append(c.ingest, row), append(c.contexts, contexts)
	}
	return c
}

// counting is one stream being counted.
type counting struct {
	*carrier
	arcs    func(int) int   // from the plan's arcs to those of the whole network
	joined  map[int]float64 // access arcs that count once, and what they carry
	bits    map[int]float64 // on each resource, of the stage at hand
	routers map[int]*Passage
	trees   []int
	first   []leaf
	holds   []hold
}

// carry counts one stream of a plan.
func (c *carrier) carry(s *collective.Stream, arcs func(int) int) *carriage {
	n := &counting{carrier: c, arcs: arcs, joined: map[int]float64{}, bits: map[int]float64{}, routers: map[int]*Passage{}}
	for _, j := range s.Joined {
		n.joined[arcs(j.Arc)] = j.Size
	}
	out := &carriage{part: s.Part, bytes: s.Bytes}
	latency := 0.0
	for i, trees := range s.Stages {
		longest := 0.0
		for k := range trees {
			longest = max(longest, n.tree(&trees[k]))
		}
		if i == 0 {
			longest += n.join(s)
		}
		latency += longest
		if last := i == len(s.Stages)-1; last || c.o.Pieces > 0 {
			out.stages = append(out.stages, stage{n.stageUses(), latency})
			latency = 0
		}
	}
	for _, v := range slices.Sorted(maps.Keys(n.routers)) {
		out.routers = append(out.routers, *n.routers[v])
	}
	out.trees, out.first, out.holds = n.trees, n.first, n.holds
	return out
}

// stageUses returns what was counted since the last stage.
func (n *counting) stageUses() []use {
	var out []use
	for _, r := range slices.Sorted(maps.Keys(n.bits)) {
		if n.bits[r] > 0 {
			out = append(out, use{r, n.bits[r]})
		}
	}
	clear(n.bits)
	return out
}

func (n *counting) router(v int) *Passage {
	p := n.routers[v]
	if p == nil {
		p = &Passage{Router: n.g.Topology.Routers[v].ID, index: v}
		n.routers[v] = p
	}
	return p
}

// joint is what branches bring to a place and take from it.
type joint struct {
	in, out  float64
	payloads float64 // brought, without losses and repair packets
	branches int     // away from the root
}

// tree counts one tree and returns its latency.
func (n *counting) tree(t *collective.Tree) float64 {
	bytes := n.bytes(t)
	joints := make([]joint, len(t.Branches)+1) // at the root, then at the far end of each branch
	for i, b := range t.Branches {
		near, far := &joints[b.Parent+1], &joints[i+1]
		near.branches++
		if t.Reduce {
			near, far = far, near
		}
		near.out += bytes[i].begin()
		far.in += bytes[i].end
		far.payloads += b.Size
		for k, a := range b.Arcs {
			n.cross(n.arcs(a), bytes[i].on[k])
		}
	}
	for i, j := range joints {
		end := t.Root
		if i > 0 {
			end = t.Branches[i-1].Far
		}
		if end.Island < 0 {
			n.branch(end.Router, j, t.Reduce, i == 0)
		}
	}
	if t.Reduce && n.o.SendAhead {
		n.leaves(t, bytes, joints)
	}
	return n.delays(t, joints)
}

// cross counts what passes an arc. A link's losses are found at its end.
func (n *counting) cross(arc int, bytes float64) {
	a := &n.g.Arcs[arc]
	_, once := n.joined[arc]
	if !once {
		n.bits[arc] += 8 * bytes
	}
	if a.Tail >= 0 {
		if once { // the router sums what arrives for the island
			n.router(a.Tail).Merged += bytes
			n.takeIn(a.Tail, 1) // a payload, without repair packets
		} else {
			n.router(a.Tail).Out += bytes
		}
	}
	if a.Head >= 0 {
		if once { // the router copies what departs from the island
			n.router(a.Head).Copied += bytes
		} else {
			n.router(a.Head).In += bytes
			n.router(a.Head).Dropped += bytes * n.lost(arc)
		}
	}
}

// join counts the access arcs that carry one payload for all trees, and returns the delay of their sums.
func (n *counting) join(s *collective.Stream) float64 {
	delay := 0.0
	for _, j := range s.Joined {
		arc := n.arcs(j.Arc)
		a := &n.g.Arcs[arc]
		n.bits[arc] += 8 * j.Size
		if a.Tail >= 0 {
			delay = n.o.MergeDelay
			n.router(a.Tail).Out += j.Size
			n.router(a.Tail).Merged -= j.Size
			if n.contexts[a.Tail] > 0 {
				n.trees = append(n.trees, a.Tail)
			}
		} else {
			n.router(a.Head).In += j.Size
			n.router(a.Head).Copied -= j.Size
		}
	}
	return delay
}

// branch counts a router at which branches meet. A router that is the root holds the sum, one payload, in between.
func (n *counting) branch(v int, j joint, reduce, root bool) {
	if root {
		if reduce {
			j.out++
		} else {
			j.in++
		}
	}
	p := n.router(v)
	if !reduce {
		p.Copied += j.out - j.in
		return
	}
	p.Merged += j.in - j.out
	if j.branches > 1 {
		n.takeIn(v, j.payloads)
		if n.contexts[v] > 0 {
			n.trees = append(n.trees, v)
		}
	}
}

// takeIn counts inputs of an aggregator.
func (n *counting) takeIn(v int, bytes float64) {
	if r := n.ingest[v]; r >= 0 {
		n.bits[r] += 8 * bytes
	}
}

// delays returns a tree's latency, and counts the connections between its root and its members.
func (n *counting) delays(t *collective.Tree, joints []joint) float64 {
	longest := 0.0
	merge := func(j joint) float64 {
		if t.Reduce && j.branches > 1 {
			return n.o.MergeDelay
		}
		return 0
	}
	covered := n.covered(t)
	depth, way := make([]float64, len(t.Branches)), make([]int64, len(t.Branches))
	for i, b := range t.Branches {
		var picos, wait int64
		for _, a := range b.Arcs {
			a = n.arcs(a)
			picos += n.g.Picos(a)
			if chunk := n.o.Collective.Limits.Chunk; chunk > 0 { // every hop forwards whole ones
				wait += int64(math.Round(min(8*chunk/n.g.Arcs[a].Capacity, network.MaxLatency) * 1e12))
			}
		}
		way[i] = picos
		if n.o.Loss > 0 && !covered { // the last packet that was lost is asked for and sent again
			wait += 2 * picos
		}
		depth[i] = network.Seconds(picos + wait)
		if b.Far.Island < 0 {
			depth[i] += merge(joints[i+1])
		}
		if b.Parent >= 0 {
			depth[i] += depth[b.Parent]
			way[i] += way[b.Parent]
		}
		longest = max(longest, depth[i])
		if b.Far.Island >= 0 {
			n.connect(t, b, way[i])
		}
	}
	if t.Root.Island < 0 {
		longest += merge(joints[0])
	}
	return longest
}

// connect counts a connection between a tree's root and the member at the end of a branch: one for each direction and
// pair of ends.
func (n *counting) connect(t *collective.Tree, last collective.Branch, picos int64) {
	if n.window == 0 || picos == 0 {
		return
	}
	name := func(e collective.End) int64 {
		if e.Island >= 0 {
			return int64(e.Island)
		}
		return int64(len(n.g.Topology.Islands) + e.Router)
	}
	from, to := name(t.Root), name(last.Far)
	if t.Reduce {
		from, to = to, from
	}
	key := [3]int64{from, to, picos}
	r, ok := n.pairs[key]
	if !ok {
		r = n.f.add(8 * n.window / (2 * network.Seconds(picos)))
		n.pairs[key] = r
	}
	n.bits[r] += 8 * last.Size
}
