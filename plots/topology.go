package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/islandsgd/islands/internal/units"
	"github.com/islandsgd/islands/network"
)

// Topology draws a network: on a map where its routers have coordinates, otherwise as a graph.
func Topology(t *network.Topology) *Figure {
	t, guessed := located(t)
	f := &Figure{
		Name:   "topology",
		Title:  t.Name + ": routers, links and islands",
		Data:   Table{Columns: []string{"from", "to", "bandwidth_bps", "one_way_latency_seconds"}},
		height: scene{t: t}.height,
	}
	if onMap(t) {
		f.Sources = "Coastlines: Natural Earth (public domain)."
	}
	for _, l := range t.Links {
		f.Data.Rows = append(f.Data.Rows, row(t.Routers[l.A].ID, t.Routers[l.B].ID, l.Bandwidth, l.Latency))
	}
	f.Caption = topologyCaption(t)
	if guessed > 0 {
		f.Caption += fmt.Sprintf(" %d without coordinates: each of these routers stands amid its neighbors.", guessed)
	}
	f.draw = func(c draw.Canvas, th theme) error {
		blank(c)
		s, err := newScene(c, th, t)
		if err != nil {
			return err
		}
		s.magnify()
		return s.draw(func(s *scene) {
			s.links(func(i int) draw.LineStyle { return solid(blue, linkWidth(t.Links[i].Bandwidth)) })
			s.routers()
			s.latencies()
		})
	}
	return f
}

func topologyCaption(t *network.Topology) string {
	lo, hi := math.Inf(1), 0.0
	for _, l := range t.Links {
		lo, hi = min(lo, l.Latency), max(hi, l.Latency)
	}
	s := fmt.Sprintf("%d routers, %d links, %d islands. Numbers on links are one-way latencies in ms", len(t.Routers), len(t.Links), len(t.Islands))
	if len(t.Links) > 0 {
		s += fmt.Sprintf(" (%s to %s)", units.FormatSeconds(lo), units.FormatSeconds(hi))
	}
	s += ", a link's width its bandwidth; labels that find no room are in the CSV. Filled disks are routers with an island; a ring marks multicast, a square in-line aggregation."
	if onMap(t) {
		s += " A link that leaves the map at one side comes back at the other. Where routers would cover one another, an inset magnifies them, if there is room."
	}
	return s
}

// linkWidth grows with the square root of the bandwidth, so that 1 and 100 Gbps both show.
func linkWidth(bandwidth float64) vg.Length {
	return vg.Length(min(4, max(0.6, 1.4*math.Sqrt(bandwidth/10e9))))
}

// latencies writes the one-way milliseconds beside the links, where there is room.
func (s *scene) latencies() {
	if len(s.t.Routers) > mostNames {
		return
	}
	small := s.th.small(muted)
	for i, l := range s.t.Links {
		if s.mute[l.A] && s.mute[l.B] || !s.c.Contains(s.at[l.A]) || !s.c.Contains(s.at[l.B]) {
			continue // written in the inset, or outside of it
		}
		if len(s.pieces[i]) == 0 {
			continue
		}
		piece := s.pieces[i][0]
		txt := shortNumber(l.Latency * 1e3)
		if box, ok := s.place.placeOn(piece[0], piece[1], txt, aligned(small, text.XCenter, text.YCenter)); ok {
			label(&s.c, middle(box), txt, small)
		}
	}
}
