package collective

// grow builds a cheap tree for a large clique: again and again the member that is cheapest to reach from a node of the
// tree is attached (Takahashi and Matsuyama, Math. Japonica 24, 1980). A router that can branch joins the tree when a
// route crosses it.
func (f *treeFinder) grow(t *tree, root int) {
	k := len(f.members)
	depth := map[int]int64{root: 0}
	branch := map[int]int{root: -1} // by which each node was reached
	order := []int{root}
	parts := map[int]int{} // how many branches leave each node
	byRouter := map[int]int{}
	for i, r := range f.routers {
		byRouter[r] = k + i
	}
	for {
		from, to := -1, -1
		for _, v := range order {
			for u := range k {
				if _, in := depth[u]; !in && (to < 0 || f.dist(v, u) < f.dist(from, to)) {
					from, to = v, u
				}
			}
		}
		if to < 0 {
			break
		}
		at := from
		var fresh []int // routers on the route that can branch, from its end back to the first that the tree has
		for r := f.nodes[to]; ; r = f.g.Arcs[f.into[f.site[from]][r]].Tail {
			if v, can := byRouter[r]; can {
				if _, in := depth[v]; in {
					at = v
					break
				}
				fresh = append(fresh, v)
			}
			if f.into[f.site[from]][r] < 0 {
				break
			}
		}
		for i := len(fresh) - 1; i >= 0; i-- {
			begin := len(t.arcs)
			depth[fresh[i]] = f.segment(t, from, at, fresh[i], depth[at])
			branch[fresh[i]] = f.branch(t, branch[at], begin, fresh[i])
			parts[at]++
			order = append(order, fresh[i])
			at = fresh[i]
		}
		begin := len(t.arcs)
		depth[to] = f.segment(t, from, at, to, depth[at])
		branch[to] = f.branch(t, branch[at], begin, to)
		parts[at]++
		order = append(order, to)
	}
	for _, v := range order {
		if row := f.tollRow(v); row >= 0 && parts[v] > 1 {
			for range parts[v] {
				t.arcs = append(t.arcs, row)
			}
		}
	}
}

// segment appends the part of the route of from that lies between nodes a and b.
func (f *treeFinder) segment(t *tree, from, a, b int, depth int64) int64 {
	if a < len(f.members) {
		t.arcs = append(t.arcs, f.out(f.members[a]))
		depth += f.res.access(f.out(f.members[a]))
	}
	for r := f.nodes[b]; r != f.nodes[a] && f.into[f.site[from]][r] >= 0; {
		arc := f.into[f.site[from]][r]
		t.arcs = append(t.arcs, arc^f.flip)
		depth += f.g.Picos(arc) + f.res.access(arc)
		r = f.g.Arcs[arc].Tail
	}
	if b < len(f.members) {
		t.arcs = append(t.arcs, f.in(f.members[b]))
		depth += f.res.access(f.in(f.members[b]))
	}
	t.depth = max(t.depth, depth)
	return depth
}
