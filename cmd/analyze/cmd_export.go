package main

import (
	_ "embed" // the script's template is part of the program
	"encoding/json"
	"fmt"
	"strings"
	"text/template"

	"github.com/urfave/cli/v2"

	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

//go:embed export_torch.py.tmpl
var torchSource string

var torchTemplate = template.Must(template.New("torch").Funcs(template.FuncMap{"json": func(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}}).Parse(torchSource))

// exported is a schedule as process groups, one rank per node.
type exported struct {
	Schedule    string          `json:"schedule"`
	Fingerprint string          `json:"fingerprint"`
	Nodes       []string        `json:"nodes"` // by rank
	Rounds      []exportedRound `json:"rounds"`
}

// exportedRound is the groups of one round: each averages, ranks in none keep their values.
type exportedRound struct {
	LocalSteps int     `json:"local_steps"`
	Groups     [][]int `json:"groups"`
}

func exportCommand() *cli.Command {
	sch := &scheduleFlags{}
	var format string
	flags := append(sch.flags(false), sch.topologyFlag(), &cli.StringFlag{Name: "format", Value: "json", Usage: "json or torch", Destination: &format, Category: "output"})
	return command("export", "a schedule as process groups for a training loop", "", `Writes the groups of ranks that average in each round. torch is a Python script that makes the groups, averages
parameters in them, and checks against the mixing matrices when it is run by itself.

  analyze export --schedule rotating-cliques:k=3,n=9
  analyze export --schedule rotating-cliques:k=3 --topology nine-city --format torch`, 0, flags, func(s *session) error {
		sched, _, err := sch.one(schedule.Options{})
		if err != nil {
			return err
		}
		e, err := export(sched)
		if err != nil {
			return input(err)
		}
		switch format {
		case "json":
			return s.printJSON(e)
		case "torch":
			script, err := torchScript(e)
			if err != nil {
				return err
			}
			return s.printText(script)
		}
		return inputf("--format: unknown format %q (known: json, torch)", format)
	})
}

// export turns a schedule of cliques into groups and checks that averaging in them is what the mixing matrices do.
func export(s *schedule.Schedule) (*exported, error) {
	seq, err := mixing.New(s)
	if err != nil {
		return nil, err
	}
	e := &exported{Schedule: s.Name, Fingerprint: s.Fingerprint()}
	for i := range s.N {
		e.Nodes = append(e.Nodes, s.NodeName(i))
	}
	if s.Random != nil {
		return nil, fmt.Errorf("schedule %s is random: it has no fixed groups", s.Name)
	}
	for t := range s.Rounds {
		cliques, ok := seq.Steps[t].W.Cliques()
		if !ok {
			return nil, fmt.Errorf("schedule %s, round %d: only rounds of cliques are process groups", s.Name, t+1)
		}
		e.Rounds = append(e.Rounds, exportedRound{seq.Steps[t].LocalSteps, append([][]int{}, cliques...)})
	}
	return e, nil
}

func torchScript(e *exported) (string, error) {
	var b strings.Builder
	err := torchTemplate.Execute(&b, e)
	return b.String(), err
}
