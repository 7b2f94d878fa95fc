package plots

import (
	"cmp"
	"fmt"
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

	"github.com/islandsgd/islands/internal/units"
	"github.com/islandsgd/islands/network"
)

const fullWidth = 180 * vg.Millimeter

// Topology draws a network: on a map where every router has coordinates, otherwise as a graph.
func Topology(t *network.Topology) *Figure {
	f := &Figure{
		Name:    "topology",
		Title:   t.Name + ": routers, links and islands",
		Width:   fullWidth,
		Height:  0.6 * fullWidth,
		Sources: "Coastlines: Natural Earth (public domain).",
		Data:    Table{Columns: []string{"from", "to", "bandwidth_bps", "one_way_latency_seconds"}},
	}
	onMap := hasPositions(t)
	if onMap {
		f.Height = mapHeight(t, fullWidth)
	} else {
		f.Sources = ""
	}
	for _, l := range t.Links {
		f.Data.Rows = append(f.Data.Rows, row(t.Routers[l.A].ID, t.Routers[l.B].ID, l.Bandwidth, l.Latency))
	}
	f.Caption = topologyCaption(t, onMap)
	f.Draw = func(c draw.Canvas) error { return drawTopology(c, t, onMap) }
	return f
}

func hasPositions(t *network.Topology) bool {
	for _, r := range t.Routers {
		if !r.HasPosition {
			return false
		}
	}
	return len(t.Routers) > 0
}

func topologyCaption(t *network.Topology, onMap bool) string {
	lo, hi := math.Inf(1), 0.0
	for _, l := range t.Links {
		lo, hi = min(lo, l.Latency), max(hi, l.Latency)
	}
	s := fmt.Sprintf("%d routers, %d links, %d islands. Numbers on links are one-way latencies in ms", len(t.Routers), len(t.Links), len(t.Islands))
	if len(t.Links) > 0 {
		s += fmt.Sprintf(" (%s to %s)", units.FormatSeconds(lo), units.FormatSeconds(hi))
	}
	s += ", a link's width its bandwidth; labels that find no room are in the CSV. Filled disks are routers with an island; a ring marks multicast, a square in-line aggregation."
	if onMap {
		s += " A link that leaves the map at one side comes back at the other."
	}
	return s
}

func drawTopology(c draw.Canvas, t *network.Topology, onMap bool) error {
	c.FillPolygon(paper, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
	var at []vg.Point
	pieces := make([][][2]vg.Point, len(t.Links))
	if onMap {
		m := newWorldMap(c, t)
		if err := m.land(); err != nil {
			return err
		}
		for _, r := range t.Routers {
			at = append(at, m.point(r))
		}
		for i, l := range t.Links {
			pieces[i] = m.segments(t.Routers[l.A], t.Routers[l.B])
		}
	} else {
		at = springLayout(c, t)
		for i, l := range t.Links {
			pieces[i] = [][2]vg.Point{{at[l.A], at[l.B]}}
		}
	}
	drawLinks(c, t, pieces)
	drawRouters(c, t, at, pieces)
	return nil
}

// linkWidth grows with the square root of the bandwidth, so that 1 and 100 Gbps both show.
func linkWidth(bandwidth float64) vg.Length {
	return vg.Length(min(4, max(0.6, 1.4*math.Sqrt(bandwidth/10e9))))
}

func drawLinks(c draw.Canvas, t *network.Topology, pieces [][][2]vg.Point) {
	for i, l := range t.Links {
		for _, s := range pieces[i] {
			line := draw.LineStyle{Color: blue, Width: linkWidth(l.Bandwidth)}
			c.StrokeLines(line, c.ClipLinesXY([]vg.Point{s[0], s[1]})...)
		}
	}
}

const routerRadius = vg.Length(3.2)

func drawRouters(c draw.Canvas, t *network.Topology, at []vg.Point, pieces [][][2]vg.Point) {
	p := &placer{within: c.Rectangle}
	for _, pt := range at {
		p.block(pt, routerRadius+1)
	}
	for _, ps := range pieces {
		for _, s := range ps {
			p.line(s[0], s[1])
		}
	}
	hosts := make([]bool, len(t.Routers))
	for _, i := range t.Islands {
		hosts[i.Router] = true
	}
	for i, r := range t.Routers {
		if r.Aggregation != nil {
			c.DrawGlyph(draw.GlyphStyle{Color: green, Radius: routerRadius + 3, Shape: draw.SquareGlyph{}}, at[i])
		}
		if r.Multicast {
			c.DrawGlyph(draw.GlyphStyle{Color: orange, Radius: routerRadius + 2, Shape: draw.RingGlyph{}}, at[i])
		}
		c.DrawGlyph(draw.GlyphStyle{Color: ink, Radius: routerRadius, Shape: draw.CircleGlyph{}}, at[i])
		if !hosts[i] {
			c.DrawGlyph(draw.GlyphStyle{Color: paper, Radius: routerRadius - 1, Shape: draw.CircleGlyph{}}, at[i])
		}
	}
	small := style(smallSize, muted)
	name := style(fontSize, ink)
	if len(t.Routers) > 60 { // names of a large network would be a carpet
		return
	}
	for i, r := range t.Routers {
		if center, ok := p.place(at[i], r.ID, name, routerRadius+2, 30); ok {
			if d := math.Hypot(float64(center.X-at[i].X), float64(center.Y-at[i].Y)); d > 22 {
				c.StrokeLine2(draw.LineStyle{Color: muted, Width: hairline}, at[i].X, at[i].Y, center.X, center.Y)
			}
			label(&c, center, r.ID, name)
		}
	}
	for i, l := range t.Links {
		s := pieces[i][0]
		middle := vg.Point{X: (s[0].X + s[1].X) / 2, Y: (s[0].Y + s[1].Y) / 2}
		if !c.Contains(middle) { // the piece leaves the map: stay near the router
			middle = vg.Point{X: s[0].X + (s[1].X-s[0].X)*0.12, Y: s[0].Y + (s[1].Y-s[0].Y)*0.12}
		}
		txt := shortNumber(l.Latency * 1e3)
		if center, ok := p.place(middle, txt, aligned(small, text.XCenter, text.YCenter), 1, 8); ok {
			label(&c, center, txt, small)
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
