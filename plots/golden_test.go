package plots

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/plot/cmpimg"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/study"
)

var update = flag.Bool("update", false, "rewrite the golden figures; look at each before committing")

// small is a study that takes a moment: four islands on two sides of a thin link.
var small = sync.OnceValues(func() (*study.Study, error) {
	t, err := network.Load("dumbbell")
	if err != nil {
		return nil, err
	}
	q, err := gossip.ParseProblem("quadratic:d=3,spread=0.2", len(t.Islands))
	if err != nil {
		return nil, err
	}
	return study.Run(context.Background(), study.Options{
		Topology: t, Problem: q, ProblemName: "quadratic:d=3,spread=0.2",
		Evidence: study.EvidenceOptions{Rounds: 20, Runs: 20, Seed: 1},
	})
})

func figures(t *testing.T) []*Figure {
	t.Helper()
	s, err := small()
	if err != nil {
		t.Fatal(err)
	}
	world, err := network.Load("nine-city")
	if err != nil {
		t.Fatal(err)
	}
	onMap := Topology(world)
	onMap.Name = "topology-map"
	return []*Figure{
		onMap, Topology(s.Topology), Cost(s.Costs), Schedule(s.Timeline), Matrices(s.Matrices), Consensus(s.Evidence), Convergence(s.Convergence),
	}
}

// Golden figures: a figure that changes must be looked at. PNG at screen resolution, so that the files stay small;
// approximate comparison, because the last bits of curves differ between processors.
func TestFiguresAreGolden(t *testing.T) {
	for _, f := range figures(t) {
		t.Run(f.Name, func(t *testing.T) {
			got, err := f.renderPNG(96)
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
	for _, f := range figures(t) {
		for _, format := range Formats() {
			a, err := f.Render(format)
			if err != nil {
				t.Fatal(err)
			}
			b, err := f.Render(format)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(a, b) {
				t.Errorf("%s.%s: two renderings differ", f.Name, format)
			}
		}
		if _, err := f.Render("bmp"); err == nil {
			t.Error("an unknown format was accepted")
		}
	}
}

func TestCSVHoldsTheFigure(t *testing.T) {
	for _, f := range figures(t) {
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
	p := &Page{Title: "a < b", Figures: figures(t), Command: "analyze plot"}
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
