package collective

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/schedule"
)

// Bytes counted along the trees of a plan are those of the price, arc by arc, and the longest chain of stages takes the
// price's latency: the two are computed by different code from the same choice.
func TestPlanCarriesThePrice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := drawNetwork(t, 6, false)
		c := drawCapability(t, len(top.Routers))
		o := Options{Payload: 1e9, Collective: rapid.SampledFrom(Collectives()).Draw(t, "collective")}
		r := &schedule.Round{Cliques: drawCliques(t, len(top.Islands), 3)}
		if rapid.Bool().Draw(t, "limits") {
			o.Limits = Limits{Header: 40}
			if o.Collective != Packed && o.Collective != ShardedOptimal {
				o.Limits.FECPackets, o.Limits.FECRepair, o.Limits.IntegerBits = 10, 1, 8
			}
			if o.Collective != Packed && o.Collective != ShardedOptimal && o.Collective != Ring {
				o.Limits.Ingest, o.Limits.Contexts = 2e9, 3
			}
		}
		if o.Collective == Best || o.Collective == Hub || o.Collective == Sharded {
			if o.Limits == (Limits{}) && rapid.Bool().Draw(t, "optimal") {
				o.Routing = RoutingOptimal
			}
		}
		if (o.Collective == Best || o.Collective == Exchange) && o.Routing == "" && rapid.Bool().Draw(t, "pairs") {
			r = &schedule.Round{}
			for i := range top.Islands {
				for j := range top.Islands {
					if i != j && rapid.Bool().Draw(t, "pair") {
						r.Entries = append(r.Entries, schedule.Edge{I: i, J: j, Weight: 0.1})
					}
				}
			}
		}
		p := drawn(t, top, c, o)
		price, err := p.Round(r)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := p.Plan(r)
		if err != nil {
			t.Fatal(err)
		}
		bytes, latency := planned(p.g, plan)
		for a, arc := range p.g.Arcs {
			want := 0.0
			for _, l := range price.Links {
				if l.From == arc.From && l.To == arc.To && l.Kind == arc.Kind {
					want = l.Bytes
				}
			}
			if math.Abs(bytes[a]-want) > 1e-6*(1e9+want) {
				t.Fatalf("%s: %s to %s carries %v by the plan, %v by the price", o.Collective, arc.From, arc.To, bytes[a], want)
			}
		}
		if math.Abs(latency-price.LatencySeconds) > 1e-12 {
			t.Fatalf("%s: latency %v by the plan, %v by the price", o.Collective, latency, price.LatencySeconds)
		}
	})
}

// planned sums a plan's bytes on every arc, and finds its longest chain.
func planned(g *network.Graph, p *Plan) (bytes []float64, latency float64) {
	bytes = make([]float64, len(g.Arcs))
	for _, s := range p.Streams {
		joined := map[int]float64{}
		for _, j := range s.Joined {
			joined[j.Arc] = j.Size
			bytes[j.Arc] += s.Bytes * j.Size
		}
		var chain int64
		for _, stage := range s.Stages {
			var longest int64
			for _, t := range stage {
				depth := make([]int64, len(t.Branches))
				for i, b := range t.Branches {
					if b.Parent >= 0 {
						depth[i] = depth[b.Parent]
					}
					for _, a := range b.Arcs {
						if _, ok := joined[a]; !ok {
							bytes[a] += s.Bytes * b.Size * t.Repair
						}
						depth[i] += g.Picos(a)
					}
					longest = max(longest, depth[i])
				}
			}
			chain += longest
		}
		latency = max(latency, network.Seconds(chain))
	}
	return bytes, latency
}
