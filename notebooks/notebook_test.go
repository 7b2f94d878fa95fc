package notebooks

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/islandsgd/islands/notebooks/display"
)

var update = flag.Bool("update", false, "write the outputs into the notebooks instead of comparing them")

// TestNotebooks runs every cell of every notebook, without Jupyter or GoNB, and compares what it prints with what the
// notebook shows: text word by word, numbers within a tolerance, pictures by type.
func TestNotebooks(t *testing.T) {
	paths, err := filepath.Glob("*.ipynb")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no notebooks: %v", err)
	}
	for _, p := range paths {
		t.Run(strings.TrimSuffix(p, ".ipynb"), func(t *testing.T) {
			t.Parallel()
			runNotebook(t, p)
		})
	}
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
	Metadata map[string]any `json:"metadata,omitempty"`
}

// marshal is json.Marshal without the escaping of < > &, which would make sources unreadable.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

func runNotebook(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var nb notebook
	if err := json.Unmarshal(data, &nb); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(".", "_run-") // inside the module, so that imports resolve; the underscore hides it from ./...
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)

	var declarations []string
	count := 0
	for i, c := range nb.Cells {
		if c.Type != "code" {
			continue
		}
		decl, body, hasMain := splitCell(strings.Join(c.Source, ""))
		declarations = append(declarations, decl)
		var got []output
		if hasMain {
			program, err := assemble(declarations, body)
			if err != nil {
				t.Fatalf("cell %d: %v", i, err)
			}
			if got, err = execute(t.Context(), dir, program); err != nil {
				t.Fatalf("cell %d: %v\n%s", i, err, program)
			}
		}
		count++
		if *update {
			c.Count, c.Outputs = &count, got
			continue
		}
		if diff := compare(c.Outputs, got); diff != "" {
			t.Errorf("%s, cell %d: %s (run with -update after looking at it)", file, i, diff)
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
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// splitCell separates declarations from the main body, which begins after a line "%%", and drops shell and other
// special lines.
func splitCell(source string) (declarations, body string, hasMain bool) {
	var decl, main strings.Builder
	for line := range strings.Lines(source) {
		switch {
		case strings.HasPrefix(line, "%%"), strings.HasPrefix(line, "%main"):
			hasMain = true
		case strings.HasPrefix(line, "%"), strings.HasPrefix(line, "!"):
		case hasMain:
			main.WriteString(line)
		default:
			decl.WriteString(line)
		}
	}
	return decl.String(), main.String(), hasMain
}

// assemble makes one program of the declarations so far and a main body. Imports that it does not use are dropped, as
// GoNB does.
func assemble(declarations []string, body string) ([]byte, error) {
	fset := token.NewFileSet()
	var imports []*ast.ImportSpec
	var rest strings.Builder
	for _, d := range declarations {
		src := "package main\n" + d
		f, err := parser.ParseFile(fset, "cell.go", src, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		imports = append(imports, f.Imports...)
		end := len("package main\n")
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
				end = fset.Position(g.End()).Offset
			}
		}
		rest.WriteString(src[end:] + "\n")
	}
	code := rest.String() + "\nfunc main() {\n" + body + "\n}\n"
	f, err := parser.ParseFile(fset, "cell.go", "package main\n"+code, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				used[x.Name] = true
			}
		}
		return true
	})
	head, seen := "package main\n", map[string]bool{}
	for _, s := range imports {
		p, err := strconv.Unquote(s.Path.Value)
		if err != nil {
			return nil, err
		}
		if used[path.Base(p)] && !seen[p] {
			seen[p] = true
			head += "import " + s.Path.Value + "\n"
		}
	}
	return format.Source([]byte(head + code))
}

// execute builds and runs a program and returns what it printed and displayed.
func execute(ctx context.Context, dir string, program []byte) ([]output, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), program, 0o644); err != nil {
		return nil, err
	}
	pipe := filepath.Join(abs, "display")
	if err := os.WriteFile(pipe, nil, 0o644); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "go", "run", "./"+dir)
	cmd.Env = append(os.Environ(), "GONB_PIPE="+pipe)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, stderr.String())
	}
	var out []output
	if stdout.Len() > 0 {
		out = append(out, output{Type: "stream", Name: "stdout", Text: lines(stdout.String())})
	}
	shown, err := os.Open(pipe)
	if err != nil {
		return nil, err
	}
	defer shown.Close()
	for d := gob.NewDecoder(shown); ; {
		var m display.Message
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		data := map[string]any{}
		for kind, v := range m.Data {
			switch v := v.(type) {
			case string:
				data[kind] = lines(v)
			default:
				data[kind] = v
			}
		}
		out = append(out, output{Type: "display_data", Data: data, Metadata: map[string]any{}})
	}
}

func lines(s string) []string {
	var out []string
	for l := range strings.Lines(s) {
		out = append(out, l)
	}
	return out
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

// compareText compares words exactly and numbers to six digits: the last bits differ between processors.
func compareText(want, got string) string {
	const tolerance = 1e-6
	if w, g := numberPattern.ReplaceAllString(want, "#"), numberPattern.ReplaceAllString(got, "#"); w != g {
		return fmt.Sprintf("prints\n%s\nthe notebook shows\n%s", got, want)
	}
	ws, gs := numberPattern.FindAllString(want, -1), numberPattern.FindAllString(got, -1)
	for i := range ws {
		w, _ := strconv.ParseFloat(ws[i], 64)
		g, _ := strconv.ParseFloat(gs[i], 64)
		if math.Abs(w-g) > tolerance*math.Max(1, math.Abs(w)) {
			return fmt.Sprintf("prints %s where the notebook shows %s", gs[i], ws[i])
		}
	}
	return ""
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
		{"another number", stream("x = 0.33"), stream("x = 0.34"), false},
		{"another word", stream("x = 1"), stream("y = 1"), false},
		{"missing picture", picture, []output{{Type: "display_data", Data: map[string]any{"text/markdown": ""}}}, false},
		{"missing output", stream("x"), nil, false},
	} {
		if got := compare(c.want, c.got) == ""; got != c.same {
			t.Errorf("%s: same = %v, want %v", c.name, got, c.same)
		}
	}
}
