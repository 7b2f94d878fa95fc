package explain

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/schedule"
)

func load(t *testing.T, line string) *schedule.Schedule {
	t.Helper()
	s, err := schedule.Load(line, schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func parse(t *testing.T, line string, n int) *gossip.Quadratic {
	t.Helper()
	q, err := gossip.ParseProblem(line, n)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// nonCommuting is an instance whose moments and recursion bound were computed independently, in another language.
func nonCommuting(t *testing.T) *gossip.Quadratic {
	t.Helper()
	scaled := func(v float64) []float64 { return []float64{v, 0, 0, v} }
	q, err := gossip.NewQuadratic(gossip.Quadratic{
		A:     [][]float64{{1, 0.3, 0.3, 0.5}, {0.6, 0, 0, 0.8}, {1.2, -0.4, -0.4, 0.7}, {0.5, 0.1, 0.1, 0.3}},
		B:     [][]float64{{1, 0}, {0, 2}, {-1, 1}, {2, -1}},
		Noise: [][]float64{scaled(0.04), scaled(0.01), scaled(0.09), scaled(0.04)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// find returns the number of the last item of that name.
func find(t *testing.T, e *Explanation, section, name string) float64 {
	t.Helper()
	var out *float64
	for _, s := range e.Steps {
		for _, i := range s.Items {
			if s.Section == section && i.Name == name && i.Number != nil {
				out = i.Number
			}
		}
	}
	if out == nil {
		t.Fatalf("no %s in %s", name, section)
	}
	return *out
}

func TestReferenceNumbers(t *testing.T) {
	for _, c := range []struct {
		step          float64
		rounds        int
		section, name string
		want          float64
		source        string
	}{
		{0.1, 1, "moments", "mse", 1.421177911, "independent computation"},
		{0.1, 1, "moments", "consensus", 0.001773611, "independent computation"},
		{0.1, 10, "moments", "centroid", 0.504271558, "independent computation"},
		{0.1, 10, "moments", "consensus", 0.002619764, "independent computation"},
		{0.1, 0, "limit", "mse", 0.003811268, "independent computation"},
		{0.1, 0, "limit", "radius per round", 0.943008147, "independent computation"},
		{0.1, 0, "problem", "ζ*²", 0.761578059, "independent computation"},
		{0.1, 0, "problem", "L", 1.42169906, "independent computation"},
		{0.1, 0, "problem", "μ", 0.258578644, "independent computation"},
		{0.1, 0, "problem", "δ_A", 0.431416788, "independent computation"},
		{0.1, 0, "problem", "σ²", 0.09, "mean trace of the noise: 2 (0.04+0.01+0.09+0.04)/4"},
		{0.1, 0, "mixing", "σ₂", 1.0 / 3, "closed form of the ring, (1+2cos(2π/4))/3"},
		{0.1, 0, "bounds", "γ", 0.969703081, "independent computation"},
		{0.02, 1, "bounds", "recursion centroid", 1.58200658, "independent computation"},
		{0.02, 1, "bounds", "recursion consensus", 6.68269164e-4, "independent computation"},
		{0.02, 10, "bounds", "recursion centroid", 1.44495259, "independent computation"},
		{0.02, 10, "bounds", "recursion consensus", 1.40957802e-3, "independent computation"},
	} {
		e, err := Explain(context.Background(), Instance{Schedule: load(t, "ring:n=4"), Problem: nonCommuting(t), Step: c.step, Rounds: c.rounds})
		if err != nil {
			t.Fatal(err)
		}
		if got := find(t, e, c.section, c.name); math.Abs(got-c.want) > 1e-8*math.Max(1, c.want) {
			t.Errorf("step %g, round %d: %s is %.9g, want %.9g (%s)", c.step, c.rounds, c.name, got, c.want, c.source)
		}
	}
}

// Explain compares its own arithmetic with packages gossip and bounds and fails where they differ, so that every
// instance that it accepts is a three-way agreement.
func TestAgreesWithThePackages(t *testing.T) {
	lines := []string{"local", "allreduce", "ring", "path", "star", "one-way-ring", "one-peer-exponential", "base:k=1", "round-robin", "ring:weights=fdla", "path:lazy=0.3", "star:h=3", "ring:h=2"}
	rapid.Check(t, func(r *rapid.T) {
		n, d := rapid.IntRange(1, MaxIslands).Draw(r, "n"), rapid.IntRange(1, MaxParameters).Draw(r, "d")
		s, err := schedule.Load(rapid.SampledFrom(lines).Draw(r, "schedule"), schedule.Options{N: n})
		if err != nil {
			return // a family that this n does not suit
		}
		number := func(low, high float64) float64 { return rapid.Float64Range(low, high).Draw(r, "number") }
		q := gossip.Quadratic{Diagonal: rapid.Bool().Draw(r, "diagonal")}
		for range n {
			var a, b, noise, start []float64
			angle := number(0, math.Pi)
			for k := range d {
				b, start = append(b, number(-2, 2)), append(start, number(-2, 2))
				if q.Diagonal {
					a, noise = append(a, number(0.05, 1)), append(noise, number(0, 1))
					continue
				}
				for l := range d {
					v, s := 0.0, 0.0
					if k == l {
						v, s = number(0.1, 1), number(0, 1)
					}
					a, noise = append(a, v), append(noise, s)
				}
			}
			if !q.Diagonal && d > 1 { // turn the first two axes
				c, s := math.Cos(angle), math.Sin(angle)
				x, y := a[0], a[d+1]
				a[0], a[1], a[d], a[d+1] = c*c*x+s*s*y, c*s*(x-y), c*s*(x-y), s*s*x+c*c*y
			}
			q.A, q.B, q.Noise, q.Start = append(q.A, a), append(q.B, b), append(q.Noise, noise), append(q.Start, start)
		}
		problem, err := gossip.NewQuadratic(q)
		if err != nil {
			r.Fatal(err)
		}
		e, err := Explain(context.Background(), Instance{Schedule: s, Problem: problem, About: "random", Step: number(0.001, 1.5), Rounds: rapid.IntRange(0, 6).Draw(r, "rounds")})
		if err != nil {
			r.Fatal(err)
		}
		if _, err := json.Marshal(e); err != nil { // no NaN and no infinity
			r.Fatal(err)
		}
		if text := e.Text(); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			r.Fatal(text)
		}
	})
}

func TestDisagreementIsAnError(t *testing.T) {
	in := Instance{Schedule: load(t, "path:n=3"), Problem: parse(t, "quadratic:d=1", 3), Rounds: 1}
	w, err := newWork(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	w.mixing()
	w.problem()
	w.moments()
	w.limit()
	if err := w.check(context.Background()); err != nil {
		t.Fatal(err)
	}
	w.points[1].Consensus *= 1.001
	if err := w.check(context.Background()); err == nil {
		t.Error("a wrong moment passed the comparison")
	}
}

func TestWeightedIslands(t *testing.T) {
	s, err := schedule.Read("w.yaml", []byte("n: 3\nrounds:\n  - {edges: [[0, 1], [1, 2]], weights: reversible, target: [0.5, 0.3, 0.2]}\n"), schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	q := *parse(t, "quadratic:d=2,spread=0.3", 3)
	q.Weights = []float64{0.5, 0.3, 0.2}
	weighted, err := gossip.NewQuadratic(q)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Explain(context.Background(), Instance{Schedule: s, Problem: weighted, Rounds: 3})
	if err != nil {
		t.Fatal(err)
	}
	// stationary_factor of analyze mixing on the same schedule (docs/mixing.md): the factor in the weighted norm
	if got := find(t, e, "mixing", "‖Φ_1 - J‖"); math.Abs(got-0.6821952) > 1e-7 {
		t.Errorf("weighted factor %.7f, want 0.6821952", got)
	}
}

func TestRefusals(t *testing.T) {
	algorithm, err := gossip.ParseAlgorithm("dgd")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		schedule, problem string
		n                 int
		change            func(*Instance)
		want              string
	}{
		{"ring:n=7", "quadratic:d=1", 7, nil, "7 islands are too many to work by hand: at most 6"},
		{"ring:n=4", "quadratic:d=4", 4, nil, "4 parameters are too many to work by hand: at most 3"},
		{"ring:n=4", "quadratic:d=1", 3, nil, "the problem has 3 islands, the schedule has 4 nodes"},
		{"random-matching:n=4", "quadratic:d=1", 4, nil, "is random"},
		{"ring:n=4", "least-squares:d=1", 4, nil, "least squares"},
		{"ring:n=4", "quadratic:d=1", 4, func(in *Instance) { in.Rounds = 13 }, "round 13: between 0 and 12 rounds"},
		{"ring:n=4,h=20", "quadratic:d=1", 4, func(in *Instance) { in.Rounds = 3 }, "60 local steps"},
		{"ring:n=4", "quadratic:d=1", 4, func(in *Instance) { in.Step = math.NaN() }, "no positive finite number"},
		{"ring:n=4", "quadratic:d=1", 4, func(in *Instance) { in.Algorithm = algorithm }, "algorithm dgd is not worked by hand, only atc"},
	} {
		in := Instance{Schedule: load(t, c.schedule), Problem: parse(t, c.problem, c.n), Rounds: 1}
		if c.change != nil {
			c.change(&in)
		}
		if _, err := Explain(context.Background(), in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s on %s: error %v, want %q", c.schedule, c.problem, err, c.want)
		}
	}
}

func TestNumbersAsTheyAreWritten(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{fraction(1.0 / 3), "1/3"}, {fraction(-0.25), "-1/4"}, {fraction(2), "2"}, {fraction(math.Sqrt2), ""}, {fraction(-1e-17), "0"},
		{num(1e-17), "0"}, {num(1.0 / 3), "0.333333"}, {signed(-2), "(-2)"}, {tuple([]float64{1, -0.5}), "(1, -0.5)"},
		{strings.Join(block([][]float64{{0.5, 0.5}, {0, 1}}), " "), "[ 1/2 1/2 ] [   0   1 ]"},
		{strings.Join(block([][]float64{{math.Sqrt2, 0.5}}), " "), "[ 1.41421     0.5 ]"},
		{complexes([]complex128{complex(0.5, 0.25), complex(1, 0)}), "0.5+0.25i, 1"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// Three islands on a path, one parameter: the first round of the blackboard.
func ExampleExplain() {
	s, err := schedule.Load("path:n=3", schedule.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	problem, err := gossip.NewQuadratic(gossip.Quadratic{
		Diagonal: true, A: [][]float64{{1}, {1}, {1}}, B: [][]float64{{3}, {0}, {-3}}, Noise: [][]float64{{0.3}, {0.3}, {0.3}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := Explain(context.Background(), Instance{Schedule: s, Problem: problem, About: "three islands", Step: 0.1, Rounds: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, step := range e.Steps {
		if step.Title == "Round 1" {
			for _, item := range step.Items[:4] {
				fmt.Println(item.Name, item.Work, item.Vector)
			}
		}
	}
	// Output:
	//  step of island 0: 0 - 0.1·1·(0 - 3) = 0.3 []
	//  step of island 1: 0 - 0.1·1·(0 - 0) = 0 []
	//  step of island 2: 0 - 0.1·1·(0 - (-3)) = -0.3 []
	// C before mixing  []
}
