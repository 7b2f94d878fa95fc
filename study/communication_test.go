package study

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/schedule"
)

// Random pairs on a star of four: every round moves 1 GB over 10 Gbps and 20 ms, 0.82 s. A round keeps a third of the
// disagreement, so the agreement is 0.82·(1/3)/(1-1/3) + 0.82/2 = 0.82 s old.
func TestCompareRandomSchedules(t *testing.T) {
	top, err := network.Load("star:n=4")
	if err != nil {
		t.Fatal(err)
	}
	levels, err := Levels(top)
	if err != nil {
		t.Fatal(err)
	}
	q, err := gossip.ParseProblem("quadratic:d=1", 4)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schedule.Load("random-matching:n=4", schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, overlap := range []bool{false, true} {
		c, err := Compare(context.Background(), Options{Topology: top, Problem: q, Clock: Clock{StepTime: 0.1, Overlap: overlap}}, levels[:1], []*schedule.Schedule{s}, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := c.Rows[0]
		if r.H == nil || *r.H == 1 || r.Staleness == nil || math.Abs(*r.Staleness-0.82) > 1e-12 {
			t.Fatalf("row %+v", r)
		}
		want := float64(*r.H)*0.1 + 0.82
		if overlap {
			want = max(float64(*r.H)*0.1, 0.82)
		}
		if math.Abs(*r.RoundSeconds-want) > 1e-12 || math.Abs(*r.SecondsToTarget-want*float64(*r.RoundsToTarget)) > 1e-9 {
			t.Errorf("overlap %v: a round takes %v s, want %v; %v s to the target in %d rounds", overlap, *r.RoundSeconds, want, *r.SecondsToTarget, *r.RoundsToTarget)
		}
		if math.Abs(r.BytesPerRound-8e9) > 1 || math.Abs(r.BusiestBytes-1e9) > 1 {
			t.Errorf("%v bytes a round, %v on the busiest link, want 8e9 and 1e9", r.BytesPerRound, r.BusiestBytes)
		}
	}
}

// Outcomes that cost differently count by their probability, computation included.
func TestCommunicationByOdds(t *testing.T) {
	c := Communication{Seconds: []float64{1, 3}, Odds: []float64{0.75, 0.25}}
	for _, k := range []struct {
		clock Clock
		want  float64 // per round of two steps
	}{
		{Clock{StepTime: 1}, 2 + 1.5},
		{Clock{StepTime: 1, Overlap: true}, 0.75*2 + 0.25*3},
	} {
		if got := c.end(k.clock, 2, 4); got != 4*k.want {
			t.Errorf("overlap %v: four rounds end at %v, want %v", k.clock.Overlap, got, 4*k.want)
		}
	}
}

// A problem that weighs its islands is compared on schedules that average by these weights, and one room does so too.
func TestCompareByWeights(t *testing.T) {
	top, err := network.Load("star:n=3")
	if err != nil {
		t.Fatal(err)
	}
	levels, err := Levels(top)
	if err != nil {
		t.Fatal(err)
	}
	q, err := gossip.NewQuadratic(gossip.Quadratic{Diagonal: true, A: [][]float64{{1}, {1}, {1}}, B: [][]float64{{0}, {1}, {2}},
		Start: [][]float64{{9}, {9}, {9}}, Weights: []float64{0.5, 0.25, 0.25}})
	if err != nil {
		t.Fatal(err)
	}
	weighted, err := schedule.Load("ring:n=3,weights=reversible,target=0.5/0.25/0.25", schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := schedule.Load("allreduce:n=3", schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Topology: top, Problem: q}
	c, err := Compare(context.Background(), o, levels[:1], []*schedule.Schedule{weighted}, nil)
	if err != nil || c.Rows[0].SecondsToTarget == nil {
		t.Errorf("%v, %v", c, err)
	}
	if _, err := Compare(context.Background(), o, levels[:1], []*schedule.Schedule{plain}, nil); err == nil || !strings.Contains(err.Error(), "allreduce:n=3: the mixing matrix") {
		t.Errorf("all-reduce: %v", err)
	}
	if _, err := Compare(context.Background(), o, levels[:1], nil, nil); err == nil || !strings.Contains(err.Error(), "choose --schedule") {
		t.Errorf("the families: %v", err)
	}
}
