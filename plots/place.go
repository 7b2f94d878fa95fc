package plots

import (
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// placer finds room for labels on a map. It knows the boxes and lines that are taken already, and gives every new
// label the free place that is closest to its anchor, and closer to it than to any other anchor where there is one.
type placer struct {
	within  vg.Rectangle
	boxes   []vg.Rectangle
	lines   [][2]vg.Point
	anchors []vg.Point
}

// What a place costs, in points of distance from the anchor.
const (
	costOfDirection = 0.2 // for each direction that reads better
	costOfCrossing  = 12  // for each line behind the label
	costOfStranger  = 16  // for standing closer to another anchor: the label then needs a line to its own
)

// directions in which a label may stand from its anchor, the ones that read best first.
var directions = [][2]float64{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {.7, .7}, {-.7, .7}, {.7, -.7}, {-.7, -.7}, {.4, .9}, {-.4, .9}, {.4, -.9}, {-.4, -.9}}

// block marks a square of the given half width as taken.
func (p *placer) block(at vg.Point, half vg.Length) {
	p.boxes = append(p.boxes, vg.Rectangle{Min: vg.Point{X: at.X - half, Y: at.Y - half}, Max: vg.Point{X: at.X + half, Y: at.Y + half}})
}

func (p *placer) line(a, b vg.Point) { p.lines = append(p.lines, [2]vg.Point{a, b}) }

// place returns the box where the label goes, at least gap from the anchor and at most reach; ok is false when no
// place is free of boxes. Crossing lines costs, hiding boxes is never done.
func (p *placer) place(anchor vg.Point, label string, sty text.Style, gap, reach vg.Length) (found vg.Rectangle, ok bool) {
	found, places := p.search(anchor, label, sty, gap, reach)
	if places > 0 {
		p.boxes = append(p.boxes, found)
	}
	return found, places > 0
}

// search returns the best place for a label, and how many there are.
func (p *placer) search(anchor vg.Point, label string, sty text.Style, gap, reach vg.Length) (found vg.Rectangle, places int) {
	w, h := sty.Width(label)+2, sty.Height(label)
	best := math.Inf(1)
	for distance := gap; distance <= reach; distance += 2 {
		for k, d := range directions {
			box := grown(vg.Point{
				X: anchor.X + vg.Length(d[0])*distance + vg.Length(sign(d[0]))*w/2,
				Y: anchor.Y + vg.Length(d[1])*distance + vg.Length(sign(d[1]))*h/2,
			}, w, h)
			if !p.free(box) {
				continue
			}
			places++
			cost := float64(distance-gap) + costOfDirection*float64(k)
			for _, l := range p.lines {
				if crosses(box, l[0], l[1]) {
					cost += costOfCrossing
				}
			}
			if p.misread(box, anchor) {
				cost += costOfStranger
			}
			if cost < best {
				best, found = cost, box
			}
		}
	}
	return found, places
}

// placeOn returns the box of a label beside the line a–b, as near to its middle as there is room; ok is false when every
// free place is nearer to another line, where the label would be misread.
func (p *placer) placeOn(a, b vg.Point, label string, sty text.Style) (found vg.Rectangle, ok bool) {
	w, h := sty.Width(label)+2, sty.Height(label)
	dx, dy := float64(b.X-a.X), float64(b.Y-a.Y)
	length := math.Hypot(dx, dy)
	if length == 0 {
		return found, false
	}
	across := vg.Point{X: vg.Length(-dy / length), Y: vg.Length(dx / length)}
	// half the extent of the box across the line: at this distance it touches the line
	half := vg.Length(math.Abs(float64(across.X)))*w/2 + vg.Length(math.Abs(float64(across.Y)))*h/2
	for _, share := range []vg.Length{0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82} {
		on := vg.Point{X: a.X + share*(b.X-a.X), Y: a.Y + share*(b.Y-a.Y)}
		for _, aside := range []vg.Length{half + 1, -half - 1, 0} {
			box := grown(vg.Point{X: on.X + aside*across.X, Y: on.Y + aside*across.Y}, w, h)
			if p.free(box) && p.isOnly(box, a, b) {
				p.boxes = append(p.boxes, box)
				return box, true
			}
		}
	}
	return found, false
}

// isOnly reports whether the line a–b is nearer to the middle of a box than any other line, and none of those crosses it.
func (p *placer) isOnly(box vg.Rectangle, a, b vg.Point) bool {
	own := toLine(middle(box), a, b)
	for _, l := range p.lines {
		if l != [2]vg.Point{a, b} && (toLine(middle(box), l[0], l[1]) <= own+2 || crosses(box, l[0], l[1])) {
			return false
		}
	}
	return true
}

// toLine is the distance of a point from the segment a–b.
func toLine(pt, a, b vg.Point) vg.Length {
	dx, dy := b.X-a.X, b.Y-a.Y
	t := vg.Length(0)
	if d := dx*dx + dy*dy; d > 0 {
		t = min(1, max(0, ((pt.X-a.X)*dx+(pt.Y-a.Y)*dy)/d))
	}
	return vg.Length(math.Hypot(float64(pt.X-a.X-t*dx), float64(pt.Y-a.Y-t*dy)))
}

// free reports whether a box lies on the map and hides nothing.
func (p *placer) free(box vg.Rectangle) bool {
	return box.Min.X >= p.within.Min.X && box.Max.X <= p.within.Max.X && box.Min.Y >= p.within.Min.Y && box.Max.Y <= p.within.Max.Y && !p.hits(box)
}

// misread reports whether a label in the box stands closer to another anchor than to its own.
func (p *placer) misread(box vg.Rectangle, anchor vg.Point) bool {
	own := toBox(box, anchor)
	for _, a := range p.anchors {
		if a != anchor && toBox(box, a) <= own {
			return true
		}
	}
	return false
}

// nearest returns the point of a box that is nearest to a point.
func nearest(box vg.Rectangle, pt vg.Point) vg.Point {
	return vg.Point{X: min(max(pt.X, box.Min.X), box.Max.X), Y: min(max(pt.Y, box.Min.Y), box.Max.Y)}
}

func toBox(box vg.Rectangle, pt vg.Point) vg.Length {
	n := nearest(box, pt)
	return vg.Length(math.Hypot(float64(n.X-pt.X), float64(n.Y-pt.Y)))
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

func grown(center vg.Point, w, h vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: center.X - w/2, Y: center.Y - h/2}, Max: vg.Point{X: center.X + w/2, Y: center.Y + h/2}}
}

func middle(box vg.Rectangle) vg.Point {
	return vg.Point{X: (box.Min.X + box.Max.X) / 2, Y: (box.Min.Y + box.Max.Y) / 2}
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
