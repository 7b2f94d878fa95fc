package bounds

import (
	"context"
	"math"
	"testing"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/schedule"
)

// The optimal step of a scalar for 100 steps: values of an independent computation, and their scale invariance.
func TestOptimalStep(t *testing.T) {
	for _, c := range []struct{ a, noise, eta, value float64 }{
		{1, .25, .0361990956, .00523269072}, {.1, .25, .132262288, .22456677}, {.1, .0025, .361990956, .00523269072},
	} {
		eta, value := OptimalStep(c.a, c.noise, 1, 100)
		if math.Abs(eta-c.eta) > 1e-6*c.eta || math.Abs(value-c.value) > 1e-8*c.value {
			t.Errorf("a=%g noise=%g: η=%.9g value %.9g, want %.9g %.9g", c.a, c.noise, eta, value, c.eta, c.value)
		}
	}
}

func TestRoundsToTarget(t *testing.T) {
	s := Setting{Problem: problem(t, instanceN), Sequence: ring(t, 4, 2), Step: 0.05, Target: 0.2}
	reached, err := RoundsToTarget(context.Background(), s, 300)
	if err != nil {
		t.Fatal(err)
	}
	exactRounds := 0
	for _, r := range reached {
		if r.Rounds == nil {
			if r.Reason == "" {
				t.Errorf("%s: neither rounds nor a reason", r.ID)
			}
			continue
		}
		if *r.Steps != 2**r.Rounds {
			t.Errorf("%s: %d rounds of 2 local steps are %d steps", r.ID, *r.Rounds, *r.Steps)
		}
		if r.ID == "exact" {
			exactRounds = *r.Rounds
			s.At = []int{exactRounds - 1, exactRounds}
			p := exact(t, s).Points
			if limit := .2 * 1.598056523; p[0].MSE <= limit || p[1].MSE > limit {
				t.Errorf("round %d is not the first: %+v", exactRounds, p)
			}
		} else if *r.Rounds < exactRounds {
			t.Errorf("%s promises round %d, the truth is %d", r.ID, *r.Rounds, exactRounds)
		}
	}
	if exactRounds == 0 {
		t.Error("the exact error is not among them")
	}
}

// One curvature a, ring 4: atc is stable up to η = 2/a (mode λ = 1), dgd up to (1+λ_min)/a = (2/3)/a; the recursion is
// admitted up to 1/(2L) at most, the published lemma to p/(96√6 L).
func TestLargestSteps(t *testing.T) {
	q := problem(t, "problem: quadratic\ncurvature: [2, 2, 2, 2]\noptimum: [[0], [1], [2], [3]]\nnoise: [1, 1, 1, 1]\n")
	limits := func(name string) map[string]StepLimit {
		all, err := LargestSteps(context.Background(), Setting{Problem: q, Sequence: ring(t, 4, 1), Algorithm: gossip.Algorithm{Name: name}})
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]StepLimit{}
		for _, l := range all {
			out[l.ID] = l
		}
		return out
	}
	atc, dgd := limits("atc"), limits("dgd")
	for what, c := range map[string]struct {
		got  *float64
		want float64
	}{
		"exact atc": {atc["exact"].Step, 1}, "class atc": {atc["class-mse"].Step, 1}, "exact dgd": {dgd["exact"].Step, 1. / 3}, "class dgd": {dgd["class-mse"].Step, 1. / 3},
		"published": {atc["koloskova-step"].Step, 8. / 9 / (96 * math.Sqrt(6) * 2)},
	} {
		if c.got == nil || math.Abs(*c.got-c.want) > 1e-6*c.want {
			t.Errorf("%s: %v, want %g", what, c.got, c.want)
		}
	}
	if s := atc["recursion-mse"].Step; s == nil || *s > 0.25*(1+1e-9) || *s < 0.01 {
		t.Errorf("recursion: %v", s)
	}
	if dgd["recursion-mse"].Step != nil {
		t.Error("the recursion does not hold for dgd at any step")
	}
}

func TestBestStep(t *testing.T) {
	// One coordinate, identical islands, exact averaging: the scalar of OptimalStep with a = 1, s/n = .25.
	q := problem(t, "problem: quadratic\ncurvature: [1, 1]\noptimum: [[0], [0]]\nnoise: [0.5, 0.5]\nstart: [[1], [1]]\n")
	seq := sequence(t, 2, schedule.Round{LocalSteps: 1, Cliques: [][]int{{0, 1}}})
	c, err := BestStep(context.Background(), Setting{Problem: q, Sequence: seq}, 100)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(c.Exact-.0361990956) > 1e-6 || math.Abs(c.ExactMSE-.00523269072) > 1e-10 {
		t.Errorf("exact: %+v", c)
	}
	if c.Bound == nil || math.Abs(*c.Bound-.0361990956) > 1e-6 || math.Abs(*c.BoundMSE-.00523269072) > 1e-10 { // class is exact here
		t.Errorf("bound: %+v", c)
	}
}

func TestCompareOrdersGuarantees(t *testing.T) {
	h, err := Compare(context.Background(), Setting{Problem: problem(t, instanceN), Sequence: ring(t, 4, 1), Step: 0.02, At: []int{1, 10, 50, 200}})
	if err != nil {
		t.Fatal(err)
	}
	ranks := map[string]map[int]HonestyRow{}
	for _, r := range h.Rows {
		if r.Applicable != (r.Rank != nil) {
			t.Errorf("%s: applicable %v, rank %v", r.ID, r.Applicable, r.Rank)
		}
		for _, x := range r.Tightness {
			if x.BoundOverExact == nil || *x.BoundOverExact < 1-1e-9 {
				t.Errorf("%s at t=%d: %v", r.ID, x.T, x.BoundOverExact)
			}
		}
		if r.Rank != nil {
			if ranks[r.Quantity] == nil {
				ranks[r.Quantity] = map[int]HonestyRow{}
			}
			ranks[r.Quantity][*r.Rank] = r
		}
	}
	for q, m := range ranks {
		for k := 2; k <= len(m); k++ {
			if *m[k].Mean < *m[k-1].Mean {
				t.Errorf("%s: rank %d is tighter than rank %d", q, k, k-1)
			}
		}
		if m[1].ID != "kernel-"+q {
			t.Errorf("%s: the tightest is %s, want the kernel", q, m[1].ID)
		}
	}
}

// The table of transient steps for 16 islands: ring 1.5905216e6 and 6.17616937e8; exponential, torus and hypercube all
// have gap .4, 25600 and 160000 (published orders, independent numbers).
func TestCompareTopologies(t *testing.T) {
	all, err := StandardTopologies(16)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := CompareTopologies(context.Background(), all)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][2]float64{"ring": {1.5905216e6, 6.17616937e8}, "exponential": {25600, 160000}, "torus:rows=4,columns=4": {25600, 160000}, "hypercube": {25600, 160000}, "complete": {4096, 4096}}
	found := 0
	for _, r := range rows {
		if w, ok := want[r.Schedule]; ok {
			found++
			if math.Abs(*r.Homogeneous-w[0]) > 1e-7*w[0] || math.Abs(*r.Heterogeneous-w[1]) > 1e-7*w[1] {
				t.Errorf("%s: %g %g, want %v", r.Schedule, *r.Homogeneous, *r.Heterogeneous, w)
			}
		}
		if r.Schedule == "one-peer-exponential" && (*r.P != 1 || *r.Tau != 4 || r.Peers != 1) {
			t.Errorf("one-peer exponential: %+v", r)
		}
	}
	if found != len(want) {
		t.Errorf("%d of %d schedules", found, len(want))
	}
}
