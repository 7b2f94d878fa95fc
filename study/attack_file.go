package study

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/internal/doc"
	"github.com/islandsgd/islands/internal/files"
	"github.com/islandsgd/islands/schedule"
)

// text writes a case as a file of three documents: what to run, the schedule and the problem.
func (c Case) text(found Attacked) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# Least bound/exact found: %s is %.9g of the exact value at t=%d.\n# Run it again: analyze validate --case FILE\n", found.Bound, found.Ratio, found.T)
	fmt.Fprintf(&b, "case: %s\nalgorithm: %s\nstep: %s\nat: [", c.ScheduleName, c.Algorithms[0], strconv.FormatFloat(c.Step, 'g', -1, 64))
	for i, t := range c.At {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(t))
	}
	b.WriteString("]\n---\n")
	form, err := yaml.Marshal(c.Schedule.Form())
	if err != nil {
		return "", err
	}
	b.Write(form)
	b.WriteString("---\n")
	b.WriteString(c.Problem.Text())
	return b.String(), nil
}

// LoadCase reads a case from a file that Attack has written, or that looks like one.
func LoadCase(path string) (Case, error) {
	data, err := files.Read(path)
	if err != nil {
		return Case{}, err
	}
	return ReadCase(path, data)
}

// ReadCase reads a case: three YAML documents, of which the second is a schedule and the third a problem. name is for
// messages.
//
//	case: mine
//	algorithm: atc
//	step: 0.1        # default: 1/(4L)
//	at: [1, 10]      # default: those of the options
//	---
//	schedule: ...
//	---
//	problem: quadratic
//	...
func ReadCase(name string, data []byte) (Case, error) {
	parts := splitDocuments(data)
	if len(parts) != 3 {
		return Case{}, fmt.Errorf("%s: has %d documents, want 3 with --- between them: the case, its schedule, its problem", name, len(parts))
	}
	root, err := doc.Parse(name, parts[0])
	if err != nil {
		return Case{}, err
	}
	f, err := root.Map("case", "algorithm", "step", "at")
	if err != nil {
		return Case{}, err
	}
	var c Case
	title, err := f.Require("case")
	if err != nil {
		return Case{}, err
	}
	if c.ScheduleName, err = title.Text(); err != nil {
		return Case{}, err
	}
	c.ProblemName = c.ScheduleName
	if node, ok := f.Get("algorithm"); ok {
		line, err := node.Text()
		if err != nil {
			return Case{}, err
		}
		a, err := gossip.ParseAlgorithm(line)
		if err != nil {
			return Case{}, node.Errorf("%v", err)
		}
		c.Algorithms = []gossip.Algorithm{a}
	}
	if node, ok := f.Get("step"); ok {
		if c.Step, err = node.Float(); err != nil {
			return Case{}, err
		}
		if !(c.Step > 0) {
			return Case{}, node.Errorf("step %g is not above 0", c.Step)
		}
	}
	if node, ok := f.Get("at"); ok {
		list, err := node.List()
		if err != nil {
			return Case{}, err
		}
		for _, item := range list {
			t, err := item.Int(0)
			if err != nil {
				return Case{}, err
			}
			c.At = append(c.At, t)
		}
		if len(c.At) == 0 {
			return Case{}, node.Errorf("names no round")
		}
	}
	if c.Schedule, err = schedule.Read(name, parts[1], schedule.Options{}); err != nil {
		return Case{}, err
	}
	if c.Problem, err = gossip.ReadProblem(name, parts[2]); err != nil {
		return Case{}, err
	}
	if c.Problem.N != c.Schedule.N {
		return Case{}, fmt.Errorf("%s: the problem has %d islands, the schedule has %d nodes", name, c.Problem.N, c.Schedule.N)
	}
	return c, nil
}

// splitDocuments cuts at lines of ---. Each part keeps its line numbers: what stands before is replaced by empty lines.
func splitDocuments(data []byte) [][]byte {
	var out [][]byte
	var part []byte
	lines := 0
	for line := range bytes.Lines(data) {
		lines++
		if strings.TrimRight(string(line), " \t\r\n") == "---" {
			out = append(out, part)
			part = bytes.Repeat([]byte("\n"), lines)
			continue
		}
		part = append(part, line...)
	}
	return append(out, part)
}
