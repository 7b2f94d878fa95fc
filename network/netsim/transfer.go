package netsim

import (
	"slices"

	"github.com/islandsgd/islands/schedule"
)

// group is islands that are about to have a common average: a meeting, or what is left of it.
type group struct {
	meeting *meeting
	members []int   // ascending
	left    float64 // share of its payload that is still to be sent
	since   float64 // when it began to send
	begun   bool
	wait    int // deliveries that have not arrived
	version int // deliveries of an earlier one count no more
}

// transfer is what starts to send together: all groups of a round that finish together, or one group.
type transfer struct {
	s       *sim
	groups  []*group
	cargoes []*cargo
	trees   []int  // contexts of aggregators that it holds, a router for each tree
	held    []hold // buffers that it holds for what was sent ahead
	sending int    // cargoes that are not sent
}

// cargo is work that passes through stages, in pieces. With one stage and one piece it is a flow.
type cargo struct {
	t        *transfer
	stages   []stage // for each unit of work
	total    float64 // units
	pieces   int
	to       []delivery
	routers  []Passage // for each unit
	flows    []*flow   // of each stage, nil when it is idle
	sent     []int     // pieces, of each stage
	arrived  []int
	complete bool

	segments []segment // of a cargo for which some have sent ahead
	segment  int       // the one at hand
}

// delivery is a group that has what a cargo brings a latency after the last stage has sent it.
type delivery struct {
	g       *group
	latency float64
}

// send starts groups of one round, or hands those that are cut off to the policy.
func (s *sim) send(groups []*group) {
	if groups = s.reachable(groups); len(groups) == 0 {
		return
	}
	if s.o.Sharing == SharingCommon && s.o.Pieces == 0 {
		s.carry(groups)
		return
	}
	for i := range groups {
		s.carry(groups[i : i+1])
	}
}

// carry makes one transfer of groups of one round.
func (s *sim) carry(groups []*group) {
	p, err := s.planFor(groups)
	if err != nil {
		s.fail(err)
		return
	}
	t := &transfer{s: s, groups: groups}
	parts := make([]int, len(groups))
	for i, g := range groups {
		g.version++
		g.wait = 0
		parts[i] = slices.IndexFunc(p.parts, func(members []int) bool { return members[0] == g.members[0] })
	}
	if s.o.Sharing == SharingCommon {
		t.common(p, parts)
	} else {
		for _, c := range p.carriages[parts[0]] {
			t.fair(c, groups[0])
		}
	}
	for _, c := range t.cargoes {
		for _, d := range c.to {
			d.g.wait++
		}
	}
	if !s.fits(t) {
		s.queued = append(s.queued, t)
		return
	}
	t.start()
}

// common makes one cargo of everything: shares of the whole per second.
func (t *transfer) common(p *planned, parts []int) {
	c := &cargo{t: t, total: 1, pieces: max(1, t.s.o.Pieces)}
	var l *bulk
	switch {
	case len(parts) == 1:
		l = p.bulk(parts[0])
	case len(parts) == len(p.parts) && !slices.ContainsFunc(t.groups, func(g *group) bool { return g.left != 1 }):
		l = p.all()
	default:
		var list []*bulk
		for i, q := range parts {
			list = append(list, p.bulk(q).scaled(t.groups[i].left))
		}
		l = mergeBulks(list)
	}
	if len(parts) == 1 {
		l = l.scaled(t.groups[0].left)
	}
	c.stages, c.routers, t.trees = l.stages, l.routers, l.trees
	if t.s.o.SendAhead {
		c.segments = t.catchUp(l.stages[0].uses)
	}
	for i, g := range t.groups {
		own := p.bulk(parts[i]).stages
		c.to = append(c.to, delivery{g, own[len(own)-1].latency})
	}
	t.cargoes = append(t.cargoes, c)
}

// fair makes a cargo of one stream: bytes per second.
func (t *transfer) fair(c *carriage, g *group) {
	x := &cargo{t: t, stages: c.stages, total: c.bytes * g.left, pieces: max(1, t.s.o.Pieces), routers: c.routers}
	x.to = []delivery{{g, c.stages[len(c.stages)-1].latency}}
	t.cargoes = append(t.cargoes, x)
	t.trees = append(t.trees, c.trees...)
}

// fits reports whether the aggregators have contexts for a transfer. One that needs more than there are may start when
// nobody else holds any.
func (s *sim) fits(t *transfer) bool {
	need := map[int]int{}
	for _, v := range t.trees {
		need[v]++
	}
	for v, n := range need {
		if s.merging[v] > 0 && s.merging[v]+n > s.planner.carrier.contexts[v] {
			return false
		}
	}
	return true
}

func (t *transfer) start() {
	s := t.s
	for _, v := range t.trees {
		s.merging[v]++
	}
	for _, g := range t.groups {
		if g.begun {
			continue
		}
		g.begun, g.since = true, s.now()
		s.event(EventSend, Event{Round: g.meeting.round.t + 1, Islands: s.names(g.members)})
		if s.o.Delay == 0 {
			for _, i := range g.members {
				s.span(i, Wait, g.meeting.round.t, s.islands[i].ready, s.now())
			}
		}
	}
	s.transfers = append(s.transfers, t)
	t.sending = len(t.cargoes)
	for _, c := range t.cargoes {
		n := len(c.stages)
		c.flows, c.sent, c.arrived = make([]*flow, n), make([]int, n), make([]int, n)
		c.push(0)
	}
}

