package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

// experiment is what exact, simulate and bounds have in common: one schedule, one problem, one algorithm.
type experiment struct {
	schedule  *schedule.Schedule
	sequence  *mixing.Sequence
	any       gossip.Problem
	problem   *gossip.Quadratic // any, where it is a quadratic
	algorithm gossip.Algorithm
	at        []int
}

// loadExperiment reads an experiment on a quadratic.
func loadExperiment(sch *scheduleFlags, sgd *sgdFlags) (*experiment, error) {
	e, err := loadAnyExperiment(sch, sgd)
	if err == nil && e.problem == nil {
		err = inputf("--problem %s is no quadratic: it has no exact moments and no bounds, but can be simulated", sgd.problem)
	}
	return e, err
}

// loadAnyExperiment reads an experiment on any problem.
func loadAnyExperiment(sch *scheduleFlags, sgd *sgdFlags) (*experiment, error) {
	var e experiment
	var err error
	if e.schedule, _, err = sch.one(schedule.Options{}); err != nil {
		return nil, err
	}
	if e.sequence, err = mixing.New(e.schedule); err != nil {
		return nil, input(err)
	}
	if e.any, err = gossip.LoadAny(sgd.problem, e.schedule.N); err != nil {
		return nil, fileError(err)
	}
	e.problem, _ = e.any.(*gossip.Quadratic)
	if e.algorithm, err = sgd.check(); err != nil {
		return nil, err
	}
	if e.at, err = sgd.rounds(); err != nil {
		return nil, err
	}
	return &e, nil
}

func exactCommand() *cli.Command {
	sch, sgd := &scheduleFlags{}, &sgdFlags{}
	return command("exact", "exact moments of SGD on a quadratic", "", `Computes the mean square error, its centroid part (mean of the islands against the optimum) and its consensus part
(islands against their mean), without sampling, and their limits.

  analyze exact --schedule ring:n=8 --at 1,10,100
  analyze exact --schedule rotating-cliques:k=3,h=4 --problem quadratic:d=50,spread=0.5 --step 0.05 --json`, 0,
		append(append(sch.flags(false), sch.topologyFlag()), sgd.flags()...), func(s *session) error {
			e, err := loadExperiment(sch, sgd)
			if err != nil {
				return err
			}
			progress := s.progress("groups of coordinates")
			r, err := gossip.Exact(s.ctx, e.problem, e.sequence, gossip.ExactOptions{
				Algorithm: e.algorithm, Step: sgd.step, At: e.at, Jobs: s.jobs, Progress: progress.update,
			})
			progress.done()
			if err != nil {
				return s.inputUnlessStopped(err)
			}
			s.warnings = append(s.warnings, r.Warnings...)
			if s.json {
				return s.printJSON(r)
			}
			fmt.Fprintf(s.stdout, "%s on %s with %s, step %s\n\n", e.schedule.Name, sgd.problem, e.algorithm, number(r.Step))
			t := table{head: []string{"round", "mse", "centroid", "consensus"}}
			for _, p := range r.Points {
				if p.Overflow {
					t.add(fmt.Sprint(p.T), "∞", "∞", "∞")
					continue
				}
				t.add(fmt.Sprint(p.T), number(p.MSE), number(p.Centroid), number(p.Consensus))
			}
			if m := r.Stationary; m != nil {
				t.add("∞", number(m.MSE), number(m.Centroid), number(m.Consensus))
			}
			t.write(s.stdout)
			fmt.Fprintf(s.stdout, "\nspectral radius per round %s: ", optional(r.Radius))
			switch {
			case r.Radius == nil:
				fmt.Fprintln(s.stdout, "not computed, so neither is the limit")
			case r.Stable:
				fmt.Fprint(s.stdout, "stable, the last line is the limit")
				if p := e.schedule.Period(); p > 1 && e.schedule.Random == nil {
					fmt.Fprintf(s.stdout, " at the end of a period of %d rounds", p)
				}
				fmt.Fprintln(s.stdout)
			default:
				fmt.Fprintln(s.stdout, "not stable, there is no limit")
			}
			return nil
		})
}

