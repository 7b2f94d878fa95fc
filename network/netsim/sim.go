package netsim

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/schedule"
)

// sim is a simulation under way.
type sim struct {
	o       *Options
	ctx     context.Context
	queue   queue
	fluid   *fluid
	planner *planner

	islands   []island
	rounds    map[int]*round // open ones, by number from 0
	ended     int            // rounds that all islands ended
	idle      []int          // islands that are as far ahead as they may be
	draw      func() *schedule.Round
	transfers []*transfer  // that send, in the order of their start
	queued    []*transfer  // that wait for an aggregator's context
	merging   []int        // contexts in use at each router
	held      []float64    // bytes of buffers in use at each router
	cut       []*group     // that wait for a repair
	starved   map[int]bool // arcs without bandwidth that have kept somebody from an average
	lost      map[int]bool // rounds to which that happened

	down      []int     // links, ascending
	bandwidth []float64 // of each link, after changes and background traffic
	other     []float64 // background traffic on each arc

	waits    map[[2]int]float64
	routers  []Passage
	loads    []float64 // last told to the tracer
	result   *Result
	ordinary int
	over     bool
	failed   error
}

// Run simulates training. When ctx ends it returns what is over by then, together with ctx's error.
func Run(ctx context.Context, o Options) (*Result, error) {
	s, err := newSim(ctx, &o)
	if err != nil {
		return nil, err
	}
	err = s.run()
	s.finish()
	return s.result, err
}

// newSim prepares a simulation. Every island has begun to compute.
func newSim(ctx context.Context, o *Options) (*sim, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o.defaults()
	s := &sim{o: o, ctx: ctx, rounds: map[int]*round{}, waits: map[[2]int]float64{}, result: &Result{}}
	var err error
	if s.planner, s.fluid, err = newPlanner(o); err != nil {
		return nil, err
	}
	s.merging, s.held = make([]int, len(o.Topology.Routers)), make([]float64, len(o.Topology.Routers))
	for _, r := range o.Topology.Routers {
		s.routers = append(s.routers, Passage{Router: r.ID})
	}
	s.setNetwork()
	s.setIslands()
	return s, nil
}

func (o *Options) defaults() {
	if o.Rounds == 0 {
		o.Rounds = 1
	}
	if o.Barrier == "" {
		o.Barrier = BarrierRound
	}
	if o.Sharing == "" {
		o.Sharing = SharingCommon
	}
	if o.CutOff == "" {
		o.CutOff = CutWait
	}
}

// now is the simulated time in seconds.
func (s *sim) now() float64 { return s.fluid.now }

// run jumps from event to event.
func (s *sim) run() error {
	const between = 256 // events from one look at the context to the next
	for n := 0; !s.over; n++ {
		if n%between == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		t := s.fluid.next()
		s.trace()
		if !s.queue.empty() {
			t = min(t, s.queue.first())
		}
		if math.IsInf(t, 1) {
			if !s.unstick() {
				break
			}
			continue
		}
		for _, x := range s.fluid.advance(t) {
			x.done()
		}
		for !s.over && !s.queue.empty() && s.queue.first() <= s.now() {
			s.queue.pop().run()
		}
	}
	return s.failed
}

// fail ends the simulation with an error.
func (s *sim) fail(err error) {
	if s.failed == nil {
		s.failed = err
	}
	s.over = true
}

// trace tells the tracer which loads have changed.
func (s *sim) trace() {
	if s.o.Tracer == nil {
		return
	}
	links := 2 * len(s.o.Topology.Links)
	if s.loads == nil {
		s.loads = make([]float64, links)
	}
	for a := range links {
		if v := s.fluid.load[a]; v != s.loads[a] {
			s.loads[a] = v
			s.o.Tracer.Load(a, s.now(), v)
		}
	}
}

func (s *sim) span(i int, kind string, round int, from, to float64) {
	if to <= from {
		return
	}
	t := &s.islands[i].time
	switch kind {
	case Compute:
		t.Compute += to - from
	case Wait:
		t.Wait += to - from
	case Communicate:
		t.Communicate += to - from
	}
	if s.o.Tracer != nil {
		s.o.Tracer.Span(i, kind, round+1, from, to)
	}
}

// waited notes that an island waited for another.
func (s *sim) waited(i, other int, seconds float64) {
	if seconds > 0 && i != other {
		s.waits[[2]int{i, other}] += seconds
	}
}

// event notes what happened now.
func (s *sim) event(kind string, e Event) {
	e.Seconds, e.Kind = s.now(), kind
	switch kind {
	case EventSend, EventArrive, EventRound:
		if s.ordinary >= MaxEvents {
			s.result.Omitted++
			return
		}
		s.ordinary++
	default:
		if len(s.result.Events)-s.ordinary >= MaxEvents {
			s.result.Omitted++
			return
		}
	}
	s.result.Events = append(s.result.Events, e)
}

func (s *sim) names(islands []int) []string {
	out := make([]string, len(islands))
	for k, i := range islands {
		out[k] = s.o.Topology.Islands[i].ID
	}
	return out
}

// finish sums up.
func (s *sim) finish() {
	r := s.result
	r.Rounds = s.ended
	for _, t := range s.transfers { // those under way when it ended
		t.account()
	}
	total := s.now()
	for i := range s.islands {
		x := &s.islands[i]
		if x.computing {
			s.span(i, Compute, x.round, x.begun, s.now())
		}
		r.Islands = append(r.Islands, x.time)
		if total > 0 {
			r.Utilization.Compute += x.time.Compute / total / float64(len(s.islands))
		}
	}
	r.Waits = []WaitedFor{}
	for pair, v := range s.waits {
		r.Waits = append(r.Waits, WaitedFor{s.o.Topology.Islands[pair[0]].ID, s.o.Topology.Islands[pair[1]].ID, v})
	}
	slices.SortFunc(r.Waits, func(a, b WaitedFor) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(a.Island, b.Island), cmp.Compare(a.For, b.For))
	})
	r.Links = []LinkUse{}
	var carried, offered float64
	for a, arc := range s.planner.whole.Arcs {
		bits, most := s.fluid.carried[a], s.fluid.offered[a]
		if arc.Kind == network.KindLink {
			carried, offered = carried+bits, offered+most
		}
		if bits > 0 {
			l := LinkUse{From: arc.From, To: arc.To, Kind: arc.Kind, Bytes: bits / 8}
			if most > 0 {
				l.Utilization = bits / most
			}
			r.Links = append(r.Links, l)
		}
	}
	if offered > 0 {
		r.Utilization.Network = carried / offered
	}
	for _, p := range s.routers {
		if p.In+p.Out+p.Copied+p.Merged+p.Dropped > 0 {
			r.Routers = append(r.Routers, p)
		}
	}
	if r.Events == nil {
		r.Events = []Event{}
	}
	if r.Routers == nil {
		r.Routers = []Passage{}
	}
	if s.planner.alone() {
		r.Warnings = append(r.Warnings, fmt.Sprintf("with more than %d islands each clique chooses its collective as if it were alone: rounds of several may be slower than their price", jointPlans))
	}
	if w := s.starvation(); w != "" {
		r.Warnings = append(r.Warnings, w)
	}
	if r.Omitted > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d events beyond the first %d are left out", r.Omitted, MaxEvents))
	}
}
