package schedule

import "testing"

func TestCliqueText(t *testing.T) {
	s := &Schedule{N: 4, Nodes: []string{"A", "B", "C", "D"}, Rounds: []Round{
		{Cliques: [][]int{{0, 1, 2, 3}}}, {Cliques: [][]int{{0, 2}, {1}, {3}}}, {}, {Edges: []Edge{{0, 1, 0.5}}},
	}}
	if got, want := s.CliqueText(), "all / A,C / none / weights"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := s.ShortText(); got != s.CliqueText() {
		t.Errorf("short schedule: %q", got)
	}
	large := &Schedule{N: 60, Rounds: []Round{{Cliques: make([][]int, 3)}, {Cliques: [][]int{nil}}, {}}}
	for i := range 60 {
		k := min(i/20, 1) // 20, 40 and nobody
		large.Rounds[0].Cliques[k] = append(large.Rounds[0].Cliques[k], i)
		if i < 50 {
			large.Rounds[1].Cliques[0] = append(large.Rounds[1].Cliques[0], i)
		}
	}
	if got, want := large.ShortText(), "2 cliques of 20 to 40 / a clique of 50 / none"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
