package plots_test

import (
	"bytes"
	"fmt"

	"gonum.org/v1/plot/vg"

	"github.com/islandsgd/islands/plots"
	"github.com/islandsgd/islands/schedule"
	"github.com/islandsgd/islands/study"
)

// A figure draws a result of a study in any format and width, and holds the numbers that it shows.
func ExampleFigure_Render() {
	s, err := schedule.Load("one-peer-hypercube:n=4", schedule.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	matrices, err := study.MatricesOf(s)
	if err != nil {
		fmt.Println(err)
		return
	}
	f := plots.Matrices(matrices)
	svg, err := f.Render("svg", plots.Look{Width: 88 * vg.Millimeter})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("a picture:", bytes.Contains(svg, []byte("<svg")))
	fmt.Println("its columns:", f.Data.Columns)
	// Output:
	// a picture: true
	// its columns: [matrix row column weight]
}
