package gossip

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

func TestRandomSchedules(t *testing.T) {
	for _, algorithm := range []string{"atc", "cta", "dgd"} {
		for _, text := range []string{instanceC, instanceN} {
			agree(t, problem(t, text), random(t, 3), algorithm, 0.05, []int{1, 2, 9}, 4000, false)
		}
	}
}

// TestCertainSchedule: a random schedule with one outcome is that outcome's periodic schedule.
func TestCertainSchedule(t *testing.T) {
	round := schedule.Round{LocalSteps: 2}
	for i := range 4 {
		round.Edges = append(round.Edges, schedule.Edge{I: i, J: (i + 1) % 4, Weight: 1. / 3})
	}
	certain, err := mixing.New(&schedule.Schedule{Name: "certain", N: 4, Random: &schedule.Random{LocalSteps: 2, Outcomes: []schedule.Outcome{{Probability: 1, Round: round}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{instanceC, instanceN} {
		for _, algorithm := range []string{"atc", "cta", "dgd"} {
			o := ExactOptions{Algorithm: Algorithm{Name: algorithm}, Step: 0.1, At: []int{0, 1, 5, 60}}
			a, err := Exact(context.Background(), problem(t, text), certain, o)
			if err != nil {
				t.Fatal(err)
			}
			b, err := Exact(context.Background(), problem(t, text), ring(t, 4, 2, 1), o)
			if err != nil {
				t.Fatal(err)
			}
			for i := range a.Points {
				if math.Abs(a.Points[i].Centroid-b.Points[i].Centroid) > 1e-13 || math.Abs(a.Points[i].Consensus-b.Points[i].Consensus) > 1e-13 {
					t.Errorf("%s: random %+v, periodic %+v", algorithm, a.Points[i], b.Points[i])
				}
			}
			if math.Abs(*a.Radius-*b.Radius) > 1e-10 || math.Abs(a.Stationary.MSE-b.Stationary.MSE) > 1e-11 {
				t.Errorf("%s: random radius %.12f, stationary %+v; periodic %.12f, %+v", algorithm, *a.Radius, a.Stationary, *b.Radius, b.Stationary)
			}
		}
	}
}

// TestRandomStationary: the solved limit is where the rounds lead.
func TestRandomStationary(t *testing.T) {
	for _, text := range []string{instanceC, instanceN} {
		r, err := Exact(context.Background(), problem(t, text), randomEdge(t), ExactOptions{Step: 0.1, At: []int{2000}})
		if err != nil {
			t.Fatal(err)
		}
		if !r.Stable || math.Abs(r.Stationary.MSE-r.Points[0].MSE) > 1e-10 || math.Abs(r.Stationary.Consensus-r.Points[0].Consensus) > 1e-10 {
			t.Errorf("stable %v, stationary %+v, after 2000 rounds %+v", r.Stable, r.Stationary, r.Points[0])
		}
	}
}

// TestRandomInstability: a step can be unstable in the second moment although the mean converges.
func TestRandomInstability(t *testing.T) {
	q, err := NewQuadratic(Quadratic{Diagonal: true, A: [][]float64{{0}, {0}, {2}, {2}}, B: [][]float64{{0}, {0}, {1}, {1}}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Exact(context.Background(), q, randomEdge(t), ExactOptions{Step: 1.2, At: []int{5, 20000}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Stable || r.Stationary != nil || r.Overflow == nil || !r.Points[1].Overflow || r.Points[0].Overflow {
		t.Errorf("%+v", r)
	}
}

func TestRandomNeedsOutcomes(t *testing.T) {
	for _, name := range []string{"delayed", "push-sum", "gradient-tracking"} {
		_, err := Exact(context.Background(), problem(t, instanceC), randomEdge(t), ExactOptions{Algorithm: Algorithm{Name: name, Delay: 1}})
		if err == nil || !strings.Contains(err.Error(), "periodic schedule") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := Simulate(context.Background(), problem(t, instanceC), randomEdge(t), SimulateOptions{Algorithm: Algorithm{Name: "gradient-tracking"}, Runs: 3, At: []int{5}}); err != nil {
		t.Error(err)
	}
}

// TestLeastSquaresRate has the contraction 1-r of E‖x‖² per step on the random isotropic quadratic, ring 8, from the
// closed form 1-r = (1-η)² + η² (ζ-1)/n_W(γ), γ = (1-η)²/(1-r), ζ = d+2 (Vogels, Hendrikx, Jaggi 2022).
func TestLeastSquaresRate(t *testing.T) {
	for _, c := range []struct {
		d    int
		step float64
		seq  *mixing.Sequence
		rate float64
	}{
		{8, .1, ring(t, 8, 1, 1), .821900479}, {8, .3, ring(t, 8, 1, 1), .668840999}, {8, .5, ring(t, 8, 1, 1), .932491224},
		{8, .1, complete(t, 8, 1), .82125}, {8, .3, complete(t, 8, 1), .59125}, {8, .27566946, ring(t, 8, 1, 1), .665288497},
		{8, .3, sequence(t, 8, schedule.Round{LocalSteps: 1}), 1.3}, {98, .05, ring(t, 8, 1, 1), .937936269},
	} {
		q := family(t, fmt.Sprintf("least-squares:d=%d,heterogeneity=0", c.d), 8)
		r, err := Exact(context.Background(), q, c.seq, ExactOptions{Step: c.step})
		if err != nil {
			t.Fatal(err)
		}
		if got := *r.Radius * *r.Radius; math.Abs(got-c.rate) > 1e-8 || r.Stable != (c.rate < 1) {
			t.Errorf("d=%d, step %g: rate %.9f (stable %v), want %.9f", c.d, c.step, got, r.Stable, c.rate)
		}
	}
}

// TestMultiplicativeNoise compares second moments with simulation, and the solved limit with the rounds that lead to it.
func TestMultiplicativeNoise(t *testing.T) {
	two := func(t *testing.T) *mixing.Sequence {
		return sequence(t, 4, cliques(2, []int{0, 1}, []int{2, 3}), schedule.Round{LocalSteps: 1, Edges: []schedule.Edge{{I: 0, J: 2, Weight: .3}, {I: 1, J: 3, Weight: .4}}})
	}
	squares := "problem: least-squares\noptimum: [[1, 0], [0, 2], [-1, 1], [2, -1]]\nnoise: [0.04, 0, 0.09, 0]\nstart: [[1, 1], [1, 1], [1, 1], [0, 0]]\n"
	for _, c := range []struct{ text, algorithm string }{
		{squares, "atc"}, {squares, "cta"}, {squares, "sparse:keep=0.7"}, {instanceC, "sparse:keep=0.9"}, {instanceN, "sparse:keep=0.8"}, {instanceN, "sparse:keep=1"},
	} {
		agree(t, problem(t, c.text), two(t), c.algorithm, 0.05, []int{1, 2, 3, 12}, 6000, false)
		alg, err := ParseAlgorithm(c.algorithm)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Exact(context.Background(), problem(t, c.text), two(t), ExactOptions{Algorithm: alg, Step: 0.05, At: []int{3000}})
		if err != nil {
			t.Fatal(err)
		}
		if !r.Stable || math.Abs(r.Stationary.MSE-r.Points[0].MSE) > 1e-9 {
			t.Errorf("%s: stationary %+v, after 3000 rounds %+v", c.algorithm, r.Stationary, r.Points[0])
		}
	}
	// Everything kept is atc.
	a, err := Exact(context.Background(), problem(t, instanceN), two(t), ExactOptions{Algorithm: Algorithm{Name: "sparse", Keep: 1}, Step: 0.1, At: []int{1, 7}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Exact(context.Background(), problem(t, instanceN), two(t), ExactOptions{Step: 0.1, At: []int{1, 7}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range a.Points {
		if math.Abs(a.Points[i].MSE-b.Points[i].MSE) > 1e-13 {
			t.Errorf("keep=1: %+v, atc %+v", a.Points[i], b.Points[i])
		}
	}
}
