package doc

import (
	"strings"
	"testing"

	"github.com/islandsgd/islands/internal/units"
)

func TestReadsYAMLAndJSON(t *testing.T) {
	for _, in := range []string{
		"name: three\nsize: 1GB\ncount: 3\nstep: 1e-3\nlist: [1, 2.5]\nflag: true\nnothing: null\n",
		"{\n\t\"name\": \"three\",\n\t\"size\": \"1GB\", \"count\": 3, \"step\": 1e-3,\n\t\"list\": [1, 2.5], \"flag\": true, \"nothing\": null}\n",
	} {
		n, err := Parse("t.yaml", []byte(in))
		if err != nil {
			t.Fatal(err)
		}
		f, err := n.Map("name", "size", "count", "step", "list", "flag", "nothing")
		if err != nil {
			t.Fatal(err)
		}
		get := func(k string) Node {
			v, err := f.Require(k)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		if s, err := get("name").Text(); s != "three" || err != nil {
			t.Error(s, err)
		}
		if v, err := get("size").Quantity(units.Bytes); v != 1e9 || err != nil {
			t.Error(v, err)
		}
		if v, err := get("count").Int(1); v != 3 || err != nil {
			t.Error(v, err)
		}
		if v, err := get("step").Float(); v != 1e-3 || err != nil {
			t.Error(v, err)
		}
		if v, err := get("list").Floats(); len(v) != 2 || v[1] != 2.5 || err != nil {
			t.Error(v, err)
		}
		if v, err := get("flag").Bool(); !v || err != nil {
			t.Error(v, err)
		}
		if _, ok := f.Get("nothing"); ok {
			t.Error("null counts as present")
		}
	}
}

func TestRefusesWithPlace(t *testing.T) {
	read := func(n Node) error {
		f, err := n.Map("name", "count", "rounds", "list")
		if err != nil {
			return err
		}
		if v, ok := f.Get("count"); ok {
			if _, err := v.Int(1); err != nil {
				return err
			}
		}
		if v, ok := f.Get("list"); ok {
			if _, err := v.Floats(); err != nil {
				return err
			}
		}
		_, err = f.Require("name")
		return err
	}
	for _, c := range []struct{ in, want string }{
		{"name: x\nruonds: 3\n", `t.yaml:2:1: unknown field "ruonds" (did you mean "rounds"?)`},
		{"name: x\ncount: 4.5\n", `t.yaml:2:8: "4.5" where a whole number`},
		{"name: x\ncount: 0\n", `t.yaml:2:8: 0 is below 1`},
		{"name: x\nlist: [1, .nan]\n", `t.yaml:2:11: ".nan" where a finite number`},
		{"name: x\nlist: [1, NaN]\n", `where a finite number`},
		{"name: x\nlist: 4\n", `t.yaml:2:7: "4" where a list`},
		{"count: 3\n", `t.yaml:1:1: field "name" is missing`},
		{"name: x\nname: y\n", "t.yaml:2:1: "},
		{"name: [1, 2\n", "t.yaml:1:"},
		{"", "empty"},
		{"a: &x 1\nb: *x\n", "unknown field"},
		{"name: a\n---\nname: b\n", "2 documents"},
		{strings.Repeat("[", 1000), "nested deeper"},
		{strings.Repeat("- ", 1000) + "1", "nested deeper"},
	} {
		n, err := Parse("dir/t.yaml", []byte(c.in))
		if err == nil {
			err = read(n)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v, want one line with %q", c.in, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("a: [1, {b: c}]\n"))
	f.Add([]byte("{\"a\": \"\\t\"}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := Parse("f.yaml", data)
		if err != nil {
			return
		}
		_, _ = n.Map("a")
		_, _ = n.List()
		_, _ = n.Float()
		_ = n.Keys()
	})
}
