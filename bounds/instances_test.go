package bounds

import (
	"pgregory.net/rapid"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

func randomProblem(t *rapid.T, n, d int) *gossip.Quadratic {
	number := rapid.Float64Range(-1, 1)
	var q gossip.Quadratic
	diagonal := rapid.Bool().Draw(t, "diagonal")
	for range n {
		a, noise, b, start := make([]float64, d*d), make([]float64, d*d), make([]float64, d), make([]float64, d)
		for k := range d {
			b[k], start[k] = number.Draw(t, "b"), number.Draw(t, "start")
			a[k*d+k], noise[k*d+k] = rapid.Float64Range(0.05, 1.5).Draw(t, "a"), rapid.Float64Range(0, 0.2).Draw(t, "noise")
		}
		if !diagonal { // add a rank-one term: symmetric, semidefinite, and not commuting with others
			v := make([]float64, d)
			for k := range d {
				v[k] = number.Draw(t, "v")
			}
			for j := range d {
				for k := range d {
					a[j*d+k] += v[j] * v[k]
				}
			}
		}
		q.A, q.Noise, q.B, q.Start = append(q.A, a), append(q.Noise, noise), append(q.B, b), append(q.Start, start)
	}
	out, err := gossip.NewQuadratic(q)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func randomSequence(t *rapid.T, n int) *mixing.Sequence {
	s := &schedule.Schedule{Name: "random", N: n}
	if n > 1 && rapid.IntRange(0, 4).Draw(t, "drawn") == 0 {
		s.Random = &schedule.Random{LocalSteps: rapid.IntRange(1, 3).Draw(t, "h")}
		for i := range n {
			s.Random.Outcomes = append(s.Random.Outcomes, schedule.Outcome{Probability: 1 / float64(n),
				Round: schedule.Round{LocalSteps: s.Random.LocalSteps, Cliques: [][]int{{i, (i + 1) % n}}}})
		}
		seq, err := mixing.New(s)
		if err != nil {
			t.Fatal(err)
		}
		return seq
	}
	for range rapid.IntRange(1, 3).Draw(t, "period") {
		r := schedule.Round{LocalSteps: rapid.SampledFrom([]int{1, 1, 2, 5}).Draw(t, "h")}
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0: // cliques
			order := rapid.Permutation(numbers(n)).Draw(t, "order")
			cut := rapid.IntRange(0, n).Draw(t, "cut")
			for _, c := range [][]int{order[:cut], order[cut:]} {
				if len(c) > 0 {
					r.Cliques = append(r.Cliques, c)
				}
			}
		case 1: // ring, weights up to 1/2
			w := rapid.Float64Range(0, 0.5).Draw(t, "weight")
			for i := range n {
				if j := (i + 1) % n; i != j && (n > 2 || i < j) {
					r.Edges = append(r.Edges, schedule.Edge{I: i, J: j, Weight: w})
				}
			}
		case 2: // one-way ring
			for i := range n {
				if n == 1 {
					r.Entries = []schedule.Edge{{I: 0, J: 0, Weight: 1}}
					break
				}
				r.Entries = append(r.Entries, schedule.Edge{I: i, J: i, Weight: 0.5}, schedule.Edge{I: i, J: (i + 1) % n, Weight: 0.5})
			}
		case 3: // everybody
			r.Cliques = [][]int{numbers(n)}
		}
		s.Rounds = append(s.Rounds, r)
	}
	seq, err := mixing.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

func numbers(n int) []int {
	v := make([]int, n)
	for i := range v {
		v[i] = i
	}
	return v
}
