package collective

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/schedule"
)

// Reference values: computed for the network model by two independent programs (nine cities, 1 GB); closed forms on
// the star (2(k-1)/k S/c without both abilities, S/c with) and the dumbbell (1.2 and 0.8 s).
func TestPacked(t *testing.T) {
	const nine, eight, four = "0,1,2,3,4,5,6,7,8", "0,1,2,3,4,5,6,7", "0,1,2,3"
	for _, c := range []struct {
		topology, cliques string
		access            float64
		want              [4]float64 // unicast, multicast, aggregation, both
	}{
		{"nine-city", allNine, 0, [4]float64{64. / 45, 64. / 45, 64. / 45, 0.8}},
		{"nine-city", allNine, 20e9, [4]float64{0.8, 0.8, 0.8, 0.8}},
		{"nine-city", allNine, 100e9, [4]float64{0.8, 0.8, 0.8, 0.8}},
		{"nine-city", regional, 0, [4]float64{16. / 15, 16. / 15, 16. / 15, 0.8}},
		{"nine-city", cross, 0, [4]float64{1.2, 1.2, 1.2, 1.2}},
		{"star:n=8", eight, 0, [4]float64{1.4, 1.4, 1.4, 0.8}},
		{"star:n=9", nine, 0, [4]float64{64. / 45, 64. / 45, 64. / 45, 0.8}},
		{"dumbbell", four, 0, [4]float64{1.2, 1.2, 1.2, 0.8}},
	} {
		top := load(t, c.topology)
		if c.access > 0 {
			top = top.WithAccess(c.access)
		}
		for i, level := range network.CapabilityLevels()[:4] {
			got := round(t, pricer(t, top, level, Options{Payload: 1e9, Collective: Packed}), cliques(t, top, c.cliques))
			if !near(got.BandwidthSeconds, c.want[i], 1e-6) {
				t.Errorf("%s %s %s access %g: %.7f s, want %.7f", c.topology, c.cliques, level, c.access, got.BandwidthSeconds, c.want[i])
			}
			if gap := *got.Packing.Gap; gap > 1e-6 {
				t.Errorf("%s %s %s: gap %g", c.topology, c.cliques, level, gap)
			}
			if s := got.LowerBound.Seconds(); s > got.BandwidthSeconds*(1+1e-9) {
				t.Errorf("%s %s %s: bound %g above %g", c.topology, c.cliques, level, s, got.BandwidthSeconds)
			}
		}
	}
}

// Both abilities at a few routers only, found greedily: none 1.422 s, Singapore 1.164, London 1.000, New York 0.873,
// Amsterdam 0.800 (two independent programs).
func TestPackedDeployment(t *testing.T) {
	top := load(t, "nine-city")
	at := []string{"SIN", "LON", "NYC", "AMS"}
	for n, want := range []float64{1.422, 1.164, 1.000, 0.873, 0.800} {
		can, err := top.CapabilityAt(at[:n], at[:n])
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewPricer(top, can, Options{Payload: 1e9, Collective: Packed})
		if err != nil {
			t.Fatal(err)
		}
		if got := round(t, p, cliques(t, top, allNine)).BandwidthSeconds; math.Abs(got-want) > 6e-4 {
			t.Errorf("capable at %v: %.4f s, want %.3f", at[:n], got, want)
		}
	}
}

// What is as fast as anything and short should be found: with both abilities the hub at New York, 2 × 101.58 ms; on a
// star the middle, 2 × 10 ms; without, on a star, 4 × 10 ms.
func TestPackedLatency(t *testing.T) {
	for _, c := range []struct {
		topology, level string
		want            float64
	}{{"nine-city", "both", 0.20316}, {"star:n=9", "both", 0.020}, {"star:n=9", "unicast", 0.040}, {"mesh:n=6", "unicast", 0.020}} {
		top := load(t, c.topology)
		var all []int
		for i := range top.Islands {
			all = append(all, i)
		}
		if got := round(t, pricer(t, top, c.level, Options{Payload: 1e9, Collective: Packed}), [][]int{all}).LatencySeconds; !near(got, c.want, 1e-12) {
			t.Errorf("%s %s: latency %v, want %v", c.topology, c.level, got, c.want)
		}
	}
}

