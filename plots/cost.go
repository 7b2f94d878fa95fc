package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/islandsgd/islands/internal/units"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/study"
)

// Cost draws the seconds of one clique of all islands by collective and capability.
func Cost(t *study.CostTable) *Figure {
	f := &Figure{
		Name: "cost", Title: "Seconds of one round with all islands",
		Caption: fmt.Sprintf("One clique of all %d islands of %s averages %s each. Full color is the time of the busiest arc, the light cap the latency. "+
			"The dashed line is the cut bound (%s), which no collective can beat.%s",
			t.Islands, t.Topology, units.FormatBytes(t.Payload), units.FormatSeconds(t.CutSeconds), bestCollectives(t)),
		Data:   Table{Columns: []string{"collective", "capability", "seconds", "bandwidth_seconds", "latency_seconds"}},
		height: byWidth(0.46, 0.85),
	}
	for _, r := range t.Rows {
		f.Data.Rows = append(f.Data.Rows, row(r.Collective, r.Capability, r.Seconds, r.BandwidthSeconds, r.LatencySeconds))
	}
	f.draw = func(c draw.Canvas, th theme) error {
		drawCost(c, th, t)
		return nil
	}
	return f
}

func drawCost(c draw.Canvas, th theme, t *study.CostTable) {
	bars := costBars{t: t, th: th}
	highest := t.CutSeconds
	for _, r := range t.Rows {
		bars.collectives = appendNew(bars.collectives, r.Collective)
		bars.capabilities = appendNew(bars.capabilities, r.Capability)
		highest = max(highest, r.Seconds)
	}
	blank(c)
	p := newChart(th, "collective", "seconds per round")
	p.NominalX(bars.collectives...)
	p.X.Tick.Length = 0
	p.X.Min, p.X.Max = -0.5, float64(len(bars.collectives))-0.5
	p.Y.Min, p.Y.Max = 0, highest*1.06
	var entries []entry
	for _, k := range bars.capabilities {
		entries = append(entries, entry{k, solid(capabilityColor(k), 7)})
	}
	entries = append(entries, entry{"cut bound", dashed(ink, lineWidth)})
	c = legendBelow(c, th, entries)
	area, _ := p.area(c)
	data := p.DataCanvas(area)
	p.X.Tick.Label = bars.nameStyle(p.X.Tick.Label, data.Max.X-data.Min.X)
	bars.fit(data.Max.X - data.Min.X)
	if h, over := data.Max.Y-data.Min.Y, bars.headroom(); over < h/2 {
		p.Y.Max = max(p.Y.Max, highest*float64(h/(h-over)))
	}
	p.Add(grid{y: true}, bars)
	p.draw(c)
}

// bestCollectives says which collective is fastest under each capability, where that depends on the capability.
func bestCollectives(t *study.CostTable) string {
	fastest := map[string]study.Cost{} // by capability
	var capabilities, winners []string
	for _, r := range t.Rows {
		if r.Collective == collective.Best {
			continue
		}
		capabilities = appendNew(capabilities, r.Capability)
		if best, ok := fastest[r.Capability]; !ok || r.Seconds < best.Seconds {
			fastest[r.Capability] = r
		}
	}
	under := map[string][]string{} // capabilities by winner
	for _, k := range capabilities {
		w := fastest[k].Collective
		winners, under[w] = appendNew(winners, w), append(under[w], k)
	}
	if len(winners) < 2 {
		return ""
	}
	for i, w := range winners {
		winners[i] = fmt.Sprintf("%s under %s", w, strings.Join(under[w], ", "))
	}
	return " Which collective is fastest depends on what routers can do: " + strings.Join(winners, "; ") + "."
}

type costBars struct {
	t                         *study.CostTable
	th                        theme
	collectives, capabilities []string
	numbers                   numbers
}

// numbers says how bars are numbered, all of them alike.
type numbers int

const (
	noNumbers numbers = iota
	flatNumbers
	turnedNumbers
)

const groupShare = 0.84 // of a collective's room, that its bars take together

// nameStyle makes the names of the collectives small enough to stand beside each other.
func (b *costBars) nameStyle(sty text.Style, width vg.Length) text.Style {
	cell := width / vg.Length(len(b.collectives))
	full := sty
	for _, name := range b.collectives {
		if fits := shrunk(full, name, 0.9*cell); fits.Font.Size < sty.Font.Size {
			sty = fits
		}
	}
	return sty
}

// fit numbers the bars on a chart of the given width: turned where they are wider than a bar, not at all where even that
// has no room.
func (b *costBars) fit(width vg.Length) {
	slot := groupShare * width / vg.Length(len(b.collectives)*len(b.capabilities))
	sty := b.th.tiny(ink)
	switch {
	case b.widest() < 0.97*slot:
		b.numbers = flatNumbers
	case sty.Font.Size < slot:
		b.numbers = turnedNumbers
	default:
		b.numbers = noNumbers
	}
}

// widest is the width of the widest number.
func (b *costBars) widest() (w vg.Length) {
	for _, r := range b.t.Rows {
		w = max(w, b.th.tiny(ink).Width(shortNumber(r.Seconds)))
	}
	return w
}

// headroom is what turned numbers need above the highest bar.
func (b *costBars) headroom() vg.Length {
	if b.numbers == turnedNumbers {
		return b.widest() + 4
	}
	return 0
}

// Plot draws the bars with their numbers.
func (b costBars) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	slot := groupShare / float64(len(b.capabilities))
	values := aligned(b.th.tiny(ink), text.XCenter, text.YBottom)
	if b.numbers == turnedNumbers {
		values = aligned(values, text.XLeft, text.YCenter)
		values.Rotation = math.Pi / 2
	}
	for _, r := range b.t.Rows {
		x := float64(slices.Index(b.collectives, r.Collective)) - groupShare/2 + slot*float64(slices.Index(b.capabilities, r.Capability))
		left, right := tx(x+0.06*slot), tx(x+0.94*slot)
		col := capabilityColor(r.Capability)
		fillRect(c, vg.Point{X: left, Y: ty(0)}, vg.Point{X: right, Y: ty(r.BandwidthSeconds)}, col)
		fillRect(c, vg.Point{X: left, Y: ty(r.BandwidthSeconds)}, vg.Point{X: right, Y: ty(r.Seconds)}, mix(col, 0.35))
		if b.numbers != noNumbers {
			c.FillText(values, vg.Point{X: (left + right) / 2, Y: ty(r.Seconds) + 1.5}, shortNumber(r.Seconds))
		}
	}
	c.StrokeLine2(dashed(ink, 0.8), c.Min.X, ty(b.t.CutSeconds), c.Max.X, ty(b.t.CutSeconds))
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
