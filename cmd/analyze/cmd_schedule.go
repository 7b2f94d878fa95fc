package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/urfave/cli/v2"

	"github.com/islandsgd/islands/internal/text"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

func scheduleCommand() *cli.Command {
	return &cli.Command{
		Name: "schedule", Usage: "show, convert and list schedules",
		UsageText:       "analyze schedule show|convert|list [options] [arguments]",
		Subcommands:     []*cli.Command{scheduleShow(), scheduleConvert(), scheduleList()},
		HideHelpCommand: true,
		Action: func(*cli.Context) error {
			return inputf("schedule needs one of: show, convert, list (see analyze help schedule)")
		},
	}
}

func scheduleShow() *cli.Command {
	var topology string
	flags := []cli.Flag{&cli.StringFlag{Name: "topology", Usage: "take the nodes from the islands of this topology", Destination: &topology, Category: "schedule"}}
	return command("show", "the rounds of a schedule", "SCHEDULE", `
  analyze schedule show rotating-cliques:k=3,n=9
  analyze schedule show my-schedule.yaml --json`, 1, flags, func(s *session) error {
		if len(s.args) == 0 {
			return inputf("schedule show needs a schedule: family:key=value,... or a file")
		}
		sched, err := loadSchedule(s.args[0], topology)
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(struct {
				Schedule    schedule.Form `json:"schedule"`
				Fingerprint string        `json:"fingerprint"`
			}{sched.Form(), sched.Fingerprint()})
		}
		fmt.Fprintf(s.stdout, "%s: %s, period %d, fingerprint %s\n\n", sched.Name, text.Count(sched.N, "node"), sched.Period(), sched.Fingerprint())
		if sched.Random != nil {
			fmt.Fprintln(s.stdout, "every round is drawn at random")
			return nil
		}
		t := table{head: []string{"round", "local steps", "synchronization"}}
		for i := range sched.Rounds {
			r := &sched.Rounds[i]
			what := fmt.Sprintf("%d weighted edges", len(r.Edges))
			switch {
			case r.IsCliques():
				one := *sched
				one.Rounds = sched.Rounds[i : i+1]
				what = one.CliqueText()
			case len(r.Entries) > 0:
				what = fmt.Sprintf("matrix with %d non-zero entries", len(r.Entries))
			case r.Rule != "":
				what += " by the rule " + r.Rule
			}
			t.add(fmt.Sprint(i+1), fmt.Sprint(r.LocalSteps), what)
		}
		t.write(s.stdout)
		return nil
	})
}

// loadSchedule reads one schedule, with the nodes of a topology if one is given.
func loadSchedule(arg, topology string) (*schedule.Schedule, error) {
	var o schedule.Options
	if topology != "" {
		t, err := loadIslands(topology)
		if err != nil {
			return nil, err
		}
		o.Nodes = t.IslandNames()
	}
	sched, err := schedule.Load(arg, o)
	return sched, fileError(err)
}

func scheduleConvert() *cli.Command {
	var topology, format, out string
	var force, explicit bool
	flags := []cli.Flag{
		&cli.StringFlag{Name: "topology", Usage: "take the nodes from the islands of this topology", Destination: &topology, Category: "schedule"},
		&cli.BoolFlag{Name: "explicit", Usage: "work out weight rules and lazy factors into numbers", Destination: &explicit, Category: "schedule"},
		&cli.StringFlag{Name: "format", Value: "yaml", Usage: "yaml or json", Destination: &format, Category: "output"},
		&cli.StringFlag{Name: "out", Usage: "file to write (default: stdout)", Destination: &out, Category: "output"},
		&cli.BoolFlag{Name: "force", Usage: "replace an existing file", Destination: &force, Category: "output"},
	}
	return command("convert", "write a schedule as a file", "SCHEDULE", `The file reads back to an equal schedule, with the same fingerprint.

  analyze schedule convert rotating-cliques:k=3 --topology nine-city
  analyze schedule convert ring:n=5,weights=fdla --explicit --format json`, 1, flags, func(s *session) error {
		if len(s.args) == 0 {
			return inputf("schedule convert needs a schedule: family:key=value,... or a file")
		}
		sched, err := loadSchedule(s.args[0], topology)
		if err != nil {
			return err
		}
		if explicit {
			if sched, err = mixing.Explicit(sched); err != nil {
				return input(err)
			}
		}
		toStdout := out == "" || out == "-"
		if s.json && toStdout {
			return s.printJSON(map[string]any{"schedule": sched.Form()})
		}
		var data []byte
		switch format {
		case "json":
			data, err = json.MarshalIndent(sched.Form(), "", "  ")
			data = append(data, '\n')
		case "yaml":
			data, err = yaml.Marshal(sched.Form())
		default:
			return inputf("--format: unknown format %q (known: yaml, json)", format)
		}
		if err != nil {
			return err
		}
		if toStdout {
			_, err = s.stdout.Write(data)
			return err
		}
		return writeFile(out, data, force)
	})
}

func scheduleList() *cli.Command {
	return command("list", "the families of schedules", "", "", 0, nil, func(s *session) error {
		if s.json {
			return s.printJSON(map[string]any{"families": familyNames()})
		}
		t := table{head: []string{"family", "keys", "what it is"}}
		for _, f := range schedule.Families() {
			t.add(f.Name, strings.Join(f.Keys, " "), f.About)
		}
		t.write(s.stdout)
		fmt.Fprintf(s.stdout, "\nEvery family takes %s.\n", strings.Join(schedule.CommonKeys, ", "))
		return nil
	})
}