// cheapestPair recomputes a certificate from nothing but arc prices, by another method than the solver's: not on the
// closure but on the network itself, by relaxing a payload's way arc by arc. cost[D][v] is the least price of serving
// the members in D with one copy at node v; it may split where v can branch, and a member keeps its copy.
func cheapestPair(top *network.Topology, can network.Capability, members []int, price func(from, to, kind string) float64) float64 {
	routers := len(top.Routers)
	n := routers + len(members)
	type arc struct {
		from, to int
		price    float64
	}
	direction := func(forward bool) []arc {
		var arcs []arc
		add := func(from, to int, price float64) {
			if !forward {
				from, to = to, from
			}
			arcs = append(arcs, arc{from, to, price})
		}
		for _, l := range top.Links {
			a, b := top.Routers[l.A].ID, top.Routers[l.B].ID
			add(l.A, l.B, price(a, b, network.KindLink))
			add(l.B, l.A, price(b, a, network.KindLink))
		}
		for i, m := range members {
			island, at := top.Islands[m], top.Islands[m].Router
			add(routers+i, at, price(island.ID, top.Routers[at].ID, network.KindEgress))
			add(at, routers+i, price(top.Routers[at].ID, island.ID, network.KindIngress))
		}
		return arcs
	}
	trees := func(branches []bool, forward bool) [][]float64 {
		arcs := direction(forward)
		cost := make([][]float64, 1<<len(members))
		cost[0] = make([]float64, n)
		for d := 1; d < len(cost); d++ {
			c := make([]float64, n)
			for v := range c {
				c[v] = math.Inf(1)
				if v >= routers || branches[v] {
					for e := (d - 1) & d; e > 0; e = (e - 1) & d {
						c[v] = min(c[v], cost[e][v]+cost[d^e][v])
					}
				}
				if i := v - routers; i >= 0 && d>>i&1 == 1 {
					c[v] = min(c[v], cost[d^1<<i][v])
				}
			}
			for changed := true; changed; {
				changed = false
				for _, a := range arcs {
					if x := a.price + c[a.to]; x < c[a.from] {
						c[a.from], changed = x, true
					}
				}
			}
			cost[d] = c
		}
		return cost
	}
	down, up := trees(can.Multicast, true), trees(can.Aggregation, false)
	all := len(down) - 1
	best := math.Inf(1)
	for v := range n {
		if v >= routers || can.Multicast[v] && can.Aggregation[v] {
			best = min(best, down[all][v]+up[all][v])
		}
	}
	return best
}

// checkCertificate proves a packed round optimal: at its prices no pair of trees is cheaper than what it claims.
func checkCertificate(t interface{ Fatalf(string, ...any) }, top *network.Topology, can network.Capability, sorted [][]int, payload float64, got *Price) {
	prices := map[[3]string]float64{}
	sum := 0.0
	for _, a := range got.Packing.Prices {
		if a.Price < 0 {
			t.Fatalf("negative price %+v", a)
		}
		prices[[3]string{a.From, a.To, a.Kind}] = a.Price
		sum += a.Price
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Fatalf("prices sum to %v", sum)
	}
	capacity := map[[3]string]float64{}
	for _, arc := range network.NewGraph(top).Arcs {
		capacity[[3]string{arc.From, arc.To, arc.Kind}] = arc.Capacity
	}
	bound := 0.0
	for _, members := range sorted {
		bound += cheapestPair(top, can, members, func(from, to, kind string) float64 {
			k := [3]string{from, to, kind}
			return prices[k] * 8 * payload / capacity[k]
		})
	}
	if gap := (got.BandwidthSeconds - bound) / got.BandwidthSeconds; gap > 1e-6 || gap < -1e-9 {
		t.Fatalf("%v s, certified %v s: gap %g", got.BandwidthSeconds, bound, gap)
	}
}

