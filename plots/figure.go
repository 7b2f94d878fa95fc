// Package plots draws the results of a study.
//
// A Figure takes a plain result (structs from package study) and knows how to draw itself on any canvas, which
// numbers it shows and what a reader should see in it. This package computes nothing that it draws: whatever stands
// in a figure stands in its CSV as well.
//
// Figures look alike in SVG, PNG and PDF, and equal results give equal bytes: no clock, no random order, no
// machine-dependent font. The theme is one file, and no figure sets a style of its own.
package plots

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/islandsgd/islands/internal/text"
)

// Figure is one picture with its data.
type Figure struct {
	Name    string // file name without ending
	Title   string
	Caption string // what is shown and what to see in it
	Sources string // where the methods come from
	Width   vg.Length
	Height  vg.Length
	Draw    func(c draw.Canvas) error
	Data    Table
}

// Table is the data of a figure as it stands in its CSV file.
type Table struct {
	Columns []string // with units, as in "seconds" or "bandwidth_bps"
	Rows    [][]string
}

// Formats are the file formats that Render knows.
func Formats() []string { return []string{"svg", "png", "pdf"} }

// Render draws the figure in one of Formats. PNG has 300 dots per inch.
func (f *Figure) Render(format string) ([]byte, error) {
	var c vg.CanvasWriterTo
	switch format {
	case "svg":
		c = vgsvg.New(f.Width, f.Height)
	case "png":
		return f.renderPNG(300)
	case "pdf":
		c = vgpdf.New(f.Width, f.Height)
	default:
		return nil, fmt.Errorf("unknown format %q%s", format, text.DidYouMean(format, Formats()))
	}
	data, err := f.drawOn(c)
	if format == "svg" { // where the font is missing, one of the same widths
		data = bytes.ReplaceAll(data, []byte("font-family:Liberation Sans;"), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
	}
	return data, err
}

func (f *Figure) renderPNG(dpi int) ([]byte, error) {
	return f.drawOn(vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(f.Width, f.Height), vgimg.UseDPI(dpi))})
}

func (f *Figure) drawOn(c vg.CanvasWriterTo) ([]byte, error) {
	if err := f.Draw(draw.New(c)); err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.Name, err)
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.Name, err)
	}
	return b.Bytes(), nil
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
		case []int:
			parts := make([]string, len(v))
			for k, x := range v {
				parts[k] = strconv.Itoa(x)
			}
			out[i] = strings.Join(parts, " ")
		case []string:
			out[i] = strings.Join(v, " ")
		default:
			panic(fmt.Sprintf("plots: no CSV form for %T", c))
		}
	}
	return out
}

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
