package main

import (
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/islandsgd/islands/internal/files"
	"github.com/islandsgd/islands/internal/units"
	"github.com/islandsgd/islands/plots"
	"github.com/islandsgd/islands/study"
)

func reportCommand() *cli.Command {
	f := &plotFlags{}
	flags := append(f.trainFlags.flags(),
		&cli.StringFlag{Name: "topology", Value: plotDefaults["topology"], Usage: "preset, family:key=value,... or file", Destination: &f.topology, Category: "network"},
		&cli.StringFlag{Name: "payload", Value: plotDefaults["payload"], Usage: "bytes each island contributes to a round", Destination: &f.payload, Category: "network"},
		&cli.StringFlag{Name: "access", Usage: "egress and ingress of every island (default: the topology's)", Destination: &f.access, Category: "network"},
		&cli.StringFlag{Name: "out", Value: "report", Usage: "folder for report.html", Destination: &f.out, Category: "output"},
		&cli.BoolFlag{Name: "force", Usage: "replace a file that is not ours or was changed", Destination: &f.force, Category: "output"},
	)
	return command("report", "the whole study of a network as one file", "", `Writes report.html: every figure, every schedule compared under every capability, the optima with what is proven about
them, and whether bounds, exact moments and simulation agree. One file, no script, nothing loaded from anywhere.

  analyze report
  analyze report --topology my-network.yaml --out mine`, 0, flags, f.report)
}

func (f *plotFlags) report(s *session) error {
	o, err := f.studyOptions(s)
	if err != nil {
		return err
	}
	st, err := study.New(o)
	if err != nil {
		return err
	}
	settings := map[string]string{
		"topology": f.topology, "payload": f.payload, "access": f.access, "step-time": f.stepTime, "problem": f.problem,
		"target": number(f.target), "overlap": fmt.Sprint(f.overlap),
	}
	page := &plots.Page{
		Title: "Averaging over " + st.Topology().Name, Intro: intro(st.Topology()), Command: redrawCommand(settings, nil),
	}
	progress := s.progress("parts")
	total := len(drawings) + 3
	for i, d := range drawings {
		progress.update(i, total)
		fig, err := d.make(s.ctx, st)
		if err != nil {
			return s.inputUnlessStopped(err)
		}
		page.Figures = append(page.Figures, fig)
	}
	for i, part := range []func(*session, *study.Study, study.Options) (*plots.PageTable, error){reportOptima, reportComparison, reportVerdict} {
		progress.update(len(drawings)+i, total)
		table, err := part(s, st, o)
		if err != nil {
			return s.inputUnlessStopped(err)
		}
		page.Tables = append(page.Tables, *table)
	}
	progress.done()
	summary, err := st.Summary(s.ctx)
	if err != nil {
		return err
	}
	page.Summary = summaryLines(summary)
	html, err := page.HTML()
	if err != nil {
		return err
	}
	if err := s.writeFolder(f.out, []files.File{{Name: "report.html", Data: html}}, settings, f.force); err != nil {
		return err
	}
	path := filepath.Join(f.out, "report.html")
	if s.json {
		return s.printJSON(map[string]string{"report": path})
	}
	fmt.Fprintln(s.stdout, path)
	return nil
}

func reportOptima(s *session, st *study.Study, _ study.Options) (*plots.PageTable, error) {
	optima, err := st.Optima(s.ctx)
	if err != nil {
		return nil, err
	}
	t := &plots.PageTable{
		Name: "optima", Title: "Freshest schedules", Head: []string{"capability", "staleness", "all-reduce", "period", "cliques, round by round", "proven for", "pairs in all", "evaluated"},
		Note: "Staleness is how old the agreement between the islands is on average; all-reduce is one clique of all. Where a row is proven, pairs of rounds that were not evaluated were excluded by a lower bound on their staleness.",
	}
	levels, err := study.Levels(st.Topology())
	if err != nil {
		return nil, err
	}
	for _, l := range levels {
		r := optima[l.Name]
		c := r.Certificate
		t.Rows = append(t.Rows, []string{l.Name, units.FormatSeconds(r.Best.Staleness), units.FormatSeconds(r.AllReduce.Staleness), units.FormatSeconds(r.Best.Period),
			r.Best.Schedule.CliqueText(), c.ProvenFor, fmt.Sprint(c.Pairs), fmt.Sprint(c.Evaluated)})
	}
	return t, nil
}

func reportComparison(s *session, st *study.Study, o study.Options) (*plots.PageTable, error) {
	levels, err := study.Levels(st.Topology())
	if err != nil {
		return nil, err
	}
	c, err := study.Compare(s.ctx, o, levels, nil, nil)
	if err != nil {
		return nil, err
	}
	t := &plots.PageTable{
		Name: "comparison", Title: "Every schedule under every capability", Head: []string{"capability", "schedule", "H", "seconds to target", "× one room", "staleness, s", "WAN bytes a round"},
		Note: fmt.Sprintf("Each row has its own best number of local steps H and step size; one room takes %s.", units.FormatSeconds(c.Colocated)),
	}
	for _, r := range c.Rows {
		h := "–"
		if r.H != nil {
			h = fmt.Sprint(*r.H)
		}
		t.Rows = append(t.Rows, []string{r.Capability, r.Schedule, h, optional(r.SecondsToTarget), optional(r.OverColocated), optional(r.Staleness), units.FormatBytes(r.BytesPerRound)})
	}
	return t, nil
}

func reportVerdict(s *session, _ *study.Study, _ study.Options) (*plots.PageTable, error) {
	cases, err := study.Suite()
	if err != nil {
		return nil, err
	}
	v, err := study.Validate(s.ctx, cases, study.ValidateOptions{Seed: s.seed, Jobs: s.jobs})
	if err != nil {
		return nil, err
	}
	type tally struct{ checks, failed int }
	byBound := map[string]*tally{}
	var order []string
	for _, c := range v.Checks {
		if byBound[c.Bound] == nil {
			byBound[c.Bound] = &tally{}
			order = append(order, c.Bound)
		}
		byBound[c.Bound].checks++
		if !c.BoundHolds || !c.SimulationAgrees {
			byBound[c.Bound].failed++
		}
	}
	t := &plots.PageTable{
		Name: "validation", Title: "Do bound, exact moments and simulation agree?", Head: []string{"guarantee", "checks", "failed"},
		Note: fmt.Sprintf("On the built-in suite of %d schedules and problems. A guarantee must be at least the exact moment, and no simulated mean may be off by more than %.2f standard errors.", len(cases), v.ZLimit),
	}
	for _, b := range order {
		t.Rows = append(t.Rows, []string{b, fmt.Sprint(byBound[b].checks), fmt.Sprint(byBound[b].failed)})
	}
	return t, nil
}
