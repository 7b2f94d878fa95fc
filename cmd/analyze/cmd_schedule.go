package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/schedule"
)

func scheduleCommand() *cli.Command {
	return &cli.Command{
		Name: "schedule", Usage: "show schedules and list their families",
		Subcommands:     []*cli.Command{scheduleShow(), scheduleList()},
		HideHelpCommand: true,
		Action: func(*cli.Context) error {
			return inputf("schedule needs one of: show, list (see analyze help schedule)")
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
		var o schedule.Options
		if topology != "" {
			t, err := network.Load(topology)
			if err != nil {
				return fileError(err)
			}
			o.Nodes = t.IslandNames()
		}
		sched, err := schedule.Load(s.args[0], o)
		if err != nil {
			return fileError(err)
		}
		if s.json {
			return s.printJSON(struct {
				Schedule    schedule.Form `json:"schedule"`
				Fingerprint string        `json:"fingerprint"`
			}{sched.Form(), sched.Fingerprint()})
		}
		fmt.Fprintf(s.stdout, "%s: %d nodes, period %d, fingerprint %s\n\n", sched.Name, sched.N, sched.Period(), sched.Fingerprint())
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
