package netsim

import (
	"fmt"
	"testing"

	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/schedule"
)

// c is the bandwidth of these tests in bit/s, and gb a payload that takes a second at it.
const (
	c  = 8e9
	gb = 1e9
)

// path is a chain of routers with links of bandwidth c and the given latencies; islands lists the router of each, with
// access links that never matter.
func path(latencies []float64, islands ...int) *network.Topology {
	t := &network.Topology{Name: "path", Routers: []network.Router{{ID: "r0"}}}
	for i, l := range latencies {
		t.Routers = append(t.Routers, network.Router{ID: fmt.Sprint("r", i+1)})
		t.Links = append(t.Links, network.Link{A: i, B: i + 1, Bandwidth: c, Latency: l})
	}
	for i, r := range islands {
		t.Islands = append(t.Islands, network.Island{ID: fmt.Sprint("i", i), Router: r, Egress: 1e15, Ingress: 1e15})
	}
	return t
}

// sends is a schedule of one round in which payloads go from island to island.
func sends(n int, pairs ...[2]int) *schedule.Schedule {
	r := schedule.Round{LocalSteps: 1}
	for _, p := range pairs {
		r.Entries = append(r.Entries, schedule.Edge{I: p[1], J: p[0], Weight: 0.5})
	}
	return &schedule.Schedule{Name: "pairs", N: n, Rounds: []schedule.Round{r}}
}

// options sends one payload of 1 GB over one link of latency 10 ms.
func options(t *testing.T) Options {
	top := path([]float64{0.01}, 0, 1)
	return Options{Topology: top, Capability: capability(t, top, network.LevelUnicast), Schedule: sends(2, [2]int{0, 1}),
		Collective: collective.Options{Payload: gb}}
}

// twoPairs sends two payloads over one link, between two pairs of islands that have nothing to do with one another.
func twoPairs(t *testing.T) Options {
	o := options(t)
	o.Topology = path([]float64{0.01}, 0, 0, 1, 1)
	o.Schedule = sends(4, [2]int{0, 2}, [2]int{1, 3})
	return o
}

