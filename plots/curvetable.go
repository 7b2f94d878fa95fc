package plots

import (
	"cmp"
	"fmt"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/islandsgd/islands/study"
)

// curveTable is the legend of the convergence figure: a line for each curve with what it takes. Its columns follow from
// the widths of what stands in them.
type curveTable struct {
	th      theme
	rows    [][4]string  // name, H, seconds, ratio; the first row is the head
	columns [3]vg.Length // the right edges of the numbers, from the right edge of the table
	names   vg.Length    // the widest name
	room    vg.Length    // for names
}

const (
	tableShare = 0.4 // of the figure's width, where the table stands beside the plot
	tableLeft  = vg.Length(8)
	tableRight = vg.Length(6)
	keyWidth   = vg.Length(21) // of the piece of line before a name
	notReached = "not reached"
)

// layCurveTable lays the table out beside the plot, or where that has no room below it. Before names are shortened there,
// the text is made up to a quarter smaller.
func layCurveTable(th theme, v *study.Convergence, width vg.Length) (t curveTable, beside bool) {
	rows := curveRows(v)
	if !narrow(width) {
		if t = newCurveTable(th, rows, width*tableShare); t.names <= t.room {
			return t, true
		}
	}
	for _, share := range []float64{1, 0.95, 0.9, 0.85, 0.8, 0.75} {
		if t = newCurveTable(theme{th.size * share}, rows, width); t.names <= t.room {
			break
		}
	}
	return t, false
}

func newCurveTable(th theme, rows [][4]string, width vg.Length) curveTable {
	t := curveTable{th: th, rows: rows}
	var widest [4]vg.Length
	for _, r := range rows {
		for i, cell := range r {
			if cell != notReached { // stands across the columns
				widest[i] = max(widest[i], th.small(ink).Width(cell))
			}
		}
	}
	size := vg.Length(th.size)
	gap := 0.8 * size
	t.columns[1] = max(3.6*size, widest[3]+gap)
	t.columns[0] = max(8.2*size, t.columns[1]+widest[2]+gap)
	t.names = widest[0]
	t.room = width - tableLeft - keyWidth - gap - widest[1] - t.columns[0] - tableRight
	return t
}

func curveRows(v *study.Convergence) [][4]string {
	rows := [][4]string{{"capability, schedule", "H", "seconds", "ratio"}}
	for _, k := range v.Curves {
		name := cmp.Or(k.Kind, "schedule without a name")
		if k.Capability != "" {
			name = k.Capability + ", " + name
		}
		if k.SecondsToTarget == nil {
			rows = append(rows, [4]string{name, "", "", notReached})
			continue
		}
		rows = append(rows, [4]string{name, fmt.Sprint(k.H), shortNumber(*k.SecondsToTarget), shortNumber(*k.OverColocated)})
	}
	return rows
}

func (t curveTable) height() vg.Length { return vg.Length(len(t.rows)+1) * t.th.line() }

func (t curveTable) draw(c draw.Canvas, v *study.Convergence) {
	y := c.Max.Y - t.th.line()
	for i, r := range t.rows {
		sty := t.th.small(ink)
		if i == 0 {
			sty = t.th.small(muted)
		} else {
			line := curveLine(v.Curves[i-1])
			c.StrokeLine2(line, c.Min.X+tableLeft, y, c.Min.X+tableLeft+16, y)
		}
		c.FillText(aligned(sty, text.XLeft, text.YCenter), vg.Point{X: c.Min.X + tableLeft + keyWidth, Y: y}, shortened(sty, r[0], t.room))
		for k, cell := range r[1:] {
			c.FillText(aligned(sty, text.XRight, text.YCenter), vg.Point{X: c.Max.X - tableRight - t.columns[k], Y: y}, cell)
		}
		y -= t.th.line()
	}
}
