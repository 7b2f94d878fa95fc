package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/islandsgd/islands/internal/files"
	"github.com/islandsgd/islands/plots"
	"github.com/islandsgd/islands/presets"
)

func presetCommand() *cli.Command {
	return &cli.Command{
		Name: "preset", Usage: "nineteen published systems: what the model predicts beside what was published",
		UsageText:       "analyze preset list|show|run|compare [options] [arguments]",
		Subcommands:     []*cli.Command{presetList(), presetShow(), presetRun(), presetCompare()},
		HideHelpCommand: true,
		Action: func(*cli.Context) error {
			return inputf("preset needs one of: list, show, run, compare (see analyze help preset)")
		},
	}
}

func presetList() *cli.Command {
	return command("list", "the systems, with their papers", "", "", 0, nil, func(s *session) error {
		t := table{head: []string{"preset", "paper", "what it is"}}
		for _, name := range presets.List() {
			p, err := presets.Load(name)
			if err != nil {
				return err
			}
			t.add(p.Name, p.Paper, p.About)
		}
		if s.json {
			return s.printJSON(map[string]any{"presets": presets.List()})
		}
		t.write(s.stdout)
		return nil
	})
}

func presetShow() *cli.Command {
	return command("show", "the file of a preset, to start one of your own from", "NAME", `
  analyze preset show diloco`, 1, nil, func(s *session) error {
		if len(s.args) == 0 {
			return inputf("preset show needs a name: %s", strings.Join(presets.List(), ", "))
		}
		data, err := presets.Source(s.args[0])
		if err != nil {
			return input(err)
		}
		_, err = s.stdout.Write(data)
		return err
	})
}

// loadPreset reads a built-in preset, or a file.
func loadPreset(arg string) (*presets.Preset, error) {
	if !strings.ContainsAny(arg, "./\\") {
		p, err := presets.Load(arg)
		return p, input(err)
	}
	data, err := files.Read(arg)
	if err != nil {
		return nil, fileError(err)
	}
	p, err := presets.Read(arg, data)
	return p, input(err)
}

func presetRun() *cli.Command {
	return command("run", "predict a system's numbers and put the published ones beside them", "NAME|FILE", `Predictions come from the preset's settings alone, by the engines of the other commands. A number is marked read in the
paper or as recalled; one that rests on a fitted parameter has no ratio.

  analyze preset run intellect-1
  analyze preset run powersgd --json`, 1, nil, func(s *session) error {
		if len(s.args) == 0 {
			return inputf("preset run needs a name: %s", strings.Join(presets.List(), ", "))
		}
		p, err := loadPreset(s.args[0])
		if err != nil {
			return err
		}
		r, err := presets.Run(s.ctx, p)
		if err != nil {
			return s.inputUnlessStopped(err)
		}
		c, err := presets.Converge(s.ctx, p, s.seed, s.jobs)
		if err != nil {
			return s.inputUnlessStopped(err)
		}
		for _, row := range r.Rows {
			if row.Predicted == nil {
				s.warn("%s has no prediction: %s", row.Label, row.Reason)
			}
		}
		if s.json {
			return s.printJSON(struct {
				*presets.Result
				Curve *presets.Curve `json:"curve"`
			}{r, c})
		}
		printPreset(s, r, c)
		return nil
	})
}

