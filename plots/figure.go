// Package plots draws the results of a study.
//
// A Figure takes a plain result (structs from package study) and knows how to draw itself on any canvas, which
// numbers it shows and what a reader should see in it. This package computes nothing that it draws: whatever stands
// in a figure stands in its CSV as well.
//
// Figures look alike in SVG, PNG and PDF, and equal results give equal bytes: no clock, no random order, no
// machine-dependent font. The theme is one file, and no figure sets a style of its own. A figure is drawn anew for every
// width, at the same size of text, so that it suits a page as well as a column.
package plots

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
	"gonum.org/v1/plot/vg/vgtex"

	"github.com/islandsgd/islands/internal/text"
)

// Figure is one picture with its data.
type Figure struct {
	Name    string // file name without ending
	Title   string
	Caption string // what is shown and what to see in it
	Sources string // where the methods come from
	Data    Table

	height func(width vg.Length, th theme) vg.Length
	draw   func(c draw.Canvas, th theme) error
}

// Table is the data of a figure as it stands in its CSV file.
type Table struct {
	Columns []string // with units, as in "seconds" or "bandwidth_bps"
	Rows    [][]string
}

// Look is what a reader may choose. The zero value works.
type Look struct {
	Width    vg.Length // of the whole figure; default: FullWidth
	FontSize float64   // of labels, in points; default: FontSize
	DPI      int       // dots per inch of PNG; default: 300
}

// Formats are the file formats that Render knows.
func Formats() []string { return []string{"svg", "png", "pdf", "tex"} }

// Render draws the figure in one of Formats. tex is a document of its own for LuaLaTeX or
// XeLaTeX, since labels are Unicode.
func (f *Figure) Render(format string, l Look) ([]byte, error) {
	if l.Width == 0 {
		l.Width = FullWidth
	}
	if l.FontSize == 0 {
		l.FontSize = FontSize
	}
	if l.DPI == 0 {
		l.DPI = 300
	}
	th := theme{l.FontSize}
	w, h := l.Width, f.height(l.Width, th)
	var c vg.CanvasWriterTo
	switch format {
	case "svg":
		c = vgsvg.New(w, h)
	case "png":
		c = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(l.DPI))}
	case "pdf":
		c = pdfCanvas{vgpdf.New(w, h)}
	case "tex":
		c = texCanvas{vgtex.NewDocument(w, h)}
	default:
		return nil, fmt.Errorf("unknown format %q%s", format, text.DidYouMean(format, Formats()))
	}
	if err := f.draw(draw.New(c), th); err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.Name, err)
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.Name, err)
	}
	return finish(format, b.Bytes()), nil
}

// finish makes a file the same in every run and at home on every machine.
func finish(format string, data []byte) []byte {
	switch format {
	case "svg": // where the font is missing, one of the same widths
		return bytes.ReplaceAll(data, []byte("font-family:Liberation Sans;"), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
	case "pdf":
		return fixDates(data)
	}
	return data
}

// fixDates sets the creation dates of a PDF to a fixed day, without moving a byte.
func fixDates(data []byte) []byte {
	const layout = "20060102150405"
	fixed := []byte(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Format(layout))
	for _, key := range []string{"/CreationDate (D:", "/ModDate (D:"} {
		if at := bytes.Index(data, []byte(key)); at >= 0 && at+len(key)+len(fixed) <= len(data) {
			copy(data[at+len(key):], fixed)
		}
	}
	return data
}

// texCanvas escapes what TeX would take for commands.
type texCanvas struct{ *vgtex.Canvas }

var texEscape = strings.NewReplacer(`\`, `\textbackslash{}`, "%", `\%`, "&", `\&`, "#", `\#`, "$", `\$`, "_", `\_`, "{", `\{`, "}", `\}`, "^", `\^{}`, "~", `\~{}`)

// FillString sets text where the plain text would stand: TeX centers it, by the width that vgtex takes from the string.
func (c texCanvas) FillString(f font.Face, pt vg.Point, s string) {
	escaped := texEscape.Replace(s)
	pt.X -= (f.Width(escaped) - f.Width(s)) / 2
	c.Canvas.FillString(f, pt, escaped)
}

// CSV returns the figure's data with a header line.
func (f *Figure) CSV() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.Write(f.Data.Columns); err != nil {
		return nil, err
	}
	if err := w.WriteAll(f.Data.Rows); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// row turns strings, integers and floats into the cells of a CSV row. A float that does not exist is an empty cell.
func row(cells ...any) []string {
	out := make([]string, len(cells))
	for i, c := range cells {
		switch v := c.(type) {
		case string:
			out[i] = v
		case int:
			out[i] = strconv.Itoa(v)
		case float64:
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				out[i] = strconv.FormatFloat(v, 'g', -1, 64)
			}
		case *float64:
			if v != nil {
				out[i] = row(*v)[0]
			}
		case []string:
			out[i] = strings.Join(v, ", ")
		default:
			panic(fmt.Sprintf("plots: no CSV form for %T", c))
		}
	}
	return out
}

// byWidth gives a figure one ratio across a page and another in a column, and more height where text is larger.
func byWidth(page, column float64) func(vg.Length, theme) vg.Length {
	return func(w vg.Length, th theme) vg.Length {
		const lines = 6 // that a chart has above and below its frame
		if narrow(w) {
			return w*vg.Length(column) + th.taller(lines)
		}
		return w*vg.Length(page) + th.taller(lines)
	}
}

// narrow reports whether panels should stand above each other instead of side by side.
func narrow(w vg.Length) bool { return w < 130*vg.Millimeter }

// shortNumber prints a value for an axis or a label: three significant digits, no exponent where it can be avoided.
func shortNumber(v float64) string {
	if a := math.Abs(v); a != 0 && (a < 1e-3 || a >= 1e5) {
		e := int(math.Floor(math.Log10(a)))
		m := strconv.FormatFloat(v/math.Pow(10, float64(e)), 'g', 3, 64)
		if m == "1" {
			return powerOfTen(e)
		}
		return m + "·" + powerOfTen(e)
	}
	if v == 0 {
		return "0" // also for a negative zero
	}
	digits := 3
	if math.Abs(v) >= 1000 { // rounded to three digits, written out
		unit := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-2)
		v, digits = math.Round(v/unit)*unit, 6
	}
	return strings.Replace(strconv.FormatFloat(v, 'g', digits, 64), "-", "−", 1)
}

// powerOfTen prints 10^e in Unicode, small powers in full.
func powerOfTen(e int) string {
	if e >= -2 && e <= 3 {
		return strconv.FormatFloat(math.Pow(10, float64(e)), 'f', -1, 64)
	}
	superscript := strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")
	return "10" + superscript.Replace(strconv.Itoa(e))
}
