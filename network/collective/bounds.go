package collective

import (
	"slices"

	"github.com/islandsgd/islands/network"
)

// enumerated is the number of routers with members up to which partitions are enumerated: 21147 partitions of nine.
const enumerated = 9

// bounds sets the lower bounds of a round of cliques: the cut always, the others when asked for, and the packing's own
// where it was computed.
func (p *Pricer) bounds(s *scratch, out *Price, sorted [][]int) error {
	groups := make([]group, len(sorted))
	for i, members := range sorted {
		groups[i] = p.cliqueGroup(members)
	}
	out.LowerBound.Cut = p.cutBound(groups)
	if !p.options.Bounds && p.options.Collective != Packed {
		return nil
	}
	out.LowerBound.Partition, out.LowerBound.Egress = p.partitionBounds(sorted)
	explained := out.Packing
	if p.options.Collective != Packed {
		packed, err := p.packAs(s, sorted, Packed, nil)
		if err != nil {
			return err
		}
		explained = p.describePacking(packed)
	}
	switch {
	case explained == nil:
		zero := 0.0
		out.LowerBound.Packing = &zero
	case explained.Gap != nil:
		bound := explained.OptimalSeconds * (1 - *explained.Gap)
		out.LowerBound.Packing = &bound
	}
	return nil
}

// partitions enumerates the partitions of the routers that have members, the homes, for two bounds.
//
// The partition bound holds even if every node can branch: a reduction and a broadcast each cross between the parts at
// least (parts - 1) times, so T ≥ 2 (|P| - 1) S / c(P), c(P) being the capacity of all arcs between parts.
//
// The egress bound counts departures from sets joined only through routers that cannot copy: what enters a set must have
// left another one as a copy of its own, so these are 2 (sets - 1) payloads, T ≥ 2 (p - 1) S / Σ c_out. Routers that
// cannot sum give the same for arrivals. The sets are parts of a partition of the homes, and a home that cannot branch
// may also stay outside, its islands being sets of their own.
type partitions struct {
	g         *network.Graph
	homes     []int
	links     [][]float64 // capacity from home to home
	edge      []float64   // capacity from homes to other routers
	cliquesAt [][]int     // at each home
	apart     []int       // more crossings when the islands of a home are sets of their own
	counts    []partCount

	part    []int       // of each home
	size    []int       // homes in each part
	touches [][]int     // homes of each clique in each part
	leaving [][]float64 // leaving[n][i]: capacity from the i-th home to other parts, among the first n homes

	of      []int     // scratch: part of each router
	routers []int     // scratch: in each part
	beyond  []float64 // scratch: leaving, among all routers
}

// partCount is one of the bounds.
type partCount struct {
	branches []bool    // routers that must be in a set; nil for the partition bound, where all are
	more     bool      // whether there are such routers beyond the homes
	access   []float64 // capacity that leaves a home's islands when they are sets of their own
	most     float64   // crossings per capacity
}

// partitionBounds returns the partition and the egress bound, or nil where there are too many partitions.
func (p *Pricer) partitionBounds(cliques [][]int) (partition, egress *float64) {
	f := p.newPartitions(cliques)
	n := len(f.homes)
	if n > enumerated {
		return nil, nil
	}
	if n > 0 {
		f.place(0, 0, -2*len(cliques))
	}
	scale := 8 * p.options.Payload
	all, sets := f.counts[0].most*scale, max(f.counts[1].most, f.counts[2].most)*scale
	return &all, &sets
}

func (p *Pricer) newPartitions(cliques [][]int) *partitions {
	t := p.g.Topology
	f := &partitions{g: p.g, of: make([]int, len(t.Routers))}
	index := make([]int, len(t.Routers)) // of each home, from 1
	for q, members := range cliques {
		for _, m := range members {
			r := t.Islands[m].Router
			if index[r] == 0 {
				f.homes, f.cliquesAt, f.apart = append(f.homes, r), append(f.cliquesAt, nil), append(f.apart, 0)
				index[r] = len(f.homes)
			}
			if at := &f.cliquesAt[index[r]-1]; len(*at) == 0 || (*at)[len(*at)-1] != q {
				*at = append(*at, q)
			} else {
				f.apart[index[r]-1] += 2
			}
		}
	}
	n := len(f.homes)
	if n > enumerated {
		return f
	}
	f.part, f.size, f.routers = make([]int, n), make([]int, n), make([]int, n)
	f.edge, f.beyond = make([]float64, n), make([]float64, n)
	f.links, f.leaving = matrix(n, n), matrix(n+1, n)
	for range cliques {
		f.touches = append(f.touches, make([]int, n))
	}
	for _, l := range t.Links {
		a, b := index[l.A]-1, index[l.B]-1
		switch {
		case a >= 0 && b >= 0:
			f.links[a][b] += l.Bandwidth
			f.links[b][a] += l.Bandwidth
		case a >= 0 || b >= 0:
			f.edge[max(a, b)] += l.Bandwidth
		}
	}
	f.counts = []partCount{{}, {branches: p.can.Multicast}, {branches: p.can.Aggregation}}
	for k := range f.counts {
		c := &f.counts[k]
		for r, i := range index {
			c.more = c.more || i == 0 && c.wants(r)
		}
		c.access = make([]float64, n)
		for _, members := range cliques {
			for _, m := range members {
				arc := p.g.Egress(m)
				if k == 2 {
					arc = p.g.Ingress(m)
				}
				c.access[index[t.Islands[m].Router]-1] += p.g.Arcs[arc].Capacity
			}
		}
	}
	return f
}

