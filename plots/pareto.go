package plots

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/islandsgd/islands/optimize"
	"github.com/islandsgd/islands/study"
)

// Pareto draws the schedules of one and two rounds that no other beats in everything, under each capability.
func Pareto(fronts []study.Front) *Figure {
	f := &Figure{
		Name: "pareto", Title: "Short periods, fresh agreement, strong contraction",
		Caption: "Each point is a schedule of one or two rounds of cliques; no other has at once a shorter period, a lower staleness and a stronger contraction. " +
			"Large points contract strongly (the largest are exact after one period), small ones weakly. Diamonds are one clique of all islands. The legend counts the points; points that coincide cover one another.",
		Data:   Table{Columns: []string{"capability", "period_seconds", "staleness_seconds", "contraction", "cliques"}},
		height: byWidth(0.5, 0.9),
	}
	proven := len(fronts) > 0
	for _, k := range fronts {
		proven = proven && k.Proven
		for _, p := range k.Points {
			f.Data.Rows = append(f.Data.Rows, row(k.Capability, p.Period, p.Staleness, p.Contraction, p.Cliques))
		}
		f.Data.Rows = append(f.Data.Rows, row(k.Capability, k.AllReduce.Period, k.AllReduce.Staleness, k.AllReduce.Contraction, k.AllReduce.Cliques))
	}
	if proven {
		f.Caption += " All pairs of partitions were searched."
	} else {
		f.Caption += " The islands are too many to search all pairs of partitions: the points are the best that were found."
	}
	f.draw = func(c draw.Canvas, th theme) error {
		blank(c)
		xs, ys := span{}, span{}
		for _, k := range fronts {
			for _, p := range append(k.Points, k.AllReduce) {
				xs.add(p.Period)
				ys.add(p.Staleness)
			}
		}
		p := newChart(th, "seconds of one period", "staleness, seconds")
		p.X.Min, p.X.Max = xs.padded()
		logScale(&p.Y, ys.lo, ys.hi)
		p.Add(grid{x: true, y: true}, paretoPoints{fronts})
		var entries []entry
		for _, k := range fronts {
			entries = append(entries, entry{fmt.Sprintf("%s (%d)", k.Capability, len(k.Points)), solid(capabilityColor(k.Capability), 5)})
		}
		p.draw(legendBelow(c, th, entries))
		return nil
	}
	return f
}

type paretoPoints struct{ fronts []study.Front }

func (v paretoPoints) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for i, k := range v.fronts {
		col := capabilityColor(k.Capability)
		for _, q := range k.Points {
			radius := vg.Length(1 + 2.4*(1-q.Contraction))
			c.DrawGlyph(draw.GlyphStyle{Color: mix(col, 0.75), Radius: radius, Shape: draw.CircleGlyph{}}, vg.Point{X: tx(q.Period), Y: ty(floorAt(&p.Y, q.Staleness))})
		}
		x, y := tx(k.AllReduce.Period), ty(floorAt(&p.Y, k.AllReduce.Staleness))
		r := vg.Length(5.5 - 0.8*float64(i)) // equal prices stay visible as nested diamonds
		c.FillPolygon(col, []vg.Point{{X: x - r, Y: y}, {X: x, Y: y + r}, {X: x + r, Y: y}, {X: x, Y: y - r}})
	}
}

// span collects the extent of values.
type span struct {
	lo, hi float64
	any    bool
}

func (s *span) add(v float64) {
	if !s.any || v < s.lo {
		s.lo = v
	}
	if !s.any || v > s.hi {
		s.hi = v
	}
	s.any = true
}

// padded is the extent with a margin; an empty one is [0, 1].
func (s *span) padded() (float64, float64) {
	if !s.any {
		return 0, 1
	}
	pad := 0.04 * (s.hi - s.lo)
	if pad == 0 {
		pad = 0.1*s.hi + 1e-9
	}
	return s.lo - pad, s.hi + pad
}

