package network

import (
	"fmt"
	"html"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/islandsgd/islands/internal/text"
)

// GML (Himsolt 1997) is a tree of "key value" pairs, a value being a number, a quoted text or a list in brackets:
//
//	graph [
//	  node [ id 0 label "New York" ]
//	  edge [ source 0 target 1 LinkLabel "OC-192" ]
//	]
//
// Line breaks mean nothing, # begins a comment, and texts may hold HTML entities. Parallel edges are parallel links.

type gmlReader struct {
	file         string
	data         string
	at           int
	line, column int
	depth        int
}

const gmlMaxDepth = 32

func readGML(name string, data []byte) (*Topology, error) {
	s, latin1 := text.Decode(data)
	r := &gmlReader{file: filepath.Base(name), data: s, line: 1, column: 1}
	g := &rawGraph{name: baseName(name), latin1: latin1}
	graphs := 0
	err := r.pairs(func(key string) error {
		if key != "graph" {
			return r.skipValue()
		}
		if graphs++; graphs > 1 {
			return r.errorf("a second graph: want one")
		}
		return r.list(func() error { return r.graph(g) })
	})
	if err != nil {
		return nil, err
	}
	if graphs == 0 {
		return nil, r.errorf("no graph in the file")
	}
	return withFile(r.file)(g.topology())
}

func (r *gmlReader) place() string { return fmt.Sprintf("%s:%d:%d", r.file, r.line, r.column) }

func (r *gmlReader) errorf(format string, a ...any) error {
	return fmt.Errorf("%s: %s", r.place(), fmt.Sprintf(format, a...))
}

func (r *gmlReader) step() {
	c, size := utf8.DecodeRuneInString(r.data[r.at:])
	r.at += size
	if r.column++; c == '\n' {
		r.line, r.column = r.line+1, 1
	}
}

// peek skips blanks and comments and returns the next byte, or 0 at the end.
func (r *gmlReader) peek() byte {
	comment := false
	for r.at < len(r.data) {
		switch c := r.data[r.at]; {
		case c == '#':
			comment = true
		case c == '\n':
			comment = false
		case !comment && c != ' ' && c != '\t' && c != '\r':
			return c
		}
		r.step()
	}
	return 0
}

// word reads up to the next blank or bracket.
func (r *gmlReader) word() string {
	start := r.at
	for r.at < len(r.data) && !strings.ContainsRune(" \t\r\n[]\"", rune(r.data[r.at])) {
		r.step()
	}
	return r.data[start:r.at]
}

// text reads a quoted text.
func (r *gmlReader) text() (string, error) {
	open := r.place()
	r.step()
	start := r.at
	for r.at < len(r.data) && r.data[r.at] != '"' {
		r.step()
	}
	if r.at == len(r.data) {
		return "", fmt.Errorf("%s: this text has no closing quote", open)
	}
	s := r.data[start:r.at]
	r.step()
	return html.UnescapeString(s), nil
}

// pairs calls do with each key up to the closing bracket or the end of the file; do must consume the value.
func (r *gmlReader) pairs(do func(key string) error) error {
	for {
		switch c := r.peek(); c {
		case 0, ']':
			if c == ']' && r.depth == 0 {
				return r.errorf("a closing bracket too many")
			}
			return nil
		case '[', '"':
			return r.errorf("%q where a key is expected", c)
		}
		if err := do(r.word()); err != nil {
			return err
		}
	}
}

// list reads a value in brackets, whose content read consumes.
func (r *gmlReader) list(read func() error) error {
	if r.peek() != '[' {
		return r.errorf("a list in [brackets] is expected")
	}
	open := r.place()
	if r.depth++; r.depth > gmlMaxDepth {
		return r.errorf("nested deeper than %d levels", gmlMaxDepth)
	}
	r.step()
	if err := read(); err != nil {
		return err
	}
	if r.peek() != ']' {
		return fmt.Errorf("%s: this bracket is never closed: the file is truncated", open)
	}
	r.step()
	r.depth--
	return nil
}

// value reads a number, word or text; a list is skipped and has no value.
func (r *gmlReader) value() (string, error) {
	switch r.peek() {
	case 0, ']':
		return "", r.errorf("a key without a value")
	case '"':
		return r.text()
	case '[':
		return "", r.list(func() error { return r.pairs(func(string) error { return r.skipValue() }) })
	}
	return r.word(), nil
}

func (r *gmlReader) skipValue() error {
	_, err := r.value()
	return err
}

func (r *gmlReader) graph(g *rawGraph) error {
	own := map[string]string{}
	err := r.pairs(func(key string) error {
		switch key {
		case "node", "edge":
			r.peek()
			place := r.place()
			attrs := map[string]string{}
			if err := r.list(func() error { return r.attributes(attrs) }); err != nil {
				return err
			}
			if key == "node" {
				return r.node(g, place, attrs)
			}
			return r.edge(g, place, attrs)
		}
		v, err := r.value()
		own[strings.ToLower(key)] = v
		return err
	})
	g.directed = own["directed"] == "1"
	if name, _ := first(own, "label", "network", "name"); name != "" {
		g.name = oneLine(name)
	}
	return err
}

func (r *gmlReader) attributes(attrs map[string]string) error {
	return r.pairs(func(key string) error {
		v, err := r.value()
		if key = strings.ToLower(key); attrs[key] == "" {
			attrs[key] = v
		}
		return err
	})
}

func (r *gmlReader) node(g *rawGraph, place string, attrs map[string]string) error {
	id, ok := attrs["id"]
	if !ok {
		return fmt.Errorf("%s: node without id", place)
	}
	if len(g.nodes) == MaxRouters {
		return fmt.Errorf("%s: more than %d nodes", place, MaxRouters)
	}
	g.nodes = append(g.nodes, rawNode{id, place, attrs})
	return nil
}

func (r *gmlReader) edge(g *rawGraph, place string, attrs map[string]string) error {
	source, from := attrs["source"]
	target, to := attrs["target"]
	if !from || !to {
		return fmt.Errorf("%s: edge without source and target", place)
	}
	if len(g.edges) == MaxLinks {
		return fmt.Errorf("%s: more than %d edges", place, MaxLinks)
	}
	g.edges = append(g.edges, rawEdge{source, target, place, attrs})
	return nil
}
