package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/islandsgd/islands/internal/files"
	"github.com/islandsgd/islands/internal/text"
	"github.com/islandsgd/islands/internal/units"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/plots"
	"github.com/islandsgd/islands/schedule"
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
	{"utilization", "what a round puts on the links, on the map", func(_ context.Context, s *study.Study) (*plots.Figure, error) {
		loads, err := s.Loads()
		if err != nil {
			return nil, err
		}
		return plots.Utilization(s.Topology(), loads), nil
	}},
	{"schedule", "a rotation of cliques on the map and as a timeline", func(ctx context.Context, s *study.Study) (*plots.Figure, error) {
		return figure(plots.Schedule)(s.Timeline(ctx))
	}},
	{"matrices", "the mixing matrices of its rounds and their products", func(ctx context.Context, s *study.Study) (*plots.Figure, error) {
		return figure(plots.Matrices)(s.Matrices(ctx))
	}},
	{"spectrum", "eigenvalues in the unit disk, and contraction round by round", func(ctx context.Context, s *study.Study) (*plots.Figure, error) {
		return figure(plots.Spectrum)(s.Spectra(ctx))
	}},
	{"consensus", "error against rounds: bound, exact, simulated", func(ctx context.Context, s *study.Study) (*plots.Figure, error) {
		return figure(plots.Consensus)(s.Evidence(ctx))
	}},
	{"tightness", "how far above the exact error each guarantee is", func(ctx context.Context, s *study.Study) (*plots.Figure, error) {
		return figure(plots.Tightness)(s.Tightness(ctx))
	}},
	{"convergence", "mean square error against seconds, all-reduce and rotating cliques under each capability", func(ctx context.Context, s *study.Study) (*plots.Figure, error) {
		return figure(plots.Convergence)(s.Convergence(ctx))
	}},
	{"pareto", "schedules that no other beats in period, staleness and contraction", func(ctx context.Context, s *study.Study) (*plots.Figure, error) {
		return figure(plots.Pareto)(s.Fronts(ctx))
	}},
	{"shift", "the best schedule by access rate, payload, computation and capability", func(ctx context.Context, s *study.Study) (*plots.Figure, error) {
		return figure(plots.Shift)(s.Shift(ctx))
	}},
	{"deployment", "which routers to equip first, and what each gains", func(ctx context.Context, s *study.Study) (*plots.Figure, error) {
		return figure(plots.Deployment)(s.Deployment(ctx))
	}},
}

// roundByRound are the figures that show the rounds of a period, which a random schedule does not have.
var roundByRound = []string{"utilization", "schedule", "matrices", "spectrum", "consensus", "tightness"}

