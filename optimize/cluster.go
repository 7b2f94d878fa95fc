package optimize

import (
	"cmp"
	"math"
	"slices"

	"github.com/islandsgd/islands/network"
)

// distances are one-way seconds between the islands' routers; islands out of reach are an hour apart.
func distances(g *network.Graph) [][]float64 {
	islands := g.Topology.Islands
	out := make([][]float64, len(islands))
	for i, a := range islands {
		tree := g.Tree(a.Router)
		out[i] = make([]float64, len(islands))
		for j, b := range islands {
			out[i][j] = min(tree.Latency(b.Router), 3600)
		}
	}
	return out
}

// clusterCounts are the numbers of clusters tried: from two to half the islands, on a geometric grid.
func clusterCounts(n int) []int {
	var out []int
	for k := 2.0; k <= float64(n)/2; k *= 1.3 {
		if c := int(math.Round(k)); len(out) == 0 || c > out[len(out)-1] {
			out = append(out, c)
		}
	}
	return out
}

// cluster groups the islands into k clusters of close ones, of nearly equal size: farthest-first centers, then islands
// by the distance to their center, each to the closest center with room.
func cluster(distance [][]float64, k int) [][]int {
	n := len(distance)
	centers := []int{0}
	for len(centers) < k {
		best, far := -1, -1.0
		for i := range n {
			if slices.Contains(centers, i) {
				continue
			}
			d := math.Inf(1)
			for _, c := range centers {
				d = min(d, distance[i][c])
			}
			if d > far {
				best, far = i, d
			}
		}
		centers = append(centers, best)
	}
	type place struct {
		island, cluster int
		d               float64
	}
	var places []place
	for i := range n {
		for c, center := range centers {
			places = append(places, place{i, c, distance[i][center]})
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.d, b.d) })
	room := (n + k - 1) / k
	out, done := make([][]int, k), make([]bool, n)
	for _, p := range places {
		if !done[p.island] && len(out[p.cluster]) < room {
			out[p.cluster], done[p.island] = append(out[p.cluster], p.island), true
		}
	}
	out = slices.DeleteFunc(out, func(c []int) bool { return len(c) == 0 })
	for _, c := range out {
		slices.Sort(c)
	}
	return out
}

// across makes cliques that take at most one island of every cluster, close ones together: the rotation after a round of
// clusters. The first cluster's islands lead; every other cluster sends each of them its closest island that is free.
func across(clusters [][]int, distance [][]float64) [][]int {
	order := slices.Clone(clusters)
	slices.SortStableFunc(order, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	out := make([][]int, len(order[0]))
	for k, i := range order[0] {
		out[k] = []int{i}
	}
	for _, c := range order[1:] {
		free := slices.Clone(c)
		for k := range out {
			if len(free) == 0 {
				break
			}
			best := 0
			for x := range free {
				if distance[out[k][0]][free[x]] < distance[out[k][0]][free[best]] {
					best = x
				}
			}
			out[k] = append(out[k], free[best])
			free = slices.Delete(free, best, best+1)
		}
	}
	for _, c := range out {
		slices.Sort(c)
	}
	return out
}
