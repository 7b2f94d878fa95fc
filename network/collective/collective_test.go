package collective

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/islandsgd/islands/network"
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

func pricer(t testing.TB, top *network.Topology, level string, o Options) *Pricer {
	t.Helper()
	c, err := top.Capability(level)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPricer(top, c, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func cliques(t testing.TB, top *network.Topology, s string) [][]int {
	t.Helper()
	names := top.IslandNames()
	var out [][]int
	for part := range strings.SplitSeq(s, "|") {
		var c []int
		for name := range strings.SplitSeq(part, ",") {
			i := slices.Index(names, name)
			if i < 0 {
				t.Fatalf("no island %s", name)
			}
			c = append(c, i)
		}
		out = append(out, c)
	}
	return out
}

func round(t testing.TB, p *Pricer, c [][]int) *Price {
	t.Helper()
	price, err := p.Round(&schedule.Round{LocalSteps: 1, Cliques: c})
	if err != nil {
		t.Fatal(err)
	}
	return price
}

func near(got, want, rtol float64) bool { return math.Abs(got-want) <= rtol*math.Abs(want) }

const (
	allNine  = "AMS,BAR,FRA,LAX,LON,NYC,SEO,SIN,TYO"
	regional = "AMS,FRA,LON|BAR,LAX,NYC|SEO,SIN,TYO"
	cross    = "AMS,LAX,SIN|BAR,NYC,SEO|FRA,LON,TYO"
)

// Reference values: computed for the network model by two independent programs; 1 GB, nine cities, 10 Gbps access.
// Latencies can be checked by hand: the farthest pair is 156.9 ms apart, NYC's farthest city 101.58 ms.
func TestNineCities(t *testing.T) {
	top := load(t, "nine-city")
	for _, c := range []struct {
		cliques, collective, level string
		bandwidth, seconds         float64
	}{
		{allNine, Exchange, "unicast", 10.4, 10.5569},
		{allNine, Exchange, "multicast", 6.4, 6.5569},
		{allNine, Exchange, "aggregation", 6.4, 6.5569},
		{allNine, Exchange, "both", 6.4, 6.5569},
		{allNine, Hub, "unicast", 6.4, 6.60316},
		{allNine, Hub, "multicast", 6.4, 6.60316},
		{allNine, Hub, "aggregation", 6.4, 6.60316},
		{allNine, Hub, "both", 0.8, 1.00316},
		{allNine, Sharded, "unicast", 2.3111111111111113, 2.6249111111111114},
		{allNine, Sharded, "multicast", 1.6, 1.9138},
		{allNine, Sharded, "aggregation", 1.6, 1.9138},
		{allNine, Sharded, "both", 0.8, 1.1138},
		{allNine, Best, "unicast", 1.4222222222222223, 2.117682},
		{allNine, Best, "multicast", 1.6, 1.9138},
		{allNine, Best, "aggregation", 1.6, 1.9138},
		{allNine, Best, "both", 0.8, 1.00316},
		{regional, Best, "unicast", 0, 1.2287466666666667},
		{regional, Best, "multicast", 0, 1.2287466666666667},
		{regional, Best, "aggregation", 0, 1.2287466666666667},
		{regional, Best, "both", 0, 0.91064},
		{cross, Best, "unicast", 0, 1.79474},
		{cross, Best, "multicast", 0, 1.79474},
		{cross, Best, "aggregation", 0, 1.79474},
		{cross, Best, "both", 0, 1.5384733333333331},
	} {
		p := pricer(t, top, c.level, Options{Payload: 1e9, Collective: c.collective})
		got := round(t, p, cliques(t, top, c.cliques))
		if !near(got.Seconds, c.seconds, 1e-6) || c.bandwidth != 0 && !near(got.BandwidthSeconds, c.bandwidth, 1e-6) {
			t.Errorf("%s %s %s: %.7f s (bandwidth %.7f), want %.7f (%.7f)", c.cliques, c.collective, c.level,
				got.Seconds, got.BandwidthSeconds, c.seconds, c.bandwidth)
		}
		if len(got.Warnings) != 0 {
			t.Errorf("%s %s: warnings %v", c.cliques, c.collective, got.Warnings)
		}
	}
}

func TestBestOfAllNine(t *testing.T) {
	top := load(t, "nine-city")
	got := round(t, pricer(t, top, "unicast", Options{Payload: 1e9}), cliques(t, top, allNine))
	if c := got.Collectives[0]; *c.Name != Ring || strings.Join(c.Order, "-") != "AMS-FRA-SIN-SEO-TYO-LAX-BAR-NYC-LON" {
		t.Errorf("unicast: %s %v", *c.Name, c.Order)
	}
	if *got.LowerBound.Cut != 0.8 {
		t.Errorf("cut bound %v, want 0.8", *got.LowerBound.Cut)
	}
	got = round(t, pricer(t, top, "both", Options{Payload: 1e9}), cliques(t, top, allNine))
	if c := got.Collectives[0]; *c.Name != Hub || *c.Root != "NYC" || *c.RootKind != "island" {
		t.Errorf("both: %+v", c)
	}
}

// All 280 ways to cut nine cities into triples: range of the bandwidth seconds of sharded without help, 1.07 to
// 3.20 s, and under best 1.07 to 2.40 s (two independent programs).
func TestAllTriples(t *testing.T) {
	top := load(t, "nine-city")
	for _, c := range []struct {
		collective string
		low, high  float64
	}{{Sharded, 1.0667, 3.2}, {Best, 1.0667, 2.4}} {
		p := pricer(t, top, "unicast", Options{Payload: 1e9, Collective: c.collective})
		low, high, count := math.Inf(1), 0.0, 0
		eachPartition(9, func(parts [][]int) {
			if len(parts) != 3 || len(parts[0]) != 3 || len(parts[1]) != 3 {
				return
			}
			b := round(t, p, parts).BandwidthSeconds
			low, high, count = min(low, b), max(high, b), count+1
		})
		if count != 280 || !near(low, c.low, 1e-3) || !near(high, c.high, 1e-3) {
			t.Errorf("%s: %d partitions, %.4f to %.4f s, want %.4f to %.4f", c.collective, count, low, high, c.low, c.high)
		}
	}
}

// eachPartition visits all partitions of 0..n-1.
func eachPartition(n int, visit func([][]int)) {
	var parts [][]int
	var place func(i int)
	place = func(i int) {
		if i == n {
			visit(parts)
			return
		}
		for b := range parts {
			parts[b] = append(parts[b], i)
			place(i + 1)
			parts[b] = parts[b][:len(parts[b])-1]
		}
		parts = append(parts, []int{i})
		place(i + 1)
		parts = parts[:len(parts)-1]
	}
	place(0)
}

// Closed forms on a star of k leaves with access and links of 10 Gbps, 1 GB: S/c = 0.8 s.
func TestStarClosedForms(t *testing.T) {
	const k, unit, ms = 6, 0.8, 0.010
	top := load(t, "star:n=6,latency=10ms")
	all := [][]int{{0, 1, 2, 3, 4, 5}}
	for _, c := range []struct {
		collective, level  string
		bandwidth, latency float64
	}{
		{Exchange, "unicast", (k - 1) * unit, 2 * ms},
		{Exchange, "both", (k - 1) * unit, 2 * ms}, // the leaf routers' links still carry k-1 arrivals
		{Hub, "unicast", (k - 1) * unit, 4 * ms},
		{Hub, "both", unit, 2 * ms}, // at the router in the middle
		{Sharded, "unicast", 2 * (k - 1.0) / k * unit, 4 * ms},
		{Sharded, "both", unit, 4 * ms},
		{Ring, "unicast", 2 * (k - 1.0) / k * unit, (2*k - 2) * 2 * ms},
	} {
		got := round(t, pricer(t, top, c.level, Options{Payload: 1e9, Collective: c.collective}), all)
		if !near(got.BandwidthSeconds, c.bandwidth, 1e-12) || !near(got.LatencySeconds, c.latency, 1e-12) {
			t.Errorf("%s %s: %v + %v, want %v + %v", c.collective, c.level, got.BandwidthSeconds, got.LatencySeconds, c.bandwidth, c.latency)
		}
	}
	got := round(t, pricer(t, top, "both", Options{Payload: 1e9, Collective: Hub}), all)
	if *got.Collectives[0].Root != "hub" || *got.Collectives[0].RootKind != "router" {
		t.Errorf("hub at %s %s", *got.Collectives[0].RootKind, *got.Collectives[0].Root)
	}
}

func TestEdgeCases(t *testing.T) {
	top := load(t, "nine-city")
	p := pricer(t, top, "unicast", Options{Payload: 1e9})
	idle := round(t, p, nil)
	if idle.Seconds != 0 || idle.Bottleneck != nil || len(idle.Links) != 0 || *idle.LowerBound.Cut != 0 {
		t.Errorf("idle round: %+v", idle)
	}
	ones := round(t, p, [][]int{{3}, {0, 4}, {2}})
	if ones.Collectives[0].Name != nil || *ones.Collectives[1].Name != Exchange || len(ones.Cliques) != 3 {
		t.Errorf("cliques of one: %+v", ones.Collectives)
	}
	if !near(ones.Seconds, 0.8+0.00145, 1e-12) {
		t.Errorf("AMS with LON takes %v s", ones.Seconds)
	}
	zero := round(t, pricer(t, top, "unicast", Options{}), cliques(t, top, allNine))
	if zero.BandwidthSeconds != 0 || zero.Seconds != 0.1569 || zero.Bottleneck != nil {
		t.Errorf("no payload: %+v", zero)
	}
	for _, l := range zero.Links {
		if l.Bytes != 0 || l.Utilization != 0 {
			t.Errorf("no payload: %+v", l)
		}
	}
	pair := round(t, pricer(t, top, "unicast", Options{Payload: 1e9, Collective: Ring}), [][]int{{0, 4}})
	if !near(pair.Seconds, 0.8+2*0.00145, 1e-12) {
		t.Errorf("ring of two takes %v s", pair.Seconds)
	}
}

func TestErrors(t *testing.T) {
	top := load(t, "nine-city")
	p := pricer(t, top, "unicast", Options{Payload: 1e9})
	for _, c := range []struct {
		cliques [][]int
		want    string
	}{
		{[][]int{{0, 9}}, "island 9"},
		{[][]int{{-1, 2}}, "island -1"},
		{[][]int{{0, 1}, {1, 2}}, "BAR stands twice"},
		{[][]int{{0, 0}}, "AMS stands twice"},
	} {
		if _, err := p.Round(&schedule.Round{Cliques: c.cliques}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c.cliques, err)
		}
		if _, err := p.PartitionSeconds(c.cliques); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c.cliques, err)
		}
	}
	two, err := network.Read("two.yaml", []byte("routers: [{id: A}, {id: B}]"))
	if err != nil {
		t.Fatal(err)
	}
	apart := pricer(t, two, "both", Options{Payload: 1e9})
	if _, err := apart.Round(&schedule.Round{Cliques: [][]int{{0, 1}}}); err == nil || !strings.Contains(err.Error(), "A and B") {
		t.Errorf("disconnected: %v", err)
	}
	if _, err := apart.Round(&schedule.Round{Edges: []schedule.Edge{{I: 0, J: 1, Weight: 0.5}}}); err == nil || !strings.Contains(err.Error(), "A and B") {
		t.Errorf("disconnected edge: %v", err)
	}
	for _, o := range []Options{{Payload: -1}, {Payload: math.NaN()}, {Payload: math.Inf(1)}, {Collective: "rng"}} {
		if _, err := NewPricer(top, network.Capability{Multicast: make([]bool, 9), Aggregation: make([]bool, 9)}, o); err == nil {
			t.Errorf("%+v accepted", o)
		}
	}
	if _, err := NewPricer(top, network.Capability{}, Options{}); err == nil {
		t.Error("capability of no router accepted")
	}
	hub := pricer(t, top, "unicast", Options{Payload: 1e9, Collective: Hub})
	if _, err := hub.Round(&schedule.Round{Edges: []schedule.Edge{{I: 0, J: 1, Weight: 0.5}}}); err == nil || !strings.Contains(err.Error(), "hub") {
		t.Errorf("hub of edges: %v", err)
	}
}

