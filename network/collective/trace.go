package collective

import "math"

// tree is one broadcast or reduction: how often it uses each arc, and the longest way from its root in picoseconds.
type tree struct {
	arcs  []int // with repetition
	depth int64

	spans []span // its branches; nil for a tree on the lowest-latency routes, which sums at the routers in sums
	sums  []bool
}

// span is a branch of a tree: arcs[from:to] from the branch parent (-1: the root) to an end, an island or a router that
// counts on from the islands.
type span struct{ parent, from, to, end int }

// branch closes a branch that ends at node v, begun where the tree had from arcs.
func (f *treeFinder) branch(t *tree, parent, from, v int) int {
	end := len(f.g.Topology.Islands) + f.nodes[v]
	if v < len(f.members) {
		end = f.members[v]
	}
	t.spans = append(t.spans, span{parent, from, len(t.arcs), end})
	return len(t.spans) - 1
}

// find returns the cheapest tree from a root: a member's position, or len(members) + a position in routers.
func (f *treeFinder) find(root int) *tree {
	t := &tree{}
	if f.own == nil {
		f.grow(t, root)
		return t
	}
	f.trace(t, f.all(root), root, 0, false, -1)
	return t
}

// all is the set of members that a root must serve.
func (f *treeFinder) all(root int) int {
	d := 1<<len(f.members) - 1
	if root < len(f.members) {
		d ^= 1 << root
	}
	return d
}

// trace follows the choices that solve made. part says whether v is a router that is splitting already, branch by which
// branch it was reached.
func (f *treeFinder) trace(t *tree, d, v int, depth int64, part bool, branch int) {
	if d == 0 {
		return
	}
	toll := 0.0
	if part {
		toll = f.toll[v]
	}
	split := f.splitting(v, d)
	next, least := -1, split
	for u := range f.nodes {
		if u == v {
			continue
		}
		if x := f.dist(v, u) + f.serve(d, u) + toll; x < least {
			next, least = u, x
		}
	}
	if next < 0 {
		low, e := d&-d, (d-1)&d
		for e&low == 0 || f.share(v, e)+f.share(v, d^e) > split {
			e = (e - 1) & d
		}
		f.trace(t, e, v, depth, true, branch)
		f.trace(t, d^e, v, depth, true, branch)
		return
	}
	if row := f.tollRow(v); part && row >= 0 {
		t.arcs = append(t.arcs, row)
	}
	from := len(t.arcs)
	depth = f.route(t, v, next, depth)
	branch = f.branch(t, branch, from, next)
	if next < len(f.members) {
		d ^= 1 << next
	}
	f.trace(t, d, next, depth, false, branch)
}

// splitting is the cost of D from node v, which has the payload and splits at once.
func (f *treeFinder) splitting(v, d int) float64 {
	if v < len(f.members) {
		return cheapestSplit(f.own[v], d)
	}
	v -= len(f.members)
	return f.split[v/4][d][v%4]
}

// share is what one part of a split costs at a node.
func (f *treeFinder) share(v, d int) float64 {
	if v < len(f.members) {
		return f.own[v][d]
	}
	v -= len(f.members)
	return f.part[v/4][d][v%4]
}

// serve is the cost of D once the payload has reached node u. A router that is entered splits at once, since moving on
// from there is a cheapest route by itself.
func (f *treeFinder) serve(d, u int) float64 {
	if u >= len(f.members) {
		return f.splitting(u, d)
	}
	if d>>u&1 == 0 {
		return math.Inf(1)
	}
	return f.own[u][d^1<<u]
}

// route appends the arcs from node v to node u and returns the depth at u.
func (f *treeFinder) route(t *tree, v, u int, depth int64) int64 {
	if v < len(f.members) {
		t.arcs = append(t.arcs, f.out(f.members[v]))
		depth += f.res.access(f.out(f.members[v]))
	}
	into := f.into[f.site[v]]
	for r := f.nodes[u]; into[r] >= 0; {
		arc := into[r]
		t.arcs = append(t.arcs, arc^f.flip)
		depth += f.g.Picos(arc) + f.res.access(arc)
		r = f.g.Arcs[arc].Tail
	}
	if u < len(f.members) {
		t.arcs = append(t.arcs, f.in(f.members[u]))
		depth += f.res.access(f.in(f.members[u]))
	}
	t.depth = max(t.depth, depth)
	return depth
}
