package gossip

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/islandsgd/islands/mixing"
)

// SimulateOptions are the settings of Simulate. The zero value asks for atc at step 1/(4L), 100 runs with seed 0 and
// no points.
type SimulateOptions struct {
	Algorithm Algorithm // default atc
	Step      float64   // η; default (0): 1/(4L)
	At        []int     // rounds to report, in any order; 0 is the start
	Runs      int       // independent runs; default (0): 100
	Seed      uint64    // master seed
	Jobs      int       // worker goroutines; default (0): one for each processor. The result does not depend on it

	// Stepwise simulates every local step. By default the local steps of a round between two exchanges are one draw,
	// where that has the same distribution: a diagonal quadratic, whose steps are linear with Gaussian noise.
	Stepwise bool

	// Percentiles keeps the values of all runs and describes their distribution at every point.
	Percentiles bool

	// Progress, if set, is called after each finished run, from one goroutine at a time.
	Progress func(done, total int)
}

// Estimate is a mean over runs with its uncertainty. With one run there is no uncertainty to tell: StandardError is 0,
// Low and High are the mean, and JSON has null for the three.
type Estimate struct {
	Runs          int     // that the mean is over
	Mean          float64 // over runs
	StandardError float64 // sample standard deviation / √runs
	Low, High     float64 // 95% interval of the mean, by Student's t

	Distribution *Distribution // of the runs, with SimulateOptions.Percentiles; else nil
}

// MarshalJSON writes mean, standard_error, low and high, and distribution if there is one.
func (e Estimate) MarshalJSON() ([]byte, error) {
	var out struct {
		Mean          *float64 `json:"mean"`
		StandardError *float64 `json:"standard_error"`
		Low           *float64 `json:"low"`
		High          *float64 `json:"high"`

		Distribution *Distribution `json:"distribution,omitempty"`
	}
	if e.Runs > 0 && e.Mean < math.MaxFloat64 {
		out.Mean, out.Distribution = &e.Mean, e.Distribution
		if e.Runs > 1 {
			out.StandardError, out.Low, out.High = &e.StandardError, &e.Low, &e.High
		}
	}
	return json.Marshal(out)
}

// SimulatedPoint is the state after T rounds, over runs. Where a run has diverged by then, all values are MaxFloat64
// (null in JSON).
type SimulatedPoint struct {
	T         int      `json:"t"`
	MSE       Estimate `json:"mse"`
	Centroid  Estimate `json:"centroid"`
	Consensus Estimate `json:"consensus"`
}

// Divergence is the first thing that went out of range: of the lowest diverged run, the first round.
type Divergence struct {
	Run   int `json:"run"`   // from 0
	Round int `json:"round"` // the first after which a value is not finite, or above 1e70
}

// SimulateResult is what Simulate found.
type SimulateResult struct {
	Step     float64          `json:"step"`   // η that was used
	Runs     int              `json:"runs"`   // finished runs
	Points   []SimulatedPoint `json:"points"` // in the order of SimulateOptions.At
	Diverged *Divergence      `json:"diverged"`
	Warnings []string         `json:"-"`

	// StepsPerSecond counts local steps of whole runs (all islands take one together), over all workers. It is the
	// only field that differs from call to call.
	StepsPerSecond float64 `json:"-"`
}

// Simulate runs the algorithm Runs times and averages. Run r draws its noise from generators of its own, so the result
// is the same bits for any Jobs. When ctx ends it returns what the finished runs say, together with ctx's error.
func Simulate(ctx context.Context, p Problem, seq *mixing.Sequence, o SimulateOptions) (*SimulateResult, error) {
	q := p.frame()
	step, warnings, err := prepare(p, seq, o.Algorithm, o.Step, o.At)
	if err != nil {
		return nil, err
	}
	runs := o.Runs
	if runs == 0 {
		runs = 100
	}
	if runs < 0 {
		return nil, fmt.Errorf("%d runs: want at least one", runs)
	}
	if o.Percentiles {
		if err := checkSamples(len(o.At), runs); err != nil {
			return nil, err
		}
	}
	star := p.Constants().XStar
	logistic, _ := p.(*Logistic)
	if logistic == nil && !o.Stepwise {
		q = q.diagonalized(o.Algorithm)
		star = q.Constants().XStar
	}
	sim := &simulation{q: q, seq: seq, step: step, alg: o.Algorithm, seed: o.Seed, stepwise: o.Stepwise, keep: o.Percentiles, weights: q.weights(), star: star, logistic: logistic}
	sim.at = slices.Clone(o.At)
	slices.Sort(sim.at)
	sim.at = slices.Compact(sim.at)
	if !o.Stepwise && q.Diagonal && !q.LeastSquares {
		for t := range seq.Steps {
			c, rest, ok := cliquesOf(seq.Steps[t].W)
			sim.cliques = append(sim.cliques, cliqueRound{c, rest, ok})
		}
	}

	began := time.Now()
	tallies, err := sim.all(ctx, runs, jobs(o.Jobs), o.Progress)
	total := newTally(len(sim.at))
	for _, t := range tallies {
		total.merge(t)
	}
	r := total.result(sim, step, o.At, warnings)
	r.StepsPerSecond = float64(total.steps) / time.Since(began).Seconds()
	return r, err
}

