package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/urfave/cli/v2"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/schedule"
	"github.com/islandsgd/islands/study"
)

// validateFlags say what is checked, beside the schedules.
type validateFlags struct {
	sgd             sgdFlags
	problems, cases cli.StringSlice
	scale           float64
	random          int
	junit           string
	force, attack   bool
	bound           string
}

func (f *validateFlags) flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "problem", Usage: "quadratic:key=value,... or file; may be given several times", Destination: &f.problems, Category: "problem"},
		&cli.StringFlag{Name: "algorithm", Usage: "algorithm:key=value,... (default: atc, cta and dgd, which have guarantees)", Destination: &f.sgd.algorithm, Category: "problem"},
		&cli.Float64Flag{Name: "step", Usage: "step size (default: 1/(4L) of each problem)", Destination: &f.sgd.step, Category: "problem"},
		&cli.StringFlag{Name: "at", Value: "1,2,5,10,20,50", Usage: "rounds to check, with commas", Destination: &f.sgd.at, Category: "problem"},
		f.sgd.runsFlag(400),
		&cli.IntFlag{Name: "random", Value: 200, Usage: "small random instances beside the built-in suite; with --attack, instances to begin with", Destination: &f.random, Category: "check"},
		&cli.StringSliceFlag{Name: "case", Usage: "file of one instance, as --attack prints it; may be given several times", Destination: &f.cases, Category: "check"},
		&cli.Float64Flag{Name: "scale-bounds", Value: 1, Usage: "multiply every bound by this; below 1 the check should fail", Destination: &f.scale, Category: "check"},
		&cli.BoolFlag{Name: "attack", Usage: "search small instances for the least bound/exact and print the worst one as a file", Destination: &f.attack, Category: "check"},
		&cli.StringFlag{Name: "bound", Usage: "attack this guarantee alone, for instance kernel-mse", Destination: &f.bound, Category: "check"},
		&cli.StringFlag{Name: "junit", Usage: "write the checks to this file as JUnit XML", Destination: &f.junit, Category: "output"},
		&cli.BoolFlag{Name: "force", Usage: "replace an existing file", Destination: &f.force, Category: "output"},
	}
}

func validateCommand() *cli.Command {
	sch, f := &scheduleFlags{}, &validateFlags{}
	flags := append(append(sch.flags(true), sch.topologyFlag()), f.flags()...)
	return command("validate", "do bound, exact moments and simulation agree?", "", `Checks on every schedule and problem that each guarantee is at least the exact moment, and that the simulated mean
agrees with it within its standard error, corrected for the number of comparisons. Without --schedule, --problem and
--case a built-in suite is checked, and random instances. --verbose lists every check.

  analyze validate
  analyze validate --schedule ring:n=6 --problem quadratic:d=10,spread=0.3 --step 0.05
  analyze validate --scale-bounds 0.05      (shows that the check can fail)
  analyze validate --attack --random 50     (the tightest instance found, as a file for --case)

EXIT STATUS: 0 every check passed, 2 wrong usage or input, 3 a check failed.`, 0, flags, func(s *session) error {
		if !(f.scale > 0) {
			return inputf("--scale-bounds %g: a positive factor is needed", f.scale)
		}
		if f.random < 0 {
			return inputf("--random %d is negative", f.random)
		}
		if f.attack {
			return f.runAttack(s)
		}
		if f.bound != "" {
			return inputf("--bound is for --attack")
		}
		return f.validate(s, sch)
	})
}

func (f *validateFlags) validate(s *session, sch *scheduleFlags) error {
	at, err := f.sgd.rounds()
	if err != nil {
		return err
	}
	if f.sgd.runs < 2 {
		return inputf("--runs %d: a standard error needs at least 2", f.sgd.runs)
	}
	o := study.ValidateOptions{Step: f.sgd.step, At: at, Runs: f.sgd.runs, Scale: f.scale, Seed: s.seed, Jobs: s.jobs}
	if f.sgd.algorithm != "" {
		algorithm, err := f.sgd.check()
		if err != nil {
			return err
		}
		o.Algorithms = []gossip.Algorithm{algorithm}
	}
	cases, err := f.load(s, sch)
	if err != nil {
		return err
	}
	progress := s.progress("cases")
	o.Progress = progress.update
	v, err := study.Validate(s.ctx, cases, o)
	progress.done()
	if err != nil {
		return s.inputUnlessStopped(err)
	}
	s.warnings = append(s.warnings, v.Warnings...)
	if f.junit != "" {
		var b bytes.Buffer
		if err := v.WriteJUnit(&b); err != nil {
			return err
		}
		if err := writeFile(f.junit, b.Bytes(), f.force); err != nil {
			return err
		}
	}
	if s.json {
		err = s.printJSON(v)
	} else {
		printVerdict(s, v)
	}
	if err == nil && !v.Passed {
		return errViolated
	}
	return err
}

