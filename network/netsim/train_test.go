package netsim

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/schedule"
)

// witness is a learner that remembers what it was told.
type witness struct {
	seconds []float64
	mixed   []string
	stop    int
}

func (w *witness) Round(t int, seconds float64, mixed *schedule.Round) (bool, error) {
	w.seconds = append(w.seconds, seconds)
	w.mixed = append(w.mixed, fmt.Sprint(mixed.Cliques))
	if t != len(w.mixed) {
		return false, errors.New("rounds out of order")
	}
	return t == w.stop, nil
}

// cliques is a schedule over so many islands from the cliques of its rounds.
func cliques(n int, rounds ...[][]int) *schedule.Schedule {
	s := &schedule.Schedule{Name: "cliques", N: n}
	for _, r := range rounds {
		s.Rounds = append(s.Rounds, schedule.Round{LocalSteps: 1, Cliques: r})
	}
	return s
}

// Four islands on a path of two links; the clique of all has members on both sides of the failing link.
func TestCutOff(t *testing.T) {
	top := path([]float64{0, 0}, 0, 0, 1, 2)
	base := Options{Topology: top, Capability: capability(t, top, network.LevelBoth), Schedule: cliques(4, [][]int{{0, 1, 2, 3}}), StepTime: 1,
		Rounds: 3, Collective: collective.Options{Payload: gb, Collective: collective.Hub}}
	for _, x := range []struct {
		policy   string
		failures []Failure
		seconds  []float64
		mixed    []string
		kinds    string
	}{
		// Rounds take 1 s of computation and 1 s of exchange. The link is down from 2.5 to 6 s: round 2 is ready at 3.
		{CutWait, []Failure{{0, 2.5, 6}}, []float64{2, 7, 9}, []string{"[[0 1 2 3]]", "[[0 1 2 3]]", "[[0 1 2 3]]"}, "link-down cut-off link-up"},
		{CutSkip, []Failure{{0, 2.5, 6}}, []float64{2, 3, 4}, []string{"[[0 1 2 3]]", "[]", "[]"}, "link-down cut-off skip cut-off skip"},
		{CutReform, []Failure{{0, 2.5, 6}}, []float64{2, 4, 6}, []string{"[[0 1 2 3]]", "[[0 1] [2 3]]", "[[0 1] [2 3]]"},
			"link-down cut-off re-form re-form cut-off re-form re-form"},
		// In the middle of an exchange: what was sent counts when it goes on.
		{CutWait, []Failure{{0, 1.25, 6}}, []float64{6.75, 8.75, 10.75}, []string{"[[0 1 2 3]]", "[[0 1 2 3]]", "[[0 1 2 3]]"}, "link-down reroute cut-off link-up"},
		{CutSkip, []Failure{{0, 1.25, 1.5}}, []float64{1.25, 3.25, 5.25}, []string{"[]", "[[0 1 2 3]]", "[[0 1 2 3]]"}, "link-down reroute cut-off skip link-up"},
		{CutReform, []Failure{{0, 1.25, 1.5}}, []float64{2.25, 4.25, 6.25}, []string{"[[0 1] [2 3]]", "[[0 1 2 3]]", "[[0 1 2 3]]"},
			"link-down reroute cut-off re-form re-form link-up"},
		// Nobody repairs it: waiting ends when nothing else can happen.
		{CutWait, []Failure{{Link: 0, From: 2.5}}, []float64{2, 3, 4}, []string{"[[0 1 2 3]]", "[]", "[]"}, "link-down cut-off skip cut-off skip"},
		// One member alone on its side keeps what it has.
		{CutReform, []Failure{{1, 2.5, 6}}, []float64{2, 4, 6}, []string{"[[0 1 2 3]]", "[[0 1 2]]", "[[0 1 2]]"}, "link-down cut-off re-form cut-off re-form"},
	} {
		o, w := base, &witness{}
		o.CutOff, o.Failures, o.Learner = x.policy, x.failures, w
		r := run(t, o)
		var kinds []string
		for _, e := range r.Events {
			if e.Kind != EventSend && e.Kind != EventArrive && e.Kind != EventRound && e.Seconds < 6.5 {
				kinds = append(kinds, e.Kind)
			}
		}
		what := fmt.Sprint(x.policy, " ", x.failures)
		for i := range x.seconds {
			near(t, what, w.seconds[i], x.seconds[i])
		}
		if d := cmp.Diff(x.mixed, w.mixed); d != "" {
			t.Errorf("%s: %s", what, d)
		}
		if got := strings.Join(kinds, " "); !strings.HasPrefix(got, x.kinds) {
			t.Errorf("%s: events %s, want %s", what, got, x.kinds)
		}
		conserved(t, r)
	}
}

