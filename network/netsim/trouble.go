package netsim

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/islandsgd/islands/internal/text"
	"github.com/islandsgd/islands/internal/units"
)

// setNetwork asks for everything that will happen to links.
func (s *sim) setNetwork() {
	s.other = make([]float64, len(s.planner.whole.Arcs))
	for _, b := range s.o.Background {
		for _, a := range s.planner.whole.Path(b.From, b.To) {
			s.other[a] += b.BitPerSecond
		}
	}
	for l, link := range s.o.Topology.Links {
		s.bandwidth = append(s.bandwidth, link.Bandwidth)
		s.setLink(l)
	}
	for _, f := range s.o.Failures {
		s.queue.at(f.From, func() { s.linkDown(f.Link) })
		if f.To > 0 && !math.IsInf(f.To, 1) {
			s.queue.at(f.To, func() { s.linkUp(f.Link) })
		}
	}
	for _, c := range s.o.Bandwidth {
		s.queue.at(c.At, func() {
			s.bandwidth[c.Link] = c.BitPerSecond
			s.setLink(c.Link)
			s.event(EventBandwidth, Event{Link: LinkName(s.o.Topology, c.Link)})
		})
	}
}

// setLink gives a link's arcs the capacity that is there for training.
func (s *sim) setLink(l int) {
	for a := 2 * l; a <= 2*l+1; a++ {
		capacity := max(0, s.bandwidth[l]-s.other[a])
		if slices.Contains(s.down, l) {
			capacity = 0
		}
		s.fluid.setCapacity(a, capacity)
	}
}

// linkDown stops a link. Failures of one link that overlap count as one, until the first repair.
func (s *sim) linkDown(l int) {
	if slices.Contains(s.down, l) {
		return
	}
	s.down = append(slices.Clone(s.down), l)
	slices.Sort(s.down)
	s.setLink(l)
	s.event(EventFail, Event{Link: LinkName(s.o.Topology, l)})
	if err := s.planner.stand(s.down); err != nil {
		s.fail(err)
		return
	}
	s.queue.at(s.now()+s.o.Reroute, func() { s.reroute(l) })
}

// linkUp repairs a link. What goes round it stays there; what waited goes on.
func (s *sim) linkUp(l int) {
	i := slices.Index(s.down, l)
	if i < 0 {
		return
	}
	s.down = slices.Delete(slices.Clone(s.down), i, i+1)
	s.setLink(l)
	s.event(EventRepair, Event{Link: LinkName(s.o.Topology, l)})
	if err := s.planner.stand(s.down); err != nil {
		s.fail(err)
		return
	}
	waiting := s.cut
	s.cut = nil
	for _, g := range waiting {
		s.send([]*group{g})
	}
}

// reroute takes what a link that is still down has stopped to other routes. What has been sent counts, and the rest is
// planned anew.
func (s *sim) reroute(l int) {
	if !slices.Contains(s.down, l) {
		return
	}
	for _, t := range slices.Clone(s.transfers) {
		if slices.Contains(s.transfers, t) && t.crosses(l) {
			s.replan(t)
		}
	}
	for _, t := range slices.Clone(s.queued) { // planned for a network that is no more
		s.queued = slices.DeleteFunc(s.queued, func(x *transfer) bool { return x == t })
		s.releaseBuffers(t.held)
		s.send(t.groups)
	}
}

// crosses reports whether a transfer still has to use a link.
func (t *transfer) crosses(l int) bool {
	found := false
	t.needs(func(resource int) { found = found || resource>>1 == l })
	return found
}

// needs visits the resources that a transfer still has to use.
func (t *transfer) needs(visit func(resource int)) {
	for _, c := range t.cargoes {
		for k, st := range c.stages {
			if c.sent[k] == c.pieces {
				continue
			}
			for _, u := range st.uses {
				visit(u.resource)
			}
		}
	}
}

// replan stops a transfer and sends what is missing on the network as it is now.
func (s *sim) replan(t *transfer) {
	var missing, total float64
	for _, c := range t.cargoes {
		missing += c.total * c.missing()
		total += c.total
		c.complete = true
		for _, f := range c.flows {
			if f != nil {
				s.fluid.stop(f)
			}
		}
	}
	t.end()
	for _, g := range t.groups {
		g.left *= missing / total
		g.version++
		s.result.Disturbed.Rerouted++
		s.event(EventReroute, Event{Round: g.meeting.round.t + 1, Islands: s.names(g.members)})
	}
	s.send(t.groups)
}

