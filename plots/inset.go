package plots

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// inset magnifies the routers of a map that stand so close together that their disks, names and links cannot be told
// apart. It lies where the map is empty, and the rectangle that it shows is marked on the map.
type inset struct {
	*scene
	m    *worldMap
	from vg.Rectangle // what it shows, on the map
}

const (
	tooClose   = 4 * routerRadius            // routers nearer than this to one another belong into an inset
	mostZoom   = 10                          // the coastline has no more detail than that
	onePlace   = 2 * routerRadius / mostZoom // routers nearer than this would cover one another in an inset too
	leastZoom  = 1.8                         // less would not help
	marginX    = vg.Length(21)               // room for names within the inset
	marginY    = vg.Length(13)
	insetClear = vg.Length(12) // room for names around it
)

// newInset returns the inset of a scene, and hands it the names of the routers that it shows; nil where none is needed
// or none has room.
func newInset(s *scene, m *worldMap) *inset {
	places := m.places(s.t)
	cluster := largestCluster(places)
	if cluster == nil {
		return nil
	}
	from := around(places, cluster)
	for _, share := range [][2]float64{{0.36, 0.56}, {0.3, 0.46}, {0.24, 0.4}} {
		w, h := vg.Length(share[0])*(s.c.Max.X-s.c.Min.X), vg.Length(share[1])*(s.c.Max.Y-s.c.Min.Y)
		zoom := min(mostZoom, float64((w-2*marginX)/max(from.Max.X-from.Min.X, 0.1)), float64((h-2*marginY)/max(from.Max.Y-from.Min.Y, 0.1)))
		if zoom < leastZoom {
			continue
		}
		shown := grown(middle(from), w/vg.Length(zoom), h/vg.Length(zoom))
		box, ok := s.emptyBox(w, h, shown)
		if !ok {
			continue
		}
		return s.newInsetAt(m, box, shown)
	}
	return nil
}

func (s *scene) newInsetAt(m *worldMap, box, shown vg.Rectangle) *inset {
	c := draw.Canvas{Canvas: s.c.Canvas, Rectangle: box}
	in := &inset{&scene{c: c, th: s.th, t: s.t, mute: make([]bool, len(s.at))}, mapOf(m.frameOf(shown), c), shown}
	in.m.moveApart(s.t, routerRadius)
	in.project(in.m)
	in.occupy()
	for i, pt := range m.places(s.t) {
		s.mute[i] = toBox(shown, pt) == 0
		in.mute[i] = !s.mute[i]
	}
	s.place.boxes = append(s.place.boxes, box, shown)
	return in
}

// ground prepares the inset on a map: its place marked, its box blank but for the land.
func (in *inset) ground(onto draw.Canvas) error {
	frame := solid(muted, hairline)
	strokeRect(onto, in.from.Min, in.from.Max, frame)
	a := nearest(in.c.Rectangle, middle(in.from))
	b := nearest(in.from, a)
	onto.StrokeLine2(frame, a.X, a.Y, b.X, b.Y)
	fillRect(in.c, in.c.Min, in.c.Max, paper)
	if err := in.m.land(); err != nil {
		return err
	}
	strokeRect(in.c, in.c.Min, in.c.Max, solid(muted, hairline))
	return nil
}

// largestCluster returns the most points that hang together by steps shorter than tooClose, the first of equals; nil
// where there are none, or only such that no inset could tell apart.
func largestCluster(at []vg.Point) []int {
	var best []int
	for _, c := range clusters(at, tooClose) {
		box := around(at, c)
		if len(c) > max(1, len(best)) && max(box.Max.X-box.Min.X, box.Max.Y-box.Min.Y) >= onePlace {
			best = c
		}
	}
	return best
}

// around returns the smallest rectangle that holds the points of a cluster.
func around(at []vg.Point, cluster []int) vg.Rectangle {
	r := vg.Rectangle{Min: at[cluster[0]], Max: at[cluster[0]]}
	for _, i := range cluster {
		r.Min = vg.Point{X: min(r.Min.X, at[i].X), Y: min(r.Min.Y, at[i].Y)}
		r.Max = vg.Point{X: max(r.Max.X, at[i].X), Y: max(r.Max.Y, at[i].Y)}
	}
	return r
}

// emptyBox finds the place nearest to what an inset shows that holds no router and no link.
func (s *scene) emptyBox(w, h vg.Length, shown vg.Rectangle) (vg.Rectangle, bool) {
	const step, edge = 4, 3
	var found vg.Rectangle
	best := math.Inf(1)
	for x := s.c.Min.X + edge; x+w <= s.c.Max.X-edge; x += step {
		for y := s.c.Min.Y + edge; y+h <= s.c.Max.Y-edge; y += step {
			box := vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + w, Y: y + h}}
			if d := float64(toBox(box, middle(shown))); d < best && s.isEmpty(box, shown) {
				best, found = d, box
			}
		}
	}
	return found, !math.IsInf(best, 1)
}

func (s *scene) isEmpty(box, shown vg.Rectangle) bool {
	if box.Min.X < shown.Max.X && shown.Min.X < box.Max.X && box.Min.Y < shown.Max.Y && shown.Min.Y < box.Max.Y {
		return false
	}
	if s.place.hits(box) {
		return false
	}
	for _, pt := range s.at {
		if toBox(box, pt) < routerRadius+insetClear {
			return false
		}
	}
	for _, l := range s.place.lines {
		if crosses(grown(middle(box), box.Max.X-box.Min.X+8, box.Max.Y-box.Min.Y+8), l[0], l[1]) {
			return false
		}
	}
	return true
}

// frameOf returns the part of the world under a rectangle of the map.
func (m *worldMap) frameOf(r vg.Rectangle) frame {
	lon := func(x vg.Length) float64 {
		return m.west + float64((x-m.c.Min.X)/(m.c.Max.X-m.c.Min.X))*(m.east-m.west)
	}
	lat := func(y vg.Length) float64 {
		return m.south + float64((y-m.c.Min.Y)/(m.c.Max.Y-m.c.Min.Y))*(m.north-m.south)
	}
	return frame{m.cut, lon(r.Min.X), lon(r.Max.X), lat(r.Min.Y), lat(r.Max.Y)}
}
