package plots

import (
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// pdfCanvas draws text beyond ASCII as outlines: vgpdf embeds its fonts with an encoding of 8 bits, in which a minus sign
// or a λ would come out as several other letters.
type pdfCanvas struct{ *vgpdf.Canvas }

// FillString sets ASCII as text and everything else as filled paths.
func (c pdfCanvas) FillString(f font.Face, at vg.Point, s string) {
	for _, r := range s {
		if r > '~' {
			c.Fill(outline(f, at, s))
			return
		}
	}
	c.Canvas.FillString(f, at, s)
}

// outline returns the path of a string whose baseline begins at a point, with the advances and kerning of font.Face.Width.
func outline(f font.Face, at vg.Point, s string) vg.Path {
	var (
		buf      sfnt.Buffer
		em       = fixed.Int26_6(f.Face.UnitsPerEm())
		scale    = f.Font.Size / vg.Points(float64(em))
		path     vg.Path
		x        fixed.Int26_6
		previous sfnt.GlyphIndex
	)
	point := func(p fixed.Point26_6) vg.Point {
		return vg.Point{X: at.X + vg.Points(float64(x+p.X))*scale, Y: at.Y - vg.Points(float64(p.Y))*scale}
	}
	for i, r := range s {
		glyph, err := f.Face.GlyphIndex(&buf, r)
		if err != nil {
			continue // a broken font draws nothing, as it does elsewhere
		}
		if i > 0 {
			if kern, err := f.Face.Kern(&buf, previous, glyph, em, 0); err == nil {
				x += kern
			}
		}
		segments, err := f.Face.LoadGlyph(&buf, glyph, em, nil)
		if err != nil {
			continue
		}
		for k, seg := range segments {
			switch seg.Op {
			case sfnt.SegmentOpMoveTo:
				if k > 0 {
					path.Close()
				}
				path.Move(point(seg.Args[0]))
			case sfnt.SegmentOpLineTo:
				path.Line(point(seg.Args[0]))
			case sfnt.SegmentOpQuadTo:
				path.QuadTo(point(seg.Args[0]), point(seg.Args[1]))
			case sfnt.SegmentOpCubeTo:
				path.CubeTo(point(seg.Args[0]), point(seg.Args[1]), point(seg.Args[2]))
			}
		}
		if len(segments) > 0 {
			path.Close()
		}
		if advance, err := f.Face.GlyphAdvance(&buf, glyph, em, 0); err == nil {
			x += advance
		}
		previous = glyph
	}
	return path
}
