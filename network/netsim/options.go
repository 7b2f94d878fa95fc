package netsim

import (
	"fmt"
	"math"

	"github.com/islandsgd/islands/internal/text"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/schedule"
)

// How islands wait for one another.
const (
	// BarrierRound: the cliques of a round start together, when the last island is ready, and the next round begins when
	// the last clique is done.
	BarrierRound = "round"
	// BarrierClique: a clique starts when its members are ready, and they go on when it is done.
	BarrierClique = "clique"
)

// How flows share the network.
const (
	// SharingCommon: what starts together finishes together, and among what started at different times every share of
	// its own size per second is worth the same. This is the one makespan of the price.
	SharingCommon = "common"
	// SharingFair: every stream gets the same bytes per second, as far as it can use them.
	SharingFair = "fair"
)

// What a clique does whose members are cut off from one another.
const (
	// CutWait: it waits for a repair. Where none comes, it skips.
	CutWait = "wait"
	// CutSkip: its members go on without averaging.
	CutSkip = "skip"
	// CutReform: the members that still reach one another average among themselves.
	CutReform = "re-form"
)

// Options of Run. Topology, Capability and Schedule are needed; the zero value of every other field works.
type Options struct {
	Topology   *network.Topology
	Capability network.Capability
	Schedule   *schedule.Schedule // with as many nodes as the topology has islands; weight rules worked out
	Collective collective.Options // payload, collective, limits

	Rounds   int     // default (0): 1
	StepTime float64 // seconds of one local step
	Overlap  bool    // computation and communication of a round run side by side
	Delay    int     // rounds that an average may be late: islands send at the beginning of a round and compute on. Needs BarrierClique
	Barrier  string  // default (""): BarrierRound
	Sharing  string  // default (""): SharingCommon

	// Pieces is the number of pieces in which a payload passes from one stage of its collective to the next, for instance
	// from the reduction to the broadcast: a piece moves on when it has arrived whole. 1 lets each stage wait for the whole.
	// 0 is the convention of the price: all stages move as one, for the time of the busiest arc, and end later by the
	// latency of their whole chain. Where stages use different arcs (up to a hub, down from it) many pieces come close to
	// that. Where they use the same ones (the hops of a ring) pieces may be faster: a piece is on its way while the arcs
	// that it has left carry the next, so most of the chain's latency passes behind what is sent.
	Pieces int

	Slow    []float64 // step time of each island over StepTime; nil: all 1
	Jitter  float64   // standard deviation of a round's computation relative to its mean (log-normal)
	Seed    uint64    // of the jitter, and of the rounds of a random schedule
	Waiting float64   // seconds that a clique waits for late members, from its first ready one; 0: for ever. Needs BarrierClique

	SendAhead bool    // members that are ready send into the buffers of aggregators. Needs BarrierClique, SharingCommon, Pieces 0
	Buffer    float64 // bytes that an aggregator holds whose router does not say so itself; 0: no limit

	Failures   []Failure
	CutOff     string  // default (""): CutWait
	Reroute    float64 // seconds from a failure until what it interrupted goes on along other routes
	Bandwidth  []Change
	Background []Traffic

	Loss       float64 // probability that a link drops a packet
	MergeDelay float64 // seconds that every aggregator adds

	Learner Learner // told of every round that is over; may be nil
	Tracer  Tracer  // told of every span of time; may be nil

	Progress func(done, total int) // called after each round; may be nil
}

// Failure is a link that is down for a while.
type Failure struct {
	Link     int     // of the topology
	From, To float64 // seconds; To 0 or +Inf: never repaired
}

// Change sets a link's bandwidth in both directions from some time on. A bandwidth of 0 stops it, without rerouting.
type Change struct {
	At           float64 // seconds
	Link         int
	BitPerSecond float64
}

// Traffic is what others send between two routers on the lowest-latency route. It does not yield: training gets what
// it leaves.
type Traffic struct {
	From, To     int // routers
	BitPerSecond float64
}

// Learner learns while the network keeps time.
type Learner interface {
	// Round is told that every island has ended round t, counted from 1, at the given second. mixed is what was averaged:
	// the schedule's own round, or another where a policy left islands out. It returns whether training is done.
	Round(t int, seconds float64, mixed *schedule.Round) (done bool, err error)
}

// Tracer sees what every island and link does, as it ends.
type Tracer interface {
	// Span is what an island did from one second to another: compute, wait or communicate, in a round counted from 1.
	Span(island int, kind string, round int, from, to float64)
	// Load is the bit/s on a link's arc from a second on.
	Load(arc int, seconds, bitPerSecond float64)
}

// Kinds of spans.
const (
	Compute     = "compute"
	Wait        = "wait"
	Communicate = "communicate"
)

// maxSeconds bounds every time that is given, so that sums stay finite and clocks keep their resolution.
const maxSeconds = 1e12

