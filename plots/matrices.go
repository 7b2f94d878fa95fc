package plots

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/islandsgd/islands/study"
)

// Matrices draws the mixing matrices of a period and their running products as heat maps.
func Matrices(m *study.Matrices) *Figure {
	f := &Figure{
		Name: "matrices", Title: "The mixing matrices of a period and their products",
		Width: fullWidth, Data: Table{Columns: []string{"matrix", "row", "column", "weight"}},
		Caption: fmt.Sprintf("Schedule %s. Above, the matrix of each round: row i says what island i takes from whom. Below, the product of the rounds so far, and how far it is from exact averaging (the norm is 0 when every entry is 1/n).", m.Schedule),
	}
	shown := min(len(m.Rounds), maxMatrices)
	if shown < len(m.Rounds) {
		f.Caption += fmt.Sprintf(" The first %d of %d rounds are shown.", shown, len(m.Rounds))
	}
	cell := fullWidth / vg.Length(max(2, min(4, shown)))
	f.Height = 2*cell + 12*vg.Millimeter
	if shown <= 2 {
		f.Width = vg.Length(shown) * 80 * vg.Millimeter
		f.Height = 2*80*vg.Millimeter + 12*vg.Millimeter
	}
	for r := range m.Rounds {
		f.Data.Rows = append(f.Data.Rows, matrixRows(fmt.Sprintf("round %d", r+1), m.Nodes, m.Rounds[r])...)
		f.Data.Rows = append(f.Data.Rows, matrixRows(fmt.Sprintf("product of rounds 1 to %d", r+1), m.Nodes, m.Products[r])...)
	}
	f.Draw = func(c draw.Canvas) error {
		drawMatrices(c, m, shown)
		return nil
	}
	return f
}

// maxMatrices is how many rounds fit side by side with readable cells.
const maxMatrices = 4

func matrixRows(name string, nodes []string, w [][]float64) [][]string {
	var out [][]string
	for i := range w {
		for j, v := range w[i] {
			if v != 0 {
				out = append(out, row(name, nodes[i], nodes[j], v))
			}
		}
	}
	return out
}

func drawMatrices(c draw.Canvas, m *study.Matrices, shown int) {
	blank(c)
	for r := range shown {
		left, right := float64(r)/float64(shown), float64(r+1)/float64(shown)
		subscripts := "W" + subscript(r+1)
		drawMatrix(panel(c, left, right, 0.5, 1), subscripts, m.Nodes, m.Rounds[r])
		if r > 0 {
			subscripts = "W" + subscript(r+1) + " … W₁"
			if r == 1 {
				subscripts = "W₂W₁"
			}
		}
		drawMatrix(panel(c, left, right, 0, 0.5), fmt.Sprintf("‖%s − J‖ = %s", subscripts, shortNumber(m.Norms[r])), m.Nodes, m.Products[r])
	}
}

func drawMatrix(c draw.Canvas, title string, nodes []string, w [][]float64) {
	n := len(w)
	side := min(c.Max.X-c.Min.X-30, c.Max.Y-c.Min.Y-34)
	x0, y0 := c.Min.X+26, c.Max.Y-30
	c.FillText(aligned(style(fontSize, ink), text.XCenter, text.YTop), vg.Point{X: x0 + side/2, Y: c.Max.Y - 3}, title)
	cell := side / vg.Length(n)
	for i := range w {
		for j, v := range w[i] {
			a := vg.Point{X: x0 + vg.Length(j)*cell, Y: y0 - vg.Length(i+1)*cell}
			if v > 0 {
				fillRect(c, a, vg.Point{X: a.X + cell, Y: a.Y + cell}, mix(blue, 0.12+0.88*min(1, v)))
			} else if v < 0 {
				fillRect(c, a, vg.Point{X: a.X + cell, Y: a.Y + cell}, mix(red, 0.12+0.88*min(1, -v)))
			}
			if v != 0 && n <= 12 {
				col := ink
				if v > 0.55 {
					col = paper
				}
				c.FillText(aligned(style(min(7, float64(cell)*0.42), col), text.XCenter, text.YCenter), vg.Point{X: a.X + cell/2, Y: a.Y + cell/2}, fraction(v))
			}
		}
	}
	strokeRect(c, vg.Point{X: x0, Y: y0 - side}, vg.Point{X: x0 + side, Y: y0}, solid(muted, hairline))
	if n > 40 {
		return
	}
	size := min(smallSize, float64(cell)*0.9)
	for i, name := range nodes {
		mid := (vg.Length(i) + 0.5) * cell
		c.FillText(aligned(style(size, muted), text.XRight, text.YCenter), vg.Point{X: x0 - 3, Y: y0 - mid}, name)
		up := aligned(style(size*0.85, muted), text.XCenter, text.YBottom)
		c.FillText(up, vg.Point{X: x0 + mid, Y: y0 + 2}, name)
	}
}

// fraction prints 1/k for the reciprocals of small whole numbers and two digits for the rest.
func fraction(v float64) string {
	for k := 1; k <= 20; k++ {
		if d := v*float64(k) - 1; d < 1e-9 && d > -1e-9 {
			if k == 1 {
				return "1"
			}
			return fmt.Sprintf("1/%d", k)
		}
	}
	return strings.TrimPrefix(fmt.Sprintf("%.2f", v), "0")
}

func subscript(k int) string {
	return strings.NewReplacer("0", "₀", "1", "₁", "2", "₂", "3", "₃", "4", "₄", "5", "₅", "6", "₆", "7", "₇", "8", "₈", "9", "₉").Replace(fmt.Sprint(k))
}
