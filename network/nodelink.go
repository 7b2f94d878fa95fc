package network

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/islandsgd/islands/internal/doc"
)

// isNodeLink tells node-link JSON (networkx, topohub, d3) from the native format by its keys.
func isNodeLink(root doc.Node) bool {
	keys := root.Keys()
	return slices.Contains(keys, "nodes") && (slices.Contains(keys, "edges") || slices.Contains(keys, "links"))
}

// readNodeLink reads {"nodes": [{"id": ...}], "edges" or "links": [{"source": ..., "target": ...}]}. Ids may be any
// names or numbers; "pos" is [longitude, latitude].
func readNodeLink(name string, root doc.Node) (*Topology, error) {
	f, err := anyFields(root)
	if err != nil {
		return nil, err
	}
	g := &rawGraph{name: baseName(name)}
	if v, ok := f.Get("directed"); ok {
		if g.directed, err = v.Bool(); err != nil {
			return nil, err
		}
	}
	if v, ok := f.Get("graph"); ok && v.IsMap() {
		own, err := scalars(v)
		if err != nil {
			return nil, err
		}
		if s, _ := first(own, "label", "network", "name"); s != "" {
			g.name = oneLine(s)
		}
	}
	nodes, err := f.Require("nodes")
	if err != nil {
		return nil, err
	}
	err = each(nodes, MaxRouters, "nodes", func(n doc.Node) error {
		attrs, err := scalars(n)
		if err != nil {
			return err
		}
		key, ok := attrs["id"]
		if !ok {
			return n.Errorf("node without id")
		}
		g.nodes = append(g.nodes, rawNode{key, placeOf(n), attrs})
		return nil
	})
	if err != nil {
		return nil, err
	}
	edges, ok := f.Get("edges")
	if !ok {
		if edges, err = f.Require("links"); err != nil {
			return nil, err
		}
	}
	err = each(edges, MaxLinks, "edges", func(n doc.Node) error {
		attrs, err := scalars(n)
		if err != nil {
			return err
		}
		source, from := attrs["source"]
		target, to := attrs["target"]
		if !from || !to {
			return n.Errorf("edge without source and target")
		}
		g.edges = append(g.edges, rawEdge{source, target, placeOf(n), attrs})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return withFile(filepath.Base(name))(g.topology())
}

// anyFields returns a map's fields whatever their names.
func anyFields(n doc.Node) (doc.Fields, error) { return n.Map(n.Keys()...) }

// scalars returns the fields of a map that are plain values, names in lower case, and pos as lat and lon.
func scalars(n doc.Node) (map[string]string, error) {
	f, err := anyFields(n)
	if err != nil {
		return nil, err
	}
	attrs := map[string]string{}
	for _, key := range n.Keys() {
		v, ok := f.Get(key)
		if !ok || v.IsMap() {
			continue
		}
		if v.IsList() {
			if key != "pos" {
				continue
			}
			pos, err := v.Floats()
			if err != nil {
				return nil, err
			}
			if len(pos) != 2 {
				return nil, v.Errorf("pos has %d numbers, want longitude and latitude", len(pos))
			}
			attrs["lon"] = strconv.FormatFloat(pos[0], 'g', -1, 64)
			attrs["lat"] = strconv.FormatFloat(pos[1], 'g', -1, 64)
			continue
		}
		s, err := v.Text()
		if err != nil {
			return nil, err
		}
		attrs[strings.ToLower(key)] = s
	}
	return attrs, nil
}

// placeOf returns file:line:column of a value.
func placeOf(n doc.Node) string { return strings.TrimSuffix(n.Errorf("").Error(), ": ") }
