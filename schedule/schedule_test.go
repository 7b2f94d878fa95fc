package schedule

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func mustLoad(t *testing.T, line string, o Options) *Schedule {
	t.Helper()
	s, err := Load(line, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const demo = `schedule: demo
nodes: [AMS, BAR, FRA, LAX]
local_steps: 2
rounds:
  - cliques: [[AMS, BAR], [FRA, LAX]]
  - edges: [[AMS, FRA, 0.5], [BAR, LAX, 1e-1]]
  - matrix: [[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0.25,0.75]]
    local_steps: 5
  - cliques: []
  - edges: [[AMS, FRA], [1, 3]]
    weights: metropolis
    lazy: 0.5
  - entries: [[AMS, BAR, 1], [BAR, AMS, 1], [FRA, FRA, 1], [LAX, LAX, 1]]
`

func TestRead(t *testing.T) {
	got, err := Read("demo.yaml", []byte(demo), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := &Schedule{
		Name: "demo", N: 4, Nodes: []string{"AMS", "BAR", "FRA", "LAX"},
		Rounds: []Round{
			{LocalSteps: 2, Cliques: [][]int{{0, 1}, {2, 3}}},
			{LocalSteps: 2, Edges: []Edge{{0, 2, .5}, {1, 3, .1}}},
			{LocalSteps: 5, Entries: []Edge{{0, 0, 1}, {1, 1, 1}, {2, 2, 1}, {3, 2, .25}, {3, 3, .75}}},
			{LocalSteps: 2},
			{LocalSteps: 2, Edges: []Edge{{0, 2, 0}, {1, 3, 0}}, Rule: "metropolis", Lazy: .5},
			{LocalSteps: 2, Entries: []Edge{{0, 1, 1}, {1, 0, 1}, {2, 2, 1}, {3, 3, 1}}},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestFormReadsBack(t *testing.T) {
	demo, err := Read("demo.yaml", []byte(demo), Options{})
	if err != nil {
		t.Fatal(err)
	}
	listed, err := Read("r.yaml", []byte("nodes: [A, B, C]\nlocal_steps: 3\nrandom:\n  - {probability: 0.25, cliques: [[A, B]]}\n  - {probability: 0.75, edges: [[B, C, 0.25]]}\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Schedule{demo, listed, mustLoad(t, "random-cliques:k=3,n=40,h=2,lazy=0.5", Options{}), mustLoad(t, "random-edge:graph=star,n=5", Options{Nodes: []string{"a", "b", "c", "d", "e"}}),
		mustLoad(t, "matcha:graph=torus,n=9,budget=0.3", Options{}), mustLoad(t, "ring:n=3,weights=reversible,target=0.5/0.25/0.25", Options{}), mustLoad(t, "rotating-cliques:k=3,n=9,h=4", Options{}), mustLoad(t, "star:n=5,weights=fdla,lazy=0.5", Options{})} {
		for name, marshal := range map[string]func(any) ([]byte, error){"s.json": json.Marshal, "s.yaml": func(v any) ([]byte, error) { return yaml.Marshal(v) }} {
			data, err := marshal(s.Form())
			if err != nil {
				t.Fatal(err)
			}
			got, err := Read(name, data, Options{})
			if err != nil {
				t.Fatalf("%v in\n%s", err, data)
			}
			clean := cmpopts.EquateEmpty()
			if s.Fingerprint() != got.Fingerprint() {
				t.Errorf("%s: fingerprint changed in\n%s", name, data)
			}
			if d := cmp.Diff(s.Form(), got.Form(), clean); d != "" {
				t.Errorf("%s: %s in\n%s", name, d, data)
			}
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"schedule: b\nn: 2\nruonds:\n  - cliques: [[0,1]]\n", `s.yaml:3:1: unknown field "ruonds" (did you mean "rounds"?)`},
		{"nodes: [AAA, BBB]\nrounds:\n  - cliques: [[AAA, CCC]]\n", `s.yaml:3:21: unknown node "CCC"`},
		{"n: 2\nrounds:\n  - matrix: [[.nan,0.5],[0.5,0.5]]\n", "s.yaml:3:15:"},
		{"n: 2\nrounds:\n  - matrix: [[1,0]]\n", "1 rows for 2 nodes"},
		{"n: 2\nrounds:\n  - cliques: [[0,1],[1]]\n", "s.yaml:3:22: node 1 is in two cliques"},
		{"n: 2\nrounds:\n  - cliques: [[0,2]]\n", "node 2 does not exist"},
		{"n: 2\nrounds:\n  - {cliques: [[0]], edges: [[0,1,0.5]]}\n", "one of cliques, edges"},
		{"n: 2\nrounds:\n  - edges: [[0,1,0.5],[1,0,0.5]]\n", "edge 1-0 stands twice"},
		{"n: 2\nrounds:\n  - edges: [[0,1]]\n", "2 values where [node, node, weight]"},
		{"n: 2\nrounds: []\n", "at least one round"},
		{"n: 2\n", `field "rounds" is missing`},
		{"rounds:\n  - cliques: []\n", `"nodes" or "n" is missing`},
		{"n: 0\nrounds:\n  - cliques: []\n", "below 1"},
		{"n: 2.5\nrounds:\n  - cliques: []\n", "whole number"},
		{"nodes: [A, A]\nrounds:\n  - cliques: []\n", "stands twice"},
		{"n: 2\nrandom: {cliques_of: 3}\n", "s.yaml:2:10: cliques of 3 among 2 nodes"},
		{"n: 3\nrandom: {matchings: [[[0, 1], [1, 2]]], budget: 0.5}\n", "two edges meet at a node"},
		{"n: 3\nrandom: {matchings: [[[0, 1]]]}\n", `"budget" is missing`},
		{"n: 2\nrandom:\n  - {probability: 0.5, cliques: [[0,1]]}\n", "probabilities sum to 0.5"},
	} {
		_, err := Read("dir/s.yaml", []byte(c.file), Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want one with %q", c.file, err, c.want)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	nine := Options{Nodes: strings.Split("ABCDEFGHI", "")}
	for _, c := range []struct {
		line string
		o    Options
		want string
	}{
		{"rign:n=4", Options{}, `unknown schedule "rign" (did you mean "ring"?)`},
		{"hypercube:n=7", Options{}, "7 is no power of two (nearest: 4 and 8)"},
		{"ring:n=4", nine, "4 nodes, but there are 9 islands"},
		{"ring:k=4", Options{}, `unknown key "k"`},
		{"ring:weights=metro", Options{}, "weights=metro is unknown"},
		{"rotating-cliques:weights=metropolis", Options{}, `unknown key "weights"`},
		{"ring:n=0", Options{}, "below 1"},
		{"ring:lazy=0", Options{}, "lazy=0 never mixes"},
		{"missing.yaml", Options{}, "schedule missing.yaml: no such file"},
		{"torus:rows=3,n=10", Options{}, "no multiple of rows=3"},
		{"complete:n=100000", Options{}, "allreduce averages"},
	} {
		if _, err := Load(c.line, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want one with %q", c.line, err, c.want)
		}
	}
}

func TestParseCliques(t *testing.T) {
	names := Options{Nodes: []string{"AMS", "BAR", "FRA", "LAX"}}
	s, err := ParseCliques("AMS, 2|BAR,LAX", names)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([][]int{{0, 2}, {1, 3}}, s.Rounds[0].Cliques); d != "" {
		t.Error(d)
	}
	if got := s.CliqueText(); got != "AMS,FRA|BAR,LAX" {
		t.Errorf("written back as %q", got)
	}
	for _, c := range []struct{ in, want string }{
		{"AMS,BRA", `unknown node "BRA" (did you mean "BAR"?)`},
		{"AMS,BAR|AMS", "node AMS is in two cliques"},
		{"AMS,,BAR", "a member is empty"},
		{"0,4", "node 4 does not exist"},
	} {
		if _, err := ParseCliques(c.in, names); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want one with %q", c.in, err, c.want)
		}
	}
}

func TestFingerprint(t *testing.T) {
	base := mustParse(t, "0,1|2,3")
	for _, same := range []string{"3,2|1,0", "2,3|0,1"} {
		if mustParse(t, same).Fingerprint() != base.Fingerprint() {
			t.Errorf("%q differs from 0,1|2,3", same)
		}
	}
	seen := map[string]string{} // the form counts, even where W is the same
	for _, form := range []string{"cliques: [[0, 1]]", "edges: [[0, 1, 0.5]]", "matrix: [[0.5, 0.5], [0.5, 0.5]]"} {
		s, err := Read("t.yaml", []byte("schedule: t\nn: 2\nrounds: [{"+form+"}]\n"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if other, twice := seen[s.Fingerprint()]; twice {
			t.Errorf("%s has the fingerprint of %s", form, other)
		}
		seen[s.Fingerprint()] = form
	}
	if mustParse(t, "0,2|1,3").Fingerprint() == base.Fingerprint() {
		t.Error("other cliques, same fingerprint")
	}
	two := mustLoad(t, "ring:n=4,h=2", Options{})
	if two.Fingerprint() == mustLoad(t, "ring:n=4", Options{}).Fingerprint() {
		t.Error("other local steps, same fingerprint")
	}
}

func mustParse(t *testing.T, s string) *Schedule {
	t.Helper()
	out, err := ParseCliques(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A file that names the islands in another order is renumbered to theirs.
func TestReadFollowsIslands(t *testing.T) {
	s, err := Read("s.yaml", []byte("nodes: [B, A, C]\nrounds:\n  - cliques: [[A, C]]\n"), Options{Nodes: []string{"A", "B", "C"}})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([][]int{{0, 2}}, s.Rounds[0].Cliques); d != "" {
		t.Error(d)
	}
	if _, err := Read("s.yaml", []byte("nodes: [B, A, X]\nrounds:\n  - cliques: []\n"), Options{Nodes: []string{"A", "B", "C"}}); err == nil || !strings.Contains(err.Error(), `"X"`) {
		t.Errorf("error %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(demo))
	f.Add([]byte(`{"n":2,"rounds":[{"cliques":[[0,1]]}]}`))
	f.Add([]byte("n: 4\nrandom: {cliques_of: 2}\n"))
	f.Add([]byte("n: 4\nrandom: {matchings: [[[0, 1]], [[1, 2]]], budget: 0.5}\n"))
	f.Add([]byte("n: 2\nrandom:\n  - {probability: 1, cliques: [[0,1]]}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Read("f", data, Options{})
		if err != nil {
			return
		}
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(s.Form())
		if err != nil {
			t.Fatal(err)
		}
		back, err := Read("again", again, Options{})
		if err != nil {
			t.Fatalf("%v in %s", err, again)
		}
		if back.Fingerprint() != s.Fingerprint() {
			t.Fatalf("changed by %s", again)
		}
	})
}
