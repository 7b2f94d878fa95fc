package display

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"

	"github.com/islandsgd/islands/plots"
)

// Figure shows a figure as wide as a page. It is a PNG: some readers of notebooks strip SVG until nothing is left.
func Figure(f *plots.Figure) error {
	data, err := f.Render("png", plots.Look{})
	if err != nil {
		return err
	}
	full, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("display: %w", err)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, halved(full)); err != nil { // from the resolution of print to that of a screen
		return fmt.Errorf("display: %w", err)
	}
	return PNG(b.Bytes())
}

// halved makes one pixel of four, by their average.
func halved(m image.Image) image.Image {
	at := m.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, at.Dx()/2, at.Dy()/2))
	for y := range at.Dy() / 2 {
		for x := range at.Dx() / 2 {
			var sum [4]uint32
			for k := range 4 {
				r, g, b, a := m.At(at.Min.X+2*x+k%2, at.Min.Y+2*y+k/2).RGBA()
				for c, v := range [4]uint32{r, g, b, a} {
					sum[c] += v
				}
			}
			const four = 4 << 8 // pixels, and from 16 bits to 8
			out.SetRGBA(x, y, color.RGBA{uint8(sum[0] / four), uint8(sum[1] / four), uint8(sum[2] / four), uint8(sum[3] / four)})
		}
	}
	return out
}
