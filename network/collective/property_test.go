package collective

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/schedule"
)

// drawNetwork draws a connected network of up to max routers, with an island or two at most of them, unequal
// bandwidths and many equal latencies. tree leaves out the links that close cycles.
func drawNetwork(t *rapid.T, most int, tree bool) *network.Topology {
	n := rapid.IntRange(2, most).Draw(t, "routers")
	top := &network.Topology{Name: "random"}
	bandwidth := rapid.SampledFrom([]float64{1e9, 2e9, 10e9})
	for i := range n {
		top.Routers = append(top.Routers, network.Router{ID: fmt.Sprint("r", i)})
		for range rapid.SampledFrom([]int{0, 1, 1, 2, 2}).Draw(t, "islands") {
			top.Islands = append(top.Islands, network.Island{ID: fmt.Sprint("i", len(top.Islands)), Router: i,
				Egress: bandwidth.Draw(t, "egress"), Ingress: bandwidth.Draw(t, "ingress")})
		}
	}
	for b := 1; b < n; b++ {
		up := rapid.IntRange(0, b-1).Draw(t, "up")
		for a := range b {
			if a == up || !tree && rapid.IntRange(0, 3).Draw(t, "chord") == 0 {
				top.Links = append(top.Links, network.Link{A: a, B: b, Bandwidth: bandwidth.Draw(t, "bandwidth"),
					Latency: float64(rapid.IntRange(0, 3).Draw(t, "ms")) / 1e3})
			}
		}
	}
	return top
}

// drawCliques draws disjoint cliques; some islands may be idle.
func drawCliques(t *rapid.T, n, most int) [][]int {
	left := make([]int, n)
	for i := range left {
		left[i] = i
	}
	left = rapid.Permutation(left).Draw(t, "islands")
	var out [][]int
	for range most {
		size := min(len(left), rapid.SampledFrom([]int{0, 1, 2, 2, 3, 3, 4, 5, 6, 7}).Draw(t, "size"))
		out = append(out, left[:size:size])
		left = left[size:]
	}
	return out
}

// drawRounds draws a round of cliques and one of pairs.
func drawRounds(t *rapid.T, n int) []*schedule.Round {
	rounds := []*schedule.Round{{Cliques: drawCliques(t, n, 3)}, {}}
	for i := range n {
		for j := range i {
			if rapid.Bool().Draw(t, "edge") {
				rounds[1].Edges = append(rounds[1].Edges, schedule.Edge{I: i, J: j, Weight: 0.1})
			}
		}
	}
	return rounds
}

func drawCapability(t *rapid.T, n int) network.Capability {
	c := network.Capability{Multicast: make([]bool, n), Aggregation: make([]bool, n)}
	for i := range n {
		c.Multicast[i] = rapid.Bool().Draw(t, "multicast")
		c.Aggregation[i] = rapid.Bool().Draw(t, "aggregation")
	}
	return c
}

func drawn(t *rapid.T, top *network.Topology, c network.Capability, o Options) *Pricer {
	p, err := NewPricer(top, c, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// More capability never costs more, for cliques under best and for rounds of pairs; and no price is below the bound.
func TestMoreCapabilityNeverCostsMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := drawNetwork(t, 6, false)
		less := drawCapability(t, len(top.Routers))
		more := network.Capability{Multicast: slices.Clone(less.Multicast), Aggregation: slices.Clone(less.Aggregation)}
		for i := range top.Routers {
			more.Multicast[i] = more.Multicast[i] || rapid.Bool().Draw(t, "more")
			more.Aggregation[i] = more.Aggregation[i] || rapid.Bool().Draw(t, "more")
		}
		o := Options{Payload: rapid.SampledFrom([]float64{0, 1e3, 1e6, 1e9}).Draw(t, "payload")}
		p, q := drawn(t, top, less, o), drawn(t, top, more, o)
		for _, r := range drawRounds(t, len(top.Islands)) {
			a, err := p.Round(r)
			if err != nil {
				t.Fatal(err)
			}
			b, err := q.Round(r)
			if err != nil {
				t.Fatal(err)
			}
			if b.Seconds > a.Seconds*(1+1e-11) {
				t.Fatalf("%v s with less, %v s with more", a.Seconds, b.Seconds)
			}
			for _, x := range []*Price{a, b} {
				if *x.LowerBound.Cut > x.BandwidthSeconds*(1+1e-11) {
					t.Fatalf("bound %v above the price %v", *x.LowerBound.Cut, x.BandwidthSeconds)
				}
				checkLoads(t, x)
			}
		}
	})
}

// The busiest arc has utilization 1 and is the bottleneck.
func checkLoads(t *rapid.T, p *Price) {
	top := 0.0
	for _, l := range p.Links {
		top = max(top, l.Utilization)
		if l.Utilization == 1 && p.Bottleneck == nil {
			t.Fatalf("no bottleneck beside %+v", l)
		}
	}
	if p.BandwidthSeconds > 0 && top != 1 {
		t.Fatalf("largest utilization %v", top)
	}
}

