package display

import (
	"bytes"
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Line is one curve of a chart.
type Line struct {
	Name string
	X, Y []float64 // of equal length; points that are not finite, or not positive on a logarithmic axis, are left out
}

// Axes describe a chart.
type Axes struct {
	X, Y       string // labels, with units
	LogX, LogY bool
}

// Colors that readers with any common color blindness can tell apart (Okabe, Ito 2008).
var lineColors = []color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0xcc, 0x79, 0xa7, 0xff}, {0x22, 0x22, 0x22, 0xff},
}

// Lines shows curves in one chart: for a few numbers that a notebook has just computed. Figures of studies are in
// package plots.
func Lines(a Axes, list ...Line) error {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = a.X, a.Y
	if a.LogX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	if a.LogY {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	p.Add(plotter.NewGrid())
	drawn := 0
	for i, l := range list {
		if len(l.X) != len(l.Y) {
			return fmt.Errorf("display: line %q has %d x and %d y", l.Name, len(l.X), len(l.Y))
		}
		var pts plotter.XYs
		for k, x := range l.X {
			if usable(x, a.LogX) && usable(l.Y[k], a.LogY) {
				pts = append(pts, plotter.XY{X: x, Y: l.Y[k]})
			}
		}
		if len(pts) == 0 {
			continue
		}
		drawn++
		line, err := plotter.NewLine(pts)
		if err != nil {
			return fmt.Errorf("display: line %q: %w", l.Name, err)
		}
		line.LineStyle = draw.LineStyle{Color: lineColors[i%len(lineColors)], Width: vg.Points(1.5)}
		p.Add(line)
		if l.Name != "" {
			p.Legend.Add(l.Name, line)
		}
	}
	if drawn == 0 {
		return fmt.Errorf("display: no point can be drawn")
	}
	if p.Legend.Top = true; a.LogY { // room for the names above the curves
		p.Y.Max *= math.Pow(p.Y.Max/p.Y.Min, 0.2)
	} else {
		p.Y.Max += 0.35 * (p.Y.Max - p.Y.Min)
	}
	p.Legend.Padding, p.Legend.XOffs = vg.Points(2), -vg.Points(6)
	for _, f := range []*font.Font{&p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font, &p.X.Tick.Label.Font, &p.Y.Tick.Label.Font, &p.Legend.TextStyle.Font} {
		f.Typeface, f.Variant, f.Size = "Liberation", "Sans", vg.Points(9)
	}
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(15*vg.Centimeter, 8*vg.Centimeter), vgimg.UseDPI(screenDPI))}
	p.Draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return fmt.Errorf("display: %w", err)
	}
	return PNG(b.Bytes())
}

func usable(v float64, logarithmic bool) bool {
	return !math.IsNaN(v) && !math.IsInf(v, 0) && (v > 0 || !logarithmic)
}
