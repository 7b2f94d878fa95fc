package collective

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
	f := p.newPartitionBounds(sorted)
	out.LowerBound.Partition = f.partition()
	out.LowerBound.Egress = f.egress()
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

// partitionBounds holds what the partition and the egress bound share: the routers that have members.
type partitionBounds struct {
	p       *Pricer
	cliques [][]int
	homes   []int   // routers with members
	at      [][]int // islands of members at each home

	// Scratch for each partition.
	of    []int // part of each router
	set   []int // of each island: the set that it is by itself, -1 when it is none
	size  []int // routers in each part
	seen  []int // the clique that last touched a part
	stamp int
}

func (p *Pricer) newPartitionBounds(cliques [][]int) *partitionBounds {
	f := &partitionBounds{p: p, cliques: cliques, of: make([]int, len(p.g.Topology.Routers)), set: make([]int, len(p.g.Topology.Islands))}
	index := map[int]int{}
	for _, members := range cliques {
		for _, m := range members {
			r := p.g.Topology.Islands[m].Router
			i, ok := index[r]
			if !ok {
				i = len(f.homes)
				index[r] = i
				f.homes, f.at = append(f.homes, r), append(f.at, nil)
			}
			f.at[i] = append(f.at[i], m)
		}
	}
	return f
}

// each visits every partition of the homes as the part of each; false where there are too many.
func (f *partitionBounds) each(visit func(part []int, parts int)) bool {
	n := len(f.homes)
	if n > enumerated {
		return false
	}
	part := make([]int, n)
	var place func(i, parts int)
	place = func(i, parts int) {
		if i == n {
			visit(part, parts)
			return
		}
		for q := range parts + 1 {
			part[i] = q
			place(i+1, max(parts, q+1))
		}
	}
	if n > 0 {
		place(1, 1) // the first home is in part 0
	}
	return true
}

// extend gives every other router that must be in a part (all of those for which want holds) the part to which it has
// most capacity, and -1 to the rest. Whatever this assignment, the bound is valid; a good one makes it tight.
func (f *partitionBounds) extend(part []int, parts int, want func(router int) bool, of []int) {
	for r := range of {
		of[r] = -1
	}
	for i, r := range f.homes {
		of[r] = part[i]
	}
	pull := make([]float64, parts)
	for changed := true; changed; {
		changed = false
		for r := range of {
			if of[r] >= 0 || !want(r) {
				continue
			}
			clear(pull)
			best := -1
			for _, arc := range f.p.g.Out(r) {
				if q := of[f.p.g.Arcs[arc].Head]; q >= 0 {
					if pull[q] += f.p.g.Arcs[arc].Capacity; best < 0 || pull[q] > pull[best] {
						best = q
					}
				}
			}
			if best >= 0 {
				of[r], changed = best, true
			}
		}
	}
}

// crossings is Σ over cliques of 2 (parts that hold a member - 1).
func (f *partitionBounds) crossings(partOf func(member int) int) int {
	total := 0
	for _, members := range f.cliques {
		f.stamp++
		touched := 0
		for _, m := range members {
			q := partOf(m)
			for q >= len(f.seen) {
				f.seen = append(f.seen, 0)
			}
			if f.seen[q] != f.stamp {
				f.seen[q] = f.stamp
				touched++
			}
		}
		total += 2 * (touched - 1)
	}
	return total
}

// partition is the bound that holds even if every node can branch: a reduction and a broadcast each cross between the
// parts at least (parts - 1) times, so T ≥ 2 (|P| - 1) S / c(P), c(P) being the capacity of all arcs between parts.
func (f *partitionBounds) partition() *float64 {
	bound := 0.0
	of := f.of
	everyone := func(int) bool { return true }
	complete := f.each(func(part []int, parts int) {
		if parts < 2 {
			return
		}
		f.extend(part, parts, everyone, of)
		capacity := 0.0
		for _, l := range f.p.g.Topology.Links {
			if of[l.A] != of[l.B] {
				capacity += 2 * l.Bandwidth
			}
		}
		crossings := f.crossings(func(m int) int { return of[f.p.g.Topology.Islands[m].Router] })
		if capacity > 0 && crossings > 0 {
			bound = max(bound, float64(crossings)*8*f.p.options.Payload/capacity)
		}
	})
	if !complete {
		return nil
	}
	return &bound
}

// egress is the counting bound for sets joined only through routers that cannot copy: what enters a set must have left
// another one as a copy of its own, so the departures are 2 (sets - 1) payloads, T ≥ 2 (p - 1) S / Σ c_out. Routers
// that cannot sum give the same for arrivals. The sets are parts of a partition of the homes, and a home that cannot
// branch may also stay outside, its islands being sets of their own.
func (f *partitionBounds) egress() *float64 {
	bound := 0.0
	complete := true
	for _, way := range []struct {
		branches []bool
		ingress  bool
	}{{f.p.can.Multicast, false}, {f.p.can.Aggregation, true}} {
		for _, split := range []bool{false, true} {
			complete = complete && f.each(func(part []int, parts int) {
				bound = max(bound, f.count(part, parts, way.branches, way.ingress, split))
			})
		}
	}
	if !complete {
		return nil
	}
	return &bound
}

// count returns the counting bound of one family of sets. With split, a part that is one home that cannot branch is
// replaced by its islands.
func (f *partitionBounds) count(part []int, parts int, branches []bool, ingress, split bool) float64 {
	g := f.p.g
	of := f.of
	f.extend(part, parts, func(r int) bool { return branches[r] }, of)
	f.size = append(f.size[:0], make([]int, parts)...)
	size := f.size
	for _, q := range of {
		if q >= 0 {
			size[q]++
		}
	}
	for r, q := range of {
		if branches[r] && q < 0 && g.Connected(r, f.homes[0]) {
			return 0 // a branching router that belongs to no set: the count does not hold
		}
	}
	for i := range f.set {
		f.set[i] = -1
	}
	capacity := 0.0
	sets := parts
	for i, r := range f.homes {
		if split && size[part[i]] == 1 && !branches[r] {
			of[r] = -1
			for _, m := range f.at[i] {
				f.set[m] = sets
				sets++
				if ingress {
					capacity += g.Arcs[g.Ingress(m)].Capacity
				} else {
					capacity += g.Arcs[g.Egress(m)].Capacity
				}
			}
		}
	}
	for _, l := range g.Topology.Links {
		if of[l.A] == of[l.B] {
			continue
		}
		// One direction leaves each end's set, the other enters it.
		if of[l.A] >= 0 {
			capacity += l.Bandwidth
		}
		if of[l.B] >= 0 {
			capacity += l.Bandwidth
		}
	}
	crossings := f.crossings(func(m int) int {
		if q := f.set[m]; q >= 0 {
			return q
		}
		return of[g.Topology.Islands[m].Router]
	})
	if crossings == 0 || capacity == 0 {
		return 0
	}
	return float64(crossings) * 8 * f.p.options.Payload / capacity
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
