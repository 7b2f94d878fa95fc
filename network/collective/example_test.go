package collective_test

import (
	"fmt"

	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/schedule"
)

// A search prices many partitions and wants nothing but the seconds: two triples or one clique of all, on a star with
// plain routers and with routers that copy and sum?
func ExamplePricer_PartitionSeconds() {
	net, err := network.Load("star:n=6,bandwidth=10Gbps,latency=10ms")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, level := range []string{network.LevelUnicast, network.LevelBoth} {
		able, err := net.Capability(level)
		if err != nil {
			fmt.Println(err)
			return
		}
		p, err := collective.NewPricer(net, able, collective.Options{Payload: 1e9})
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, cliques := range [][][]int{{{0, 1, 2}, {3, 4, 5}}, {{0, 1, 2, 3, 4, 5}}} {
			seconds, err := p.PartitionSeconds(cliques)
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Printf("%-8s %v: %.3f s\n", level, cliques, seconds)
		}
	}
	// Output:
	// unicast  [[0 1 2] [3 4 5]]: 1.107 s
	// unicast  [[0 1 2 3 4 5]]: 1.373 s
	// both     [[0 1 2] [3 4 5]]: 0.820 s
	// both     [[0 1 2 3 4 5]]: 0.820 s
}

// Packed is the best conceivable way of carrying a round, with prices of arcs as its proof.
func ExampleOptions() {
	net, err := network.Load("nine-city")
	if err != nil {
		fmt.Println(err)
		return
	}
	able, err := net.Capability(network.LevelUnicast)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := collective.NewPricer(net, able, collective.Options{Payload: 1e9, Collective: collective.Packed})
	if err != nil {
		fmt.Println(err)
		return
	}
	price, err := p.Round(&schedule.Round{LocalSteps: 1, Cliques: [][]int{{0, 1, 2, 3, 4, 5, 6, 7, 8}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f s of bandwidth, and no packing needs less than %.4f s\n", price.BandwidthSeconds, *price.LowerBound.Packing)
	// Output:
	// 1.4222 s of bandwidth, and no packing needs less than 1.4222 s
}
