package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/islandsgd/islands/bounds"
)

func boundsCommand() *cli.Command {
	sch, sgd := &scheduleFlags{}, &sgdFlags{}
	return command("bounds", "convergence bounds of a schedule on a problem", "", `Evaluates every bound whose assumptions hold, and says of the others which assumption fails. A guarantee is never below
the exact value; an order is a published rate up to constants.

  analyze bounds --schedule rotating-cliques:k=3 --at 1,10,100`, 0,
		append(append(sch.flags(false), sch.topologyFlag()), sgd.flags()...), func(s *session) error {
			e, err := loadExperiment(sch, sgd)
			if err != nil {
				return err
			}
			all, err := bounds.Evaluate(s.ctx, bounds.Setting{Problem: e.problem, Sequence: e.sequence, Algorithm: e.algorithm, Step: sgd.step, At: e.at})
			if err != nil {
				return s.inputUnlessStopped(err)
			}
			if s.json {
				return s.printJSON(map[string]any{"bounds": all})
			}
			printBounds(s, e, all)
			return nil
		})
}

func printBounds(s *session, e *experiment, all []bounds.Bound) {
	head := []string{"bound", "kind"}
	for _, t := range e.at {
		head = append(head, fmt.Sprintf("t=%d", t))
	}
	t := table{head: append(head, "note")}
	for _, b := range all {
		cells := []string{b.ID, string(b.Kind)}
		for _, at := range e.at {
			cells = append(cells, valueOf(b, at))
		}
		t.add(append(cells, noteOf(b))...)
	}
	t.write(s.stdout)
}

// valueOf prints what a bound says of round t.
func valueOf(b bounds.Bound, t int) string {
	if b.Value != nil {
		return number(*b.Value)
	}
	for _, p := range b.Points {
		if p.T == t {
			return number(p.Value)
		}
	}
	return "–"
}

func noteOf(b bounds.Bound) string {
	switch {
	case !b.Applicable:
		return "not applicable: " + b.Reason
	case b.Vacuous:
		return "vacuous: grows without limit"
	case b.Tuned:
		return "for a step of its own choice"
	}
	return b.Detail
}
