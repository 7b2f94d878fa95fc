package collective

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/schedule"
)

func everyone(top *network.Topology) [][]int {
	var all []int
	for i := range top.Islands {
		all = append(all, i)
	}
	return [][]int{all}
}

// Each limit against its closed form. S/c is 0.8 s for 1 GB at 10 Gbps.
func TestLimitsClosedForms(t *testing.T) {
	const unit = 0.8
	for _, c := range []struct {
		name, topology, level, collective string
		payload                           float64
		limits                            Limits
		bandwidth, latency                float64
		bottleneck                        string
	}{
		// The router in the middle takes in four payloads: 4 S/φ when that is above S/c.
		{"fast aggregator", "star:n=4", "both", Hub, 1e9, Limits{Ingest: 100e9}, unit, 0.020, "egress"},
		{"slow aggregator", "star:n=4", "both", Hub, 1e9, Limits{Ingest: 24e9}, 3 * 8. / 24, 0.040, KindAggregator},
		// Slower than passing it by, where the root takes in three payloads.
		{"aggregator passed by", "star:n=4", "both", Hub, 1e9, Limits{Ingest: 1e9}, 3 * unit, 0.040, "link"},
		// Four owners are four trees.
		{"enough contexts", "star:n=4", "both", Sharded, 1e9, Limits{Contexts: 4}, unit, 0.040, "link"},
		{"few contexts", "star:n=4", "both", Sharded, 1e9, Limits{Contexts: 3}, 1.5 * unit, 0.040, "link"},
		// Inputs S/T each, held for the wait: 3 S wait / W (a member is the root).
		{"buffer, paced", "star:n=4", "both", Hub, 1e9, Limits{Buffer: 1e9, Paced: true, Jitter: 0.3, Recovery: 0.1}, 3 * 0.4, 0.040, KindAggregator},
		{"buffer, no wait", "star:n=4", "both", Hub, 1e9, Limits{Buffer: 1}, unit, 0.020, "egress"},
		// SimGrid 3.32, model CM02, one flow of 100 MB over 125e6 B/s and 50 ms with its window of 4 MiB: 2.434 s.
		{"window", "path:n=2,bandwidth=1Gbps,latency=50ms", "unicast", Exchange, 1e8, Limits{Window: 4 << 20}, 1e8 * 0.1 / (4 << 20), 0.050, KindConnection},
		// A sum of two int8 is 9 bits wide, and it is the sum that comes back.
		{"window, hub of wide sums", "path:n=2,bandwidth=1Gbps,latency=50ms", "unicast", Hub, 1e8, Limits{Window: 4 << 20, IntegerBits: 8}, 1.125 * 1e8 * 0.1 / (4 << 20), 0.100, KindConnection},
		{"window, owners of wide sums", "path:n=2,bandwidth=1Gbps,latency=50ms", "unicast", Sharded, 1e8, Limits{Window: 4 << 20, IntegerBits: 8}, 2.125 / 2 * 1e8 * 0.1 / (4 << 20), 0.100, KindConnection},
		{"window, ten connections", "path:n=2,bandwidth=1Gbps,latency=50ms", "unicast", Exchange, 1e8, Limits{Window: 4 << 20, Connections: 10}, 0.8, 0.050, "link"},
		// 1.22 · 1460 / (0.1 s · √1e-4) = 1781200 B/s.
		{"loss", "path:n=2,bandwidth=1Gbps,latency=50ms", "unicast", Exchange, 1e8, Limits{MSS: 1460, Loss: 1e-4}, 1e8 / 1781200, 0.050, KindConnection},
		{"loss, ring", "star:n=4,latency=25ms", "unicast", Ring, 1e8, Limits{MSS: 1460, Loss: 1e-4}, 1.5e8 / 1781200, 0.300, KindConnection},
		// Nine of ten packets carry payload, where a router copies.
		{"fec", "star:n=4", "multicast", Hub, 1e9, Limits{FECPackets: 10, FECRepair: 1}, 3 * unit, 0.040, "link"},
		{"fec, both", "star:n=4", "both", Hub, 1e9, Limits{FECPackets: 10, FECRepair: 1}, unit / 0.9, 0.020, "ingress"},
		// An exchange of four: every ingress takes three payloads, and repair packets where they come by multicast.
		{"fec, multicast passed by", "star:n=4", "multicast", Exchange, 1e9, Limits{FECPackets: 10, FECRepair: 1}, 3 * unit, 0.020, "link"},
		{"fec, unicast", "star:n=4", "unicast", Sharded, 1e9, Limits{FECPackets: 10, FECRepair: 1}, 1.5 * unit, 0.040, "link"},
		{"header", "star:n=4", "both", Hub, 1e9, Limits{Header: 73}, unit * 1.05, 0.020, "link"},
		{"header, large packets", "star:n=4", "both", Hub, 1e9, Limits{Header: 80, Packet: 8000}, unit * 1.01, 0.020, "link"},
		// Four hops (two of them access) of 1.25 MB at 10 Gbps: 1 ms each.
		{"chunk", "star:n=4", "unicast", Exchange, 1e9, Limits{Chunk: 1.25e6}, 3 * unit, 0.024, "link"},
		{"chunk, hub in the middle", "star:n=4", "both", Hub, 1e9, Limits{Chunk: 1.25e6}, unit, 0.024, "link"},
		// Sums of nine int8 are 12 bits wide.
		{"integers", "star:n=9", "both", Hub, 1e9, Limits{IntegerBits: 8}, 1.5 * unit, 0.020, "link"},
		// A ring of three: parts go one hop as themselves, one as a sum of two (9 bits), two as a sum of three (10 bits).
		{"integers, ring", "star:n=3", "unicast", Ring, 1e9, Limits{IntegerBits: 8}, (1 + 9./8 + 2*10./8) / 3 * unit, 0.080, "link"},
	} {
		top := load(t, c.topology)
		got := round(t, pricer(t, top, c.level, Options{Payload: c.payload, Collective: c.collective, Limits: c.limits}), everyone(top))
		if !near(got.BandwidthSeconds, c.bandwidth, 1e-9) || !near(got.LatencySeconds, c.latency, 1e-9) {
			t.Errorf("%s: %.7f + %.7f s, want %.7f + %.7f", c.name, got.BandwidthSeconds, got.LatencySeconds, c.bandwidth, c.latency)
		}
		kind := got.Bottleneck.Kind
		if c.bottleneck == KindAggregator || c.bottleneck == KindConnection || kind == KindAggregator || kind == KindConnection {
			if kind != c.bottleneck {
				t.Errorf("%s: bottleneck %+v, want %s", c.name, *got.Bottleneck, c.bottleneck)
			}
		}
	}
}

