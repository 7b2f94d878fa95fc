package plots

import (
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/islandsgd/islands/network"
)

// A small clique is drawn complete, a large one as the shortest tree: on a line of places, from neighbor to neighbor.
func TestJoins(t *testing.T) {
	top, err := network.Load("path:n=12")
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{t: top, line: func(a, b int) [][2]vg.Point {
		return [][2]vg.Point{{{X: vg.Length(a)}, {X: vg.Length(b)}}}
	}}
	if got := len(s.joins([]int{0, 3, 5, 7})); got != 6 {
		t.Errorf("%d lines in a clique of four, want 6", got)
	}
	got := s.joins([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
	if len(got) != 11 {
		t.Errorf("%d lines in a clique of twelve, want 11", len(got))
	}
	for _, p := range got {
		if p[0]-p[1] != 1 && p[1]-p[0] != 1 {
			t.Errorf("line %v in the tree of a path", p)
		}
	}
}