func simulateCommand() *cli.Command {
	sch, sgd := &scheduleFlags{}, &sgdFlags{}
	var stepwise, percentiles bool
	flags := append(append(sch.flags(false), sch.topologyFlag(), sgd.runsFlag(100)), sgd.flags()...)
	flags = append(flags,
		&cli.BoolFlag{Name: "stepwise", Usage: "simulate every local step, also where one draw for many has the same distribution", Destination: &stepwise, Category: "problem"},
		&cli.BoolFlag{Name: "percentiles", Usage: "also describe the distribution of the runs: median, percentiles, outliers", Destination: &percentiles, Category: "problem"},
	)
	return command("simulate", "simulate SGD in many runs", "", `Runs the algorithm itself and reports means over runs with standard errors and 95% intervals. Equal seeds give equal
bits for any --jobs. Beside quadratics it takes least-squares and logistic problems.

  analyze simulate --schedule ring:n=8 --at 1,10,100 --runs 1000
  analyze simulate --schedule ring:n=8 --algorithm choco:compress=top-k,k=2,gamma=0.1 --percentiles
  analyze simulate --schedule rotating-cliques:k=3,n=9 --problem logistic --step 0.5`, 0,
		flags, func(s *session) error {
			e, err := loadAnyExperiment(sch, sgd)
			if err != nil {
				return err
			}
			if sgd.runs < 1 {
				return inputf("--runs %d: at least 1 run is needed", sgd.runs)
			}
			progress := s.progress("runs")
			r, err := gossip.Simulate(s.ctx, e.any, e.sequence, gossip.SimulateOptions{
				Algorithm: e.algorithm, Step: sgd.step, At: e.at, Runs: sgd.runs, Seed: s.seed, Jobs: s.jobs, Progress: progress.update,
				Stepwise: stepwise, Percentiles: percentiles,
			})
			progress.done()
			if err != nil && (r == nil || r.Runs == 0 || !stopped(err)) {
				return s.inputUnlessStopped(err)
			}
			s.warnings = append(s.warnings, r.Warnings...)
			if err != nil {
				s.warn("stopped after %d of %d runs", r.Runs, sgd.runs)
			}
			if printErr := printSimulation(s, e, sgd, r); printErr != nil {
				return printErr
			}
			return err
		})
}

func printSimulation(s *session, e *experiment, sgd *sgdFlags, r *gossip.SimulateResult) error {
	if s.json {
		return s.printJSON(r)
	}
	fmt.Fprintf(s.stdout, "%s on %s with %s, step %s, %d runs (mean and standard error)\n\n", e.schedule.Name, sgd.problem, e.algorithm, number(r.Step), r.Runs)
	t := table{head: []string{"round", "mse", "±", "centroid", "±", "consensus", "±"}}
	for _, p := range r.Points {
		if p.MSE.Runs == 0 {
			t.add(fmt.Sprint(p.T), "∞", "", "∞", "", "∞", "")
			continue
		}
		t.add(fmt.Sprint(p.T), number(p.MSE.Mean), number(p.MSE.StandardError), number(p.Centroid.Mean), number(p.Centroid.StandardError), number(p.Consensus.Mean), number(p.Consensus.StandardError))
	}
	t.write(s.stdout)
	printDistributions(s, r)
	if d := r.Diverged; d != nil {
		fmt.Fprintf(s.stdout, "\ndiverged: run %d is out of range after round %d\n", d.Run, d.Round)
	}
	if s.verbose {
		fmt.Fprintf(s.stderr, "%s local steps per second\n", number(r.StepsPerSecond))
	}
	return nil
}

// printDistributions prints how the runs are spread, where that was asked for.
func printDistributions(s *session, r *gossip.SimulateResult) {
	t := table{head: []string{"round", "quantity", "5%", "25%", "median", "75%", "95%", "outliers"}}
	for _, p := range r.Points {
		for _, q := range []struct {
			name string
			e    gossip.Estimate
		}{{"mse", p.MSE}, {"centroid", p.Centroid}, {"consensus", p.Consensus}} {
			if d := q.e.Distribution; d != nil {
				t.add(fmt.Sprint(p.T), q.name, number(d.P5), number(d.P25), number(d.Median), number(d.P75), number(d.P95), fmt.Sprint(d.Outliers))
			}
		}
	}
	if len(t.rows) > 0 {
		fmt.Fprintln(s.stdout)
		t.write(s.stdout)
	}
}

// stopped reports whether an error is the end of the context.
func stopped(err error) bool { return errors.Is(err, errCanceled) || errors.Is(err, errDeadline) }

// inputUnlessStopped marks an error of a computation as a mistake in its input, unless the context ended.
func (s *session) inputUnlessStopped(err error) error {
	if stopped(err) {
		return err
	}
	return input(err)
}
