package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/internal/files"
	"github.com/islandsgd/islands/internal/text"
	"github.com/islandsgd/islands/internal/units"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/plots"
	"github.com/islandsgd/islands/study"
)

// drawing is a figure that plot can make from a study.
type drawing struct {
	name, about string
	make        func(*study.Study) *plots.Figure
}

var drawings = []drawing{
	{"topology", "the network on a map: routers, links, islands", func(s *study.Study) *plots.Figure { return plots.Topology(s.Topology) }},
	{"cost", "seconds of one round by collective and capability", func(s *study.Study) *plots.Figure { return plots.Cost(s.Costs) }},
	{"schedule", "the best rotation as a timeline of cliques", func(s *study.Study) *plots.Figure { return plots.Schedule(s.Timeline) }},
	{"matrices", "the mixing matrices of its rounds and their products", func(s *study.Study) *plots.Figure { return plots.Matrices(s.Matrices) }},
	{"consensus", "error against rounds: bound, exact, simulated", func(s *study.Study) *plots.Figure { return plots.Consensus(s.Evidence) }},
	{"convergence", "mean square error against seconds, all-reduce and rotating cliques under each capability", func(s *study.Study) *plots.Figure { return plots.Convergence(s.Convergence) }},
}

func plotCommand() *cli.Command {
	var topology, payload, access, stepTime, problem, format, out string
	var target float64
	var force, listThem, overlap bool
	flags := []cli.Flag{
		&cli.StringFlag{Name: "topology", Value: "nine-city", Usage: "preset, family:key=value,... or file", Destination: &topology, Category: "network"},
		&cli.StringFlag{Name: "payload", Value: "1GB", Usage: "bytes each island contributes to a round", Destination: &payload, Category: "network"},
		&cli.StringFlag{Name: "access", Usage: "egress and ingress of every island (default: the topology's)", Destination: &access, Category: "network"},
		&cli.StringFlag{Name: "step-time", Value: "100ms", Usage: "computation of one local step", Destination: &stepTime, Category: "problem"},
		&cli.BoolFlag{Name: "overlap", Usage: "computation and communication of a round run side by side", Destination: &overlap, Category: "problem"},
		&cli.StringFlag{Name: "problem", Value: "quadratic:spread=0.2", Usage: "quadratic:key=value,... or file", Destination: &problem, Category: "problem"},
		&cli.Float64Flag{Name: "target", Value: 0.01, Usage: "training is done at this share of the first mean square error", Destination: &target, Category: "problem"},
		&cli.StringFlag{Name: "format", Value: "svg", Usage: strings.Join(plots.Formats(), ", ") + "; several with commas", Destination: &format, Category: "output"},
		&cli.StringFlag{Name: "out", Value: "figures", Usage: "folder for the figures", Destination: &out, Category: "output"},
		&cli.BoolFlag{Name: "force", Usage: "replace files that are not ours or were changed", Destination: &force, Category: "output"},
		&cli.BoolFlag{Name: "list", Usage: "list the figures and stop", Destination: &listThem, Category: "output"},
	}
	return command("plot", "draw the study of a network", "[FIGURE]...", `Draws all figures, or those named, each with its data as CSV, and an index.html that shows them. Files that an earlier
run wrote and nobody changed are replaced; anything else is kept unless --force is given.

  analyze plot
  analyze plot topology cost --format svg,pdf --out paper
  analyze plot --topology my-network.yaml --access 100Gbps`, -1, flags, func(s *session) error {
		if listThem {
			return listDrawings(s)
		}
		chosen, err := chooseDrawings(s.args)
		if err != nil {
			return err
		}
		formats := list(format)
		for _, f := range formats {
			if !slices.Contains(plots.Formats(), f) {
				return inputf("--format: unknown format %q%s", f, text.DidYouMean(f, plots.Formats()))
			}
		}
		if len(formats) == 0 {
			return inputf("--format names no format")
		}
		net := &networkFlags{topology: topology, access: access, payload: payload, collective: "best"}
		t, err := net.load(s)
		if err != nil {
			return err
		}
		o := study.Options{Topology: t, ProblemName: problem, Jobs: s.jobs, Clock: study.Clock{Overlap: overlap}}
		if o.Payload, err = units.Bytes(payload); err != nil {
			return inputf("--payload: %w", err)
		}
		if o.Clock.StepTime, err = seconds("step-time", stepTime); err != nil {
			return err
		}
		if !(target > 0 && target < 1) {
			return inputf("--target %g: a share between 0 and 1 is needed", target)
		}
		o.Tuning.Target = target
		if o.Problem, err = gossip.LoadProblem(problem, len(t.Islands)); err != nil {
			return fileError(err)
		}
		o.Evidence.Seed = s.seed
		result, err := runStudy(s, o, chosen)
		if err != nil {
			return s.inputUnlessStopped(err)
		}
		settings := map[string]string{
			"topology": topology, "payload": payload, "access": access, "step-time": stepTime, "problem": problem,
			"target": number(target), "overlap": fmt.Sprint(overlap), "format": strings.Join(formats, ","),
		}
		return writeFigures(s, result, chosen, formats, out, force, settings)
	})
}

