package plots

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/islandsgd/islands/internal/units"
	"github.com/islandsgd/islands/study"
)

// Cost draws the seconds of one clique of all islands by collective and capability.
func Cost(t *study.CostTable) *Figure {
	f := &Figure{
		Name: "cost", Title: "Seconds of one round with all islands", Width: fullWidth, Height: 80 * vg.Millimeter,
		Caption: fmt.Sprintf("One clique of all %d islands of %s averages %s each. Full color is the time of the busiest arc, the light cap the latency. "+
			"The dashed line is the cut bound (%s), which no collective can beat. What routers can do changes not only the price but which collective is best.",
			t.Islands, t.Topology, units.FormatBytes(t.Payload), units.FormatSeconds(t.CutSeconds)),
		Data: Table{Columns: []string{"collective", "capability", "seconds", "bandwidth_seconds", "latency_seconds"}},
	}
	for _, r := range t.Rows {
		f.Data.Rows = append(f.Data.Rows, row(r.Collective, r.Capability, r.Seconds, r.BandwidthSeconds, r.LatencySeconds))
	}
	f.Draw = func(c draw.Canvas) error {
		drawCost(c, t)
		return nil
	}
	return f
}

func drawCost(c draw.Canvas, t *study.CostTable) {
	var collectives, capabilities []string
	highest := t.CutSeconds
	for _, r := range t.Rows {
		collectives = appendNew(collectives, r.Collective)
		capabilities = appendNew(capabilities, r.Capability)
		highest = max(highest, r.Seconds)
	}
	blank(c)
	p := newChart("collective", "seconds per round")
	p.NominalX(collectives...)
	p.X.Tick.Length = 0
	p.X.Min, p.X.Max = -0.5, float64(len(collectives))-0.5
	p.Y.Min, p.Y.Max = 0, highest*1.06
	p.Add(grid{y: true}, costBars{t, collectives, capabilities})
	p.draw(c)
	var entries []entry
	for _, k := range capabilities {
		entries = append(entries, entry{k, solid(capabilityColor(k), 7)})
	}
	entries = append(entries, entry{"cut bound", dashed(ink, lineWidth)})
	legend(c, c.X(0.83), c.Y(0.86), entries)
}

type costBars struct {
	t                         *study.CostTable
	collectives, capabilities []string
}

func (b costBars) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	slot := 0.84 / float64(len(b.capabilities))
	values := aligned(style(6, ink), text.XCenter, text.YBottom)
	for _, r := range b.t.Rows {
		x := float64(index(b.collectives, r.Collective)) - 0.42 + slot*float64(index(b.capabilities, r.Capability))
		left, right := tx(x+0.06*slot), tx(x+0.94*slot)
		col := capabilityColor(r.Capability)
		fillRect(c, vg.Point{X: left, Y: ty(0)}, vg.Point{X: right, Y: ty(r.BandwidthSeconds)}, col)
		fillRect(c, vg.Point{X: left, Y: ty(r.BandwidthSeconds)}, vg.Point{X: right, Y: ty(r.Seconds)}, mix(col, 0.35))
		c.FillText(values, vg.Point{X: (left + right) / 2, Y: ty(r.Seconds) + 1.5}, shortNumber(r.Seconds))
	}
	c.StrokeLine2(dashed(ink, 0.8), c.Min.X, ty(b.t.CutSeconds), c.Max.X, ty(b.t.CutSeconds))
}

func appendNew(list []string, s string) []string {
	if index(list, s) < 0 {
		return append(list, s)
	}
	return list
}

func index(list []string, s string) int {
	for i, v := range list {
		if v == s {
			return i
		}
	}
	return -1
}