// A clique starts half a second after its first member is ready, with whom it has.
func TestLateMembersAreLeft(t *testing.T) {
	top := path([]float64{0}, 0, 0, 0)
	w := &witness{}
	r := run(t, Options{Topology: top, Capability: capability(t, top, network.LevelUnicast), Schedule: cliques(3, [][]int{{0, 1, 2}}), StepTime: 1,
		Slow: []float64{1, 1, 3}, Barrier: BarrierClique, Waiting: 0.5, Rounds: 2, Learner: w})
	if d := cmp.Diff([]string{"[[0 1]]", "[[0 1]]"}, w.mixed); d != "" {
		t.Error(d)
	}
	for i, want := range []float64{3, 6} { // the slow island ends its rounds on its own
		near(t, "round", w.seconds[i], want)
	}
	if r.Disturbed.Late != 2 || r.Islands[2].Skipped != 2 || r.Islands[0].Skipped != 0 {
		t.Errorf("late %d, skipped %d and %d", r.Disturbed.Late, r.Islands[2].Skipped, r.Islands[0].Skipped)
	}
	near(t, "waited", r.Islands[0].Wait, 1) // half a second in each round
	if d := cmp.Diff([]WaitedFor{{"i0", "i2", 1}, {"i1", "i2", 1}}, r.Waits); d != "" {
		t.Error(d)
	}
}

// Rotating cliques lose less to a straggler than one clique of all when cliques wait for their own members only: an
// island pays for the straggler when they meet, and for everybody who met it since. Four islands and no payload: 0-1 and
// 2-3 meet, then 0-2 and 1-3; a step takes island 0 two seconds and the others one.
func TestStragglerUnderBarriers(t *testing.T) {
	top := path([]float64{0}, 0, 0, 1, 1)
	base := Options{Topology: top, Capability: capability(t, top, network.LevelUnicast), StepTime: 1, Slow: []float64{2, 1, 1, 1}, Barrier: BarrierClique}
	base.Schedule = cliques(4, [][]int{{0, 1}, {2, 3}}, [][]int{{0, 2}, {1, 3}})
	w := &witness{}
	base.Learner, base.Rounds = w, 2
	r := run(t, base)
	// Round 1: 0 and 1 end at 2, 2 and 3 at 1. Round 2: 0 ready at 4, 1 at 3, 2 and 3 at 2: pairs end at 4 and 3.
	near(t, "round 1", w.seconds[0], 2)
	near(t, "round 2", w.seconds[1], 4)
	near(t, "island 3", r.Islands[3].Compute+r.Islands[3].Wait, 3)
	waits := 0.0
	for _, x := range r.Waits {
		waits += x.Seconds
	}
	near(t, "waiting of all", waits, 1+2+1) // 1 for 0, then 2 for 0, then 3 for 1

	base.Schedule, base.Learner = cliques(4, [][]int{{0, 1, 2, 3}}), nil
	r = run(t, base)
	waits = 0
	for _, x := range r.Islands {
		waits += x.Wait
	}
	near(t, "waiting of all under one clique", waits, 3+3)
}

// Barrier round: an island outside all cliques waits for the round, and a clique for the slower one.
func TestBarrierRoundWaits(t *testing.T) {
	top := path([]float64{0.25, 0.5}, 0, 1, 2, 0)
	o := Options{Topology: top, Capability: capability(t, top, network.LevelUnicast), Schedule: cliques(4, [][]int{{0, 1}}), Rounds: 2, StepTime: 1, Slow: []float64{1, 2, 1, 1}}
	r := run(t, o)
	near(t, "seconds", r.Seconds, 4.5)
	want := []IslandTime{{"i0", 2, 2, 0.5, 2, 0}, {"i1", 4, 0, 0.5, 2, 0}, {"i2", 2, 2.5, 0, 2, 0}, {"i3", 2, 2.5, 0, 2, 0}}
	if d := cmp.Diff(want, r.Islands); d != "" {
		t.Error(d)
	}
	near(t, "computing", r.Utilization.Compute, (2+4+2+2)/4.5/4)
}

