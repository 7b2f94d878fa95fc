package gossip

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestTextReadsBack(t *testing.T) {
	dense := Quadratic{A: [][]float64{{1, .3, .3, .5}, {1e-7, 0, 0, 1. / 3}}, B: [][]float64{{1, -2e100}, {0.1, 5}}, Noise: [][]float64{{.2, .1, .1, .2}, {0, 0, 0, 0}}, Weights: []float64{.25, .75}}
	general, err := NewQuadratic(dense)
	if err != nil {
		t.Fatal(err)
	}
	all := []*Quadratic{general}
	for _, line := range []string{"quadratic:d=3,spread=0.4", "quadratic:d=1,noise=0", "least-squares:d=2,noise=0.5"} {
		q, err := ParseProblem(line, 3)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, q)
	}
	for _, q := range all {
		back, err := ReadProblem("p.yaml", []byte(q.Text()))
		if err != nil {
			t.Fatalf("%v\n%s", err, q.Text())
		}
		if d := cmp.Diff(q, back, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s\n%s", d, q.Text())
		}
	}
}
