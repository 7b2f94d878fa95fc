package plots

import (
	"fmt"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// written is text as it stands on a canvas: its baseline starts at a point.
type written struct {
	text  string
	start vg.Point
	box   vg.Rectangle // of its small letters
}

// texts lists what a figure writes without turning it.
func texts(t *testing.T, f *Figure, width vg.Length, th theme) (list []written, size vg.Point) {
	t.Helper()
	size = vg.Point{X: width, Y: f.height(width, th)}
	var rec recorder.Canvas
	if err := f.draw(draw.NewCanvas(&rec, size.X, size.Y), th); err != nil {
		t.Fatal(err)
	}
	turned := 0
	for _, a := range rec.Actions {
		switch a := a.(type) {
		case *recorder.Push:
			turned++ // only turned text is drawn between Push and Pop
		case *recorder.Pop:
			turned--
		case *recorder.FillString:
			if turned == 0 {
				face := fonts.Lookup(a.Font, a.Font.Size)
				w := written{a.String, a.Point, vg.Rectangle{Min: a.Point, Max: vg.Point{X: a.Point.X + face.Width(a.String), Y: a.Point.Y + a.Font.Size/2}}}
				list = append(list, w)
			}
		}
	}
	return list, size
}

// Whatever width and font size a reader chooses, text stays on the canvas and off other text.
func TestTextHasRoom(t *testing.T) {
	for _, f := range all(t) {
		for _, width := range []vg.Length{88 * vg.Millimeter, FullWidth} {
			for _, points := range []float64{6, FontSize, 14} {
				t.Run(fmt.Sprintf("%s-%.0f-%.0f", f.Name, width/vg.Millimeter, points), func(t *testing.T) {
					list, size := texts(t, f, width, theme{points})
					for i, w := range list {
						if w.box.Min.X < 0 || w.box.Max.X > size.X+0.5 || w.box.Min.Y < 0 || w.box.Max.Y > size.Y {
							t.Errorf("%q leaves the canvas of %.0f by %.0f: %.0f", w.text, size.X, size.Y, w.box)
						}
						for _, o := range list[:i] {
							if o.text != w.text && overlap(o.box, w.box) {
								t.Errorf("%q at %.0f touches %q at %.0f", w.text, w.start, o.text, o.start)
							}
						}
					}
				})
			}
		}
	}
}

func overlap(a, b vg.Rectangle) bool {
	const slack = 0.2
	return a.Min.X < b.Max.X-slack && b.Min.X < a.Max.X-slack && a.Min.Y < b.Max.Y-slack && b.Min.Y < a.Max.Y-slack
}