func listDrawings(s *session) error {
	if s.json {
		var names []string
		for _, d := range drawings {
			names = append(names, d.name)
		}
		return s.printJSON(map[string]any{"figures": names})
	}
	t := table{head: []string{"figure", "what it shows"}}
	for _, d := range drawings {
		t.add(d.name, d.about)
	}
	t.write(s.stdout)
	return nil
}

// chooseDrawings returns the named figures in the order of the list, or all of them.
func chooseDrawings(args []string) ([]drawing, error) {
	if len(args) == 0 {
		return drawings, nil
	}
	var names []string
	for _, d := range drawings {
		names = append(names, d.name)
	}
	for _, a := range args {
		if !slices.Contains(names, a) {
			return nil, inputf("unknown figure %q%s", a, text.DidYouMean(a, names))
		}
	}
	var out []drawing
	for _, d := range drawings {
		if slices.Contains(args, d.name) {
			out = append(out, d)
		}
	}
	return out, nil
}

// runStudy computes what the chosen figures need: the network alone is no study.
func runStudy(s *session, o study.Options, chosen []drawing) (*study.Study, error) {
	if len(chosen) == 1 && chosen[0].name == "topology" {
		return &study.Study{Topology: o.Topology}, nil
	}
	return study.Run(s.ctx, o)
}

func writeFigures(s *session, st *study.Study, chosen []drawing, formats []string, out string, force bool, settings map[string]string) error {
	page := &plots.Page{
		Title:   "How should islands on " + st.Topology.Name + " average?",
		Intro:   intro(st.Topology),
		Command: "analyze plot",
		Summary: summaryLines(st),
	}
	var written []files.File
	for _, d := range chosen {
		f := d.make(st)
		page.Figures = append(page.Figures, f)
		for _, format := range formats {
			data, err := f.Render(format)
			if err != nil {
				return err
			}
			written = append(written, files.File{Name: f.Name + "." + format, Data: data})
		}
		data, err := f.CSV()
		if err != nil {
			return err
		}
		written = append(written, files.File{Name: f.Name + ".csv", Data: data})
	}
	html, err := page.HTML()
	if err != nil {
		return err
	}
	written = append(written, files.File{Name: "index.html", Data: html})
	manifest := files.Manifest{
		Tool: "analyze", Version: version(), Revision: revision(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Seed: s.seed, SeedDerivation: "SHA-256 of seed, run, island and purpose, into xoshiro256**", Settings: settings,
	}
	var exists files.ErrExists
	if err := files.Write(out, written, manifest, force); errors.As(err, &exists) {
		return input(err)
	} else if err != nil {
		return err
	}
	index := filepath.Join(out, "index.html")
	if s.json {
		var names []string
		for _, f := range written {
			names = append(names, f.Name)
		}
		return s.printJSON(map[string]any{"folder": out, "files": names, "page": index, "summary": nonNil(st.Summary)})
	}
	for _, line := range page.Summary {
		fmt.Fprintln(s.stdout, line)
	}
	fmt.Fprintf(s.stdout, "%d figures: %s\n", len(chosen), index)
	return nil
}

func nonNil(lines []study.SummaryLine) []study.SummaryLine {
	if lines == nil {
		return []study.SummaryLine{}
	}
	return lines
}

func intro(t *network.Topology) string {
	return fmt.Sprintf("%d islands of compute train one model together over a wide-area network of %d routers and %d links. "+
		"Which islands should average with which, and when? The answer depends on what the routers can do: copy outbound traffic (multicast), sum inbound traffic (aggregation), both, or neither (unicast).",
		len(t.Islands), len(t.Routers), len(t.Links))
}

// summaryLines is what a person wants to know first: one line per capability.
func summaryLines(st *study.Study) []string {
	width := 0
	for _, l := range st.Summary {
		width = max(width, len(l.Capability))
	}
	var out []string
	for _, l := range st.Summary {
		out = append(out, fmt.Sprintf("%-*s  %s to the target, %.3g × one room, by %s with H = %d; freshest agreement %s: %s",
			width, l.Capability, units.FormatSeconds(l.SecondsToTarget), l.OverColocated, l.Kind, l.H, units.FormatSeconds(l.Staleness), l.Freshest))
	}
	return out
}
