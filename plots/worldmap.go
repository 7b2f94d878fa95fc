package plots

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/islandsgd/islands/network"
)

// worldMap projects latitudes and longitudes on a canvas: plate carrée, cut along one meridian, framed to what is
// shown. Two points on either side of the cut are joined by a line that leaves the map and comes back.
type worldMap struct {
	frame
	c     draw.Canvas
	moved map[string]vg.Point // by how much routers that would cover one another stand beside their place
}

// frame is the part of the world that is shown. Longitudes count in degrees eastwards from the cut.
type frame struct{ cut, west, east, south, north float64 }

// frameAround returns the frame that holds all routers with a margin, cut where the fewest links are cut.
func frameAround(t *network.Topology) frame {
	const margin = 12 // degrees of sea and land around the routers
	f := frame{bestCut(t), 360, 0, 90, -90}
	south, north := 90.0, -90.0
	for _, r := range t.Routers {
		south, north = min(south, r.Lat), max(north, r.Lat)
		x := eastOf(f.cut, r.Lon)
		f.west, f.east = min(f.west, x-margin), max(f.east, x+margin)
		f.south, f.north = min(f.south, r.Lat-margin), max(f.north, r.Lat+margin)
	}
	// No farther than the poles need, but a disk at a pole is seen whole.
	const disk = 6
	f.south, f.north = max(f.south, min(-88, south-disk)), min(f.north, max(88, north+disk))
	return f
}

// mapHeight returns the height that suits a map of the topology at a width.
func mapHeight(t *network.Topology, width vg.Length) vg.Length {
	f := frameAround(t)
	return width * vg.Length(min(0.62, max(0.4, (f.north-f.south)/(f.east-f.west))))
}

func newWorldMap(c draw.Canvas, t *network.Topology) *worldMap {
	m := mapOf(frameAround(t), c)
	m.moveApart(t, onePlace)
	return m
}

// mapOf shows a part of the world, and what lies around it where the canvas has another shape.
func mapOf(f frame, c draw.Canvas) *worldMap {
	m := &worldMap{frame: f, c: c}
	w, h := float64(c.Max.X-c.Min.X), float64(c.Max.Y-c.Min.Y)
	scale := min(w/(m.east-m.west), h/(m.north-m.south)) // points per degree; whichever direction has room is widened
	m.west, m.east = (m.west+m.east-w/scale)/2, (m.west+m.east+w/scale)/2
	m.south, m.north = (m.south+m.north-h/scale)/2, (m.south+m.north+h/scale)/2
	return m
}

// bestCut returns the meridian that cuts the fewest links, and among those the one farthest from any router.
func bestCut(t *network.Topology) float64 {
	best, bestCost := -180.0, math.Inf(1)
	for cut := -180.0; cut < 180; cut += 5 {
		cost := 0.0
		for _, l := range t.Links {
			a, b := t.Routers[l.A], t.Routers[l.B]
			if math.Abs(eastOf(cut, a.Lon)-eastOf(cut, b.Lon)) > 180 {
				cost++
			}
		}
		gap := 360.0
		for _, r := range t.Routers {
			d := eastOf(cut, r.Lon)
			gap = min(gap, d, 360-d)
		}
		cost -= gap / 1000
		if cost < bestCost {
			best, bestCost = cut, cost
		}
	}
	return best
}

// eastOf is how many degrees a longitude lies east of the cut.
func eastOf(cut, lon float64) float64 { return math.Mod(lon-cut+720, 360) }

func (m *worldMap) at(x, lat float64) vg.Point {
	fx := (x - m.west) / (m.east - m.west)
	fy := (lat - m.south) / (m.north - m.south)
	return vg.Point{X: m.c.X(fx), Y: m.c.Y(fy)}
}

// point is where a router is drawn, and place where it is.
func (m *worldMap) point(r network.Router) vg.Point { return m.place(r).Add(m.moved[r.ID]) }
func (m *worldMap) place(r network.Router) vg.Point { return m.at(eastOf(m.cut, r.Lon), r.Lat) }

func (m *worldMap) places(t *network.Topology) []vg.Point {
	at := make([]vg.Point, len(t.Routers))
	for i, r := range t.Routers {
		at[i] = m.place(r)
	}
	return at
}

// moveApart moves routers that are nearer to one another than closer onto small circles, where all of them are seen, and
// their links too.
func (m *worldMap) moveApart(t *network.Topology, closer vg.Length) {
	gap := vg.Length(11)
	if len(t.Routers) > mostNames { // their disks are smaller
		gap /= 2
	}
	at := m.places(t)
	m.moved = map[string]vg.Point{}
	for i, pt := range onCircles(at, closer, gap, m.c.Rectangle) {
		m.moved[t.Routers[i].ID] = pt.Sub(at[i])
	}
}

// segments returns the line between two routers as one or two pieces.
func (m *worldMap) segments(a, b network.Router) [][2]vg.Point {
	xa, xb := eastOf(m.cut, a.Lon), eastOf(m.cut, b.Lon)
	piece := func(xa, xb float64) [2]vg.Point {
		return [2]vg.Point{m.at(xa, a.Lat).Add(m.moved[a.ID]), m.at(xb, b.Lat).Add(m.moved[b.ID])}
	}
	if math.Abs(xa-xb) <= 180 {
		return [][2]vg.Point{piece(xa, xb)}
	}
	if xa > xb {
		a, b, xa, xb = b, a, xb, xa
	}
	return [][2]vg.Point{piece(xa, xb-360), piece(xa+360, xb)}
}

// land fills the coastlines. Each outline is drawn in the copies of the world that the frame can touch.
func (m *worldMap) land() error {
	rings, err := coastlines()
	if err != nil {
		return err
	}
	for _, r := range rings {
		unrolled := make(ring, len(r)) // without the jump at ±180°
		for i, p := range r {
			unrolled[i] = p
			if i > 0 {
				unrolled[i][0] = unrolled[i-1][0] + math.Remainder(p[0]-r[i-1][0], 360)
			}
		}
		for turn := -720.0; turn <= 720; turn += 360 {
			pts := make([]vg.Point, len(unrolled))
			for i, p := range unrolled {
				pts[i] = m.at(p[0]-m.cut+turn, p[1])
			}
			pts = m.c.ClipPolygonXY(pts)
			if len(pts) > 2 {
				m.c.FillPolygon(land, pts)
			}
		}
	}
	return nil
}
