package gossip

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/islandsgd/islands/mixing"
)

// TestSimulationAgreesWithExact is the test of the two against each other: within five standard errors at every point,
// for every measure, with a fixed seed.
func TestSimulationAgreesWithExact(t *testing.T) {
	for _, c := range exactCases {
		t.Run(c.name, func(t *testing.T) {
			agree(t, problem(t, c.problem), c.sequence(t), c.algorithm, 0.1, []int{1, 2, 3, 10, 40}, 2000, false)
		})
	}
}

func agree(t *testing.T, q *Quadratic, seq *mixing.Sequence, algorithm string, step float64, at []int, runs int, stepwise bool) {
	t.Helper()
	alg, err := ParseAlgorithm(algorithm)
	if err != nil {
		t.Fatal(err)
	}
	exact, err := Exact(context.Background(), q, seq, ExactOptions{Algorithm: alg, Step: step, At: at})
	if err != nil {
		t.Fatal(err)
	}
	sim, err := Simulate(context.Background(), q, seq, SimulateOptions{Algorithm: alg, Step: step, At: at, Runs: runs, Seed: 1, Stepwise: stepwise})
	if err != nil {
		t.Fatal(err)
	}
	for i := range at {
		e, s := exact.Points[i], sim.Points[i]
		for _, pair := range []struct {
			name  string
			exact float64
			sim   Estimate
		}{{"mse", e.MSE, s.MSE}, {"centroid", e.Centroid, s.Centroid}, {"consensus", e.Consensus, s.Consensus}} {
			if gap := math.Abs(pair.exact - pair.sim.Mean); gap > 5*pair.sim.StandardError+1e-12*e.MSE {
				t.Errorf("%s t=%d %s: exact %.8g, simulated %.8g ± %.2g", algorithm, at[i], pair.name, pair.exact, pair.sim.Mean, pair.sim.StandardError)
			}
		}
	}
}

func TestSimulationDoesNotDependOnJobs(t *testing.T) {
	q := family(t, "quadratic:d=7,spread=0.3", 5)
	for _, line := range []string{"atc", "cta", "dgd", "gradient-tracking", "delayed:tau=1", "stale:tau=1", "push-sum", "sparse",
		"choco:compress=top-k,k=2,gamma=0.1", "choco:compress=rand-k,k=3,gamma=0.05", "choco:compress=qsgd,gamma=0.05", "choco:compress=sign,gamma=0.05",
		"dgc:k=2", "powersgd", "async:slow=3", "halos", "diloco", "diloco:compress=int8", "factored:compress=qsgd", "streaming-diloco:fragments=2"} {
		alg, err := ParseAlgorithm(line)
		if err != nil {
			t.Fatal(err)
		}
		seq := ring(t, 5, 2, 1)
		if line == "powersgd" {
			seq = complete(t, 5, 2)
		}
		var results []*SimulateResult
		for _, jobs := range []int{1, 2, 7, 7} {
			r, err := Simulate(context.Background(), q, seq, SimulateOptions{Algorithm: alg, Step: 0.05, At: []int{20, 3}, Runs: 33, Jobs: jobs})
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			results = append(results, r)
		}
		for _, r := range results[1:] {
			if d := cmp.Diff(results[0], r, cmpopts.IgnoreFields(SimulateResult{}, "StepsPerSecond")); d != "" {
				t.Errorf("%s: %s", line, d)
			}
		}
	}
}

func TestSimulatedDivergence(t *testing.T) {
	q := family(t, "quadratic:d=2,L=1,mu=1", 3)
	r, err := Simulate(context.Background(), q, complete(t, 3, 1), SimulateOptions{Step: 4, At: []int{1, 1000}, Runs: 3})
	if err != nil {
		t.Fatal(err)
	}
	// |1 - ηa| = 3 and the noise starts it off: 3^t reaches 1e70 at t = 146.7, a few rounds before or after.
	if r.Diverged == nil || r.Diverged.Run != 0 || r.Diverged.Round < 137 || r.Diverged.Round > 151 || len(r.Warnings) != 1 {
		t.Errorf("diverged %+v, warnings %v", r.Diverged, r.Warnings)
	}
	if r.Points[0].MSE.Runs != 3 || r.Points[1].MSE.Runs != 0 || r.Points[1].MSE.Mean != math.MaxFloat64 {
		t.Errorf("points %+v", r.Points)
	}
	if text, err := r.Points[1].MSE.MarshalJSON(); err != nil || string(text) != `{"mean":null,"standard_error":null,"low":null,"high":null}` {
		t.Errorf("%s, %v", text, err)
	}
}

// TestEstimatesAreFinite: on the way to divergence, a mean that fits a float64 has a standard error that does.
func TestEstimatesAreFinite(t *testing.T) {
	q := family(t, "quadratic:d=2,L=1,mu=1", 3)
	for _, step := range []float64{1e3, 1e8, 1e9} {
		r, err := Simulate(context.Background(), q, complete(t, 3, 1), SimulateOptions{Step: step, At: []int{1, 2, 5, 8, 10, 15, 30, 40}, Runs: 3})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range r.Points {
			for _, e := range []Estimate{p.MSE, p.Centroid, p.Consensus} {
				if _, err := e.MarshalJSON(); err != nil {
					t.Errorf("step %g, round %d: %v", step, p.T, err)
				}
			}
		}
	}
}

