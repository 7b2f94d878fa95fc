package network

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func mustLoad(t testing.TB, arg string) *Topology {
	t.Helper()
	top, err := Load(arg)
	if err != nil {
		t.Fatal(err)
	}
	return top
}

func linkNames(t *Topology) []string {
	var out []string
	for _, l := range t.Links {
		out = append(out, t.Routers[l.A].ID+"-"+t.Routers[l.B].ID)
	}
	return out
}

func changes(t *Topology) map[string]int {
	m := map[string]int{}
	for _, c := range t.Changes {
		m[c.Kind] = c.Count
	}
	return m
}

// Devices of a metro are one router; its access is the largest edge; parallel links add up, the least latency stays.
func TestDirectoryOfDevices(t *testing.T) {
	top := mustLoad(t, "testdata/metros")
	if top.Name != "metros" || strings.Join(top.IslandNames(), " ") != "MAD PAR ROM" {
		t.Errorf("%s: islands %v", top.Name, top.IslandNames())
	}
	if diff := cmp.Diff([]float64{10e9, 40e9, 1e9}, []float64{top.Islands[0].Egress, top.Islands[1].Ingress, top.Islands[2].Egress}); diff != "" {
		t.Error(diff)
	}
	want := []Link{{2, 1, 10e9, 0.0115}, {1, 0, 12.5e9, 0.009}}
	if diff := cmp.Diff(want, top.Links); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{ChangedInsideMetro: 1, ChangedParallelLinks: 1}, changes(top)); diff != "" {
		t.Error(diff)
	}
}

// Half of the measured round trip is the latency, half of the committed one where none is measured.
func TestDirectoryOfSnapshot(t *testing.T) {
	top := mustLoad(t, "testdata/snapshot")
	if diff := cmp.Diff([]string{"HEL", "OSL", "STO"}, top.IslandNames()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Link{{1, 2, 10e9, 0.00425}, {2, 0, 10e9, 0.0035}}, top.Links); diff != "" {
		t.Error(diff)
	}
	alone := mustLoad(t, "testdata/snapshot/links.csv")
	if diff := cmp.Diff(top.Links, alone.Links); diff != "" {
		t.Errorf("without devices.csv: %s", diff)
	}
}

func TestTableOfPairs(t *testing.T) {
	top := mustLoad(t, "testdata/pairs.csv")
	if diff := cmp.Diff([]string{"east", "west", "south"}, top.IslandNames()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Link{{0, 1, 0.8e9, 0.030}, {0, 2, 1.1e9, 0.012}, {1, 2, 0.5e9, 0.025}}, top.Links); diff != "" {
		t.Error(diff)
	}
	if len(top.Warnings) != 0 {
		t.Error(top.Warnings)
	}
}

func TestGraphML(t *testing.T) {
	top := mustLoad(t, "testdata/zoo.graphml")
	if diff := cmp.Diff([]string{"Paris", "Paris 2", "Rome Italy", "node 3", "Peer"}, top.RouterNames()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"Paris", "Paris 2", "Rome Italy"}, top.IslandNames()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"Paris-Paris 2", "Paris-Rome Italy", "Paris 2-node 3", "Rome Italy-node 3", "Peer-Paris"}, linkNames(top)); diff != "" {
		t.Error(diff)
	}
	if !top.Routers[4].Outside || top.Routers[3].Outside || top.Name != "Fixture" {
		t.Errorf("%+v", top)
	}
	// OC-192 is 192 × 51.84 Mbit/s; two parallel links of 2.5 Gbit/s.
	for i, want := range []float64{9.95328e9, 5e9, 10e9, 10e9, 20e9} {
		if top.Links[i].Bandwidth != want {
			t.Errorf("link %d has %g bit/s, want %g", i, top.Links[i].Bandwidth, want)
		}
	}
	// Paris to Rome is 1105 km as the crow flies: 7.6 ms of fiber 1.4 times as long at 204 km/ms.
	if l := top.Links[1].Latency; math.Abs(l-7.6e-3) > 0.1e-3 {
		t.Errorf("latency %g s", l)
	}
	want := map[string]int{ChangedHyperedges: 1, ChangedOutsidePeers: 1, ChangedSpeedFromLabel: 2, ChangedSpeedDefault: 2,
		ChangedLatencyFromMap: 2, ChangedLatencyDefault: 3, ChangedParallelLinks: 1, ChangedSelfLoops: 1, ChangedNames: 2}
	if diff := cmp.Diff(want, changes(top)); diff != "" {
		t.Error(diff)
	}
	if top.Guessed.Bandwidth != 2 || top.Guessed.Latency != 5 {
		t.Errorf("guessed %+v", top.Guessed)
	}
}

