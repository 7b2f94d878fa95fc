package plots

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/islandsgd/islands/network"
)

func distance(a, b vg.Point) float64 { return math.Hypot(float64(a.X-b.X), float64(a.Y-b.Y)) }

func TestPointsAtOnePlaceStandOnACircle(t *testing.T) {
	within := vg.Rectangle{Max: vg.Point{X: 300, Y: 200}}
	at := []vg.Point{{X: 50, Y: 50}, {X: 100, Y: 100}, {X: 50, Y: 50}, {X: 50.2, Y: 50}, {X: 299, Y: 199}, {X: 299, Y: 199}}
	got := onCircles(at, 0.5, 10, within)
	if got[1] != at[1] {
		t.Errorf("a point by itself moved to %v", got[1])
	}
	for i, a := range got {
		for _, b := range got[:i] {
			if distance(a, b) < 9.99 {
				t.Errorf("%v and %v are nearer than 10", a, b)
			}
		}
		if toBox(within, a) > 0 || distance(a, at[i]) > 16 {
			t.Errorf("%v moved to %v", at[i], a)
		}
	}
	if again := onCircles(at, 0.5, 10, within); !slices.Equal(got, again) {
		t.Error("equal points gave another picture")
	}
}

// Routers in one building are seen one by one, with the links between them, and no inset magnifies what it cannot part.
func TestRoutersAtOnePlaceAreSeen(t *testing.T) {
	top := &network.Topology{
		Routers: []network.Router{
			{ID: "A1", HasPosition: true, Lat: 52, Lon: 5}, {ID: "A2", HasPosition: true, Lat: 52, Lon: 5},
			{ID: "B", HasPosition: true, Lat: 40, Lon: -74},
			{ID: "N", HasPosition: true, Lat: 89.9, Lon: 20}, {ID: "S", HasPosition: true, Lat: -89.9, Lon: 20},
		},
		Links: []network.Link{{A: 0, B: 1}, {A: 1, B: 2}, {A: 2, B: 3}, {A: 2, B: 4}},
	}
	const width = FullWidth
	s, err := newScene(draw.New(vgimg.New(width, mapHeight(top, width))), theme{FontSize}, top)
	if err != nil {
		t.Fatal(err)
	}
	s.magnify()
	if s.inset != nil {
		t.Error("an inset magnifies one dot")
	}
	if d := distance(s.at[0], s.at[1]); d < float64(2*routerRadius) {
		t.Errorf("two routers are %g points apart", d)
	}
	for i, l := range top.Links {
		if want := [2]vg.Point{s.at[l.A], s.at[l.B]}; len(s.pieces[i]) != 1 || distance(s.pieces[i][0][0], want[0])+distance(s.pieces[i][0][1], want[1]) > 1e-6 {
			t.Errorf("link %d is drawn at %v, want %v", i, s.pieces[i], want)
		}
	}
	for i, pt := range s.at { // also at the poles
		inner := grown(middle(s.c.Rectangle), s.c.Max.X-s.c.Min.X-2*routerRadius, s.c.Max.Y-s.c.Min.Y-2*routerRadius)
		if toBox(inner, pt) > 0 {
			t.Errorf("%s is cut off at %v", top.Routers[i].ID, pt)
		}
	}
}
