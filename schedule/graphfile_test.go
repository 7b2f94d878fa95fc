package schedule

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// One triangle with a tail, in every format.
func TestGraphFormats(t *testing.T) {
	want := []Edge{{I: 0, J: 1}, {I: 1, J: 2}, {I: 0, J: 2}, {I: 2, J: 3}}
	for name, text := range map[string]string{
		"list":      "# a comment\n0 1\n1 2\n2 0\n\n2 3\n3 2\n",
		"commas":    "0,1\n1,2\n2,0\n2,3\n",
		"networkx":  "0 1 {}\n1 2 {'weight': 3}\n2 0 {}\n2 3 {}\n",
		"graphml":   `<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected"><node id="0"/><node id="1"/><node id="2"/><node id="3"/><edge source="0" target="1"/><edge source="1" target="2"/><edge source="2" target="0"/><edge source="2" target="3"/></graph></graphml>`,
		"gml":       "Creator \"x [y]\"\ngraph [\n directed 0\n node [ id 0 label \"a ] b\" ]\n node [ id 1 graphics [ id 7 ] ]\n node [ id 2 ] node [ id 3 ]\n edge [ source 0 target 1 ] edge [source 1 target 2] edge [ source 2 target 0 ] edge [ source 2 target 3 ]\n]\n",
		"node-link": `{"directed": false, "nodes": [{"id": 0}, {"id": 1, "city": "x"}, {"id": 2}, {"id": 3}], "links": [{"source": 0, "target": 1}, {"source": 1, "target": 2}, {"source": 2, "target": 0}, {"source": 2, "target": 3}]}`,
	} {
		s, err := Load("graph:file="+write(t, name, text)+",weights=fdla", Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(want, s.Rounds[0].Edges); d != "" || s.N != 4 || s.Nodes != nil || s.Rounds[0].Rule != "fdla" {
			t.Errorf("%s: %s %+v", name, d, s)
		}
	}
}

func TestGraphNames(t *testing.T) {
	path := write(t, "g.txt", "LAX NYC\nNYC LON\n")
	s, err := Load("graph:file="+path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"LAX", "NYC", "LON"}, s.Nodes); d != "" {
		t.Error(d)
	}
	s, err = Load("graph:file="+path, Options{Nodes: []string{"LON", "NYC", "LAX"}})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Edge{{I: 1, J: 2}, {I: 0, J: 1}}, s.Rounds[0].Edges); d != "" {
		t.Error(d)
	}
	s, err = Load("random-edge:graph=file,file="+path, Options{})
	if err != nil || len(s.Random.Outcomes) != 2 {
		t.Errorf("%v, %+v", err, s)
	}
	if s, err := Load("graph:n=5,file="+write(t, "n.txt", "0 1\n1 2\n"), Options{}); err != nil || s.N != 5 {
		t.Errorf("%v, %+v", err, s)
	}
}

func TestDigraph(t *testing.T) {
	path := write(t, "d.txt", "0 1\n0 2\n1 2\n2 0\n")
	out, err := Load("digraph:file="+path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	in, err := Load("digraph:split=in,file="+path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows, columns := make([]float64, 3), make([]float64, 3)
	for _, e := range in.Rounds[0].Entries {
		rows[e.I] += e.Weight
	}
	for _, e := range out.Rounds[0].Entries {
		columns[e.J] += e.Weight
		if e.I == 2 && e.J == 0 && e.Weight != 1.0/3 {
			t.Errorf("node 0 gives %v to node 2, want a third", e.Weight)
		}
	}
	if d := cmp.Diff([]float64{1, 1, 1}, rows) + cmp.Diff([]float64{1, 1, 1}, columns); d != "" {
		t.Error(d)
	}
}

func TestGraphRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"0 1 0.5\n":                            "g:1: 3 columns where an edge has two",
		"0 0\n":                                "joins 0 to itself",
		"# nothing\n":                          "no node in it",
		"<graphml><graph><node id=\"a\"/>":     "g: XML syntax error",
		"<svg></svg>":                          "<svg> with 0 graphs",
		"graph [ node [ id 0 ]":                "1 brackets stay open",
		"graph [ edge [ source 0 ] ]":          "no source or no target",
		`{"nodes": [{"id": 0}]}`:               `"edges" is missing`,
		`{"nodes": [{"name": 0}], "links":[]}`: `field "id" is missing`,
	} {
		if _, err := Load("graph:file="+write(t, "g", text), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
	for line, want := range map[string]string{
		"graph": "file= is missing", "graph:file=/no/such/file": "no such file", "matcha:graph=rign": `did you mean "ring"?`,
		"matcha:budget=0": "budget=0 activates nothing", "random-edge:n=1": "no edge to pick", "random-cliques:k=9,n=4": "cliques of 9 among 4",
		"hyper-hypercube:k=2,n=10": "nearest sizes: 9 and 12", "hierarchical:groups=4,n=9": "nearest sizes: 8 and 12", "matcha:lazy=0.5": "lazy has no place",
	} {
		if _, err := Load(line, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", line, err, want)
		}
	}
}

func FuzzReadGraph(f *testing.F) {
	f.Add([]byte("0 1\n1 2\n"))
	f.Add([]byte("graph [ node [ id 0 ] edge [ source 0 target 1 ] ]"))
	f.Add([]byte("<graphml><graph><node id=\"a\"/></graph></graphml>"))
	f.Add([]byte(`{"nodes":[{"id":1}],"links":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := readGraph("g", data)
		if err != nil {
			return
		}
		names := g.order(nil)
		if len(names) == 0 {
			t.Fatal("a graph without nodes")
		}
		for _, e := range g.edges(names) {
			if e.I < 0 || e.J >= len(names) || e.I > e.J {
				t.Fatalf("edge %v of %d nodes", e, len(names))
			}
		}
	})
}

func FuzzLoad(f *testing.F) {
	for _, fam := range families {
		f.Add(fam.Name + ":n=6")
	}
	f.Add("matcha:graph=torus,rows=2,columns=3,budget=0.5")
	f.Add("0,1|2,3")
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, "file") || len(line) > 60 {
			return // no reading of arbitrary paths
		}
		if f, ok := family(familyName(line)); ok {
			b, err := f.load(line, Options{N: 6})
			if err == nil && b.N <= 200 {
				if err := b.Validate(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if s, err := ParseCliques(line, Options{N: 6}); err == nil {
			if err := s.Validate(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
