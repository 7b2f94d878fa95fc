package study

import (
	"context"
	"math"
	"testing"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/optimize"
	"github.com/islandsgd/islands/schedule"
)

// Staleness claims that, for small steps, the steady consensus error of SGD averaged over time is
//
//	η² σ² (1 - 1/n) × steps per second × staleness.
//
// Here SGD itself says so: local steps of each round in proportion to its seconds, at least 100 of them, the error
// averaged over every step of a period.
func TestSGDConfirmsStaleness(t *testing.T) {
	top := load(t, "nine-city").WithAccess(100e9)
	c, err := top.Capability(network.LevelUnicast)
	if err != nil {
		t.Fatal(err)
	}
	p, err := collective.NewPricer(top, c, collective.Options{Payload: 1e9})
	if err != nil {
		t.Fatal(err)
	}
	r, err := optimize.Search(context.Background(), top, p, optimize.Options{PeriodMax: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range []*optimize.Found{&r.Best, &r.AllReduce} {
		const stepsPerSecond = 120.0
		seconds := found.Seconds()
		var steps schedule.Schedule // one round per local step, most of them idle
		steps.N, steps.Name = 9, "steps"
		exact := make([]float64, len(seconds)) // the seconds that whole numbers of steps stand for
		for i, s := range seconds {
			h := int(math.Round(s * stepsPerSecond))
			if h < 100 {
				t.Fatalf("only %d local steps in round %d", h, i+1)
			}
			exact[i] = float64(h) / stepsPerSecond
			for k := range h {
				round := schedule.Round{LocalSteps: 1}
				if k == h-1 {
					round.Cliques = found.Schedule.Rounds[i].Cliques
				}
				steps.Rounds = append(steps.Rounds, round)
			}
		}
		seq, err := mixing.New(found.Schedule)
		if err != nil {
			t.Fatal(err)
		}
		staleness, ok := mixing.Staleness(seq, exact)
		if !ok {
			t.Fatal("no staleness")
		}
		fine, err := mixing.New(&steps)
		if err != nil {
			t.Fatal(err)
		}
		q, err := gossip.ParseProblem("quadratic:d=60,mu=1,L=1,heterogeneity=0,noise=1", 9)
		if err != nil {
			t.Fatal(err)
		}
		const step, settle = 1e-5, 4 // periods until the start is forgotten
		period := len(steps.Rounds)
		var at []int
		for k := range period {
			at = append(at, settle*period+k+1)
		}
		sim, err := gossip.Simulate(context.Background(), q, fine, gossip.SimulateOptions{Step: step, At: at, Runs: 60, Seed: 5})
		if err != nil {
			t.Fatal(err)
		}
		mean := 0.0
		for _, point := range sim.Points {
			mean += point.Consensus.Mean / float64(period)
		}
		want := step * step * 1 * (1 - 1.0/9) * stepsPerSecond * staleness
		if math.Abs(mean/want-1) > 0.02 {
			t.Errorf("%s: consensus error %.4g, staleness %.6g s predicts %.4g (ratio %.4f)", found.Schedule.CliqueText(), mean, staleness, want, mean/want)
		}
		t.Logf("%s: ratio %.4f over %d steps", found.Schedule.CliqueText(), mean/want, period)
	}
}