func TestClosedForms(t *testing.T) {
	for _, x := range []struct {
		name string
		set  func(o *Options)
		want float64
	}{
		{"one link", func(*Options) {}, 1 + 0.01},
		{"two flows share it", func(o *Options) { *o = twoPairs(t) }, 2 + 0.01},
		{"two flows share it fairly", func(o *Options) { *o = twoPairs(t); o.Sharing = SharingFair }, 2 + 0.01},
		{"three hops of 10 ms for one byte", func(o *Options) {
			o.Topology = path([]float64{0.01, 0.01, 0.01}, 0, 3)
			o.Capability = capability(t, o.Topology, network.LevelUnicast)
			o.Collective.Payload = 1
		}, 0.03 + 8/c},
		// SimGrid 3.32, model CM02: 100 MB over 125e6 B/s and 50 ms take 2.434 s, since its window of 4 MiB binds.
		{"a window of 4 MiB", func(o *Options) {
			o.Topology.Links[0].Bandwidth, o.Topology.Links[0].Latency = 8*125e6, 0.05
			o.Collective.Payload, o.Collective.Limits.Window = 100e6, 4<<20
		}, 0.05 + 100e6/(4<<20/0.1)},
		{"a window that binds one of two flows", func(o *Options) { // 0.25 GB/s for i0; the other takes what is left
			*o = twoPairs(t)
			o.Topology.Links = append(o.Topology.Links, network.Link{A: 1, B: 2, Bandwidth: 10 * c, Latency: 0.01})
			o.Topology.Routers = append(o.Topology.Routers, network.Router{ID: "r2"})
			o.Capability = capability(t, o.Topology, network.LevelUnicast)
			o.Topology.Islands[2].Router = 2
			o.Sharing, o.Collective.Limits.Window = SharingFair, 0.25*gb*0.04
		}, 4 + 0.02},
		{"loss", func(o *Options) { o.Loss = 0.2 }, 1/0.8 + 0.01 + 2*0.01},
		{"loss on two hops", func(o *Options) {
			o.Topology = path([]float64{0.01, 0.01}, 0, 2)
			o.Capability = capability(t, o.Topology, network.LevelUnicast)
			o.Loss = 0.2
		}, 1/0.64 + 3*0.02},
		{"background traffic", func(o *Options) { o.Background = []Traffic{{0, 1, c / 4}} }, 4./3 + 0.01},
		{"background the other way", func(o *Options) { o.Background = []Traffic{{1, 0, c / 4}} }, 1 + 0.01},
		{"bandwidth halves", func(o *Options) { o.Bandwidth = []Change{{0.25, 0, c / 2}} }, 0.25 + 1.5 + 0.01},
		{"bandwidth stops and comes back", func(o *Options) {
			o.Bandwidth = []Change{{0.25, 0, 0}, {2, 0, c}}
		}, 2.75 + 0.01},
		{"a link fails and is repaired", func(o *Options) { o.Failures = []Failure{{0, 0.5, 3}} }, 3.5 + 0.01},
		{"a link fails, and there is a way round", func(o *Options) {
			triangle(t, o)
			o.Failures, o.Reroute = []Failure{{Link: 0, From: 0.5}}, 0.1
		}, 0.5 + 0.1 + 0.5 + 0.04},
		{"a repair before the detour", func(o *Options) {
			triangle(t, o)
			o.Failures, o.Reroute = []Failure{{0, 0.5, 0.6}}, 0.2
		}, 1.1 + 0.01},
		{"a link that is down from the start", func(o *Options) {
			triangle(t, o)
			o.Failures, o.StepTime = []Failure{{Link: 0}}, 0.1
		}, 0.1 + 1 + 0.04},
		{"computation", func(o *Options) { o.StepTime, o.Schedule.Rounds[0].LocalSteps = 0.5, 3 }, 1.5 + 1.01},
		{"overlap, network the longer", func(o *Options) { o.StepTime, o.Overlap = 0.5, true }, 1.01},
		{"overlap, computation the longer", func(o *Options) { o.StepTime, o.Overlap = 2.5, true }, 2.5},
		{"ten rounds", func(o *Options) { o.StepTime, o.Rounds = 0.5, 10 }, 15.1},
		{"a straggler", func(o *Options) { o.StepTime, o.Slow, o.Rounds = 0.5, []float64{1, 3}, 2 }, 5.02},
	} {
		t.Run(x.name, func(t *testing.T) {
			o := options(t)
			x.set(&o)
			r := run(t, o)
			near(t, "seconds", r.Seconds, x.want)
			conserved(t, r)
		})
	}
}

// triangle adds a detour of 40 ms.
func triangle(t *testing.T, o *Options) {
	o.Topology.Routers = append(o.Topology.Routers, network.Router{ID: "r2"})
	o.Topology.Links = append(o.Topology.Links, network.Link{A: 0, B: 2, Bandwidth: c, Latency: 0.02}, network.Link{A: 2, B: 1, Bandwidth: c, Latency: 0.02})
	o.Capability = capability(t, o.Topology, network.LevelUnicast)
}

// priced is what the closed form says: everybody is ready with the last, then the price.
func priced(t *testing.T, o Options) float64 {
	t.Helper()
	p, err := collective.NewPricer(o.Topology, o.Capability, o.Collective)
	if err != nil {
		t.Fatal(err)
	}
	price, err := p.Round(&o.Schedule.Rounds[0])
	if err != nil {
		t.Fatal(err)
	}
	slowest := 1.0
	for _, f := range o.Slow {
		slowest = max(slowest, f)
	}
	return slowest*o.StepTime*float64(o.Schedule.Rounds[0].LocalSteps) + price.Seconds
}