type simulation struct {
	q        *Quadratic // of a logistic problem: its frame
	logistic *Logistic  // or nil
	seq      *mixing.Sequence
	alg      Algorithm
	step     float64
	seed     uint64
	stepwise bool
	keep     bool // all values, for percentiles
	weights  []float64
	star     []float64
	at       []int // sorted

	cliques []cliqueRound // by phase, where leaps may average cliques
}

type cliqueRound struct {
	cliques [][]int
	alone   []int
	ok      bool
}

// maxTallies is the number of parts in which runs are summed. It is a constant so that the order of additions, and so
// the last bit of the result, depends on the number of runs alone.
const maxTallies = 256

// all runs everything: workers take tallies, a tally's runs are done in order.
func (s *simulation) all(ctx context.Context, runs, jobs int, progress func(done, total int)) ([]*tally, error) {
	tallies := make([]*tally, min(runs, maxTallies))
	for c := range tallies {
		tallies[c] = newTally(len(s.at))
	}
	var lock sync.Mutex
	done := 0
	steppers := sync.Pool{New: func() any { return s.newStepper() }}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(jobs)
	for c, t := range tallies {
		work.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			st := steppers.Get().(stepper)
			defer steppers.Put(st)
			for run := c * runs / len(tallies); run < (c+1)*runs/len(tallies); run++ {
				if err := s.one(ctx, st, run, t); err != nil {
					return err
				}
				if progress != nil {
					lock.Lock()
					done++
					progress(done, runs)
					lock.Unlock()
				}
			}
			return nil
		})
	}
	err := work.Wait()
	return tallies, err
}

const (
	// divergedAbove is the size of a parameter at which a run counts as diverged: a standard error sums its fourth
	// power, which still fits a float64.
	divergedAbove = 1e70

	// heedValues is how many numbers may change between two looks for the end of ctx: some milliseconds.
	heedValues = 1 << 20

	// lookEvery is how many rounds pass between two looks for divergence, and at most between two for the end of ctx.
	// The exact round is found by running again, which the seeds make possible.
	lookEvery = 64
)

