package plots

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/islandsgd/islands/study"
)

// Matrices draws the mixing matrices of a period and their running products as heat maps.
func Matrices(m *study.Matrices) *Figure {
	shown := min(len(m.Rounds), maxMatrices)
	f := &Figure{
		Name: "matrices", Title: "The mixing matrices of a period and their products",
		Data: Table{Columns: []string{"matrix", "row", "column", "weight"}},
		Caption: fmt.Sprintf("%s. W₁, W₂, … are the matrices of the rounds: row i says what island i takes from whom. "+
			"The products show what the rounds do together, with their distance to exact averaging: the norm is 0 when every entry is 1/n.", capitalized(m.Schedule)),
	}
	if shown < len(m.Rounds) {
		f.Caption += fmt.Sprintf(" The first %d of %d rounds are shown.", shown, len(m.Rounds))
	}
	for r := range m.Rounds {
		f.Data.Rows = append(f.Data.Rows, matrixRows(fmt.Sprintf("round %d", r+1), m.Nodes, m.Rounds[r])...)
		if r > 0 {
			f.Data.Rows = append(f.Data.Rows, matrixRows(fmt.Sprintf("product of rounds 1 to %d", r+1), m.Nodes, m.Products[r])...)
		}
	}
	panels := matrixPanels(m, shown)
	shape := func(w vg.Length) (columns, lines int) {
		columns = min(max(2, len(panels)), 3)
		if narrow(w) {
			columns = 1
		}
		return columns, (len(panels) + columns - 1) / columns
	}
	f.height = func(w vg.Length, th theme) vg.Length {
		columns, lines := shape(w)
		return vg.Length(lines) * (w/vg.Length(columns) + 6 + th.taller(2))
	}
	f.draw = func(c draw.Canvas, th theme) error {
		blank(c)
		columns, lines := shape(c.Max.X - c.Min.X)
		for k, p := range panels {
			i, j := k/columns, k%columns
			drawMatrix(panel(c, float64(j)/float64(columns), float64(j+1)/float64(columns), 1-float64(i+1)/float64(lines), 1-float64(i)/float64(lines)), th, p.title, m.Nodes, p.w)
		}
		return nil
	}
	return f
}

// matrixPanel is one heat map.
type matrixPanel struct {
	title string
	w     [][]float64
}

// matrixPanels lists the rounds, then the products of two rounds and more.
func matrixPanels(m *study.Matrices, shown int) []matrixPanel {
	var out []matrixPanel
	for r := range shown {
		title := "W" + subscript(r+1)
		if r == 0 {
			title = fmt.Sprintf("W₁,  ‖W₁ − J‖ = %s", shortNumber(m.Norms[0]))
		}
		out = append(out, matrixPanel{title, m.Rounds[r]})
	}
	for r := 1; r < shown; r++ {
		name := "W" + subscript(r+1) + " … W₁"
		if r == 1 {
			name = "W₂W₁"
		}
		out = append(out, matrixPanel{fmt.Sprintf("%s,  ‖%s − J‖ = %s", name, name, shortNumber(m.Norms[r])), m.Products[r]})
	}
	return out
}

// mostNamed is how many rows and columns are named.
const mostNamed = 40

// maxMatrices is how many rounds are shown: with their products that makes nine panels.
const maxMatrices = 5

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

func drawMatrix(c draw.Canvas, th theme, title string, nodes []string, w [][]float64) {
	n := len(w)
	names := th.small(muted)
	const longest = 60 // points that a name may take
	widest := vg.Length(0)
	for _, name := range nodes {
		widest = max(widest, names.Width(name))
	}
	margin := min(widest+7, longest)
	// Column names stand upright where they are wider than a cell; the title stands above them.
	upright := widest > (c.Max.X-c.Min.X-margin)/vg.Length(n)*0.95
	top := vg.Length(th.size) * 3.6
	if upright && n <= mostNamed {
		top = vg.Length(th.size)*2.2 + min(widest, longest)
	}
	side := min(c.Max.X-c.Min.X-margin-5, c.Max.Y-c.Min.Y-top-5)
	x0, y0 := c.Min.X+margin, c.Max.Y-top
	drawMatrixTitle(c, th, title, x0+side/2)
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
				c.FillText(aligned(style(min(th.size*7/8, float64(cell)*0.42), col), text.XCenter, text.YCenter), vg.Point{X: a.X + cell/2, Y: a.Y + cell/2}, fraction(v))
			}
		}
	}
	strokeRect(c, vg.Point{X: x0, Y: y0 - side}, vg.Point{X: x0 + side, Y: y0}, solid(muted, hairline))
	if n > mostNamed {
		return
	}
	size := min(th.size*7/8, float64(cell)*0.9)
	for i, name := range nodes {
		mid := (vg.Length(i) + 0.5) * cell
		c.FillText(aligned(style(size, muted), text.XRight, text.YCenter), vg.Point{X: x0 - 3, Y: y0 - mid}, shortened(style(size, muted), name, longest-7))
		up := aligned(style(size*0.85, muted), text.XCenter, text.YBottom)
		if upright {
			up = aligned(up, text.XLeft, text.YCenter)
			up.Rotation = math.Pi / 2
		}
		c.FillText(up, vg.Point{X: x0 + mid, Y: y0 + 2}, shortened(style(size*0.85, muted), name, longest))
	}
}

// drawMatrixTitle centers a title at x, or as near to it as it has room, and smaller where it is wider than the panel.
func drawMatrixTitle(c draw.Canvas, th theme, title string, x vg.Length) {
	const side = 3
	sty := shrunk(aligned(th.text(ink), text.XCenter, text.YTop), title, c.Max.X-c.Min.X-2*side)
	half := sty.Width(title)/2 + side
	x = max(c.Min.X+half, min(x, c.Max.X-half))
	c.FillText(sty, vg.Point{X: x, Y: c.Max.Y - 3}, title)
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