// reachable returns the groups whose members reach one another, after the policy has dealt with the others.
func (s *sim) reachable(groups []*group) []*group {
	if len(s.down) == 0 {
		return groups
	}
	var out []*group
	for _, g := range groups {
		parts := s.planner.components(g.members)
		if len(parts) == 1 {
			out = append(out, g)
			continue
		}
		r := g.meeting.round
		s.event(EventCutOff, Event{Round: r.t + 1, Islands: s.names(g.members), Note: "policy: " + s.o.CutOff})
		switch {
		case s.o.CutOff == CutWait:
			s.cut = append(s.cut, g)
		case s.o.CutOff == CutSkip || !r.want.IsCliques():
			s.skip(g)
		default:
			out = append(out, s.reform(g, parts)...)
		}
	}
	return out
}

// skip lets the members of a group go on without their average.
func (s *sim) skip(g *group) {
	r := g.meeting.round
	s.dropAhead(g.meeting)
	r.disturbed = true
	r.without = append(r.without, g.members...)
	s.result.Disturbed.Skipped++
	s.event(EventSkip, Event{Round: r.t + 1, Islands: s.names(g.members)})
	s.release(g, g.members)
}

// release lets islands go on without an average.
func (s *sim) release(g *group, members []int) {
	for _, i := range members {
		x := &s.islands[i]
		if g.begun {
			s.span(i, Communicate, g.meeting.round.t, g.since, s.now())
		} else if s.o.Delay == 0 {
			s.span(i, Wait, g.meeting.round.t, x.ready, s.now())
		}
		x.time.Skipped++
		s.exchanged(i, g.meeting.round)
	}
}

// reform makes groups of the parts of one that is cut. Their average is another one, so they begin anew.
func (s *sim) reform(g *group, parts [][]int) []*group {
	s.dropAhead(g.meeting)
	g.meeting.round.disturbed = true
	s.result.Disturbed.Reformed++
	var out []*group
	for _, members := range parts {
		if len(members) == 1 {
			s.release(g, members)
			continue
		}
		s.event(EventReform, Event{Round: g.meeting.round.t + 1, Islands: s.names(members)})
		out = append(out, &group{meeting: g.meeting, members: members, left: 1, since: g.since, begun: g.begun})
	}
	return out
}

// unstick deals with a simulation in which nothing moves any more: whoever waits for a repair that will not come, or
// sends over a link without bandwidth, gives up. It reports whether there was anybody.
func (s *sim) unstick() bool {
	groups := s.cut
	s.cut = nil
	for _, t := range slices.Clone(s.transfers) {
		s.starve(t)
		for _, c := range t.cargoes {
			c.complete = true
			for _, f := range c.flows {
				if f != nil {
					s.fluid.stop(f)
				}
			}
		}
		t.end()
		groups = append(groups, t.groups...)
	}
	for _, g := range groups {
		g.version++
		s.skip(g)
	}
	return len(groups) > 0
}

// starve notes which arcs without bandwidth keep a transfer, for ever, from ending.
func (s *sim) starve(t *transfer) {
	rounds := map[int]bool{}
	for _, g := range t.groups {
		rounds[g.meeting.round.t] = true
	}
	t.needs(func(arc int) {
		if arc >= 2*len(s.o.Topology.Links) || s.fluid.capacity[arc] > 0 || slices.Contains(s.down, arc/2) {
			return
		}
		if s.starved == nil {
			s.starved, s.lost = map[int]bool{}, map[int]bool{}
		}
		s.starved[arc] = true
		maps.Copy(s.lost, rounds)
	})
}

// starvation says which rounds could not be carried over which links, or is "".
func (s *sim) starvation() string {
	if len(s.starved) == 0 {
		return ""
	}
	const shown = 5
	var places []string
	for _, a := range slices.Sorted(maps.Keys(s.starved)) {
		if len(places) == shown {
			places = append(places, fmt.Sprintf("and %d more", len(s.starved)-shown))
			break
		}
		arc := s.planner.whole.Arcs[a]
		why := "its bandwidth is 0"
		if s.other[a] > 0 {
			why = fmt.Sprintf("others send %s over its %s", units.FormatBandwidth(s.other[a]), units.FormatBandwidth(s.bandwidth[a/2]))
		}
		places = append(places, fmt.Sprintf("%s-%s (%s)", arc.From, arc.To, why))
	}
	return fmt.Sprintf("%s could not be carried and did not average: nothing is left for training on %s", text.Count(len(s.lost), "round"), strings.Join(places, ", "))
}
