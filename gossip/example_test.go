package gossip_test

import (
	"context"
	"fmt"
	"log"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

// Four islands average in pairs, with changing partners: after two rounds everyone has heard from everyone.
func Example() {
	seq, err := mixing.New(&schedule.Schedule{Name: "pairs", N: 4, Rounds: []schedule.Round{
		{LocalSteps: 1, Cliques: [][]int{{0, 1}, {2, 3}}},
		{LocalSteps: 1, Cliques: [][]int{{0, 2}, {1, 3}}},
	}})
	if err != nil {
		log.Fatal(err)
	}
	problem, err := gossip.ParseProblem("quadratic:d=10,noise=0.5", 4)
	if err != nil {
		log.Fatal(err)
	}
	at := []int{1, 10, 100}
	exact, err := gossip.Exact(context.Background(), problem, seq, gossip.ExactOptions{At: at})
	if err != nil {
		log.Fatal(err)
	}
	simulated, err := gossip.Simulate(context.Background(), problem, seq, gossip.SimulateOptions{At: at, Runs: 2000, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	for i, p := range exact.Points {
		s := simulated.Points[i].MSE
		fmt.Printf("round %3d: mse %.5f, simulated within 4 standard errors: %v\n", p.T, p.MSE, s.Mean-4*s.StandardError < p.MSE && p.MSE < s.Mean+4*s.StandardError)
	}
	fmt.Printf("in the limit: centroid %.5f, consensus %.5f; radius %.4f\n", exact.Stationary.Centroid, exact.Stationary.Consensus, *exact.Radius)
	// Output:
	// round   1: mse 0.85101, simulated within 4 standard errors: true
	// round  10: mse 0.28800, simulated within 4 standard errors: true
	// round 100: mse 0.06048, simulated within 4 standard errors: true
	// in the limit: centroid 0.03296, consensus 0.02678; radius 0.9750
}
