package plots

import (
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/islandsgd/islands/network"
)

func TestLargestClusterHangsTogetherByShortSteps(t *testing.T) {
	at := []vg.Point{{X: 0}, {X: 200}, {X: 10}, {X: 20}, {X: 205}, {X: 50}}
	if got := largestCluster(at); !slices.Equal(got, []int{0, 2, 3}) {
		t.Errorf("got %v, want 0, 2 and 3, which are 10 points apart", got)
	}
}

// Where routers cover one another on a page, the map gets an inset that shows them apart and hides nothing.
func TestInset(t *testing.T) {
	for _, c := range []struct {
		network string
		shows   []string
	}{
		{"nine-city", []string{"AMS", "FRA", "LON"}}, // within 10 degrees, on a map of 290
		{"abilene", nil}, // every city by itself
	} {
		top, err := network.Load(c.network)
		if err != nil {
			t.Fatal(err)
		}
		const width = 180 * vg.Millimeter
		s, err := newScene(draw.New(vgimg.New(width, mapHeight(top, width))), theme{FontSize}, top)
		if err != nil {
			t.Fatal(err)
		}
		s.magnify()
		if (s.inset != nil) != (c.shows != nil) {
			t.Fatalf("%s: inset: %v, want %v", c.network, s.inset != nil, c.shows != nil)
		}
		if s.inset == nil {
			continue
		}
		var shown []string
		for i, r := range top.Routers {
			if s.mute[i] {
				shown = append(shown, r.ID)
			}
			if s.mute[i] == s.inset.mute[i] {
				t.Errorf("%s: %s is named twice or not at all", c.network, r.ID)
			}
			if toBox(s.inset.c.Rectangle, s.at[i]) == 0 {
				t.Errorf("%s: the inset hides %s", c.network, r.ID)
			}
		}
		slices.Sort(shown)
		if !slices.Equal(shown, c.shows) {
			t.Errorf("%s: the inset shows %v, want %v", c.network, shown, c.shows)
		}
		for _, l := range s.place.lines {
			if crosses(s.inset.c.Rectangle, l[0], l[1]) {
				t.Errorf("%s: the inset hides a link", c.network)
			}
		}
	}
}

// A label beside a line is nearer to it than to any other line, or absent.
func TestLabelsOfLinesAreNotMisread(t *testing.T) {
	within := vg.Rectangle{Max: vg.Point{X: 200, Y: 100}}
	a, b := vg.Point{X: 20, Y: 50}, vg.Point{X: 180, Y: 50}
	alone := &placer{within: within, lines: [][2]vg.Point{{a, b}}}
	box, ok := alone.placeOn(a, b, "12", theme{FontSize}.small(ink))
	if !ok || toLine(middle(box), a, b) > 12 {
		t.Errorf("a lonely line has no label beside it: %v %v", box, ok)
	}
	up := vg.Point{Y: 3}
	crowded := &placer{within: within, lines: [][2]vg.Point{{a, b}, {a.Add(up), b.Add(up)}, {a.Sub(up), b.Sub(up)}}}
	if box, ok := crowded.placeOn(a, b, "12", theme{FontSize}.small(ink)); ok {
		t.Errorf("a label between three lines at %v belongs to none of them", box)
	}
}
