package spec

import (
	"strings"
	"testing"

	"github.com/islandsgd/islands/internal/units"
)

func TestGetters(t *testing.T) {
	s, err := Parse("topology", "star:n=9,bandwidth=10Gbps,lazy=0.5,kind=b")
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "star" || s.Int("n", 1, 1, 99) != 9 || s.Float("lazy", 0, 0, 1) != 0.5 || s.String("missing", "x") != "x" ||
		s.Quantity("bandwidth", 0, units.Bandwidth) != 1e10 || s.OneOf("kind", "a", "a", "b") != "b" {
		t.Errorf("wrong values in %+v", s)
	}
	if err := s.Finish(); err != nil {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", "has no name"},
		{"ring:n", `"n" is not key=value`},
		{"ring:n=4,n=5", "twice"},
		{"ring:n=4.5", "no whole number"},
		{"ring:n=0", "below 1"},
		{"ring:n=100", "above 99"},
		{"ring:lazy=NaN", "no finite number"},
		{"ring:k=4", `unknown key "k"`},
		{"ring:lzay=.5", `did you mean "lazy"?`},
	} {
		s, err := Parse("schedule", c.in)
		if err == nil {
			s.Int("n", 1, 1, 99)
			s.Float("lazy", 0, 0, 1)
			err = s.Finish()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want one with %q", c.in, err, c.want)
		}
	}
}
