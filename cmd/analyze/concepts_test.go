package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every JSON block of the page of concepts states fields of what the command before it prints with --json.
func TestConcepts(t *testing.T) {
	page := readFile(t, "../../docs/concepts.md")
	blocks := regexp.MustCompile("(?s)    (analyze [^\n]*)\n\n```json\n(.*?)```").FindAllStringSubmatch(page, -1)
	if len(blocks) < 8 || len(blocks) != strings.Count(page, "```json") {
		t.Fatalf("%d commands with results, %d results", len(blocks), strings.Count(page, "```json"))
	}
	t.Chdir(t.TempDir())
	for _, b := range blocks {
		var stdout, stderr bytes.Buffer
		if code := run(context.Background(), append(commandLine(b[1]), "--json"), &stdout, &stderr); code != exitDone {
			t.Errorf("%s\nexit status %d: %s", b[1], code, stderr.String())
			continue
		}
		var got, want any
		if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(b[2]), &want); err != nil {
			t.Fatalf("%v in %s", err, b[2])
		}
		for _, d := range differences(b[1], got, want) {
			t.Error(d)
		}
	}
}

// differences lists what in want is not in got: fields by name, elements of a list by their id or else by position,
// numbers to the digits that a page shows.
func differences(at string, got, want any) []string {
	const digits = 1e-7
	var out []string
	switch w := want.(type) {
	case map[string]any:
		g, _ := got.(map[string]any)
		for name, v := range w {
			if _, there := g[name]; !there {
				out = append(out, fmt.Sprintf("%s has no %s", at, name))
				continue
			}
			out = append(out, differences(at+"."+name, g[name], v)...)
		}
	case []any:
		g, _ := got.([]any)
		byID := map[any]any{}
		for _, v := range g {
			if m, ok := v.(map[string]any); ok && m["id"] != nil {
				byID[m["id"]] = v
			}
		}
		for i, v := range w {
			if m, ok := v.(map[string]any); ok && m["id"] != nil {
				out = append(out, differences(fmt.Sprintf("%s[%v]", at, m["id"]), byID[m["id"]], v)...)
			} else if len(g) != len(w) {
				return append(out, fmt.Sprintf("%s has %d elements, the page %d", at, len(g), len(w)))
			} else {
				out = append(out, differences(fmt.Sprintf("%s[%d]", at, i), g[i], v)...)
			}
		}
	case float64:
		if g, ok := got.(float64); !ok || math.Abs(g-w) > digits {
			out = append(out, fmt.Sprintf("%s is %v, the page says %v", at, got, w))
		}
	default:
		if got != want {
			out = append(out, fmt.Sprintf("%s is %v, the page says %v", at, got, want))
		}
	}
	return out
}

func TestDifferences(t *testing.T) {
	for _, c := range []struct {
		got, want string
		n         int
	}{
		{`{"a": 1, "b": 2}`, `{"a": 1.00000001}`, 0},
		{`{"a": 1}`, `{"a": 1.1}`, 1},
		{`{"a": 1}`, `{"b": 1}`, 1},
		{`{"a": null}`, `{"a": 0}`, 1},
		{`[1, 2]`, `[1]`, 1},
		{`[{"id": "x", "v": 1}, {"id": "y", "v": 2}]`, `[{"id": "y", "v": 2}]`, 0},
		{`[{"id": "x", "v": 1}]`, `[{"id": "y", "v": 2}]`, 2},
	} {
		var got, want any
		if err := json.Unmarshal([]byte(c.got), &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(c.want), &want); err != nil {
			t.Fatal(err)
		}
		if d := differences("", got, want); len(d) != c.n {
			t.Errorf("%s and %s: %q, want %d", c.got, c.want, d, c.n)
		}
	}
}

// Every block of Go code in the how-to stands, word for word, in an example of the package that it is about, where it is
// run and its output compared.
func TestHowtoCodeIsRun(t *testing.T) {
	examples := ""
	for _, p := range []string{"schedule/example_file_test.go", "gossip/example_problem_test.go", "bounds/example_own_test.go", "network/example_test.go", "optimize/example_test.go", "study/example_test.go"} {
		data, err := os.ReadFile("../../" + p)
		if err != nil {
			t.Fatal(err)
		}
		examples += unindented(string(data))
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(readFile(t, "../../docs/howto.md"), -1)
	if len(blocks) < 5 {
		t.Fatalf("%d blocks of code", len(blocks))
	}
	for _, b := range blocks {
		if !strings.Contains(examples, unindented(b[1])) {
			t.Errorf("this code is in no example:\n%s", b[1])
		}
	}
}

// unindented drops the tabs before every line.
func unindented(code string) string {
	var b strings.Builder
	for line := range strings.Lines(code) {
		b.WriteString(strings.TrimLeft(line, "\t"))
	}
	return b.String()
}
