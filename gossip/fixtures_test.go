package gossip

import (
	"math"
	"testing"

	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

// The instances C (commuting curvatures) and N (non-commuting) are four islands on a ring of Metropolis weights
// (1/3 each), in two dimensions. Expected values were computed independently in numpy from the block matrices of the
// moment recursion, and for atc, gradient tracking and random edges confirmed by Monte Carlo.

const instanceC = `problem: quadratic
curvature: [[[1.0, 0.0], [0.0, 0.1]], [[0.5, 0.0], [0.0, 0.1]], [[1.5, 0.0], [0.0, 0.2]], [[1.0, 0.0], [0.0, 0.2]]]
optimum: [[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0], [2.0, -1.0]]
noise: [0.04, 0.01, 0.09, 0.04]
`

const instanceN = `problem: quadratic
curvature: [[[1.0, 0.3], [0.3, 0.5]], [[0.6, 0.0], [0.0, 0.8]], [[1.2, -0.4], [-0.4, 0.7]], [[0.5, 0.1], [0.1, 0.3]]]
optimum: [[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0], [2.0, -1.0]]
noise: [0.04, 0.01, 0.09, 0.04]
`

// instanceNine is nine islands in one dimension, for the classes of the affine plane of order 3.
const instanceNine = `problem: quadratic
curvature: [1, 0.8, 1.2, 1, 0.6, 1.4, 1, 0.9, 1.1]
optimum: [[-1], [-0.75], [-0.5], [-0.25], [0], [0.25], [0.5], [0.75], [1]]
noise: [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]
`

func problem(t testing.TB, text string) *Quadratic {
	t.Helper()
	q, err := ReadProblem("problem.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func family(t testing.TB, line string, n int) *Quadratic {
	t.Helper()
	q, err := ParseProblem(line, n)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func sequence(t testing.TB, n int, rounds ...schedule.Round) *mixing.Sequence {
	t.Helper()
	seq, err := mixing.New(&schedule.Schedule{Name: "test", N: n, Rounds: rounds})
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

// ring is x ← a third of self and both neighbors, h local steps; lazy: (1-θ)I + θW.
func ring(t testing.TB, n, h int, theta float64) *mixing.Sequence {
	t.Helper()
	r := schedule.Round{LocalSteps: h}
	for i := range n {
		r.Edges = append(r.Edges, schedule.Edge{I: i, J: (i + 1) % n, Weight: theta / 3})
	}
	return sequence(t, n, r)
}

func cliques(h int, c ...[]int) schedule.Round { return schedule.Round{LocalSteps: h, Cliques: c} }

func complete(t testing.TB, n, h int) *mixing.Sequence {
	t.Helper()
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return sequence(t, n, cliques(h, all))
}

func matchings(t testing.TB) *mixing.Sequence {
	t.Helper()
	return sequence(t, 4, cliques(1, []int{0, 1}, []int{2, 3}), cliques(1, []int{1, 2}, []int{3, 0}))
}

// affinePlane is the four parallel classes of AG(2,3).
func affinePlane(t testing.TB) *mixing.Sequence {
	t.Helper()
	return sequence(t, 9,
		cliques(1, []int{0, 3, 6}, []int{1, 4, 7}, []int{2, 5, 8}), cliques(1, []int{0, 4, 8}, []int{1, 5, 6}, []int{2, 3, 7}),
		cliques(1, []int{0, 5, 7}, []int{1, 3, 8}, []int{2, 4, 6}), cliques(1, []int{0, 1, 2}, []int{3, 4, 5}, []int{6, 7, 8}))
}

// near reports whether got equals want to the digits that reference tables print (8 to 9 decimals).
func near(got, want float64) bool { return math.Abs(got-want) <= 6e-10+1e-9*math.Abs(want) }
