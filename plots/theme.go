package plots

import (
	"image/color"
	"math"

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
	coast  = color.NRGBA{0xd2, 0xce, 0xc4, 0xff}
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
	fontSize  = 8 // points
	smallSize = 7
	titleSize = 9
	lineWidth = vg.Length(1.2)
	hairline  = vg.Length(0.5)
)

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

// newPlot returns an empty plot in the theme: no box, thin axes, light grid to be added by the caller.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = paper
	p.TextHandler = handler
	p.Title.Text = title
	p.Title.TextStyle = aligned(style(titleSize, ink), text.XCenter, text.YTop)
	p.Title.Padding = vg.Points(4)
	for _, a := range []struct {
		axis  *plot.Axis
		label string
	}{{&p.X, x}, {&p.Y, y}} {
		a.axis.Label.Text = a.label
		a.axis.Label.TextStyle.Font = style(fontSize, ink).Font
		a.axis.Label.TextStyle.Color = ink
		a.axis.Label.TextStyle.Handler = handler
		a.axis.Tick.Label.Font = style(smallSize, ink).Font
		a.axis.Tick.Label.Color = ink
		a.axis.Tick.Label.Handler = handler
		a.axis.LineStyle = draw.LineStyle{Color: muted, Width: hairline}
		a.axis.Tick.LineStyle = draw.LineStyle{Color: muted, Width: hairline}
		a.axis.Tick.Length = vg.Points(3)
		a.axis.Padding = vg.Points(2)
	}
	p.Legend.TextStyle = style(smallSize, ink)
	p.Legend.TextStyle.Handler = handler
	return p
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

// logScale gives an axis a logarithmic scale that holds lo and hi, both positive, and at least one decade. A log axis
// of plot panics on values that are not positive; floorAt keeps them out.
func logScale(a *plot.Axis, lo, hi float64) {
	if !(lo > 0) || math.IsInf(lo, 0) {
		lo = 1e-12
	}
	hi = max(hi, lo)
	lo, hi = math.Pow(10, math.Floor(math.Log10(lo)+1e-9)), math.Pow(10, math.Ceil(math.Log10(hi)-1e-9))
	if hi <= lo {
		hi = 10 * lo
	}
	a.Min, a.Max = lo, hi
	a.Scale = plot.LogScale{}
	a.Tick.Marker = plot.TickerFunc(decades)
}

// floorAt lifts values below the axis to its lower end, so that a zero is drawn on the frame instead of breaking it.
func floorAt(a *plot.Axis, v float64) float64 { return max(v, a.Min) }

// decades labels powers of ten, at most six of them, and marks the rest; within three decades it marks 2 and 5 as well.
func decades(lo, hi float64) []plot.Tick {
	first, last := int(math.Round(math.Log10(lo))), int(math.Round(math.Log10(hi)))
	every := max(1, (last-first+5)/6)
	var ticks []plot.Tick
	for e := first; e <= last; e++ {
		t := plot.Tick{Value: math.Pow(10, float64(e))}
		if (e-first)%every == 0 {
			t.Label = powerOfTen(e)
		}
		ticks = append(ticks, t)
		if e == last || last-first > 3 {
			continue
		}
		for m := 2; m < 10; m++ {
			minor := plot.Tick{Value: float64(m) * t.Value}
			if last-first <= 2 && (m == 2 || m == 5) {
				minor.Label = shortNumber(minor.Value)
			}
			ticks = append(ticks, minor)
		}
	}
	return ticks
}