// The closed form knows one start, no buffer and no failure: it is wrong about each of these rounds, by these seconds.
func TestWhatThePriceCannotSay(t *testing.T) {
	starts := twoPairs(t)
	starts.StepTime, starts.Slow, starts.Barrier = 0.5, []float64{1, 2, 1, 2}, BarrierClique
	buffer := fullBuffer(0.3)
	failure := options(t)
	triangle(t, &failure)
	failure.Failures = []Failure{{Link: 0, From: 0.5}}
	for _, x := range []struct {
		name      string
		o         Options
		simulated float64
		price     float64
	}{
		{"unequal starts, and a flow that ends early", starts, 1 + 1.5 + 0.01, 1 + 2 + 0.01},
		{"a full buffer", buffer, 2 + 0.4 + 1.4 + 0.02, 2 + 2 + 0.02},
		{"a failed link", failure, 1 + 0.04, 1 + 0.01},
	} {
		near(t, x.name, run(t, x.o).Seconds, x.simulated)
		near(t, x.name+", price", priced(t, x.o), x.price)
	}
}

// A pair starts half a second after the other and shares its link. By hand: alone for 0.5 s, then half each until the
// first ends at 1.5 s, then alone again until 2 s. The price knows one start: 2 s after each.
func TestUnequalStarts(t *testing.T) {
	for _, sharing := range []string{SharingCommon, SharingFair} {
		o := twoPairs(t)
		o.StepTime, o.Slow, o.Barrier, o.Sharing = 0.5, []float64{1, 2, 1, 2}, BarrierClique, sharing
		r := run(t, o)
		for _, want := range []struct {
			island string
			ends   float64
		}{{"i0", 2.01}, {"i1", 2.51}} {
			for _, x := range r.Islands {
				if x.Island == want.island {
					near(t, sharing+" "+want.island, x.Compute+x.Wait+x.Communicate, want.ends)
				}
			}
		}
		near(t, "end", r.Seconds, 2.51)
	}
}

// Stages that follow one another in K pieces take (K+1)/K of what the longer takes, where a pipeline takes it once. A
// star with hub router summing and copying: reduction and broadcast use different directions.
func TestPieces(t *testing.T) {
	top := load(t, "star:n=4,bandwidth=8Gbps,latency=10ms")
	o := Options{Topology: top, Capability: capability(t, top, network.LevelBoth),
		Schedule:   &schedule.Schedule{Name: "all", N: 4, Rounds: []schedule.Round{{LocalSteps: 1, Cliques: [][]int{{0, 1, 2, 3}}}}},
		Collective: collective.Options{Payload: gb, Collective: collective.Hub}}
	near(t, "pipeline", run(t, o).Seconds, 1+0.02)
	for _, k := range []int{1, 2, 10} {
		for _, o.Sharing = range []string{SharingCommon, SharingFair} {
			o.Pieces = k
			near(t, fmt.Sprint(k, " pieces, ", o.Sharing), run(t, o).Seconds, float64(k+1)/float64(k)+0.02)
		}
	}
}

// An aggregator with one context merges one tree at a time: the second clique waits, although it shares no arc with the
// first. The price of such a round cannot use the aggregator at all.
func TestContexts(t *testing.T) {
	top := load(t, "star:n=4,bandwidth=8Gbps,latency=10ms")
	o := Options{Topology: top, Capability: capability(t, top, network.LevelBoth), Barrier: BarrierClique,
		Schedule:   &schedule.Schedule{Name: "two", N: 4, Rounds: []schedule.Round{{LocalSteps: 1, Cliques: [][]int{{0, 1}}}, {LocalSteps: 1, Cliques: [][]int{{2, 3}}}}},
		Collective: collective.Options{Payload: gb, Collective: collective.Hub}, Rounds: 2}
	near(t, "without limit", run(t, o).Seconds, 1+0.02)
	for i := range top.Routers {
		top.Routers[i].Aggregation = &network.Aggregation{Contexts: 1}
	}
	r := run(t, o)
	near(t, "one context", r.Seconds, 2+0.02)
	conserved(t, r)
}

// Every aggregator adds its delay once, on the way in.
func TestMergeDelay(t *testing.T) {
	top := load(t, "star:n=4,bandwidth=8Gbps,latency=10ms")
	o := Options{Topology: top, Capability: capability(t, top, network.LevelBoth), MergeDelay: 0.25,
		Schedule:   &schedule.Schedule{Name: "all", N: 4, Rounds: []schedule.Round{{LocalSteps: 1, Cliques: [][]int{{0, 1, 2, 3}}}}},
		Collective: collective.Options{Payload: gb, Collective: collective.Hub}}
	near(t, "seconds", run(t, o).Seconds, 1+0.02+0.25)
}

