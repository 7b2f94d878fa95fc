package plots

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The look of every figure, in one place. Text is Liberation Sans at the sizes that journals ask for; colors are
// those of Okabe & Ito (2008), which readers with any common color blindness can tell apart.
var (
	ink    = color.NRGBA{0x22, 0x22, 0x22, 0xff}
	muted  = color.NRGBA{0x77, 0x77, 0x77, 0xff}
	faint  = color.NRGBA{0xe3, 0xe3, 0xe3, 0xff}
	paper  = color.NRGBA{0xff, 0xff, 0xff, 0xff}
	land   = color.NRGBA{0xee, 0xec, 0xe6, 0xff}
	blue   = color.NRGBA{0x00, 0x72, 0xb2, 0xff}
	orange = color.NRGBA{0xe6, 0x9f, 0x00, 0xff}
	green  = color.NRGBA{0x00, 0x9e, 0x73, 0xff}
	red    = color.NRGBA{0xd5, 0x5e, 0x00, 0xff}
	sky    = color.NRGBA{0x56, 0xb4, 0xe9, 0xff}
	purple = color.NRGBA{0xcc, 0x79, 0xa7, 0xff}
	yellow = color.NRGBA{0xf0, 0xe4, 0x42, 0xff}
)

// capabilityColor is the color of a capability in every figure.
func capabilityColor(level string) color.NRGBA {
	switch level {
	case "unicast":
		return blue
	case "multicast":
		return orange
	case "aggregation":
		return green
	case "both":
		return red
	}
	return ink
}

// cliqueColors tell the cliques of a round apart.
var cliqueColors = []color.NRGBA{blue, orange, green, purple, sky, red, yellow, muted}

const (
	lineWidth = vg.Length(1.2)
	hairline  = vg.Length(0.5)

	// FullWidth is the width of a figure across a page.
	FullWidth = 180 * vg.Millimeter
	// FontSize is the default size of text, in points.
	FontSize = 8.0
)

// theme is what a reader may choose of the look.
type theme struct{ size float64 } // of text, in points

// text, small and tiny are the three sizes of text.
func (th theme) text(c color.Color) text.Style  { return style(th.size, c) }
func (th theme) small(c color.Color) text.Style { return style(th.size*7/8, c) }
func (th theme) tiny(c color.Color) text.Style  { return style(th.size*6/8, c) }

// line is the distance between lines of small text.
func (th theme) line() vg.Length { return vg.Length(th.size * 1.4) }

var fonts = font.NewCache(liberation.Collection())

var handler text.Handler = mathText{text.Plain{Fonts: fonts}}

// style is text of the theme at a size in points.
func style(size float64, c color.Color) text.Style {
	return text.Style{
		Color:   c,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: font.Length(size)},
		Handler: handler,
	}
}

func aligned(s text.Style, x text.XAlignment, y text.YAlignment) text.Style {
	s.XAlign, s.YAlign = x, y
	return s
}

// chart is a plot whose axis labels we set ourselves: the one of y lies flat above its axis, where it can be read
// without turning the head. (Left to plot, a label beside a logarithmic axis would also shift the whole frame.)
type chart struct {
	*plot.Plot
	th   theme
	x, y string
}

// newChart returns an empty chart in the theme: no box, thin axes, light grid to be added by the caller.
func newChart(th theme, x, y string) *chart {
	p := plot.New()
	p.BackgroundColor = nil
	p.TextHandler = handler
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Tick.Label.Font = th.small(ink).Font
		a.Tick.Label.Color = ink
		a.Tick.Label.Handler = handler
		a.LineStyle = draw.LineStyle{Color: muted, Width: hairline}
		a.Tick.LineStyle = draw.LineStyle{Color: muted, Width: hairline}
		a.Tick.Length = vg.Points(3)
		a.Tick.Marker = plot.TickerFunc(roundNumbers)
		a.Padding = vg.Points(2)
	}
	return &chart{p, th, x, y}
}

// area returns the canvas of the frame and the lines of the label above it.
func (p *chart) area(c draw.Canvas) (area draw.Canvas, above []string) {
	const side = 6
	labelHeight := vg.Length(p.th.size * 1.5)
	area = draw.Crop(c, side, -side, 2, -side)
	if p.y != "" {
		above = wrapped(p.th.text(ink), p.y, area.Max.X-area.Min.X)
		area.Max.Y -= labelHeight*vg.Length(len(above)) + 4
	}
	if p.x != "" {
		area.Min.Y += labelHeight
	}
	return area, above
}