// Unpaced inputs wait for the latest: 100 Gbps whose delays differ by 100 ms need 1.25 GB for each that waits.
func TestBufferOfUnpacedInputs(t *testing.T) {
	top, err := network.Read("t.yaml", []byte(`
routers: [{id: near}, {id: far}, {id: mid, multicast: true, aggregation: {buffer: 2.5GB}}]
links:
  - {between: [near, mid], bandwidth: 100Gbps, latency: 100ms}
  - {between: [far, mid], bandwidth: 100Gbps, latency: 200ms}
islands:
  - {id: a, router: near, egress: 100Gbps, ingress: 100Gbps}
  - {id: b, router: far, egress: 100Gbps, ingress: 100Gbps}
  - {id: c, router: mid, egress: 100Gbps, ingress: 100Gbps}
`))
	if err != nil {
		t.Fatal(err)
	}
	// Wherever the root is, two inputs merge at mid whose delays differ by 100 ms at least.
	got := round(t, pricer(t, top, "topology", Options{Payload: 12.5e9, Collective: Hub}), [][]int{{0, 1, 2}})
	if !near(got.BandwidthSeconds, 1, 1e-9) {
		t.Errorf("%v s, want 1", got.BandwidthSeconds)
	}
	top.Routers[2].Aggregation.Buffer = 2e9
	got = round(t, pricer(t, top, "topology", Options{Payload: 12.5e9, Collective: Hub}), [][]int{{0, 1, 2}})
	if !near(got.BandwidthSeconds, 1.25, 1e-9) || got.Bottleneck.Kind != KindAggregator || got.Bottleneck.From != "mid" {
		t.Errorf("%v s at %+v, want 1.25 at the aggregator", got.BandwidthSeconds, got.Bottleneck)
	}
	got = round(t, pricer(t, top, "topology", Options{Payload: 12.5e9, Collective: Hub, Limits: Limits{Paced: true}}), [][]int{{0, 1, 2}})
	if !near(got.BandwidthSeconds, 1, 1e-9) {
		t.Errorf("paced: %v s, want 1", got.BandwidthSeconds)
	}
}

// What an aggregator merges for a member saves k-2 arrivals and takes k-1 inputs; the packing uses it for as much as
// pays. On a star with φ = c, T c/S = 2(k-1) / (k + (k-2)/(k-1)).
func TestPackedWithSlowAggregator(t *testing.T) {
	for _, k := range []float64{3, 4, 5} {
		top := load(t, map[float64]string{3: "star:n=3", 4: "star:n=4", 5: "star:n=5"}[k])
		got := round(t, pricer(t, top, "both", Options{Payload: 1e9, Collective: Packed, Limits: Limits{Ingest: 10e9}}), everyone(top))
		if want := 0.8 * 2 * (k - 1) / (k + (k-2)/(k-1)); !near(got.BandwidthSeconds, want, 1e-7) || *got.Packing.Gap > 1e-6 {
			t.Errorf("k = %g: %v s, want %v; gap %v", k, got.BandwidthSeconds, want, *got.Packing.Gap)
		}
	}
	top := load(t, "nine-city")
	all := cliques(t, top, allNine)
	for ingest, want := range map[float64]float64{1: 64. / 45, 1e15: 0.8} { // useless, and unlimited
		got := round(t, pricer(t, top, "both", Options{Payload: 1e9, Collective: Packed, Limits: Limits{Ingest: ingest}}), all)
		if !near(got.BandwidthSeconds, want, 1e-6) {
			t.Errorf("ingest %g: %v s, want %v", ingest, got.BandwidthSeconds, want)
		}
	}
}

