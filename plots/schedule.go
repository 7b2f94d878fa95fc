package plots

import (
	"fmt"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/islandsgd/islands/internal/units"
	"github.com/islandsgd/islands/study"
)

// Schedule draws a schedule of cliques as a timeline in seconds: one row per island, one column per round.
func Schedule(t *study.Timeline) *Figure {
	f := &Figure{
		Name: "schedule", Title: "Who averages with whom, and when", Width: fullWidth, Height: 75 * vg.Millimeter,
		Data: Table{Columns: []string{"round", "start_seconds", "seconds", "clique", "members"}},
	}
	period := 0.0
	for r, seconds := range t.Seconds {
		for k, c := range t.Schedule.Rounds[r].Cliques {
			var members []string
			for _, i := range c {
				members = append(members, t.Schedule.NodeName(i))
			}
			f.Data.Rows = append(f.Data.Rows, row(r+1, period, seconds, k+1, members))
		}
		period += seconds
	}
	f.Caption = fmt.Sprintf("Two periods of the schedule %s under %s. Islands with the same color and letter in a round end it with the same average; a row without a cell idles. "+
		"The agreement between islands is %s old on average (its staleness); with one clique of all, every round, it would be %s.",
		t.Schedule.Name, t.Capability, units.FormatSeconds(t.Staleness), units.FormatSeconds(t.AllReduce))
	f.Draw = func(c draw.Canvas) error {
		drawTimeline(c, t)
		return nil
	}
	return f
}

func drawTimeline(c draw.Canvas, t *study.Timeline) {
	const periods = 2
	s := t.Schedule
	total := 0.0
	for _, v := range t.Seconds {
		total += v * periods
	}
	blank(c)
	p := newChart("seconds of communication", "")
	p.X.Min, p.X.Max = 0, total
	p.Y.Min, p.Y.Max = -0.5, float64(s.N)-0.5
	p.HideY()
	order := rowOrder(t)
	data := p.draw(draw.Crop(c, 26, -2, 0, -12))
	tx, ty := p.Transforms(&data)

	names := aligned(style(smallSize, ink), text.XRight, text.YCenter)
	for k, i := range order {
		c.FillText(names, vg.Point{X: data.Min.X - 4, Y: ty(float64(s.N - 1 - k))}, s.NodeName(i))
	}
	row := make([]int, s.N)
	for k, i := range order {
		row[i] = k
	}
	head := aligned(style(smallSize, muted), text.XCenter, text.YBottom)
	start := 0.0
	for r := range periods * s.Period() {
		seconds := t.Seconds[r%s.Period()]
		left, right := tx(start), tx(start+seconds)
		for k, clique := range s.Round(r).Cliques {
			if len(clique) < 2 {
				continue
			}
			col := cliqueColors[k%len(cliqueColors)]
			for _, i := range clique {
				y := ty(float64(s.N - 1 - row[i]))
				half := (data.Max.Y - data.Min.Y) / vg.Length(s.N) * 0.42
				fillRect(data, vg.Point{X: left + 1, Y: y - half}, vg.Point{X: right - 1, Y: y + half}, col)
				c.FillText(aligned(style(smallSize, onTop(col)), text.XCenter, text.YCenter), vg.Point{X: (left + right) / 2, Y: y}, cliqueName(k))
			}
		}
		c.FillText(head, vg.Point{X: (left + right) / 2, Y: data.Max.Y + 3}, fmt.Sprintf("round %d: %s", r+1, units.FormatSeconds(seconds)))
		start += seconds
	}
}

// cliqueName is a letter, or a number where the alphabet ends.
func cliqueName(k int) string {
	if k < 26 {
		return string(rune('A' + k))
	}
	return fmt.Sprint(k + 1)
}

// rowOrder lists the islands clique by clique of the first round, so that its colors stand together.
func rowOrder(t *study.Timeline) []int {
	var order []int
	seen := make([]bool, t.Schedule.N)
	for _, c := range t.Schedule.Rounds[0].Cliques {
		for _, i := range c {
			order = append(order, i)
			seen[i] = true
		}
	}
	for i, s := range seen {
		if !s {
			order = append(order, i)
		}
	}
	return order
}