// Jitter has mean 1 and the deviation asked for: over 4,000 rounds of an island that meets nobody, within five standard
// errors.
func TestJitter(t *testing.T) {
	top := path(nil, 0)
	w := &witness{}
	o := Options{Topology: top, Capability: capability(t, top, network.LevelUnicast), Schedule: cliques(1, nil), Rounds: 4000, StepTime: 1, Jitter: 0.5, Seed: 7, Learner: w}
	run(t, o)
	mean, square, last := 0.0, 0.0, 0.0
	for _, s := range w.seconds {
		mean += (s - last) / 4000
		square += (s - last) * (s - last) / 4000
		last = s
	}
	if d := mean - 1; math.Abs(d) > 5*0.5/math.Sqrt(4000) {
		t.Errorf("mean %g", mean)
	}
	if v := math.Sqrt(square - mean*mean); math.Abs(v-0.5) > 0.06 {
		t.Errorf("deviation %g", v)
	}
	again := &witness{}
	o.Learner = again
	run(t, o)
	if d := cmp.Diff(w.seconds, again.seconds); d != "" {
		t.Error("equal seeds differ")
	}
}

// Whatever fails, with whatever policy: the simulation ends, every island ends every round, routers conserve bytes, and
// what was averaged is a refinement of what was scheduled.
func TestNothingHangsAndNothingIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		o.Collective.Payload = 1e8
		o.Rounds = rapid.IntRange(1, 4).Draw(t, "rounds")
		o.StepTime, o.Jitter, o.Seed = 0.1, 0.3, 1
		o.Barrier = rapid.SampledFrom([]string{BarrierRound, BarrierClique}).Draw(t, "barrier")
		o.Sharing = rapid.SampledFrom([]string{SharingCommon, SharingFair}).Draw(t, "sharing")
		o.CutOff = rapid.SampledFrom([]string{CutWait, CutSkip, CutReform}).Draw(t, "policy")
		o.Pieces = rapid.IntRange(0, 2).Draw(t, "pieces")
		o.Overlap = rapid.Bool().Draw(t, "overlap")
		o.Reroute = rapid.SampledFrom([]float64{0, 0.3}).Draw(t, "reroute")
		o.Collective.Limits.Contexts = rapid.SampledFrom([]int{0, 1, 3}).Draw(t, "contexts")
		if o.Barrier == BarrierClique {
			o.Waiting = rapid.SampledFrom([]float64{0, 0.05}).Draw(t, "waiting")
			o.Delay = rapid.IntRange(0, 2).Draw(t, "delay")
			if o.Sharing == SharingCommon && o.Pieces == 0 && rapid.Bool().Draw(t, "ahead") {
				o.SendAhead, o.Buffer = true, rapid.SampledFrom([]float64{0, 1e6, 5e7}).Draw(t, "buffer")
			}
		}
		for l := range o.Topology.Links {
			if rapid.Bool().Draw(t, "fails") {
				from := float64(rapid.IntRange(0, 8).Draw(t, "from")) / 4
				o.Failures = append(o.Failures, Failure{l, from, rapid.SampledFrom([]float64{0, from + 0.2, from + 2}).Draw(t, "to")})
			}
			if rapid.IntRange(0, 3).Draw(t, "stops") == 0 {
				o.Bandwidth = append(o.Bandwidth, Change{rapid.Float64Range(0, 2).Draw(t, "at"), l, rapid.SampledFrom([]float64{0, 1e8}).Draw(t, "rate")})
			}
		}
		w := &witness{}
		o.Learner = w
		s, err := newSim(context.Background(), &o)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.run(); err != nil {
			t.Fatal(err)
		}
		s.finish()
		r := s.result
		for v := range s.held {
			if math.Abs(s.held[v]) > 1e-3 || s.merging[v] != 0 {
				t.Fatalf("router %d still holds %g bytes and %d contexts", v, s.held[v], s.merging[v])
			}
		}
		if len(s.rounds)+len(s.transfers)+len(s.queued)+len(s.cut)+len(s.fluid.flows) > 0 {
			t.Fatalf("left over: %d rounds, %d transfers, %d queued, %d cut, %d flows", len(s.rounds), len(s.transfers), len(s.queued), len(s.cut), len(s.fluid.flows))
		}
		if r.Rounds != o.Rounds || len(w.mixed) != o.Rounds {
			t.Fatalf("%d of %d rounds", r.Rounds, o.Rounds)
		}
		for _, x := range r.Islands {
			if x.Rounds != o.Rounds {
				t.Fatalf("island %s ended %d of %d rounds", x.Island, x.Rounds, o.Rounds)
			}
		}
		conserved(t, r)
	})
}

