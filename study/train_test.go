package study

import (
	"context"
	"math"
	"testing"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/netsim"
	"github.com/islandsgd/islands/schedule"
)

// trainOptions are those of training on the nine cities, 1 GB and 0.1 s per step.
func trainOptions(t *testing.T, level, line string) TrainOptions {
	t.Helper()
	top, err := network.Load("nine-city")
	if err != nil {
		t.Fatal(err)
	}
	c, err := top.Capability(level)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schedule.Load(line, schedule.Options{Nodes: top.IslandNames()})
	if err != nil {
		t.Fatal(err)
	}
	q, err := gossip.ParseProblem("quadratic:d=3,spread=0.2", 9)
	if err != nil {
		t.Fatal(err)
	}
	o := TrainOptions{Topology: top, Level: Level{level, c}, Schedule: s, Problem: q, Target: 0.05}
	o.Simulation.StepTime, o.Simulation.Collective.Payload = 0.1, 1e9
	return o
}

func train(t *testing.T, o TrainOptions) *Training {
	t.Helper()
	r, err := Train(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Where everybody keeps time, the event simulation reaches the target at the second that Compare computes from prices,
// and its curve lies on that of CurveOf.
func TestTrainMatchesCompare(t *testing.T) {
	for _, level := range []string{network.LevelUnicast, network.LevelBoth} {
		for _, line := range []string{"allreduce", "rotating-cliques:k=3", "ring"} {
			for _, overlap := range []bool{false, true} {
				o := trainOptions(t, level, line)
				o.Tune, o.Simulation.Overlap = true, overlap
				r := train(t, o)
				priced, err := chargeUnder(o.Topology, o.Level, o.Schedule, o.Simulation.Collective)
				if err != nil {
					t.Fatal(err)
				}
				curve, err := CurveOf(context.Background(), o.Problem, Way{level, "", o.Schedule, priced.Communication}, Clock{0.1, overlap}, Tuning{Target: o.Target})
				if err != nil {
					t.Fatal(err)
				}
				if r.SecondsToTarget == nil || *r.RoundsToTarget != *curve.RoundsToTarget || math.Abs(*r.SecondsToTarget / *curve.SecondsToTarget - 1) > 1e-6 {
					t.Errorf("%s %s overlap %v: %v, compare says %g s", level, line, overlap, r.SecondsToTarget, *curve.SecondsToTarget)
				}
				at := map[float64]float64{}
				for _, p := range curve.Points {
					at[math.Round(p.Seconds*1e6)] = p.MSE
				}
				matched := 0
				for _, p := range r.Loss {
					if want, ok := at[math.Round(p.Seconds*1e6)]; ok {
						matched++
						if math.Abs(p.MSE/want-1) > 1e-9 {
							t.Errorf("%s %s: mse %g at %g s, compare says %g", level, line, p.MSE, p.Seconds, want)
						}
					}
				}
				if matched < 2 {
					t.Errorf("%s %s: only %d points at the same seconds", level, line, matched)
				}
			}
		}
	}
}

// The straggler experiment: AMS computes three times as long, or everybody jitters, and cliques wait for their own
// members only. All-reduce loses the whole delay in every round; rotating cliques hide most of it behind what others
// compute and send meanwhile.
func TestRotatingCliquesLoseLessToAStraggler(t *testing.T) {
	const rounds = 60
	seconds := func(line string, set func(o *netsim.Options)) float64 {
		o := trainOptions(t, network.LevelBoth, line)
		o.Rounds, o.Simulation.Barrier, o.Simulation.StepTime = rounds, netsim.BarrierClique, 0.5
		set(&o.Simulation)
		return train(t, o).Seconds
	}
	for name, disturb := range map[string]func(o *netsim.Options){
		"straggler": func(o *netsim.Options) { o.Slow = []float64{3, 1, 1, 1, 1, 1, 1, 1, 1} },
		"jitter":    func(o *netsim.Options) { o.Jitter = 1 },
	} {
		lost := func(line string) float64 { return seconds(line, disturb) - seconds(line, func(*netsim.Options) {}) }
		all, rotating := lost("allreduce"), lost("rotating-cliques:k=3")
		if want := rounds * 2 * 0.5; name == "straggler" && math.Abs(all-want) > 1e-6 {
			t.Errorf("all-reduce lost %g s, want %g", all, want)
		}
		if rotating > 0.5*all {
			t.Errorf("%s: rotating cliques lost %g s, all-reduce %g", name, rotating, all)
		}
	}
}

// What a policy leaves out is left out of the moments: the curve is that of the rounds without it.
func TestTrainFollowsWhatTookPlace(t *testing.T) {
	o := trainOptions(t, network.LevelBoth, "allreduce")
	o.Rounds = 4
	seo, err := netsim.FindLink(o.Topology, "SEO-TYO")
	if err != nil {
		t.Fatal(err)
	}
	round := 0.1 + 1.003160
	o.Simulation.Failures = []netsim.Failure{{Link: seo, From: 1.05 * round, To: 1.5 * round}} // before round 2 is ready
	o.Simulation.CutOff = netsim.CutReform
	r := train(t, o)
	all := [][]int{{0, 1, 2, 3, 4, 5, 6, 7, 8}}
	s := &schedule.Schedule{N: 9, Rounds: []schedule.Round{{LocalSteps: 1, Cliques: all}, {LocalSteps: 1, Cliques: [][]int{{0, 1, 2, 3, 4, 5, 7, 8}}},
		{LocalSteps: 1, Cliques: all}, {LocalSteps: 1, Cliques: all}}}
	seq, err := mixing.New(s)
	if err != nil {
		t.Fatal(err)
	}
	want, err := gossip.Exact(context.Background(), o.Problem, seq, gossip.ExactOptions{At: []int{0, 1, 2, 3, 4}})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range want.Points {
		if math.Abs(r.Loss[i].MSE/p.MSE-1) > 1e-12 {
			t.Errorf("round %d: mse %g, want %g", i, r.Loss[i].MSE, p.MSE)
		}
	}
	if r.Disturbed.Reformed != 1 {
		t.Errorf("%d rounds re-formed", r.Disturbed.Reformed)
	}
}

// A target that no round reaches, a random schedule, and an interruption each have their own end.
func TestTrainEnds(t *testing.T) {
	o := trainOptions(t, network.LevelBoth, "local")
	r := train(t, o)
	if r.RoundsToTarget != nil || r.Rounds != FallbackRounds || len(r.Warnings) != 1 {
		t.Errorf("local: %d rounds, warnings %q", r.Rounds, r.Warnings)
	}
	o = trainOptions(t, network.LevelBoth, "random-cliques:k=3")
	o.Step = 0.05
	r = train(t, o)
	if r.RoundsToTarget == nil || r.Rounds > *r.RoundsToTarget+1+*r.RoundsToTarget/8 {
		t.Errorf("random: %d rounds, target at %v", r.Rounds, r.RoundsToTarget)
	}
	ctx, cancel := context.WithCancel(context.Background())
	o = trainOptions(t, network.LevelBoth, "allreduce")
	o.Rounds = 100_000
	o.Simulation.Progress = func(done, _ int) {
		if done == 2000 {
			cancel()
		}
	}
	r, err := Train(ctx, o)
	if err == nil || r == nil || r.Rounds < 2000 || len(r.Loss) > lossPoints+2 || r.Loss[len(r.Loss)-1].Round != r.Rounds {
		t.Errorf("interrupted: %v, %+v", err, r)
	}
}

// Averages that arrive a round late are learned from as such: the curve is that of the algorithm "delayed", in less time.
func TestTrainWithDelay(t *testing.T) {
	o := trainOptions(t, network.LevelBoth, "rotating-cliques:k=3,h=5,lazy=0.5")
	o.Step, o.Target = 0.02, 0.1
	o.Simulation.Barrier = netsim.BarrierClique
	waits := train(t, o)
	o.Simulation.Delay = 1
	r := train(t, o)
	seq, err := mixing.New(o.Schedule)
	if err != nil {
		t.Fatal(err)
	}
	want, err := gossip.Exact(context.Background(), o.Problem, seq, gossip.ExactOptions{Algorithm: gossip.Algorithm{Name: "delayed", Delay: 1}, Step: 0.02, At: []int{1, 2, 3, 4}})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range want.Points {
		if math.Abs(r.Loss[i+1].MSE/p.MSE-1) > 1e-12 {
			t.Errorf("round %d: mse %g, want %g", p.T, r.Loss[i+1].MSE, p.MSE)
		}
	}
	if r.SecondsToTarget == nil || waits.SecondsToTarget == nil || *r.SecondsToTarget > *waits.SecondsToTarget {
		t.Errorf("with delay %v s, without %v", r.SecondsToTarget, waits.SecondsToTarget)
	}
}
