package gossip

import (
	"context"
	"math"
	"testing"

	"github.com/islandsgd/islands/schedule"
)

// leaning is two islands whose curvatures are equal, and so decouple, but not along the coordinates.
const leaning = `
problem: quadratic
curvature: [[[1, 0.4], [0.4, 0.6]], [[1, 0.4], [0.4, 0.6]]]
optimum: [[1, 0], [0, 2]]
noise: [0, 0]
start: [[0, 0], [0, 0]]
`

// TestSparseDropsCoordinates: sparse drops entries of the parameters as they are written, in no other basis. Its exact
// mse is the mean over all 16 outcomes of every round, enumerated here.
func TestSparseDropsCoordinates(t *testing.T) {
	const keep, step, rounds = 0.5, 0.3, 3
	q := problem(t, leaning)
	a, b, star := [2][2]float64{{1, 0.4}, {0.4, 0.6}}, [2][2]float64{{1, 0}, {0, 2}}, [2]float64{0.5, 1}
	want := make([]float64, rounds+1)
	var walk func(round int, x [2][2]float64, p float64)
	walk = func(round int, x [2][2]float64, p float64) {
		for i := range 2 {
			for k := range 2 {
				want[round] += p * (x[i][k] - star[k]) * (x[i][k] - star[k]) / 2
			}
		}
		if round == rounds {
			return
		}
		var y [2][2]float64
		for i := range 2 {
			for k := range 2 {
				y[i][k] = x[i][k] - step*(a[k][0]*(x[i][0]-b[i][0])+a[k][1]*(x[i][1]-b[i][1]))
			}
		}
		for mask := range 16 {
			var next [2][2]float64
			for i := range 2 {
				for k := range 2 {
					sent := float64(mask>>(2*(1-i)+k)&1) / keep
					next[i][k] = (y[i][k] + sent*y[1-i][k]) / 2
				}
			}
			walk(round+1, next, p/16)
		}
	}
	walk(0, [2][2]float64{}, 1)
	seq := sequence(t, 2, both())
	r, err := Exact(context.Background(), q, seq, ExactOptions{Algorithm: Algorithm{Name: "sparse", Keep: keep}, Step: step, At: []int{1, 2, 3}})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Points {
		if math.Abs(p.MSE-want[p.T]) > 1e-12 {
			t.Errorf("round %d: mse %.15g, enumerated %.15g", p.T, p.MSE, want[p.T])
		}
	}
}

// both is a round of both islands.
func both() schedule.Round {
	return schedule.Round{LocalSteps: 1, Cliques: [][]int{{0, 1}}}
}

// TestCoordinatewiseInEveryBasis: a change of the curvature too small to matter, after which nothing commutes any more,
// changes no simulation of an algorithm that tells coordinates apart.
func TestCoordinatewiseInEveryBasis(t *testing.T) {
	commuting, general := problem(t, leaning), problem(t, leaning)
	general.A[1][0] += 1e-9
	if general.groups(Algorithm{})[0].m != 2 || commuting.groups(Algorithm{})[0].m != 1 {
		t.Fatal("the problems are not what the test is about")
	}
	for _, line := range []string{"sparse", "dgc:k=1", "powersgd", "choco:compress=top-k,k=1,gamma=0.3", "choco:compress=sign,gamma=0.3",
		"diloco:compress=int8", "factored:compress=qsgd"} {
		alg, err := ParseAlgorithm(line)
		if err != nil {
			t.Fatal(err)
		}
		var mse [2]float64
		for i, q := range []*Quadratic{commuting, general} {
			r, err := Simulate(context.Background(), q, sequence(t, 2, both()), SimulateOptions{Algorithm: alg, Step: 0.3, At: []int{10}, Runs: 50, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			mse[i] = r.Points[0].MSE.Mean
		}
		if math.Abs(mse[0]-mse[1]) > 1e-6*mse[1] {
			t.Errorf("%s: mse %g where the curvatures commute, %g beside", line, mse[0], mse[1])
		}
	}
}
