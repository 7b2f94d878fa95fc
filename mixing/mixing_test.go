package mixing

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/islandsgd/islands/schedule"
)

func analyze(t *testing.T, line string) *Report {
	t.Helper()
	s, err := schedule.Load(line, schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	seq, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Analyze(context.Background(), seq, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func near(t *testing.T, what string, got *float64, want, tol float64) {
	t.Helper()
	if got == nil || !(math.Abs(*got-want) <= tol) {
		t.Errorf("%s: got %v, want %v", what, value(got), want)
	}
}

func value(p *float64) any {
	if p == nil {
		return nil
	}
	return *p
}

// Closed forms, and the table of factors in Xiao and Boyd's setting computed independently in double precision.
func TestSLEM(t *testing.T) {
	for _, c := range []struct {
		line string
		want float64
	}{
		{"ring:n=8", (1 + 2*math.Cos(2*math.Pi/8)) / 3},
		{"ring:n=1", 0}, {"ring:n=2", 0}, {"local:n=4", 1}, {"local:n=1", 0}, {"allreduce:n=5", 0},
		{"star:n=32", 1 - 1.0/32},
		{"hypercube:n=32", 4.0 / 6},
		{"complete:n=7", 0},
		{"ring:n=6,weights=metropolis-hastings", 1},
		{"ring:n=6,weights=max-degree", 1},
		{"ring:n=6,weights=best-constant", .6},
		{"path:n=5", .8726780}, {"path:n=5,weights=max-degree", math.Cos(math.Pi / 5)},
		{"grid:rows=3,columns=3", .7674235}, {"grid:rows=3,columns=3,weights=metropolis-hastings", .7020357},
		{"grid:rows=3,columns=3,weights=best-constant", 5.0 / 7}, {"torus:rows=3,columns=3,weights=best-constant", 1.0 / 3},
		{"star:n=5,weights=max-degree-lazy", .8},
		{"torus:rows=4,columns=8", 1 - (2-2*math.Cos(math.Pi/4))/5},
		{"allreduce:n=5,lazy=0.25", .75},
		{"ring:n=100", (1 + 2*math.Cos(2*math.Pi/100)) / 3},
	} {
		near(t, c.line, analyze(t, c.line).SLEM, c.want, 1e-7)
	}
}

// Affine plane of order 3: two classes average exactly; one does nothing alone.
func TestRotatingTriples(t *testing.T) {
	r := analyze(t, "rotating-cliques:k=3,n=9")
	if r.Period != 4 || r.ExactAfter == nil || *r.ExactAfter != 2 || !r.ConnectedOverPeriod || !r.DoublyStochastic || !r.Symmetric {
		t.Errorf("got %+v", r)
	}
	near(t, "p", r.P, 1, 1e-12)
	near(t, "radius", r.PeriodRadius, 0, 0)
}

func TestStaleness(t *testing.T) {
	load := func(parts ...string) *Sequence {
		out := &schedule.Schedule{N: 9}
		for _, p := range parts {
			s, err := schedule.ParseCliques(p, schedule.Options{Nodes: []string{"AMS", "BAR", "FRA", "LAX", "LON", "NYC", "SEO", "SIN", "TYO"}})
			if err != nil {
				t.Fatal(err)
			}
			out.Rounds = append(out.Rounds, s.Rounds...)
		}
		seq, err := New(out)
		if err != nil {
			t.Fatal(err)
		}
		return seq
	}
	all := load("AMS,BAR,FRA,LAX,LON,NYC,SEO,SIN,TYO")
	if v, ok := Staleness(all, []float64{2.117682}); !ok || math.Abs(v-1.058841) > 1e-12 {
		t.Errorf("all-reduce: %v", v)
	}
	if v, ok := Staleness(load("AMS,FRA,LON|BAR,LAX,NYC|SEO,SIN,TYO"), []float64{1}); ok {
		t.Errorf("never connected: %v", v)
	}
}

// TestSums: by hand, of a matrix that is neither row- nor column-stochastic, and of cliques.
func TestSums(t *testing.T) {
	leak := sequence(t, &schedule.Schedule{N: 2, Rounds: []schedule.Round{{LocalSteps: 1, Entries: []schedule.Edge{{I: 0, J: 0, Weight: 0.5}, {I: 0, J: 1, Weight: 0.25}, {I: 1, J: 1, Weight: 2}}}}})
	rows, columns := leak.Steps[0].W.Sums([]float64{0.25, 0.75})
	if !slices.Equal(rows, []float64{0.75, 2}) || !slices.Equal(columns, []float64{0.125, 1.5625}) {
		t.Errorf("rows %v, columns %v", rows, columns)
	}
	pair := sequence(t, &schedule.Schedule{N: 3, Rounds: []schedule.Round{{LocalSteps: 1, Cliques: [][]int{{0, 2}}}}})
	rows, columns = pair.Steps[0].W.Sums(nil)
	if !slices.Equal(rows, []float64{1, 1, 1}) || !slices.Equal(columns, []float64{1, 1, 1}) {
		t.Errorf("cliques: rows %v, columns %v", rows, columns)
	}
}
