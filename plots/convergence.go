package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/islandsgd/islands/internal/units"
	"github.com/islandsgd/islands/study"
)

// Convergence draws the mse of every way to train against wall-clock seconds.
func Convergence(v *study.Convergence) *Figure {
	f := &Figure{
		Name: "convergence", Title: "Error against wall-clock time", height: convergenceHeight(v),
		Caption: fmt.Sprintf("Exact mean square error on %s, %s per island and round, %s per local step. Every curve has its own best number of local steps H and step size for the target (dotted line). "+
			"The black line trains in one room: exact averaging every step at no cost. The table gives the seconds to the target and their ratio to one room; curves that coincide cover one another. "+
			"Errors are read at the end of a round (of a rotation, the best round of its period). That flatters all-reduce, whose islands agree exactly at that moment however far they drift in between; staleness counts the drift.",
			v.Topology, units.FormatBytes(v.Payload), units.FormatSeconds(v.StepTime)),
		Data: Table{Columns: []string{"capability", "kind", "schedule", "h", "step", "seconds", "mse"}},
	}
	for _, c := range v.Curves {
		for _, p := range c.Points {
			f.Data.Rows = append(f.Data.Rows, row(c.Capability, c.Kind, c.Schedule, c.H, c.Step, p.Seconds, p.MSE))
		}
	}
	f.draw = func(c draw.Canvas, th theme) error {
		drawConvergence(c, th, v)
		return nil
	}
	return f
}

// convergenceHeight leaves room for the table of curves, beside the plot or below it.
func convergenceHeight(v *study.Convergence) func(vg.Length, theme) vg.Length {
	return func(w vg.Length, th theme) vg.Length {
		t, beside := layCurveTable(th, v, w)
		switch {
		case beside:
			return max(0.53*w, t.height()+2*th.line())
		case narrow(w):
			return 0.85*w + th.taller(4) + t.height()
		}
		return 0.5*w + th.taller(4) + t.height()
	}
}

func curveLine(c study.Curve) draw.LineStyle {
	switch c.Kind {
	case "colocated":
		return solid(ink, 1.6)
	case "all-reduce":
		return dashed(capabilityColor(c.Capability), lineWidth)
	case "rotating cliques":
		return solid(capabilityColor(c.Capability), lineWidth)
	}
	return draw.LineStyle{Color: capabilityColor(c.Capability), Width: lineWidth, Dashes: []vg.Length{1, 2}} // a chosen schedule
}

func drawConvergence(c draw.Canvas, th theme, v *study.Convergence) {
	blank(c)
	p := newChart(th, "seconds", "mean square error at the end of a round")
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
	table, beside := layCurveTable(th, v, c.Max.X-c.Min.X)
	if beside {
		p.draw(panel(c, 0, 1-tableShare, 0, 1))
		table.draw(draw.Crop(panel(c, 1-tableShare, 1, 0, 1), 0, 0, 0, -th.line()), v)
		return
	}
	p.draw(draw.Crop(c, 0, 0, table.height(), 0))
	below := draw.Crop(c, 0, 0, 0, table.height()-(c.Max.Y-c.Min.Y))
	if !narrow(c.Max.X - c.Min.X) {
		below.Max.X -= max(0, table.room-table.names) // numbers stand near their names
	}
	table.draw(below, v)
}