func printPreset(s *session, r *presets.Result, c *presets.Curve) {
	fmt.Fprintf(s.stdout, "%s: %s\n%s\n\n", r.Preset, r.Paper, r.About)
	fmt.Fprintln(s.stdout, "setting:")
	for _, k := range slices.Sorted(maps.Keys(r.Setting)) {
		fmt.Fprintf(s.stdout, "  %s: %s\n", strings.ReplaceAll(k, "_", " "), r.Setting[k])
	}
	fmt.Fprintln(s.stdout)
	t := table{head: []string{"number", "predicted", "published", "ratio", "unit", "source"}}
	for _, n := range r.Rows {
		source := n.Status
		switch {
		case n.Status == "recalled":
			source = "as recalled"
		case n.Fitted:
			source += ", fitted"
		}
		t.add(n.Label, optional(n.Predicted), optional(n.Published), optional(n.Ratio), n.Unit, source)
	}
	t.write(s.stdout)
	for _, list := range []struct {
		name  string
		items []string
	}{{"inferred", r.Inferred}, {"fitted", r.Fitted}} {
		for _, i := range list.items {
			fmt.Fprintf(s.stdout, "\n%s: %s", list.name, i)
		}
	}
	fmt.Fprintf(s.stdout, "\nleft out: %s\n", r.LeavesOut)
	if c == nil {
		return
	}
	how := "exact moments"
	if !c.Exact {
		how = "mean of simulated runs"
	}
	fmt.Fprintf(s.stdout, "\non the standard quadratic (%s, %s, step %s), beside all-reduce every step: %s\n\n", c.Schedule, c.Algorithm, number(c.Step), how)
	curve := table{head: []string{"local steps", "mse", "all-reduce", "ratio"}}
	for _, p := range c.Points {
		ratio := "–"
		if p.MSE != nil {
			ratio = number(*p.MSE / p.AllReduce)
		}
		curve.add(fmt.Sprint(p.Steps), optional(p.MSE), number(p.AllReduce), ratio)
	}
	curve.write(s.stdout)
}

// comparedPreset is one line of preset compare.
type comparedPreset struct {
	Preset     string         `json:"preset"`
	Predicted  int            `json:"numbers"`
	WorstRatio *float64       `json:"worst_ratio"` // farthest from 1
	Headline   presets.Row    `json:"headline"`
	Curve      *presets.Curve `json:"curve"`
}

func presetCompare() *cli.Command {
	f := &pictureFlags{}
	return command("compare", "all systems in one table, and in one figure", "", `The headline number of every system, how far the worst prediction is from its published number, and the error on the
standard quadratic after 1024 local steps relative to all-reduce every step. --out draws that error against local steps,
with its numbers as CSV.

  analyze preset compare
  analyze preset compare --out systems --width 88mm`, 0, f.flags("", "folder for the figure (default: none is drawn)"), func(s *session) error {
		formats, look, err := f.read()
		if err != nil {
			return err
		}
		var rows []comparedPreset
		progress := s.progress("presets")
		for i, name := range presets.List() {
			progress.update(i, len(presets.List()))
			p, err := presets.Load(name)
			if err != nil {
				return err
			}
			r, err := presets.Run(s.ctx, p)
			if err != nil {
				return err
			}
			c, err := presets.Converge(s.ctx, p, s.seed, s.jobs)
			if err != nil {
				return err
			}
			rows = append(rows, comparedPreset{p.Name, len(r.Rows), presets.WorstRatio(r), r.Rows[0], c})
		}
		progress.done()
		if f.out != "" {
			if err := f.drawPresets(s, rows, formats, look); err != nil {
				return err
			}
		}
		if s.json {
			return s.printJSON(map[string]any{"presets": rows})
		}
		t := table{head: []string{"preset", "number", "predicted", "published", "unit", "source", "worst ratio", "mse / all-reduce", "by"}}
		for _, r := range rows {
			relative, by := "–", ""
			if r.Curve != nil {
				by = "simulation"
				if r.Curve.Exact {
					by = "exact"
				}
				for _, p := range r.Curve.Points {
					if p.Steps == 1024 && p.MSE != nil {
						relative = number(*p.MSE / p.AllReduce)
					}
				}
			}
			t.add(r.Preset, r.Headline.Label, optional(r.Headline.Predicted), optional(r.Headline.Published), r.Headline.Unit, r.Headline.Status, optional(r.WorstRatio), relative, by)
		}
		t.write(s.stdout)
		if f.out != "" {
			fmt.Fprintf(s.stdout, "\n1 figure: %s\n", filepath.Join(f.out, "presets."+formats[0]))
		}
		return nil
	})
}

// drawPresets writes the figure of all curves.
func (f *pictureFlags) drawPresets(s *session, rows []comparedPreset, formats []string, look plots.Look) error {
	var curves []*presets.Curve
	for _, r := range rows {
		if r.Curve != nil {
			curves = append(curves, r.Curve)
		}
	}
	drawn, err := pictures(plots.Presets(curves), formats, look)
	if err != nil {
		return err
	}
	settings := map[string]string{"width": f.width, "font-size": number(f.fontSize), "format": strings.Join(formats, ",")}
	return s.writeFolder(f.out, drawn, settings, f.force)
}
