package bounds_test

import (
	"context"
	"fmt"
	"log"

	"github.com/islandsgd/islands/bounds"
	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

// Alternating pairs never contract in a single round: the recursion says that it does not apply, the kernel does.
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
	all, err := bounds.Evaluate(context.Background(), bounds.Setting{Problem: problem, Sequence: seq, At: []int{100}})
	if err != nil {
		log.Fatal(err)
	}
	exact, err := gossip.Exact(context.Background(), problem, seq, gossip.ExactOptions{At: []int{100}})
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range all {
		switch {
		case b.Quantity != bounds.MSE:
		case b.Vacuous:
			fmt.Printf("%s: holds, but grows without limit\n", b.ID)
		case b.Applicable:
			fmt.Printf("%s: %.3f (exact %.3f)\n", b.ID, b.Points[0].Value, exact.Points[0].MSE)
		default:
			fmt.Printf("%s: %s\n", b.ID, b.Reason)
		}
	}
	// Output:
	// recursion-mse: every step must contract disagreement, but round 1 does not (p = 0)
	// window-mse: holds, but grows without limit
	// kernel-mse: 0.313 (exact 0.060)
	// local-mse: not every round averages exactly
	// class-mse: the period has 2 matrices, must be 1
	// best-mse: 0.313 (exact 0.060)
}
