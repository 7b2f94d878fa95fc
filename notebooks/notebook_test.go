package notebooks

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the outputs into the notebooks instead of comparing them")

// TestNotebooks runs every cell of every notebook, without Jupyter or GoNB, and compares what it prints with what the
// notebook shows: text word by word, numbers within a tolerance, pictures by type.
func TestNotebooks(t *testing.T) {
	all := load(t)
	program, err := buildNotebooks(t.Context(), t.TempDir(), all)
	if err != nil {
		t.Fatal(err)
	}
	for name, nb := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runNotebook(t, program, name, nb)
		})
	}
}

// TestNotebooksTeach checks what every notebook promises: the format, a title, a reading time of minutes and not hours,
// and exercises that are answered.
func TestNotebooksTeach(t *testing.T) {
	for name, nb := range load(t) {
		if k, _ := nb.Metadata["kernelspec"].(map[string]any); nb.Format != 4 || nb.Minor != 5 || k["name"] != "gonb" {
			t.Errorf("%s: format %d.%d for kernel %v, want 4.5 for gonb", name, nb.Format, nb.Minor, k["name"])
		}
		ids := map[string]bool{}
		text := ""
		for _, c := range nb.Cells {
			if c.ID == "" || ids[c.ID] {
				t.Errorf("%s: cell id %q is missing or used twice", name, c.ID)
			}
			ids[c.ID] = true
			for _, o := range c.Outputs {
				if o.Type == "display_data" && o.Metadata == nil || o.Type == "stream" && o.Metadata != nil {
					t.Errorf("%s, cell %s: Jupyter refuses an output of type %s with metadata %v", name, c.ID, o.Type, o.Metadata)
				}
			}
			if c.Type == "markdown" {
				text += strings.Join(c.Source, "") + "\n\n"
			}
		}
		if n := len(nb.Cells); n < 8 || n > 16 {
			t.Errorf("%s: %d cells", name, n)
		}
		if !strings.HasPrefix(text, "# ") {
			t.Errorf("%s: no title", name)
		}
		if e, a := strings.Count(text, "**Exercise"), strings.Count(text, "**Answer"); e < 2 || e != a {
			t.Errorf("%s: %d exercises and %d answers, want two or more", name, e, a)
		}
	}
}

func load(t *testing.T) map[string]*notebook {
	paths, err := filepath.Glob("*.ipynb")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no notebooks: %v", err)
	}
	all := map[string]*notebook{}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		var nb notebook
		if err := json.Unmarshal(data, &nb); err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		all[strings.TrimSuffix(p, ".ipynb")] = &nb
	}
	return all
}

// notebook is the part of the file format (nbformat 4.5) that we use.
type notebook struct {
	Cells    []*cell        `json:"cells"`
	Metadata map[string]any `json:"metadata"`
	Format   int            `json:"nbformat"`
	Minor    int            `json:"nbformat_minor"`
}

type cell struct {
	Type     string         `json:"cell_type"`
	Count    *int           `json:"execution_count"`
	ID       string         `json:"id"`
	Metadata map[string]any `json:"metadata"`
	Outputs  []output       `json:"outputs"`
	Source   []string       `json:"source"`
}

// MarshalJSON leaves out what belongs to code cells alone.
func (c *cell) MarshalJSON() ([]byte, error) {
	if c.Type == "code" {
		type plain cell
		if c.Outputs == nil {
			c.Outputs = []output{}
		}
		return marshal((*plain)(c))
	}
	return marshal(struct {
		Type     string         `json:"cell_type"`
		ID       string         `json:"id"`
		Metadata map[string]any `json:"metadata"`
		Source   []string       `json:"source"`
	}{c.Type, c.ID, c.Metadata, c.Source})
}

type output struct {
	Type     string         `json:"output_type"`
	Name     string         `json:"name,omitempty"`
	Text     []string       `json:"text,omitempty"`
	Data     map[string]any `json:"data,omitempty"`
	Metadata map[string]any `json:"metadata,omitzero"` // a picture must have it, if empty; printed text must not
}

// marshal is json.Marshal without the escaping of < > &, which would make sources unreadable.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

