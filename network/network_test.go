package network

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestNineCitySummary(t *testing.T) {
	top, err := Load("nine-city")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(top.IslandNames(), ","), "AMS,BAR,FRA,LAX,LON,NYC,SEO,SIN,TYO"; got != want {
		t.Errorf("islands %s, want %s", got, want)
	}
	// Farthest pair: BAR-NYC-LON-AMS-FRA-SIN, 55.32 + 45.60 + 1.45 + 2.11 + 52.42 ms, summed by hand.
	d := 0.1569
	want := Summary{Name: "nine-city", Routers: 9, Links: 11, Islands: 9, Connected: true, Components: 1,
		DiameterSeconds: &d, Bridges: [][2]string{{"BAR", "NYC"}, {"SEO", "TYO"}}}
	if diff := cmp.Diff(want, top.Summary()); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
}

func TestFamilies(t *testing.T) {
	for _, c := range []struct {
		line                            string
		routers, links, islands, bridge int
		diameter                        float64
	}{
		{"star:n=8,latency=10ms", 9, 8, 8, 8, 0.020},
		{"star:n=1", 2, 1, 1, 1, 0.010},
		{"ring:n=6,latency=1ms", 6, 6, 6, 0, 0.003},
		{"ring:n=2", 2, 1, 2, 1, 0.010},
		{"ring:n=1", 1, 0, 1, 0, 0},
		{"mesh:n=5", 5, 10, 5, 0, 0.010},
		{"path:n=4", 4, 3, 4, 3, 0.030},
		{"dumbbell:left=2,right=3", 2, 1, 5, 1, 0.010},
		{"star", 10, 9, 9, 9, 0.020},
	} {
		top, err := Load(c.line)
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		s := top.Summary()
		if s.Routers != c.routers || s.Links != c.links || s.Islands != c.islands || len(s.Bridges) != c.bridge ||
			*s.DiameterSeconds != c.diameter {
			t.Errorf("%s: %+v diameter %v", c.line, s, *s.DiameterSeconds)
		}
	}
}

func TestFamilyAccessFollowsBandwidth(t *testing.T) {
	for line, want := range map[string]float64{
		"star:n=3,bandwidth=40Gbps":              40e9,
		"star:n=3,bandwidth=40Gbps,access=1Gbps": 1e9,
	} {
		top, err := Load(line)
		if err != nil {
			t.Fatal(err)
		}
		if s := top.Islands[2]; s.Egress != want || s.Ingress != want || top.Links[0].Bandwidth != 40e9 {
			t.Errorf("%s: access %g, %g", line, s.Egress, s.Ingress)
		}
	}
}

func TestLoadErrors(t *testing.T) {
	for arg, want := range map[string]string{
		"nine-citty":           `did you mean "nine-city"?`,
		"sttar:n=3":            `did you mean "star"?`,
		"star:m=3":             `unknown key "m"`,
		"star:n=0":             "below 1",
		"star:bandwidth=0":     "bandwidth is 0",
		"star:bandwidth=10Gb":  `unknown unit "Gb"`,
		"mesh:n=5000":          "above 300",
		"no/such/file.yaml":    "does not exist",
		"missing.yaml":         "does not exist",
		"":                     "no name",
		"ring:latency=2h":      "latency is above",
		"dumbbell:left=2,n=3":  `unknown key "n"`,
		"path:n=2,access=0bps": "access is 0",
	} {
		if _, err := Load(arg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Load(%q) = %v, want an error with %q", arg, err, want)
		}
	}
}