func TestCheckStep(t *testing.T) {
	q := family(t, "quadratic:d=2,L=4", 3)
	for _, c := range []struct {
		step float64
		ok   bool
	}{{0, true}, {1, true}, {2.4e8, true}, {2.6e8, false}, {-1, false}, {math.NaN(), false}, {math.Inf(1), false}} {
		if err := CheckStep(q, c.step); (err == nil) != c.ok {
			t.Errorf("step %g: %v", c.step, err)
		}
	}
}

func TestSimulationEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	q := family(t, "quadratic:d=2", 3)
	r, err := Simulate(ctx, q, complete(t, 3, 1), SimulateOptions{At: []int{100}, Runs: 50, Jobs: 1, Progress: func(done, total int) {
		if done == 7 && total == 50 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || r == nil || r.Runs != 7 || r.Points[0].MSE.Runs != 7 {
		t.Errorf("result %+v, error %v", r, err)
	}
}

// TestLargeSimulationEndsWithContext: the larger the state, the fewer rounds pass until the end of the context is seen.
func TestLargeSimulationEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct{ n, d, rounds int }{{2, 1, lookEvery}, {1000, 100, 10}, {2000, 1000, 1}} {
		s := &simulation{q: &Quadratic{N: c.n, D: c.d}, at: []int{1000}}
		st := &counting{}
		if err := s.one(ctx, st, 0, newTally(1)); !errors.Is(err, context.Canceled) || st.rounds != c.rounds {
			t.Errorf("%d × %d: %d rounds, error %v", c.n, c.d, st.rounds, err)
		}
	}
}

// counting is a stepper that does nothing.
type counting struct{ rounds int }

func (c *counting) reset(int)           { c.rounds = 0 }
func (c *counting) round(int)           { c.rounds++ }
func (c *counting) replicas() []float64 { return nil }

func TestOneRunHasNoInterval(t *testing.T) {
	q := family(t, "quadratic:d=2", 3)
	r, err := Simulate(context.Background(), q, complete(t, 3, 1), SimulateOptions{At: []int{4}, Runs: 1})
	if err != nil {
		t.Fatal(err)
	}
	if e := r.Points[0].MSE; e.Runs != 1 || e.StandardError != 0 || e.Low != e.Mean || e.Mean <= 0 {
		t.Errorf("%+v", e)
	}
}

func TestPercentiles(t *testing.T) {
	// Percentiles of 0, 1, …, 10 and one outlier, with R's type 7: position (n-1) p from the lowest.
	values := []float64{5, 3, 10, 1, 0, 2, 4, 9, 8, 7, 6, 100}
	want := Distribution{P5: .55, P25: 2.75, Median: 5.5, P75: 8.25, P95: 50.5, Outliers: 1}
	if d := cmp.Diff(&want, describe(values), cmpopts.EquateApprox(1e-12, 0)); d != "" {
		t.Error(d)
	}
	q := family(t, "quadratic:d=2", 3)
	o := SimulateOptions{At: []int{4}, Runs: 500, Percentiles: true}
	r, err := Simulate(context.Background(), q, complete(t, 3, 1), o)
	if err != nil {
		t.Fatal(err)
	}
	if d := r.Points[0].MSE.Distribution; d == nil || !(d.P5 < d.P25 && d.P25 < d.Median && d.Median < d.P75 && d.P75 < d.P95) {
		t.Errorf("distribution %+v", d)
	}
	o.Jobs = 1
	again, err := Simulate(context.Background(), q, complete(t, 3, 1), o)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(r, again, cmpopts.IgnoreFields(SimulateResult{}, "StepsPerSecond")); d != "" {
		t.Error(d)
	}
	o.Runs = 1 << 30
	if _, err := Simulate(context.Background(), q, complete(t, 3, 1), o); err == nil {
		t.Error("a billion runs are kept")
	}
}

func TestStepsDoNotAllocate(t *testing.T) {
	for _, text := range []string{instanceC, instanceN} {
		for _, line := range []string{"atc", "cta", "dgd", "gradient-tracking", "delayed:tau=2", "stale:tau=2", "push-sum", "sparse", "choco:compress=top-k,k=1",
			"choco:compress=rand-k,k=1", "choco:compress=qsgd", "dgc", "powersgd", "diloco", "diloco:compress=int8", "factored:mix1=none,mix2=exact", "streaming-diloco:overlap=1", "async:slow=2", "halos"} {
			alg, err := ParseAlgorithm(line)
			if err != nil {
				t.Fatal(err)
			}
			q := problem(t, text)
			s := &simulation{q: q, seq: complete(t, 4, 2), step: 0.05, alg: alg, weights: q.weights(), star: q.Constants().XStar}
			st := s.newStepper()
			st.reset(0)
			round := 0
			if n := testing.AllocsPerRun(20, func() { st.round(round); s.measure(st.replicas()); round++ }); n != 0 {
				t.Errorf("%s: %g allocations a round", line, n)
			}
		}
	}
}

func BenchmarkSimulate(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int
		line string
	}{{"9x100", 9, "quadratic:d=100,spread=0.3,noise=3"}, {"64x1000", 64, "quadratic:d=1000,spread=0.3,noise=3"}} {
		b.Run(size.name, func(b *testing.B) {
			s := &simulation{q: family(b, size.line, size.n), seq: ring(b, size.n, 1, 1), step: 0.05, stepwise: true}
			st := s.newStepper()
			st.reset(0)
			round := 0
			for b.Loop() {
				st.round(round)
				round++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(s.q.N*s.q.D), "ns/coordinate")
		})
	}
}
