package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/islandsgd/islands/study"
)

// seriesColors tell the schedules of one figure apart; their markers differ as well.
var (
	seriesColors = cliqueColors
	seriesShapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.PyramidGlyph{}, draw.SquareGlyph{}, draw.CrossGlyph{}, draw.RingGlyph{}, draw.TriangleGlyph{}, draw.PlusGlyph{}, draw.BoxGlyph{}}
)

// Spectrum draws the eigenvalues of schedules in the unit disk, and how the first rounds contract.
func Spectrum(list []study.Spectrum) *Figure {
	f := &Figure{
		Name: "spectrum", Title: "Eigenvalues and contraction",
		Caption: "Left, the eigenvalues of one period (W_T…W₁ − J, without the one of consensus) and the unit circle: the farthest from 0 decides the long run, and what belongs to one on the circle never dies. " +
			"Right, what is left of the worst disagreement after t rounds, ‖Wₜ…W₁ − J‖; a line that falls straight to a mark on the lower frame averages exactly from that round on.",
		Data: Table{Columns: []string{"schedule", "quantity", "index", "real_or_norm", "imaginary"}},
	}
	for _, s := range list {
		for i, v := range s.Eigenvalues {
			f.Data.Rows = append(f.Data.Rows, row(s.Schedule, "eigenvalue", i+1, v[0], v[1]))
		}
		for t, v := range s.Prefix {
			f.Data.Rows = append(f.Data.Rows, row(s.Schedule, "prefix_norm", t+1, v, ""))
		}
	}
	f.height = func(w vg.Length, th theme) vg.Length {
		foot := vg.Length(len(list)+1) * th.line()
		if narrow(w) {
			return 1.75*w + foot
		}
		return 0.46*w + foot
	}
	f.draw = func(c draw.Canvas, th theme) error {
		blank(c)
		foot := vg.Length(len(list)+1) * th.line()
		area := draw.Crop(c, 0, 0, foot, 0)
		left, right := panel(area, 0, 0.45, 0, 1), panel(area, 0.45, 1, 0, 1)
		if narrow(c.Max.X - c.Min.X) {
			left, right = panel(area, 0, 1, 0.42, 1), panel(area, 0, 1, 0, 0.42)
		}
		drawDisk(left, th, list)
		drawPrefix(right, th, list)
		for i, s := range list {
			col := seriesColors[i%len(seriesColors)]
			y := c.Min.Y + foot - th.line()*(0.5+vg.Length(i))
			legend(c, th, c.X(0.06), y, []entry{{fmt.Sprintf("%s (period %d)", s.Schedule, s.Period), solid(col, lineWidth)}})
			c.DrawGlyph(seriesGlyph(i), vg.Point{X: c.X(0.06) + 8, Y: y})
		}
		return nil
	}
	return f
}

func drawDisk(c draw.Canvas, th theme, list []study.Spectrum) {
	p := newChart(th, "real part", "imaginary part")
	extent := 1.1
	for _, s := range list {
		for _, v := range s.Eigenvalues {
			extent = max(extent, 1.1*math.Abs(v[0]), 1.1*math.Abs(v[1]))
		}
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -extent, extent, -extent, extent
	p.X.Tick.Marker = plot.ConstantTicks{{Value: -1, Label: "−1"}, {Value: 0, Label: "0"}, {Value: 1, Label: "1"}}
	p.Y.Tick.Marker = p.X.Tick.Marker
	w, h := c.Max.X-c.Min.X, c.Max.Y-c.Min.Y
	p.Add(circle{}, eigenvalues{list})
	area, _ := p.area(c)
	data := p.DataCanvas(area)
	aside, above := max(30, w-(data.Max.X-data.Min.X)), max(50, h-(data.Max.Y-data.Min.Y)) // what labels take
	side := min(w-aside, h-above)                                                          // the disk must be round
	c = draw.Crop(c, 0, -(w - side - aside), (h-side-above)/2, -(h-side-above)/2)
	p.draw(c)
}

// circle is the unit circle and its axes.
type circle struct{}

func (circle) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	pts := make([]vg.Point, 0, 181)
	for k := 0; k <= 180; k++ {
		sin, cos := math.Sincos(float64(k) / 180 * 2 * math.Pi)
		pts = append(pts, vg.Point{X: tx(cos), Y: ty(sin)})
	}
	c.StrokeLines(solid(faint, hairline), []vg.Point{{X: c.Min.X, Y: ty(0)}, {X: c.Max.X, Y: ty(0)}}, []vg.Point{{X: tx(0), Y: c.Min.Y}, {X: tx(0), Y: c.Max.Y}})
	c.StrokeLines(solid(muted, 0.8), pts)
}