func TestNativeErrorsNameThePlace(t *testing.T) {
	for _, c := range []struct{ yaml, want string }{
		{"routers: [{id: A}]\nlinks:\n  - {between: [A, ZRH], bandwidth: 10Gbps, latency: 1ms}\n", `t.yaml:3:19: unknown router "ZRH"`},
		{"routers: [{id: AMS}]\nislands: [{id: a, router: AMZ}]", `(did you mean "AMS"?)`},
		{"routers: [{id: A}, {id: A}]", `t.yaml:1:25: router "A" stands twice`},
		{"routers: [{id: A}]\nlinks: [{between: [A, A], bandwidth: 1Gbps, latency: 1ms}]", "with itself"},
		{"routers: [{id: A}, {id: B}]\nlinks: [{between: [A, B], bandwidth: 0, latency: 1ms}]", "bandwidth is 0"},
		{"routers: [{id: A}, {id: B}]\nlinks: [{between: [A, B], bandwidth: -1Gbps, latency: 1ms}]", "is negative"},
		{"routers: [{id: A}, {id: B}]\nlinks: [{between: [A, B], bandwidth: 1Gbps, latency: -1ms}]", "is negative"},
		{"routers: [{id: A}, {id: B}]\nlinks: [{between: [A, B], bandwidth: 1Gbps}]", `"latency" is missing`},
		{"routers: [{id: A}, {id: B}]\nlinks: [{between: [A], bandwidth: 1Gbps, latency: 1ms}]", "here are 1"},
		{"routers: [{id: A}, {id: B}]\nlinks:\n- {between: [A, B], bandwidth: 1Gbps, latency: 1ms}\n- {between: [B, A], bandwidth: 1Gbps, latency: 1ms}", "stands twice"},
		{"routers: [{id: A, lat: 3}]", "only one of lat and lon"},
		{"routers: [{id: A, lat: 93, lon: 0}]", "latitude 93"},
		{"routers: [{id: A, aggregation: {throughputt: 1Gbps}}]", `did you mean "throughput"?`},
		{"routers: [{id: A}]\nislands: [{id: a, router: A}, {id: a, router: A}]", `island "a" stands twice`},
		{"routers: [{id: A}]\nislands: [{id: a, router: A, egress: 0}]", "egress is 0"},
		{"routers: []", "empty"},
		{"name: x", `"routers" is missing`},
		{"routers: [{id: \"A|B\"}]", "separate names"},
		{"routrs: [{id: A}]", `did you mean "routers"?`},
	} {
		if _, err := Read("t.yaml", []byte(c.yaml)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n  got %v\n  want %q", c.yaml, err, c.want)
		}
	}
}

