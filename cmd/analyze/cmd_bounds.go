package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/islandsgd/islands/bounds"
	"github.com/islandsgd/islands/schedule"
)

// boundsFlags say what is wanted beside the values themselves.
type boundsFlags struct {
	target                  float64
	table, plan, topologies bool
}

func boundsCommand() *cli.Command {
	sch, sgd, f := &scheduleFlags{}, &sgdFlags{}, &boundsFlags{}
	flags := append(append(sch.flags(true), sch.topologyFlag()), sgd.flags()...)
	flags = append(flags,
		&cli.Float64Flag{Name: "target", Value: 0.01, Usage: "rates that count steps reach this share of the error at the start", Destination: &f.target, Category: "problem"},
		&cli.BoolFlag{Name: "table", Usage: "hold every guarantee against the exact moments, and rank them", Destination: &f.table, Category: "output"},
		&cli.BoolFlag{Name: "plan", Usage: "rounds to the target, largest steps, best step for the last round of --at", Destination: &f.plan, Category: "output"},
		&cli.BoolFlag{Name: "topologies", Usage: "compare the schedules given, or standard ones, by what rates depend on", Destination: &f.topologies, Category: "output"})
	return command("bounds", "convergence bounds of a schedule on a problem", "", `Evaluates every bound whose assumptions hold, and says of the others which assumption fails. A guarantee is never below
the exact value; an order is a published rate up to constants. Bounds that are about another algorithm or problem are
listed with --verbose.

  analyze bounds --schedule rotating-cliques:k=3 --at 1,10,100
  analyze bounds --schedule ring:n=8 --table          (how loose is each guarantee here?)
  analyze bounds --schedule ring:n=8 --plan --target 0.1
  analyze bounds --topologies --schedule ring:n=16 --schedule exponential:n=16`, 0, flags, func(s *session) error {
		if f.topologies {
			return compareTopologies(s, sch)
		}
		e, err := loadExperiment(sch, sgd)
		if err != nil {
			return err
		}
		if !(f.target > 0 && f.target < 1) {
			return inputf("--target %g: a share between 0 and 1 is needed", f.target)
		}
		setting := bounds.Setting{Problem: e.problem, Sequence: e.sequence, Algorithm: e.algorithm, Step: sgd.step, At: e.at, Target: f.target}
		all, err := bounds.Evaluate(s.ctx, setting)
		if err != nil {
			return s.inputUnlessStopped(err)
		}
		out := boundsOutput{Bounds: all}
		if f.table {
			h, err := bounds.Compare(s.ctx, setting)
			if err != nil {
				return s.inputUnlessStopped(err)
			}
			out.Honesty = &h
		}
		if f.plan {
			if out.Plan, err = planFor(s, setting); err != nil {
				return s.inputUnlessStopped(err)
			}
		}
		if s.json {
			return s.printJSON(out)
		}
		switch {
		case f.table:
			printHonesty(s, e, out.Honesty)
		case f.plan:
			printPlan(s, out.Plan, f.target)
		default:
			printBounds(s, e, all)
		}
		return nil
	})
}

// boundsOutput is the JSON of the command.
type boundsOutput struct {
	Bounds          []bounds.Bound `json:"bounds"`
	*bounds.Honesty                // exact and table, with --table
	Plan            *plan          `json:"plan,omitempty"`
}

// plan is what one chooses by bounds: how long, and with which step.
type plan struct {
	Reach []bounds.Reach     `json:"reach"`
	Steps []bounds.StepLimit `json:"largest_steps"`
	Best  bounds.StepChoice  `json:"best_step"`
}

// planRounds is how far the plan looks for the target; of random schedules, whose exact moments are sums over all
// outcomes in every round, not as far.
const planRounds, planRoundsRandom = 5000, 300

func planFor(s *session, setting bounds.Setting) (*plan, error) {
	var p plan
	var err error
	horizon := planRounds
	if setting.Sequence.Random != nil {
		horizon = planRoundsRandom
	}
	if p.Reach, err = bounds.RoundsToTarget(s.ctx, setting, horizon); err != nil {
		return nil, err
	}
	if p.Steps, err = bounds.LargestSteps(s.ctx, setting); err != nil {
		return nil, err
	}
	p.Best, err = bounds.BestStep(s.ctx, setting, max(1, slices.Max(setting.At)))
	return &p, err
}

func printBounds(s *session, e *experiment, all []bounds.Bound) {
	head := []string{"bound", "kind"}
	for _, t := range e.at {
		head = append(head, fmt.Sprintf("t=%d", t))
	}
	moments, values := table{head: append(head, "note")}, table{head: []string{"bound", "kind", "value", "note"}}
	about, hidden := table{head: []string{"does not apply", "because"}}, 0
	for _, b := range all {
		switch {
		case !b.Applicable && !s.verbose && b.Kind == bounds.Order && notAboutThis(b):
			hidden++
		case !b.Applicable:
			about.add(b.ID, b.Reason)
		case b.Value != nil:
			values.add(b.ID, string(b.Kind), number(*b.Value), noteOf(b))
		default:
			cells := []string{b.ID, string(b.Kind)}
			for _, t := range e.at {
				cells = append(cells, valueAt(b, t))
			}
			moments.add(append(cells, noteOf(b))...)
		}
	}
	moments.write(s.stdout)
	for _, t := range []table{values, about} {
		if len(t.rows) > 0 {
			fmt.Fprintln(s.stdout)
			t.write(s.stdout)
		}
	}
	if hidden > 0 {
		fmt.Fprintf(s.stdout, "\n%d published statements about other algorithms or schedules are not shown (--verbose shows them).\n", hidden)
	}
}

