package network

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/islandsgd/islands/internal/text"
)

// graphMLReader walks a GraphML document (graphml.graphdrawing.org). Attributes are declared by <key> elements, whose
// ids differ from file to file and may repeat between domains (node, edge, graph): they are resolved per domain.
type graphMLReader struct {
	file string
	d    *xml.Decoder
	keys map[[2]string]graphMLKey // by domain and id
	g    *rawGraph
}

// maxKeys bounds the attributes that every node and edge may have by default.
const maxKeys = 500

type graphMLKey struct{ name, value string }

func readGraphML(name string, data []byte) (*Topology, error) {
	r := &graphMLReader{file: filepath.Base(name), d: xml.NewDecoder(bytes.NewReader(data)),
		keys: map[[2]string]graphMLKey{}, g: &rawGraph{name: baseName(name)}}
	r.d.CharsetReader = text.CharsetReader
	root, err := r.next()
	if err != nil {
		return nil, err
	}
	if root == nil || root.Name.Local != "graphml" {
		return nil, r.errorf("no <graphml> element: this is no GraphML file")
	}
	graphs := 0
	for {
		e, err := r.next()
		if err != nil {
			return nil, err
		}
		if e == nil {
			break
		}
		switch e.Name.Local {
		case "key":
			err = r.key(e)
		case "graph":
			if graphs++; graphs > 1 {
				return nil, r.errorf("a second <graph>: want one")
			}
			err = r.graph(e)
		default:
			err = r.skip()
		}
		if err != nil {
			return nil, err
		}
	}
	if graphs == 0 {
		return nil, r.errorf("no <graph> element")
	}
	return withFile(r.file)(r.g.topology())
}

func (r *graphMLReader) place() string {
	line, column := r.d.InputPos()
	return fmt.Sprintf("%s:%d:%d", r.file, line, column)
}

func (r *graphMLReader) errorf(format string, a ...any) error {
	return fmt.Errorf("%s: %s", r.place(), fmt.Sprintf(format, a...))
}

// next returns the next child element, or nil at the end of the parent or of the file.
func (r *graphMLReader) next() (*xml.StartElement, error) {
	for {
		token, err := r.d.Token()
		switch {
		case errors.Is(err, io.EOF):
			return nil, nil
		case err != nil:
			return nil, r.syntax(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			return &t, nil
		case xml.EndElement:
			return nil, nil
		}
	}
}

func (r *graphMLReader) syntax(err error) error {
	var s *xml.SyntaxError
	if errors.As(err, &s) {
		if strings.Contains(s.Msg, "unexpected EOF") {
			return r.errorf("the file ends in the middle of an element: it is truncated")
		}
		return r.errorf("%s", oneLine(s.Msg))
	}
	return r.errorf("%s", oneLine(strings.TrimPrefix(err.Error(), "xml: ")))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func (r *graphMLReader) skip() error {
	if err := r.d.Skip(); err != nil {
		return r.syntax(err)
	}
	return nil
}

func attribute(e *xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// content returns the character data of the current element.
func (r *graphMLReader) content() (string, error) {
	var b strings.Builder
	for depth := 1; depth > 0; {
		token, err := r.d.Token()
		if err != nil {
			return "", r.syntax(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		case xml.CharData:
			b.Write(t)
		}
	}
	return b.String(), nil
}

func (r *graphMLReader) key(e *xml.StartElement) error {
	id, domain, name := attribute(e, "id"), attribute(e, "for"), attribute(e, "attr.name")
	k := graphMLKey{name: strings.ToLower(name)}
	for {
		child, err := r.next()
		if err != nil {
			return err
		}
		if child == nil {
			break
		}
		value, err := r.content()
		if err != nil {
			return err
		}
		if child.Name.Local == "default" {
			k.value = value
		}
	}
	domains := []string{domain}
	if domain == "" || domain == "all" {
		domains = []string{"graph", "node", "edge"}
	}
	if len(r.keys) > maxKeys {
		return r.errorf("more than %d attributes", maxKeys)
	}
	for _, d := range domains {
		r.keys[[2]string{d, id}] = k
	}
	return nil
}

// defaults returns a domain's attributes with a declared default.
func (r *graphMLReader) defaults(domain string) map[string]string {
	attrs := map[string]string{}
	for k, v := range r.keys {
		if k[0] == domain && v.value != "" {
			attrs[v.name] = v.value
		}
	}
	return attrs
}

// data reads one <data> element into attrs.
func (r *graphMLReader) data(domain string, e *xml.StartElement, attrs map[string]string) error {
	id := attribute(e, "key")
	k, ok := r.keys[[2]string{domain, id}]
	if !ok {
		return r.errorf("data of a %s names key %q, which no <key> declares for it", domain, id)
	}
	value, err := r.content()
	if err == nil {
		attrs[k.name] = value
	}
	return err
}

func (r *graphMLReader) graph(e *xml.StartElement) error {
	r.g.directed = attribute(e, "edgedefault") == "directed"
	own := r.defaults("graph")
	nodes, edges := r.defaults("node"), r.defaults("edge")
	for {
		child, err := r.next()
		if err != nil {
			return err
		}
		if child == nil {
			break
		}
		switch child.Name.Local {
		case "data":
			err = r.data("graph", child, own)
		case "node":
			err = r.node(child, nodes)
		case "edge":
			err = r.edge(child, edges)
		case "hyperedge":
			err = r.errorf("<hyperedge> is not read: make it a node with edges to its ends")
		default:
			err = r.skip()
		}
		if err != nil {
			return err
		}
	}
	if name, _ := first(own, "label", "network", "name"); name != "" {
		r.g.name = oneLine(name)
	}
	return nil
}

// attributes reads the <data> children of a node or an edge.
func (r *graphMLReader) attributes(domain string, defaults map[string]string) (map[string]string, error) {
	attrs := make(map[string]string, len(defaults)+8)
	for k, v := range defaults {
		attrs[k] = v
	}
	for {
		child, err := r.next()
		if err != nil || child == nil {
			return attrs, err
		}
		switch child.Name.Local {
		case "data":
			err = r.data(domain, child, attrs)
		case "graph":
			err = r.errorf("a graph inside a node is not read: want one flat graph")
		default:
			err = r.skip()
		}
		if err != nil {
			return nil, err
		}
	}
}

func (r *graphMLReader) node(e *xml.StartElement, defaults map[string]string) error {
	n := rawNode{key: attribute(e, "id"), place: r.place()}
	if len(r.g.nodes) == MaxRouters {
		return r.errorf("more than %d nodes", MaxRouters)
	}
	var err error
	if n.attrs, err = r.attributes("node", defaults); err == nil {
		r.g.nodes = append(r.g.nodes, n)
	}
	return err
}

func (r *graphMLReader) edge(e *xml.StartElement, defaults map[string]string) error {
	x := rawEdge{source: attribute(e, "source"), target: attribute(e, "target"), place: r.place()}
	if len(r.g.edges) == MaxLinks {
		return r.errorf("more than %d edges", MaxLinks)
	}
	var err error
	if x.attrs, err = r.attributes("edge", defaults); err == nil {
		r.g.edges = append(r.g.edges, x)
	}
	return err
}
