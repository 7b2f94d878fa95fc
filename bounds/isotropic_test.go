package bounds

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

// isotropicBrute is the largest |eigenvalue| of the map of a period as a dense n² × n² matrix, to the power 1/period.
func isotropicBrute(t rapid.TB, seq *mixing.Sequence, d int, eta float64) float64 {
	n := seq.N
	all := mat.NewDense(n*n, n*n, nil)
	for i := range n * n {
		all.Set(i, i, 1)
	}
	for k := range seq.Steps {
		local := mat.NewDense(n*n, n*n, nil)
		for i := range n * n {
			local.Set(i, i, (1-eta)*(1-eta))
			if i/n == i%n {
				local.Set(i, i, (1-eta)*(1-eta)+eta*eta*float64(d+1))
			}
		}
		var next mat.Dense
		for range seq.Steps[k].LocalSteps {
			next.Mul(local, all)
			all.Copy(&next)
		}
		var both mat.Dense
		w := seq.Steps[k].W.Dense()
		both.Kronecker(w, w)
		next.Mul(&both, all)
		all.Copy(&next)
	}
	var e mat.Eigen
	if !e.Factorize(all, mat.EigenNone) {
		t.Fatal("no eigenvalues")
	}
	radius := 0.0
	for _, v := range e.Values(nil) {
		radius = max(radius, math.Hypot(real(v), imag(v)))
	}
	return math.Pow(radius, 1/float64(seq.Period()))
}

func isotropic(t rapid.TB, seq *mixing.Sequence, eta float64) Bound {
	t.Helper()
	q, err := gossip.ParseProblem("least-squares:d=3,heterogeneity=0", seq.N)
	if err != nil {
		t.Fatal(err)
	}
	c, err := newSetup(context.Background(), Setting{Problem: q, Sequence: seq, Step: eta})
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.isotropicRate(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// An island that hears nobody has the factor (1-η)² + η²(d+1) = .8125 at d = 3, η = ¼, however weak the edges between
// the others: growth from a start says less for a very long time.
func TestIsotropicRateOfWeakEdges(t *testing.T) {
	for _, seq := range []*mixing.Sequence{
		sequence(t, 3, schedule.Round{LocalSteps: 1, Edges: []schedule.Edge{{I: 0, J: 1, Weight: 1e-7}}}),
		sequence(t, 6, schedule.Round{LocalSteps: 1, Edges: []schedule.Edge{{I: 0, J: 1, Weight: 1e-6}, {I: 1, J: 2, Weight: 2e-6}, {I: 3, J: 4, Weight: 1e-6}}}),
		sequence(t, 3, schedule.Round{LocalSteps: 1, Edges: []schedule.Edge{{I: 0, J: 1, Weight: -1e-7}}}, schedule.Round{LocalSteps: 1, Cliques: [][]int{{0, 1}}}),
	} {
		if b := isotropic(t, seq, 0.25); !b.Applicable || !(*b.Value >= .8125) || *b.Value > .8125+1e-9 {
			t.Errorf("%+v, want .8125", b)
		}
	}
}

// The rate is no smaller than the largest eigenvalue of the map on all n² entries, and no larger but by rounding: for
// doubly stochastic rounds, for shifts (several eigenvalues of one modulus), with negative weights, with rows alone.
func TestIsotropicRateIsABound(t *testing.T) {
	check := func(t rapid.TB, what string, seq *mixing.Sequence, eta float64) {
		b, want := isotropic(t, seq, eta), isotropicBrute(t, seq, 3, eta)
		if !b.Applicable || *b.Value < want*(1-1e-12) || *b.Value > want*(1+1e-6) {
			t.Fatalf("%s: %v %s, by all eigenvalues %v", what, *b.Value, b.Reason, want)
		}
	}
	for _, line := range []string{"star:n=6,weights=fdla", "rotating-cliques:k=2,n=4,h=3", "one-way-ring:n=5", "ring:n=6,weights=max-degree", "base:k=1,n=5"} {
		for _, eta := range []float64{.01, .25, .6} {
			check(t, line, load(t, line), eta)
		}
	}
	rows := schedule.Round{LocalSteps: 2, Entries: []schedule.Edge{{I: 0, J: 0, Weight: .5}, {I: 0, J: 1, Weight: .5}, {I: 1, J: 1, Weight: .2}, {I: 1, J: 2, Weight: .8}, {I: 2, J: 0, Weight: 1}}}
	check(t, "row sums alone", sequence(t, 3, rows), .2)
	nodes := []int{0, 1, 2, 3, 4}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 5).Draw(t, "n")
		var rounds []schedule.Round
		for range rapid.IntRange(1, 3).Draw(t, "period") {
			w := mat.NewDense(n, n, nil)
			for range 3 { // a mixture of permutations
				for i, j := range rapid.Permutation(nodes[:n]).Draw(t, "permutation") {
					w.Set(i, j, w.At(i, j)+1./3)
				}
			}
			r := schedule.Round{LocalSteps: rapid.IntRange(1, 2).Draw(t, "h")}
			for i := range n {
				for j := range n {
					r.Entries = append(r.Entries, schedule.Edge{I: i, J: j, Weight: w.At(i, j)})
				}
			}
			rounds = append(rounds, r)
		}
		s := &schedule.Schedule{N: n, Rounds: rounds}
		seq, err := mixing.New(s)
		if err != nil {
			t.Fatal(err)
		}
		check(t, "mixture", seq, rapid.Float64Range(.02, .8).Draw(t, "step"))
	})
}

// Rows that sum to .9 move islands away from x* in every round: no rate. The simulation of this schedule grows.
func TestIsotropicRateNeedsAgreement(t *testing.T) {
	leak := schedule.Round{LocalSteps: 1, Entries: []schedule.Edge{{I: 0, J: 0, Weight: .5}, {I: 0, J: 1, Weight: .4}, {I: 1, J: 1, Weight: .5}, {I: 1, J: 2, Weight: .4}, {I: 2, J: 0, Weight: .4}, {I: 2, J: 2, Weight: .5}}}
	if b := isotropic(t, sequence(t, 3, leak), .25); b.Applicable || b.Value != nil || !strings.Contains(b.Reason, "sums to 0.9") {
		t.Errorf("%+v", b)
	}
}

// One W with ‖W-J‖ = 1 and W² = J: its factor is τ/p = 2 (closed form), in any order of the nodes.
func TestTopologyOfOneMatrixThatContractsInTwo(t *testing.T) {
	for _, to := range [][]int{{0, 1, 2, 3}, {2, 0, 3, 1}, {1, 3, 0, 2}} {
		r := schedule.Round{LocalSteps: 1}
		for i := range 4 {
			for _, j := range []int{i / 2, i/2 + 2} {
				r.Entries = append(r.Entries, schedule.Edge{I: to[i], J: to[j], Weight: .5})
			}
		}
		rows, err := CompareTopologies(context.Background(), []*schedule.Schedule{{Name: "bruijn", N: 4, Rounds: []schedule.Round{r}}})
		if err != nil {
			t.Fatal(err)
		}
		if row := rows[0]; row.LowerBound == nil || math.Abs(*row.LowerBound-2) > 1e-9 || math.Abs(*row.Homogeneous-256) > 1e-6 || *row.Lambda < 1-1e-12 {
			t.Errorf("%+v", row)
		}
	}
}
