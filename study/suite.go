package study

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/schedule"
)

// SuiteSchedules returns the schedules of the built-in cases: all kinds of matrix (symmetric or not, with negative
// eigenvalues, that contract in one round, over a period, on average, or never), with local steps and without.
func SuiteSchedules() []string {
	return []string{
		"local:n=3", "allreduce:n=9", "allreduce:n=4,h=8", "complete:n=4",
		"ring:n=5", "ring:n=8,lazy=0.5", "ring:n=4,h=4", "ring:n=6,weights=max-degree", "one-way-ring:n=5",
		"path:n=4,weights=best-constant", "star:n=6", "star:n=5,weights=fdla", "grid:rows=2,columns=3", "torus:rows=3,columns=3",
		"hypercube:n=8,h=2", "exponential:n=6", "one-peer-exponential:n=6", "one-peer-hypercube:n=8", "base:k=1,n=6", "round-robin:n=6",
		"rotating-cliques:k=3,n=9", "rotating-cliques:k=2,n=6,h=2", "hierarchical:n=6,groups=2,inner=2,outer=1",
		"random-edge:n=4,graph=ring", "random-matching:n=4", "random-cliques:k=2,n=4,h=2", "matcha:n=6,graph=ring,budget=0.5",
	}
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

// SmallStepProblem is checked at SmallStep as well: recursions over windows grow without limit at usual steps, and a
// check of them there says little.
const (
	SmallStepProblem = "quadratic:d=3,mu=0.5,spread=0.2"
	SmallStep        = 0.003
)

// Suite returns the built-in cases: every schedule on every problem, at a small step, on averaging alone, and on least
// squares.
func Suite() ([]Case, error) {
	var out []Case
	for _, line := range SuiteSchedules() {
		s, err := schedule.Load(line, schedule.Options{})
		if err != nil {
			return nil, err
		}
		for _, problem := range SuiteProblems() {
			q, err := gossip.ParseProblem(problem, s.N)
			if err != nil {
				return nil, err
			}
			out = append(out, Case{ScheduleName: line, ProblemName: problem, Schedule: s, Problem: q})
		}
		q, err := gossip.ParseProblem(SmallStepProblem, s.N)
		if err != nil {
			return nil, err
		}
		out = append(out, Case{ScheduleName: line, ProblemName: SmallStepProblem, Schedule: s, Problem: q, Step: SmallStep})
		averaging, err := averagingAlone(s.N)
		if err != nil {
			return nil, err
		}
		atc := []gossip.Algorithm{{Name: "atc"}}
		alone := Case{ScheduleName: line, ProblemName: "averaging alone", Schedule: s, Problem: averaging, Algorithms: atc, Step: 0.1}
		out = append(out, alone)
		if s.Random != nil {
			continue // the rate on least squares is that of periodic schedules
		}
		const squares = "least-squares:d=3,heterogeneity=0" // a product of random factors: after many, few runs make the mean
		if q, err = gossip.ParseProblem(squares, s.N); err != nil {
			return nil, err
		}
		out = append(out, Case{ScheduleName: line, ProblemName: squares, Schedule: s, Problem: q, Algorithms: atc, At: []int{1}})
	}
	return out, nil
}

// averagingAlone has no curvature and no noise, and island i starts at the i-th unit vector: what averaging does to any
// start is a combination of what it does to these.
func averagingAlone(n int) (*gossip.Quadratic, error) {
	q := gossip.Quadratic{Diagonal: true}
	for i := range n {
		zero, unit := make([]float64, n), make([]float64, n)
		unit[i] = 1
		q.A, q.B, q.Start = append(q.A, zero), append(q.B, zero), append(q.Start, unit)
	}
	return gossip.NewQuadratic(q)
}

// RandomCases returns small random instances: one to six islands, one to three dimensions, curvatures that commute or
// not or are equal, any start, a schedule of one to three rounds of every kind or a random one, and any step up to 1/L;
// every other one with sizes that differ by orders of magnitude.
// Instance k depends on the seed and k alone.
func RandomCases(count int, seed uint64) ([]Case, error) {
	out := make([]Case, count)
	for k := range out {
		c, err := randomCase(rand.New(rand.NewPCG(seed, uint64(k))))
		if err != nil {
			return nil, err
		}
		c.ScheduleName = "random " + strconv.Itoa(k+1)
		c.ProblemName = c.ScheduleName
		out[k] = c
	}
	return out, nil
}

func randomCase(rng *rand.Rand) (Case, error) {
	n, d := 1+rng.IntN(6), 1+rng.IntN(3)
	q, err := randomQuadratic(rng, n, d)
	if err != nil {
		return Case{}, err
	}
	s := randomSchedule(rng, n)
	algorithms := Algorithms()
	algorithm, step := algorithms[rng.IntN(len(algorithms))], (0.02+0.98*rng.Float64())/q.L()
	if rng.IntN(2) == 0 {
		if q, step, err = stretch(rng, q, s, step); err != nil {
			return Case{}, err
		}
	}
	if err := s.Validate(); err != nil {
		return Case{}, err
	}
	return Case{Schedule: s, Problem: q, Algorithms: []gossip.Algorithm{algorithm}, Step: step}, nil
}

func randomQuadratic(rng *rand.Rand, n, d int) (*gossip.Quadratic, error) {
	var q gossip.Quadratic
	width := 1 // between two diagonal entries
	dense, shared, common := rng.IntN(2) == 0, rng.IntN(3) == 0, rng.IntN(2) == 0
	if q.Diagonal = !dense; dense {
		width = d + 1
	}
	for i := range n {
		size := (d-1)*width + 1
		a, noise, b, start := make([]float64, size), make([]float64, size), make([]float64, d), make([]float64, d)
		scale := rng.Float64() * rng.Float64()
		for k := range d {
			b[k], start[k] = rng.NormFloat64(), rng.NormFloat64()
			a[k*width], noise[k*width] = 0.05+rng.Float64(), scale*rng.Float64()
		}
		if dense { // d semidefinite terms, so that curvatures do not commute
			for range d {
				addRankOne(a, rng, d)
			}
		}
		if shared && i > 0 {
			a = q.A[0]
		}
		if common && i > 0 {
			start = q.Start[0]
		}
		q.A, q.Noise, q.B, q.Start = append(q.A, a), append(q.Noise, noise), append(q.B, b), append(q.Start, start)
	}
	return gossip.NewQuadratic(q)
}

func addRankOne(a []float64, rng *rand.Rand, d int) {
	v := make([]float64, d)
	for k := range v {
		v[k] = rng.NormFloat64() * 0.5
	}
	for j := range d {
		for k := range d {
			a[j*d+k] += v[j] * v[k]
		}
	}
}

func randomSchedule(rng *rand.Rand, n int) *schedule.Schedule {
	s := &schedule.Schedule{Name: "random", N: n}
	h := func() int { return []int{1, 1, 1, 2, 5}[rng.IntN(5)] }
	if n > 1 && rng.IntN(5) == 0 {
		s.Random = &schedule.Random{LocalSteps: h()}
		outcomes := 1 + rng.IntN(3)
		for range outcomes {
			s.Random.Outcomes = append(s.Random.Outcomes, schedule.Outcome{Probability: 1 / float64(outcomes), Round: randomRound(rng, n, s.Random.LocalSteps)})
		}
		return s
	}
	for range 1 + rng.IntN(3) {
		s.Rounds = append(s.Rounds, randomRound(rng, n, h()))
	}
	return s
}

func randomRound(rng *rand.Rand, n, h int) schedule.Round {
	r := schedule.Round{LocalSteps: h}
	order := rng.Perm(n)
	switch rng.IntN(4) {
	case 0: // cliques
		for len(order) > 0 {
			k := 1 + rng.IntN(len(order))
			r.Cliques = append(r.Cliques, slices.Clone(order[:k]))
			order = order[k:]
		}
	case 1: // symmetric weights on random edges, small enough for any degree
		for i := range n {
			for j := range i {
				if rng.IntN(2) == 0 {
					r.Edges = append(r.Edges, schedule.Edge{I: j, J: i, Weight: rng.Float64() * 1.2 / float64(n)})
				}
			}
		}
	case 2: // a cycle in one direction: doubly stochastic, not symmetric
		w := rng.Float64()
		for k, i := range order {
			if n == 1 {
				r.Entries = append(r.Entries, schedule.Edge{I: i, J: i, Weight: 1})
				break
			}
			r.Entries = append(r.Entries, schedule.Edge{I: i, J: i, Weight: 1 - w}, schedule.Edge{I: i, J: order[(k+1)%n], Weight: w})
		}
	default: // everybody
		r.Cliques = [][]int{order}
	}
	return r
}
