package netsim

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/islandsgd/islands/schedule"
)

// maxLead is how many rounds an island may be ahead of the last one. It bounds the memory where an island meets nobody
// for a long time.
const maxLead = 1024

// island is where one island stands.
type island struct {
	round     int     // from 0
	begun     float64 // when its computation began
	computing bool
	active    bool    // it has begun its round and not passed on
	open      []int   // rounds whose average it has not, and still expects
	ready     float64 // since when it waits
	stalled   bool    // under Delay: it has computed, and waits
	draw      *rand.Rand
	time      IslandTime
}

// round is one round that some island has begun and not all have ended.
type round struct {
	t        int
	want     *schedule.Round // as scheduled
	meetings []*meeting
	of       []*meeting // of each island; nil: it meets nobody
	ready    int        // islands, under BarrierRound
	last     int        // the island that was ready last
	passed   int        // islands that have computed and have their average, under BarrierRound
	settled  int        // islands that have its average, or go on without
	ended    int        // islands that ended it
	end      float64    // when the last one did

	disturbed bool
	without   []int // islands of pair rounds that did not mix
}

// meeting is a part of a round: a clique, or who is connected by pairs.
type meeting struct {
	round   *round
	members []int
	ready   []int   // members that are, in the order in which they became so
	started bool    // nobody can join any more
	groups  [][]int // who averaged
	ahead   *ahead  // what members have sent before it started
}

// generator derives the random numbers of one purpose: ChaCha8 seeded with SHA-256("islands/netsim" ‖ seed ‖ island ‖
// purpose), the numbers as 8 bytes little-endian.
func generator(seed uint64, island int, purpose string) *rand.Rand {
	b := binary.LittleEndian.AppendUint64([]byte("islands/netsim"), seed)
	b = binary.LittleEndian.AppendUint64(b, uint64(island))
	return rand.New(rand.NewChaCha8(sha256.Sum256(append(b, purpose...))))
}

func (s *sim) setIslands() {
	s.islands = make([]island, len(s.o.Topology.Islands))
	for i := range s.islands {
		x := &s.islands[i]
		x.time.Island = s.o.Topology.Islands[i].ID
		x.draw = generator(s.o.Seed, i, "jitter")
	}
	rounds := generator(s.o.Seed, 0, "rounds")
	s.draw = func() *schedule.Round {
		r := s.o.Schedule.Random.Draw(rounds)
		return &r
	}
	for i := range s.islands {
		s.begin(i)
	}
}

// open returns a round, and makes it when an island comes to it first.
func (s *sim) open(t int) *round {
	if r := s.rounds[t]; r != nil {
		return r
	}
	r := &round{t: t, of: make([]*meeting, len(s.islands))}
	if s.o.Schedule.Random != nil {
		r.want = s.draw()
	} else {
		r.want = s.o.Schedule.Round(t)
	}
	parts, err := s.planner.parts(r.want)
	if err != nil {
		s.fail(fmt.Errorf("round %d: %w", t+1, err))
		return r
	}
	for _, members := range parts {
		m := &meeting{round: r, members: members}
		r.meetings = append(r.meetings, m)
		for _, i := range members {
			r.of[i] = m
		}
	}
	s.rounds[t] = r
	return r
}

// begin lets an island compute.
func (s *sim) begin(i int) {
	x := &s.islands[i]
	if x.round >= s.o.Rounds || s.over {
		return
	}
	if x.round > s.ended+maxLead {
		s.idle = append(s.idle, i)
		return
	}
	r := s.open(x.round)
	if s.over {
		return
	}
	steps := float64(r.want.LocalSteps) * s.o.StepTime
	if s.o.Slow != nil {
		steps *= s.o.Slow[i]
	}
	if s.o.Jitter > 0 { // log-normal with mean 1
		v := math.Log1p(s.o.Jitter * s.o.Jitter)
		steps *= math.Exp(math.Sqrt(v)*x.draw.NormFloat64() - v/2)
	}
	x.begun, x.computing, x.active = s.now(), true, true
	x.open = append(x.open, x.round)
	s.queue.at(s.now()+steps, func() { s.computed(i) })
	if s.alongside() {
		s.meet(i)
	}
}

