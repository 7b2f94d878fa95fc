package plots

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/islandsgd/islands/study"
)

// Tightness draws how far above the exact error each guarantee is.
func Tightness(t *study.TightnessCurves) *Figure {
	f := &Figure{
		Name: "tightness", Title: "How tight the guarantees are",
		Caption: fmt.Sprintf("Guarantees on the mean square error divided by its exact value: %s on %s, step %s. A line at 1 would be exact; none may ever be below. Ratios above 10⁹ are not drawn.",
			capitalized(t.Schedule), t.Problem, shortNumber(t.Step)),
		Data:   Table{Columns: []string{"bound", "round", "bound_over_exact"}},
		height: byWidth(0.48, 0.85),
	}
	for _, n := range t.NotApplicable {
		f.Caption += fmt.Sprintf(" %s does not apply: %s.", capitalized(n.Bound), n.Reason)
	}
	for _, l := range t.Lines {
		for i, v := range l.Ratio {
			f.Data.Rows = append(f.Data.Rows, row(l.Bound, t.Rounds[i], v))
		}
	}
	f.draw = func(c draw.Canvas, th theme) error {
		blank(c)
		highest, last := 10.0, 1
		for _, l := range t.Lines {
			for i, v := range l.Ratio {
				if v != nil {
					highest, last = max(highest, min(*v, 1e9)), max(last, t.Rounds[i])
				}
			}
		}
		p := newChart(th, "rounds", "bound / exact")
		logScale(&p.X, 1, float64(last))
		logScale(&p.Y, 1, highest)
		p.Add(grid{x: true, y: true})
		var entries []entry
		var below, above []plot.Plotter
		for k, l := range t.Lines {
			var pts plotter.XYs
			for i, v := range l.Ratio {
				if v != nil {
					pts = append(pts, plotter.XY{X: float64(t.Rounds[i]), Y: *v})
				}
			}
			line := solid(seriesColors[k%len(seriesColors)], lineWidth)
			switch {
			case strings.HasPrefix(l.Bound, "best-"):
				line = solid(mix(muted, 0.4), 4) // lies below those that it is the least of
				below = append(below, curve{pts, line})
			case k >= len(seriesColors)/2:
				line = dashed(line.Color, lineWidth)
				fallthrough
			default:
				above = append(above, curve{pts, line})
			}
			entries = append(entries, entry{l.Bound, line})
		}
		p.Add(append(below, above...)...)
		aside := vg.Length(13 * th.size)
		if narrow(c.Max.X - c.Min.X) {
			foot := vg.Length(len(entries)+1) * th.line()
			p.draw(draw.Crop(c, 0, 0, foot, 0))
			legend(c, th, c.Min.X+10, c.Min.Y+foot-th.line(), entries)
			return nil
		}
		data := p.draw(draw.Crop(c, 0, -aside, 0, 0))
		legend(c, th, data.Max.X+10, data.Max.Y-th.line(), entries)
		return nil
	}
	return f
}
