package study

import (
	"context"
	"fmt"
	"math"
	"runtime"

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
}

// ValidateOptions are the settings of Validate. The zero value works.
type ValidateOptions struct {
	Algorithm gossip.Algorithm // default atc
	Step      float64          // η; default (0): each problem's 1/(4L)
	At        []int            // rounds to check; default: 1, 2, 5, 10, 20, 50
	Runs      int              // simulated runs of each case; default (0): 400
	Scale     float64          // multiplies every bound; default (0): 1. Below 1 it shows that the check can fail
	Seed      uint64
	Jobs      int
}

// Tightness is a bound divided by the exact value after t rounds; nil where the exact value is 0.
type Tightness struct {
	T              int      `json:"t"`
	BoundOverExact *float64 `json:"bound_over_exact"`
}

// Check is one bound on one case.
type Check struct {
	Schedule         string      `json:"schedule"`
	Problem          string      `json:"problem"`
	Algorithm        string      `json:"algorithm"`
	Step             float64     `json:"step"`
	Bound            string      `json:"bound"`
	Tightness        []Tightness `json:"tightness"`
	BoundHolds       bool        `json:"bound_holds"`
	SimulationAgrees bool        `json:"simulation_agrees"`
	WorstZ           float64     `json:"worst_z"` // largest |simulated mean - exact| in standard errors, over the case
}

// NotApplicable says why a guarantee was not checked on a case.
type NotApplicable struct {
	Schedule string `json:"schedule"`
	Problem  string `json:"problem"`
	Bound    string `json:"bound"`
	Reason   string `json:"reason"`
}

// Verdict is the result of Validate.
type Verdict struct {
	Passed        bool            `json:"passed"`
	Checks        []Check         `json:"checks"`
	ZLimit        float64         `json:"z_limit"` // the |z| above which a simulation disagrees
	NotApplicable []NotApplicable `json:"not_applicable"`
	Warnings      []string        `json:"-"`
}

// Tolerances of the check bound ≥ exact: rounding of long recursions, and of values that should be zero.
const (
	relativeSlack = 1e-9
	absoluteSlack = 1e-15
)

// falseAlarm is the chance that a correct program is told that a simulation disagrees, over all comparisons together.
const falseAlarm = 1e-3

// Validate checks every guarantee on every case: the bound must be at least the exact moment, and the simulated mean
// must agree with it. The z-scores are corrected for the number of comparisons (Bonferroni, Student's t), so that one
// large score among hundreds is no alarm.
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
	v := &Verdict{Passed: true, Checks: []Check{}, NotApplicable: []NotApplicable{}}
	comparisons := 3 * len(o.At) * len(cases)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(o.Runs - 1)}
	v.ZLimit = t.Quantile(1 - falseAlarm/float64(2*max(1, comparisons)))
	for _, c := range cases {
		if err := v.check(ctx, c, o); err != nil {
			return nil, fmt.Errorf("%s on %s: %w", c.ScheduleName, c.ProblemName, err)
		}
	}
	if len(v.Checks) == 0 {
		v.Passed = false
		v.Warnings = append(v.Warnings, "no guarantee applies, so nothing was checked")
	}
	return v, nil
}

