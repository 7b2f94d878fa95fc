package gossip

import (
	"context"
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
		if err == nil || !strings.Contains(err.Error(), "random") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := Simulate(context.Background(), problem(t, instanceC), randomEdge(t), SimulateOptions{Algorithm: Algorithm{Name: "gradient-tracking"}, Runs: 3, At: []int{5}}); err != nil {
		t.Error(err)
	}
}