// Deployment draws what equipping more and more routers gains.
func Deployment(d *study.Deployments) *Figure {
	steps := deploymentSteps(d.Rows)
	f := &Figure{
		Name: "deployment", Title: "Which routers to equip first",
		Caption: "Routers equipped with multicast and aggregation, chosen so that one clique of all islands is fastest; the list names them, with the staleness of the best schedule. " +
			"One clique of all is stale by half its round. The best schedule is searched anew for each choice: where its line lies below, another schedule is fresher.",
		Data: Table{Columns: []string{"routers", "equipped", "allreduce_seconds", "best_staleness_seconds", "proven", "best_schedule"}},
		height: func(w vg.Length, th theme) vg.Length {
			return max(0.36*w, 45*vg.Millimeter) + th.taller(6) + vg.Length(len(wrappedSteps(steps, th, w))+5)*th.line()
		},
	}
	proven := true
	for _, r := range d.Rows {
		proven = proven && r.Proven
		f.Data.Rows = append(f.Data.Rows, row(r.K, r.MulticastAt, r.AllReduce, r.Staleness, fmt.Sprint(r.Proven), r.Schedule))
	}
	if proven {
		f.Caption += " All sets of routers were tried."
	} else {
		f.Caption += " Routers were added greedily; the dashed line, all routers equipped, bounds what any choice can reach."
	}
	f.draw = func(c draw.Canvas, th theme) error {
		blank(c)
		var all, best plotter.XYs
		ys := span{}
		for _, r := range d.Rows {
			all = append(all, plotter.XY{X: float64(r.K), Y: r.AllReduce / 2})
			best = append(best, plotter.XY{X: float64(r.K), Y: r.Staleness})
			ys.add(r.AllReduce / 2)
			ys.add(r.Staleness)
			ys.add(r.Bound / 2)
		}
		p := newChart(th, "routers equipped", "staleness, seconds")
		p.X.Min, p.X.Max = 0, float64(max(1, len(d.Rows)-1))
		p.X.Tick.Marker = plot.TickerFunc(wholeNumbers)
		p.Y.Min, p.Y.Max = 0, ys.hi*1.06
		p.Add(grid{y: true})
		if len(d.Rows) > 0 {
			bound := d.Rows[0].Bound / 2
			p.Add(curve{plotter.XYs{{X: 0, Y: bound}, {X: p.X.Max, Y: bound}}, dashed(muted, 0.8)})
		}
		wide := solid(mix(blue, 0.45), 3) // lies below the other, and shows where both coincide
		p.Add(curve{all, wide}, curve{best, solid(red, lineWidth)}, dots{best, red})
		entries := []entry{{"one clique of all", wide}, {"best schedule of one or two rounds", solid(red, lineWidth)}, {"one clique of all, every router equipped", dashed(muted, 0.8)}}
		lines := wrappedSteps(steps, th, c.Max.X-c.Min.X)
		foot := vg.Length(len(lines)+len(entries)+2) * th.line()
		p.draw(draw.Crop(c, 0, 0, foot, 0))
		y := legend(c, th, c.X(0.05), c.Min.Y+foot-th.line(), entries) - th.line()
		for _, line := range lines {
			c.FillText(th.small(ink), vg.Point{X: c.X(0.05), Y: y}, line)
			y -= th.line()
		}
		return nil
	}
	return f
}

// wrappedSteps breaks steps into lines of a figure's width; those after the first of a step are indented.
func wrappedSteps(steps []string, th theme, width vg.Length) (lines []string) {
	const indent = "      "
	sty := th.small(ink)
	for _, s := range steps {
		for i, line := range wrapped(sty, s, 0.95*width-6-sty.Width(indent)) {
			if i > 0 {
				line = indent + line
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// deploymentSteps says what each number of routers brings. Numbers that bring nothing over the one before share a line.
func deploymentSteps(rows []optimize.Deployment) []string {
	fresher := func(i int) bool { return i == 0 || rows[i].Staleness < rows[i-1].Staleness*(1-1e-9) }
	var out []string
	for i, r := range rows {
		if fresher(i) {
			names := "none"
			if len(r.MulticastAt) > 0 {
				names = row(r.MulticastAt)[0]
			}
			out = append(out, fmt.Sprintf("%d:  %s s,  %s", r.K, shortNumber(r.Staleness), names))
			continue
		}
		if !fresher(i - 1) {
			continue // in the line of the one before
		}
		last := i
		for last+1 < len(rows) && !fresher(last+1) {
			last++
		}
		numbers := fmt.Sprint(r.K)
		if last > i {
			numbers += fmt.Sprintf(" to %d", rows[last].K)
		}
		out = append(out, numbers+":  no fresher")
	}
	return out
}