// shows refuses schedules that the figure cannot show.
func (d drawing) shows(schedules []*schedule.Schedule) error {
	for _, s := range schedules {
		if s.Random != nil && slices.Contains(roundByRound, d.name) {
			return inputf("schedule %s is random, and the figure %s shows the rounds of a period (convergence draws any schedule)", s.Name, d.name)
		}
	}
	return nil
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

// plotFlags are what plot takes.
type plotFlags struct {
	trainFlags
	scheduleFlags
	pictureFlags
	topology, payload, access string
	list                      bool
}

// plotDefaults are the values of plot's flags that a command line that redraws a figure need not repeat.
var plotDefaults = map[string]string{
	"topology": "nine-city", "payload": "1GB", "step-time": "100ms", "problem": study.DefaultProblem, "target": "0.01", "font-size": "8",
}

func plotCommand() *cli.Command {
	f := &plotFlags{}
	flags := append(f.trainFlags.flags(), f.scheduleFlags.flags(true)...)
	flags = append(flags, f.pictureFlags.flags("figures", "folder for the figures")...)
	flags = append(flags,
		&cli.StringFlag{Name: "topology", Value: plotDefaults["topology"], Usage: "preset, family:key=value,... or file", Destination: &f.topology, Category: "network"},
		&cli.StringFlag{Name: "payload", Value: plotDefaults["payload"], Usage: "bytes each island contributes to a round", Destination: &f.payload, Category: "network"},
		&cli.StringFlag{Name: "access", Usage: "egress and ingress of every island (default: the topology's)", Destination: &f.access, Category: "network"},
		&cli.BoolFlag{Name: "list", Usage: "list the figures and stop", Destination: &f.list, Category: "output"},
	)
	return command("plot", "draw the study of a network", "[FIGURE]...", `Draws all figures, or those named, each with its data as CSV, and an index.html that shows them. Files that an earlier
run wrote and nobody changed are replaced; anything else is kept unless --force is given. Figures of a schedule show the
best rotation that a search finds under unicast, or the schedules given.

  analyze plot
  analyze plot topology cost --format svg,pdf --width 88mm --out paper
  analyze plot matrices spectrum --schedule ring --schedule rotating-cliques:k=3 --out rings
  analyze plot topology cost --topology my-network.yaml --access 100Gbps --out mine`, -1, flags, f.run)
}

func (f *plotFlags) run(s *session) error {
	if f.list {
		return listDrawings(s)
	}
	chosen, err := chooseDrawings(s.args)
	if err != nil {
		return err
	}
	formats, look, err := f.read()
	if err != nil {
		return err
	}
	o, err := f.studyOptions(s)
	if err != nil {
		return err
	}
	for _, d := range chosen {
		if err := d.shows(o.Schedules); err != nil {
			return err
		}
	}
	st, err := study.New(o)
	if err != nil {
		return err
	}
	settings := map[string]string{
		"topology": f.topology, "payload": f.payload, "access": f.access, "step-time": f.stepTime, "problem": f.problem, "target": number(f.target),
		"overlap": fmt.Sprint(f.overlap), "schedule": strings.Join(f.schedules.Value(), " "), "cliques": f.cliques, "width": f.width,
		"font-size": number(f.fontSize), "format": strings.Join(formats, ","),
	}
	return f.write(s, st, chosen, formats, look, settings)
}

func (f *plotFlags) studyOptions(s *session) (study.Options, error) {
	net := &networkFlags{topology: f.topology, access: f.access}
	t, err := net.load(s)
	if err != nil {
		return study.Options{}, err
	}
	o, err := f.trainFlags.options(t)
	if err != nil {
		return o, err
	}
	if o.Payload, err = units.Bytes(f.payload); err != nil {
		return o, inputf("--payload: %w", err)
	}
	if o.Schedules, _, err = f.scheduleFlags.load(schedule.Options{Nodes: t.IslandNames()}); err != nil {
		return o, err
	}
	o.Evidence.Seed, o.Jobs = s.seed, s.jobs
	return o, nil
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

func (f *plotFlags) write(s *session, st *study.Study, chosen []drawing, formats []string, look plots.Look, settings map[string]string) error {
	page := &plots.Page{
		Title:    "How should islands on " + st.Topology().Name + " average?",
		Intro:    intro(st.Topology()),
		Command:  redrawCommand(settings, f.schedules.Value()),
		Look:     look,
		LinkData: true,
	}
	var written []files.File
	var summary []study.SummaryLine
	progress := s.progress("figures")
	for i, d := range chosen {
		progress.update(i, len(chosen))
		fig, err := d.make(s.ctx, st)
		if errors.Is(err, collective.ErrDisconnected) {
			err = fmt.Errorf("%w; analyze plot topology draws it all the same", err)
		}
		if err != nil {
			return s.inputUnlessStopped(err)
		}
		page.Figures = append(page.Figures, fig)
		drawn, err := pictures(fig, formats, look)
		if err != nil {
			return err
		}
		written = append(written, drawn...)
		if d.name == "convergence" {
			if summary, err = st.Summary(s.ctx); err != nil {
				return err
			}
		}
	}
	progress.done()
	page.Summary = summaryLines(summary)
	html, err := page.HTML()
	if err != nil {
		return err
	}
	written = append(written, files.File{Name: "index.html", Data: html})
	if err := s.writeFolder(f.out, written, settings, f.force); err != nil {
		return err
	}
	index := filepath.Join(f.out, "index.html")
	if s.json {
		var names []string
		for _, f := range written {
			names = append(names, f.Name)
		}
		return s.printJSON(map[string]any{"folder": f.out, "files": names, "page": index, "summary": append([]study.SummaryLine{}, summary...)})
	}
	for _, line := range page.Summary {
		fmt.Fprintln(s.stdout, line)
	}
	figures := "figures"
	if len(chosen) == 1 {
		figures = "figure"
	}
	fmt.Fprintf(s.stdout, "%d %s: %s\n", len(chosen), figures, index)
	return nil
}

// redrawCommand is the command line that draws the same study again, without the name of a figure.
func redrawCommand(settings map[string]string, schedules []string) string {
	line := "analyze plot"
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		switch v := settings[name]; {
		case name == "schedule": // several, of which each may hold a space
			for _, s := range schedules {
				line += " --schedule=" + shellQuoted(s)
			}
		case name == "overlap" && v == "true":
			line += " --overlap"
		case name != "format" && name != "overlap" && v != "" && v != plotDefaults[name]:
			line += " --" + name + "=" + shellQuoted(v)
		}
	}
	return line
}

// shellQuoted writes an argument so that a shell passes it on as it is.
func shellQuoted(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-+=:,./%@", r)
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
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
		out = append(out, fmt.Sprintf("%-*s %s to the target, %.3g × one room, by %s with H = %d; least staleness %s, by %s",
			width+1, l.Capability+":", units.FormatSeconds(l.SecondsToTarget), l.OverColocated, l.Kind, l.H, units.FormatSeconds(l.Staleness), l.Freshest))
	}
	return out
}
