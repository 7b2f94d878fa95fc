package plots

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/islandsgd/islands/presets"
)

// Presets draws the error of published systems relative to all-reduce, against local steps.
func Presets(curves []*presets.Curve) *Figure {
	f := &Figure{
		Name: "presets", Title: "What published systems learn from as many local steps",
		Caption: "Mean square error on a quadratic divided by that of all-reduce every step, after as many local steps of each island, with the same step size and number of islands. " +
			"Above 1 a system pays with error for what it saves in communication; below 1 it is ahead. " +
			"Solid lines are exact moments, dashed ones means of simulated runs, which scatter. A line that stops before the others has diverged; lines that coincide cover one another.",
		Data:   Table{Columns: []string{"preset", "evidence", "schedule", "algorithm", "problem", "step", "local_steps", "mse", "allreduce_mse"}},
		height: byWidth(0.56, 1),
	}
	for _, c := range curves {
		for _, p := range c.Points {
			f.Data.Rows = append(f.Data.Rows, row(c.Preset, evidenceOf(c), c.Schedule, c.Algorithm, c.Problem, c.Step, p.Steps, p.MSE, p.AllReduce))
		}
	}
	f.draw = func(c draw.Canvas, th theme) error {
		drawPresets(c, th, curves)
		return nil
	}
	return f
}

func evidenceOf(c *presets.Curve) string {
	if c.Exact {
		return "exact"
	}
	return "simulated"
}

// ratioLine is the relative error of a preset.
type ratioLine struct {
	name  string
	pts   plotter.XYs
	exact bool
}

func drawPresets(c draw.Canvas, th theme, curves []*presets.Curve) {
	blank(c)
	lines, xs, ys := ratioLines(curves)
	ys.add(1)
	name := th.small(ink)
	margin := vg.Length(0)
	for _, l := range lines {
		margin = max(margin, name.Width(l.name))
	}
	const leader = 14 // from the end of a line to its name
	p := newChart(th, "local steps of each island", "mse / mse of all-reduce")
	logScale(&p.X, xs.lo, xs.hi)
	p.X.Max = max(p.X.Min*2, xs.hi) // names stand right at the end of the lines
	logScale(&p.Y, ys.lo, ys.hi)
	p.Add(grid{x: true, y: true})
	p.Add(curve{plotter.XYs{{X: p.X.Min, Y: 1}, {X: p.X.Max, Y: 1}}, dashed(muted, 0.8)})
	for i, l := range lines {
		p.Add(curve{l.pts, ratioStyle(i, l)})
	}
	data := p.draw(draw.Crop(c, 0, -(margin + leader + 4), 0, 0))
	tx, ty := p.Transforms(&data)
	at := make([]vg.Length, len(lines))
	for i, l := range lines {
		at[i] = ty(floorAt(&p.Y, l.pts[len(l.pts)-1].Y))
	}
	for i, y := range spread(at, 1.2*name.Font.Size, c.Min.Y+name.Font.Size, c.Max.Y-name.Font.Size) {
		end := lines[i].pts[len(lines[i].pts)-1]
		style := ratioStyle(i, lines[i])
		from := vg.Point{X: tx(end.X), Y: at[i]}
		c.StrokeLine2(solid(style.Color, hairline), from.X, from.Y, data.Max.X+leader-3, y)
		c.FillText(aligned(name, text.XLeft, text.YCenter), vg.Point{X: data.Max.X + leader, Y: y}, lines[i].name)
	}
}

// ratioStyle gives neighbors among the names different colors.
func ratioStyle(i int, l ratioLine) draw.LineStyle {
	col := seriesColors[i%len(seriesColors)]
	if l.exact {
		return solid(col, lineWidth)
	}
	return dashed(col, lineWidth)
}

// ratioLines returns the lines from the highest end to the lowest, and their extent.
func ratioLines(curves []*presets.Curve) (lines []ratioLine, xs, ys span) {
	for _, c := range curves {
		l := ratioLine{name: c.Preset, exact: c.Exact}
		for _, p := range c.Points {
			if p.MSE == nil || !(*p.MSE > 0) || !(p.AllReduce > 0) {
				break
			}
			l.pts = append(l.pts, plotter.XY{X: float64(p.Steps), Y: *p.MSE / p.AllReduce})
			xs.add(float64(p.Steps))
			ys.add(*p.MSE / p.AllReduce)
		}
		if len(l.pts) > 0 {
			lines = append(lines, l)
		}
	}
	slices.SortStableFunc(lines, func(a, b ratioLine) int {
		return cmp.Compare(b.pts[len(b.pts)-1].Y, a.pts[len(a.pts)-1].Y)
	})
	return lines, xs, ys
}

// spread moves positions, given from the highest to the lowest, apart to a least distance within [lo, hi], each as
// little as that allows: positions that would touch form a block around the mean of where they belong.
func spread(at []vg.Length, gap, lo, hi vg.Length) []vg.Length {
	type block struct {
		middle vg.Length
		n      int
	}
	half := func(b block) vg.Length { return gap * vg.Length(b.n-1) / 2 }
	var blocks []block
	for _, y := range at {
		b := block{y, 1}
		for {
			b.middle = min(hi-half(b), max(lo+half(b), b.middle))
			k := len(blocks) - 1
			if k < 0 || blocks[k].middle-half(blocks[k])-(b.middle+half(b)) >= gap {
				break
			}
			above := blocks[k]
			blocks = blocks[:k]
			b = block{(above.middle*vg.Length(above.n) + b.middle*vg.Length(b.n)) / vg.Length(above.n+b.n), above.n + b.n}
		}
		blocks = append(blocks, b)
	}
	out := make([]vg.Length, 0, len(at))
	for _, b := range blocks {
		for k := range b.n {
			out = append(out, b.middle+half(b)-gap*vg.Length(k))
		}
	}
	return out
}
