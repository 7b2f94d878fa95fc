package plots

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/spatial/r2"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/islandsgd/islands/network"
)

// graphLayout places the routers of a network without coordinates so that their distances on paper are as near as can be
// to the hops between them (stress majorization: Gansner, Koren and North, Graph Drawing 2004), scaled to the canvas. It
// begins on a circle, and from the two directions in which the hops differ most (classical scaling) where that ends
// clearly better: rings and meshes read best on a circle.
func graphLayout(c draw.Canvas, t *network.Topology) []vg.Point {
	hops := hopCounts(t)
	pos, least := stressed(onCircle(len(hops)), hops)
	if start := classical(hops); start != nil {
		if other, stress := stressed(start, hops); stress < clearlyLess*least {
			pos = other
		}
	}
	lieDown(pos)
	lo, hi := r2.Vec{X: math.Inf(1), Y: math.Inf(1)}, r2.Vec{X: math.Inf(-1), Y: math.Inf(-1)}
	for _, p := range pos {
		lo = r2.Vec{X: min(lo.X, p.X), Y: min(lo.Y, p.Y)}
		hi = r2.Vec{X: max(hi.X, p.X), Y: max(hi.Y, p.Y)}
	}
	// What is nearly a line stays one: the height is stretched to the canvas by little more than the width.
	if least := (hi.X - lo.X) / mostStretch * float64((c.Max.Y-c.Min.Y)/(c.Max.X-c.Min.X)); hi.Y-lo.Y < least {
		middle := (lo.Y + hi.Y) / 2
		lo.Y, hi.Y = middle-least/2, middle+least/2
	}
	at := make([]vg.Point, len(pos))
	for i, p := range pos {
		at[i] = vg.Point{X: c.X(0.08 + 0.84*unit(p.X, lo.X, hi.X)), Y: c.Y(0.08 + 0.84*unit(p.Y, lo.Y, hi.Y))}
	}
	return at
}

const (
	clearlyLess = 0.95
	mostStretch = 1.5
)

// hopCounts are the links on the shortest way between any two routers; parts of a network that nothing joins stand two
// hops farther apart than any two routers of one.
func hopCounts(t *network.Topology) [][]float64 {
	n := len(t.Routers)
	next := make([][]int, n)
	for _, l := range t.Links {
		next[l.A], next[l.B] = append(next[l.A], l.B), append(next[l.B], l.A)
	}
	hops, farthest := make([][]float64, n), 0.0
	for i := range hops {
		hops[i] = slices.Repeat([]float64{math.Inf(1)}, n)
		hops[i][i] = 0
		for queue := []int{i}; len(queue) > 0; queue = queue[1:] {
			v := queue[0]
			farthest = max(farthest, hops[i][v])
			for _, w := range next[v] {
				if math.IsInf(hops[i][w], 1) {
					hops[i][w] = hops[i][v] + 1
					queue = append(queue, w)
				}
			}
		}
	}
	for _, row := range hops {
		for j, h := range row {
			row[j] = min(h, farthest+2)
		}
	}
	return hops
}

func onCircle(n int) []r2.Vec {
	out := make([]r2.Vec, n)
	for i := range out {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		out[i] = r2.Vec{X: float64(n) / 4 * cos, Y: float64(n) / 4 * sin}
	}
	return out
}

