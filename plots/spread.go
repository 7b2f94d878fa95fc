package plots

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// clusters groups points that hang together by steps shorter than a distance, in the order of their first points.
func clusters(at []vg.Point, closer vg.Length) [][]int {
	var out [][]int
	seen := make([]bool, len(at))
	for i := range at {
		if seen[i] {
			continue
		}
		seen[i] = true
		cluster := []int{i}
		for k := 0; k < len(cluster); k++ {
			a := at[cluster[k]]
			for j, b := range at {
				if !seen[j] && math.Hypot(float64(a.X-b.X), float64(a.Y-b.Y)) < float64(closer) {
					seen[j] = true
					cluster = append(cluster, j)
				}
			}
		}
		out = append(out, cluster)
	}
	return out
}

// onCircles moves points that are nearer to one another than closer onto a circle around their middle, a gap apart, and
// leaves the others. Circles stay within the canvas: that of very many points has smaller gaps.
func onCircles(at []vg.Point, closer, gap vg.Length, within vg.Rectangle) []vg.Point {
	out := append([]vg.Point(nil), at...)
	for _, cluster := range clusters(at, closer) {
		if len(cluster) < 2 {
			continue
		}
		box := around(at, cluster)
		if toBox(within, middle(box)) > 0 {
			continue // outside of an inset
		}
		n := float64(len(cluster))
		const share = 0.15 // of the canvas, for the radius
		size := min(within.Max.X-within.Min.X, within.Max.Y-within.Min.Y)
		radius := min(gap/2/vg.Length(math.Sin(math.Pi/n)), share*size)
		room := radius + routerRadius
		center := nearest(vg.Rectangle{
			Min: vg.Point{X: within.Min.X + room, Y: within.Min.Y + room},
			Max: vg.Point{X: within.Max.X - room, Y: within.Max.Y - room},
		}, middle(box))
		for k, i := range cluster {
			// The first stands on top: most links go east and west, and two routers above each other stay clear of them.
			sin, cos := math.Sincos(math.Pi/2 + 2*math.Pi*float64(k)/n)
			out[i] = vg.Point{X: center.X + radius*vg.Length(cos), Y: center.Y + radius*vg.Length(sin)}
		}
	}
	return out
}
