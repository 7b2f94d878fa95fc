package display

import "github.com/islandsgd/islands/plots"

// screenDPI are the dots per inch of pictures in a notebook: sharp on a screen, half of what print needs.
const screenDPI = 150

// Figure shows a figure as wide as a page. It is a PNG: some readers of notebooks strip SVG until nothing is left.
func Figure(f *plots.Figure) error {
	data, err := f.Render("png", plots.Look{DPI: screenDPI})
	if err != nil {
		return err
	}
	return PNG(data)
}
