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

// Consensus draws the error of a schedule against rounds: bound, exact moments, and simulation with its 95% interval;
// the consensus error on the left, the error of the mean on the right.
func Consensus(e *study.Evidence) *Figure {
	f := &Figure{
		Name: "consensus", Title: "Bound, exact and simulated error", height: consensusHeight,
		Caption: fmt.Sprintf("SGD with step %s on %s; schedule: %s. Left, how far the islands are from their mean; right, how far their mean is from the optimum. "+
			"The line shows the exact moments, dots and band the mean of %d simulated runs with its 95%% interval, which may miss the exact value in one round of twenty. "+
			"The bound (dashed, %s) stays above the exact error: it is a guarantee. Rounds whose value is 0 have no place on the axis and are left out.",
			shortNumber(e.Step), e.Problem, e.Schedule, e.Runs, e.Bound),
		Sources: "Bound: kernel form with products of mixing matrices; exact: second-moment recursion on quadratics.",
		Data: Table{Columns: []string{"round", "consensus_bound", "consensus_exact", "consensus_mean", "consensus_low", "consensus_high",
			"centroid_bound", "centroid_exact", "centroid_mean", "centroid_low", "centroid_high"}},
	}
	for _, p := range e.Points {
		f.Data.Rows = append(f.Data.Rows, row(p.T, p.BoundConsensus, p.ExactConsensus, p.Consensus.Mean, p.Consensus.Low, p.Consensus.High,
			p.BoundCentroid, p.ExactCentroid, p.Centroid.Mean, p.Centroid.Low, p.Centroid.High))
	}
	f.draw = func(c draw.Canvas, th theme) error {
		blank(c)
		width := c.Max.X - c.Min.X
		columns := evidenceColumns(width, th)
		foot := evidenceFoot(columns, th)
		area := draw.Crop(c, 0, 0, foot, 0)
		left, right := panel(area, 0, 0.5, 0, 1), panel(area, 0.5, 1, 0, 1)
		if narrow(width) {
			left, right = panel(area, 0, 1, 0.5, 1), panel(area, 0, 1, 0, 0.5)
		}
		drawEvidence(left, th, e, "consensus error (mean square, parameter units²)", func(p study.EvidencePoint) (*float64, float64, study.Band) {
			return p.BoundConsensus, p.ExactConsensus, p.Consensus
		})
		drawEvidence(right, th, e, "centroid error (mean square, parameter units²)", func(p study.EvidencePoint) (*float64, float64, study.Band) {
			return p.BoundCentroid, p.ExactCentroid, p.Centroid
		})
		for i, l := range evidenceEntries {
			x := c.X(evidenceLeft + evidenceColumn*float64(i%columns))
			y := c.Min.Y + foot - th.line()*(0.7+vg.Length(i/columns))
			legend(c, th, x, y, []entry{l})
			if i == len(evidenceEntries)-1 {
				c.DrawGlyph(dotStyle(blue), vg.Point{X: x + 8, Y: y})
			}
		}
		return nil
	}
	return f
}

var evidenceEntries = []entry{
	{"bound (guarantee)", dashed(red, lineWidth)}, {"exact moments", solid(ink, lineWidth)}, {"simulated mean, 95% interval", solid(mix(sky, 0.6), 6)},
}

// Where the legend stands, in shares of the width.
const evidenceLeft, evidenceColumn = 0.08, 0.32

// evidenceColumns says whether the legend stands in one line or in one column.
func evidenceColumns(width vg.Length, th theme) int {
	const swatch = 21
	for _, l := range evidenceEntries {
		// the last column is the narrowest
		if narrow(width) || swatch+th.small(ink).Width(l.text) > width*(1-evidenceLeft-2*evidenceColumn) {
			return 1
		}
	}
	return len(evidenceEntries)
}

func evidenceFoot(columns int, th theme) vg.Length {
	return th.line() * vg.Length(1+len(evidenceEntries)/columns)
}

// consensusHeight has room for a legend of several lines, and for two panels above each other with larger text.
func consensusHeight(width vg.Length, th theme) vg.Length {
	if narrow(width) {
		return 1.35*width + th.taller(14)
	}
	return 0.44*width + th.taller(6) + evidenceFoot(evidenceColumns(width, th), th) - 2*th.line()
}

func drawEvidence(c draw.Canvas, th theme, e *study.Evidence, title string, pick func(study.EvidencePoint) (*float64, float64, study.Band)) {
	var bound, exact, means plotter.XYs
	var area band
	area.fill = mix(sky, 0.6)
	lo, hi, last := 0.0, 0.0, 1.0
	// About 24 marks, at distances that no period divides: every second round would show one side of a zigzag alone.
	every, marked, nextMark := math.Max(1, float64(len(e.Points))/24*math.Phi/1.5), 0, 0
	for _, pt := range e.Points {
		b, x, s := pick(pt)
		t := float64(pt.T)
		last = max(last, t)
		if x > 0 { // exact agreement has no place on a logarithmic axis
			exact = append(exact, plotter.XY{X: t, Y: x})
		}
		for _, v := range []float64{x, s.Low, s.High} {
			if v > 0 && (lo == 0 || v < lo) {
				lo = v
			}
			hi = max(hi, v)
		}
		if b != nil && *b > 0 {
			bound = append(bound, plotter.XY{X: t, Y: *b})
		}
		if pt.T >= nextMark {
			if s.Mean > 0 {
				means = append(means, plotter.XY{X: t, Y: s.Mean})
			}
			marked++
			nextMark = int(float64(marked) * every)
		}
		if s.High > 0 {
			area.x, area.low, area.high = append(area.x, t), append(area.low, s.Low), append(area.high, s.High)
		}
	}
	noError := hi == 0 // of the exact moments and of every run
	for _, b := range bound {
		hi = max(hi, b.Y)
		if noError && (lo == 0 || b.Y < lo) {
			lo = b.Y
		}
	}
	p := newChart(th, "rounds", title)
	p.X.Min, p.X.Max = 0, last
	p.X.Tick.Marker = plot.TickerFunc(wholeNumbers)
	if hi > 0 {
		logScale(&p.Y, lo, hi)
		p.Add(grid{y: true}, area, curve{exact, solid(ink, lineWidth)}, curve{bound, dashed(red, lineWidth)}, dots{means, blue})
	} else {
		p.Y.Tick.Marker = plot.ConstantTicks{} // nothing that a scale would measure
	}
	data := p.draw(c)
	if noError {
		center := vg.Point{X: (data.Min.X + data.Max.X) / 2, Y: (data.Min.Y + data.Max.Y) / 2}
		label(&c, center, "no error: 0 at every round", th.text(muted))
	}
}
