package plots

import (
	"bytes"
	_ "embed" // the page's template is part of the program
	"html/template"
	"regexp"
)

//go:embed page.html
var pageSource string

var pageTemplate = template.Must(template.New("page").Parse(pageSource))

// Page is what index.html shows.
type Page struct {
	Title   string
	Intro   string
	Summary []string // a few lines with the main results
	Figures []*Figure
	Tables  []PageTable
	Look    Look
	// LinkData says that the figures' CSV files lie beside the page.
	LinkData bool
	Command  string // what redraws a figure, without its name: "analyze plot"
}

// PageTable is a table on a page. Its name is an anchor.
type PageTable struct {
	Name, Title, Note string
	Head              []string
	Rows              [][]string
}

// HTML returns one self-contained page: figures inline as SVG, no script, nothing loaded from anywhere.
func (p *Page) HTML() ([]byte, error) {
	type shown struct {
		*Figure
		SVG     template.HTML
		Command string
	}
	view := struct {
		*Page
		Shown []shown
	}{Page: p}
	for _, f := range p.Figures {
		svg, err := f.Render("svg", p.Look)
		if err != nil {
			return nil, err
		}
		view.Shown = append(view.Shown, shown{f, inline(f, svg), p.Command + " " + f.Name})
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, view); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

var svgHead = regexp.MustCompile(`(?s)^.*?<svg[^>]*?viewBox="([^"]*)"[^>]*>`)

// inline turns an SVG file into an element of the page: without prolog and fixed size, and named for screen readers.
func inline(f *Figure, svg []byte) template.HTML {
	head := `<svg role="img" aria-label="` + template.HTMLEscapeString(f.Title) + `" viewBox="$1" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">`
	return template.HTML(svgHead.ReplaceAll(svg, []byte(head))) //nolint:gosec // drawn by this package from numbers and escaped text
}