// On random networks with random capable routers: the certificate holds by an independent computation, the loads are
// those of the trees listed, packed is not slower than hub, sharded and ring, and not below any bound.
func TestPackedIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := drawNetwork(t, 6, false)
		if len(top.Islands) > 8 {
			top.Islands = top.Islands[:8]
		}
		can := drawCapability(t, len(top.Routers))
		parts := drawCliques(t, len(top.Islands), 2)
		const payload = 1e6
		p := drawn(t, top, can, Options{Payload: payload, Collective: Packed})
		r := &schedule.Round{Cliques: parts}
		got, err := p.Round(r)
		if err != nil {
			t.Fatal(err)
		}
		sorted := p.tidy(parts)
		if len(sorted) == 0 {
			return
		}
		checkCertificate(t, top, can, sorted, payload, got)
		checkTrees(t, sorted, payload, got)
		seconds, err := p.PartitionSeconds(parts)
		if err != nil || seconds != got.Seconds {
			t.Fatalf("PartitionSeconds says %v, Round %v (%v)", seconds, got.Seconds, err)
		}
		if b := got.LowerBound.Seconds(); b > got.BandwidthSeconds*(1+1e-9) {
			t.Fatalf("bound %v above %v: %+v", b, got.BandwidthSeconds, got.LowerBound)
		}
		for _, name := range []string{Hub, Sharded, Ring, ShardedOptimal} {
			other, err := drawn(t, top, can, Options{Payload: payload, Collective: name}).Round(r)
			if err != nil {
				t.Fatal(err)
			}
			if other.BandwidthSeconds < got.BandwidthSeconds*(1-1e-9) {
				t.Fatalf("%s takes %v s, packed %v s", name, other.BandwidthSeconds, got.BandwidthSeconds)
			}
		}
	})
}

// checkTrees sums the listed trees up again.
func checkTrees(t *rapid.T, sorted [][]int, payload float64, got *Price) {
	bytes := map[[2]string]float64{}
	share := make([]float64, len(sorted))
	for _, tree := range got.Packing.Trees {
		share[tree.Clique] += tree.Share
		for _, arc := range slices.Concat(tree.Reduce, tree.Broadcast) {
			bytes[arc] += tree.Share * payload
		}
	}
	for q, s := range share {
		if math.Abs(s-1) > 1e-9 {
			t.Fatalf("trees of clique %d carry %v of its payload", q, s)
		}
	}
	for _, l := range got.Links {
		if math.Abs(bytes[[2]string{l.From, l.To}]-l.Bytes) > 1e-6*payload {
			t.Fatalf("%s-%s carries %v, its trees %v", l.From, l.To, l.Bytes, bytes[[2]string{l.From, l.To}])
		}
	}
}

// Bandwidths over nine decimal places and many ties must not stop the simplex method.
func TestPackedSurvivesBadScaling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := drawNetwork(t, 5, false)
		for i := range top.Links {
			top.Links[i].Bandwidth = math.Pow(10, float64(rapid.IntRange(4, 13).Draw(t, "decade")))
		}
		for i := range top.Islands {
			top.Islands[i].Egress = math.Pow(10, float64(rapid.IntRange(4, 13).Draw(t, "decade")))
		}
		can := drawCapability(t, len(top.Routers))
		var all []int
		for i := range min(7, len(top.Islands)) {
			all = append(all, i)
		}
		o := Options{Payload: 1e9, Collective: Packed}
		if rapid.Bool().Draw(t, "limited") {
			o.Limits.Ingest = math.Pow(10, float64(rapid.IntRange(0, 15).Draw(t, "ingest")))
		}
		got, err := drawn(t, top, can, o).Round(&schedule.Round{Cliques: [][]int{all}})
		switch {
		case err != nil:
			t.Fatal(err)
		case len(all) < 2:
		case o.Limits.Ingest == 0:
			checkCertificate(t, top, can, [][]int{all}, 1e9, got)
		case *got.Packing.Gap > 1e-6:
			t.Fatalf("gap %g", *got.Packing.Gap)
		}
	})
}

func TestMaxTrees(t *testing.T) {
	top := load(t, "nine-city")
	all := cliques(t, top, allNine)
	last := 0.0
	for _, most := range []int{9, 4, 2, 1} {
		got := round(t, pricer(t, top, "unicast", Options{Payload: 1e9, Collective: Packed, MaxTrees: most}), all)
		if n := len(got.Packing.Trees); n > most {
			t.Errorf("%d trees, at most %d allowed", n, most)
		}
		if want := got.BandwidthSeconds/got.Packing.OptimalSeconds - 1; math.Abs(got.Packing.Loss-want) > 1e-9 || want < last-1e-9 {
			t.Errorf("%d trees: loss %v, want %v and at least %v", most, got.Packing.Loss, want, last)
		}
		last = got.Packing.Loss
	}
	if last <= 0 {
		t.Error("one tree for nine unicast cities should cost something")
	}
}

