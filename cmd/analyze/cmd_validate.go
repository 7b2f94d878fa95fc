package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/islandsgd/islands/schedule"
	"github.com/islandsgd/islands/study"
)

func validateCommand() *cli.Command {
	sch, sgd := &scheduleFlags{}, &sgdFlags{}
	var problems cli.StringSlice
	var scale float64
	flags := append(sch.flags(true), sch.topologyFlag(),
		&cli.StringSliceFlag{Name: "problem", Usage: "quadratic:key=value,... or file; may be given several times", Destination: &problems, Category: "problem"},
		&cli.StringFlag{Name: "algorithm", Value: "atc", Usage: "algorithm:key=value,...", Destination: &sgd.algorithm, Category: "problem"},
		&cli.Float64Flag{Name: "step", Usage: "step size (default 1/(4L) of each problem)", Destination: &sgd.step, Category: "problem"},
		&cli.StringFlag{Name: "at", Value: "1,2,5,10,20,50", Usage: "rounds to check, with commas", Destination: &sgd.at, Category: "problem"},
		sgd.runsFlag(400),
		&cli.Float64Flag{Name: "scale-bounds", Value: 1, Usage: "multiply every bound by this; below 1 the check should fail", Destination: &scale, Category: "problem"},
	)
	return command("validate", "do bound, exact moments and simulation agree?", "", `Checks on every schedule and problem that each guarantee is at least the exact moment and that the simulated mean agrees
with it within its standard error. Without --schedule and --problem a built-in suite is checked. Exit status 3 when a
check fails.

  analyze validate
  analyze validate --schedule ring:n=6 --problem quadratic:d=10,spread=0.3 --step 0.05
  analyze validate --scale-bounds 0.05      (shows that the check can fail)`, 0, flags, func(s *session) error {
		algorithm, err := sgd.check()
		if err != nil {
			return err
		}
		at, err := sgd.rounds()
		if err != nil {
			return err
		}
		if !(scale > 0) {
			return inputf("--scale-bounds %g: a positive factor is needed", scale)
		}
		cases, err := validateCases(sch, sgd, problems.Value())
		if err != nil {
			return err
		}
		v, err := study.Validate(s.ctx, cases, study.ValidateOptions{
			Algorithm: algorithm, Step: sgd.step, At: at, Runs: sgd.runs, Scale: scale, Seed: s.seed, Jobs: s.jobs,
		})
		if err != nil {
			return s.inputUnlessStopped(err)
		}
		s.warnings = append(s.warnings, v.Warnings...)
		if s.json {
			err = s.printJSON(v)
		} else {
			printVerdict(s, v)
		}
		if err == nil && !v.Passed {
			return errViolated
		}
		return err
	})
}

// validateCases pairs every schedule with every problem; what is not given comes from the built-in suite.
func validateCases(sch *scheduleFlags, sgd *sgdFlags, problems []string) ([]study.Case, error) {
	schedules, named, err := sch.load(schedule.Options{})
	if err != nil {
		return nil, err
	}
	suite, err := study.Suite()
	if err != nil {
		return nil, err
	}
	if len(schedules) == 0 && len(problems) == 0 {
		return suite, nil
	}
	if len(schedules) == 0 {
		for _, c := range suite {
			if n := len(named); n == 0 || named[n-1] != c.ScheduleName {
				schedules, named = append(schedules, c.Schedule), append(named, c.ScheduleName)
			}
		}
	}
	if len(problems) == 0 {
		problems = study.SuiteProblems()
	}
	var out []study.Case
	for i, sc := range schedules {
		for _, p := range problems {
			sgd.problem = p
			q, err := sgd.load(sc.N)
			if err != nil {
				return nil, err
			}
			out = append(out, study.Case{ScheduleName: named[i], ProblemName: p, Schedule: sc, Problem: q})
		}
	}
	return out, nil
}

func printVerdict(s *session, v *study.Verdict) {
	t := table{head: []string{"schedule", "problem", "bound", "holds", "simulation agrees", "worst z", "bound/exact, first", "last"}}
	failed := 0
	for _, c := range v.Checks {
		if !c.BoundHolds || !c.SimulationAgrees {
			failed++
		}
		first, last := "–", "–"
		if n := len(c.Tightness); n > 0 {
			first, last = optional(c.Tightness[0].BoundOverExact), optional(c.Tightness[n-1].BoundOverExact)
		}
		t.add(c.Schedule, c.Problem, c.Bound, yesNo(c.BoundHolds), yesNo(c.SimulationAgrees), fmt.Sprintf("%.2f", c.WorstZ), first, last)
	}
	t.write(s.stdout)
	fmt.Fprintf(s.stdout, "\n%d checks, %d failed; %d guarantees did not apply (see --json for the reasons)\n", len(v.Checks), failed, len(v.NotApplicable))
	fmt.Fprintf(s.stdout, "A bound holds when it is at least the exact moment. A simulation agrees when no mean is off by more than %.2f standard errors.\n", v.ZLimit)
}