func TestGML(t *testing.T) {
	top := mustLoad(t, "testdata/zoo.gml")
	if top.Name != "Small & square" || !slices.Equal(top.RouterNames(), []string{"A", "7"}) {
		t.Errorf("%s %v", top.Name, top.RouterNames())
	}
	// STM-16 is 16 × 155.52 Mbit/s; one degree of latitude is 111.19 km.
	if l := top.Links[0]; l.Bandwidth != 16*155.52e6+45e6 || math.Abs(l.Latency-111.19*1.4/204e3) > 1e-7 {
		t.Errorf("%+v", l)
	}
}

func TestNodeLinkJSON(t *testing.T) {
	top := mustLoad(t, "testdata/links.json")
	if top.Name != "two by two" || !slices.Equal(top.RouterNames(), []string{"x", "y", "z"}) {
		t.Errorf("%s %v", top.Name, top.RouterNames())
	}
	// Two directions are one link of the slower one's speed; its latency is that of the shorter way.
	if l := top.Links[0]; l.Bandwidth != 4e9 || math.Abs(l.Latency-111.19*1.4/204e3) > 1e-7 {
		t.Errorf("%+v", l)
	}
	if l := top.Links[1]; l.Bandwidth != 40e9 || l.Latency != 0.003 {
		t.Errorf("%+v", l)
	}
	if diff := cmp.Diff(map[string]int{ChangedLatencyFromMap: 1, ChangedSpeedUnit: 2, ChangedOneWayLinks: 2}, changes(top)); diff != "" {
		t.Error(diff)
	}
}

// Spellings from published maps; hierarchy rates from ITU-T G.702 and G.707, ANSI T1.105 and T1.107.
func TestSpeedLabels(t *testing.T) {
	for label, want := range map[string]float64{
		"OC-192c": 9953.28e6, "OC3": 155.52e6, "oc-48": 2488.32e6, "STM-16": 2488.32e6, "STM 4": 0, "2xOC-12": 1244.16e6,
		"2x10Gb/s": 20e9, "2 x 10 Gbps": 20e9, "10Gbps": 10e9, "10 Gbit/s": 10e9, "2.5 Gbit/s": 2.5e9, "<45Mb": 45e6,
		">10Gbps": 10e9, "1-10Gbps": 1e9, "34/45 Mbit/s": 34e6, "Lit (10 Gbps)": 10e9, "10GE": 10e9, "10G": 10e9,
		"622 Mbps": 622e6, "256 kbps": 256e3, "10 GigE": 10e9, "GigE": 1e9, "Gigabit Ethernet": 1e9, "Fast Ethernet": 100e6,
		"DS3": 44.736e6, "T1": 1.544e6, "E3": 34.368e6, "1 Tbps": 1e12, "100 Gigabit Ethernet": 100e9,
		"": 0, "Completion 2007-2008": 0, "red": 0, "Leased Wavelength/Managed Service": 0, "300 km": 0, "10 m": 0, "T9": 0,
		"0 Mbps": 0, "E-line": 0,
	} {
		got, ok := speedOf(label)
		if ok != (want > 0) || ok && math.Abs(got-want) > 1e-9*want {
			t.Errorf("%q reads as %g, %v; want %g", label, got, ok, want)
		}
	}
}