// classical is classical multidimensional scaling: the two leading eigenvectors of the centered squares of the hops. It is
// nil where they cannot be computed in a moment.
func classical(hops [][]float64) []r2.Vec {
	const most = 400 // routers
	n := len(hops)
	if n < 3 || n > most {
		return nil
	}
	b := mat.NewSymDense(n, nil)
	mean, all := make([]float64, n), 0.0
	for i, row := range hops {
		for _, h := range row {
			mean[i] += h * h / float64(n)
		}
		all += mean[i] / float64(n)
	}
	for i, row := range hops {
		for j := i; j < n; j++ {
			b.SetSym(i, j, -(row[j]*row[j]-mean[i]-mean[j]+all)/2)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(b, true) {
		return nil
	}
	var u mat.Dense
	e.VectorsTo(&u)
	values := e.Values(nil)
	out := make([]r2.Vec, n)
	for i := range out {
		out[i] = r2.Vec{X: u.At(i, n-1) * math.Sqrt(max(0, values[n-1])), Y: u.At(i, n-2) * math.Sqrt(max(0, values[n-2]))}
	}
	return out
}

// stressed moves one point after the other to where its own part of the stress Σ (|p_i - p_j| / h_ij - 1)² is least when
// each distance keeps its direction, which never raises the whole, and returns the stress that remains.
func stressed(pos []r2.Vec, hops [][]float64) ([]r2.Vec, float64) {
	const sweeps, settled = 300, 1e-4
	for range sweeps {
		moved := 0.0
		for i := range pos {
			var sum r2.Vec
			weights := 0.0
			for j, h := range hops[i] {
				if i == j {
					continue
				}
				w, away := 1/(h*h), r2.Sub(pos[i], pos[j])
				length := r2.Norm(away)
				if length < 1e-9 { // on one point: apart, each pair in a direction of its own
					sin, cos := math.Sincos(float64(i*len(pos) + j))
					away, length = r2.Vec{X: cos, Y: sin}, 1
				}
				sum = r2.Add(sum, r2.Scale(w, r2.Add(pos[j], r2.Scale(h/length, away))))
				weights += w
			}
			if weights == 0 {
				continue
			}
			to := r2.Scale(1/weights, sum)
			moved = max(moved, r2.Norm(r2.Sub(to, pos[i])))
			pos[i] = to
		}
		if moved < settled {
			break
		}
	}
	stress := 0.0
	for i, row := range hops {
		for j, h := range row[:i] {
			d := r2.Norm(r2.Sub(pos[i], pos[j]))/h - 1
			stress += d * d
		}
	}
	return pos, stress
}

// lieDown turns points so that they extend farthest from left to right (along their first principal axis), the first one
// on the left.
func lieDown(pos []r2.Vec) {
	var mean r2.Vec
	for _, p := range pos {
		mean = r2.Add(mean, r2.Scale(1/float64(len(pos)), p))
	}
	var xx, xy, yy float64
	for _, p := range pos {
		d := r2.Sub(p, mean)
		xx, xy, yy = xx+d.X*d.X, xy+d.X*d.Y, yy+d.Y*d.Y
	}
	angle := -math.Atan2(2*xy, xx-yy) / 2
	if len(pos) > 0 && r2.Rotate(pos[0], angle, mean).X > mean.X {
		angle += math.Pi
	}
	for i, p := range pos {
		pos[i] = r2.Rotate(p, angle, mean)
	}
}

// unit maps [lo, hi] to [0, 1], and an empty interval to its middle.
func unit(v, lo, hi float64) float64 {
	if !(hi > lo) {
		return 0.5
	}
	return (v - lo) / (hi - lo)
}

// leastLocated is the share of routers that must have coordinates for a network to be drawn on a map.
const leastLocated = 0.75

// located returns the network with a place on the map for every router, and how many it had to guess: a router without
// coordinates stands amid its neighbors. Where too many have none the network comes back as it is.
func located(t *network.Topology) (*network.Topology, int) {
	missing := 0
	for _, r := range t.Routers {
		if !r.HasPosition {
			missing++
		}
	}
	if missing == 0 || float64(len(t.Routers)-missing) < leastLocated*float64(len(t.Routers)) {
		return t, 0
	}
	out := *t
	out.Routers = slices.Clone(t.Routers)
	for left := missing; left > 0; {
		type guess struct {
			router   int
			lat, lon float64
		}
		var guesses []guess
		for i, r := range out.Routers {
			if r.HasPosition {
				continue
			}
			var x, y, z float64 // on the sphere, where no meridian is a seam
			for _, l := range t.Links {
				other := l.A + l.B - i
				if (l.A == i || l.B == i) && out.Routers[other].HasPosition {
					lat, lon := out.Routers[other].Lat*math.Pi/180, out.Routers[other].Lon*math.Pi/180
					x, y, z = x+math.Cos(lat)*math.Cos(lon), y+math.Cos(lat)*math.Sin(lon), z+math.Sin(lat)
				}
			}
			if x != 0 || y != 0 || z != 0 {
				guesses = append(guesses, guess{i, math.Atan2(z, math.Hypot(x, y)) * 180 / math.Pi, math.Atan2(y, x) * 180 / math.Pi})
			}
		}
		if len(guesses) == 0 {
			return t, 0 // a part of the network has no place at all
		}
		for _, g := range guesses {
			r := &out.Routers[g.router]
			r.HasPosition, r.Lat, r.Lon = true, g.lat, g.lon
		}
		left -= len(guesses)
	}
	return &out, missing
}
