package network_test

import (
	"fmt"

	"github.com/islandsgd/islands/network"
)

// The default network at a glance: which links may not fail, and how far apart the cities are.
func ExampleLoad() {
	net, err := network.Load("nine-city")
	if err != nil {
		fmt.Println(err)
		return
	}
	s := net.Summary()
	fmt.Printf("%d routers, %d links, %d islands\n", s.Routers, s.Links, s.Islands)
	fmt.Printf("longest lowest-latency path %.2f ms, bridges %v\n", 1000**s.DiameterSeconds, s.Bridges)
	// Output:
	// 9 routers, 11 links, 9 islands
	// longest lowest-latency path 156.90 ms, bridges [[BAR NYC] [SEO TYO]]
}

// A network of one's own is a short file. A mistake in it is named with line and column.
func ExampleRead() {
	net, err := network.Read("mine.yaml", []byte(`
name: three
routers:
  - {id: AMS, multicast: true, aggregation: {throughput: 100Gbps}}
  - {id: LON}
  - {id: NYC}
links:
  - {between: [AMS, LON], bandwidth: 10Gbps, latency: 1.45ms}
  - {between: [LON, NYC], bandwidth: 10Gbps, latency: 45.6ms}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	able, err := net.Capability(network.LevelTopology)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(net.IslandNames(), "copy:", able.Multicast, "sum:", able.Aggregation)
	_, err = network.Read("mine.yaml", []byte("name: three\nroutrs: []\n"))
	fmt.Println(err)
	// Output:
	// [AMS LON NYC] copy: [true false false] sum: [true false false]
	// mine.yaml:2:1: unknown field "routrs" (did you mean "routers"?)
}

// Routes are those of least latency.
func ExampleGraph_Path() {
	net, err := network.Load("nine-city")
	if err != nil {
		fmt.Println(err)
		return
	}
	g := network.NewGraph(net)
	from, to := 0, 8 // AMS and TYO
	for _, arc := range g.Path(from, to) {
		fmt.Println(g.Arcs[arc].From, "to", g.Arcs[arc].To)
	}
	fmt.Printf("%.2f ms one way\n", 1000*g.Tree(from).Latency(to))
	// Output:
	// AMS to FRA
	// FRA to SIN
	// SIN to TYO
	// 99.48 ms one way
}