func runNotebook(t *testing.T, program, name string, nb *notebook) {
	pipe := filepath.Join(t.TempDir(), "display")
	count := 0
	for i, c := range nb.Cells {
		if c.Type != "code" {
			continue
		}
		var got []output
		if _, _, hasMain := splitCell(strings.Join(c.Source, "")); hasMain {
			var err error
			if got, err = execute(t.Context(), program, cellKey(name, i), pipe); err != nil {
				t.Fatalf("cell %d: %v", i, err)
			}
		}
		count++
		if *update {
			c.Count, c.Outputs = new(int), got
			*c.Count = count
			continue
		}
		if diff := compare(c.Outputs, got); diff != "" {
			t.Errorf("cell %d: %s (run with -update after looking at it)", i, diff)
		}
	}
	if *update {
		out, err := marshal(nb)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := json.Indent(&b, out, "", " "); err != nil {
			t.Fatal(err)
		}
		b.WriteByte('\n')
		if err := os.WriteFile(name+".ipynb", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// compare returns what differs between the stored and the new outputs, or "".
func compare(want, got []output) string {
	if len(want) != len(got) {
		return fmt.Sprintf("%d outputs, the notebook shows %d", len(got), len(want))
	}
	for i := range want {
		if d := compareText(strings.Join(want[i].Text, ""), strings.Join(got[i].Text, "")); d != "" {
			return d
		}
		for kind := range want[i].Data {
			if _, ok := got[i].Data[kind]; !ok {
				return "the notebook shows a " + kind + " that the cell no longer displays"
			}
		}
		if len(want[i].Data) != len(got[i].Data) {
			return "the cell displays something that the notebook does not show"
		}
	}
	return ""
}

var numberPattern = regexp.MustCompile(`-?\d+(\.\d+)?([eE][-+]?\d+)?`)

// compareText compares words exactly and numbers as closely as processors agree: to six digits, and where four digits or
// more are printed by one unit of the last, which rounding may tip either way.
func compareText(want, got string) string {
	const tolerance, reliable = 1e-6, 4
	blank := func(s string) string { // numbers that differ in length shift the padding of a table
		return strings.Join(strings.Fields(numberPattern.ReplaceAllString(s, " # ")), " ")
	}
	if blank(want) != blank(got) {
		return fmt.Sprintf("prints\n%s\nthe notebook shows\n%s", got, want)
	}
	ws, gs := numberPattern.FindAllString(want, -1), numberPattern.FindAllString(got, -1)
	for i := range ws {
		w, _ := strconv.ParseFloat(ws[i], 64)
		g, _ := strconv.ParseFloat(gs[i], 64)
		allowed := tolerance * math.Max(1, math.Abs(w))
		if digits, unit := printed(ws[i]); digits >= reliable {
			allowed = max(allowed, 1.001*unit)
		}
		if math.Abs(w-g) > allowed {
			return fmt.Sprintf("prints %s where the notebook shows %s", gs[i], ws[i])
		}
	}
	return ""
}

// printed returns the number of significant digits of a decimal fraction as it is written, and the unit of the last
// one. A whole number is exact: it has none.
func printed(s string) (digits int, unit float64) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(s), "e")
	e, _ := strconv.Atoi(exponent)
	whole, fraction, isFraction := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")
	if !isFraction {
		return 0, 0
	}
	return len(strings.TrimLeft(whole+fraction, "0")), math.Pow(10, float64(e-len(fraction)))
}

func TestCompareCanFail(t *testing.T) {
	stream := func(s string) []output { return []output{{Type: "stream", Text: []string{s}}} }
	picture := []output{{Type: "display_data", Data: map[string]any{"image/png": ""}}}
	for _, c := range []struct {
		name      string
		want, got []output
		same      bool
	}{
		{"rounding", stream("x = 0.3333333333"), stream("x = 0.3333333334"), true},
		{"rounding of the last digit", stream("x = 0.12345"), stream("x = 0.12346"), true},
		{"two units of the last digit", stream("x = 0.12345"), stream("x = 0.12347"), false},
		{"another number", stream("x = 0.33"), stream("x = 0.34"), false},
		{"another count", stream("12345 pairs"), stream("12346 pairs"), false},
		{"another word", stream("x = 1"), stream("y = 1"), false},
		{"missing picture", picture, []output{{Type: "display_data", Data: map[string]any{"text/markdown": ""}}}, false},
		{"missing output", stream("x"), nil, false},
	} {
		if got := compare(c.want, c.got) == ""; got != c.same {
			t.Errorf("%s: same = %v, want %v", c.name, got, c.same)
		}
	}
}

func TestCellsSeeOnlyWhatCameBefore(t *testing.T) {
	code := func(lines ...string) *cell { return &cell{Type: "code", Source: lines} }
	for _, c := range []struct {
		name  string
		cells []*cell
		want  string // in the error; "": none
	}{
		{"in order", []*cell{code("func f() int { return 1 }\n"), code("%%\n", "println(f())")}, ""},
		{"used too early", []*cell{code("%%\n", "println(f())"), code("func f() int { return 1 }\n")}, "cell 0 uses f, which cell 1 declares"},
		{"no Go", []*cell{code("%%\n", "println(")}, "expected"},
	} {
		_, _, err := packageSource("p", "test", &notebook{Cells: c.cells})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}
