package study

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/islandsgd/islands/bounds"
	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

// Case is one schedule on one problem, to be checked.
type Case struct {
	ScheduleName, ProblemName string
	Schedule                  *schedule.Schedule
	Problem                   *gossip.Quadratic
	Algorithms                []gossip.Algorithm // default: those of the options
	Step                      float64            // η; default (0): that of the options
	At                        []int              // default: those of the options
}

// ValidateOptions are the settings of Validate. The zero value works.
type ValidateOptions struct {
	Algorithms []gossip.Algorithm // default: those that have guarantees, atc, cta and dgd
	Step       float64            // η; default (0): each problem's 1/(4L)
	At         []int              // rounds to check; default: 1, 2, 5, 10, 20, 50
	Runs       int                // simulated runs of each case; default (0): 400
	Scale      float64            // multiplies every bound; default (0): 1. Below 1 it shows that the check can fail
	Seed       uint64
	Jobs       int                // cases at a time; default (0): one for each processor. Results do not depend on it
	Own        []bounds.Method    // bounds of your own, checked like the built-in ones
	Progress   func(done, of int) // called after each case, from one goroutine at a time
}

// Check is one bound on one case.
type Check struct {
	Schedule         string             `json:"schedule"`
	Problem          string             `json:"problem"`
	Algorithm        string             `json:"algorithm"`
	Step             float64            `json:"step"`
	Bound            string             `json:"bound"`
	Tightness        []bounds.Tightness `json:"tightness"`
	BoundHolds       bool               `json:"bound_holds"`
	SimulationAgrees bool               `json:"simulation_agrees"`
	WorstZ           float64            `json:"worst_z"` // largest |simulated mean - exact| in standard errors, over the case
	Vacuous          bool               `json:"vacuous"` // the bound grows without limit here
}

// NotApplicable says why a guarantee was not checked.
type NotApplicable struct {
	Schedule string `json:"schedule"`
	Problem  string `json:"problem"`
	Bound    string `json:"bound"`
	Reason   string `json:"reason"`
}

// Skipped is a guarantee that did not apply for the same reason in Count trials, of which the first is named.
type Skipped struct {
	NotApplicable
	Algorithm string `json:"algorithm"`
	Count     int    `json:"count"`
}

// Verdict is the result of Validate.
type Verdict struct {
	Passed        bool      `json:"passed"`
	Checks        []Check   `json:"checks"`
	Cases         int       `json:"cases"`       // schedule, problem and algorithm
	Comparisons   int       `json:"comparisons"` // simulated means held against exact moments
	ZLimit        float64   `json:"z_limit"`     // the |z| above which a simulation disagrees, corrected for their number
	Summary       []Summary `json:"summary"`
	NotApplicable []Skipped `json:"not_applicable"`
	Warnings      []string  `json:"-"`
}

// Summary is all checks of one bound together.
type Summary struct {
	Bound   string   `json:"bound"`
	Checks  int      `json:"checks"`
	Failed  int      `json:"failed"`
	Skipped int      `json:"not_applicable"`
	Vacuous int      `json:"vacuous"`
	Least   *float64 `json:"least"` // of bound/exact over all rounds; nil: exact is 0 everywhere
	Median  *float64 `json:"median"`
	Largest *float64 `json:"largest"`
}

// falseAlarm is the chance that a correct program is told that a simulation disagrees, over all comparisons together.
const falseAlarm = 1e-3

// Algorithms returns the algorithms that have guarantees.
func Algorithms() []gossip.Algorithm {
	return []gossip.Algorithm{{Name: "atc"}, {Name: "cta"}, {Name: "dgd"}}
}

