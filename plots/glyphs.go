package plots

import (
	"strings"
	"unicode"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The font of the theme has Latin, Greek, Cyrillic and Hebrew letters. What it lacks would be drawn as nothing.

// missing stands for a character that the font lacks.
const missing = '?'

// drawable replaces what a font lacks, so that a label is never empty. Marks and controls, which have no width of their
// own, are left out.
func drawable(face font.Face, s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < unicode.MaxASCII || hasGlyph(face, r):
			return r
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
			return -1
		}
		return missing
	}, s)
}

func hasGlyph(face font.Face, r rune) bool {
	i, err := face.Face.GlyphIndex(nil, r)
	return err == nil && i != 0
}

// viewerHasFonts reports whether text is drawn by the program that shows the figure, with other fonts where the one of
// the theme lacks a character: an SVG keeps its text as it is.
func viewerHasFonts(c vg.Canvas) bool {
	if d, ok := c.(*draw.Canvas); ok {
		return viewerHasFonts(d.Canvas)
	}
	_, ok := c.(*vgsvg.Canvas)
	return ok
}