// Shares on a star of three with accesses c_i: owner i sends 1 + s_i payloads, so S (1 + s_i)/c_i are equal and
// T = 4 S / Σ c_i. Equal parts take 4/3 S / min c.
func TestShardedOptimalClosedForm(t *testing.T) {
	top := load(t, "star:n=3,bandwidth=100Gbps")
	for i, c := range []float64{10e9, 10e9, 8e9} {
		top.Islands[i].Egress, top.Islands[i].Ingress = c, c
	}
	all := [][]int{{0, 1, 2}}
	got := round(t, pricer(t, top, "unicast", Options{Payload: 1e9, Collective: ShardedOptimal}), all)
	if want := 4 * 8e9 / 28e9; !near(got.BandwidthSeconds, want, 1e-9) {
		t.Errorf("optimal shares take %v s, want %v", got.BandwidthSeconds, want)
	}
	equal := round(t, pricer(t, top, "unicast", Options{Payload: 1e9, Collective: Sharded}), all)
	if want := 4. / 3; !near(equal.BandwidthSeconds, want, 1e-9) {
		t.Errorf("equal shares take %v s, want %v", equal.BandwidthSeconds, want)
	}
}

// A star without branching routers: 2(k-1)/k S/c by counting departures; partition and cut see only S/c.
func TestBoundsOnAStar(t *testing.T) {
	top := load(t, "star:n=6")
	all := [][]int{{0, 1, 2, 3, 4, 5}}
	for level, egress := range map[string]float64{"unicast": 2 * 5. / 6 * 0.8, "multicast": 2 * 5. / 6 * 0.8, "aggregation": 2 * 5. / 6 * 0.8} {
		got := round(t, pricer(t, top, level, Options{Payload: 1e9, Bounds: true}), all).LowerBound
		if !near(*got.Egress, egress, 1e-12) || !near(*got.Cut, 0.8, 1e-12) || !near(*got.Partition, 0.8, 1e-12) || !near(*got.Packing, egress, 1e-6) {
			t.Errorf("%s: cut %v partition %v egress %v packing %v", level, *got.Cut, *got.Partition, *got.Egress, *got.Packing)
		}
	}
	got := round(t, pricer(t, top, "both", Options{Payload: 1e9}), all).LowerBound
	if got.Partition != nil || got.Egress != nil || got.Packing != nil {
		t.Errorf("bounds that nobody asked for: %+v", got)
	}
}

func TestPackedLargeClique(t *testing.T) {
	top := load(t, "star:n=14")
	got := round(t, pricer(t, top, "both", Options{Payload: 1e9, Collective: Packed}), [][]int{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}})
	if !near(got.BandwidthSeconds, 0.8, 1e-9) || got.Packing.Gap != nil || len(got.Warnings) != 1 || got.LowerBound.Packing != nil {
		t.Errorf("%v s, gap %v, warnings %v", got.BandwidthSeconds, got.Packing.Gap, got.Warnings)
	}
	got = round(t, pricer(t, top, "unicast", Options{Payload: 1e9, Collective: Packed}), [][]int{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}})
	if !near(got.BandwidthSeconds, 2*13./14*0.8, 1e-6) {
		t.Errorf("unicast: %v s", got.BandwidthSeconds)
	}
}

// Without a payload a packed round is its latency; idle rounds and cliques of one take no time.
func TestPackedEdgeCases(t *testing.T) {
	top := load(t, "nine-city")
	all := cliques(t, top, allNine)
	got := round(t, pricer(t, top, "both", Options{Collective: Packed}), all)
	if got.BandwidthSeconds != 0 || !near(got.Seconds, 0.20316, 1e-12) || got.Bottleneck != nil || *got.LowerBound.Packing != 0 {
		t.Errorf("no payload: %+v", got)
	}
	for _, name := range []string{Packed, ShardedOptimal} {
		p := pricer(t, top, "unicast", Options{Payload: 1e9, Collective: name, Bounds: true})
		for _, idle := range [][][]int{nil, {{3}, {5}}} {
			got := round(t, p, idle)
			if got.Seconds != 0 || got.Packing != nil || len(got.Collectives) != len(idle) || *got.LowerBound.Packing != 0 {
				t.Errorf("%s %v: %+v", name, idle, got)
			}
		}
	}
	pair, err := network.Read("one.yaml", []byte("routers: [{id: A}]\nislands: [{id: x, router: A}, {id: y, router: A, egress: 1Gbps}]"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Collectives() {
		got := round(t, pricer(t, pair, "unicast", Options{Payload: 1e9, Collective: name}), [][]int{{0, 1}})
		if got.Seconds != 8 {
			t.Errorf("two islands at one router by %s: %v s, want 8", name, got.Seconds)
		}
	}
}