type eigenvalues struct{ list []study.Spectrum }

func (e eigenvalues) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for i, s := range e.list {
		style := seriesGlyph(i)
		for _, v := range s.Eigenvalues {
			c.DrawGlyph(style, vg.Point{X: tx(v[0]), Y: ty(v[1])})
		}
	}
}

// exactNorm is what rounding leaves of an exact average.
const exactNorm = 1e-12

// exactAfter returns the first round after which the average is exact: the norm drops to rounding in one step, not step
// by step. It is 0 when there is none.
func exactAfter(prefix []float64) int {
	before := 1.0
	for t, v := range prefix {
		if v <= exactNorm && before > math.Sqrt(exactNorm) {
			return t + 1
		}
		before = v
	}
	return 0
}

// prefixLine is what is drawn of a curve of norms: its points as far as they lie above the least, and the round of
// exact averaging, or 0.
func prefixLine(prefix []float64, least float64) (pts plotter.XYs, exact int) {
	exact = exactAfter(prefix)
	pts = plotter.XYs{{X: 0, Y: 1}}
	for t, v := range prefix {
		if t+1 == exact {
			break
		}
		pts = append(pts, plotter.XY{X: float64(t + 1), Y: v})
		if v < least {
			break // it has left the frame
		}
	}
	return pts, exact
}

func drawPrefix(c draw.Canvas, th theme, list []study.Spectrum) {
	const least = 1e-8 // of the axis
	lo, hi, last := 0.1, 1.0, 1.0
	for _, s := range list {
		pts, exact := prefixLine(s.Prefix, least)
		last = max(last, float64(exact), pts[len(pts)-1].X)
		for _, v := range pts {
			lo, hi = min(lo, v.Y), max(hi, v.Y)
		}
	}
	p := newChart(th, "rounds", "‖Wₜ … W₁ − J‖")
	p.X.Min, p.X.Max = 0, last
	p.X.Tick.Marker = plot.TickerFunc(wholeNumbers)
	logScale(&p.Y, max(lo, least), hi)
	p.Add(grid{y: true})
	for i, s := range list {
		pts, exact := prefixLine(s.Prefix, p.Y.Min)
		line := solid(seriesColors[i%len(seriesColors)], lineWidth)
		if exact > 0 {
			foot := plotter.XY{X: float64(exact), Y: p.Y.Min}
			pts = append(pts, plotter.XY{X: foot.X, Y: pts[len(pts)-1].Y}, foot)
			p.Add(mark{foot, seriesGlyph(i)})
		}
		p.Add(curve{pts, line})
	}
	p.draw(c)
}

// mark draws one glyph.
type mark struct {
	at    plotter.XY
	glyph draw.GlyphStyle
}

func (m mark) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	c.DrawGlyph(m.glyph, vg.Point{X: tx(m.at.X), Y: ty(m.at.Y)})
}

// seriesGlyph marks the i-th schedule.
func seriesGlyph(i int) draw.GlyphStyle {
	return draw.GlyphStyle{Color: seriesColors[i%len(seriesColors)], Radius: 2.2, Shape: seriesShapes[i%len(seriesShapes)]}
}
