package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/islandsgd/islands/internal/units"
	"github.com/islandsgd/islands/schedule"
	"github.com/islandsgd/islands/study"
)

// mostMaps is how many rounds are shown on maps above the timeline.
const mostMaps = 4

// Schedule draws a schedule of cliques: its rounds on the map, and as a timeline in seconds with one row per island.
func Schedule(t *study.Timeline) *Figure {
	f := &Figure{
		Name: "schedule", Title: "Who averages with whom, and when",
		Data: Table{Columns: []string{"round", "start_seconds", "seconds", "clique", "members"}},
	}
	start := 0.0
	for r, seconds := range t.Seconds {
		for k, c := range t.Schedule.Rounds[r].Cliques {
			var members []string
			for _, i := range c {
				members = append(members, t.Schedule.NodeName(i))
			}
			f.Data.Rows = append(f.Data.Rows, row(r+1, start, seconds, k+1, members))
		}
		start += seconds
	}
	f.Caption = fmt.Sprintf("%s, priced under %s. Islands with the same color and letter in a round end it with the same average; an island without a cell is idle. ", capitalized(t.Schedule.Name), t.Capability)
	if t.Staleness != nil && t.AllReduce != nil {
		f.Caption += fmt.Sprintf("The agreement between the islands is %s old on average (its staleness); with one clique of all, every round, it would be %s.",
			units.FormatSeconds(*t.Staleness), units.FormatSeconds(*t.AllReduce))
	}
	if t.Topology != nil {
		onMap := *t
		onMap.Topology, _ = located(t.Topology)
		t = &onMap
	}
	maps := timelineMaps(t)
	if p := t.Schedule.Period(); maps.rounds > 0 && p > mostMaps {
		f.Caption += fmt.Sprintf(" The maps show the first %d of %d rounds.", mostMaps, p)
	}
	if maps.rounds > 0 && slices.ContainsFunc(t.Schedule.Rounds[:maps.rounds], hasLarge) {
		f.Caption += fmt.Sprintf(" On the map a clique of more than %d is drawn as a tree, though all its members average with one another.", mostComplete)
	}
	f.height = func(w vg.Length, th theme) vg.Length {
		return vg.Length(t.Schedule.N)*vg.Length(th.size)*1.55 + 48 + maps.height(w, t)
	}
	f.draw = func(c draw.Canvas, th theme) error {
		blank(c)
		top := c
		top.Min.Y = c.Max.Y - maps.height(c.Max.X-c.Min.X, t)
		if err := maps.draw(top, th, t); err != nil {
			return err
		}
		c.Max.Y = top.Min.Y
		drawTimeline(c, th, t)
		return nil
	}
	return f
}

func hasLarge(r schedule.Round) bool {
	return slices.ContainsFunc(r.Cliques, func(c []int) bool { return len(c) > mostComplete })
}