func TestReaderErrorsNameThePlace(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"t.graphml", "<?xml version='1.0'?><graphml><graph edgedefault='undirected'><node id='0'/>", "t.graphml:1:77: the file ends in the middle"},
		{"t.graphml", "<html></html>", "no <graphml> element"},
		{"t.graphml", "<graphml></graphml>", "no <graph> element"},
		{"t.graphml", "<graphml><graph><node id='0'/><node id='0'/></graph></graphml>", `node "0" stands twice`},
		{"t.graphml", "<graphml><graph><node id='ab1'/>\n<edge source='ab1' target='ab2'/></graph></graphml>", `t.graphml:2:34: edge names unknown node "ab2" (did you mean "ab1"?)`},
		{"t.graphml", "<graphml><graph><node id='0'><data key='d9'>x</data></node></graph></graphml>", `key "d9"`},
		{"t.graphml", "<graphml><graph></graph></graphml>", "no router"},
		{"t.graphml", "<graphml><graph><node id='0'/><hyperedge/></graph></graphml>", "<hyperedge> is not read"},
		{"t.graphml", "<graphml><key id='a' for='node' attr.name='Latitude'/><key id='b' for='node' attr.name='Longitude'/><graph><node id='0'><data key='a'>north</data><data key='b'>3</data></node></graph></graphml>", `latitude "north"`},
		{"t.gml", "graph [ node [ id 1 ]", "t.gml:1:7: this bracket is never closed"},
		{"t.gml", "graph [ node [ label \"x ] ]", "no closing quote"},
		{"t.gml", "graph [ node [ label 1 ] ]", "t.gml:1:14: node without id"},
		{"t.gml", "graph [ ] ]", "a closing bracket too many"},
		{"t.gml", "graph [ node [ id 1 ] edge [ source 1 ] ]", "edge without source and target"},
		{"t.gml", "graph [ edge 3 ]", "a list in [brackets]"},
		{"t.gml", "graph [ node [ id 1 ] node [ id 2 ]\n edge [ source 1 target 2 bandwidth \"10Gb\" ] ]", `t.gml:2:7: bandwidth "10Gb"`},
		{"t.json", `{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}]}`, `t.json:1:35: edge names unknown node "2"`},
		{"t.json", `{"nodes": [{"name": 1}], "links": []}`, "node without id"},
		{"t.json", `{"nodes": [{"id": 1, "pos": [1]}], "links": []}`, "pos has 1 numbers"},
		{"t.csv", "a,b,latency_ms\nx,y,fast\n", `t.csv:2: latency_ms "fast"`},
		{"t.csv", "a,b,latency_ms\nx,y\n", "t.csv:2:1: wrong number of fields"},
		{"t.csv", "one,two,three\n1,2,3\n", "t.csv:1: no two columns"},
		{"t.csv", "a,b,bandwidth_gbps\nx,y,0\n", "t.csv:2: bandwidth_gbps is 0"},
		{"t.csv", "a,b,bandwidth_gbps\nx,,1\n", "t.csv:2: row without b"},
		{"t.csv", "a,b,b\nx,y,1\n", `column "b" stands twice`},
	} {
		if _, err := Read(c.name, []byte(c.data)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n  got  %v\n  want %s", c.data, err, c.want)
		}
	}
	empty := t.TempDir()
	if _, err := Load(empty); err == nil || !strings.Contains(err.Error(), "private_links.csv") {
		t.Errorf("empty directory: %v", err)
	}
	links := "device1,device2,latency,bandwidth\nPAR1,ROM1,3,10\n"
	for name, content := range map[string]string{"private_links.csv": links, "devices.csv": "device,edge\nPAR1,10\n"} {
		if err := os.WriteFile(filepath.Join(empty, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Load(empty); err == nil || !strings.Contains(err.Error(), `private_links.csv:2: device "ROM1" is not in devices.csv`) {
		t.Errorf("unknown device: %v", err)
	}
}

func TestPresets(t *testing.T) {
	for name, want := range map[string][3]int{ // routers, links, islands
		"nine-city": {9, 11, 9}, "doublezero-testnet": {8, 8, 8}, "abilene": {11, 14, 11}, "geant": {34, 52, 34},
	} {
		s := mustLoad(t, name).Summary()
		if got := [3]int{s.Routers, s.Links, s.Islands}; got != want || !s.Connected || s.Name != name {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if got := len(Presets()); got != 4 {
		t.Errorf("%d presets", got)
	}
}

// drawWritten draws a topology with every field that a file can hold.
func drawWritten(t *rapid.T) *Topology {
	name := rapid.StringMatching(`[A-Za-z0-9äö#:'" _-]{1,8}`)
	top := &Topology{Name: rapid.String().Draw(t, "name")}
	used := map[string]bool{}
	fresh := func(what string) string {
		return name.Filter(func(s string) bool { return badName(s) == "" && !used[s] }).Draw(t, what)
	}
	speed := rapid.Float64Range(1, 1e13)
	for range rapid.IntRange(1, 5).Draw(t, "routers") {
		r := Router{ID: fresh("id"), Multicast: rapid.Bool().Draw(t, "multicast"), Outside: rapid.Bool().Draw(t, "outside")}
		used[r.ID] = true
		if rapid.Bool().Draw(t, "placed") {
			r.HasPosition, r.Lat, r.Lon = true, rapid.Float64Range(-90, 90).Draw(t, "lat"), rapid.Float64Range(-180, 180).Draw(t, "lon")
		}
		if rapid.Bool().Draw(t, "aggregation") {
			r.Aggregation = &Aggregation{}
			if rapid.Bool().Draw(t, "limited") {
				r.Aggregation = &Aggregation{speed.Draw(t, "throughput"), rapid.IntRange(1, 9).Draw(t, "contexts"), speed.Draw(t, "buffer")}
			}
		}
		top.Routers = append(top.Routers, r)
	}
	for b := range top.Routers {
		for a := range b {
			if rapid.Bool().Draw(t, "link") {
				top.Links = append(top.Links, Link{a, b, speed.Draw(t, "bandwidth"), rapid.Float64Range(0, 3600).Draw(t, "latency")})
			}
		}
	}
	if rapid.Bool().Draw(t, "default islands") {
		top.attachIslands(DefaultAccess)
		return top
	}
	clear(used)
	for range rapid.IntRange(0, 3).Draw(t, "islands") {
		s := Island{fresh("island"), rapid.IntRange(0, len(top.Routers)-1).Draw(t, "router"), speed.Draw(t, "egress"), speed.Draw(t, "ingress")}
		used[s.ID] = true
		top.Islands = append(top.Islands, s)
	}
	return top
}

func TestWriteReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := drawWritten(t)
		data, err := Write(top)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Read("t.yaml", data)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		if diff := cmp.Diff(top, back); diff != "" {
			t.Fatalf("%s\n%s", diff, data)
		}
	})
}

func TestWrittenFormIsShort(t *testing.T) {
	out, err := Write(mustLoad(t, "nine-city"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"  - {between: [TYO, LAX], bandwidth: 10Gbps, latency: 57.62ms}\n",
		`  - {id: LAX, city: "Los Angeles", lat: 34.0496, lon: -118.2594}` + "\n",
	} {
		if !bytes.Contains(out, []byte(line)) {
			t.Errorf("no %q in\n%s", line, out)
		}
	}
	zoo, err := Write(mustLoad(t, "testdata/zoo.graphml"))
	if err != nil || !bytes.HasPrefix(zoo, []byte("# 1 hyperedge nodes")) {
		t.Errorf("%v\n%s", err, zoo)
	}
}

// fuzzReader feeds a reader anything: no panic, errors of one line, topologies that are valid and can be written.
func fuzzReader(f *testing.F, name string, seeds ...string) {
	for _, s := range seeds {
		data, err := os.ReadFile(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		top, err := Read(name, data)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error of several lines: %q", err)
			}
			return
		}
		top.Summary()
		if _, err := Write(top); err != nil {
			t.Errorf("cannot be written: %v", err)
		}
	})
}