func TestNativeDefaults(t *testing.T) {
	top, err := Read("dir/demo.json", []byte(`{"routers":[{"id":"A","multicast":true,"aggregation":true},{"id":"B","aggregation":{"throughput":"100Gbps","contexts":64,"buffer":"32GB"}}],
		"links":[{"between":["A","B"],"bandwidth":"10Gbps","latency":0}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if top.Name != "demo" || len(top.Islands) != 2 || top.Islands[1] != (Island{"B", 1, 10e9, 10e9}) {
		t.Errorf("got %+v", top)
	}
	if diff := cmp.Diff(&Aggregation{100e9, 64, 32e9}, top.Routers[1].Aggregation); diff != "" {
		t.Error(diff)
	}
	c, err := top.Capability(LevelTopology)
	if err != nil || !slices.Equal(c.Multicast, []bool{true, false}) || !slices.Equal(c.Aggregation, []bool{true, true}) {
		t.Errorf("capability %v, %v", c, err)
	}
	if !top.HasCapableRouter() {
		t.Error("no capable router found")
	}
}

func TestCapability(t *testing.T) {
	top, _ := Load("path:n=3")
	for level, want := range map[string][2]bool{
		"unicast": {false, false}, "multicast": {true, false}, "aggregation": {false, true}, "both": {true, true},
		"topology": {false, false},
	} {
		c, err := top.Capability(level)
		if err != nil || c.Multicast[2] != want[0] || c.Aggregation[2] != want[1] {
			t.Errorf("%s: %v %v", level, c, err)
		}
	}
	if _, err := top.Capability("bth"); err == nil || !strings.Contains(err.Error(), `did you mean "both"?`) {
		t.Errorf("got %v", err)
	}
	c, err := top.CapabilityAt([]string{"1"}, []string{"0", "2"})
	if err != nil || !slices.Equal(c.Multicast, []bool{false, true, false}) || !slices.Equal(c.Aggregation, []bool{true, false, true}) {
		t.Errorf("%v %v", c, err)
	}
	if _, err := top.CapabilityAt(nil, []string{"7"}); err == nil || !strings.Contains(err.Error(), `"7"`) {
		t.Errorf("got %v", err)
	}
	if wide := top.WithAccess(1e11); wide.Islands[0].Egress != 1e11 || top.Islands[0].Egress != 10e9 {
		t.Error("WithAccess must copy")
	}
}

// The two ways round an even ring tie in latency and hops: the predecessor first in router order wins.
func TestRoutingTies(t *testing.T) {
	top, _ := Load("ring:n=6")
	g := NewGraph(top)
	names := func(a, b int) string {
		s := top.Routers[a].ID
		for _, arc := range g.Path(a, b) {
			s += g.Arcs[arc].To
		}
		return s
	}
	for _, c := range []struct {
		a, b int
		want string
	}{{0, 3, "0123"}, {3, 0, "3210"}, {1, 4, "1234"}, {2, 5, "2105"}, {2, 2, "2"}} {
		if got := names(c.a, c.b); got != c.want {
			t.Errorf("path %d to %d is %s, want %s", c.a, c.b, got, c.want)
		}
	}
	// 0.1 + 0.2 ms and 0.3 ms differ as floats: they must still tie, and the direct link has fewer hops.
	top, err := Read("t.yaml", []byte("routers: [{id: A}, {id: B}, {id: C}]\nlinks:\n- {between: [A, B], bandwidth: 1Gbps, latency: 0.1ms}\n- {between: [B, C], bandwidth: 1Gbps, latency: 0.2ms}\n- {between: [A, C], bandwidth: 1Gbps, latency: 0.3ms}"))
	if err != nil {
		t.Fatal(err)
	}
	if p := NewGraph(top).Path(0, 2); len(p) != 1 {
		t.Errorf("tie broken toward %d hops", len(p))
	}
}

// randomTopology draws a network that may be disconnected and have zero latencies and ties.
func randomTopology(t *rapid.T) *Topology {
	n := rapid.IntRange(1, 9).Draw(t, "routers")
	top := &Topology{Name: "random"}
	for i := range n {
		top.Routers = append(top.Routers, Router{ID: fmt.Sprint(i)})
	}
	for a := range n {
		for b := a + 1; b < n; b++ {
			if rapid.IntRange(0, 2).Draw(t, "link") == 0 {
				ms := rapid.IntRange(0, 4).Draw(t, "latency")
				top.Links = append(top.Links, Link{a, b, 1e9, float64(ms) / 1e3})
			}
		}
	}
	top.attachIslands(1e9)
	return top
}

// Distances agree with Floyd and Warshall's recurrence, an independent computation.
func TestDistancesAreShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := randomTopology(t)
		if err := top.Validate(); err != nil {
			t.Fatal(err)
		}
		n := len(top.Routers)
		d := make([][]float64, n)
		for i := range d {
			d[i] = make([]float64, n)
			for j := range d[i] {
				if i != j {
					d[i][j] = math.Inf(1)
				}
			}
		}
		for _, l := range top.Links {
			d[l.A][l.B], d[l.B][l.A] = l.Latency, l.Latency
		}
		for k := range n {
			for i := range n {
				for j := range n {
					d[i][j] = min(d[i][j], d[i][k]+d[k][j])
				}
			}
		}
		g := NewGraph(top)
		for i := range n {
			tree := g.Tree(i)
			for j := range n {
				got := tree.Latency(j)
				if got != d[i][j] && math.Abs(got-d[i][j]) > 1e-12 {
					t.Fatalf("distance %d to %d is %g, want %g", i, j, got, d[i][j])
				}
				if g.Connected(i, j) != !math.IsInf(d[i][j], 1) {
					t.Fatalf("connected(%d, %d) = %v", i, j, g.Connected(i, j))
				}
			}
		}
	})
}

// A link is a bridge exactly when the number of components grows without it.
func TestBridges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := randomTopology(t)
		found := top.Bridges()
		before := top.Summary().Components
		for l := range top.Links {
			without := *top
			without.Links = slices.Delete(slices.Clone(top.Links), l, l+1)
			if is := without.Summary().Components > before; is != slices.Contains(found, l) {
				t.Fatalf("link %d: bridge %v, found %v", l, is, found)
			}
		}
	})
}
