package plots

import (
	"bytes"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// No label is drawn as nothing, and nothing that this package writes lacks a glyph.
func TestMissingGlyphsAreMarked(t *testing.T) {
	sty := theme{FontSize}.text(ink)
	face := fonts.Lookup(sty.Font, sty.Font.Size)
	for in, want := range map[string]string{
		"東京":          "??",
		"NYC-纽约":      "NYC-??",
		"São Paulo":   "São Paulo",
		"Αθήνα, Київ": "Αθήνα, Київ",
		"a\ufe0fb":    "ab", // a selector of variants, which the font lacks
		"‖W − J‖ … ≤": "‖W − J‖ … ≤",
	} {
		if got := drawable(face, in); got != want {
			t.Errorf("%q is drawn as %q, want %q", in, got, want)
		}
		if sty.Width(in) != sty.Width(want) {
			t.Errorf("%q takes %g points, drawn %g", in, sty.Width(in), sty.Width(want))
		}
	}
	for _, f := range all(t) {
		list, _ := texts(t, f, FullWidth, theme{FontSize})
		for _, w := range list {
			if strings.ContainsRune(w.text, missing) {
				t.Errorf("%s writes %q", f.Name, w.text)
			}
		}
	}
}

// An SVG is shown with the fonts of its reader.
func TestSVGKeepsItsText(t *testing.T) {
	svg := vgsvg.New(vg.Inch, vg.Inch)
	c := draw.New(svg)
	c.FillText(theme{FontSize}.text(ink), vg.Point{}, "東京")
	var b bytes.Buffer
	if _, err := svg.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "東京") {
		t.Error("the name is not in the SVG")
	}
}
