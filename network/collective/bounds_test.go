package collective

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/islandsgd/islands/network"
)

// Both counting bounds by their definitions, on networks whose every router has a member: sets of routers and of single
// islands are listed one by one, and what leaves or enters them is summed.
func TestCountingBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := drawNetwork(t, 5, false)
		for r := range top.Routers {
			top.Islands = append(top.Islands, network.Island{ID: top.Routers[r].ID + "x", Router: r, Egress: 3e9, Ingress: 4e9})
		}
		can := drawCapability(t, len(top.Routers))
		sorted := [][]int{nil, nil}
		for m := range top.Islands {
			q := rapid.IntRange(0, 1).Draw(t, "clique")
			sorted[q] = append(sorted[q], m)
		}
		sorted = slices.DeleteFunc(sorted, func(c []int) bool { return len(c) == 0 })
		p := drawn(t, top, can, Options{Payload: 1})

		partition, egress := 0.0, 0.0
		eachPartition(len(top.Routers), func(parts [][]int) {
			of := make([]int, len(top.Routers))
			for q, part := range parts {
				for _, r := range part {
					of[r] = q
				}
			}
			partition = max(partition, counted(top, sorted, of, func(int) bool { return false }, 0), counted(top, sorted, of, func(int) bool { return false }, 1))
			for way, branches := range [][]bool{can.Multicast, can.Aggregation} {
				for _, split := range []bool{false, true} {
					egress = max(egress, counted(top, sorted, of, func(r int) bool { return split && !branches[r] && len(parts[of[r]]) == 1 }, way))
				}
			}
		})
		gotPartition, gotEgress := p.partitionBounds(sorted)
		if !near(*gotPartition, partition, 1e-12) || !near(*gotEgress, egress, 1e-12) {
			t.Fatalf("partition %v, want %v; egress %v, want %v", *gotPartition, partition, *gotEgress, egress)
		}
	})
}

// counted is the bound of one family of sets: the routers by their part, and the islands of routers outside by
// themselves.
func counted(top *network.Topology, sorted [][]int, of []int, outside func(r int) bool, way int) float64 {
	set := func(r int) int {
		if outside(r) {
			return -1
		}
		return of[r]
	}
	capacity := 0.0
	for _, l := range top.Links {
		for _, end := range []int{l.A, l.B} {
			if set(end) >= 0 && set(l.A) != set(l.B) {
				capacity += l.Bandwidth
			}
		}
	}
	crossings := 0
	for _, members := range sorted {
		sets := map[[2]int]bool{}
		for _, m := range members {
			island := top.Islands[m]
			if !outside(island.Router) {
				sets[[2]int{of[island.Router]}] = true
				continue
			}
			sets[[2]int{-1, m}] = true
			capacity += []float64{island.Egress, island.Ingress}[way]
		}
		crossings += 2 * (len(sets) - 1)
	}
	if crossings == 0 {
		return 0
	}
	return 8 * float64(crossings) / capacity
}