func matrix(rows, columns int) [][]float64 {
	m := make([][]float64, rows)
	for i := range m {
		m[i] = make([]float64, columns)
	}
	return m
}

func (c *partCount) wants(router int) bool { return c.branches == nil || c.branches[router] }

// place puts the i-th and all later homes into parts, in every way. crossings, Σ over cliques of 2 (parts that hold a
// member - 1), are those of the homes placed before.
func (f *partitions) place(i, parts, crossings int) {
	if i == len(f.homes) {
		f.count(parts, crossings)
		return
	}
	for q := range parts + 1 {
		f.part[i] = q
		f.size[q]++
		out := f.leaving[i+1]
		copy(out, f.leaving[i][:i])
		out[i] = f.edge[i]
		for j, other := range f.part[:i] {
			if other != q {
				out[j] += f.links[j][i]
				out[i] += f.links[i][j]
			}
		}
		more := crossings
		for _, c := range f.cliquesAt[i] {
			if f.touches[c][q] == 0 {
				more += 2
			}
			f.touches[c][q]++
		}
		f.place(i+1, max(parts, q+1), more)
		for _, c := range f.cliquesAt[i] {
			f.touches[c][q]--
		}
		f.size[q]--
	}
}

// count takes a partition of the homes into account.
func (f *partitions) count(parts, crossings int) {
	for k := range f.counts {
		c := &f.counts[k]
		leaving, size, rest := f.leaving[len(f.homes)], f.size, 0.0
		if c.more {
			leaving, size = f.beyond, f.routers
			if rest = f.extend(parts, c); rest < 0 {
				continue
			}
		}
		whole, split, apart := rest, rest, crossings
		for i, q := range f.part {
			whole += leaving[i]
			if c.branches != nil && size[q] == 1 && !c.branches[f.homes[i]] {
				split += c.access[i]
				apart += f.apart[i]
			} else {
				split += leaving[i]
			}
		}
		c.take(crossings, whole)
		c.take(apart, split)
	}
}

func (c *partCount) take(crossings int, capacity float64) {
	if crossings > 0 && capacity > 0 {
		c.most = max(c.most, float64(crossings)/capacity)
	}
}

// extend gives every other router that must be in a part the part to which it has most capacity. Whatever this
// assignment, the bound is valid; a good one makes it tight. It sets routers and beyond and returns the capacity from
// the other routers to other parts, or -1 when a branching router belongs to no part: the count does not hold then.
func (f *partitions) extend(parts int, c *partCount) float64 {
	of := f.of
	for r := range of {
		of[r] = -1
	}
	for i, r := range f.homes {
		of[r] = f.part[i]
	}
	pull := make([]float64, parts)
	for changed := true; changed; {
		changed = false
		for r := range of {
			if of[r] >= 0 || !c.wants(r) {
				continue
			}
			clear(pull)
			best := -1
			for _, arc := range f.g.Out(r) {
				if q := of[f.g.Arcs[arc].Head]; q >= 0 {
					if pull[q] += f.g.Arcs[arc].Capacity; best < 0 || pull[q] > pull[best] {
						best = q
					}
				}
			}
			if best >= 0 {
				of[r], changed = best, true
			}
		}
	}
	clear(f.routers)
	total := 0.0
	for r, q := range of {
		switch i := slices.Index(f.homes, r); {
		case q < 0:
			if c.branches != nil && c.branches[r] && f.g.Connected(r, f.homes[0]) {
				return -1
			}
			continue
		case i >= 0:
			f.beyond[i] = f.leave(r)
		default:
			total += f.leave(r)
		}
		f.routers[q]++
	}
	return total
}

// leave is the capacity from a router to other parts.
func (f *partitions) leave(router int) float64 {
	sum := 0.0
	for _, arc := range f.g.Out(router) {
		if f.of[f.g.Arcs[arc].Head] != f.of[router] {
			sum += f.g.Arcs[arc].Capacity
		}
	}
	return sum
}

// Seconds returns the largest of the bounds that were computed.
func (b LowerBound) Seconds() float64 {
	largest := 0.0
	for _, v := range []*float64{b.Cut, b.Partition, b.Egress, b.Packing} {
		if v != nil {
			largest = max(largest, *v)
		}
	}
	return largest
}