func (v *Verdict) check(ctx context.Context, c Case, o ValidateOptions) error {
	seq, err := mixing.New(c.Schedule)
	if err != nil {
		return err
	}
	exact, err := gossip.Exact(ctx, c.Problem, seq, gossip.ExactOptions{Algorithm: o.Algorithm, Step: o.Step, At: o.At, Jobs: o.Jobs})
	if err != nil {
		return err
	}
	sim, err := gossip.Simulate(ctx, c.Problem, seq, gossip.SimulateOptions{Algorithm: o.Algorithm, Step: o.Step, At: o.At, Runs: o.Runs, Seed: o.Seed, Jobs: o.Jobs})
	if err != nil {
		return err
	}
	all, err := bounds.Evaluate(ctx, bounds.Setting{Problem: c.Problem, Sequence: seq, Algorithm: o.Algorithm, Step: o.Step, At: o.At, Scale: o.Scale})
	if err != nil {
		return err
	}
	worst := worstZ(exact, sim)
	for _, b := range all {
		if b.Kind != bounds.Guarantee || !moment(b.Quantity) {
			continue
		}
		if !b.Applicable {
			v.NotApplicable = append(v.NotApplicable, NotApplicable{c.ScheduleName, c.ProblemName, b.ID, b.Reason})
			continue
		}
		check := Check{
			Schedule: c.ScheduleName, Problem: c.ProblemName, Algorithm: o.Algorithm.String(), Step: exact.Step, Bound: b.ID,
			BoundHolds: true, SimulationAgrees: worst <= v.ZLimit, WorstZ: worst,
		}
		for i, p := range b.Points {
			x, err := quantity(exact.Points[i].Moments, b.Quantity)
			if err != nil {
				return err
			}
			if p.Value < x*(1-relativeSlack)-absoluteSlack {
				check.BoundHolds = false
			}
			entry := Tightness{T: p.T}
			if ratio := p.Value / x; x > 0 && !math.IsInf(ratio, 0) {
				entry.BoundOverExact = &ratio
			}
			check.Tightness = append(check.Tightness, entry)
		}
		v.Passed = v.Passed && check.BoundHolds && check.SimulationAgrees
		v.Checks = append(v.Checks, check)
	}
	return nil
}

// moment reports whether a quantity is one of the exact moments.
func moment(quantity string) bool {
	return quantity == bounds.Centroid || quantity == bounds.Consensus || quantity == bounds.MSE
}

func quantity(m gossip.Moments, name string) (float64, error) {
	switch name {
	case "centroid":
		return m.Centroid, nil
	case "consensus":
		return m.Consensus, nil
	case "mse":
		return m.MSE, nil
	}
	return 0, fmt.Errorf("a guarantee bounds %q, which is no exact moment", name)
}

// worstZ is the largest distance between simulated means and exact moments in standard errors. A value without spread
// must be met to rounding; it counts 0 then, and as the largest number otherwise.
func worstZ(exact *gossip.ExactResult, sim *gossip.SimulateResult) float64 {
	worst := 0.0
	for i, p := range sim.Points {
		for _, c := range []struct {
			e gossip.Estimate
			x float64
		}{{p.MSE, exact.Points[i].MSE}, {p.Centroid, exact.Points[i].Centroid}, {p.Consensus, exact.Points[i].Consensus}} {
			d := math.Abs(c.e.Mean - c.x)
			switch {
			case d <= relativeSlack*math.Abs(c.x)+absoluteSlack:
			case c.e.StandardError == 0:
				worst = math.MaxFloat64
			default:
				worst = max(worst, d/c.e.StandardError)
			}
		}
	}
	return worst
}

// Suite returns the built-in cases: schedules of every kind that a guarantee covers, each on problems that differ in
// what makes convergence hard.
func Suite() ([]Case, error) {
	var out []Case
	for _, line := range []string{
		"ring:n=5", "ring:n=8,lazy=0.5", "star:n=6", "complete:n=4", "allreduce:n=9", "local:n=3",
		"rotating-cliques:k=3,n=9", "rotating-cliques:k=2,n=6", "ring:n=4,h=4",
	} {
		s, err := schedule.Load(line, schedule.Options{})
		if err != nil {
			return nil, err
		}
		for _, problem := range SuiteProblems() {
			q, err := gossip.ParseProblem(problem, s.N)
			if err != nil {
				return nil, err
			}
			out = append(out, Case{line, problem, s, q})
		}
	}
	return out, nil
}

// SuiteProblems returns the problems of the built-in cases.
func SuiteProblems() []string {
	return []string{
		"quadratic:d=5",                            // one curvature, heterogeneous optima, noise
		"quadratic:d=4,spread=0.5",                 // every island its own curvature
		"quadratic:d=3,noise=0",                    // no noise: bias alone
		"quadratic:d=6,heterogeneity=0,L=4,mu=0.5", // identical islands: noise alone
	}
}

// workers is the number of goroutines that a Jobs setting stands for.
func workers(jobs int) int {
	if jobs > 0 {
		return jobs
	}
	return runtime.GOMAXPROCS(0)
}
