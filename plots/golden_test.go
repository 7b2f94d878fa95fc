package plots

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/plot/cmpimg"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/presets"
	"github.com/islandsgd/islands/study"
)

var update = flag.Bool("update", false, "rewrite the golden figures; look at each before committing")

// figures are all figures of a study that takes a moment: four islands on two sides of a thin link.
var figures = sync.OnceValues(func() ([]*Figure, error) {
	ctx := context.Background()
	t, err := network.Load("dumbbell")
	if err != nil {
		return nil, err
	}
	world, err := network.Load("nine-city")
	if err != nil {
		return nil, err
	}
	q, err := gossip.ParseProblem("quadratic:d=3,spread=0.2", len(t.Islands))
	if err != nil {
		return nil, err
	}
	s, err := study.New(study.Options{
		Topology: t, Problem: q, ProblemName: "quadratic:d=3,spread=0.2",
		Evidence: study.EvidenceOptions{Rounds: 20, Runs: 20, Seed: 1},
	})
	if err != nil {
		return nil, err
	}
	onMap := Topology(world)
	onMap.Name = "topology-map"
	out := []*Figure{onMap, Topology(t)}
	add := func(f *Figure, e error) {
		out, err = append(out, f), errors.Join(err, e)
	}
	add(draws(Cost)(s.Costs()))
	add(draws(Spectrum)(s.Spectra(ctx)))
	add(draws(Pareto)(s.Fronts(ctx)))
	add(draws(Shift)(s.Shift(ctx)))
	add(draws(Deployment)(s.Deployment(ctx)))
	add(draws(Tightness)(s.Tightness(ctx)))
	add(loads(s))
	add(draws(Schedule)(s.Timeline(ctx)))
	add(draws(Matrices)(s.Matrices(ctx)))
	add(draws(Consensus)(s.Evidence(ctx)))
	add(draws(Convergence)(s.Convergence(ctx)))
	add(draws(Presets)(presetCurves(ctx, "ba-topo", "diloco", "large-minibatch", "matcha", "switchml")))
	return out, err
})

// loads draws the utilization of the study's network.
func loads(s *study.Study) (*Figure, error) {
	l, err := s.Loads()
	if err != nil {
		return nil, err
	}
	return Utilization(s.Topology(), l), nil
}

func presetCurves(ctx context.Context, names ...string) ([]*presets.Curve, error) {
	var out []*presets.Curve
	for _, name := range names {
		p, err := presets.Load(name)
		if err != nil {
			return nil, err
		}
		c, err := presets.Converge(ctx, p, 1, 0)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// draws lifts a drawing function over the error of what it draws.
func draws[T any](draw func(T) *Figure) func(T, error) (*Figure, error) {
	return func(v T, err error) (*Figure, error) {
		if err != nil {
			return nil, err
		}
		return draw(v), nil
	}
}

func all(t *testing.T) []*Figure {
	t.Helper()
	f, err := figures()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Golden figures: a figure that changes must be looked at. PNG at screen resolution, so that the files stay small;
// approximate comparison, because the last bits of curves differ between processors.
func TestFiguresAreGolden(t *testing.T) {
	for _, f := range all(t) {
		t.Run(f.Name, func(t *testing.T) {
			got, err := f.Render("png", Look{DPI: 96})
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", f.Name+"_golden.png")
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			const tolerance = 0.02 // share of the largest color distance, per pixel
			same, err := cmpimg.EqualApprox("png", got, want, tolerance)
			if err != nil {
				t.Fatal(err)
			}
			if !same {
				out := filepath.Join(t.ArtifactDir(), f.Name+".png")
				_ = os.WriteFile(out, got, 0o644)
				t.Errorf("the figure differs from %s (run with -update after looking at it)", golden)
			}
		})
	}
}

func TestEqualResultsGiveEqualBytes(t *testing.T) {
	for _, f := range all(t) {
		for _, format := range Formats() {
			a, err := f.Render(format, Look{})
			if err != nil {
				t.Fatal(err)
			}
			b, err := f.Render(format, Look{})
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(a, b) {
				t.Errorf("%s.%s: two renderings differ", f.Name, format)
			}
		}
		if _, err := f.Render("bmp", Look{}); err == nil {
			t.Error("an unknown format was accepted")
		}
	}
}

func TestCSVHoldsTheFigure(t *testing.T) {
	for _, f := range all(t) {
		data, err := f.CSV()
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Count(string(data), "\n")
		if lines != len(f.Data.Rows)+1 || lines < 2 {
			t.Errorf("%s: %d lines for %d rows", f.Name, lines, len(f.Data.Rows))
		}
		for i, r := range f.Data.Rows {
			if len(r) != len(f.Data.Columns) {
				t.Fatalf("%s: row %d has %d cells, want %d", f.Name, i, len(r), len(f.Data.Columns))
			}
		}
		if f.Caption == "" || f.Title == "" {
			t.Errorf("%s has no caption or title", f.Name)
		}
	}
}

func TestPageIsSelfContained(t *testing.T) {
	p := &Page{Title: "a < b", Figures: all(t), Command: "analyze plot"}
	html, err := p.HTML()
	if err != nil {
		t.Fatal(err)
	}
	text := string(html)
	if n := strings.Count(text, "<svg"); n != len(p.Figures) {
		t.Errorf("%d pictures inline, want %d", n, len(p.Figures))
	}
	for _, bad := range []string{"<script", "<link", "<img", "src=", "a < b"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page contains %q", bad)
		}
	}
}