func capitalized(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

// maps lays out the rounds of a period on small maps, none where islands have no place.
type maps struct{ rounds int }

// shape is the number of columns and lines of maps at a width.
func (m maps) shape(w vg.Length) (columns, lines int) {
	columns = min(m.rounds, 2)
	if narrow(w) {
		columns = 1
	}
	return columns, (m.rounds + columns - 1) / columns
}

func timelineMaps(t *study.Timeline) maps {
	if t.Topology == nil || !onMap(t.Topology) || len(t.Topology.Islands) != t.Schedule.N {
		return maps{}
	}
	return maps{min(t.Schedule.Period(), mostMaps)}
}

func (m maps) height(w vg.Length, t *study.Timeline) vg.Length {
	if m.rounds == 0 {
		return 0
	}
	columns, lines := m.shape(w)
	return vg.Length(lines) * (mapHeight(t.Topology, w/vg.Length(columns)) + 4)
}

func (m maps) draw(c draw.Canvas, th theme, t *study.Timeline) error {
	for r := range m.rounds {
		columns, lines := m.shape(c.Max.X - c.Min.X)
		i, j := r/columns, r%columns
		box := panel(c, float64(j)/float64(columns), float64(j+1)/float64(columns), 1-float64(i+1)/float64(lines), 1-float64(i)/float64(lines))
		box = draw.Crop(box, 2, -2, 4, 0)
		s, err := newScene(box, th, t.Topology)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("round %d", r+1)
		txt := th.small(ink)
		at := vg.Point{X: box.Min.X + txt.Width(name)/2 + 4, Y: box.Min.Y + txt.Height(name)/2 + 4}
		s.place.boxes = append(s.place.boxes, grown(at, txt.Width(name)+4, txt.Height(name)+4))
		for _, members := range t.Schedule.Rounds[r].Cliques {
			for _, p := range s.joins(members) {
				for _, l := range s.line(p[0], p[1]) {
					s.place.line(l[0], l[1])
				}
			}
		}
		s.magnify()
		err = s.draw(func(s *scene) {
			s.links(func(int) draw.LineStyle { return solid(faint, hairline) })
			for k, clique := range t.Schedule.Rounds[r].Cliques {
				s.clique(clique, cliqueColors[k%len(cliqueColors)])
			}
		})
		if err != nil {
			return err
		}
		label(&box, at, name, txt)
	}
	return nil
}

// mostComplete is the largest clique of which every two members are joined by a line; more lines would be a carpet.
const mostComplete = 9

// joins lists the pairs of routers between which a clique is drawn: all, or the shortest tree that spans a large one.
func (s *scene) joins(members []int) [][2]int {
	complete := simple.NewWeightedUndirectedGraph(0, 0)
	var all [][2]int
	for a, i := range members {
		for _, j := range members[:a] {
			p := [2]int{s.t.Islands[i].Router, s.t.Islands[j].Router}
			all = append(all, p)
			length := 0.0
			for _, l := range s.line(p[0], p[1]) {
				length += math.Hypot(float64(l[1].X-l[0].X), float64(l[1].Y-l[0].Y))
			}
			if p[0] != p[1] {
				complete.SetWeightedEdge(complete.NewWeightedEdge(simple.Node(p[0]), simple.Node(p[1]), length))
			}
		}
	}
	if len(members) <= mostComplete {
		return all
	}
	tree := simple.NewWeightedUndirectedGraph(0, 0)
	path.Kruskal(tree, complete)
	var out [][2]int
	for _, p := range all {
		if tree.HasEdgeBetween(int64(p[0]), int64(p[1])) {
			out = append(out, p)
		}
	}
	return out
}

// clique joins its members by lines and marks them.
func (s *scene) clique(members []int, col color.Color) {
	for _, pair := range s.joins(members) {
		for _, p := range s.line(pair[0], pair[1]) {
			s.c.StrokeLines(solid(col, 0.9), s.c.ClipLinesXY([]vg.Point{p[0], p[1]})...)
		}
	}
	for _, i := range members {
		if at := s.at[s.t.Islands[i].Router]; s.c.Contains(at) {
			s.c.DrawGlyph(draw.GlyphStyle{Color: col, Radius: routerRadius, Shape: draw.CircleGlyph{}}, at)
		}
	}
}

func drawTimeline(c draw.Canvas, th theme, t *study.Timeline) {
	const periods = 2
	s := t.Schedule
	total := 0.0
	for _, v := range t.Seconds {
		total += v * periods
	}
	if total == 0 {
		total = 1
	}
	p := newChart(th, "seconds of communication", "")
	p.X.Min, p.X.Max = 0, total
	p.Y.Min, p.Y.Max = -0.5, float64(s.N)-0.5
	p.HideY()
	names := aligned(th.small(ink), text.XRight, text.YCenter)
	margin := vg.Length(0)
	for i := range s.N {
		margin = max(margin, names.Width(s.NodeName(i)))
	}
	data := p.draw(draw.Crop(c, margin, -2, 0, -th.line()))
	tx, ty := p.Transforms(&data)
	rows := make([]int, s.N)
	for k, i := range rowOrder(t) {
		rows[i] = k
		c.FillText(names, vg.Point{X: data.Min.X - 4, Y: ty(float64(s.N - 1 - k))}, s.NodeName(i))
	}
	head := aligned(th.small(muted), text.XCenter, text.YBottom)
	half := (data.Max.Y - data.Min.Y) / vg.Length(s.N) * 0.42
	title := func(r int) string {
		return fmt.Sprintf("round %d: %s", r+1, units.FormatSeconds(t.Seconds[r%s.Period()]))
	}
	for r := range periods * s.Period() {
		if head.Width(title(r)) > tx(t.Seconds[r%s.Period()])-tx(0)-2 {
			title = func(r int) string { return fmt.Sprint(r + 1) }
			break
		}
	}
	start := 0.0
	for r := range periods * s.Period() {
		seconds := t.Seconds[r%s.Period()]
		left, right := tx(start), tx(start+seconds)
		for k, clique := range s.Round(r).Cliques {
			if len(clique) < 2 {
				continue
			}
			col := cliqueColors[k%len(cliqueColors)]
			letter := aligned(th.small(onTop(col)), text.XCenter, text.YCenter)
			for _, i := range clique {
				y := ty(float64(s.N - 1 - rows[i]))
				fillRect(data, vg.Point{X: left + 1, Y: y - half}, vg.Point{X: right - 1, Y: y + half}, col)
				if right-left > letter.Width(cliqueName(k))+2 {
					c.FillText(letter, vg.Point{X: (left + right) / 2, Y: y}, cliqueName(k))
				}
			}
		}
		if txt := title(r); head.Width(txt) < right-left-2 {
			c.FillText(head, vg.Point{X: (left + right) / 2, Y: data.Max.Y + 3}, txt)
		}
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
