package schedule

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/islandsgd/islands/internal/doc"
	"github.com/islandsgd/islands/internal/text"
)

// readGraph recognizes the format by content.
func readGraph(path string, data []byte) (*rawGraph, error) {
	name := filepath.Base(path)
	if len(data) > maxGraphFile {
		return nil, fmt.Errorf("%s: larger than %d MB", name, maxGraphFile>>20)
	}
	start := bytes.TrimLeft(data, " \t\r\n")
	var g *rawGraph
	var err error
	switch {
	case bytes.HasPrefix(start, []byte("<")):
		g, err = readGraphML(name, data)
	case bytes.HasPrefix(start, []byte("{")):
		g, err = readNodeLink(name, data)
	case isGML(start):
		g, err = readGML(name, data)
	default:
		g, err = readEdgeList(name, data)
	}
	if err != nil {
		return nil, err
	}
	if len(g.nodes) == 0 {
		return nil, fmt.Errorf("%s: no node in it", name)
	}
	if len(g.nodes) > MaxNodes {
		return nil, fmt.Errorf("%s: %d nodes, more than %d", name, len(g.nodes), MaxNodes)
	}
	return g, nil
}

const maxGraphFile = 64 << 20 // bytes

// readEdgeList reads one edge a line: two labels apart by blanks or a comma, # before a comment. A line of one label
// is a node. The attributes in braces that networkx writes are skipped; a weight is refused, since weights= gives it.
func readEdgeList(name string, data []byte) (*rawGraph, error) {
	g := &rawGraph{}
	sc := bufio.NewScanner(bytes.NewReader(data))
	sc.Buffer(nil, 1<<20)
	for line := 1; sc.Scan(); line++ {
		text, _, _ := strings.Cut(sc.Text(), "#")
		if i := strings.IndexByte(text, '{'); i >= 0 {
			text = text[:i]
		}
		fields := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\r' || r == ';' })
		switch len(fields) {
		case 0:
		case 1:
			g.node(fields[0])
		case 2:
			g.edge(fields[0], fields[1])
		default:
			return nil, fmt.Errorf("%s:%d: %d columns where an edge has two (weights come from weights=)", name, line, len(fields))
		}
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return g, nil
}

func readGraphML(name string, data []byte) (*rawGraph, error) {
	var file struct {
		XMLName xml.Name
		Graphs  []struct {
			Nodes []struct {
				ID string `xml:"id,attr"`
			} `xml:"node"`
			Edges []struct {
				Source string `xml:"source,attr"`
				Target string `xml:"target,attr"`
			} `xml:"edge"`
		} `xml:"graph"`
	}
	d := xml.NewDecoder(bytes.NewReader(data))
	d.CharsetReader = text.CharsetReader
	if err := d.Decode(&file); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if file.XMLName.Local != "graphml" || len(file.Graphs) != 1 {
		return nil, fmt.Errorf("%s: <%s> with %d graphs where one graphml graph is expected", name, file.XMLName.Local, len(file.Graphs))
	}
	g := &rawGraph{}
	for _, n := range file.Graphs[0].Nodes {
		g.node(n.ID)
	}
	for i, e := range file.Graphs[0].Edges {
		if e.Source == "" || e.Target == "" {
			return nil, fmt.Errorf("%s: edge %d has no source or no target", name, i)
		}
		g.edge(e.Source, e.Target)
	}
	return g, nil
}

// readNodeLink reads {"nodes": [{"id": ..}], "links" or "edges": [{"source": .., "target": ..}]}; other attributes
// are skipped.
func readNodeLink(name string, data []byte) (*rawGraph, error) {
	root, err := doc.Parse(name, data)
	if err != nil {
		return nil, err
	}
	f, err := root.Map(root.Keys()...)
	if err != nil {
		return nil, err
	}
	nodes, err := f.Require("nodes")
	if err != nil {
		return nil, err
	}
	links, ok := f.Get("links")
	if !ok {
		if links, err = f.Require("edges"); err != nil {
			return nil, err
		}
	}
	g := &rawGraph{}
	read := func(list doc.Node, keys []string, add func(v []string)) error {
		items, err := list.List()
		if err != nil {
			return err
		}
		for _, item := range items {
			f, err := item.Map(item.Keys()...)
			if err != nil {
				return err
			}
			values := make([]string, len(keys))
			for i, key := range keys {
				v, err := f.Require(key)
				if err != nil {
					return err
				}
				if values[i], err = v.Text(); err != nil {
					return err
				}
			}
			add(values)
		}
		return nil
	}
	if err := read(nodes, []string{"id"}, func(v []string) { g.node(v[0]) }); err != nil {
		return nil, err
	}
	err = read(links, []string{"source", "target"}, func(v []string) { g.edge(v[0], v[1]) })
	return g, err
}

func isGML(text []byte) bool {
	for _, w := range []string{"graph", "Creator", "Version", "creator", "version"} {
		if rest, ok := bytes.CutPrefix(text, []byte(w)); ok && len(rest) > 0 && strings.IndexByte(" \t\r\n[", rest[0]) >= 0 {
			return bytes.Contains(text, []byte("["))
		}
	}
	return false
}

// readGML reads the nodes' ids and the edges' sources and targets: "key value" pairs in brackets.
func readGML(name string, data []byte) (*rawGraph, error) {
	g := &rawGraph{}
	var path []string             // keys of the open brackets
	values := map[string]string{} // id, source, target of the innermost
	tokens := gmlTokens(string(data))
	for i := 0; i < len(tokens); i++ {
		if tokens[i] == "]" {
			if len(path) == 0 {
				return nil, fmt.Errorf("%s: a bracket closes that was never opened", name)
			}
			switch strings.Join(path, ".") {
			case "graph.node":
				if values["id"] == "" {
					return nil, fmt.Errorf("%s: a node has no id", name)
				}
				g.node(values["id"])
			case "graph.edge":
				if values["source"] == "" || values["target"] == "" {
					return nil, fmt.Errorf("%s: an edge has no source or no target", name)
				}
				g.edge(values["source"], values["target"])
			}
			path = path[:len(path)-1]
			continue
		}
		if i+1 == len(tokens) {
			return nil, fmt.Errorf("%s: the file ends after %q", name, tokens[i])
		}
		key, value := tokens[i], tokens[i+1]
		i++
		if value == "[" {
			path = append(path, key)
			if len(path) == 2 {
				clear(values)
			}
			continue
		}
		if len(path) == 2 {
			values[key] = strings.TrimPrefix(value, `"`)
		}
	}
	if len(path) > 0 {
		return nil, fmt.Errorf("%s: %d brackets stay open", name, len(path))
	}
	return g, nil
}

// gmlTokens splits at blanks and around brackets; a text in quotes is one token.
func gmlTokens(s string) []string {
	var tokens []string
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			i++
		case c == '[' || c == ']':
			tokens = append(tokens, s[i:i+1])
			i++
		case c == '#' && (i == 0 || s[i-1] == '\n'):
			for i < len(s) && s[i] != '\n' {
				i++
			}
		case c == '"':
			end := strings.IndexByte(s[i+1:], '"')
			if end < 0 {
				return append(tokens, s[i:])
			}
			tokens = append(tokens, s[i:i+1+end]) // the opening quote stays: a quoted bracket is no bracket
			i += end + 2
		default:
			end := strings.IndexAny(s[i:], " \t\r\n[]")
			if end < 0 {
				end = len(s) - i
			}
			tokens = append(tokens, s[i:i+end])
			i += end
		}
	}
	return tokens
}