// load pairs every schedule with every problem; what is not given comes from the built-in suite.
func (f *validateFlags) load(s *session, sch *scheduleFlags) ([]study.Case, error) {
	schedules, named, err := sch.load(schedule.Options{})
	if err != nil {
		return nil, err
	}
	var out []study.Case
	for _, path := range f.cases.Value() {
		c, err := study.LoadCase(path)
		if err != nil {
			return nil, fileError(err)
		}
		out = append(out, c)
	}
	problems := f.problems.Value()
	if len(schedules) == 0 && len(problems) == 0 {
		if len(out) > 0 {
			return out, nil
		}
		return builtIn(f.random, s.seed, f.sgd)
	}
	if len(schedules) == 0 {
		for _, line := range study.SuiteSchedules() {
			one, err := schedule.Load(line, schedule.Options{})
			if err != nil {
				return nil, err
			}
			schedules, named = append(schedules, one), append(named, line)
		}
	}
	if len(problems) == 0 {
		problems = study.SuiteProblems()
	}
	for i, sc := range schedules {
		for _, p := range problems {
			f.sgd.problem = p
			q, err := f.sgd.load(sc.N)
			if err != nil {
				return nil, err
			}
			out = append(out, study.Case{ScheduleName: named[i], ProblemName: p, Schedule: sc, Problem: q})
		}
	}
	return out, nil
}

// builtIn is the suite with random instances. A step or an algorithm that was asked for replaces those of its cases.
func builtIn(random int, seed uint64, sgd sgdFlags) ([]study.Case, error) {
	cases, err := study.Suite()
	if err != nil {
		return nil, err
	}
	more, err := study.RandomCases(random, seed)
	if err != nil {
		return nil, err
	}
	cases = append(cases, more...)
	var out []study.Case
	for _, c := range cases {
		if sgd.step > 0 {
			c.Step = 0
		}
		if sgd.algorithm != "" {
			if c.Problem.LeastSquares && sgd.algorithm != "atc" {
				continue // its one guarantee is about atc
			}
			c.Algorithms = nil
		}
		out = append(out, c)
	}
	return out, nil
}

func printVerdict(s *session, v *study.Verdict) {
	if s.verbose {
		t := table{head: []string{"schedule", "problem", "algorithm", "bound", "holds", "simulation agrees", "worst z", "bound/exact"}}
		for _, c := range v.Checks {
			t.add(c.Schedule, c.Problem, c.Algorithm, c.Bound, yesNo(c.BoundHolds), yesNo(c.SimulationAgrees), zText(c.WorstZ), c.TightnessText())
		}
		t.write(s.stdout)
		fmt.Fprintln(s.stdout)
	}
	t := table{head: []string{"guarantee", "checks", "failed", "vacuous", "not applicable", "least", "median", "largest bound/exact"}}
	checks, failed, worst := 0, 0, 0.0
	for _, b := range v.Summary {
		checks, failed = checks+b.Checks, failed+b.Failed
		t.add(b.Bound, fmt.Sprint(b.Checks), fmt.Sprint(b.Failed), fmt.Sprint(b.Vacuous), fmt.Sprint(b.Skipped), ratio(b.Least), ratio(b.Median), ratio(b.Largest))
	}
	t.write(s.stdout)
	const shown = 20
	listed := 0
	for _, c := range v.Checks {
		worst = max(worst, c.WorstZ)
		if message := c.Failure(v.ZLimit); message != "" {
			if listed++; listed <= shown {
				fmt.Fprintf(s.stdout, "\nFAILED %s on %s, %s, step %s: %s\n       %s\n       bound/exact %s\n", c.Schedule, c.Problem, c.Algorithm, number(c.Step), c.Bound, message, c.TightnessText())
			}
		}
	}
	if listed > shown {
		fmt.Fprintf(s.stdout, "\n... and %d more (--verbose or --json lists all)\n", listed-shown)
	}
	fmt.Fprintf(s.stdout, "\n%d checks on %d cases, %d failed.\n", checks, v.Cases, failed)
	fmt.Fprintf(s.stdout, "A bound holds when it is at least the exact moment. Largest z-score of a simulated mean: %s; %d comparisons allow %.2f.\n", zText(worst), v.Comparisons, v.ZLimit)
}

// ratio prints bound/exact: close to 1 with the digits that matter.
func ratio(v *float64) string {
	switch {
	case v == nil:
		return "–"
	case *v < 100:
		return fmt.Sprintf("%.4f", *v)
	case *v < 1e6:
		return fmt.Sprintf("%.0f", *v)
	}
	return fmt.Sprintf("%.0e", *v)
}

func (f *validateFlags) runAttack(s *session) error {
	if f.random == 0 {
		return inputf("--random 0: the attack needs instances to begin with")
	}
	a, err := study.RunAttack(s.ctx, study.AttackOptions{Starts: f.random, Bound: f.bound, Scale: f.scale, Seed: s.seed, Jobs: s.jobs})
	if err != nil {
		if errors.Is(err, context.Canceled) || stopped(err) {
			return err
		}
		return input(err)
	}
	if s.json {
		err = s.printJSON(a)
	} else {
		fmt.Fprint(s.stdout, a.File)
		if !s.quiet {
			t := table{head: []string{"guarantee", "least bound/exact", "at t"}}
			for _, x := range a.Least {
				t.add(x.Bound, fmt.Sprintf("%.9f", x.Ratio), fmt.Sprint(x.T))
			}
			t.write(s.stderr)
			fmt.Fprintf(s.stderr, "%d instances\n", a.Instances)
		}
	}
	if err == nil && !a.Holds {
		return errViolated
	}
	return err
}

// zText writes a z-score; the largest number stands for a wrong mean without spread.
func zText(z float64) string {
	if z >= math.MaxFloat64 {
		return "∞"
	}
	return fmt.Sprintf("%.2f", z)
}
