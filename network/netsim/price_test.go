package netsim

import (
	"context"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/schedule"
)

func load(t testing.TB, arg string) *network.Topology {
	t.Helper()
	top, err := network.Load(arg)
	if err != nil {
		t.Fatal(err)
	}
	return top
}

func capability(t testing.TB, top *network.Topology, level string) network.Capability {
	t.Helper()
	c, err := top.Capability(level)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func run(t testing.TB, o Options) *Result {
	t.Helper()
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func near(t testing.TB, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
		t.Errorf("%s: %.12g, want %.12g", what, got, want)
	}
}

// The nine cities, every capability and collective: one round takes what the price says, and every arc carries the
// bytes that it says. NETWORK.md and the tests of package collective hold the prices themselves.
func TestAgreesWithPriceOnNineCities(t *testing.T) {
	top := load(t, "nine-city")
	names := top.IslandNames()
	for _, line := range []string{"AMS,BAR,FRA,LAX,LON,NYC,SEO,SIN,TYO", "AMS,FRA,LON|BAR,LAX,NYC|SEO,SIN,TYO", "AMS,LAX,SIN|BAR,NYC,SEO|FRA,LON,TYO", "AMS,BAR"} {
		s, err := schedule.ParseCliques(line, schedule.Options{Nodes: names})
		if err != nil {
			t.Fatal(err)
		}
		for _, level := range []string{"unicast", "multicast", "aggregation", "both"} {
			for _, name := range collective.Collectives() {
				o := collective.Options{Payload: 1e9, Collective: name}
				agree(t, fmt.Sprint(line, " ", level, " ", name), Options{Topology: top, Capability: capability(t, top, level), Schedule: s, Collective: o})
			}
		}
	}
}

func agree(t interface {
	Fatal(...any)
	Fatalf(string, ...any)
}, what string, o Options) {
	p, err := collective.NewPricer(o.Topology, o.Capability, o.Collective)
	if err != nil {
		t.Fatal(err)
	}
	price, err := p.Round(&o.Schedule.Rounds[0])
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(r.Seconds-price.Seconds) > 1e-6*price.Seconds {
		t.Fatalf("%s: %.10g s, the price says %.10g", what, r.Seconds, price.Seconds)
	}
	if cut := price.LowerBound.Cut; cut != nil && r.Seconds < *cut*(1-1e-9) {
		t.Fatalf("%s: %g s beats the cut bound %g", what, r.Seconds, *cut)
	}
	bytes := map[string]float64{}
	for _, l := range r.Links {
		bytes[l.From+" "+l.To+" "+l.Kind] = l.Bytes
	}
	for _, l := range price.Links {
		if got := bytes[l.From+" "+l.To+" "+l.Kind]; math.Abs(got-l.Bytes) > 1e-6*o.Collective.Payload {
			t.Fatalf("%s: %s to %s carried %g bytes, the price says %g", what, l.From, l.To, got, l.Bytes)
		}
	}
	conserved(t, r)
}

// conserved checks that routers neither make nor lose bytes.
func conserved(t interface{ Fatalf(string, ...any) }, r *Result) {
	for _, p := range r.Routers {
		if d := p.In + p.Copied - p.Out - p.Merged - p.Dropped; math.Abs(d) > 1e-9*(p.In+p.Out) {
			t.Fatalf("router %s: in %g + copied %g - out %g - merged %g - dropped %g = %g", p.Router, p.In, p.Copied, p.Out, p.Merged, p.Dropped, d)
		}
		if min(p.In, p.Out, p.Copied, p.Merged, p.Dropped) < -1e-9*(p.In+p.Out) {
			t.Fatalf("router %s: negative bytes in %+v", p.Router, p)
		}
	}
}

// drawOptions draws a network with an island or two at most routers, unequal bandwidths and latencies, any routers
// capable, and a round of cliques or pairs on it.
func drawOptions(t *rapid.T) Options {
	n := rapid.IntRange(2, 6).Draw(t, "routers")
	top := &network.Topology{Name: "random"}
	o := Options{Topology: top}
	bandwidth := rapid.SampledFrom([]float64{1e9, 2e9, 10e9})
	for i := range n {
		top.Routers = append(top.Routers, network.Router{ID: fmt.Sprint("r", i)})
		o.Capability.Multicast = append(o.Capability.Multicast, rapid.Bool().Draw(t, "multicast"))
		o.Capability.Aggregation = append(o.Capability.Aggregation, rapid.Bool().Draw(t, "aggregation"))
		for range rapid.SampledFrom([]int{0, 1, 1, 2}).Draw(t, "islands") {
			top.Islands = append(top.Islands, network.Island{ID: fmt.Sprint("i", len(top.Islands)), Router: i,
				Egress: bandwidth.Draw(t, "egress"), Ingress: bandwidth.Draw(t, "ingress")})
		}
	}
	for b := 1; b < n; b++ {
		up := rapid.IntRange(0, b-1).Draw(t, "up")
		for a := range b {
			if a == up || rapid.IntRange(0, 2).Draw(t, "chord") == 0 {
				top.Links = append(top.Links, network.Link{A: a, B: b, Bandwidth: bandwidth.Draw(t, "bandwidth"),
					Latency: float64(rapid.IntRange(0, 3).Draw(t, "ms")) / 1e3})
			}
		}
	}
	for len(top.Islands) < 2 {
		top.Islands = append(top.Islands, network.Island{ID: fmt.Sprint("i", len(top.Islands)), Router: 0, Egress: 1e9, Ingress: 1e9})
	}
	k := len(top.Islands)
	r := schedule.Round{LocalSteps: 1}
	if rapid.Bool().Draw(t, "pairs") {
		for i := range k {
			for j := range k {
				if i != j && rapid.IntRange(0, 2).Draw(t, "pair") == 0 {
					r.Entries = append(r.Entries, schedule.Edge{I: i, J: j, Weight: 0.1})
				}
			}
		}
	} else {
		colors := make([][]int, 3)
		for i := range k {
			c := rapid.IntRange(0, 2).Draw(t, "clique")
			colors[c] = append(colors[c], i)
		}
		for _, c := range colors {
			if len(c) > 0 {
				r.Cliques = append(r.Cliques, c)
			}
		}
	}
	o.Schedule = &schedule.Schedule{Name: "random", N: k, Rounds: []schedule.Round{r}}
	o.Collective.Payload = rapid.SampledFrom([]float64{0, 1e6, 1e9}).Draw(t, "payload")
	return o
}

// On random networks too, with limits that both sides know: header overhead, FEC, wider integer sums, windows of
// connections, aggregators that take in only so much.
func TestAgreesWithPriceOnRandomNetworks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		pairs := len(o.Schedule.Rounds[0].Entries) > 0
		if !pairs {
			o.Collective.Collective = rapid.SampledFrom(collective.Collectives()).Draw(t, "collective")
		}
		packed := o.Collective.Collective == collective.Packed || o.Collective.Collective == collective.ShardedOptimal
		l := &o.Collective.Limits
		if rapid.Bool().Draw(t, "limits") {
			l.Header, l.Ingest = 40, 3e9
			if !packed {
				l.Window = rapid.SampledFrom([]float64{0, 1e6}).Draw(t, "window")
			}
			if !packed {
				l.IntegerBits, l.FECPackets, l.FECRepair = 8, 20, 2
			}
		}
		agree(t, fmt.Sprint("collective ", o.Collective.Collective), o)
	})
}

