package display

import (
	"bytes"
	"encoding/gob"
	"errors"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a cell displays arrives as GoNB reads it: gob messages in the named file, one after the other. The file is opened
// once per process, so that one test does it all.
func TestDisplay(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pipe")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GONB_PIPE", file)
	if err := Markdown("**bold**"); err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	if err := Lines(Axes{X: "rounds", Y: "error", LogY: true}, Line{"halving", []float64{0, 1, 2, 3}, []float64{1, 0.5, 0, nan}}); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []Line{{"nothing", nil, nil}, {"never positive", []float64{1}, []float64{-1}}, {"uneven", []float64{1}, nil}} {
		if err := Lines(Axes{LogY: true}, bad); err == nil {
			t.Errorf("a chart of %q", bad.Name)
		}
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var kinds []string
	for d := gob.NewDecoder(f); ; {
		var m Message
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		for kind, v := range m.Data {
			kinds = append(kinds, kind)
			if data, _ := v.([]byte); kind == "image/png" {
				if m, err := png.Decode(bytes.NewReader(data)); err != nil || m.Bounds().Dx() < 500 {
					t.Errorf("the picture is none: %v", err)
				}
			}
		}
	}
	if got := strings.Join(kinds, " "); got != "text/markdown image/png" {
		t.Errorf("displayed %q", got)
	}
}
