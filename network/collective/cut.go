package collective

import (
	"slices"
)

// The cut bound. Whatever the routers can do, a clique that a set X of routers separates must carry at least one
// payload out of X: the rest of the clique needs something of every member's. Cliques are independent of each other,
// so T ≥ (number of cliques that X separates) · 8 S / capacity out of X. An access arc is a cut as well.

// exactCut is the number of routers up to which every set X is tried.
const exactCut = 16

// group is a set of islands whose payloads must mix: a clique, or a connected part of a list of pairs.
type group struct {
	senders   []int   // islands whose payload is wanted elsewhere
	receivers [][]int // of each sender; nil for a clique, where all want all
	takers    []int   // islands that want something
}

func (p *Pricer) cliqueGroup(members []int) group { return group{members, nil, members} }

// pairGroups splits a list of pairs into its connected parts, which are independent.
func (p *Pricer) pairGroups(list *pairs) []group {
	var groups []group
	for _, part := range list.components() {
		var g group
		for _, i := range part {
			if len(list.sends[i]) > 0 {
				g.senders = append(g.senders, i)
				g.receivers = append(g.receivers, list.sends[i])
			}
			if len(list.takes[i]) > 0 {
				g.takers = append(g.takers, i)
			}
		}
		groups = append(groups, g)
	}
	return groups
}

// leaves reports whether the group sends something out of X.
func (p *Pricer) leaves(g *group, inX func(router int) bool) bool {
	islands := p.g.Topology.Islands
	if g.receivers == nil {
		in, out := false, false
		for _, m := range g.senders {
			if inX(islands[m].Router) {
				in = true
			} else {
				out = true
			}
		}
		return in && out
	}
	for s, i := range g.senders {
		if inX(islands[i].Router) &&
			slices.ContainsFunc(g.receivers[s], func(j int) bool { return !inX(islands[j].Router) }) {
			return true
		}
	}
	return false
}

// cutBound returns the largest cut bound in seconds.
func (p *Pricer) cutBound(groups []group) *float64 {
	bound := 0.0
	for _, g := range groups {
		for _, m := range g.senders {
			bound = max(bound, p.res.scale[p.g.Egress(m)])
		}
		for _, m := range g.takers {
			bound = max(bound, p.res.scale[p.g.Ingress(m)])
		}
	}
	if len(groups) > 0 {
		p.eachCut(groups, func(inX func(int) bool, capacity float64) {
			count := 0
			for i := range groups {
				if p.leaves(&groups[i], inX) {
					count++
				}
			}
			if count > 0 {
				bound = max(bound, float64(count)*8*p.options.Payload/capacity)
			}
		})
	}
	return &bound
}

// eachCut calls visit with sets X of routers and the capacity of the links that leave them: all sets up to exactCut
// routers; beyond, single routers, the sides of bridges, the minimum cuts between members' routers, and all their
// complements.
func (p *Pricer) eachCut(groups []group, visit func(inX func(int) bool, capacity float64)) {
	links, n := p.g.Topology.Links, len(p.g.Topology.Routers)
	if n <= exactCut {
		for mask := uint32(1); mask < 1<<n-1; mask++ {
			capacity := 0.0
			for _, l := range links {
				if mask>>l.A&1 != mask>>l.B&1 {
					capacity += l.Bandwidth
				}
			}
			if capacity > 0 {
				visit(func(r int) bool { return mask>>r&1 == 1 }, capacity)
			}
		}
		return
	}
	both := func(x []bool) {
		capacity := 0.0
		for _, l := range links {
			if x[l.A] != x[l.B] {
				capacity += l.Bandwidth
			}
		}
		if capacity > 0 {
			visit(func(r int) bool { return x[r] }, capacity)
			visit(func(r int) bool { return !x[r] }, capacity)
		}
	}
	for r := range n {
		x := make([]bool, n)
		x[r] = true
		both(x)
	}
	for _, l := range p.g.Topology.Bridges() {
		both(p.side(links[l].A, func(arc int) bool { return arc>>1 == l }))
	}
	p.minimumCuts(p.groupRouters(groups), both)
}

// side returns the routers that can be reached from one without the blocked arcs.
func (p *Pricer) side(from int, blocked func(arc int) bool) []bool {
	x := make([]bool, len(p.g.Topology.Routers))
	x[from] = true
	for stack := []int{from}; len(stack) > 0; {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, arc := range p.g.Out(v) {
			if w := p.g.Arcs[arc].Head; !x[w] && !blocked(arc) {
				x[w] = true
				stack = append(stack, w)
			}
		}
	}
	return x
}

func (p *Pricer) groupRouters(groups []group) []int {
	var routers []int
	for _, g := range groups {
		for _, m := range slices.Concat(g.senders, g.takers) {
			routers = append(routers, p.g.Topology.Islands[m].Router)
		}
	}
	slices.Sort(routers)
	return slices.Compact(routers)
}

// minimumCuts visits a minimum cut for every pair of terminals by Gusfield's equivalent flow tree (SIAM J. Computing
// 19(1), 1990): one maximum flow for each terminal but the first gives the value of every pair.
func (p *Pricer) minimumCuts(terminals []int, visit func([]bool)) {
	parent := make([]int, len(terminals))
	for i := 1; i < len(terminals); i++ {
		if !p.g.Connected(terminals[i], terminals[parent[i]]) {
			continue
		}
		x := p.minimumCut(terminals[i], terminals[parent[i]])
		visit(x)
		for j := i + 1; j < len(terminals); j++ {
			if parent[j] == parent[i] && x[terminals[j]] {
				parent[j] = i
			}
		}
	}
}

// minimumCut returns the source's side of a minimum cut, by shortest augmenting paths (Edmonds and Karp 1972).
func (p *Pricer) minimumCut(source, sink int) []bool {
	arcs := 2 * len(p.g.Topology.Links)
	left := make([]float64, arcs)
	for a := range arcs {
		left[a] = p.g.Arcs[a].Capacity
	}
	into := make([]int, len(p.g.Topology.Routers))
	for {
		for v := range into {
			into[v] = -1
		}
		queue := []int{source}
		for head := 0; head < len(queue) && into[sink] < 0; head++ {
			for _, arc := range p.g.Out(queue[head]) {
				if w := p.g.Arcs[arc].Head; left[arc] > 0 && into[w] < 0 && w != source {
					into[w] = arc
					queue = append(queue, w)
				}
			}
		}
		if into[sink] < 0 {
			return p.side(source, func(arc int) bool { return left[arc] <= 0 })
		}
		flow := left[into[sink]]
		for v := sink; v != source; v = p.g.Arcs[into[v]].Tail {
			flow = min(flow, left[into[v]])
		}
		for v := sink; v != source; v = p.g.Arcs[into[v]].Tail {
			left[into[v]] -= flow
			left[into[v]^1] += flow
		}
	}
}
