package optimize_test

import (
	"context"
	"fmt"

	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/optimize"
)

// Two rooms of three islands, joined by one line that is thinner than the access links. The best is to meet in the rooms, then to let
// one island visit the other room.
func ExampleSearch() {
	net, err := network.Load("dumbbell:left=3,right=3,bandwidth=10Gbps,latency=10ms,access=40Gbps")
	if err != nil {
		fmt.Println(err)
		return
	}
	plain, err := net.Capability(network.LevelUnicast)
	if err != nil {
		fmt.Println(err)
		return
	}
	price, err := collective.NewPricer(net, plain, collective.Options{Payload: 1e9})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := optimize.Search(context.Background(), net, price, optimize.Options{PeriodMax: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("best %s: %.4f s stale\n", r.Best.Schedule.CliqueText(), r.Best.Staleness)
	fmt.Printf("all at once: %.4f s stale\n", r.AllReduce.Staleness)
	fmt.Println("proven for", r.Certificate.ProvenFor)
	// Output:
	// best 0,1,2|3,4,5 / 0,1,2,3|4,5: 0.5407 s stale
	// all at once: 0.6867 s stale
	// proven for period<=2
}
