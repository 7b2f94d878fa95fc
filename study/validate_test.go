package study

import (
	"bytes"
	"context"
	"encoding/xml"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/islandsgd/islands/bounds"
	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/schedule"
)

func suiteAndRandom(t testing.TB, random int) []Case {
	t.Helper()
	cases, err := Suite()
	if err != nil {
		t.Fatal(err)
	}
	more, err := RandomCases(random, 1)
	if err != nil {
		t.Fatal(err)
	}
	return append(cases, more...)
}

// TestValidateSuitePasses: twenty schedules and more, four problems, three algorithms; every guarantee is checked
// somewhere, and not only where it is vacuous.
func TestValidateSuitePasses(t *testing.T) {
	if n := len(SuiteSchedules()); n < 20 {
		t.Errorf("%d schedules, want at least 20", n)
	}
	v, err := Validate(context.Background(), suiteAndRandom(t, 60), ValidateOptions{Seed: 1, Runs: 60})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range v.Checks {
		if f := c.Failure(v.ZLimit); f != "" {
			t.Errorf("%s on %s with %s, %s: %s (%s)", c.Schedule, c.Problem, c.Algorithm, c.Bound, f, c.TightnessText())
		}
		for _, p := range c.Tightness {
			if p.BoundOverExact != nil && *p.BoundOverExact < 1-1e-6 {
				t.Errorf("%s on %s, %s at t=%d: bound/exact %v", c.Schedule, c.Problem, c.Bound, p.T, *p.BoundOverExact)
			}
		}
	}
	for _, id := range []string{"recursion-mse", "window-mse", "kernel-centroid", "kernel-consensus", "class-mse", "local-centroid", "best-mse", "product-contraction",
		"block-contraction", "expected-contraction", "dobrushin-range", "vogels-rate"} {
		i := slices.IndexFunc(v.Summary, func(s Summary) bool { return s.Bound == id })
		if i < 0 || v.Summary[i].Checks-v.Summary[i].Vacuous < 3 {
			t.Errorf("%s is hardly checked: %+v", id, v.Summary[max(i, 0)])
		}
	}
	if !v.Passed || v.Comparisons < 9*v.Cases {
		t.Errorf("passed %v, %d comparisons on %d cases", v.Passed, v.Comparisons, v.Cases)
	}
}

// TestValidateIsTheSameForAnyJobs: the verdict does not depend on the number of workers.
func TestValidateIsTheSameForAnyJobs(t *testing.T) {
	cases, err := RandomCases(12, 7)
	if err != nil {
		t.Fatal(err)
	}
	var all []*Verdict
	for _, jobs := range []int{1, 5} {
		calls := 0
		v, err := Validate(context.Background(), cases, ValidateOptions{Seed: 3, Runs: 20, Jobs: jobs, Progress: func(done, of int) { calls++ }})
		if err != nil {
			t.Fatal(err)
		}
		if calls != v.Cases {
			t.Errorf("%d calls of progress for %d cases", calls, v.Cases)
		}
		all = append(all, v)
	}
	if d := cmp.Diff(all[0], all[1]); d != "" {
		t.Error(d)
	}
}

