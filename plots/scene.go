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
	pieces [][][2]vg.Point // the line of each link: in two pieces where the map is cut
	line   func(a, b int) [][2]vg.Point
	place  *placer
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
	s := &scene{c: c, th: th, t: t}
	if onMap(t) {
		m := newWorldMap(c, t)
		if err := m.land(); err != nil {
			return nil, err
		}
		for _, r := range t.Routers {
			s.at = append(s.at, m.point(r))
		}
		s.line = func(a, b int) [][2]vg.Point { return m.segments(t.Routers[a], t.Routers[b]) }
	} else {
		s.at = springLayout(c, t)
		s.line = func(a, b int) [][2]vg.Point { return [][2]vg.Point{{s.at[a], s.at[b]}} }
	}
	s.place = &placer{within: c.Rectangle}
	for _, pt := range s.at {
		s.place.block(pt, routerRadius+1)
	}
	for _, l := range t.Links {
		pieces := s.line(l.A, l.B)
		s.pieces = append(s.pieces, pieces)
		for _, p := range pieces {
			s.place.line(p[0], p[1])
		}
	}
	return s, nil
}

// links draws every link in the style that is given for it.
func (s *scene) links(style func(i int) draw.LineStyle) {
	for i := range s.t.Links {
		for _, p := range s.pieces[i] {
			s.c.StrokeLines(style(i), s.c.ClipLinesXY([]vg.Point{p[0], p[1]})...)
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
	name := s.th.text(ink)
	for i, r := range s.t.Routers {
		if center, ok := s.place.place(s.at[i], r.ID, name, radius+2, 30); ok {
			if d := math.Hypot(float64(center.X-s.at[i].X), float64(center.Y-s.at[i].Y)); d > 22 {
				s.c.StrokeLine2(solid(muted, hairline), s.at[i].X, s.at[i].Y, center.X, center.Y)
			}
			label(&s.c, center, r.ID, name)
		}
	}
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
	lo, hi := r2.Vec{X: math.Inf(1), Y: math.Inf(1)}, r2.Vec{X: math.Inf(-1), Y: math.Inf(-1)}
	for i := range pos {
		pos[i] = o.Coord2(int64(i))
		lo = r2.Vec{X: min(lo.X, pos[i].X), Y: min(lo.Y, pos[i].Y)}
		hi = r2.Vec{X: max(hi.X, pos[i].X), Y: max(hi.Y, pos[i].Y)}
	}
	at := make([]vg.Point, len(pos))
	for i, p := range pos {
		at[i] = vg.Point{X: c.X(0.08 + 0.84*unit(p.X, lo.X, hi.X)), Y: c.Y(0.08 + 0.84*unit(p.Y, lo.Y, hi.Y))}
	}
	return at
}

// unit maps [lo, hi] to [0, 1], and an empty interval to its middle.
func unit(v, lo, hi float64) float64 {
	if !(hi > lo) {
		return 0.5
	}
	return (v - lo) / (hi - lo)
}
