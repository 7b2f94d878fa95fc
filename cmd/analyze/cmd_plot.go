package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
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

// drawing is a figure that plot can make of a study.
type drawing struct {
	name, about string
	make        func(context.Context, *study.Study) (*plots.Figure, error)
}

var drawings = []drawing{
	{"topology", "the network on a map: routers, links, islands", func(_ context.Context, s *study.Study) (*plots.Figure, error) {
		return plots.Topology(s.Topology()), nil
	}},
	{"cost", "seconds of one round by collective and capability", func(_ context.Context, s *study.Study) (*plots.Figure, error) {
		return figure(plots.Cost)(s.Costs())
	}},
	{"schedule", "the best rotation as a timeline of cliques", func(ctx context.Context, s *study.Study) (*plots.Figure, error) {
		return figure(plots.Schedule)(s.Timeline(ctx))
	}},
	{"matrices", "the mixing matrices of its rounds and their products", func(ctx context.Context, s *study.Study) (*plots.Figure, error) {
		return figure(plots.Matrices)(s.Matrices(ctx))
	}},
	{"consensus", "error against rounds: bound, exact, simulated", func(ctx context.Context, s *study.Study) (*plots.Figure, error) {
		return figure(plots.Consensus)(s.Evidence(ctx))
	}},
	{"convergence", "mean square error against seconds, all-reduce and rotating cliques under each capability", func(ctx context.Context, s *study.Study) (*plots.Figure, error) {
		return figure(plots.Convergence)(s.Convergence(ctx))
	}},
}

// figure draws a result, unless it could not be had.
func figure[T any](draw func(T) *plots.Figure) func(T, error) (*plots.Figure, error) {
	return func(v T, err error) (*plots.Figure, error) {
		if err != nil {
			return nil, err
		}
		return draw(v), nil
	}
}

func plotCommand() *cli.Command {
	var topology, payload, access, stepTime, problem, format, out string
	var target float64
	var force, listThem, overlap bool
	flags := []cli.Flag{
		&cli.StringFlag{Name: "topology", Value: plotDefaults["topology"], Usage: "preset, family:key=value,... or file", Destination: &topology, Category: "network"},
		&cli.StringFlag{Name: "payload", Value: plotDefaults["payload"], Usage: "bytes each island contributes to a round", Destination: &payload, Category: "network"},
		&cli.StringFlag{Name: "access", Usage: "egress and ingress of every island (default: the topology's)", Destination: &access, Category: "network"},
		&cli.StringFlag{Name: "step-time", Value: plotDefaults["step-time"], Usage: "computation of one local step", Destination: &stepTime, Category: "problem"},
		&cli.BoolFlag{Name: "overlap", Usage: "computation and communication of a round run side by side", Destination: &overlap, Category: "problem"},
		&cli.StringFlag{Name: "problem", Value: plotDefaults["problem"], Usage: "quadratic:key=value,... or file", Destination: &problem, Category: "problem"},
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
		st, err := study.New(o)
		if err != nil {
			return err
		}
		settings := map[string]string{
			"topology": topology, "payload": payload, "access": access, "step-time": stepTime, "problem": problem,
			"target": number(target), "overlap": fmt.Sprint(overlap), "format": strings.Join(formats, ","),
		}
		return writeFigures(s, st, chosen, formats, out, force, settings)
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

func writeFigures(s *session, st *study.Study, chosen []drawing, formats []string, out string, force bool, settings map[string]string) error {
	page := &plots.Page{
		Title:   "How should islands on " + st.Topology().Name + " average?",
		Intro:   intro(st.Topology()),
		Command: redrawCommand(settings),
	}
	var written []files.File
	var summary []study.SummaryLine
	for _, d := range chosen {
		f, err := d.make(s.ctx, st)
		if err != nil {
			return s.inputUnlessStopped(err)
		}
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
		if d.name == "convergence" {
			if summary, err = st.Summary(s.ctx); err != nil {
				return err
			}
		}
	}
	page.Summary = summaryLines(summary)
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
		return s.printJSON(map[string]any{"folder": out, "files": names, "page": index, "summary": append([]study.SummaryLine{}, summary...)})
	}
	for _, line := range page.Summary {
		fmt.Fprintln(s.stdout, line)
	}
	fmt.Fprintf(s.stdout, "%d figures: %s\n", len(chosen), index)
	return nil
}

// redrawCommand is the command line that draws the same study again, without the name of a figure.
func redrawCommand(settings map[string]string) string {
	line := "analyze plot"
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if v := settings[name]; name != "format" && v != "" && v != "false" && v != plotDefaults[name] {
			line += " --" + name
			if v != "true" {
				line += "=" + v
			}
		}
	}
	return line
}

// plotDefaults are the values of plot's flags that need not be repeated.
var plotDefaults = map[string]string{
	"topology": "nine-city", "payload": "1GB", "step-time": "100ms", "problem": study.DefaultProblem, "target": "0.01",
}

func intro(t *network.Topology) string {
	return fmt.Sprintf("%d islands of compute train one model together over a wide-area network of %d routers and %d links. "+
		"Which islands should average with which, and when? The answer depends on what the routers can do: copy outbound traffic (multicast), sum inbound traffic (aggregation), both, or neither (unicast).",
		len(t.Islands), len(t.Routers), len(t.Links))
}

// summaryLines is what a person wants to know first: one line per capability.
func summaryLines(summary []study.SummaryLine) []string {
	width := 0
	for _, l := range summary {
		width = max(width, len(l.Capability))
	}
	var out []string
	for _, l := range summary {
		out = append(out, fmt.Sprintf("%-*s  %s to the target, %.3g × one room, by %s with H = %d; freshest agreement %s: %s",
			width, l.Capability, units.FormatSeconds(l.SecondsToTarget), l.OverColocated, l.Kind, l.H, units.FormatSeconds(l.Staleness), l.Freshest))
	}
	return out
}