func (o *Options) check() error {
	n := len(o.Topology.Islands)
	if err := o.Schedule.Validate(); err != nil {
		return fmt.Errorf("schedule %s: %w", o.Schedule.Name, err)
	}
	if o.Schedule.N != n {
		return fmt.Errorf("the schedule has %d nodes, the topology %d islands", o.Schedule.N, n)
	}
	if o.Rounds < 0 {
		return fmt.Errorf("%d rounds, want 0 or more", o.Rounds)
	}
	if o.Pieces < 0 {
		return fmt.Errorf("%d pieces, want 0 or more", o.Pieces)
	}
	for _, f := range []struct {
		name        string
		value, most float64
	}{
		{"step time", o.StepTime, maxSeconds}, {"jitter", o.Jitter, 10}, {"waiting", o.Waiting, maxSeconds},
		{"reroute", o.Reroute, maxSeconds}, {"merge delay", o.MergeDelay, maxSeconds}, {"loss", o.Loss, 0.99}, {"buffer", o.Buffer, 1e30},
	} {
		if !(f.value >= 0 && f.value <= f.most) {
			return fmt.Errorf("%s of %g, want 0 to %g", f.name, f.value, f.most)
		}
	}
	for _, f := range []struct {
		name, value string
		known       []string
	}{
		{"barrier", o.Barrier, []string{BarrierRound, BarrierClique}}, {"sharing", o.Sharing, []string{SharingCommon, SharingFair}},
		{"cut-off policy", o.CutOff, []string{CutWait, CutSkip, CutReform}},
	} {
		known := f.value == ""
		for _, k := range f.known {
			known = known || k == f.value
		}
		if !known {
			return fmt.Errorf("unknown %s %q%s", f.name, f.value, text.DidYouMean(f.value, f.known))
		}
	}
	if o.Slow != nil && len(o.Slow) != n {
		return fmt.Errorf("%d slow factors for %d islands", len(o.Slow), n)
	}
	for i, f := range o.Slow {
		if !(f > 0 && f <= maxSeconds) {
			return fmt.Errorf("island %s is %g times as slow, want a factor above 0", o.Topology.Islands[i].ID, f)
		}
	}
	if o.Waiting > 0 && o.Barrier != BarrierClique {
		return fmt.Errorf("a clique leaves late members behind only when it does not wait for all others: use barrier %s", BarrierClique)
	}
	if o.Delay < 0 || o.Delay > maxLead {
		return fmt.Errorf("delay of %d rounds, want 0 to %d", o.Delay, maxLead)
	}
	if o.Delay > 0 && o.Barrier != BarrierClique {
		return fmt.Errorf("an island that goes on before its average has arrived waits for nobody else: use barrier %s with a delay", BarrierClique)
	}
	if o.SendAhead && (o.Barrier != BarrierClique || o.Sharing == SharingFair || o.Pieces > 0) {
		return fmt.Errorf("members send ahead of a clique that starts on its own and moves as one: use barrier %s, sharing %s and no pieces", BarrierClique, SharingCommon)
	}
	return o.checkNetwork()
}

func (o *Options) checkNetwork() error {
	link := func(what string, l int) error {
		if l < 0 || l >= len(o.Topology.Links) {
			return fmt.Errorf("%s of link %d, the topology has %d", what, l, len(o.Topology.Links))
		}
		return nil
	}
	for _, f := range o.Failures {
		if err := link("failure", f.Link); err != nil {
			return err
		}
		name, forever := LinkName(o.Topology, f.Link), f.To == 0 || math.IsInf(f.To, 1)
		if !(f.From >= 0 && f.From <= maxSeconds) {
			return fmt.Errorf("%s fails at %g s, want 0 to %g s", name, f.From, maxSeconds)
		}
		if !forever && !(f.To > f.From && f.To <= maxSeconds) {
			return fmt.Errorf("%s fails at %g s and is repaired at %g s, want a later time, up to %g s (or none)", name, f.From, f.To, maxSeconds)
		}
	}
	for _, c := range o.Bandwidth {
		if err := link("bandwidth", c.Link); err != nil {
			return err
		}
		if !(c.At >= 0 && c.At <= maxSeconds && c.BitPerSecond >= 0 && c.BitPerSecond <= 1e30) {
			return fmt.Errorf("bandwidth of %g bit/s on %s at %g s", c.BitPerSecond, LinkName(o.Topology, c.Link), c.At)
		}
	}
	for _, b := range o.Background {
		if r := len(o.Topology.Routers); min(b.From, b.To) < 0 || max(b.From, b.To) >= r {
			return fmt.Errorf("background traffic from router %d to %d, the topology has %d", b.From, b.To, r)
		}
		if b.From == b.To {
			return fmt.Errorf("background traffic from router %s to itself, want two different ones", o.Topology.Routers[b.From].ID)
		}
		if !(b.BitPerSecond >= 0 && b.BitPerSecond <= 1e30) {
			return fmt.Errorf("background traffic of %g bit/s", b.BitPerSecond)
		}
	}
	return nil
}

// LinkName is how a link is written: its two routers and a hyphen.
func LinkName(t *network.Topology, link int) string {
	l := t.Links[link]
	return t.Routers[l.A].ID + "-" + t.Routers[l.B].ID
}

// FindLink returns the link that a name such as NYC-LON means, in either direction.
func FindLink(t *network.Topology, name string) (int, error) {
	var known []string
	for i, l := range t.Links {
		a, b := t.Routers[l.A].ID, t.Routers[l.B].ID
		if name == a+"-"+b || name == b+"-"+a {
			return i, nil
		}
		known = append(known, a+"-"+b, b+"-"+a)
	}
	if len(known) > 60 { // too many to list
		if _, close := text.Closest(name, known); !close {
			return 0, fmt.Errorf("unknown link %q (links are written A-B, by the names of their routers)", name)
		}
	}
	return 0, fmt.Errorf("unknown link %q%s", name, text.DidYouMean(name, known))
}