// alongside reports whether islands send what they have at the beginning of a round, and compute meanwhile.
func (s *sim) alongside() bool { return s.o.Overlap || s.o.Delay > 0 }

// computed ends an island's local steps.
func (s *sim) computed(i int) {
	x := &s.islands[i]
	x.computing = false
	s.span(i, Compute, x.round, x.begun, s.now())
	if s.alongside() {
		s.proceed(i)
	} else {
		s.meet(i)
	}
}

// meet lets an island join its clique.
func (s *sim) meet(i int) {
	x := &s.islands[i]
	x.ready = s.now()
	r := s.rounds[x.round]
	m := r.of[i]
	if s.o.Barrier == BarrierRound {
		if m != nil {
			m.ready = append(m.ready, i)
		}
		r.ready, r.last = r.ready+1, i
		if r.ready == len(s.islands) {
			s.startRound(r)
		}
		return
	}
	switch {
	case m == nil:
		s.exchanged(i, r)
	case m.started: // without it
		x.time.Skipped++
		s.exchanged(i, r)
	default:
		m.ready = append(m.ready, i)
		switch {
		case len(m.ready) == len(m.members):
			s.startMeeting(m)
		case len(m.ready) == 1 && s.o.Waiting > 0:
			s.queue.at(s.now()+s.o.Waiting, func() {
				if !m.started {
					s.leaveLate(m)
				}
			})
		}
		if s.o.SendAhead && !m.started {
			s.sendAhead(m, i)
		}
	}
}

// startRound starts all cliques of a round.
func (s *sim) startRound(r *round) {
	var groups []*group
	for i := range s.islands {
		s.waited(i, r.last, s.now()-s.islands[i].ready)
	}
	for _, m := range r.meetings {
		m.started = true
		groups = append(groups, &group{meeting: m, members: m.members, left: 1})
	}
	s.send(groups)
	for i := range s.islands {
		if r.of[i] == nil {
			s.span(i, Wait, r.t, s.islands[i].ready, s.now())
			s.exchanged(i, r)
		}
	}
}

// startMeeting starts one clique with all its members.
func (s *sim) startMeeting(m *meeting) {
	m.started = true
	s.blame(m.ready, m.ready[len(m.ready)-1])
	s.send([]*group{{meeting: m, members: m.members, left: 1}})
}

// leaveLate starts a clique without the members that are not ready.
func (s *sim) leaveLate(m *meeting) {
	m.started = true
	present := slices.Clone(m.ready)
	slices.Sort(present)
	var late []int
	for _, i := range m.members {
		if !slices.Contains(present, i) {
			late = append(late, i)
		}
	}
	s.blame(present, late[0])
	m.round.disturbed = true
	s.result.Disturbed.Late += len(late)
	s.event(EventLate, Event{Round: m.round.t + 1, Islands: s.names(late)})
	g := &group{meeting: m, members: present, left: 1}
	if len(present) < 2 || !m.round.want.IsCliques() {
		s.skip(g)
		return
	}
	s.send([]*group{g})
}

// blame notes that islands waited for another until now. Under Delay they were computing meanwhile.
func (s *sim) blame(islands []int, other int) {
	if s.o.Delay > 0 {
		return
	}
	for _, i := range islands {
		s.waited(i, other, s.now()-s.islands[i].ready)
	}
}

// exchanged tells an island that it has the average of a round, or goes on without.
func (s *sim) exchanged(i int, r *round) {
	x := &s.islands[i]
	x.open = slices.DeleteFunc(x.open, func(t int) bool { return t == r.t })
	if s.o.Delay == 0 {
		x.ready = s.now()
	}
	r.settled++
	s.proceed(i)
	s.close()
}

