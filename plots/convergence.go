package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/islandsgd/islands/internal/units"
	"github.com/islandsgd/islands/study"
)

// Convergence draws the mse of every way to train against wall-clock seconds.
func Convergence(v *study.Convergence) *Figure {
	f := &Figure{
		Name: "convergence", Title: "Error against wall-clock time", Width: fullWidth, Height: 95 * vg.Millimeter,
		Caption: fmt.Sprintf("Exact mean square error on %s, %s per island and round, %s per local step. Every curve has its own best number of local steps H and step size for the target (dotted line). "+
			"The black line trains in one room: exact averaging every step at no cost. The table gives the seconds to the target and their ratio to one room. "+
			"Errors are read at the end of a round (of a rotation, the best round of its period). That flatters all-reduce, whose islands agree exactly at that moment however far they drift in between; staleness counts the drift.",
			v.Topology, units.FormatBytes(v.Payload), units.FormatSeconds(v.StepTime)),
		Data: Table{Columns: []string{"capability", "kind", "schedule", "h", "step", "seconds", "mse"}},
	}
	for _, c := range v.Curves {
		for _, p := range c.Points {
			f.Data.Rows = append(f.Data.Rows, row(c.Capability, c.Kind, c.Schedule, c.H, c.Step, p.Seconds, p.MSE))
		}
	}
	f.Draw = func(c draw.Canvas) error {
		drawConvergence(c, v)
		return nil
	}
	return f
}

func curveLine(c study.Curve) draw.LineStyle {
	switch c.Kind {
	case "colocated":
		return solid(ink, 1.6)
	case "all-reduce":
		return dashed(capabilityColor(c.Capability), lineWidth)
	}
	return solid(capabilityColor(c.Capability), lineWidth)
}

func drawConvergence(c draw.Canvas, v *study.Convergence) {
	blank(c)
	p := newChart("seconds", "mean square error at the end of a round")
	first, last, low, high := math.Inf(1), 0.0, v.Target, v.Target
	for _, k := range v.Curves {
		for _, pt := range k.Points {
			if pt.Seconds > 0 {
				first, last = min(first, pt.Seconds), max(last, pt.Seconds)
			}
			if pt.MSE > 0 {
				low, high = min(low, pt.MSE), max(high, pt.MSE)
			}
		}
	}
	logScale(&p.X, first, last)
	logScale(&p.Y, low, high)
	p.Add(grid{x: true, y: true})
	p.Add(curve{plotter.XYs{{X: p.X.Min, Y: v.Target}, {X: p.X.Max, Y: v.Target}}, draw.LineStyle{Color: muted, Width: 0.8, Dashes: []vg.Length{1, 2}}})
	for _, k := range v.Curves {
		var pts plotter.XYs
		for _, pt := range k.Points {
			if pt.Seconds > 0 {
				pts = append(pts, plotter.XY{X: pt.Seconds, Y: pt.MSE})
			}
		}
		p.Add(curve{pts, curveLine(k)})
	}
	p.draw(panel(c, 0, 0.6, 0, 1))

	// The legend is a table beside the plot.
	x, y := c.X(0.62), c.Y(0.9)
	columns := []float64{0.87, 0.935, 0.985}
	head := aligned(style(smallSize, muted), text.XRight, text.YCenter)
	c.FillText(aligned(style(smallSize, muted), text.XLeft, text.YCenter), vg.Point{X: x + 21, Y: y}, "capability, schedule")
	for i, h := range []string{"H", "seconds", "ratio"} {
		c.FillText(head, vg.Point{X: c.X(columns[i]), Y: y}, h)
	}
	y -= 13
	cell := aligned(style(smallSize, ink), text.XRight, text.YCenter)
	for _, k := range v.Curves {
		name := k.Kind
		if k.Capability != "" {
			name = k.Capability + ", " + k.Kind
		}
		seconds, ratio := "not reached", ""
		if k.SecondsToTarget != nil {
			seconds = shortNumber(*k.SecondsToTarget)
		}
		if k.OverColocated != nil {
			ratio = shortNumber(*k.OverColocated)
		}
		legend(c, x, y, []entry{{name, curveLine(k)}})
		c.FillText(cell, vg.Point{X: c.X(columns[0]), Y: y}, fmt.Sprint(k.H))
		c.FillText(cell, vg.Point{X: c.X(columns[1]), Y: y}, seconds)
		c.FillText(cell, vg.Point{X: c.X(columns[2]), Y: y}, ratio)
		y -= 12
	}
}
