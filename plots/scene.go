package plots

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/iterator"
	"gonum.org/v1/gonum/graph/layout"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/spatial/r2"
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
		s.at = springLayout(c, t)
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

// ordered is a graph whose nodes come in the order of their ids. Those of gonum come in a new random order at every
// call, and with it the order of every sum.
type ordered struct{ *simple.UndirectedGraph }

func (g ordered) Nodes() graph.Nodes        { return inOrder(g.UndirectedGraph.Nodes()) }
func (g ordered) From(id int64) graph.Nodes { return inOrder(g.UndirectedGraph.From(id)) }

func inOrder(it graph.Nodes) graph.Nodes {
	nodes := graph.NodesOf(it)
	slices.SortFunc(nodes, func(a, b graph.Node) int { return cmp.Compare(a.ID(), b.ID()) })
	return iterator.NewOrderedNodes(nodes)
}

// springLayout places the routers of a network without coordinates by Eades' spring embedder (gonum), with a fixed
// seed, scaled to the canvas.
func springLayout(c draw.Canvas, t *network.Topology) []vg.Point {
	g := simple.NewUndirectedGraph()
	for i := range t.Routers {
		g.AddNode(simple.Node(i))
	}
	for _, l := range t.Links {
		if l.A != l.B {
			g.SetEdge(simple.Edge{F: simple.Node(l.A), T: simple.Node(l.B)})
		}
	}
	eades := layout.EadesR2{Repulsion: 1, Rate: 0.05, Updates: 300, Theta: 0.2, Src: rand.NewPCG(1, 1)}
	o := layout.NewOptimizerR2(ordered{g}, eades.Update)
	for o.Update() {
	}
	pos := make([]r2.Vec, len(t.Routers))
	for i := range pos {
		pos[i] = o.Coord2(int64(i))
	}
	lieDown(pos)
	lo, hi := r2.Vec{X: math.Inf(1), Y: math.Inf(1)}, r2.Vec{X: math.Inf(-1), Y: math.Inf(-1)}
	for i := range pos {
		lo = r2.Vec{X: min(lo.X, pos[i].X), Y: min(lo.Y, pos[i].Y)}
		hi = r2.Vec{X: max(hi.X, pos[i].X), Y: max(hi.Y, pos[i].Y)}
	}
	at := make([]vg.Point, len(pos))
	for i, p := range pos {
		at[i] = vg.Point{X: c.X(0.08 + 0.84*unit(p.X, lo.X, hi.X)), Y: c.Y(0.08 + 0.84*unit(p.Y, lo.Y, hi.Y))}
	}
	return at
}

// lieDown turns points so that they extend farthest from left to right (along their first principal axis).
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
