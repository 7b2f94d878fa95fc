// Package presets holds the systems that this toolkit builds on, each as a small file of settings in our own words and
// the numbers that its paper gives.
//
// A preset predicts nothing by itself: every number names a quantity, which is computed by the same engines as the
// commands (prices of rounds, mixing matrices, exact moments, simulation) from the settings alone. Change a setting and
// the prediction moves with it. Beside the prediction stands the published number, marked as read in the paper or as
// recalled; parameters that the paper does not give are listed as inferred, and those that were fitted to its numbers as
// fitted. A number that rests on a fitted parameter has no ratio.
package presets

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/islandsgd/islands/internal/doc"
	"github.com/islandsgd/islands/internal/text"
)

//go:embed data
var files embed.FS

// Preset is one system.
type Preset struct {
	Name      string
	Paper     string
	About     string   // what it is, in a sentence
	Setting   Settings // its published setting, and what was inferred
	Numbers   []Number
	Inferred  []string // parameters that the paper does not give
	Fitted    []string // parameters chosen so that a number comes out
	LeavesOut string   // what the model does not see
	Curve     Settings // schedule, algorithm and local steps of its error curve on the standard quadratic; empty: none
}

// Number is one prediction with what the paper says.
type Number struct {
	Label     string
	Quantity  string
	Unit      string
	With      Settings // changes of the setting for this number
	Published *float64
	Status    string // "read" or "recalled", where Published is set
	Fitted    bool   // rests on a fitted parameter
}

// Settings are texts by key, such as "payload": "10GB".
type Settings map[string]string

// keys are the settings that a file may hold. What a quantity does not ask for it ignores.
var keys = []string{
	"topology", "capability", "collective", "schedule", "algorithm", "problem", "payload", "step_time", "local_steps", "step", "against",
	"members", "keep", "rank", "vectors", "matrices", "communication", "bandwidth", "target", "steps", "tokens", "batch", "parameters", "bytes",
	"bits", "fragments", "overlap", "slots", "packet", "rtt", "factor", "edges", "nodes", "gamma", "degree", "hidden", "runs", "layers", "window", "connections", "latency", "slow",
}

// List returns the names of all presets, sorted.
func List() []string {
	entries, err := fs.ReadDir(files, "data")
	if err != nil {
		panic("presets: " + err.Error()) // embedded
	}
	var out []string
	for _, e := range entries {
		out = append(out, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	slices.Sort(out)
	return out
}

// Source returns the file of a preset as it is written.
func Source(name string) ([]byte, error) {
	if !slices.Contains(List(), name) {
		return nil, fmt.Errorf("unknown preset %q%s", name, text.DidYouMean(name, List()))
	}
	return files.ReadFile(path.Join("data", name+".yaml"))
}

// Load reads a built-in preset.
func Load(name string) (*Preset, error) {
	data, err := Source(name)
	if err != nil {
		return nil, err
	}
	return Read(name+".yaml", data)
}

// Read reads a preset from the bytes of a file; name stands in messages.
func Read(name string, data []byte) (*Preset, error) {
	root, err := doc.Parse(name, data)
	if err != nil {
		return nil, err
	}
	f, err := root.Map("preset", "paper", "about", "setting", "numbers", "inferred", "fitted", "leaves_out", "curve")
	if err != nil {
		return nil, err
	}
	p := &Preset{}
	for _, t := range []struct {
		key  string
		to   *string
		must bool
	}{{"preset", &p.Name, true}, {"paper", &p.Paper, true}, {"about", &p.About, true}, {"leaves_out", &p.LeavesOut, false}} {
		n, ok := f.Get(t.key)
		if !ok && t.must {
			_, err := f.Require(t.key)
			return nil, err
		}
		if !ok {
			continue
		}
		if *t.to, err = n.Text(); err != nil {
			return nil, err
		}
	}
	if p.Setting, err = readSettings(f, "setting"); err != nil {
		return nil, err
	}
	if p.Curve, err = readSettings(f, "curve"); err != nil {
		return nil, err
	}
	if p.Inferred, err = readTexts(f, "inferred"); err != nil {
		return nil, err
	}
	if p.Fitted, err = readTexts(f, "fitted"); err != nil {
		return nil, err
	}
	list, err := f.Require("numbers")
	if err != nil {
		return nil, err
	}
	nodes, err := list.List()
	if err != nil {
		return nil, err
	}
	for _, n := range nodes {
		number, err := readNumber(n)
		if err != nil {
			return nil, err
		}
		p.Numbers = append(p.Numbers, *number)
	}
	return p, nil
}

func readNumber(n doc.Node) (*Number, error) {
	f, err := n.Map("label", "quantity", "unit", "with", "published", "status", "fitted")
	if err != nil {
		return nil, err
	}
	out := &Number{}
	for _, t := range []struct {
		key string
		to  *string
	}{{"label", &out.Label}, {"quantity", &out.Quantity}, {"unit", &out.Unit}, {"status", &out.Status}} {
		if v, ok := f.Get(t.key); ok {
			if *t.to, err = v.Text(); err != nil {
				return nil, err
			}
		}
	}
	if _, ok := quantities[out.Quantity]; !ok {
		return nil, n.Errorf("unknown quantity %q%s", out.Quantity, text.DidYouMean(out.Quantity, quantityNames()))
	}
	if v, ok := f.Get("published"); ok {
		x, err := v.Float()
		if err != nil {
			return nil, err
		}
		out.Published = &x
		if out.Status != "read" && out.Status != "recalled" {
			return nil, n.Errorf("a published number needs the status read or recalled, not %q", out.Status)
		}
	}
	if v, ok := f.Get("fitted"); ok {
		if out.Fitted, err = v.Bool(); err != nil {
			return nil, err
		}
	}
	out.With, err = readSettings(f, "with")
	return out, err
}

func readSettings(f doc.Fields, key string) (Settings, error) {
	n, ok := f.Get(key)
	if !ok {
		return Settings{}, nil
	}
	m, err := n.Map(keys...)
	if err != nil {
		return nil, err
	}
	out := Settings{}
	for _, k := range n.Keys() {
		v, ok := m.Get(k)
		if !ok {
			continue
		}
		if out[k], err = v.Text(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func readTexts(f doc.Fields, key string) ([]string, error) {
	n, ok := f.Get(key)
	if !ok {
		return nil, nil
	}
	list, err := n.List()
	if err != nil {
		return nil, err
	}
	out := make([]string, len(list))
	for i, v := range list {
		if out[i], err = v.Text(); err != nil {
			return nil, err
		}
	}
	return out, nil
}