// A round of edges on a star: closed forms. The middle node's neighbors each send it one payload.
func TestRoundsOfPairs(t *testing.T) {
	top := load(t, "star:n=4,latency=10ms")
	edges := &schedule.Round{Edges: []schedule.Edge{{I: 0, J: 1, Weight: 0.2}, {I: 0, J: 2, Weight: 0.2}, {I: 0, J: 3, Weight: 0.2}, {I: 1, J: 2, Weight: 0}}}
	for level, want := range map[string]float64{
		"unicast": 2.4, "multicast": 2.4, "aggregation": 2.4,
		"both": 2.4, // a broadcast's arrivals are summed at the receiver's own router, behind its link
	} {
		got, err := pricer(t, top, level, Options{Payload: 1e9}).Round(edges)
		if err != nil {
			t.Fatal(err)
		}
		if !near(got.BandwidthSeconds, want, 1e-12) || got.LatencySeconds != 0.020 || got.Carriage == nil {
			t.Errorf("%s: %+v", level, got)
		}
		if *got.LowerBound.Cut != 0.8 {
			t.Errorf("%s: cut %v", level, *got.LowerBound.Cut)
		}
	}
	// One way round: everybody sends one payload to the next.
	var shift schedule.Round
	for i := range 4 {
		shift.Entries = append(shift.Entries, schedule.Edge{I: i, J: i, Weight: 0.5}, schedule.Edge{I: (i + 1) % 4, J: i, Weight: 0.5})
	}
	got, err := pricer(t, top, "unicast", Options{Payload: 1e9}).Round(&shift)
	if err != nil {
		t.Fatal(err)
	}
	if got.BandwidthSeconds != 0.8 || got.LatencySeconds != 0.020 {
		t.Errorf("shift: %+v", got)
	}
	for _, r := range []*schedule.Round{{Edges: []schedule.Edge{{I: 1, J: 2}}}, {Entries: []schedule.Edge{{I: 1, J: 1, Weight: 1}}}} {
		got, err := pricer(t, top, "unicast", Options{Payload: 1e9}).Round(r)
		if err != nil || got.Seconds != 0 || got.Carriage != nil {
			t.Errorf("no pairs: %+v, %v", got, err)
		}
	}
	// A complete graph of edges is the exchange of a clique.
	nine := load(t, "nine-city")
	var complete schedule.Round
	for i := range 9 {
		for j := range i {
			complete.Edges = append(complete.Edges, schedule.Edge{I: i, J: j, Weight: 1.0 / 9})
		}
	}
	for _, level := range network.CapabilityLevels() {
		p := pricer(t, nine, level, Options{Payload: 1e9, Collective: Exchange})
		got, err := p.Round(&complete)
		if err != nil {
			t.Fatal(err)
		}
		if want := round(t, p, cliques(t, nine, allNine)); got.Seconds != want.Seconds {
			t.Errorf("%s: %v, want %v", level, got.Seconds, want.Seconds)
		}
	}
}

