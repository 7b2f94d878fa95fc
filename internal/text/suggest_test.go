package text

import "testing"

func TestDidYouMean(t *testing.T) {
	for _, c := range []struct {
		name       string
		candidates []string
		want       string
	}{
		{"rign", []string{"ring", "star"}, ` (did you mean "ring"?)`},
		{"ruonds", []string{"rounds", "nodes"}, ` (did you mean "rounds"?)`},
		{"polt", []string{"plot", "cost"}, ` (did you mean "plot"?)`},
		{"xyzzy", []string{"star", "ring"}, " (known: ring, star)"},
		{"a", []string{"b"}, " (known: b)"},
		{"a", nil, ""},
	} {
		if got := DidYouMean(c.name, c.candidates); got != c.want {
			t.Errorf("DidYouMean(%q, %q) = %q, want %q", c.name, c.candidates, got, c.want)
		}
	}
}
