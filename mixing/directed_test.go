package mixing

import (
	"math"
	"strings"
	"testing"

	"github.com/islandsgd/islands/schedule"
)

// Ring of four with π = (.4, .3, .2, .1), computed independently.
func TestReversible(t *testing.T) {
	r := report(t, load(t, "ring:n=4,weights=reversible,target=0.4/0.3/0.2/0.1"))
	near(t, "slem", r.SLEM, .590823201, 1e-9)
	near(t, "norm weighted by the target", r.StationaryFactor, .590823201, 1e-9)
	for i, want := range []float64{.4, .3, .2, .1} {
		if math.Abs(r.Stationary[i]-want) > 1e-12 {
			t.Errorf("stationary %v", r.Stationary)
		}
	}
	w := sequence(t, load(t, "ring:n=4,weights=reversible,target=0.4/0.3/0.2/0.1")).Steps[0].W
	for i, row := range [][]float64{{2.0 / 3, .25, 0, 1.0 / 12}, {1.0 / 3, 4.0 / 9, 2.0 / 9, 0}, {0, 1.0 / 3, .5, 1.0 / 6}, {1.0 / 3, 0, 1.0 / 3, 1.0 / 3}} {
		for j, want := range row {
			if got := w.at(i, j); math.Abs(got-want) > 1e-12 {
				t.Errorf("W_%d%d = %v, want %v", i, j, got, want)
			}
		}
	}
	for line, want := range map[string]string{
		"ring:n=4,weights=reversible":                 "target=0.5/0.3/0.2",
		"ring:n=4,weights=reversible,target=0.5/0.5":  "share for each of 4 nodes",
		"ring:n=2,weights=reversible,target=0.5/0.4":  "sum to 0.9",
		"ring:n=2,weights=reversible,target=1.5/-0.5": "outside (0, 1]",
		"ring:n=2,target=0.5/0.5":                     `unknown key "target"`,
		"ring:n=2,weights=reversible,target=0.5/x":    `"x" is no number`,
	} {
		if _, err := schedule.Load(line, schedule.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", line, err, want)
		}
	}
}

// A directed graph of four nodes, each splitting evenly among its targets: values of an independent computation.
func TestPushSum(t *testing.T) {
	out := [][]int{{0, 1, 2}, {1, 2}, {2, 3}, {3, 0}}
	r := schedule.Round{LocalSteps: 1}
	for j, targets := range out {
		for _, i := range targets {
			r.Entries = append(r.Entries, schedule.Edge{I: i, J: j, Weight: 1 / float64(len(targets))})
		}
	}
	s := &schedule.Schedule{N: 4, Rounds: []schedule.Round{r}}
	z, err := PushSum(sequence(t, s), []float64{1, 2, 3, 6}, 20)
	if err != nil {
		t.Fatal(err)
	}
	check := func(round int, want []float64) {
		for i, v := range want {
			if math.Abs(z[round-1][i]-v) > 1e-8 {
				t.Errorf("round %d: %v, want %v", round, z[round-1], want)
			}
		}
	}
	check(1, []float64{4, 1.6, 2.125, 4.5})
	check(2, []float64{4.321428571, 2.56, 2.346938776, 3.142857143})
	for round, want := range map[int]float64{5: .177064846, 10: .00873965486, 20: 4.31481408e-5} {
		worst := 0.0
		for _, v := range z[round-1] {
			worst = math.Max(worst, math.Abs(v-3))
		}
		if math.Abs(worst-want) > 1e-8 {
			t.Errorf("round %d: error %v, want %v", round, worst, want)
		}
	}
	rep := report(t, s)
	near(t, "slem", rep.SLEM, .57152133, 1e-8)
	if rep.DoublyStochastic || !rep.ConnectedOverPeriod || rep.Stationary != nil {
		t.Errorf("%+v", rep)
	}
	if _, err := PushSum(sequence(t, matrixSchedule([][]float64{{.5, .5}, {.25, .75}})), []float64{1, 2}, 1); err == nil {
		t.Error("row-stochastic matrix accepted")
	}
}
