package plots

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/islandsgd/islands/network"
)

// scene is a network laid out on a canvas: on a map where every router has coordinates, otherwise as a graph.
type scene struct {
	c      draw.Canvas
	th     theme
	t      *network.Topology
	at     []vg.Point      // where each router stands
	pieces [][][2]vg.Point // the line of each link, as far as it is on the canvas: in two pieces where the map is cut
	line   func(a, b int) [][2]vg.Point
	place  *placer
	mute   []bool    // routers that another scene names
	m      *worldMap // nil for a graph
	inset  *inset    // magnifies routers that would cover one another; or nil
}

const (
	routerRadius = vg.Length(3.2)
	mostNames    = 60 // names of more routers would be a carpet
)

func onMap(t *network.Topology) bool {
	for _, r := range t.Routers {
		if !r.HasPosition {
			return false
		}
	}
	return len(t.Routers) > 0
}

// height is the height of a scene at a width.
func (s scene) height(w vg.Length, _ theme) vg.Length {
	if onMap(s.t) {
		return mapHeight(s.t, w)
	}
	return 0.6 * w
}

// newScene lays a network out and draws the land below it.
func newScene(c draw.Canvas, th theme, t *network.Topology) (*scene, error) {
	s := &scene{c: c, th: th, t: t, mute: make([]bool, len(t.Routers))}
	if !onMap(t) {
		s.at = graphLayout(c, t)
		s.line = func(a, b int) [][2]vg.Point { return [][2]vg.Point{{s.at[a], s.at[b]}} }
		s.occupy()
		return s, nil
	}
	m := newWorldMap(c, t)
	if err := m.land(); err != nil {
		return nil, err
	}
	s.project(m)
	s.occupy()
	s.m = m
	return s, nil
}

// magnify gives the scene an inset where it needs one and has room: it hides nothing that the placer knows by now.
func (s *scene) magnify() {
	if s.m != nil {
		s.inset = newInset(s, s.m)
	}
}

// project places routers and links by a map.
func (s *scene) project(m *worldMap) {
	for _, r := range s.t.Routers {
		s.at = append(s.at, m.point(r))
	}
	s.line = func(a, b int) [][2]vg.Point { return m.segments(s.t.Routers[a], s.t.Routers[b]) }
}

// occupy tells the placer where routers and links are.
func (s *scene) occupy() {
	s.place = &placer{within: s.c.Rectangle, anchors: s.at}
	for _, pt := range s.at {
		s.place.block(pt, routerRadius+1)
	}
	for _, l := range s.t.Links {
		var pieces [][2]vg.Point
		for _, p := range s.line(l.A, l.B) {
			for _, part := range s.c.ClipLinesXY([]vg.Point{p[0], p[1]}) {
				pieces = append(pieces, [2]vg.Point{part[0], part[len(part)-1]})
				s.place.line(part[0], part[len(part)-1])
			}
		}
		s.pieces = append(s.pieces, pieces)
	}
}

// draw draws on the scene, and the same once more on its inset.
func (s *scene) draw(on func(*scene)) error {
	on(s)
	if s.inset == nil {
		return nil
	}
	if err := s.inset.ground(s.c); err != nil {
		return err
	}
	on(s.inset.scene)
	return nil
}

// links draws every link in the style that is given for it.
func (s *scene) links(style func(i int) draw.LineStyle) {
	for i := range s.t.Links {
		for _, p := range s.pieces[i] {
			s.c.StrokeLine2(style(i), p[0].X, p[0].Y, p[1].X, p[1].Y)
		}
	}
}

// routers draws the routers, with their abilities and names.
func (s *scene) routers() {
	hosts := make([]bool, len(s.t.Routers))
	for _, i := range s.t.Islands {
		hosts[i.Router] = true
	}
	radius := routerRadius
	if len(s.t.Routers) > mostNames {
		radius /= 2
	}
	for i, r := range s.t.Routers {
		if !s.c.Contains(s.at[i]) {
			continue // outside of an inset
		}
		if r.Aggregation != nil {
			s.c.DrawGlyph(draw.GlyphStyle{Color: green, Radius: radius + 3, Shape: draw.SquareGlyph{}}, s.at[i])
		}
		if r.Multicast {
			s.c.DrawGlyph(draw.GlyphStyle{Color: orange, Radius: radius + 2, Shape: draw.RingGlyph{}}, s.at[i])
		}
		s.c.DrawGlyph(draw.GlyphStyle{Color: ink, Radius: radius, Shape: draw.CircleGlyph{}}, s.at[i])
		if !hosts[i] {
			s.c.DrawGlyph(draw.GlyphStyle{Color: paper, Radius: radius - 1, Shape: draw.CircleGlyph{}}, s.at[i])
		}
	}
	if len(s.t.Routers) > mostNames {
		return
	}
	const close, reach = 8, 30 // points from a router: a name needs no line to it, a name may be
	name := s.th.text(ink)
	for _, i := range s.crowdedFirst(name, radius+2, reach) {
		id, at := s.t.Routers[i].ID, s.at[i]
		if box, ok := s.place.place(at, id, name, radius+2, reach); ok {
			if toBox(box, at) > radius+close || s.place.misread(box, at) {
				end := nearest(box, at)
				s.c.StrokeLine2(solid(muted, hairline), at.X, at.Y, end.X, end.Y)
			}
			label(&s.c, middle(box), id, name)
		}
	}
}

// crowdedFirst lists the routers that are named here, those whose names have the fewest places first.
func (s *scene) crowdedFirst(name text.Style, gap, reach vg.Length) []int {
	var order []int
	places := make([]int, len(s.at))
	for i, r := range s.t.Routers {
		if !s.mute[i] && s.c.Contains(s.at[i]) {
			order = append(order, i)
			_, places[i] = s.place.search(s.at[i], r.ID, name, gap, reach)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(places[a], places[b]) })
	return order
}
