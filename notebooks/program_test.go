package notebooks

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/islandsgd/islands/notebooks/display"
)

// GoNB makes a program of every cell: all declarations so far and the cell's main body. Linking that many programs
// takes long, so here every notebook becomes a package with one function for each cell, and all of them one program,
// which is run once for each cell. The sources exist in an overlay alone; nothing is written into this folder.

const cellsFolder = "_cells" // beside the notebooks, so that imports resolve as theirs

// buildNotebooks returns the path of a program that runs cell i of a notebook when called with its name and i.
func buildNotebooks(ctx context.Context, dir string, notebooks map[string]*notebook) (string, error) {
	here, err := filepath.Abs(cellsFolder)
	if err != nil {
		return "", err
	}
	overlay := map[string]string{}
	add := func(name string, source []byte) error {
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))
		overlay[filepath.Join(here, name)] = file
		return os.WriteFile(file, source, 0o644)
	}
	var imports, cases strings.Builder
	for k, name := range slices.Sorted(maps.Keys(notebooks)) {
		pkg := fmt.Sprintf("book%d", k)
		source, bodies, err := packageSource(pkg, name, notebooks[name])
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		if err := add(pkg+"/cells.go", source); err != nil {
			return "", err
		}
		fmt.Fprintf(&imports, "import %q\n", "github.com/islandsgd/islands/notebooks/"+cellsFolder+"/"+pkg)
		for _, i := range bodies {
			fmt.Fprintf(&cases, "case %q:\n%s.Cell%d()\n", cellKey(name, i), pkg, i)
		}
	}
	source := "package main\nimport \"os\"\n" + imports.String() + "func main() {\nswitch os.Args[1] {\n" + cases.String() + "}\n}\n"
	if err := add("main.go", []byte(source)); err != nil {
		return "", err
	}
	data, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		return "", err
	}
	list, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "cells.exe")
	if err := os.WriteFile(list, data, 0o644); err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, "go", "build", "-overlay", list, "-o", program, "./"+cellsFolder).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w:\n%s", err, out)
	}
	return program, nil
}

func cellKey(notebook string, cell int) string { return notebook + ":" + strconv.Itoa(cell) }

// packageSource makes a package of a notebook and lists its cells that have a main body. A cell that uses what a later
// one declares is an error, as it is in GoNB.
func packageSource(pkg, name string, nb *notebook) ([]byte, []int, error) {
	fset := token.NewFileSet()
	var imports []string
	var rest, soFar strings.Builder
	var bodies []int
	missing := map[string]int{} // names that a cell uses and none so far declares
	for i, c := range nb.Cells {
		if c.Type != "code" {
			continue
		}
		decl, body, hasMain := splitCell(strings.Join(c.Source, ""))
		f, err := parser.ParseFile(fset, "cell", "package p\n"+decl, parser.ParseComments)
		if err != nil {
			return nil, nil, fmt.Errorf("cell %d: %w", i, err)
		}
		for _, s := range f.Imports {
			imports = append(imports, s.Path.Value)
		}
		end := len("package p\n")
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
				end = fset.Position(g.End()).Offset
			}
		}
		for declared := range f.Scope.Objects {
			if user, there := missing[declared]; there {
				return nil, nil, fmt.Errorf("cell %d uses %s, which cell %d declares", user, declared, i)
			}
		}
		code := ("package p\n" + decl)[end:] + "\n"
		soFar.WriteString(code)
		if hasMain {
			bodies = append(bodies, i)
			code += fmt.Sprintf("\n//line %s.cell-%d:1\nfunc Cell%d() {\n%s\n}\n", name, i, i, body)
		}
		rest.WriteString(code)
		f, err = parser.ParseFile(fset, fmt.Sprintf("cell %d", i), "package p\n"+soFar.String()+"\nfunc main() {\n"+body+"\n}\n", 0)
		if err != nil {
			return nil, nil, err
		}
		for _, id := range f.Unresolved {
			missing[id.Name] = i
		}
	}
	source, err := format.Source([]byte("package " + pkg + "\n" + usedImports(imports, rest.String()) + rest.String()))
	return source, bodies, err
}

// usedImports drops imports that nothing uses, as GoNB does.
func usedImports(imports []string, code string) string {
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+code, parser.SkipObjectResolution)
	if err != nil {
		return "" // reported when the whole is formatted
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
	head, seen := "", map[string]bool{}
	for _, quoted := range imports {
		if p, err := strconv.Unquote(quoted); err == nil && used[path.Base(p)] && !seen[p] {
			seen[p] = true
			head += "import " + quoted + "\n"
		}
	}
	return head
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

// cellTime is what a cell may take, with the race detector and on a slow machine too.
const cellTime = time.Minute

// execute runs a cell and returns what it printed and displayed.
func execute(ctx context.Context, program, key, pipe string) ([]output, error) {
	ctx, cancel := context.WithTimeout(ctx, cellTime)
	defer cancel()
	if err := os.WriteFile(pipe, nil, 0o644); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program, key)
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
			if s, ok := v.(string); ok {
				v = lines(s)
			}
			data[kind] = v
		}
		out = append(out, output{Type: "display_data", Data: data, Metadata: map[string]any{}})
	}
}

func lines(s string) []string { return slices.Collect(strings.Lines(s)) }