// On a tree an edge that splits a clique a | b carries, under sharded and in units of S from the a side:
// 2ab/k plain, a(1+b)/k multicast, b(1+a)/k aggregation, 1 with both.
func TestShardedOnTrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := drawNetwork(t, 8, true)
		members := drawCliques(t, len(top.Islands), 1)[0]
		k := len(members)
		if k < 2 {
			return
		}
		for level, want := range map[string]func(a, b float64) float64{
			"unicast":     func(a, b float64) float64 { return 2 * a * b / float64(k) },
			"multicast":   func(a, b float64) float64 { return a * (1 + b) / float64(k) },
			"aggregation": func(a, b float64) float64 { return b * (1 + a) / float64(k) },
			"both":        func(a, b float64) float64 { return 1 },
		} {
			can, err := top.Capability(level)
			if err != nil {
				t.Fatal(err)
			}
			p := drawn(t, top, can, Options{Payload: 1, Collective: Sharded})
			got, err := p.Round(&schedule.Round{Cliques: [][]int{members}})
			if err != nil {
				t.Fatal(err)
			}
			for l, link := range top.Links {
				near := p.side(link.A, func(arc int) bool { return arc>>1 == l })
				a, b := 0.0, 0.0
				for _, m := range members {
					if near[top.Islands[m].Router] {
						a++
					} else {
						b++
					}
				}
				expect := 0.0
				if a > 0 && b > 0 {
					expect = want(a, b)
				}
				from, to := top.Routers[link.A].ID, top.Routers[link.B].ID
				carried := 0.0
				for _, x := range got.Links {
					if x.From == from && x.To == to {
						carried = x.Bytes
					}
				}
				if math.Abs(carried-expect) > 1e-12 {
					t.Fatalf("%s: %g | %g members carry %g, want %g", level, a, b, carried, expect)
				}
			}
		}
	})
}

// Without help, an exchange is k(k-1) unicast streams: the bytes on all links are the hops of all pairs.
func TestPlainExchangeSumsToHops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := drawNetwork(t, 7, false)
		members := drawCliques(t, len(top.Islands), 1)[0]
		n := len(top.Routers)
		p := drawn(t, top, network.Capability{Multicast: make([]bool, n), Aggregation: make([]bool, n)}, Options{Payload: 1, Collective: Exchange})
		got, err := p.Round(&schedule.Round{Cliques: [][]int{members}})
		if err != nil {
			t.Fatal(err)
		}
		hops, carried := 0, 0.0
		for _, i := range members {
			for _, j := range members {
				hops += len(p.g.Path(top.Islands[i].Router, top.Islands[j].Router))
			}
		}
		for _, l := range got.Links {
			if l.Kind == network.KindLink {
				carried += l.Bytes
			}
		}
		if carried != float64(hops) {
			t.Fatalf("%v bytes on links, %d hops", carried, hops)
		}
	})
}

// Best is the joint minimum: it equals trying every combination of every candidate, ring orders by permutation.
func TestBestIsTheJointMinimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := drawNetwork(t, 6, false)
		o := Options{Payload: rapid.SampledFrom([]float64{1e3, 1e5, 1e6, 1e9}).Draw(t, "payload")}
		p := drawn(t, top, drawCapability(t, len(top.Routers)), o)
		parts := drawCliques(t, min(7, len(top.Islands)), 2)
		got, err := p.PartitionSeconds(parts)
		if err != nil {
			t.Fatal(err)
		}
		s := p.scratch.Get().(*scratch)
		var lists [][]*candidate
		for _, members := range p.tidy(parts) {
			list := p.treeCandidates(s, members)
			if len(members) >= 3 {
				table := p.newRingTable(members)
				permute(len(members), func(order []int) { list = append(list, table.candidate(order)) })
			}
			lists = append(lists, list)
		}
		want := math.Inf(1)
		choice := make([]*candidate, len(lists))
		var try func(d int)
		try = func(d int) {
			if d == len(lists) {
				busy, latency := p.measure(choice, s.total)
				want = min(want, busy+latency)
				return
			}
			for _, c := range lists[d] {
				choice[d] = c
				try(d + 1)
			}
		}
		try(0)
		if math.Abs(got-want) > 1e-11*want {
			t.Fatalf("best takes %v s, trying all %v", got, want)
		}
		// Cliques too large to list all orders take another way to the same result.
		p.listed, p.memo = 3, map[string]*menu{}
		again, err := p.PartitionSeconds(parts)
		if err != nil || math.Abs(again-want) > 1e-11*want {
			t.Fatalf("with bounded listing %v s, want %v (%v)", again, want, err)
		}
	})
}

