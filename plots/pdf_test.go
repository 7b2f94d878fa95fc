package plots

import (
	"bytes"
	"compress/zlib"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The text of a PDF is ASCII, as its fonts' encoding can show; the rest is drawn.
func TestPDFText(t *testing.T) {
	f := &Figure{Name: "text", height: func(vg.Length, theme) vg.Length { return 100 }, draw: func(c draw.Canvas, th theme) error {
		for i, s := range []string{"plain", "−7%", "München", "‖W − J‖"} {
			c.FillText(th.text(ink), vg.Point{X: 10, Y: vg.Length(10 + 20*i)}, s)
		}
		return nil
	}}
	data, err := f.Render("pdf", Look{})
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, part := range bytes.Split(data, []byte("stream\n"))[1:] {
		r, err := zlib.NewReader(bytes.NewReader(part))
		if err != nil {
			continue // not the beginning of a compressed stream
		}
		page, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\((.*?)\) ?Tj`).FindAllSubmatch(page, -1) {
			shown = append(shown, string(m[1]))
		}
	}
	if strings.Join(shown, " ") != "plain" {
		t.Errorf("text %q, want plain alone", shown)
	}
}

// An outline is as wide as the text that it stands for, apart from the bearings of its first and last letter, and stands
// on the baseline.
func TestOutline(t *testing.T) {
	face := theme{8}.text(ink)
	f := face.Handler.Cache().Lookup(face.Font, face.Font.Size)
	for _, s := range []string{"−7%", "‖W − J‖", "München", "λ ≤ 1"} {
		left, right, low := math.Inf(1), math.Inf(-1), math.Inf(1)
		for _, p := range outline(f, vg.Point{X: 10, Y: 20}, s) {
			if p.Type == vg.CloseComp {
				continue
			}
			left, right, low = min(left, float64(p.Pos.X)), max(right, float64(p.Pos.X)), min(low, float64(p.Pos.Y))
		}
		if width := float64(f.Width(s)); math.Abs(right-left-width) > 1.5 || math.Abs(left-10) > 1 {
			t.Errorf("%q reaches from %v to %v, want a width of about %v from 10", s, left, right, width)
		}
		if low < 20-3 || low > 20+3 {
			t.Errorf("%q: lowest point %v, baseline 20", s, low)
		}
	}
}
