package gossip

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/islandsgd/islands/schedule"
)

func TestClock(t *testing.T) {
	c := newClock(3, 6, 3, false) // paces 1, 2, 3; phases of 6, 12, 18
	c.reset()
	var order []int
	for range 11 {
		order = append(order, c.arrive())
	}
	// times:           6 12 12 18 18 24 24 30 36 36 36
	if want := []int{0, 0, 1, 0, 2, 0, 1, 0, 0, 1, 2}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	if d := newClock(3, 6, 3, true); !slices.Equal(d.steps, []int{6, 3, 2}) || d.takes[2] != 6 {
		t.Errorf("DyLU: %+v", d)
	}
}

// scalarStepper is n alike islands on ½ a x² without noise, from 1.
func scalarStepper(t *testing.T, n, h int, a float64, line string) stepper {
	t.Helper()
	q := Quadratic{Diagonal: true}
	for range n {
		q.A, q.B, q.Start = append(q.A, []float64{a}), append(q.B, []float64{0}), append(q.Start, []float64{1})
	}
	out, err := NewQuadratic(q)
	if err != nil {
		t.Fatal(err)
	}
	alg, err := ParseAlgorithm(line)
	if err != nil {
		t.Fatal(err)
	}
	s := &simulation{q: out, seq: sequence(t, n, schedule.Round{LocalSteps: h}), step: 0.1, alg: alg, weights: out.weights()}
	st := s.newStepper()
	st.reset(0)
	return st
}

// TestAsyncIsADelaySystem: alike islands without momentum make θ_{k+1} = θ_k - (ν q/n) θ_{k-n+1}, with
// q = 1-(1-ηa)^H: an island pushes what it pulled n arrivals before.
func TestAsyncIsADelaySystem(t *testing.T) {
	const n, h, a, rate = 4, 5, 0.8, 0.6
	q := 1 - math.Pow(1-0.1*a, h)
	theta := []float64{1, 1, 1, 1} // θ_0, and what was pulled before it
	st := scalarStepper(t, n, h, a, "async:lr=0.6,momentum=0")
	for round := range 10 {
		st.round(round)
		for range n {
			k := len(theta)
			theta = append(theta, theta[k-1]-rate*q/n*theta[k-n])
		}
		if got, want := st.replicas()[0], theta[len(theta)-1]; math.Abs(got-want) > 1e-13 {
			t.Errorf("round %d: %.15g, want %.15g", round+1, got, want)
		}
	}
}

// TestAsyncOfOne: a single island is DiLoCo with Nesterov.
func TestAsyncOfOne(t *testing.T) {
	a, b := scalarStepper(t, 1, 5, 0.8, "async:lr=0.5,momentum=0.6"), scalarStepper(t, 1, 5, 0.8, "diloco:lr=0.5,momentum=0.6")
	for round := range 20 {
		a.round(round)
		b.round(round)
		if x, y := a.replicas()[0], b.replicas()[0]; math.Abs(x-y) > 1e-14 {
			t.Errorf("round %d: async %g, diloco %g", round+1, x, y)
		}
	}
}

// TestHalosLimits: one island that pushes every update, with plain servers, is SGD whose local and global server move
// alike; with α = 0 groups never hear of each other.
func TestHalosLimits(t *testing.T) {
	st := scalarStepper(t, 1, 5, 0.8, "halos:groups=1,every=1,merge=0.5,lr=1,momentum=0,local-lr=1,local-momentum=0").(*halosStepper)
	want := 1.0
	for round := range 10 {
		st.round(round)
		want *= math.Pow(1-0.08, 5)
		if math.Abs(st.local[0][0]-want) > 1e-14 || math.Abs(st.global[0]-want) > 1e-14 {
			t.Errorf("round %d: local %g, global %g, want %g", round+1, st.local[0][0], st.global[0], want)
		}
	}
	apart := problem(t, "problem: quadratic\ncurvature: [1, 1, 1, 1]\noptimum: [[0], [0], [1], [1]]\n")
	alg, err := ParseAlgorithm("halos:groups=2,merge=0")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Simulate(context.Background(), apart, complete(t, 4, 3), SimulateOptions{Algorithm: alg, Step: 0.1, At: []int{300}, Runs: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Points[0].Consensus.Mean; math.Abs(got-0.25) > 1e-6 { // at 0, 0, 1, 1
		t.Errorf("consensus %g, want 0.25", got)
	}
}
