package plots

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// panel is the part of a canvas between fractions of its width and height.
func panel(c draw.Canvas, left, right, bottom, top float64) draw.Canvas {
	return draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
		Min: vg.Point{X: c.X(left), Y: c.Y(bottom)},
		Max: vg.Point{X: c.X(right), Y: c.Y(top)},
	}}
}

// blank fills a canvas with paper.
func blank(c draw.Canvas) { fillRect(c, c.Min, c.Max, paper) }

func fillRect(c draw.Canvas, a, b vg.Point, col color.Color) {
	c.FillPolygon(col, []vg.Point{a, {X: b.X, Y: a.Y}, b, {X: a.X, Y: b.Y}})
}

func strokeRect(c draw.Canvas, a, b vg.Point, line draw.LineStyle) {
	c.StrokeLines(line, []vg.Point{a, {X: b.X, Y: a.Y}, b, {X: a.X, Y: b.Y}, a})
}

// entry is a line of a legend: a swatch and its text. A width above 4 points is drawn as a patch.
type entry struct {
	text string
	line draw.LineStyle
}

// legend draws entries downwards from its upper left corner and returns the y below the last. Text ends at the canvas.
func legend(c draw.Canvas, th theme, x, y vg.Length, entries []entry) vg.Length {
	sty := aligned(th.small(ink), text.XLeft, text.YCenter)
	const swatch = 16
	for _, e := range entries {
		if e.line.Width > 0 {
			c.StrokeLine2(e.line, x, y, x+swatch, y)
		}
		c.FillText(sty, vg.Point{X: x + swatch + 5, Y: y}, shortened(sty, e.text, c.Max.X-x-swatch-5))
		y -= th.line()
	}
	return y
}

// legendBelow draws entries side by side along the bottom of a canvas, in as many lines as they need, and returns the
// canvas above them. There they hide nothing, whatever is drawn.
func legendBelow(c draw.Canvas, th theme, entries []entry) draw.Canvas {
	const margin, swatch, gap = 10, 21, 14
	lines := [][]entry{nil}
	x := vg.Length(margin)
	for _, e := range entries {
		w := swatch + th.small(ink).Width(e.text) + gap
		if k := len(lines) - 1; x+w > c.Max.X-c.Min.X && len(lines[k]) > 0 {
			lines, x = append(lines, nil), margin
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], e)
		x += w
	}
	foot := vg.Length(len(lines))*th.line() + 4
	for i, line := range lines {
		x := c.Min.X + margin
		for _, e := range line {
			legend(c, th, x, c.Min.Y+foot-4-th.line()*(0.5+vg.Length(i)), []entry{e})
			x += swatch + th.small(ink).Width(e.text) + gap
		}
	}
	return draw.Crop(c, 0, 0, foot, 0)
}

// dashed is a line style for what is not measured or not the main thing.
func dashed(col color.Color, width vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: col, Width: width, Dashes: []vg.Length{4, 2.5}}
}

func solid(col color.Color, width vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: col, Width: width}
}

// curve draws a line through points, lifted onto the axes where a logarithmic axis would not hold them.
type curve struct {
	pts  plotter.XYs
	line draw.LineStyle
}

func (l curve) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	pts := make([]vg.Point, len(l.pts))
	for i, v := range l.pts {
		pts[i] = vg.Point{X: tx(floorAt(&p.X, v.X)), Y: ty(floorAt(&p.Y, v.Y))}
	}
	c.StrokeLines(l.line, c.ClipLinesXY(pts)...)
}

// band fills the area between two lines with the same x.
type band struct {
	x, low, high []float64
	fill         color.Color
}

func (b band) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	var pts []vg.Point
	for i := range b.x {
		pts = append(pts, vg.Point{X: tx(floorAt(&p.X, b.x[i])), Y: ty(floorAt(&p.Y, b.high[i]))})
	}
	for i := len(b.x) - 1; i >= 0; i-- {
		pts = append(pts, vg.Point{X: tx(floorAt(&p.X, b.x[i])), Y: ty(floorAt(&p.Y, b.low[i]))})
	}
	c.FillPolygon(b.fill, c.ClipPolygonXY(pts))
}

// dots marks points.
type dots struct {
	pts plotter.XYs
	col color.Color
}

func dotStyle(col color.Color) draw.GlyphStyle {
	return draw.GlyphStyle{Color: col, Radius: 1.4, Shape: draw.CircleGlyph{}}
}

func (d dots) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for _, v := range d.pts {
		c.DrawGlyph(dotStyle(d.col), vg.Point{X: tx(floorAt(&p.X, v.X)), Y: ty(floorAt(&p.Y, v.Y))})
	}
}

// mix blends a color with paper: share 1 is the color itself. Opaque tints look the same in every format.
func mix(col color.NRGBA, share float64) color.NRGBA {
	blend := func(v, w uint8) uint8 { return uint8(float64(v)*share + float64(w)*(1-share) + 0.5) }
	return color.NRGBA{blend(col.R, paper.R), blend(col.G, paper.G), blend(col.B, paper.B), 0xff}
}

// onTop is the color of text on a patch: ink on light colors, paper on dark ones (by relative luminance).
func onTop(col color.NRGBA) color.Color {
	if 0.2126*float64(col.R)+0.7152*float64(col.G)+0.0722*float64(col.B) > 125 {
		return ink
	}
	return paper
}
