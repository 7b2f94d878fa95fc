package study_test

import (
	"context"
	"fmt"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/schedule"
	"github.com/islandsgd/islands/study"
)

// What does a schedule cost under each capability, and how fresh does it keep agreement?
func ExamplePrice() {
	net, err := network.Load("nine-city")
	if err != nil {
		fmt.Println(err)
		return
	}
	levels, err := study.Levels(net)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := schedule.Load("allreduce", schedule.Options{Nodes: net.IslandNames()})
	if err != nil {
		fmt.Println(err)
		return
	}
	priced, err := study.Price(net, levels, s, collective.Options{Payload: 1e9})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, l := range priced.Levels {
		fmt.Printf("%-11s %.3f s a round, %.3f s stale\n", l.Capability, l.Period, *l.Staleness)
	}
	// Output:
	// unicast     2.118 s a round, 1.059 s stale
	// multicast   1.914 s a round, 0.957 s stale
	// aggregation 1.914 s a round, 0.957 s stale
	// both        1.003 s a round, 0.502 s stale
}

// How many local steps are best when a communication takes two seconds and a step a tenth?
func ExampleTuner_Best() {
	problem, err := gossip.ParseProblem(study.DefaultProblem, 9)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := schedule.Load("allreduce:n=9", schedule.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	tuner := study.NewTuner(problem, s, study.Tuning{})
	for _, seconds := range []float64{0.02, 2} {
		best, ok, err := tuner.Best(context.Background(), study.InTurn([]float64{seconds}), study.Clock{StepTime: 0.1})
		if err != nil || !ok {
			fmt.Println("the target is not reached", err)
			return
		}
		fmt.Printf("%.2f s of communication: %d steps a round, %.0f s to 1%% of the first error\n", seconds, best.H, best.Seconds)
	}
	// Output:
	// 0.02 s of communication: 8 steps a round, 54 s to 1% of the first error
	// 2.00 s of communication: 64 steps a round, 84 s to 1% of the first error
}
