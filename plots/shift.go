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

// Shift draws how the best schedule changes with what routers can do, the access rate and the payload.
func Shift(s *study.Shift) *Figure {
	how := "completely"
	if !s.Proven {
		how = "by local moves, without proof"
	}
	f := &Figure{
		Name: "shift", Title: "Which schedule suits which network",
		Caption: fmt.Sprintf("The schedule of least staleness on %s, on a grid of %d access rates and %d payloads under each capability; schedules of up to %d rounds were searched %s. "+
			"A cell names the clique sizes of each round and how much fresher the schedule keeps the agreement than one clique of all, every round (“all”: nothing is). Darker is more.",
			s.Topology, len(s.Accesses), len(s.Payloads), s.PeriodMax, how),
		Data: Table{Columns: []string{"capability", "access_bps", "payload_bytes", "staleness_seconds", "allreduce_staleness_seconds", "cliques"}},
	}
	var capabilities []string
	for _, c := range s.Cells {
		capabilities = appendNew(capabilities, c.Capability)
		f.Data.Rows = append(f.Data.Rows, row(c.Capability, c.Access, c.Payload, c.Staleness, c.AllReduce, c.Cliques))
	}
	columns := func(w vg.Length) int {
		if narrow(w) {
			return 1
		}
		return 2
	}
	f.height = func(w vg.Length, th theme) vg.Length {
		lines := (len(capabilities) + columns(w) - 1) / columns(w)
		return vg.Length(lines) * (vg.Length(len(s.Payloads))*3.6*vg.Length(th.size) + 5*vg.Length(th.size))
	}
	f.draw = func(c draw.Canvas, th theme) error {
		blank(c)
		k := columns(c.Max.X - c.Min.X)
		lines := (len(capabilities) + k - 1) / k
		for i, capability := range capabilities {
			row, column := i/k, i%k
			box := panel(c, float64(column)/float64(k), float64(column+1)/float64(k), 1-float64(row+1)/float64(lines), 1-float64(row)/float64(lines))
			drawShift(draw.Crop(box, 4, -6, 2, -2), th, s, capability)
		}
		return nil
	}
	return f
}

func drawShift(c draw.Canvas, th theme, s *study.Shift, capability string) {
	c.FillText(aligned(th.text(capabilityColor(capability)), text.XLeft, text.YTop), vg.Point{X: c.Min.X, Y: c.Max.Y}, capability)
	names := aligned(th.small(ink), text.XRight, text.YCenter)
	margin := vg.Length(0)
	for _, p := range s.Payloads {
		margin = max(margin, names.Width(units.FormatBytes(p))+5)
	}
	margin = max(margin, names.Width("payload")+5)
	x0, y0 := c.Min.X+margin, c.Min.Y+2.6*vg.Length(th.size)
	w := (c.Max.X - x0) / vg.Length(len(s.Accesses))
	h := (c.Max.Y - 1.8*vg.Length(th.size) - y0) / vg.Length(len(s.Payloads))
	for j, p := range s.Payloads {
		c.FillText(names, vg.Point{X: x0 - 4, Y: y0 + h*(vg.Length(j)+0.5)}, units.FormatBytes(p))
	}
	below := aligned(th.small(ink), text.XCenter, text.YTop)
	for i, a := range s.Accesses {
		c.FillText(below, vg.Point{X: x0 + w*(vg.Length(i)+0.5), Y: y0 - 2}, shortNumber(a/1e9))
	}
	c.FillText(aligned(th.small(muted), text.XRight, text.YTop), vg.Point{X: x0 - 4, Y: y0 - 2}, "payload")
	c.FillText(aligned(th.small(muted), text.XRight, text.YBottom), vg.Point{X: c.Max.X, Y: c.Min.Y - 1}, "access, Gbps")
	for _, cell := range s.Cells {
		if cell.Capability != capability {
			continue
		}
		i, j := slices.Index(s.Accesses, cell.Access), slices.Index(s.Payloads, cell.Payload)
		a := vg.Point{X: x0 + w*vg.Length(i) + 0.6, Y: y0 + h*vg.Length(j) + 0.6}
		b := vg.Point{X: a.X + w - 1.2, Y: a.Y + h - 1.2}
		gain := 1 - cell.Staleness/cell.AllReduce
		col := mix(capabilityColor(capability), 0.08)
		if cell.Cliques != "all" {
			col = mix(capabilityColor(capability), 0.15+0.8*min(1, gain/0.5))
		}
		fillRect(c, a, b, col)
		for k, line := range cellText(cell, gain) {
			sty := aligned(th.tiny(onTop(col)), text.XCenter, text.YCenter)
			for sty.Width(line) > w-3 && sty.Font.Size > 3 {
				sty.Font.Size *= 0.93
			}
			lines := len(cellText(cell, gain))
			y := (a.Y+b.Y)/2 + vg.Length(float64(lines-1)/2-float64(k))*sty.Font.Size*1.15
			c.FillText(sty, vg.Point{X: (a.X + b.X) / 2, Y: y}, line)
		}
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
