package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/islandsgd/islands/explain"
	"github.com/islandsgd/islands/schedule"
)

func explainCommand() *cli.Command {
	sch, sgd := &scheduleFlags{}, &sgdFlags{}
	var rounds int
	var flags []cli.Flag
	for _, f := range sgd.flags() {
		switch text, _ := f.(*cli.StringFlag); f.Names()[0] {
		case "at": // one number here, and a small one
		case "problem": // the usual one has too many parameters
			text.Value = "quadratic:d=1"
			fallthrough
		default:
			flags = append(flags, f)
		}
	}
	flags = append(flags, &cli.IntFlag{Name: "at", Value: 2, Usage: fmt.Sprintf("rounds to follow, at most %d", explain.MaxRounds), Destination: &rounds, Category: "problem"})
	return command("explain", "work a small instance by hand, for the blackboard", "", fmt.Sprintf(`Writes out every matrix, eigenvalue, moment and bound of a small instance, each with its formula and the numbers put in:
at most %d islands, %d parameters and %d rounds. The arithmetic is the command's own and is compared with that of exact
and bounds. --json gives the steps as a list.

  analyze explain --schedule path:n=3 --at 2
  analyze explain --cliques "0,1|2,3" --problem quadratic:d=2,heterogeneity=0.5 --step 0.2 --at 1
  analyze explain --schedule rotating-cliques:k=2,n=4 --at 3 --json`,
		explain.MaxIslands, explain.MaxParameters, explain.MaxRounds), 0,
		append(append(sch.flags(false), sch.topologyFlag()), flags...), func(s *session) error {
			sched, _, err := sch.one(schedule.Options{})
			if err != nil {
				return err
			}
			in := explain.Instance{Schedule: sched, About: sgd.problem, Step: sgd.step, Rounds: rounds}
			if in.Problem, err = sgd.load(sched.N); err != nil {
				return err
			}
			if in.Algorithm, err = sgd.check(); err != nil {
				return err
			}
			e, err := explain.Explain(s.ctx, in)
			if err != nil {
				return s.inputUnlessStopped(err)
			}
			if s.json {
				return s.printJSON(e)
			}
			fmt.Fprint(s.stdout, e.Text())
			return nil
		})
}
