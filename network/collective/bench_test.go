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
	geant := load(b, "geant")
	twelve := [][]int{{0, 1, 2, 3, 4, 8, 9, 10, 13, 18, 28, 30}}
	for _, level := range []string{"unicast", "multicast", "both"} {
		b.Run("geant/"+level, func(b *testing.B) {
			for b.Loop() {
				round(b, pricer(b, geant, level, Options{Payload: 1e9, Collective: Packed}), twelve)
			}
		})
	}
}

// Rounds of the nine cities under capabilities of all routers and of some. Routers are given in the order of the file;
// the sets of some are the slowest of 400 drawn at random.
func BenchmarkPackedNine(b *testing.B) {
	top := load(b, "nine-city")
	some := func(routers string) []bool {
		can := make([]bool, len(top.Routers))
		for i := range can {
			can[i] = routers[i] == '1'
		}
		return can
	}
	type level struct {
		name string
		can  network.Capability
	}
	var levels []level
	for _, name := range network.CapabilityLevels()[:4] {
		can, err := top.Capability(name)
		if err != nil {
			b.Fatal(err)
		}
		levels = append(levels, level{name, can})
	}
	for _, s := range [][2]string{{"100001001", "110000011"}, {"000011111", "000111111"}, {"000000110", "000000110"}, {"000110101", "000011001"},
		{"110110000", "110110000"}} {
		levels = append(levels, level{s[0] + "," + s[1], network.Capability{Multicast: some(s[0]), Aggregation: some(s[1])}})
	}
	for _, l := range levels {
		for _, r := range []struct{ name, cliques string }{
			{"nine", allNine}, {"regional", regional}, {"cross", cross}, {"four-five", "AMS,FRA,NYC,SEO|BAR,LAX,LON,SIN,TYO"}, {"pairs", "AMS,BAR|FRA,LAX|LON,NYC|SEO,SIN"},
		} {
			b.Run(l.name+"/"+r.name, func(b *testing.B) {
				for b.Loop() {
					p, err := NewPricer(top, l.can, Options{Payload: 1e9, Collective: Packed})
					if err != nil {
						b.Fatal(err)
					}
					round(b, p, cliques(b, top, r.cliques))
				}
			})
		}
	}
}
