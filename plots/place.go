package plots

import (
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// placer finds room for labels on a map. It knows the boxes and lines that are taken already, and gives every new
// label the free place that is closest to its anchor.
type placer struct {
	within vg.Rectangle
	boxes  []vg.Rectangle
	lines  [][2]vg.Point
}

// directions in which a label may stand from its anchor, the ones that read best first.
var directions = [][2]float64{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {.7, .7}, {-.7, .7}, {.7, -.7}, {-.7, -.7}, {.4, .9}, {-.4, .9}, {.4, -.9}, {-.4, -.9}}

// block marks a square of the given half width as taken.
func (p *placer) block(at vg.Point, half vg.Length) {
	p.boxes = append(p.boxes, vg.Rectangle{Min: vg.Point{X: at.X - half, Y: at.Y - half}, Max: vg.Point{X: at.X + half, Y: at.Y + half}})
}

func (p *placer) line(a, b vg.Point) { p.lines = append(p.lines, [2]vg.Point{a, b}) }

// place returns where the label's center goes, at least gap from the anchor and at most reach; ok is false when no
// place is free of boxes. Crossing lines costs, hiding boxes is never done.
func (p *placer) place(anchor vg.Point, label string, sty text.Style, gap, reach vg.Length) (center vg.Point, ok bool) {
	w, h := sty.Width(label)+2, sty.Height(label)
	best := math.Inf(1)
	for distance := gap; distance <= reach; distance += 2 {
		for k, d := range directions {
			c := vg.Point{
				X: anchor.X + vg.Length(d[0])*distance + vg.Length(sign(d[0]))*w/2,
				Y: anchor.Y + vg.Length(d[1])*distance + vg.Length(sign(d[1]))*h/2,
			}
			box := vg.Rectangle{Min: vg.Point{X: c.X - w/2, Y: c.Y - h/2}, Max: vg.Point{X: c.X + w/2, Y: c.Y + h/2}}
			if box.Min.X < p.within.Min.X || box.Max.X > p.within.Max.X || box.Min.Y < p.within.Min.Y || box.Max.Y > p.within.Max.Y || p.hits(box) {
				continue
			}
			cost := float64(distance-gap) + 0.2*float64(k)
			for _, l := range p.lines {
				if crosses(box, l[0], l[1]) {
					cost += 12
				}
			}
			if cost < best {
				best, center, ok = cost, c, true
			}
		}
	}
	if ok {
		p.boxes = append(p.boxes, vg.Rectangle{Min: vg.Point{X: center.X - w/2, Y: center.Y - h/2}, Max: vg.Point{X: center.X + w/2, Y: center.Y + h/2}})
	}
	return center, ok
}

func sign(v float64) float64 {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

func (p *placer) hits(box vg.Rectangle) bool {
	for _, b := range p.boxes {
		if box.Min.X < b.Max.X && b.Min.X < box.Max.X && box.Min.Y < b.Max.Y && b.Min.Y < box.Max.Y {
			return true
		}
	}
	return false
}

// crosses reports whether the segment a–b passes through the box (Liang & Barsky clipping).
func crosses(box vg.Rectangle, a, b vg.Point) bool {
	t0, t1 := 0.0, 1.0
	dx, dy := float64(b.X-a.X), float64(b.Y-a.Y)
	for _, e := range [4][2]float64{
		{-dx, float64(a.X - box.Min.X)}, {dx, float64(box.Max.X - a.X)},
		{-dy, float64(a.Y - box.Min.Y)}, {dy, float64(box.Max.Y - a.Y)},
	} {
		switch p, q := e[0], e[1]; {
		case p == 0:
			if q < 0 {
				return false
			}
		case p < 0:
			t0 = max(t0, q/p)
		default:
			t1 = min(t1, q/p)
		}
	}
	return t0 < t1
}

// label draws text centered at a point on a paper-colored halo, so that lines below it do not touch the letters.
func label(c *draw.Canvas, center vg.Point, txt string, sty text.Style) {
	sty = aligned(sty, text.XCenter, text.YCenter)
	halo := sty
	halo.Color = paper
	for _, d := range directions[:8] {
		c.FillText(halo, vg.Point{X: center.X + vg.Length(d[0])*0.8, Y: center.Y + vg.Length(d[1])*0.8}, txt)
	}
	c.FillText(sty, center, txt)
}
