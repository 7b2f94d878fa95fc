package plots

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/islandsgd/islands/internal/units"
	"github.com/islandsgd/islands/study"
)

// Shift draws how the best schedule changes with what routers can do, the access rate, the payload and the computation
// before every round.
func Shift(s *study.Shift) *Figure {
	how := "completely"
	if !s.Proven {
		how = "by local moves, without proof"
	}
	f := &Figure{
		Name: "shift", Title: "Which schedule suits which network",
		Data: Table{Columns: []string{"capability", "access_bps", "payload_bytes", "compute_seconds", "staleness_seconds", "allreduce_staleness_seconds", "unicast_staleness_seconds", "cliques"}},
	}
	fastest := s.Accesses[len(s.Accesses)-1]
	access := axis{"access, Gbps", s.Accesses, 1e9, func(c study.ShiftCell) (float64, bool) { return c.Access, c.Compute == s.Computes[0] }}
	compute := axis{"s of computation before every round", s.Computes, 1, func(c study.ShiftCell) (float64, bool) { return c.Compute, c.Access == fastest }}
	f.Caption = fmt.Sprintf("The schedule of least staleness on %s under each capability, on a grid of %d payloads and %d access rates above, and below of as many payloads and %d lengths of the computation before every round, which then counts as time, with access of %s. "+
		"Schedules of up to %d rounds were searched %s. "+
		"A cell names the clique sizes of each round and how much fresher the schedule keeps the agreement than one clique of all, every round (“all”: nothing is). Darker is more. "+
		"An outline marks where the hardware is unnecessary: plain routers keep the agreement as fresh, within 1%%.",
		s.Topology, len(s.Payloads), len(s.Accesses), len(s.Computes), units.FormatBandwidth(fastest), s.PeriodMax, how)
	var capabilities []string
	for _, c := range s.Cells {
		capabilities = appendNew(capabilities, c.Capability)
		f.Data.Rows = append(f.Data.Rows, row(c.Capability, c.Access, c.Payload, c.Compute, c.Staleness, c.AllReduce, c.Plain, c.Cliques))
	}
	columns := func(w vg.Length) int {
		if narrow(w) {
			return 1
		}
		return 2
	}
	lines := func(w vg.Length) int { return (len(capabilities) + columns(w) - 1) / columns(w) }
	f.height = func(w vg.Length, th theme) vg.Length {
		return 2 * vg.Length(lines(w)) * (vg.Length(len(s.Payloads))*3.6*vg.Length(th.size) + 5*vg.Length(th.size))
	}
	f.draw = func(c draw.Canvas, th theme) error {
		blank(c)
		w := c.Max.X - c.Min.X
		k, rows := columns(w), 2*lines(w)
		for part, x := range []axis{access, compute} {
			for i, capability := range capabilities {
				row, column := part*lines(w)+i/k, i%k
				box := panel(c, float64(column)/float64(k), float64(column+1)/float64(k), 1-float64(row+1)/float64(rows), 1-float64(row)/float64(rows))
				drawShift(draw.Crop(box, 4, -6, 2, -2), th, s, capability, x)
			}
		}
		return nil
	}
	return f
}

// axis is what the columns of a panel stand for.
type axis struct {
	label  string
	values []float64
	unit   float64
	of     func(study.ShiftCell) (float64, bool) // the value of a cell, and whether it is on the panel
}

func drawShift(c draw.Canvas, th theme, s *study.Shift, capability string, x axis) {
	c.FillText(aligned(th.text(capabilityColor(capability)), text.XLeft, text.YTop), vg.Point{X: c.Min.X, Y: c.Max.Y}, capability)
	names := aligned(th.small(ink), text.XRight, text.YCenter)
	margin := vg.Length(0)
	for _, p := range s.Payloads {
		margin = max(margin, names.Width(units.FormatBytes(p))+5)
	}
	margin = max(margin, names.Width("payload")+5)
	x0, y0 := c.Min.X+margin, c.Min.Y+2.6*vg.Length(th.size)
	w := (c.Max.X - x0) / vg.Length(len(x.values))
	h := (c.Max.Y - 1.8*vg.Length(th.size) - y0) / vg.Length(len(s.Payloads))
	for j, p := range s.Payloads {
		c.FillText(names, vg.Point{X: x0 - 4, Y: y0 + h*(vg.Length(j)+0.5)}, units.FormatBytes(p))
	}
	below := aligned(th.small(ink), text.XCenter, text.YTop)
	for i, v := range x.values {
		txt := shortNumber(v / x.unit)
		c.FillText(shrunk(below, txt, 0.92*w), vg.Point{X: x0 + w*(vg.Length(i)+0.5), Y: y0 - 2}, txt)
	}
	c.FillText(aligned(th.small(muted), text.XRight, text.YTop), vg.Point{X: x0 - 4, Y: y0 - 2}, "payload")
	c.FillText(shrunk(aligned(th.small(muted), text.XRight, text.YBottom), x.label, c.Max.X-c.Min.X), vg.Point{X: c.Max.X, Y: c.Min.Y - 1}, x.label)
	for _, cell := range s.Cells {
		v, on := x.of(cell)
		if cell.Capability != capability || !on {
			continue
		}
		i, j := slices.Index(x.values, v), slices.Index(s.Payloads, cell.Payload)
		a := vg.Point{X: x0 + w*vg.Length(i) + 0.6, Y: y0 + h*vg.Length(j) + 0.6}
		drawShiftCell(c, th, cell, a, vg.Point{X: a.X + w - 1.2, Y: a.Y + h - 1.2})
	}
}

func drawShiftCell(c draw.Canvas, th theme, cell study.ShiftCell, a, b vg.Point) {
	gain := 1 - cell.Staleness/cell.AllReduce
	col := mix(capabilityColor(cell.Capability), 0.08)
	if cell.Cliques != "all" {
		col = mix(capabilityColor(cell.Capability), 0.15+0.8*min(1, gain/0.5))
	}
	fillRect(c, a, b, col)
	if cell.Useless() {
		const inside = 0.6
		p, q := vg.Point{X: a.X + inside, Y: a.Y + inside}, vg.Point{X: b.X - inside, Y: b.Y - inside}
		c.StrokeLines(solid(ink, 0.7), []vg.Point{p, {X: q.X, Y: p.Y}, q, {X: p.X, Y: q.Y}, p})
	}
	lines := cellText(cell, gain)
	for k, line := range lines {
		sty := aligned(th.tiny(onTop(col)), text.XCenter, text.YCenter)
		for sty.Width(line) > b.X-a.X-2 && sty.Font.Size > 3 {
			sty.Font.Size *= 0.93
		}
		y := (a.Y+b.Y)/2 + vg.Length(float64(len(lines)-1)/2-float64(k))*sty.Font.Size*1.15
		c.FillText(sty, vg.Point{X: (a.X + b.X) / 2, Y: y}, line)
	}
}

// cellText names the clique sizes round by round, and the gain.
func cellText(cell study.ShiftCell, gain float64) []string {
	if cell.Cliques == "all" {
		return []string{"all"}
	}
	var out []string
	for _, sizes := range cell.Sizes {
		parts := make([]string, len(sizes))
		for i, s := range sizes {
			parts[i] = fmt.Sprint(s)
		}
		out = append(out, strings.Join(parts, "+"))
	}
	percent := fmt.Sprintf("−%.0f%%", 100*gain)
	if gain < 0.01 {
		percent = fmt.Sprintf("−%.1g%%", 100*gain)
	}
	return append(out, percent)
}