// A trace is valid JSON of the Trace Event Format; its spans of an island do not overlap and cover its time.
func TestChromeTrace(t *testing.T) {
	var buf bytes.Buffer
	o := options(t)
	trace := NewChrome(&buf, o.Topology)
	o.Tracer, o.StepTime, o.Rounds, o.Slow = trace, 0.5, 3, []float64{1, 2}
	r := run(t, o)
	if err := trace.Close(); err != nil {
		t.Fatal(err)
	}
	var events []struct {
		Name     string
		Ph       string
		Pid, Tid int
		Ts, Dur  float64
		Args     map[string]any
	}
	if err := json.Unmarshal(buf.Bytes(), &events); err != nil {
		t.Fatalf("%v in %s", err, buf.String())
	}
	ends, sum, counters := map[int]float64{}, map[int]float64{}, 0
	for _, e := range events {
		switch e.Ph {
		case "X":
			if e.Ts < ends[e.Tid]-0.01 {
				t.Errorf("%s of island %d begins at %g µs, before %g", e.Name, e.Tid, e.Ts, ends[e.Tid])
			}
			ends[e.Tid] = e.Ts + e.Dur
			sum[e.Tid] += e.Dur
		case "C":
			counters++
		}
	}
	for i := range 2 {
		near(t, "covered", sum[i]/1e6, r.Seconds)
	}
	if counters != 6 { // up and down in each round, in the direction that is used
		t.Errorf("%d counter events", counters)
	}
}

// Interrupted work says what it has.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := options(t)
	o.StepTime, o.Rounds = 0.5, 1_000_000
	o.Progress = func(done, _ int) {
		if done == 500 {
			cancel()
		}
	}
	r, err := Run(ctx, o)
	if !errors.Is(err, context.Canceled) || r.Rounds < 500 || r.Rounds > 1500 {
		t.Fatalf("%v after %d rounds", err, r.Rounds)
	}
	near(t, "seconds", r.Seconds, 1.51*float64(r.Rounds))
}

func TestOptionsAreChecked(t *testing.T) {
	for want, set := range map[string]func(o *Options){
		"3 nodes, the topology 2":             func(o *Options) { o.Schedule = cliques(3, nil) },
		`did you mean "clique"`:               func(o *Options) { o.Barrier = "cliques" },
		"known: re-form, skip":                func(o *Options) { o.CutOff = "give up" },
		"step time of -1":                     func(o *Options) { o.StepTime = -1 },
		"use barrier clique":                  func(o *Options) { o.Waiting = 1 },
		"fails at 2 s and is repaired at 1 s": func(o *Options) { o.Failures = []Failure{{0, 2, 1}} },
		"r0-r1 fails at 1e+13 s":              func(o *Options) { o.Failures = []Failure{{Link: 0, From: 1e13}} },
		"-2 rounds, want":                     func(o *Options) { o.Rounds = -2 },
		"^limit contexts":                     func(o *Options) { o.Collective.Limits.Contexts = -1 },
		"island i1 is 0 times":                func(o *Options) { o.Slow = []float64{1, 0} },
		"link 7":                              func(o *Options) { o.Bandwidth = []Change{{1, 7, 1}} },
		"from router r0 to itself":            func(o *Options) { o.Background = []Traffic{{0, 0, 1}} },
		"loss of NaN":                         func(o *Options) { o.Loss = math.NaN() },
	} {
		o := options(t)
		set(&o)
		if _, err := Run(context.Background(), o); err == nil || !strings.Contains("^"+err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// The memory of a simulation does not grow with its rounds: what is open, planned and asked for stays as it is, and the
// result is bounded.
func TestMemoryDoesNotGrow(t *testing.T) {
	top := load(t, "nine-city")
	for _, line := range []string{"rotating-cliques:k=3", "random-cliques:k=3"} {
		s, err := schedule.Load(line, schedule.Options{Nodes: top.IslandNames()})
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Topology: top, Capability: capability(t, top, network.LevelBoth), Schedule: s, Rounds: 3000, StepTime: 0.1, Jitter: 0.5,
			Barrier: BarrierClique, Collective: collective.Options{Payload: 1e8, Collective: collective.Sharded}}
		sim, err := newSim(context.Background(), &o)
		if err != nil {
			t.Fatal(err)
		}
		rounds, events, plans := 0, 0, 0
		o.Progress = func(int, int) {
			rounds, events, plans = max(rounds, len(sim.rounds)), max(events, len(sim.queue.heap)), max(plans, len(sim.planner.intact.rounds))
		}
		if err := sim.run(); err != nil {
			t.Fatal(err)
		}
		sim.finish()
		if rounds > 40 || events > 40 || plans > 40+s.Period() || len(sim.result.Events) > 2*MaxEvents || len(sim.result.Waits) > 81 {
			t.Errorf("%s: up to %d open rounds, %d events, %d plans; %d events and %d waits in the result", line, rounds, events, plans, len(sim.result.Events), len(sim.result.Waits))
		}
	}
}
