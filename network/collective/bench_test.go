package collective

import (
	"fmt"
	"testing"

	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/schedule"
)

// Every partition of nine islands from a cold start: the inner loop of a schedule search.
func BenchmarkAllPartitions(b *testing.B) {
	top := load(b, "nine-city")
	for _, level := range []string{"unicast", "both"} {
		b.Run(level, func(b *testing.B) {
			for b.Loop() {
				p := pricer(b, top, level, Options{Payload: 1e9})
				eachPartition(9, func(parts [][]int) {
					if _, err := p.PartitionSeconds(parts); err != nil {
						b.Fatal(err)
					}
				})
			}
		})
	}
}

func BenchmarkNineBest(b *testing.B) {
	top := load(b, "nine-city")
	all := &schedule.Round{Cliques: cliques(b, top, allNine)}
	for _, level := range []string{"unicast", "multicast", "both"} {
		b.Run(level, func(b *testing.B) {
			for b.Loop() {
				if _, err := pricer(b, top, level, Options{Payload: 1e9}).Round(all); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// 200 routers on a ring with chords, an island at every tenth.
func large() *network.Topology {
	t := &network.Topology{Name: "large"}
	for i := range 200 {
		t.Routers = append(t.Routers, network.Router{ID: fmt.Sprint(i)})
		t.Links = append(t.Links, network.Link{A: i, B: (i + 1) % 200, Bandwidth: 10e9, Latency: 0.001})
		if i%10 == 0 {
			t.Islands = append(t.Islands, network.Island{ID: fmt.Sprint(i), Router: i, Egress: 10e9, Ingress: 10e9})
		}
		if i%4 == 0 {
			t.Links = append(t.Links, network.Link{A: i, B: (i*7 + 53) % 200, Bandwidth: 10e9, Latency: 0.003})
		}
	}
	return t
}

func BenchmarkLarge(b *testing.B) {
	top := large()
	var all []int
	for i := range top.Islands {
		all = append(all, i)
	}
	for _, name := range []string{Hub, Sharded, Best} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := pricer(b, top, "both", Options{Payload: 1e9, Collective: name}).Round(&schedule.Round{Cliques: [][]int{all}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPacked(b *testing.B) {
	nine := load(b, "nine-city")
	geant := load(b, "geant")
	twelve := [][]int{{0, 1, 2, 3, 4, 8, 9, 10, 13, 18, 28, 30}}
	for _, level := range []string{"unicast", "multicast", "both"} {
		for _, c := range []struct {
			name    string
			top     *network.Topology
			cliques [][]int
		}{{"nine", nine, cliques(b, nine, allNine)}, {"triples", nine, cliques(b, nine, cross)}, {"geant", geant, twelve}} {
			b.Run(c.name+"/"+level, func(b *testing.B) {
				for b.Loop() {
					if _, err := pricer(b, c.top, level, Options{Payload: 1e9, Collective: Packed}).Round(&schedule.Round{Cliques: c.cliques}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
