package gossip_test

import (
	"context"
	"fmt"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

// A problem of one's own: two islands that pull in opposite directions. One step of 0.1 from 0 and an average leave the
// mean where it was.
func ExampleNewQuadratic() {
	problem, err := gossip.NewQuadratic(gossip.Quadratic{
		Diagonal: true,
		A:        [][]float64{{1}, {1}},
		B:        [][]float64{{1}, {-1}},
		Noise:    [][]float64{{0.2}, {0.2}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := schedule.Load("allreduce:n=2", schedule.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	seq, err := mixing.New(s)
	if err != nil {
		fmt.Println(err)
		return
	}
	exact, err := gossip.Exact(context.Background(), problem, seq, gossip.ExactOptions{Step: 0.1, At: []int{1, 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := problem.Constants()
	fmt.Printf("x* = %g, ζ*² = %g, σ² = %g\n", c.XStar, c.Zeta2, c.Sigma2)
	for _, p := range exact.Points {
		fmt.Printf("round %d: mse %.5f\n", p.T, p.MSE)
	}
	// Output:
	// x* = [0], ζ*² = 1, σ² = 0.2
	// round 1: mse 0.00100
	// round 2: mse 0.00181
}