// proceed lets an island pass its round once it has computed and no average is late by more than Delay.
func (s *sim) proceed(i int) {
	x := &s.islands[i]
	if !x.active || x.computing {
		return
	}
	if len(x.open) > 0 && x.open[0] <= x.round-s.o.Delay {
		if s.o.Delay > 0 && !x.stalled {
			x.stalled, x.ready = true, s.now()
		}
		return
	}
	if x.stalled {
		x.stalled = false
		s.span(i, Wait, x.round, x.ready, s.now())
		if r := s.rounds[x.round-s.o.Delay]; r != nil {
			if m := r.of[i]; m != nil {
				s.waited(i, m.ready[len(m.ready)-1], s.now()-x.ready)
			}
		}
	}
	s.pass(i)
}

// pass ends a round for an island that has computed and exchanged.
func (s *sim) pass(i int) {
	x := &s.islands[i]
	x.active = false
	r := s.rounds[x.round]
	if s.o.Barrier == BarrierClique {
		s.leave(i, r)
		s.begin(i)
		return
	}
	x.ready = s.now()
	if r.passed++; r.passed < len(s.islands) {
		return
	}
	for k := range s.islands { // i was the last
		s.waited(k, i, s.now()-s.islands[k].ready)
		s.span(k, Wait, r.t, s.islands[k].ready, s.now())
	}
	for k := range s.islands {
		s.leave(k, r)
	}
	for k := range s.islands {
		s.begin(k)
	}
}

// leave counts an island out of a round.
func (s *sim) leave(i int, r *round) {
	s.islands[i].round++
	s.islands[i].time.Rounds++
	r.ended++
	r.end = s.now()
	s.close()
}

// close ends the rounds that all islands have ended and that are averaged, in their order.
func (s *sim) close() {
	for !s.over {
		r := s.rounds[s.ended]
		if r == nil || r.ended < len(s.islands) || r.settled < len(s.islands) {
			return
		}
		s.closeRound(r)
	}
}

func (s *sim) closeRound(r *round) {
	delete(s.rounds, r.t)
	if s.o.Schedule.Random != nil {
		s.planner.forget(r.want)
	}
	s.ended++
	s.result.Seconds = r.end
	s.event(EventRound, Event{Round: r.t + 1})
	if s.o.Progress != nil {
		s.o.Progress(s.ended, s.o.Rounds)
	}
	if s.o.Learner != nil {
		done, err := s.o.Learner.Round(r.t+1, r.end, r.mixed())
		if err != nil {
			s.fail(err)
		}
		s.over = s.over || done
	}
	s.over = s.over || s.ended == s.o.Rounds
	idle := s.idle
	s.idle = nil
	for _, i := range idle {
		s.begin(i)
	}
}

// mixed is what was averaged.
func (r *round) mixed() *schedule.Round {
	if !r.disturbed {
		return r.want
	}
	if !r.want.IsCliques() {
		return withoutPairs(r.want, r.without)
	}
	out := *r.want
	out.Cliques = nil
	for _, m := range r.meetings {
		out.Cliques = append(out.Cliques, m.groups...)
	}
	return &out
}

// withoutPairs is a round in which some islands keep what they have. They are all that a connected component has.
func withoutPairs(r *schedule.Round, islands []int) *schedule.Round {
	out := *r
	out.Edges, out.Entries = nil, nil
	for _, e := range r.Edges {
		if !slices.Contains(islands, e.I) {
			out.Edges = append(out.Edges, e)
		}
	}
	for _, e := range r.Entries {
		if !slices.Contains(islands, e.I) {
			out.Entries = append(out.Entries, e)
		}
	}
	if len(r.Entries) > 0 {
		for _, i := range islands {
			out.Entries = append(out.Entries, schedule.Edge{I: i, J: i, Weight: 1})
		}
	}
	return &out
}