// permute visits the orders of 0..k-1 that begin with 0.
func permute(k int, visit func([]int)) {
	order := make([]int, k)
	for i := range order {
		order[i] = i
	}
	var place func(i int)
	place = func(i int) {
		if i == k {
			visit(order)
			return
		}
		for j := i; j < k; j++ {
			order[i], order[j] = order[j], order[i]
			place(i + 1)
			order[i], order[j] = order[j], order[i]
		}
	}
	place(1)
}

// Several goroutines on one Pricer get the bits that one alone gets.
func TestConcurrentUse(t *testing.T) {
	top := load(t, "nine-city")
	shared := pricer(t, top, "unicast", Options{Payload: 1e9})
	var parts [][][]int
	eachPartition(7, func(p [][]int) {
		var c [][]int
		for _, m := range p {
			c = append(c, slices.Clone(m))
		}
		parts = append(parts, c)
	})
	got := make([][]float64, 4)
	var wait sync.WaitGroup
	for w := range got {
		wait.Go(func() {
			for i := range parts {
				s, err := shared.PartitionSeconds(parts[(i+w*len(parts)/4)%len(parts)])
				if err != nil {
					t.Error(err)
				}
				got[w] = append(got[w], s)
			}
		})
	}
	wait.Wait()
	alone := pricer(t, top, "unicast", Options{Payload: 1e9})
	for i := range parts {
		want, _ := alone.PartitionSeconds(parts[i])
		for w := range got {
			if s := got[w][(i-w*len(parts)/4+len(parts))%len(parts)]; s != want {
				t.Fatalf("%v: %v, alone %v", parts[i], s, want)
			}
		}
	}
}

// Beyond 16 routers only some cuts are tried: on a large network they must still find the minimum ones.
func TestCutBoundOfLargeNetworks(t *testing.T) {
	top := load(t, "path:n=30,bandwidth=1Gbps,access=10Gbps")
	got := round(t, pricer(t, top, "both", Options{Payload: 1e9}), [][]int{{0, 29}, {1, 28}, {2, 27}})
	if want := 3 * 8.0; *got.LowerBound.Cut != want { // three cliques over one link
		t.Errorf("bound %v, want %v", *got.LowerBound.Cut, want)
	}
	// Two meshes of ten, 10 Gbps inside, joined by two links of 1 Gbps: the minimum cut takes both.
	two := &network.Topology{Name: "two"}
	for i := range 20 {
		two.Routers = append(two.Routers, network.Router{ID: fmt.Sprint(i)})
		two.Islands = append(two.Islands, network.Island{ID: fmt.Sprint(i), Router: i, Egress: 1e11, Ingress: 1e11})
		for j := i / 10 * 10; j < i; j++ {
			two.Links = append(two.Links, network.Link{A: j, B: i, Bandwidth: 1e10})
		}
	}
	two.Links = append(two.Links, network.Link{A: 0, B: 10, Bandwidth: 1e9}, network.Link{A: 5, B: 15, Bandwidth: 1e9})
	got = round(t, pricer(t, two, "both", Options{Payload: 1e9}), [][]int{{3, 17}})
	if *got.LowerBound.Cut != 4 {
		t.Errorf("bound %v, want 4", *got.LowerBound.Cut)
	}
}

func TestLargeCliques(t *testing.T) {
	top := large()
	var all []int
	for i := range top.Islands {
		all = append(all, i)
	}
	got := round(t, pricer(t, top, "unicast", Options{Payload: 1e9, Collective: Ring}), [][]int{all})
	if len(got.Warnings) != 1 || len(got.Collectives[0].Order) != 20 {
		t.Errorf("warnings %v, order %v", got.Warnings, got.Collectives[0].Order)
	}
	// On a star every order takes the same time, so the search must stop at once even for twelve.
	star := load(t, "star:n=12,latency=1ms")
	got = round(t, pricer(t, star, "unicast", Options{Payload: 1e9}), [][]int{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}})
	if *got.Collectives[0].Name != Sharded || len(got.Warnings) != 0 {
		t.Errorf("star of 12: %s, %v", *got.Collectives[0].Name, got.Warnings)
	}
}

// A quick price is never below the exact one, and equal for one clique.
func TestQuickIsAnUpperBound(t *testing.T) {
	top, err := network.Load("nine-city")
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range []string{"unicast", "both"} {
		c, err := top.Capability(level)
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewPricer(top, c, Options{Payload: 1e9})
		if err != nil {
			t.Fatal(err)
		}
		quick := p.Quick()
		above := 0
		eachPartition(9, func(parts [][]int) {
			exact, err := p.PartitionSeconds(parts)
			if err != nil {
				t.Fatal(err)
			}
			fast, err := quick.PartitionSeconds(parts)
			if err != nil {
				t.Fatal(err)
			}
			if fast < exact*(1-1e-12) || len(parts) == 1 && fast != exact {
				t.Errorf("%s %v: quick %v, exact %v", level, parts, fast, exact)
			}
			if fast > exact*(1+1e-9) {
				above++
			}
		})
		t.Logf("%s: %d of 21147 partitions are dearer", level, above)
	}
}
