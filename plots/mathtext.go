package plots

import (
	"math"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// mathText is the text handler of the theme: plain text in which Unicode superscripts and subscripts (10⁻³, λ₂) are set
// as raised or lowered ordinary digits. The fonts of plot have some of these characters and lack others (⁻, ⁰, ⁹), and
// a mixture would show boxes.
type mathText struct{ plain text.Plain }

// How superscripts and subscripts are set, relative to the size of the text.
const (
	scriptSize = 0.7
	raise      = 0.33
	lower      = -0.14
)

// script is the ordinary character that stands for a raised or lowered one, and by how much it is shifted.
type script struct {
	as    rune
	shift float64
}

var scripts = func() map[rune]script {
	m := map[rune]script{}
	plain := []rune("0123456789−+t")
	for i, r := range []rune("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ᵗ") {
		m[r] = script{plain[i], raise}
	}
	for i, r := range []rune("₀₁₂₃₄₅₆₇₈₉₋₊ₜ") {
		m[r] = script{plain[i], lower}
	}
	return m
}()

// run is a stretch of text at one height.
type run struct {
	text  string
	shift float64
}

func runs(line string) []run {
	var out []run
	for _, r := range line {
		shift := 0.0
		if s, ok := scripts[r]; ok {
			r, shift = s.as, s.shift
		}
		if n := len(out); n > 0 && out[n-1].shift == shift {
			out[n-1].text += string(r)
		} else {
			out = append(out, run{string(r), shift})
		}
	}
	return out
}

func (r run) size(f font.Font) font.Length {
	if r.shift != 0 {
		return f.Size * scriptSize
	}
	return f.Size
}

func (h mathText) Cache() *font.Cache                { return h.plain.Cache() }
func (h mathText) Extents(f font.Font) font.Extents  { return h.plain.Extents(f) }
func (h mathText) Lines(txt string) []string         { return h.plain.Lines(txt) }
func (h mathText) face(r run, f font.Font) font.Face { return h.plain.Fonts.Lookup(f, r.size(f)) }
func (h mathText) width(line string, f font.Font) (w vg.Length) {
	for _, r := range runs(line) {
		face := h.face(r, f)
		w += face.Width(drawable(face, r.text))
	}
	return w
}

// Box returns the width of a line, its height above and its depth below the baseline.
func (h mathText) Box(txt string, f font.Font) (width, height, depth vg.Length) {
	e := h.Extents(f)
	return h.width(txt, f), e.Ascent, e.Descent
}

// Draw sets the text at a point, aligned and rotated as its style says.
func (h mathText) Draw(c vg.Canvas, txt string, sty text.Style, pt vg.Point) {
	txt = strings.TrimRight(txt, "\n")
	if txt == "" {
		return
	}
	c.SetColor(sty.Color)
	if sty.Rotation != 0 {
		c.Push()
		defer c.Pop()
		c.Rotate(sty.Rotation)
	}
	sin, cos := math.Sincos(sty.Rotation)
	pt.X, pt.Y = pt.Y*vg.Length(sin)+pt.X*vg.Length(cos), pt.Y*vg.Length(cos)-pt.X*vg.Length(sin)
	lines := h.Lines(txt)
	pt.Y += sty.Height(txt)*vg.Length(sty.YAlign) - h.Extents(sty.Font).Ascent
	for i, line := range lines {
		at := pt
		at.X += vg.Length(sty.XAlign) * h.width(line, sty.Font)
		at.Y += vg.Length(len(lines)-i) * sty.Font.Size
		for _, r := range runs(line) {
			face := h.face(r, sty.Font)
			shown := drawable(face, r.text)
			width := face.Width(shown)
			if viewerHasFonts(c) {
				shown = r.text
			}
			c.FillString(face, vg.Point{X: at.X, Y: at.Y + vg.Length(r.shift)*sty.Font.Size}, shown)
			at.X += width
		}
	}
}