// Validate checks every guarantee on every case: the bound must be at least the exact moment, and the simulated mean
// must agree with it. The z-scores are corrected for the number of comparisons (Bonferroni, Student's t), so that one
// large score among thousands is no alarm.
func Validate(ctx context.Context, cases []Case, o ValidateOptions) (*Verdict, error) {
	if o.At == nil {
		o.At = []int{1, 2, 5, 10, 20, 50}
	}
	if o.Runs == 0 {
		o.Runs = 400
	}
	if o.Runs < 2 {
		return nil, fmt.Errorf("%d run has no standard error to check against (use at least 2)", o.Runs)
	}
	if o.Algorithms == nil {
		o.Algorithms = Algorithms()
	}
	trials := o.trials(cases)
	v := &Verdict{Passed: true, Checks: []Check{}, Cases: len(trials), NotApplicable: []Skipped{}}
	for _, t := range trials {
		for _, round := range t.at {
			if t.c.Schedule.Random == nil || round <= rareAfter {
				v.Comparisons += 3
			}
		}
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(o.Runs - 1)}
	v.ZLimit = t.Quantile(1 - falseAlarm/float64(2*max(1, v.Comparisons)))

	results, finished := make([]trialResult, len(trials)), 0
	var mu sync.Mutex
	work, inner := errgroup.WithContext(ctx)
	work.SetLimit(workers(o.Jobs))
	for i := range trials {
		work.Go(func() error {
			if inner.Err() != nil {
				return inner.Err()
			}
			var err error
			if results[i], err = trials[i].run(inner, o, v.ZLimit); err != nil {
				return fmt.Errorf("%s on %s with %s: %w", trials[i].c.ScheduleName, trials[i].c.ProblemName, trials[i].algorithm, err)
			}
			if mu.Lock(); o.Progress != nil {
				finished++
				o.Progress(finished, len(trials))
			}
			mu.Unlock()
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	v.collect(results)
	if len(v.Checks) == 0 {
		v.Passed = false
		v.Warnings = append(v.Warnings, "no guarantee applies, so nothing was checked")
	}
	return v, nil
}

// trial is one case with one algorithm.
type trial struct {
	c         Case
	algorithm gossip.Algorithm
	step      float64
	at        []int
}

func (o ValidateOptions) trials(cases []Case) []trial {
	var out []trial
	for _, c := range cases {
		algorithms, step, at := c.Algorithms, c.Step, c.At
		if algorithms == nil {
			algorithms = o.Algorithms
		}
		if step == 0 {
			step = o.Step
		}
		if at == nil {
			at = o.At
		}
		for _, a := range algorithms {
			out = append(out, trial{c, a, step, at})
		}
	}
	return out
}

// trialResult is what a trial found, in the order of the bounds.
type trialResult struct {
	checks  []Check
	skipped []Skipped
}

func (t trial) run(ctx context.Context, o ValidateOptions, limit float64) (trialResult, error) {
	var out trialResult
	seq, err := mixing.New(t.c.Schedule)
	if err != nil {
		return out, err
	}
	exact, err := gossip.Exact(ctx, t.c.Problem, seq, gossip.ExactOptions{Algorithm: t.algorithm, Step: t.step, At: t.at, Jobs: 1})
	if err != nil {
		return out, err
	}
	sim, err := gossip.Simulate(ctx, t.c.Problem, seq, gossip.SimulateOptions{Algorithm: t.algorithm, Step: t.step, At: t.at, Runs: o.Runs, Seed: o.Seed, Jobs: 1})
	if err != nil {
		return out, err
	}
	all, err := bounds.Evaluate(ctx, bounds.Setting{Problem: t.c.Problem, Sequence: seq, Algorithm: t.algorithm, Step: t.step, At: t.at, Scale: o.Scale, Own: o.Own})
	if err != nil {
		return out, err
	}
	if seq.Random != nil {
		sim.Points = upTo(sim.Points, rareAfter)
	}
	if rareAlways(t.c.Problem, exact) {
		sim.Points = upTo(sim.Points, 0)
	}
	worst := worstZ(t.c.Problem, exact, sim)
	truth := truth{exact: exact}
	if isFlat(t.c.Problem) {
		truth.start = t.c.Problem.Constants().StartConsensus
		truth.width = widths(seq, t.c.Problem, t.at)
	}
	for _, b := range all {
		if b.Kind != bounds.Guarantee || !truth.knows(b.Quantity) {
			continue
		}
		if !b.Applicable {
			out.skipped = append(out.skipped, Skipped{NotApplicable{t.c.ScheduleName, t.c.ProblemName, b.ID, b.Reason}, t.algorithm.String(), 1})
			continue
		}
		check := Check{
			Schedule: t.c.ScheduleName, Problem: t.c.ProblemName, Algorithm: t.algorithm.String(), Step: exact.Step, Bound: b.ID,
			BoundHolds: true, SimulationAgrees: worst <= limit, WorstZ: worst, Vacuous: b.Vacuous, Tightness: []bounds.Tightness{},
		}
		for _, p := range b.Points {
			i := slices.Index(t.at, p.T)
			if i < 0 {
				return out, fmt.Errorf("bound %s has a value at round %d, which was not asked for", b.ID, p.T)
			}
			if exact.Points[i].Overflow { // no part of an error that is past the range of floating point is known
				check.Tightness = append(check.Tightness, bounds.Tightness{T: p.T})
				continue
			}
			x := truth.value(b.Quantity, i)
			check.BoundHolds = check.BoundHolds && bounds.Holds(p.Value, x, truth.whole(b.Quantity, i))
			check.Tightness = append(check.Tightness, bounds.Tight(p, x))
		}
		if b.Value != nil {
			x := truth.value(b.Quantity, 0)
			check.BoundHolds = bounds.Holds(*b.Value, x, x)
			check.Tightness = append(check.Tightness, bounds.Tight(bounds.Point{Value: *b.Value}, x))
		}
		out.checks = append(out.checks, check)
	}
	return out, nil
}

// collect joins the trials in their order.
func (v *Verdict) collect(results []trialResult) {
	skipped := map[[2]string]int{}
	summary := map[string]int{}
	of := func(bound string) *Summary {
		i, ok := summary[bound]
		if !ok {
			i = len(v.Summary)
			summary[bound] = i
			v.Summary = append(v.Summary, Summary{Bound: bound})
		}
		return &v.Summary[i]
	}
	ratios := map[string][]float64{}
	for _, r := range results {
		for _, c := range r.checks {
			ok := c.BoundHolds && c.SimulationAgrees
			v.Passed = v.Passed && ok
			s := of(c.Bound)
			if s.Checks++; !ok {
				s.Failed++
			}
			if c.Vacuous {
				s.Vacuous++
			}
			for _, t := range c.Tightness {
				if t.BoundOverExact != nil {
					ratios[c.Bound] = append(ratios[c.Bound], *t.BoundOverExact)
				}
			}
		}
		v.Checks = append(v.Checks, r.checks...)
		for _, n := range r.skipped {
			of(n.Bound).Skipped++
			key := [2]string{n.Bound, n.Reason}
			if i, ok := skipped[key]; ok {
				v.NotApplicable[i].Count++
				continue
			}
			skipped[key] = len(v.NotApplicable)
			v.NotApplicable = append(v.NotApplicable, n)
		}
	}
	for i := range v.Summary {
		s := &v.Summary[i]
		if r := ratios[s.Bound]; len(r) > 0 {
			slices.Sort(r)
			s.Least, s.Median, s.Largest = &r[0], &r[len(r)/2], &r[len(r)-1]
		}
	}
}

// workers is the number of goroutines that a Jobs setting stands for.
func workers(jobs int) int {
	if jobs > 0 {
		return jobs
	}
	return runtime.GOMAXPROCS(0)
}
