package presets

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/presets.md")

// The headline number of every system, from a formula worked out here or from the paper. Tolerances are relative.
func TestHeadlines(t *testing.T) {
	for name, want := range map[string]struct {
		row       int
		value     float64
		tolerance float64
		source    string
	}{
		"async-local-sgd":     {1, 0.975758, 1e-4, "50 steps of 0.1 s and 1.6 s of exchange against a round of 6.44 s by a ring of 8, by hand"},
		"ba-topo":             {3, 0.6, 0.15, "the torus of 16 has λ = 0.6; what is found is no worse"},
		"d-psgd":              {0, 7.5, 1e-9, "2(n-1) payloads through a server against 4 through a node of a ring"},
		"dgc":                 {0, 500, 1e-9, "32 bits against 0.001 × 64"},
		"diloco":              {0, 500, 1e-9, "H = 500"},
		"exponential":         {0, 0.4, 1e-9, "2/(1+log2 16)"},
		"factored-gossip":     {0, 0.75 * 0.00260272533, 1e-8, "closed form of the disagreement mode, times 1-1/n"},
		"fedavg":              {0, 20, 1, "10 to 100 times, as recalled"},
		"halos":               {0, 4, 0.2, "workers that never wait: 16 over (1 to 4 s) against rounds of 4 s and a ring"},
		"intellect-1":         {0, 95.7, 1e-3, "published"},
		"large-minibatch":     {0, 2 * 31.0 / 32 * 0.8 / 0.12, 1e-3, "2(k-1)/k payloads of 0.8 Gbit in 0.12 s"},
		"matcha":              {0, 33.0 / 49, 1e-8, "exact optimum for the ring of 6"},
		"offloaded-broadcast": {0, 2 * 187.0 / 188, 1e-9, "2(k-1)/k"},
		"pccl":                {2, 4.0 * 1.048576 * 8 / 90, 1e-9, "one window of 4 MiB each round trip of 90 ms"},
		"powersgd":            {0, 136, 2e-3, "published"},
		"streaming-diloco":    {0, 400, 1e-9, "100 steps × 16 bits over 4"},
		"switchml":            {3, 0.08 + 2*5e-6, 1e-6, "one payload in, one out, whatever the number of workers"},
		"taccl":               {0, 2.117682 / 1.736022, 1e-5, "ring and packing of the nine cities, worked values of the network model"},
		"unified":             {2, 0.287613986, 1e-8, "1 - λ² of the ring of nine"},
	} {
		p, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if got := *r.Rows[want.row].Predicted; math.Abs(got/want.value-1) > want.tolerance {
			t.Errorf("%s, %s: %.9g, want %.9g (%s)", name, r.Rows[want.row].Label, got, want.value, want.source)
		}
	}
	if n := len(List()); n != 19 {
		t.Errorf("%d presets, want nineteen", n)
	}
}

