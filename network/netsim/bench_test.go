package netsim

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/schedule"
)

// large is a random geometric network of 200 routers, 100 with an island: each router is linked to its three nearest
// predecessors.
func large() *network.Topology {
	rng := rand.New(rand.NewPCG(1, 2))
	t := &network.Topology{Name: "large"}
	x, y := make([]float64, 200), make([]float64, 200)
	for i := range 200 {
		x[i], y[i] = rng.Float64(), rng.Float64()
		t.Routers = append(t.Routers, network.Router{ID: fmt.Sprint("r", i)})
		taken := map[int]bool{}
		for range min(3, i) {
			best := -1
			for j := range i {
				d := func(k int) float64 { return (x[k]-x[i])*(x[k]-x[i]) + (y[k]-y[i])*(y[k]-y[i]) }
				if !taken[j] && (best < 0 || d(j) < d(best)) {
					best = j
				}
			}
			taken[best] = true
			t.Links = append(t.Links, network.Link{A: best, B: i, Bandwidth: 100e9, Latency: 0.005 + 0.01*rng.Float64()})
		}
		if i%2 == 0 {
			t.Islands = append(t.Islands, network.Island{ID: fmt.Sprint("i", i/2), Router: i, Egress: 10e9, Ingress: 10e9})
		}
	}
	return t
}

// BenchmarkTrain trains 100 islands on 200 routers for 1,000 rounds of rotating cliques of ten, each waiting for its own
// members, with jitter.
func BenchmarkTrain(b *testing.B) {
	top := large()
	s, err := schedule.Load("rotating-cliques:k=10", schedule.Options{Nodes: top.IslandNames()})
	if err != nil {
		b.Fatal(err)
	}
	for _, barrier := range []string{BarrierRound, BarrierClique} {
		for _, sharing := range []string{SharingCommon, SharingFair} {
			b.Run(barrier+"/"+sharing, func(b *testing.B) {
				o := Options{Topology: top, Capability: capability(b, top, network.LevelBoth), Schedule: s, Rounds: 1000, StepTime: 0.1, Jitter: 0.2,
					Barrier: barrier, Sharing: sharing, Collective: collective.Options{Payload: 1e9}}
				b.ReportAllocs()
				for b.Loop() {
					run(b, o)
				}
			})
		}
	}
}

// BenchmarkAllReduce is the same with one clique of all 100.
func BenchmarkAllReduce(b *testing.B) {
	top := large()
	s, err := schedule.Load("allreduce", schedule.Options{Nodes: top.IslandNames()})
	if err != nil {
		b.Fatal(err)
	}
	for _, sharing := range []string{SharingCommon, SharingFair} {
		b.Run(sharing, func(b *testing.B) {
			o := Options{Topology: top, Capability: capability(b, top, network.LevelUnicast), Schedule: s, Rounds: 1000, StepTime: 0.1, Jitter: 0.2,
				Sharing: sharing, Collective: collective.Options{Payload: 1e9, Collective: collective.Sharded}}
			for b.Loop() {
				run(b, o)
			}
		})
	}
}
