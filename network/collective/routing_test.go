package collective

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/schedule"
)

// Two islands on opposite sides of a ring: the lowest-latency route goes one way round, two routes carry half each.
func TestFreeRoutesClosedForm(t *testing.T) {
	top := load(t, "ring:n=4,access=100Gbps")
	for _, name := range []string{Hub, Sharded, Best} {
		for routing, want := range map[string]float64{"": 0.8, RoutingShortest: 0.8, RoutingOptimal: 0.4} {
			got := round(t, pricer(t, top, "unicast", Options{Payload: 1e9, Collective: name, Routing: routing}), [][]int{{0, 2}})
			if !near(got.BandwidthSeconds, want, 1e-9) {
				t.Errorf("%s %s: %v s, want %v", name, routing, got.BandwidthSeconds, want)
			}
			if routing == RoutingOptimal && (*got.Collectives[0].Name == Exchange || got.Packing == nil) {
				t.Errorf("%s: %s, %v", name, *got.Collectives[0].Name, got.Packing)
			}
		}
	}
}

// Free routes never cost, and no free route beats the packing.
func TestFreeRoutesOnlyHelp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := drawNetwork(t, 5, false)
		can := drawCapability(t, len(top.Routers))
		r := &schedule.Round{Cliques: drawCliques(t, min(7, len(top.Islands)), 2)}
		packed, err := drawn(t, top, can, Options{Payload: 1e6, Collective: Packed}).Round(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{Hub, Sharded, Best} {
			shortest, err := drawn(t, top, can, Options{Payload: 1e6, Collective: name}).Round(r)
			if err != nil {
				t.Fatal(err)
			}
			p := drawn(t, top, can, Options{Payload: 1e6, Collective: name, Routing: RoutingOptimal})
			free, err := p.Round(r)
			if err != nil {
				t.Fatal(err)
			}
			if free.Seconds > shortest.Seconds*(1+1e-9) {
				t.Fatalf("%s: %v s on free routes, %v s on the shortest", name, free.Seconds, shortest.Seconds)
			}
			if name != Best && free.BandwidthSeconds < packed.BandwidthSeconds*(1-1e-9) {
				t.Fatalf("%s: %v s, packed %v s", name, free.BandwidthSeconds, packed.BandwidthSeconds)
			}
			if s, err := p.PartitionSeconds(r.Cliques); err != nil || s != free.Seconds {
				t.Fatalf("%s: PartitionSeconds %v, Round %v (%v)", name, s, free.Seconds, err)
			}
		}
	})
}

func TestRoutingErrors(t *testing.T) {
	top := load(t, "star:n=3")
	can, err := top.Capability(network.LevelBoth)
	if err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]Options{
		`did you mean "optimal"?`: {Routing: "optimum"},
		"keeps to the lowest":     {Routing: RoutingOptimal, Collective: Ring},
	} {
		if _, err := NewPricer(top, can, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
