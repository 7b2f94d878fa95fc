package plots

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/islandsgd/islands/internal/units"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/study"
)

// Utilization draws what a round puts on the arcs of a network, under two capabilities.
func Utilization(t *network.Topology, loads []study.Load) *Figure {
	t, _ = located(t)
	f := &Figure{
		Name: "utilization", Title: "Where a round spends its bandwidth",
		Data: Table{Columns: []string{"capability", "from", "to", "kind", "bytes", "utilization"}},
		height: func(w vg.Length, th theme) vg.Length {
			h := 2 * th.line()
			for _, l := range loads {
				h += scene{t: t}.height(w, th) + 2.2*th.line() + moreLines(loadTitle(l, th, w), th)
			}
			return h
		},
	}
	if len(loads) > 0 {
		f.Caption = fmt.Sprintf("The first round of %s. Each link is two lanes, one for each direction (traffic keeps to the right); color and width show how busy a lane is while the busiest one is full. "+
			"A ring around a router is the load of its islands' access links. Of several that are busiest, the title names the first.", loads[0].Schedule)
	}
	for _, l := range loads {
		for _, a := range l.Price.Links {
			f.Data.Rows = append(f.Data.Rows, row(l.Capability, a.From, a.To, a.Kind, a.Bytes, a.Utilization))
		}
	}
	f.draw = func(c draw.Canvas, th theme) error {
		blank(c)
		foot := 2 * th.line()
		drawScale(c, th, foot)
		area := draw.Crop(c, 0, 0, foot, 0)
		for _, l := range loads {
			title := loadTitle(l, th, c.Max.X-c.Min.X)
			box := area
			box.Min.Y = area.Max.Y - (scene{t: t}.height(c.Max.X-c.Min.X, th) + 2.2*th.line() + moreLines(title, th))
			area.Max.Y = box.Min.Y
			sty := aligned(th.text(capabilityColor(l.Capability)), text.XLeft, text.YTop)
			for i, line := range title {
				c.FillText(sty, vg.Point{X: box.Min.X + 6, Y: box.Max.Y - 3 - vg.Length(i)*th.line()}, line)
			}
			s, err := newScene(draw.Crop(box, 0, 0, 2, -2*th.line()-moreLines(title, th)), th, t)
			if err != nil {
				return err
			}
			s.magnify()
			if err := s.draw(func(s *scene) { s.lanes(l) }); err != nil {
				return err
			}
		}
		return nil
	}
	return f
}

// loadTitle is the heading of a map, in lines.
func loadTitle(l study.Load, th theme, width vg.Length) []string {
	title := fmt.Sprintf("%s: %s of bandwidth, busiest %s", l.Capability, units.FormatSeconds(l.Price.BandwidthSeconds), bottleneck(l))
	return wrapped(th.text(ink), title, width-12)
}

// moreLines is the height of the lines of a heading after the first.
func moreLines(title []string, th theme) vg.Length { return vg.Length(len(title)-1) * th.line() }

func bottleneck(l study.Load) string {
	b := l.Price.Bottleneck
	if b == nil {
		return "none"
	}
	if b.Kind == network.KindLink {
		return fmt.Sprintf("link %s to %s", b.From, b.To)
	}
	return fmt.Sprintf("%s at %s", b.Kind, b.From)
}

// heat is the color of a utilization from 0 to 1.
func heat(u float64) color.Color {
	u = min(1, max(0, u))
	if u < 0.5 {
		return mix(sky, 0.25+1.5*u)
	}
	blend := func(a, b uint8) uint8 { return uint8(float64(a)*(1-(u-0.5)*2) + float64(b)*(u-0.5)*2) }
	return color.NRGBA{blend(sky.R, red.R), blend(sky.G, red.G), blend(sky.B, red.B), 0xff}
}

func heatWidth(u float64) vg.Length { return vg.Length(0.6 + 2.4*u) }

// lanes draws both directions of every link beside each other, and the routers with their access load.
func (s *scene) lanes(l study.Load) {
	use := map[[2]string]float64{}
	access := map[string]float64{}
	for _, a := range l.Price.Links {
		switch a.Kind {
		case network.KindLink:
			use[[2]string{a.From, a.To}] = a.Utilization
		case network.KindEgress:
			access[a.To] = max(access[a.To], a.Utilization)
		case network.KindIngress:
			access[a.From] = max(access[a.From], a.Utilization)
		}
	}
	for i, link := range s.t.Links {
		a, b := s.t.Routers[link.A].ID, s.t.Routers[link.B].ID
		for _, p := range s.pieces[i] {
			s.lane(p[0], p[1], use[[2]string{a, b}])
			s.lane(p[1], p[0], use[[2]string{b, a}])
		}
	}
	for i, r := range s.t.Routers {
		if u := access[r.ID]; u > 0 && s.c.Contains(s.at[i]) {
			s.c.DrawGlyph(draw.GlyphStyle{Color: heat(u), Radius: routerRadius + 2.2, Shape: draw.CircleGlyph{}}, s.at[i])
		}
	}
	s.routers()
}

// lane draws one direction, shifted to its right.
func (s *scene) lane(a, b vg.Point, u float64) {
	dx, dy := float64(b.X-a.X), float64(b.Y-a.Y)
	length := math.Hypot(dx, dy)
	if length == 0 {
		return
	}
	const aside = 1.7
	shift := vg.Point{X: vg.Length(dy / length * aside), Y: vg.Length(-dx / length * aside)}
	s.c.StrokeLines(solid(heat(u), heatWidth(u)), s.c.ClipLinesXY([]vg.Point{a.Add(shift), b.Add(shift)})...)
}

// drawScale explains the colors, at as many steps as there is room for.
func drawScale(c draw.Canvas, th theme, foot vg.Length) {
	y := c.Min.Y + foot/2
	label := aligned(th.small(ink), text.XLeft, text.YCenter)
	percent := func(u float64) string { return fmt.Sprintf("%.0f%%", 100*u) }
	step := func(u float64) vg.Length { return 26 + label.Width(percent(u)) + 8 }
	steps, width := []float64{0, 0.25, 0.5, 0.75, 1}, vg.Length(0)
	for _, u := range steps {
		width += step(u)
	}
	x := c.X(0.05)
	if x+width-8 > c.Max.X {
		steps = []float64{0, 0.5, 1}
	}
	for _, u := range steps {
		c.StrokeLine2(solid(heat(u), heatWidth(u)), x, y, x+18, y)
		c.FillText(label, vg.Point{X: x + 22, Y: y}, percent(u))
		x += step(u)
	}
}
