package network

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Old graph files are in ISO-8859-1, where é is one byte: GraphML says so, GML cannot.
func TestLatin1(t *testing.T) {
	graph := `<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="l" for="node" attr.name="label"/>` +
		"<graph><node id=\"0\"><data key=\"l\">D\xe9nver</data></node></graph></graphml>"
	gml := "graph [ node [ id 0 label \"D\xe9nver\" ] ]"
	for _, c := range []struct {
		name, data, err string
		warned          int
	}{
		{"a.graphml", `<?xml version="1.0" encoding="ISO-8859-1"?>` + graph, "", 0},
		{"a.graphml", `<?xml version="1.0" encoding="EBCDIC"?>` + graph, `encoding "EBCDIC" is not read: save the file as UTF-8`, 0},
		{"a.gml", gml, "", 1},
	} {
		top, err := Read(c.name, []byte(c.data))
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil || top.Routers[0].ID != "Dénver" || changes(top)[ChangedCharset] != c.warned {
			t.Errorf("%s: %v, %v", c.name, top, err)
		}
	}
}

// Bandwidths that no link has, and whose seconds would be infinite or 0, are refused where they stand.
func TestBandwidthLimits(t *testing.T) {
	native := "routers: [{id: A}, {id: B}]\nlinks:\n  - {between: [A, B], latency: 1ms, bandwidth: "
	gml := "graph [ node [ id 1 ] node [ id 2 ]\n edge [ source 1 target 2 bandwidth "
	for _, c := range []struct{ name, data, want string }{
		{"t.yaml", native + "1e-300bps}", "t.yaml:3:48: bandwidth of 1e-300 bit/s, want 1 to 1e+18"},
		{"t.yaml", native + "1e19bps}", "t.yaml:3:48: bandwidth of 1e+19 bit/s, want 1 to 1e+18"},
		{"t.yaml", native + "1bps}", ""},
		{"t.yaml", "routers: [{id: A}]\nislands: [{id: a, router: A, egress: 0.5bps}]", "t.yaml:2:38: egress of 0.5 bit/s, want 1 to 1e+18"},
		{"t.yaml", "routers: [{id: A, aggregation: {throughput: 0.5bps}}]", "throughput of 0.5 bit/s, want 1 to 1e+18"},
		{"t.gml", gml + "1e-300 ] ]", `t.gml:2:7: bandwidth "1e-300" is no bandwidth from 1 to 1e+18 bit/s`},
		{"t.csv", "a,b,bandwidth_gbps\nx,y,1e-300\n", "t.csv:2: bandwidth_gbps is 1e-300, want 1 to 1e+18 bit/s"},
		{"t.csv", "a,b,bandwidth_gbps\nx,y,1e10\n", "t.csv:2: bandwidth_gbps is 1e+10, want 1 to 1e+18 bit/s"},
	} {
		_, err := Read(c.name, []byte(c.data))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s\n  got  %v\n  want %s", c.data, err, c.want)
		}
	}
	if _, err := Load("star:access=0.5bps"); err == nil || !strings.Contains(err.Error(), "access of 0.5 bit/s, want 1 to 1e+18") {
		t.Errorf("family: %v", err)
	}
	dir := t.TempDir()
	for name, content := range map[string]string{"links.csv": "device1,device2\nPAR1,ROM1\n", "devices.csv": "device,edge\nPAR1,1e-300\nROM1,0\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "devices.csv:2: edge is 1e-300 Gbps, want 1 to 1e+18 bit/s") {
		t.Errorf("directory: %v", err)
	}
}