// Streaming DiLoCo's tables: the first within 2%, the required bandwidths within a step of their grid of 50 points and the
// rounding of what was printed. INTELLECT-1's utilizations to a tenth of a percentage point.
func TestPublishedTables(t *testing.T) {
	const gridStep = 1.2068 * 1.005 // 10^(4/49), and the truncation of its points in print
	p, err := Load("streaming-diloco")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	rates := 0
	for _, row := range r.Rows {
		published := *row.Published
		if row.Quantity != "rate-for-utilization" {
			if math.Abs(*row.Ratio-1) > 0.02 {
				t.Errorf("%s: %v, published %v", row.Label, *row.Predicted, published)
			}
			continue
		}
		rates++
		if *row.Predicted > (published+0.05)*gridStep || *row.Predicted < (published-0.05)/gridStep {
			t.Errorf("%s: %v, published %v", row.Label, *row.Predicted, published)
		}
	}
	if rates != 60 {
		t.Errorf("%d required bandwidths, the table has 60", rates)
	}
	if p, err = Load("intellect-1"); err != nil {
		t.Fatal(err)
	}
	if r, err = Run(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rows {
		if row.Published != nil && math.Abs(*row.Predicted-*row.Published) > 0.1 {
			t.Errorf("%s: %v, published %v", row.Label, *row.Predicted, *row.Published)
		}
	}
}

// A prediction has nothing but the settings to go by: change one, and it moves by the factor that the formula says.
func TestPredictionsFollowSettings(t *testing.T) {
	for _, c := range []struct {
		preset   string
		row      int
		key, old string
		changed  string
		factor   float64
	}{
		{"switchml", 2, "payload", "100MB", "200MB", 1.99988}, // 0.16001 / 0.08001: the latency of 10 µs stays
		{"diloco", 0, "local_steps", "500", "50", 0.1},
		{"large-minibatch", 0, "payload", "100MB", "300MB", 3},
		{"large-minibatch", 0, "topology", "star:n=32,bandwidth=50Gbps,latency=0", "star:n=32,bandwidth=25Gbps,latency=0", 1},                   // what is needed
		{"large-minibatch", 1, "topology", "star:n=32,bandwidth=50Gbps,latency=0", "star:n=32,bandwidth=25Gbps,latency=0", 0.818698 / 0.900306}, // 0.28 s over 0.28 s + 62/32 × 0.8 Gbit
		{"intellect-1", 3, "payload", "10GB", "20GB", 2},
		{"dgc", 0, "keep", "0.001", "0.01", 0.1},
	} {
		p, err := Load(c.preset)
		if err != nil {
			t.Fatal(err)
		}
		before, err := Run(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if p.Setting[c.key] != c.old {
			t.Fatalf("%s: %s is %q, want %q", c.preset, c.key, p.Setting[c.key], c.old)
		}
		p.Setting[c.key] = c.changed
		after, err := Run(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if got := *after.Rows[c.row].Predicted / *before.Rows[c.row].Predicted; math.Abs(got/c.factor-1) > 1e-4 {
			t.Errorf("%s with %s = %s: the prediction moves by %v, want %v", c.preset, c.key, c.changed, got, c.factor)
		}
	}
}

// A number that does not exist is none, and keeps no other from being computed.
func TestNumbersThatDoNotExist(t *testing.T) {
	p, err := Read("p.yaml", []byte(`preset: p
paper: none
about: a model so large that no bandwidth of the grid is enough
setting: {parameters: "10e9", bytes: 2, step_time: 1s, local_steps: 1, layers: 24}
numbers:
  - {label: far, quantity: rate-for-utilization, published: 1, status: read, with: {parameters: "1e15", target: 99}}
  - {label: near, quantity: rate-for-utilization, with: {target: 50}}
`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if far := r.Rows[0]; far.Predicted != nil || far.Ratio != nil || far.Reason != "even 1000 Gb/s do not reach 99%" {
		t.Errorf("%+v", far)
	}
	if near := r.Rows[1]; near.Predicted == nil {
		t.Errorf("%+v", near)
	}
	p.Setting["step_time"] = "soon"
	if _, err := Run(context.Background(), p); err == nil {
		t.Error("a step time of soon is no mistake")
	}
}

func TestCurvesConverge(t *testing.T) {
	for _, name := range List() {
		p, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Converge(context.Background(), p, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		if c == nil {
			continue
		}
		first, last := c.Points[0], c.Points[len(c.Points)-1]
		if last.MSE == nil || first.MSE == nil || *last.MSE > *first.MSE {
			t.Errorf("%s: the error does not fall: %v to %v", name, first.MSE, last.MSE)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"preset: x\npaper: y\nabout: z\nnumbers:\n  - {quantity: rond-seconds}\n":                                         `did you mean "round-seconds"`,
		"preset: x\npaper: y\nabout: z\nnumbers:\n  - {quantity: p, published: 3}\n":                                      "needs the status",
		"preset: x\npaper: y\nabout: z\nsetting: {paylod: 1GB}\nnumbers: []\n":                                            `did you mean "payload"`,
		"preset: x\npaper: y\nnumbers: []\n":                                                                              `"about" is missing`,
		"preset: x\npaper: y\nabout: z\nnumbers:\n  - {label: n, quantity: ring-rate, with: {members: 3}}\n":              `"payload" is missing`,
		"preset: x\npaper: y\nabout: z\nsetting: {schedule: rign}\nnumbers:\n  - {label: n, quantity: p}\n":               `did you mean "ring"`,
		"preset: x\npaper: y\nabout: z\nsetting: {keep: many, members: 3}\nnumbers:\n  - {label: n, quantity: density}\n": "no finite number",
	} {
		p, err := Read("x.yaml", []byte(in))
		if err == nil {
			_, err = Run(context.Background(), p)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", in, err, want)
		}
	}
	if _, err := Load("dilocco"); err == nil || !strings.Contains(err.Error(), `did you mean "diloco"`) {
		t.Errorf("error %v", err)
	}
}

func FuzzRead(f *testing.F) {
	data, err := Source("powersgd")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = Read("f.yaml", data) })
}

// docs/presets.md is made from the presets.
func TestPageIsFresh(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Nineteen systems\n\nMade from the presets themselves: `analyze preset run NAME` prints one, with its error curve.\n")
	for _, name := range List() {
		p, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s %s.\n\n| number | predicted | published | source |\n| --- | --- | --- | --- |\n", name, p.About, p.Paper)
		for i, row := range r.Rows {
			if i == 24 {
				fmt.Fprintf(&b, "| and %d more | | | |\n", len(r.Rows)-i)
				break
			}
			published, source := "", row.Status
			if row.Published != nil {
				published = fmt.Sprintf("%.4g", *row.Published)
			}
			if source == "recalled" {
				source = "as recalled"
			}
			if row.Fitted {
				source += ", fitted"
			}
			fmt.Fprintf(&b, "| %s | %.4g %s | %s | %s |\n", row.Label, *row.Predicted, row.Unit, published, source)
		}
		for _, i := range r.Inferred {
			fmt.Fprintf(&b, "\nInferred: %s.", i)
		}
		for _, i := range r.Fitted {
			fmt.Fprintf(&b, "\nFitted: %s.", i)
		}
		fmt.Fprintf(&b, "\n\nLeft out: %s\n", r.LeavesOut)
	}
	const path = "../docs/presets.md"
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(data) != b.String() {
		t.Errorf("%s is not what the presets say (run with -update)", path)
	}
}