func ringCase(t testing.TB) []Case {
	t.Helper()
	s, err := schedule.Load("ring:n=4", schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	q, err := gossip.ParseProblem("quadratic:d=2", 4)
	if err != nil {
		t.Fatal(err)
	}
	return []Case{{ScheduleName: "ring", ProblemName: "quadratic", Schedule: s, Problem: q}}
}

// Each way in which a check can fail does fail.
func TestValidateCanFail(t *testing.T) {
	low, err := Validate(context.Background(), ringCase(t), ValidateOptions{Scale: 0.2, Runs: 50})
	if err != nil {
		t.Fatal(err)
	}
	if low.Passed {
		t.Error("bounds scaled to a fifth pass")
	}
	unit, err := gossip.NewQuadratic(gossip.Quadratic{Diagonal: true, A: [][]float64{{1}}, B: [][]float64{{1}}})
	if err != nil {
		t.Fatal(err)
	}
	exact := &gossip.ExactResult{Points: []gossip.ExactPoint{{T: 1, Moments: gossip.Moments{MSE: 2, Centroid: 1, Consensus: 1}}}}
	off := gossip.Estimate{Runs: 10, Mean: 1.5, StandardError: 0.1}
	good := gossip.Estimate{Runs: 10, Mean: 1, StandardError: 0.1}
	sim := &gossip.SimulateResult{Points: []gossip.SimulatedPoint{{T: 1, MSE: gossip.Estimate{Runs: 10, Mean: 2}, Centroid: good, Consensus: off}}}
	if z := worstZ(unit, exact, sim); math.Abs(z-5) > 1e-12 {
		t.Errorf("worst z = %v, want 5 by hand", z)
	}
	stuck := off
	stuck.StandardError = 0
	sim.Points[0].Consensus = stuck
	if z := worstZ(unit, exact, sim); z != math.MaxFloat64 {
		t.Errorf("a wrong value without spread has z = %v", z)
	}
	// What is rounding beside an optimum of 1e9 is an error beside one of 1.
	far, err := gossip.NewQuadratic(gossip.Quadratic{Diagonal: true, A: [][]float64{{1}}, B: [][]float64{{1e9}}})
	if err != nil {
		t.Fatal(err)
	}
	tiny := &gossip.ExactResult{Points: []gossip.ExactPoint{{T: 1, Moments: gossip.Moments{MSE: 1e-12, Centroid: 1e-12}}}}
	rounded := &gossip.SimulateResult{Points: []gossip.SimulatedPoint{{T: 1, MSE: gossip.Estimate{Runs: 10, Mean: 2e-12}, Centroid: gossip.Estimate{Runs: 10, Mean: 2e-12}}}}
	if z := worstZ(far, tiny, rounded); z != 0 {
		t.Errorf("rounding beside a far optimum has z = %v", z)
	}
	if z := worstZ(unit, tiny, rounded); z != math.MaxFloat64 {
		t.Errorf("the same beside a near one has z = %v", z)
	}
	if _, err := Validate(context.Background(), ringCase(t), ValidateOptions{Runs: 1}); err == nil {
		t.Error("one run has a standard error")
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Validate(stopped, ringCase(t), ValidateOptions{}); err == nil {
		t.Error("a validation that was stopped passes")
	}
}

// TestDivergenceIsNoViolation: where the exact moments are past the range of floating point, nothing is held against them.
func TestDivergenceIsNoViolation(t *testing.T) {
	sch, err := schedule.Load("ring:n=4", schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	q, err := gossip.LoadProblem("quadratic:d=6,heterogeneity=0,L=4,mu=0.5", 4)
	if err != nil {
		t.Fatal(err)
	}
	v, err := Validate(context.Background(), []Case{{Schedule: sch, Problem: q, Step: 10, At: []int{1, 100}}}, ValidateOptions{Runs: 20})
	if err != nil {
		t.Fatal(err)
	}
	if !v.Passed || len(v.Checks) == 0 {
		t.Errorf("passed: %v, %d checks", v.Passed, len(v.Checks))
	}
	for _, c := range v.Checks {
		if last := c.Tightness[len(c.Tightness)-1]; last.T != 100 || last.BoundOverExact != nil {
			t.Errorf("%s: %+v", c.Bound, last)
		}
	}
}

// TestSuiteAboveStability: what diverges is simulated and bounded as well as rounding allows, so steps above 2/L pass too.
func TestSuiteAboveStability(t *testing.T) {
	cases, err := Suite()
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []float64{0.4, 3} {
		v, err := Validate(context.Background(), cases, ValidateOptions{Step: step, At: []int{1, 5, 50}, Runs: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range v.Checks {
			if text := c.Failure(v.ZLimit); text != "" {
				t.Errorf("step %g, %s on %s, %s, %s: %s", step, c.Schedule, c.Problem, c.Algorithm, c.Bound, text)
			}
		}
	}
}

// TestScaledBoundsFailEverywhere: at a twentieth, every guarantee of the suite that is not vacuous fails somewhere.
func TestScaledBoundsFailEverywhere(t *testing.T) {
	v, err := Validate(context.Background(), suiteAndRandom(t, 0), ValidateOptions{Scale: 0.05, Runs: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range v.Summary {
		if s.Checks > 0 && s.Failed == 0 && s.Bound != "local-consensus" { // its bound is 0, and so is the truth
			t.Errorf("%s passes at a twentieth of its value", s.Bound)
		}
	}
}

// tooGood is a bound of a user that is wrong.
type tooGood struct{}

func (tooGood) Bounds(_ context.Context, s bounds.Setting) ([]bounds.Bound, error) {
	b := bounds.Bound{ID: "hope-mse", Kind: bounds.Guarantee, Quantity: bounds.MSE, Applicable: true}
	for _, t := range s.At {
		b.Points = append(b.Points, bounds.Point{T: t, Value: math.Pow(0.5, float64(t))})
	}
	return []bounds.Bound{b}, nil
}

func TestOwnBoundIsChecked(t *testing.T) {
	v, err := Validate(context.Background(), ringCase(t), ValidateOptions{Own: []bounds.Method{tooGood{}}, Runs: 50})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range v.Checks {
		if wrong := c.Bound == "hope-mse" || c.Bound == "best-mse"; c.BoundHolds == wrong {
			t.Errorf("%s holds: %v", c.Bound, c.BoundHolds)
		}
	}
	if v.Passed {
		t.Error("a wrong bound passes")
	}
}

func TestJUnit(t *testing.T) {
	v, err := Validate(context.Background(), ringCase(t), ValidateOptions{Own: []bounds.Method{tooGood{}}, Runs: 50})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := v.WriteJUnit(&b); err != nil {
		t.Fatal(err)
	}
	var read junitSuites
	if err := xml.Unmarshal(b.Bytes(), &read); err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	failed := 0
	for _, s := range read.Suites {
		for _, c := range s.Cases {
			if c.Failure != nil {
				failed++
				if !strings.Contains(c.Failure.Message, "below the exact value") || !strings.Contains(c.Failure.Text, "t=1: ") {
					t.Errorf("%+v", c.Failure)
				}
			}
		}
	}
	if read.Tests != len(v.Checks) || read.Failures != failed || failed != 6 { // own and best, under three algorithms
		t.Errorf("%d tests, %d failures (%d elements) for %d checks", read.Tests, read.Failures, failed, len(v.Checks))
	}
}

func TestAttack(t *testing.T) {
	o := AttackOptions{Starts: 20, Moves: 10, Seed: 1}
	a, err := RunAttack(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if !a.Holds || a.Worst == nil || a.Worst.Ratio < 1-1e-9 || a.Instances < 100 {
		t.Errorf("%+v", a)
	}
	// The file is the instance: run again, it has the ratio that was found.
	c, err := ReadCase("attack.yaml", []byte(a.File))
	if err != nil {
		t.Fatalf("%v\n%s", err, a.File)
	}
	v, err := Validate(context.Background(), []Case{c}, ValidateOptions{Runs: 20})
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, check := range v.Checks {
		for _, p := range check.Tightness {
			if check.Bound == a.Worst.Bound && p.T == a.Worst.T {
				found = p.BoundOverExact != nil && *p.BoundOverExact == a.Worst.Ratio
			}
		}
	}
	if !found {
		t.Errorf("run again, %s at t=%d is not %v of the exact value", a.Worst.Bound, a.Worst.T, a.Worst.Ratio)
	}
	o.Jobs = 1
	again, err := RunAttack(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(a, again); d != "" {
		t.Errorf("with one worker: %s", d)
	}
	o.Scale, o.Bound, o.Starts = 0.9, "class-mse", 60 // a tight bound, scaled down, is broken
	if a, err = RunAttack(context.Background(), o); err != nil || a.Holds || a.Worst.Bound != "class-mse" || a.Worst.Ratio >= 1 {
		t.Errorf("%+v %v", a, err)
	}
	o.Bound = "kernel"
	if _, err = RunAttack(context.Background(), o); err == nil {
		t.Error("a bound that does not exist was attacked")
	}
}

// TestRandomCasesReadBack: every random instance survives being written and read.
func TestRandomCasesReadBack(t *testing.T) {
	cases, err := RandomCases(100, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		c.At = []int{1, 2}
		text, err := c.text(Attacked{Bound: "x", T: 1, Ratio: 2})
		if err != nil {
			t.Fatal(err)
		}
		back, err := ReadCase("case.yaml", []byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if back.Schedule.Fingerprint() != c.Schedule.Fingerprint() || back.Problem.Text() != c.Problem.Text() || back.Step != c.Step || back.Algorithms[0] != c.Algorithms[0] {
			t.Errorf("%s: another instance\n%s", c.ScheduleName, text)
		}
	}
}

func TestReadCaseErrors(t *testing.T) {
	const rest = "---\nschedule: s\nn: 2\nrounds:\n  - cliques: [[0, 1]]\n---\nproblem: quadratic\ncurvature: [1, 1]\noptimum: [[0], [1]]\n"
	for text, want := range map[string]string{
		"case: a\n":                                            "a.yaml: has 1 documents, want 3",
		"case: a\nstpe: 1\n" + rest:                            `a.yaml:2:1: unknown field "stpe" (did you mean "step"?)`,
		"case: a\nstep: -1\n" + rest:                           "a.yaml:2:7: step -1 is not above 0",
		"case: a\nalgorithm: acc\n" + rest:                     "a.yaml:2:12: algorithm",
		"case: a\nat: [1, -1]\n" + rest:                        "a.yaml:2:9: ",
		"case: a\n" + rest[:len(rest)-10]:                      "a.yaml:10:",
		"case: a\n" + rest[:len(rest)-4] + "]\n":               "a.yaml: the schedule",
		"case: a\n" + strings.ReplaceAll(rest, "n: 2", "n: 3"): "a.yaml: the problem has 2 islands, the schedule has 3 nodes",
	} {
		_, err := ReadCase("a.yaml", []byte(text))
		if strings.HasSuffix(want, "schedule") { // malformed in another way: any error with the file's name
			want = "a.yaml"
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzReadCase(f *testing.F) {
	cases, err := RandomCases(8, 5)
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range cases {
		text, err := c.text(Attacked{})
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ReadCase("case.yaml", data)
		if err == nil && c.Schedule.N != c.Problem.N {
			t.Error("schedule and problem of different sizes")
		}
	})
}

// BenchmarkStress is the long check: 2,000 random instances, no violation. go test -run - -bench Stress -benchtime 1x
func BenchmarkStress(b *testing.B) {
	for b.Loop() {
		cases, err := RandomCases(2000, 20)
		if err != nil {
			b.Fatal(err)
		}
		v, err := Validate(context.Background(), cases, ValidateOptions{Seed: 20, Runs: 200, At: []int{1, 2, 3, 4, 5, 7, 10, 20, 50, 100}})
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range v.Checks {
			if f := c.Failure(v.ZLimit); f != "" {
				b.Errorf("%s with %s, %s: %s (%s)", c.Schedule, c.Algorithm, c.Bound, f, c.TightnessText())
			}
		}
		b.ReportMetric(float64(len(v.Checks)), "checks/op")
	}
}
