package bounds

import (
	"context"
	"testing"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

// TestNearlyExactAveraging: what nearly averages exactly leaves something, which shows where everything else is 0 or the
// disagreement is huge. A bound that took it for nothing would be violated by the exact moments.
func TestNearlyExactAveraging(t *testing.T) {
	weak := func(w float64) schedule.Round {
		return schedule.Round{LocalSteps: 1, Edges: []schedule.Edge{{I: 0, J: 1, Weight: w}, {I: 1, J: 2, Weight: w}, {I: 0, J: 2, Weight: w}}}
	}
	far, err := gossip.NewQuadratic(gossip.Quadratic{Diagonal: true, A: [][]float64{{1e-9}, {1e-9}, {1e-9}},
		B: [][]float64{{0}, {0}, {0}}, Start: [][]float64{{1e9}, {-1e9}, {0}}})
	if err != nil {
		t.Fatal(err)
	}
	apart, err := gossip.ParseProblem("quadratic:heterogeneity=1000,noise=0,d=2", 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		q      *gossip.Quadratic
		step   float64
		rounds []schedule.Round
	}{
		{"one round that leaves 1e-7", apart, 0, []schedule.Round{{LocalSteps: 1, Lazy: 1 - 1e-7, Cliques: [][]int{{0, 1, 2}}}}},
		{"one round that leaves 1e-9", apart, 0, []schedule.Round{{LocalSteps: 1, Lazy: 1 - 1e-9, Cliques: [][]int{{0, 1, 2}}}}},
		{"two rounds that leave 1e-3 each", far, 1, []schedule.Round{weak(0.333), weak(0.3331)}},
	} {
		seq, err := mixing.New(&schedule.Schedule{N: 3, Rounds: c.rounds})
		if err != nil {
			t.Fatal(err)
		}
		at := []int{1, 2, 3, 4, 5, 6}
		x, err := gossip.Exact(context.Background(), c.q, seq, gossip.ExactOptions{Step: c.step, At: at})
		if err != nil {
			t.Fatal(err)
		}
		all, err := Evaluate(context.Background(), Setting{Problem: c.q, Sequence: seq, Step: c.step, At: at})
		if err != nil {
			t.Fatal(err)
		}
		checked := 0
		for _, b := range all {
			for i, p := range b.Points {
				exact, ok := Of(x.Points[i].Moments, b.Quantity)
				if b.Kind != Guarantee || !ok {
					continue
				}
				checked++
				if p.Value < exact*(1-1e-9) {
					t.Errorf("%s: %s is %g after %d rounds, exact %g", c.name, b.ID, p.Value, p.T, exact)
				}
			}
		}
		if checked < 50 {
			t.Errorf("%s: %d checks", c.name, checked)
		}
	}
}

// TestFiniteTimeAveragingIsExact: matchings that average exactly together are no nearly exact contraction.
func TestFiniteTimeAveragingIsExact(t *testing.T) {
	for computed, factors := range map[float64]float64{3e-16: 1, 0: 0.5} {
		if got := ofProduct(computed, factors); got != 0 {
			t.Errorf("norm %g of factors that guarantee %g: %g, want 0", computed, factors, got)
		}
	}
	for computed, factors := range map[float64]float64{3e-16: 1e-12, 1e-3: 1} {
		if got := ofProduct(computed, factors); got < computed || got > factors {
			t.Errorf("norm %g of factors that guarantee %g: %g", computed, factors, got)
		}
	}
}
