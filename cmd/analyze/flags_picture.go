package main

import (
	"errors"
	"runtime"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"gonum.org/v1/plot/vg"

	"github.com/islandsgd/islands/internal/files"
	"github.com/islandsgd/islands/internal/text"
	"github.com/islandsgd/islands/plots"
)

// pictureFlags say how figures look and where their files go.
type pictureFlags struct {
	format, out, width string
	fontSize           float64
	force              bool
}

func (f *pictureFlags) flags(out, outUsage string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "format", Value: "svg", Usage: strings.Join(plots.Formats(), ", ") + "; several with commas", Destination: &f.format, Category: "output"},
		&cli.StringFlag{Name: "width", Usage: "width of figures: 88mm (a column), 180mm (a page, the default) or another", Destination: &f.width, Category: "output"},
		&cli.Float64Flag{Name: "font-size", Value: plots.FontSize, Usage: "size of labels in points", Destination: &f.fontSize, Category: "output"},
		&cli.StringFlag{Name: "out", Value: out, Usage: outUsage, Destination: &f.out, Category: "output"},
		&cli.BoolFlag{Name: "force", Usage: "replace files that are not ours or were changed", Destination: &f.force, Category: "output"},
	}
}

// read returns the formats and the look that are asked for.
func (f *pictureFlags) read() ([]string, plots.Look, error) {
	formats := list(f.format)
	for _, name := range formats {
		if !slices.Contains(plots.Formats(), name) {
			return nil, plots.Look{}, inputf("--format: unknown format %q%s", name, text.DidYouMean(name, plots.Formats()))
		}
	}
	if len(formats) == 0 {
		return nil, plots.Look{}, inputf("--format names no format")
	}
	look, err := f.look()
	return formats, look, err
}

// look reads --width and --font-size.
func (f *pictureFlags) look() (plots.Look, error) {
	look := plots.Look{FontSize: f.fontSize}
	if !(f.fontSize >= 4 && f.fontSize <= 24) {
		return look, inputf("--font-size %g: 4 to 24 points can be read", f.fontSize)
	}
	if f.width == "" {
		return look, nil
	}
	width, err := vg.ParseLength(f.width)
	if err != nil {
		return look, inputf("--width %q is no length (for instance 88mm)", f.width)
	}
	if width < 60*vg.Millimeter || width > 400*vg.Millimeter {
		return look, inputf("--width %s: 60mm to 400mm can be drawn", f.width)
	}
	look.Width = width
	return look, nil
}

// pictures renders a figure in every format, and its data as CSV.
func pictures(fig *plots.Figure, formats []string, look plots.Look) ([]files.File, error) {
	var out []files.File
	for _, format := range formats {
		data, err := fig.Render(format, look)
		if err != nil {
			return nil, err
		}
		out = append(out, files.File{Name: fig.Name + "." + format, Data: data})
	}
	data, err := fig.CSV()
	if err != nil {
		return nil, err
	}
	return append(out, files.File{Name: fig.Name + ".csv", Data: data}), nil
}

// seedDerivation says in a manifest how all randomness follows from the seed.
const seedDerivation = "SHA-256 of seed, run, island and purpose, into xoshiro256**"

// writeFolder writes results and a manifest that says how they were made.
func (s *session) writeFolder(dir string, written []files.File, settings map[string]string, force bool) error {
	err := files.Write(dir, written, files.Manifest{
		Tool: "analyze", Version: version(), Revision: revision(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Seed: s.seed, SeedDerivation: seedDerivation, Settings: settings,
	}, force)
	if exists := (files.ErrExists{}); errors.As(err, &exists) {
		return input(err)
	}
	return err
}