// However the network is shared, no round beats any lower bound (cut, partition, egress, packing), and routers conserve
// bytes.
func TestNoRoundBeatsALowerBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		o.Sharing = SharingFair
		o.Pieces = rapid.IntRange(0, 3).Draw(t, "pieces")
		o.Barrier = rapid.SampledFrom([]string{BarrierRound, BarrierClique}).Draw(t, "barrier")
		o.Loss = rapid.SampledFrom([]float64{0, 0.01}).Draw(t, "loss")
		o.Collective.Bounds = true
		p, err := collective.NewPricer(o.Topology, o.Capability, o.Collective)
		if err != nil {
			t.Fatal(err)
		}
		price, err := p.Round(&o.Schedule.Rounds[0])
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		if bound := price.LowerBound.Seconds(); r.Seconds < bound*(1-1e-9) {
			t.Fatalf("%g s beats the lower bound %g of %+v", r.Seconds, bound, price.LowerBound)
		}
		conserved(t, r)
	})
}

// On a large network each clique chooses alone: one clique takes its price, several take at least that of their round.
func TestLargeNetworksPlanCliqueByClique(t *testing.T) {
	top := load(t, "star:n=40,bandwidth=8Gbps,latency=1ms")
	o := Options{Topology: top, Capability: capability(t, top, network.LevelUnicast), Collective: collective.Options{Payload: 1e9}}
	o.Schedule = &schedule.Schedule{Name: "three", N: 40, Rounds: []schedule.Round{{LocalSteps: 1, Cliques: [][]int{{3, 7, 21}}}}}
	agree(t, "one clique", o)
	var cliques [][]int
	for i := 0; i < 40; i += 2 {
		cliques = append(cliques, []int{39 - i, 38 - i}) // not in island order
	}
	o.Schedule = &schedule.Schedule{Name: "pairs", N: 40, Rounds: []schedule.Round{{LocalSteps: 1, Cliques: cliques}}}
	r := run(t, o)
	near(t, "pairs on a star", r.Seconds, 1+0.002) // each exchanges over links of its own
	if len(r.Warnings) != 1 {
		t.Errorf("warnings %q", r.Warnings)
	}
}