func TestPartitionSecondsIsRound(t *testing.T) {
	top := load(t, "nine-city")
	for _, level := range []string{"unicast", "both"} {
		p := pricer(t, top, level, Options{Payload: 1e9})
		q := pricer(t, top, level, Options{Payload: 1e9})
		count := 0
		eachPartition(9, func(parts [][]int) {
			if count++; count%97 != 0 {
				return
			}
			got, err := p.PartitionSeconds(parts)
			if err != nil {
				t.Fatal(err)
			}
			written := slices.Clone(parts) // the same partition, written the other way round
			slices.Reverse(written)
			for i := range written {
				written[i] = slices.Clone(written[i])
				slices.Reverse(written[i])
			}
			if want := round(t, q, written).Seconds; got != want {
				t.Fatalf("%v: %v, Round says %v", parts, got, want)
			}
		})
	}
}

func ExamplePricer_Round() {
	top, _ := network.Load("nine-city")
	can, _ := top.Capability("both")
	p, _ := NewPricer(top, can, Options{Payload: 1e9})
	price, _ := p.Round(&schedule.Round{Cliques: [][]int{{0, 2, 4}, {1, 3, 5}, {6, 7, 8}}})
	for i, c := range price.Collectives {
		fmt.Println(price.Cliques[i], *c.Name)
	}
	fmt.Printf("%.4f s = %.4f s bandwidth + %.4f s latency\n", price.Seconds, price.BandwidthSeconds, price.LatencySeconds)
	// Output:
	// [AMS FRA LON] hub
	// [BAR LAX NYC] hub
	// [SEO SIN TYO] hub
	// 0.9106 s = 0.8000 s bandwidth + 0.1106 s latency
}
