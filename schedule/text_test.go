package schedule

import "testing"

func TestCliqueText(t *testing.T) {
	s := &Schedule{N: 4, Nodes: []string{"A", "B", "C", "D"}, Rounds: []Round{
		{Cliques: [][]int{{0, 1, 2, 3}}}, {Cliques: [][]int{{0, 2}, {1}, {3}}}, {}, {Edges: []Edge{{0, 1, 0.5}}},
	}}
	if got, want := s.CliqueText(), "all / A,C / none / weights"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
