package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Every command line that the documents show is run, in a folder that holds the guide's example files, and must end
// with status 0 (or 3, for lines that show a failing check).
func TestDocumentedCommandsRun(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	guide := readFile(t, "../../docs/guide.md")
	examples := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(guide, -1)
	for i, name := range []string{"my-network.yaml", "my-schedule.yaml", "my-problem.yaml"} {
		if i >= len(examples) {
			t.Fatalf("the guide has %d example files, want one for %s", len(examples), name)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(examples[i][1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var texts []string
	for _, p := range append(pages, "../../README.md") {
		texts = append(texts, readFile(t, p))
	}
	app := newApp(&bytes.Buffer{}, &bytes.Buffer{})
	for _, c := range app.Commands {
		texts = append(texts, c.Description)
		for _, s := range c.Subcommands {
			texts = append(texts, s.Description)
		}
	}
	t.Chdir(dir)
	seen := map[string]bool{}
	for _, text := range texts {
		for line := range strings.Lines(text) {
			fields := commandLine(line)
			if fields == nil || seen[strings.Join(fields, " ")] {
				continue
			}
			seen[strings.Join(fields, " ")] = true
			// Whole studies run on a small network where the line leaves the network open.
			if study := fields[1]; (study == "plot" || study == "report" || study == "compare" || study == "optimize") && !strings.Contains(line, "--topology") {
				t.Setenv("ANALYZE_TOPOLOGY", "mesh:n=6")
			} else {
				os.Unsetenv("ANALYZE_TOPOLOGY")
			}
			var stdout, stderr bytes.Buffer
			start := time.Now()
			if code := run(context.Background(), fields, &stdout, &stderr); code != exitDone && code != exitViolated {
				t.Errorf("%s\nexit status %d: %s", strings.TrimSpace(line), code, stderr.String())
			}
			t.Logf("%6.2f s  %s", time.Since(start).Seconds(), strings.Join(fields, " "))
		}
	}
	if len(seen) < 15 {
		t.Errorf("only %d command lines found", len(seen))
	}
}

// commandLine splits a line that shows a command as a shell would (without expansions), or returns nil.
func commandLine(line string) []string {
	line = strings.TrimPrefix(strings.TrimSpace(line), "$ ")
	if !strings.HasPrefix(line, "analyze ") || strings.ContainsAny(line, "|<>[") && !strings.Contains(line, `"`) {
		return nil
	}
	line, _, _ = strings.Cut(line, "  ") // a remark stands behind some lines
	var out []string
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			out[len(out)-1] += part
			continue
		}
		words := strings.Fields(part)
		if i > 0 && !strings.HasPrefix(part, " ") && len(words) > 0 {
			out[len(out)-1] += words[0]
			words = words[1:]
		}
		out = append(out, words...)
		if strings.HasSuffix(part, " ") || i == 0 && part == "" {
			out = append(out, "")
		}
	}
	var fields []string
	for _, f := range out {
		if f != "" {
			fields = append(fields, f)
		}
	}
	for _, f := range fields {
		if strings.ToUpper(f) == f && len(f) > 1 && strings.Trim(f, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
			return nil // a placeholder such as FILE
		}
	}
	return fields
}

func TestCommandLine(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`  analyze cost --cliques "A,B|C" --json`, `analyze·cost·--cliques·A,B|C·--json`},
		{`analyze validate --scale-bounds 0.05      (shows it)`, `analyze·validate·--scale-bounds·0.05`},
		{`analyze help COMMAND`, ``},
		{`analyze x | jq`, ``},
		{`run analyze`, ``},
	} {
		if got := strings.Join(commandLine(c.in), "·"); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The reference page and the manual page are what the commands say of themselves.
func TestReferenceIsFresh(t *testing.T) {
	reference, err := newApp(&bytes.Buffer{}, &bytes.Buffer{}).ToMarkdown()
	if err != nil {
		t.Fatal(err)
	}
	manual, err := manualPage()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"../../docs/reference.md": "# Reference\n\nGenerated from the commands themselves.\n\n" + reference,
		"../../docs/analyze.1":    manual,
	} {
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if readFile(t, path) != want {
			t.Errorf("%s is not what the commands say (run with -update)", path)
		}
	}
}

// The gallery shows every figure.
func TestGalleryIsComplete(t *testing.T) {
	gallery := readFile(t, "../../docs/gallery.md")
	for _, d := range drawings {
		if !strings.Contains(gallery, "(figures/"+d.name+".svg)") {
			t.Errorf("docs/gallery.md does not show %s", d.name)
		}
		if _, err := os.Stat("../../docs/figures/" + d.name + ".svg"); err != nil {
			t.Error(err)
		}
	}
}