// A multicast whose repair packets cover the loss is as long as they make it; one that they do not cover sends again.
func TestForwardErrorCorrection(t *testing.T) {
	top := path([]float64{0.01, 0.01}, 0, 1, 2)
	o := Options{Topology: top, Capability: capability(t, top, network.LevelMulticast), Loss: 0.1,
		Schedule: sends(3, [2]int{0, 1}, [2]int{0, 2}), Collective: collective.Options{Payload: gb}}
	o.Collective.Limits = collective.Limits{FECPackets: 4, FECRepair: 1}
	r := run(t, o)
	near(t, "covered", r.Seconds, 4./3+0.02) // two hops lose 19 %
	conserved(t, r)
	o.Collective.Limits = collective.Limits{FECPackets: 10, FECRepair: 1}
	r = run(t, o)
	near(t, "not covered", r.Seconds, 10./9/0.9+0.02+2*0.02)
	conserved(t, r)
}

// A full buffer. i0 and i1 send to i2 over r0-r1 (8 Gbps) and r1-r2 (6 Gbps), summed at r1; i1 is ready a second after
// the others. Meanwhile i0 sends the share w of its payload that r1 can hold. Then i1 sends alone, as fast as r1-r2
// takes the sums, until it has caught up: w · 4/3 s; what is left takes both over r0-r1: (1-w) · 2 s. The price has 2 s
// whatever the buffer.
func TestFullBuffer(t *testing.T) {
	o := fullBuffer(0)
	top := o.Topology
	o.SendAhead = false
	near(t, "nobody ahead", run(t, o).Seconds, 2+2+0.02)
	o.SendAhead = true
	for _, w := range []float64{0.3, 0.9, 1} {
		o.Buffer = w * gb
		r := run(t, o)
		near(t, fmt.Sprint("share ", w), r.Seconds, 2+w*4/3+(1-w)*2+0.02)
		conserved(t, r)
		for _, l := range r.Links {
			if l.From == "r0" && l.To == "r1" {
				near(t, "bytes", l.Bytes, 2*gb)
			}
		}
	}
	o.Buffer = 0
	near(t, "no limit", run(t, o).Seconds, 2+4./3+0.02)
	top.Routers[1].Aggregation = &network.Aggregation{Buffer: gb / 2}
	near(t, "the router's own", run(t, o).Seconds, 2+2./3+1+0.02)
}

// Averages that may be a round late, over a link that takes nothing but latency: what takes less than a round is hidden,
// and of 2 s only every other round waits. By hand: rounds of 0.5 s end at 0.5, 2, 2.5, 4 s.
func TestDelay(t *testing.T) {
	for _, x := range []struct {
		latency float64
		delay   int
		want    []float64
	}{
		{0.5, 1, []float64{0.5, 1, 1.5, 2}},
		{2, 1, []float64{0.5, 2, 2.5, 4}},
		{2, 3, []float64{0.5, 1, 1.5, 2}},
	} {
		o := options(t)
		w := &witness{}
		o.Topology.Links[0].Latency, o.Collective.Payload = x.latency, 0
		o.StepTime, o.Barrier, o.Delay, o.Rounds, o.Learner = 0.5, BarrierClique, x.delay, 4, w
		run(t, o)
		for i, want := range x.want {
			near(t, fmt.Sprint(x.latency, " s, delay ", x.delay), w.seconds[i], want)
		}
	}
}

func fullBuffer(share float64) Options {
	top := path([]float64{0.01, 0.01}, 0, 0, 2)
	top.Links[1].Bandwidth = 0.75 * c
	return Options{Topology: top, Schedule: sends(3, [2]int{0, 2}, [2]int{1, 2}), Collective: collective.Options{Payload: gb},
		Capability: network.Capability{Multicast: make([]bool, 3), Aggregation: []bool{false, true, false}},
		Barrier:    BarrierClique, StepTime: 1, Slow: []float64{1, 2, 1}, SendAhead: true, Buffer: share * gb}
}
