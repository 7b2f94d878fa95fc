package study

import (
	"context"
	"math"
	"testing"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/schedule"
)

func load(t *testing.T, name string) *network.Topology {
	t.Helper()
	top, err := network.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return top
}

func rotation(t *testing.T, line string, top *network.Topology) *schedule.Schedule {
	t.Helper()
	s, err := schedule.Load(line, schedule.Options{Nodes: top.IslandNames()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Round seconds under best, 1 GB, access 10 Gbps: computed for the network model's page of worked values by two
// independent programs. Exact averaging every T seconds has staleness T/2 (closed form).
func TestPriceAllReduce(t *testing.T) {
	top := load(t, "nine-city")
	levels, err := Levels(top)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Price(top, levels, rotation(t, "allreduce", top), collective.Options{Payload: 1e9})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{2.117682, 1.913800, 1.913800, 1.003160} {
		if got := p.Levels[i].Period; math.Abs(got-want) > 1e-6 {
			t.Errorf("%s: %v s, want %v", p.Levels[i].Capability, got, want)
		}
		if got := *p.Levels[i].Staleness; math.Abs(got-want/2) > 1e-6 {
			t.Errorf("%s: staleness %v, want %v", p.Levels[i].Capability, got, want/2)
		}
	}
	if p.Period != nil {
		t.Error("a single period is reported although four capabilities were asked for")
	}
}

// A random schedule with listed outcomes, priced exactly, against a long sample of the same rounds; and one whose outcomes
// are too many to list.
func TestPriceRandom(t *testing.T) {
	top := load(t, "dumbbell")
	levels, err := Levels(top)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Price(top, levels[:1], rotation(t, "random-cliques:k=2", top), collective.Options{Payload: 1e9})
	if err != nil {
		t.Fatal(err)
	}
	// By hand: of the three pairings of 2 + 2 islands one stays on its side (0.8 s, no latency) and two cross the trunk,
	// where two payloads in each direction take 1.6 s, and 10 ms to get across.
	if want := (0.8 + 2*1.61) / 3; math.Abs(*p.Period-want) > 1e-9 {
		t.Errorf("a mean round of %v s, want %v", *p.Period, want)
	}
	if p.Staleness == nil || p.Levels[0].StandardError != nil || len(p.Rounds) != 0 {
		t.Errorf("%+v", p)
	}
	// Pairings of twelve islands are too many to list (10,395): a sample with its error. By hand: a uniformly random pairing
	// of a star costs the same in every round, so the period is that of any.
	star := load(t, "star:n=12,latency=10ms")
	starLevels, err := Levels(star)
	if err != nil {
		t.Fatal(err)
	}
	many, err := Price(star, starLevels[:1], rotation(t, "random-cliques:k=2", star), collective.Options{Payload: 1e9})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(*many.Period-0.82) > 1e-9 || many.Staleness == nil || many.Levels[0].StandardError == nil {
		t.Errorf("%+v, period %v", many.Levels, *many.Period)
	}
}

func TestClock(t *testing.T) {
	comm := []float64{2, 1}
	for _, c := range []struct {
		clock Clock
		t     int
		want  float64 // by hand: 3 local steps of 0.5 s make 1.5 s
	}{
		{Clock{StepTime: 0.5}, 0, 0}, {Clock{StepTime: 0.5}, 1, 3.5}, {Clock{StepTime: 0.5}, 2, 6}, {Clock{StepTime: 0.5}, 5, 15.5},
		{Clock{StepTime: 0.5, Overlap: true}, 1, 2}, {Clock{StepTime: 0.5, Overlap: true}, 4, 7},
	} {
		if got := InTurn(comm).end(c.clock, 3, c.t); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v, round %d: %v s, want %v", c.clock, c.t, got, c.want)
		}
	}
}

// scalar is d = 1, a = 1, identical islands, distance 1 to the optimum: the mse of exact averaging is
// (1-η)^{2t} + η s/(n (2-η)) (1 - (1-η)^{2t}), in closed form.
func scalar(t *testing.T, n int, s float64) *gossip.Quadratic {
	t.Helper()
	q := gossip.Quadratic{N: n, D: 1, Diagonal: true}
	for range n {
		q.A, q.B, q.Noise, q.Start = append(q.A, []float64{1}), append(q.B, []float64{0}), append(q.Noise, []float64{s}), append(q.Start, []float64{1})
	}
	out, err := gossip.NewQuadratic(q)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRoundsToTargetIsTheFirst(t *testing.T) {
	const n, noise, target = 4, 0.1, 0.01
	q := scalar(t, n, noise)
	for _, step := range []float64{0.3, 0.05, 0.011} {
		seq, err := withLocalSteps(Colocated(&gossip.Quadratic{N: n}).Schedule, 1)
		if err != nil {
			t.Fatal(err)
		}
		got, err := roundsToTarget(context.Background(), q, seq, step, target, 10000)
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for k := 1; k <= 10000 && want == 0; k++ {
			f := math.Pow(1-step, float64(2*k))
			if f+step*noise/(n*(2-step))*(1-f) <= target {
				want = k
			}
		}
		if got != want || want == 0 {
			t.Errorf("step %v: round %d, closed form %d", step, got, want)
		}
	}
	seq, _ := withLocalSteps(Colocated(&gossip.Quadratic{N: n}).Schedule, 1)
	if got, _ := roundsToTarget(context.Background(), scalar(t, n, 100), seq, 0.5, target, 500); got != 0 {
		t.Errorf("a target below the noise floor is reached in round %d", got)
	}
}

// Local steps save communication and cost nothing on identical quadratics, whose centroid they do not disturb; noise
// keeps the step small, so many steps are needed. The dearer the round, the more of them belong into it.
func TestTuneTradesStepsForCommunication(t *testing.T) {
	q := scalar(t, 3, 1)
	tuner := NewTuner(q, Colocated(q).Schedule, Tuning{})
	last := 0
	for _, comm := range []float64{0, 1, 20} {
		best, ok, err := tuner.Best(context.Background(), InTurn([]float64{comm}), Clock{StepTime: 0.1})
		if err != nil || !ok {
			t.Fatalf("communication %v: %v %v", comm, ok, err)
		}
		if best.H < last {
			t.Errorf("communication %v s: H = %d, less than %d for a cheaper round", comm, best.H, last)
		}
		last = best.H
		fresh, _, err := NewTuner(q, Colocated(q).Schedule, Tuning{}).Best(context.Background(), InTurn([]float64{comm}), Clock{StepTime: 0.1})
		if err != nil || fresh != best {
			t.Errorf("communication %v s: %+v from memory, %+v from scratch", comm, best, fresh)
		}
		if got := InTurn([]float64{comm}).end(Clock{StepTime: 0.1}, best.H, best.Rounds); got != best.Seconds {
			t.Errorf("communication %v: %v s for %d rounds, clock says %v", comm, best.Seconds, best.Rounds, got)
		}
	}
	if last < 8 {
		t.Errorf("20 s rounds are used for only %d local steps", last)
	}
}

func TestGatherOrdersTheEvidence(t *testing.T) {
	top := load(t, "nine-city")
	q, err := gossip.ParseProblem("quadratic:d=4", 9)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Gather(context.Background(), q, "q", rotation(t, "rotating-cliques:k=3", top), EvidenceOptions{Rounds: 12, Runs: 50, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range e.Points[1:] {
		if p.BoundConsensus == nil || *p.BoundConsensus < p.ExactConsensus || *p.BoundCentroid < p.ExactCentroid {
			t.Errorf("t=%d: bound below exact: %+v", p.T, p)
		}
		if wide := 3 * (p.Consensus.High - p.Consensus.Mean); math.Abs(p.Consensus.Mean-p.ExactConsensus) > wide {
			t.Errorf("t=%d: simulated %v, exact %v", p.T, p.Consensus, p.ExactConsensus)
		}
	}
}

func TestStudyOfASmallNetwork(t *testing.T) {
	top := load(t, "dumbbell")
	q, err := gossip.ParseProblem("quadratic:d=3", 4)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Topology: top, Problem: q, ProblemName: "q", Evidence: EvidenceOptions{Rounds: 5, Runs: 4}}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	optima, err := s.Optima(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	// Packed or not, one clique of the dumbbell under both capabilities takes 0.8 s of bandwidth (closed form) and two
	// link latencies of 10 ms.
	if got := optima["both"].AllReduce.Period; math.Abs(got-0.82) > 1e-9 {
		t.Errorf("all-reduce under both takes %v s, want 0.82", got)
	}
	c, err := s.Convergence(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	room := *c.Curves[0].SecondsToTarget
	for _, k := range c.Curves {
		if *k.SecondsToTarget < room*(1-1e-9) {
			t.Errorf("%s %s is faster than one room", k.Capability, k.Kind)
		}
	}
	if again, _ := s.Convergence(context.Background()); again != c {
		t.Error("the curves are computed a second time")
	}
	lines, err := s.Summary(context.Background())
	if err != nil || len(lines) != 4 {
		t.Errorf("%d summary lines, want one for each capability (%v)", len(lines), err)
	}
	if _, err := s.Matrices(context.Background()); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	fresh, _ := New(o)
	if _, err := fresh.Convergence(ctx); err == nil {
		t.Error("a canceled study has no error")
	}
}