// one performs a run and adds it to the tally.
func (s *simulation) one(ctx context.Context, st stepper, run int, t *tally) error {
	st.reset(run)
	values := make([]Moments, len(s.at))
	now, diverged := 0, false
	heedEvery := max(1, min(lookEvery, heedValues/(s.q.N*s.q.D)))
	for i, at := range s.at {
		for now < at && !diverged {
			st.round(now)
			now++
			if now%heedEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if now%lookEvery == 0 {
				diverged = outOfRange(st.replicas())
			}
		}
		diverged = diverged || outOfRange(st.replicas())
		if diverged {
			t.diverge(run)
			values = values[:i]
			break
		}
		values[i] = s.measure(st.replicas())
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	t.add(values, s.keep)
	t.steps += s.stepsIn(now)
	return nil
}

// stepsIn returns the number of local steps in the first so many rounds.
func (s *simulation) stepsIn(rounds int) int {
	perPeriod, rest, period := 0, 0, s.seq.Period()
	for t := range period {
		h := localStepsOf(s.seq, t)
		perPeriod += h
		if t < rounds%period {
			rest += h
		}
	}
	return rounds/period*perPeriod + rest
}

// localStepsOf returns the number of local steps of round t.
func localStepsOf(seq *mixing.Sequence, t int) int {
	if seq.Random != nil {
		return seq.Random.LocalSteps
	}
	return seq.Step(t).LocalSteps
}

// divergenceRound repeats a diverged run, looking after every round.
func (s *simulation) divergenceRound(run int) int {
	st := s.newStepper()
	st.reset(run)
	for t := 0; ; t++ {
		if outOfRange(st.replicas()) {
			return t
		}
		st.round(t)
	}
}

func outOfRange(x []float64) bool {
	for _, v := range x {
		if !(math.Abs(v) <= divergedAbove) {
			return true
		}
	}
	return false
}

// measure returns the three error measures of one state, n × d.
func (s *simulation) measure(x []float64) Moments {
	d := s.q.D
	var m Moments
	for k := range d {
		first, mean := x[k], 0.0 // relative to island 0, so that equal islands disagree by exactly nothing
		for i, w := range s.weights {
			mean += w * (x[i*d+k] - first)
		}
		mean += first
		e := mean - s.star[k]
		m.Centroid += e * e
		for i, w := range s.weights {
			e := x[i*d+k] - mean
			m.Consensus += w * e * e
		}
	}
	m.MSE = m.Centroid + m.Consensus
	return m
}

// tally sums runs: for each point the count, mean and sum of squared deviations of the three measures (Welford).
type tally struct {
	points   [][3]spread
	runs     int
	diverged int // lowest diverged run, or -1
	steps    int
}

type spread struct {
	n        int
	mean, m2 float64
	values   []float64 // in the order of runs, where they are kept
}

func newTally(points int) *tally { return &tally{points: make([][3]spread, points), diverged: -1} }

func (t *tally) add(values []Moments, keep bool) {
	for i, m := range values {
		for k, v := range [3]float64{m.MSE, m.Centroid, m.Consensus} {
			t.points[i][k].add(v)
			if keep {
				t.points[i][k].values = append(t.points[i][k].values, v)
			}
		}
	}
	t.runs++
}

func (t *tally) diverge(run int) {
	if t.diverged < 0 || run < t.diverged {
		t.diverged = run
	}
}

func (t *tally) merge(o *tally) {
	for i := range t.points {
		for k := range t.points[i] {
			t.points[i][k].merge(o.points[i][k])
		}
	}
	t.runs += o.runs
	t.steps += o.steps
	if o.diverged >= 0 {
		t.diverge(o.diverged)
	}
}

func (s *spread) add(v float64) {
	s.n++
	e := v - s.mean
	s.mean += e / float64(s.n)
	s.m2 += e * (v - s.mean)
}

// merge is the pairwise update of Chan, Golub and LeVeque (1979).
func (s *spread) merge(o spread) {
	if o.n == 0 {
		return
	}
	n := s.n + o.n
	e := o.mean - s.mean
	s.mean += e * float64(o.n) / float64(n)
	s.m2 += o.m2 + e*e*float64(s.n)*float64(o.n)/float64(n)
	s.n = n
	s.values = append(s.values, o.values...)
}

// estimate returns the mean and its 95% interval.
func (s spread) estimate() Estimate {
	e := Estimate{Runs: s.n, Mean: s.mean, Low: s.mean, High: s.mean, Distribution: describe(s.values)}
	if s.n > 1 {
		e.StandardError = math.Sqrt(s.m2 / float64(s.n-1) / float64(s.n))
		half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(s.n - 1)}.Quantile(0.975) * e.StandardError
		e.Low, e.High = s.mean-half, s.mean+half
	}
	return e
}

func (t *tally) result(s *simulation, step float64, asked []int, warnings []string) *SimulateResult {
	r := &SimulateResult{Step: step, Runs: t.runs, Points: make([]SimulatedPoint, len(asked)), Warnings: warnings}
	for i, at := range asked {
		k, _ := slices.BinarySearch(s.at, at)
		p := SimulatedPoint{T: at}
		for j, e := range []*Estimate{&p.MSE, &p.Centroid, &p.Consensus} {
			*e = t.points[k][j].estimate()
			if e.Runs < t.runs { // the others have diverged
				*e = Estimate{0, math.MaxFloat64, math.MaxFloat64, math.MaxFloat64, math.MaxFloat64, nil}
			}
		}
		r.Points[i] = p
	}
	if t.diverged >= 0 {
		r.Diverged = &Divergence{t.diverged, s.divergenceRound(t.diverged)}
		r.Warnings = append(r.Warnings, fmt.Sprintf("run %d diverges: a parameter is above %g after round %d", r.Diverged.Run, divergedAbove, r.Diverged.Round))
	}
	return r
}