// push lets a stage send its next piece if it is idle and has one.
func (c *cargo) push(k int) {
	ready := c.pieces
	if k > 0 {
		ready = c.arrived[k-1]
	}
	if c.flows[k] != nil || c.sent[k] >= ready {
		return
	}
	s := c.t.s
	f := &flow{uses: c.stages[k].uses, left: c.total / float64(c.pieces), weight: 1}
	if c.segments != nil {
		f.uses, f.left = c.segments[c.segment].uses, c.segments[c.segment].share
	}
	f.done = func() {
		c.flows[k] = nil
		if c.segment < len(c.segments)-1 {
			c.segment++
			c.push(k)
			return
		}
		c.sent[k]++
		c.pushed(k)
	}
	c.flows[k] = f
	s.fluid.start(f)
}

// pushed goes on after a stage has sent a piece.
func (c *cargo) pushed(k int) {
	s := c.t.s
	last := k == len(c.stages)-1
	if !last {
		s.queue.at(s.now()+c.stages[k].latency, func() {
			c.arrived[k]++
			if !c.complete {
				c.push(k + 1)
			}
		})
	}
	if last && c.sent[k] == c.pieces {
		c.complete = true
		for _, d := range c.to {
			version := d.g.version
			s.queue.at(s.now()+d.latency, func() {
				if d.g.version == version {
					s.delivered(d.g)
				}
			})
		}
		if c.t.sending--; c.t.sending == 0 {
			c.t.end()
		}
		return
	}
	c.push(k)
}

// end gives back what a transfer held.
func (t *transfer) end() {
	s := t.s
	t.account()
	s.transfers = slices.DeleteFunc(s.transfers, func(x *transfer) bool { return x == t })
	for _, v := range t.trees {
		s.merging[v]--
	}
	s.releaseBuffers(t.held)
	var waiting []*transfer
	for _, q := range s.queued {
		if s.fits(q) {
			q.start()
		} else {
			waiting = append(waiting, q)
		}
	}
	s.queued = waiting
}

// done is the share of a cargo's work that is done, over all stages.
func (c *cargo) done() float64 {
	sum := 0.0
	if c.segments != nil && c.flows[0] != nil {
		for _, x := range c.segments[:c.segment+1] {
			sum += x.share
		}
		return sum - c.flows[0].left
	}
	for k, f := range c.flows {
		sum += float64(c.sent[k])
		if f != nil {
			sum += 1 - f.left/c.total*float64(c.pieces)
		}
	}
	return sum / float64(c.pieces*len(c.stages))
}

// missing is the share that has not passed the last stage.
func (c *cargo) missing() float64 {
	if len(c.stages) == 1 {
		return 1 - c.done()
	}
	return 1 - float64(c.sent[len(c.sent)-1])/float64(c.pieces)
}

// account adds what routers did for a transfer.
func (t *transfer) account() {
	for _, c := range t.cargoes {
		share := c.total * c.done()
		for _, p := range c.routers {
			r := &t.s.routers[p.index]
			r.In += share * p.In
			r.Out += share * p.Out
			r.Copied += share * p.Copied
			r.Merged += share * p.Merged
			r.Dropped += share * p.Dropped
		}
	}
}

// delivered counts a delivery; with the last one the group has its average.
func (s *sim) delivered(g *group) {
	if g.wait--; g.wait > 0 {
		return
	}
	g.meeting.groups = append(g.meeting.groups, g.members)
	s.event(EventArrive, Event{Round: g.meeting.round.t + 1, Islands: s.names(g.members)})
	for _, i := range g.members {
		s.span(i, Communicate, g.meeting.round.t, g.since, s.now())
		s.exchanged(i, g.meeting.round)
	}
}

// planFor returns how the groups are carried: as the whole round plans for them, where they are as it wants them.
func (s *sim) planFor(groups []*group) (*planned, error) {
	r := groups[0].meeting.round
	asWanted := !slices.ContainsFunc(groups, func(g *group) bool { return len(g.members) != len(g.meeting.members) })
	if asWanted && (len(s.down) == 0 || !slices.ContainsFunc(r.meetings, func(m *meeting) bool { return len(s.planner.components(m.members)) > 1 })) {
		return s.planner.plan(r.want, true)
	}
	some := &schedule.Round{LocalSteps: 1}
	if r.want.IsCliques() {
		for _, g := range groups {
			some.Cliques = append(some.Cliques, g.members)
		}
		return s.planner.plan(some, false)
	}
	var others []int
	for i := range s.islands {
		if !slices.ContainsFunc(groups, func(g *group) bool { return slices.Contains(g.members, i) }) {
			others = append(others, i)
		}
	}
	return s.planner.plan(withoutPairs(r.want, others), false)
}