// No limit makes anything faster, for any collective.
func TestLimitsOnlyCost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := drawNetwork(t, 5, false)
		can := drawCapability(t, len(top.Routers))
		var l Limits
		switch rapid.IntRange(0, 6).Draw(t, "limit") {
		case 0:
			l.Ingest = 1e9
		case 1:
			l.Contexts = 1
		case 2:
			l.Buffer = 1e5
		case 3:
			l.Window, l.Connections = 1e4, 2
		case 4:
			l.FECPackets, l.FECRepair = 4, 1
		case 5:
			l.Header, l.Chunk = 40, 1e5
		case 6:
			l.IntegerBits = 8
		}
		r := &schedule.Round{Cliques: drawCliques(t, min(7, len(top.Islands)), 2)}
		for _, name := range []string{Best, Exchange, Hub, Sharded, Ring} {
			free, err := drawn(t, top, can, Options{Payload: 1e6, Collective: name}).Round(r)
			if err != nil {
				t.Fatal(err)
			}
			p := drawn(t, top, can, Options{Payload: 1e6, Collective: name, Limits: l})
			limited, err := p.Round(r)
			if err != nil {
				t.Fatal(err)
			}
			if limited.Seconds < free.Seconds*(1-1e-11) || math.IsInf(limited.Seconds, 1) {
				t.Fatalf("%s with %+v: %v s, without %v s", name, l, limited.Seconds, free.Seconds)
			}
			if s, err := p.PartitionSeconds(r.Cliques); err != nil || s != limited.Seconds {
				t.Fatalf("%s: PartitionSeconds %v, Round %v (%v)", name, s, limited.Seconds, err)
			}
		}
	})
}

// Routers that can do more never make best slower, whatever the transport adds: what does not pay is passed by.
func TestMoreCapabilityUnderLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := drawNetwork(t, 6, false)
		o := Options{Payload: 1e8, Limits: Limits{
			FECPackets: 10, FECRepair: rapid.IntRange(0, 6).Draw(t, "repair"), Header: 40,
			Window: rapid.SampledFrom([]float64{0, 1e6}).Draw(t, "window"), IntegerBits: rapid.SampledFrom([]int{0, 8}).Draw(t, "bits"),
		}}
		for _, r := range drawRounds(t, len(top.Islands)) {
			seconds := map[string]float64{}
			for _, level := range network.CapabilityLevels() {
				can, err := top.Capability(level)
				if err != nil {
					t.Fatal(err)
				}
				price, err := drawn(t, top, can, o).Round(r)
				if err != nil {
					t.Fatal(err)
				}
				seconds[level] = price.Seconds
			}
			for _, pair := range [][2]string{{"unicast", "multicast"}, {"unicast", "aggregation"}, {"multicast", "both"}, {"aggregation", "both"}} {
				if less, more := seconds[pair[0]], seconds[pair[1]]; more > less*(1+1e-11) {
					t.Fatalf("%s %v s, %s %v s", pair[0], less, pair[1], more)
				}
			}
		}
	})
}

func TestLimitErrors(t *testing.T) {
	top := load(t, "star:n=3")
	can, _ := top.Capability("both")
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Limits: Limits{Ingest: -1}}, "ingest"},
		{Options{Limits: Limits{Chunk: math.NaN()}}, "chunk"},
		{Options{Limits: Limits{MSS: 1460}}, "go together"},
		{Options{Limits: Limits{FECPackets: 3, FECRepair: 3}}, "fec 3,3"},
		{Options{Limits: Limits{FECRepair: 1}}, "fec 0,1"},
		{Options{Limits: Limits{Loss: 2, MSS: 1}}, "loss"},
		{Options{Collective: Packed, Limits: Limits{IntegerBits: 8}}, "integer bits"},
		{Options{Collective: Packed, Limits: Limits{Contexts: 8}}, "contexts"},
		{Options{Collective: Packed, Limits: Limits{Buffer: 8}}, "buffers"},
		{Options{Payload: 1, Collective: ShardedOptimal, Limits: Limits{Window: 8}}, "windows"},
		{Options{Bounds: true, Limits: Limits{FECPackets: 8, FECRepair: 1}}, "fec"},
	} {
		if _, err := NewPricer(top, can, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.want)
		}
	}
}