// draw draws the chart with its labels and returns the canvas of its data area.
func (p *chart) draw(c draw.Canvas) draw.Canvas {
	area, above := p.area(c)
	for i, line := range above {
		c.FillText(aligned(p.th.text(ink), text.XLeft, text.YTop), vg.Point{X: area.Min.X, Y: c.Max.Y - 6 - vg.Length(p.th.size*1.5)*vg.Length(i)}, line)
	}
	data := p.DataCanvas(area)
	x, y := p.X.Tick.Label, p.Y.Tick.Label
	p.X.Tick.Marker = spaced(&p.X, data.Max.X-data.Min.X, func(s string) vg.Length { return x.Width(s) + x.Font.Size/4 })
	p.Y.Tick.Marker = spaced(&p.Y, data.Max.Y-data.Min.Y, func(string) vg.Length { return y.Font.Size })
	p.Draw(area)
	data = p.DataCanvas(area)
	if p.x != "" {
		sty := shrunk(aligned(p.th.text(ink), text.XCenter, text.YBottom), p.x, area.Max.X-area.Min.X)
		half := sty.Width(p.x) / 2
		x := min((data.Min.X+data.Max.X)/2, area.Max.X-half)
		c.FillText(sty, vg.Point{X: max(x, area.Min.X+half), Y: c.Min.Y + 3}, p.x)
	}
	return data
}

// roundNumbers labels a linear axis at multiples of 1, 2 or 5 times a power of ten, four to eight of them.
func roundNumbers(lo, hi float64) []plot.Tick {
	span := hi - lo
	if !(span > 0) {
		return []plot.Tick{{Value: lo, Label: shortNumber(lo)}}
	}
	unit := math.Pow(10, math.Floor(math.Log10(span/4)))
	for _, m := range []float64{1, 2, 5, 10} {
		if span/(m*unit) <= 8 {
			unit *= m
			break
		}
	}
	var ticks []plot.Tick
	for k := math.Ceil(lo/unit - 1e-9); k*unit <= hi+1e-9*span; k++ {
		ticks = append(ticks, plot.Tick{Value: k * unit, Label: shortNumber(k * unit)})
	}
	return ticks
}

// wholeNumbers labels an axis that counts.
func wholeNumbers(lo, hi float64) []plot.Tick {
	return slices.DeleteFunc(roundNumbers(lo, hi), func(t plot.Tick) bool { return t.Value != math.Round(t.Value) })
}

// grid draws light lines at the labeled ticks of the axes that are asked for.
type grid struct{ x, y bool }

func (g grid) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	line := draw.LineStyle{Color: faint, Width: hairline}
	if g.x {
		for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
			if x := tx(t.Value); t.Label != "" && c.ContainsX(x) {
				c.StrokeLine2(line, x, c.Min.Y, x, c.Max.Y)
			}
		}
	}
	if g.y {
		for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
			if y := ty(t.Value); t.Label != "" && c.ContainsY(y) {
				c.StrokeLine2(line, c.Min.X, y, c.Max.X, y)
			}
		}
	}
}

// logScale gives an axis a logarithmic scale from round number to round number that holds lo and hi, both positive, and
// at least a decade. A log axis
// of plot panics on values that are not positive; floorAt keeps them out.
func logScale(a *plot.Axis, lo, hi float64) {
	if !(lo > 0) || math.IsInf(lo, 0) {
		lo = 1e-12
	}
	lo, hi = stepDown(lo), stepUp(max(hi, lo))
	if hi < 10*lo {
		hi = stepUp(9.99 * lo)
	}
	a.Min, a.Max = lo, hi
	a.Scale = plot.LogScale{}
	a.Tick.Marker = plot.TickerFunc(decades)
}

// floorAt lifts values below the axis to its lower end, so that a zero is drawn on the frame instead of breaking it.
func floorAt(a *plot.Axis, v float64) float64 { return max(v, a.Min) }

// stepDown and stepUp round to 1, 2 or 5 times a power of ten.
func stepDown(v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(v)+1e-9))
	for _, m := range []float64{5, 2} {
		if v >= m*unit*(1-1e-9) {
			return m * unit
		}
	}
	return unit
}

func stepUp(v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(v)+1e-9))
	for _, m := range []float64{1, 2, 5} {
		if v <= m*unit*(1+1e-9) {
			return m * unit
		}
	}
	return 10 * unit
}

// decades labels powers of ten, at most six of them, and marks what lies between; within two decades it labels 2 and 5
// as well.
func decades(lo, hi float64) []plot.Tick {
	const slack = 1e-9
	first, last := int(math.Floor(math.Log10(lo)+slack)), int(math.Ceil(math.Log10(hi)-slack))
	every := max(1, (last-first+5)/6)
	var ticks []plot.Tick
	for e := first; e <= last; e++ {
		for m := 1.0; m < 10; m++ {
			t := plot.Tick{Value: m * math.Pow(10, float64(e))}
			if t.Value < lo*(1-slack) || t.Value > hi*(1+slack) || m > 1 && last-first > 4 {
				continue
			}
			if m == 1 && (e-first)%every == 0 || (m == 2 || m == 5) && math.Log10(hi/lo) <= 2.4 {
				t.Label = shortNumber(t.Value)
			}
			if t.Label != "" && last-first > 4 { // powers of ten look alike on a long axis
				t.Label = powerOfTen(e)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}