// notAboutThis reports whether a bound fails on what it is about, not on a number: its algorithm or kind of schedule.
func notAboutThis(b bounds.Bound) bool {
	for _, a := range b.Assumptions {
		if !a.Holds {
			return a.Found == b.Reason && (strings.HasPrefix(a.Found, "holds for ") || strings.HasPrefix(a.Found, "not met: ") || strings.HasPrefix(a.Found, "groups of the schedule"))
		}
	}
	return false
}

// valueAt prints what a bound says of round t.
func valueAt(b bounds.Bound, t int) string {
	for _, p := range b.Points {
		if p.T == t {
			return number(p.Value)
		}
	}
	return "–"
}

func noteOf(b bounds.Bound) string {
	switch {
	case b.Vacuous:
		return "vacuous: grows without limit"
	case b.Lower:
		return "lower bound: no method of its class does better"
	case b.Tuned:
		return "for a step of its own choice"
	}
	return b.Detail
}

func printHonesty(s *session, e *experiment, h *bounds.Honesty) {
	head := []string{"guarantee", "rank"}
	for _, t := range e.at {
		head = append(head, fmt.Sprintf("t=%d", t))
	}
	t := table{head: append(head, "mean", "vacuous above step", "note")}
	for _, r := range h.Rows {
		rank, note := "–", r.Reason
		if r.Rank != nil {
			rank = fmt.Sprint(*r.Rank)
		}
		if r.Vacuous {
			note = "vacuous: grows without limit"
		}
		cells := []string{r.ID, rank}
		for i := range e.at {
			if i < len(r.Tightness) {
				cells = append(cells, ratio(r.Tightness[i].BoundOverExact))
			} else {
				cells = append(cells, "–")
			}
		}
		t.add(append(cells, ratio(r.Mean), optional(r.VacuousAbove), note)...)
	}
	fmt.Fprintln(s.stdout, "bound/exact: 1 is the truth")
	t.write(s.stdout)
}

func printPlan(s *session, p *plan, target float64) {
	t := table{head: []string{"bound", fmt.Sprintf("rounds to %g of the start", target), "local steps", "note"}}
	for _, r := range p.Reach {
		t.add(r.ID, whole(r.Rounds), whole(r.Steps), r.Reason)
	}
	t.write(s.stdout)
	fmt.Fprintln(s.stdout)
	t = table{head: []string{"holds and settles up to", "step"}}
	for _, l := range p.Steps {
		text := optional(l.Step)
		if l.Open {
			text = "above " + text
		}
		t.add(l.ID, text)
	}
	t.write(s.stdout)
	b := p.Best
	fmt.Fprintf(s.stdout, "\nBest constant step for %d rounds: %s by the exact mse (%s)", b.Horizon, number(b.Exact), number(b.ExactMSE))
	if b.Bound != nil {
		fmt.Fprintf(s.stdout, "; %s by the least guarantee, which promises %s (exact there: %s)", number(*b.Bound), number(*b.BoundMSE), number(*b.AtBound))
	}
	fmt.Fprintln(s.stdout, ".")
}

func whole(v *int) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprint(*v)
}

func compareTopologies(s *session, sch *scheduleFlags) error {
	schedules, named, err := sch.load(schedule.Options{})
	if err != nil {
		return err
	}
	for i, name := range named {
		schedules[i].Name = name
	}
	if len(schedules) == 0 {
		if schedules, err = bounds.StandardTopologies(16); err != nil {
			return input(err)
		}
	}
	rows, err := bounds.CompareTopologies(s.ctx, schedules)
	if err != nil {
		return s.inputUnlessStopped(err)
	}
	if s.json {
		return s.printJSON(map[string]any{"topologies": rows})
	}
	t := table{head: []string{"schedule", "n", "peers", "period", "‖W-J‖", "p", "τ", "exact after", "diameter", "transient steps", "heterogeneous", "no method beats"}}
	for _, r := range rows {
		t.add(r.Schedule, fmt.Sprint(r.N), fmt.Sprint(r.Peers), fmt.Sprint(r.Period), optional(r.Lambda), optional(r.P), whole(r.Tau), whole(r.ExactAfter), whole(r.Diameter),
			optional(r.Homogeneous), optional(r.Heterogeneous), optional(r.LowerBound))
	}
	t.write(s.stdout)
	fmt.Fprintln(s.stdout, "\nτ, exact after: rounds. Transient steps: n³/gap², on heterogeneous data n³/gap⁴, up to constants, gap = 1-‖W-J‖ or p/τ.")
	return nil
}
