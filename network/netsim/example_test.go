package netsim_test

import (
	"context"
	"fmt"

	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/network/netsim"
	"github.com/islandsgd/islands/schedule"
)

// Four islands on a star average 1 GB, three times; island 0 computes twice as long as the others.
func Example() {
	top, err := network.Load("star:n=4,bandwidth=8Gbps,latency=10ms")
	if err != nil {
		fmt.Println(err)
		return
	}
	both, err := top.Capability(network.LevelBoth)
	if err != nil {
		fmt.Println(err)
		return
	}
	all, err := schedule.Load("allreduce", schedule.Options{Nodes: top.IslandNames()})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := netsim.Run(context.Background(), netsim.Options{
		Topology: top, Capability: both, Schedule: all, Rounds: 3, StepTime: 0.5,
		Slow: []float64{2, 1, 1, 1}, Collective: collective.Options{Payload: 1e9},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d rounds in %.2f s\n", r.Rounds, r.Seconds)
	for _, w := range r.Waits {
		fmt.Printf("island %s waited %.2f s for island %s\n", w.Island, w.Seconds, w.For)
	}
	// Output:
	// 3 rounds in 6.06 s
	// island 1 waited 1.50 s for island 0
	// island 2 waited 1.50 s for island 0
	// island 3 waited 1.50 s for island 0
}
