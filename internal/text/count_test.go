package text

import "testing"

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 rounds", 1: "1 round", 2: "2 rounds"} {
		if got := Count(n, "round"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
