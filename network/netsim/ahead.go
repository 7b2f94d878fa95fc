package netsim

import (
	"cmp"
	"math"
	"slices"

	"github.com/islandsgd/islands/network/collective"
)

// Members that are ready before their clique may send ahead (Options.SendAhead): what they send waits at the first
// aggregator on its way, which holds the partial sum until the last member joins in. The buffer bounds how far ahead
// they get; when it is full they stop. Once the clique is complete its transfer is a row of segments: an island's first
// branch lies idle until the others have caught up with it.
//
// An aggregator holds one partial sum for each tree, however many members are ahead, so a member may be ahead as far as
// any other. Buffers are given out first come, first served.

// leaf is an island's own branches up to the first aggregators.
type leaf struct {
	island int
	uses   []use
}

// hold is what an aggregator has to hold of what is sent ahead.
type hold struct {
	router int
	bytes  float64
}

// ahead is what members of a meeting have sent before it started.
type ahead struct {
	limit float64 // share of the payload that the buffers hold
	held  []hold
	from  []sender
}

type sender struct {
	uses []use
	flow *flow
}

// leaves counts the branches of a reduction between members and their first aggregators.
func (n *counting) leaves(t *collective.Tree, bytes []branchBytes, joints []joint) {
	counted := make([]bool, len(joints))
	for i, b := range t.Branches {
		at := b.Parent + 1
		end := t.Root
		if at > 0 {
			end = t.Branches[b.Parent].Far
		}
		if b.Far.Island < 0 || end.Island >= 0 || joints[at].branches < 2 {
			continue
		}
		if slices.ContainsFunc(b.Arcs, func(a int) bool { _, once := n.joined[n.arcs(a)]; return once }) {
			continue // it keeps pace with other trees
		}
		var uses []use
		for k, a := range b.Arcs {
			uses = append(uses, use{n.arcs(a), 8 * bytes[i].on[k]})
		}
		if r := n.ingest[end.Router]; r >= 0 {
			uses = append(uses, use{r, 8 * b.Size})
		}
		n.first = append(n.first, leaf{b.Far.Island, uses})
		if !counted[at] {
			counted[at] = true
			n.holds = append(n.holds, hold{end.Router, b.Size})
		}
	}
}

// sendAhead lets a member that is ready send into the buffers.
func (s *sim) sendAhead(m *meeting, i int) {
	if len(s.down) > 0 {
		return // the trees may be others by the time the clique is complete
	}
	p, err := s.planner.plan(m.round.want, true)
	if err != nil {
		s.fail(err)
		return
	}
	b := p.bulk(slices.IndexFunc(p.parts, func(members []int) bool { return members[0] == m.members[0] }))
	var uses []use
	for _, l := range b.first {
		if l.island == i {
			uses = append(uses, l.uses...)
		}
	}
	if len(uses) == 0 {
		return
	}
	if m.ahead == nil {
		m.ahead = s.reserve(b.holds)
	}
	if m.ahead.limit > 0 {
		f := &flow{uses: uses, left: m.ahead.limit, weight: 1, done: func() {}}
		m.ahead.from = append(m.ahead.from, sender{uses, f})
		s.fluid.start(f)
	}
}

// reserve takes as much of the buffers as one payload can use.
func (s *sim) reserve(holds []hold) *ahead {
	need := make([]float64, len(s.held))
	for _, h := range holds {
		need[h.router] += h.bytes
	}
	a := &ahead{limit: 1}
	for v, bytes := range need {
		if bytes > 0 {
			a.limit = min(a.limit, max(0, s.buffer(v)-s.held[v])/bytes)
		}
	}
	for v, bytes := range need {
		if bytes > 0 {
			a.held = append(a.held, hold{v, a.limit * bytes})
			s.held[v] += a.limit * bytes
		}
	}
	return a
}

// buffer is the bytes that an aggregator can hold.
func (s *sim) buffer(v int) float64 {
	if own := s.o.Topology.Routers[v].Aggregation; own != nil && own.Buffer > 0 {
		return own.Buffer
	}
	if s.o.Buffer > 0 {
		return s.o.Buffer
	}
	return math.Inf(1)
}

// dropAhead ends sending ahead for a meeting that will not take place.
func (s *sim) dropAhead(m *meeting) {
	if m.ahead == nil {
		return
	}
	for _, x := range m.ahead.from {
		s.fluid.stop(x.flow)
	}
	s.releaseBuffers(m.ahead.held)
	m.ahead = nil
}

// releaseBuffers gives buffers back.
func (s *sim) releaseBuffers(held []hold) {
	for _, h := range held {
		s.held[h.router] -= h.bytes
	}
}

// segment is a share of a cargo's work and what it uses.
type segment struct {
	share float64
	uses  []use
}

// catchUp ends sending ahead and returns the segments of a transfer, nil when nobody is ahead. What was sent ahead for a
// clique that starts otherwise than planned is of no use.
func (t *transfer) catchUp(base []use) []segment {
	s := t.s
	type lead struct {
		share float64
		uses  []use
	}
	var leads []lead
	for _, g := range t.groups {
		a := g.meeting.ahead
		if a == nil {
			continue
		}
		g.meeting.ahead = nil
		useful := len(s.down) == 0 && len(g.members) == len(g.meeting.members)
		for _, x := range a.from {
			s.fluid.stop(x.flow)
			if share := a.limit - x.flow.left; useful && share > 0 {
				leads = append(leads, lead{share, x.uses})
			}
		}
		t.held = append(t.held, a.held...)
	}
	if len(leads) == 0 {
		return nil
	}
	slices.SortStableFunc(leads, func(a, b lead) int { return cmp.Compare(a.share, b.share) })
	var out []segment
	at := 0.0
	for len(leads) > 0 {
		if end := leads[0].share; end > at {
			var idle []use
			for _, l := range leads {
				idle = append(idle, l.uses...)
			}
			out = append(out, segment{end - at, without(base, idle)})
			at = end
		}
		leads = leads[1:]
	}
	if at < 1 {
		out = append(out, segment{1 - at, base})
	}
	return out
}

// without subtracts uses. What is left of a difference by rounding alone goes.
func without(base, less []use) []use {
	const rounding = 1e-12
	bits := map[int]float64{}
	for _, u := range less {
		bits[u.resource] += u.bits
	}
	var out []use
	for _, u := range base {
		if left := u.bits - bits[u.resource]; left > rounding*u.bits {
			out = append(out, use{u.resource, left})
		}
	}
	return out
}