func FuzzReadNative(f *testing.F)   { fuzzReader(f, "f.yaml", "presets/nine-city.yaml") }
func FuzzReadGraphML(f *testing.F)  { fuzzReader(f, "f.graphml", "testdata/zoo.graphml") }
func FuzzReadGML(f *testing.F)      { fuzzReader(f, "f.gml", "testdata/zoo.gml") }
func FuzzReadNodeLink(f *testing.F) { fuzzReader(f, "f.json", "testdata/links.json") }
func FuzzReadTable(f *testing.F) {
	fuzzReader(f, "f.csv", "testdata/pairs.csv", "testdata/snapshot/links.csv", "testdata/metros/private_links.csv")
}

// Attribute names and units in which files give speeds and delays.
func TestEdgeAttributes(t *testing.T) {
	for _, c := range []struct {
		attribute          string
		bandwidth, latency float64
		change             string
	}{
		{`"bandwidth": "40Gbps", "latency": "5ms"`, 40e9, 5e-3, ""},
		{`"bandwidth_gbps": 2.5, "delay_ms": 5`, 2.5e9, 5e-3, ""},
		{`"capacity_mbps": 155, "rtt_ms": 5`, 155e6, 2.5e-3, ""},
		{`"capacity": 1e10, "latency_ms": 0`, 10e9, 0, ChangedSpeedUnit},
		{`"capacity": 10, "latency_ms": 0`, 10e9, 0, ChangedSpeedUnit},
		{`"LinkSpeedRaw": "45000000.0", "latency": 7`, 45e6, 7e-3, ChangedLatencyUnit},
		{`"label": "OC-3", "delay": "1ms"`, 155.52e6, 1e-3, ChangedSpeedFromLabel},
		{`"bandwidth": "1Gbps", "length_km": 204`, 1e9, 1.4e-3, ChangedLatencyFromMap},
		{`"delay": "1ms"`, 10e9, 1e-3, ChangedSpeedDefault},
		{`"bandwidth": "1Gbps"`, 1e9, 10e-3, ChangedLatencyDefault},
	} {
		top, err := Read("t.json", []byte(`{"nodes": [{"id": "a"}, {"id": "b"}], "edges": [{"source": "a", "target": "b", `+c.attribute+`}]}`))
		if err != nil {
			t.Errorf("%s: %v", c.attribute, err)
			continue
		}
		if l := top.Links[0]; math.Abs(l.Bandwidth-c.bandwidth) > 1e-9*c.bandwidth || math.Abs(l.Latency-c.latency) > 1e-15 {
			t.Errorf("%s: %+v", c.attribute, l)
		}
		found := changes(top)
		if c.change == "" && len(found) > 0 || c.change != "" && found[c.change] != 1 {
			t.Errorf("%s: changes %v, want %s", c.attribute, found, c.change)
		}
	}
	for _, bad := range []string{`"bandwidth": 0`, `"bandwidth": "10Gb"`, `"latency": "-1ms"`, `"latency": "fast"`, `"rtt_ms": 1e300`, `"dist": "far"`} {
		_, err := Read("t.json", []byte(`{"nodes": [{"id": "a"}, {"id": "b"}], "edges": [{"source": "a", "target": "b", `+bad+`}]}`))
		if err == nil || !strings.HasPrefix(err.Error(), "t.json:1:") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// Topologies that a program builds are checked like files.
func TestValidate(t *testing.T) {
	good := func() *Topology { return mustLoad(t, "path:n=3") }
	if err := good().Validate(); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(*Topology){
		"no router":             func(x *Topology) { x.Routers = nil },
		"at most 2000":          func(x *Topology) { x.Routers = make([]Router, MaxRouters+1) },
		"router 1 has no id":    func(x *Topology) { x.Routers[1].ID = "" },
		`router "0" stands`:     func(x *Topology) { x.Routers[1].ID = "0" },
		"lies at 91":            func(x *Topology) { x.Routers[0].HasPosition, x.Routers[0].Lat = true, 91 },
		"limits must be finite": func(x *Topology) { x.Routers[0].Aggregation = &Aggregation{Buffer: math.NaN()} },
		"names router 0 or 3":   func(x *Topology) { x.Links[0].B = 3 },
		"with itself":           func(x *Topology) { x.Links[0].B = 0 },
		"link 1-0 stands twice": func(x *Topology) { x.Links[1] = Link{A: 1, B: 0, Bandwidth: 1} },
		"bandwidth NaN":         func(x *Topology) { x.Links[0].Bandwidth = math.NaN() },
		"latency -1":            func(x *Topology) { x.Links[0].Latency = -1 },
		"latency +Inf":          func(x *Topology) { x.Links[0].Latency = math.Inf(1) },
		"island 2 has no id":    func(x *Topology) { x.Islands[2].ID = "" },
		`island "1" stands`:     func(x *Topology) { x.Islands[2].ID = "1" },
		"hangs on router 9":     func(x *Topology) { x.Islands[2].Router = 9 },
		`"0": access of 0`:      func(x *Topology) { x.Islands[0].Egress = 0 },
	} {
		x := good()
		spoil(x)
		if err := x.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
		if _, err := Write(x); err == nil {
			t.Errorf("%s: written", want)
		}
	}
}

func TestGraphArcs(t *testing.T) {
	g := NewGraph(mustLoad(t, "path:n=3,bandwidth=1Gbps,latency=2ms,access=3Gbps"))
	for i, want := range map[int]Arc{
		0:            {"0", "1", KindLink, 1e9, 2e-3, 0, 1},
		1:            {"1", "0", KindLink, 1e9, 2e-3, 1, 0},
		g.Egress(2):  {"2", "2", KindEgress, 3e9, 0, -1, 2},
		g.Ingress(0): {"0", "0", KindIngress, 3e9, 0, 0, -1},
	} {
		if g.Arcs[i] != want {
			t.Errorf("arc %d is %+v, want %+v", i, g.Arcs[i], want)
		}
	}
	if !slices.Equal(g.Out(1), []int{1, 2}) || g.Picos(0) != 2e9 || len(g.Arcs) != 10 {
		t.Errorf("out %v, %d ps, %d arcs", g.Out(1), g.Picos(0), len(g.Arcs))
	}
}
