package schedule

import (
	"slices"
	"strconv"

	"github.com/islandsgd/islands/internal/files"
)

// graphFile reads graph:file=PATH. Nodes whose labels are all whole numbers are taken in numerical order, others in
// order of appearance; where the topology's islands carry the same labels, in theirs. n= may add nodes without edges
// after numbers from 0.
func graphFile(b *builder) error {
	g, names, err := b.openGraph()
	if err != nil {
		return err
	}
	for _, p := range g.pairs {
		if p[0] == p[1] {
			return b.Errorf("an edge joins %s to itself", p[0])
		}
	}
	b.round(Round{Edges: g.edges(names)})
	return nil
}

// digraphFile reads the same files as a directed graph: an edge "a b" says that a sends to b, and every node keeps a
// share for itself. With split=out, the default, a node divides what it has among its targets and itself (columns sum
// to 1: push-sum averages); with split=in it averages what it receives with its own (rows sum to 1).
func digraphFile(b *builder) error {
	g, names, err := b.openGraph()
	if err != nil {
		return err
	}
	split := b.OneOf("split", "out", "out", "in")
	index := make(map[string]int, len(names))
	for i, l := range names {
		index[l] = i
	}
	seen := map[[2]int]bool{}
	var arcs [][2]int // from, to
	add := func(from, to int) {
		if a := [2]int{from, to}; !seen[a] {
			seen[a] = true
			arcs = append(arcs, a)
		}
	}
	for i := range b.out.N {
		add(i, i)
	}
	for _, p := range g.pairs {
		add(index[p[0]], index[p[1]])
	}
	end := 0
	if split == "in" {
		end = 1
	}
	count := make([]int, b.out.N)
	for _, a := range arcs {
		count[a[end]]++
	}
	var r Round
	for _, a := range arcs {
		r.Entries = append(r.Entries, Edge{I: a[1], J: a[0], Weight: 1 / float64(count[a[end]])})
	}
	b.round(r)
	return nil
}

// openGraph reads file=, and sets the number of nodes and their names.
func (b *builder) openGraph() (*rawGraph, []string, error) {
	path := b.String("file", "")
	if path == "" {
		return nil, nil, b.Errorf("file= is missing")
	}
	data, err := files.Read(path)
	if err != nil {
		return nil, nil, b.Errorf("%s: %v", path, reason(err))
	}
	g, err := readGraph(path, data)
	if err != nil {
		return nil, nil, err
	}
	names := g.order(b.o.Nodes)
	n := b.Int("n", len(names), 1, MaxNodes)
	if n != len(names) && (n < len(names) || !plainNumbers(names)) {
		return nil, nil, b.Errorf("n=%d, but the file has %d nodes", n, len(names))
	}
	b.out.N = n
	if !plainNumbers(names) {
		b.out.Nodes = names
	}
	return g, names, nil
}

// rawGraph is a graph as it stands in a file.
type rawGraph struct {
	nodes []string // in order of appearance
	seen  map[string]bool
	pairs [][2]string
}

func (g *rawGraph) node(label string) {
	if g.seen == nil {
		g.seen = map[string]bool{}
	}
	if !g.seen[label] {
		g.seen[label] = true
		g.nodes = append(g.nodes, label)
	}
}

func (g *rawGraph) edge(a, b string) {
	g.node(a)
	g.node(b)
	g.pairs = append(g.pairs, [2]string{a, b})
}

// plainNumbers reports whether the labels are 0, 1, ..., n-1.
func plainNumbers(labels []string) bool {
	for i, l := range labels {
		if l != strconv.Itoa(i) {
			return false
		}
	}
	return true
}

func (g *rawGraph) order(islands []string) []string {
	if len(islands) == len(g.nodes) {
		all := true
		for _, name := range islands {
			all = all && g.seen[name]
		}
		if all {
			return islands
		}
	}
	names := slices.Clone(g.nodes)
	for _, l := range names {
		if v, err := strconv.Atoi(l); err != nil || v < 0 || strconv.Itoa(v) != l {
			return names
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		x, _ := strconv.Atoi(a)
		y, _ := strconv.Atoi(b)
		return x - y
	})
	return names
}

// edges numbers the pairs; a pair that stands twice, in either direction, is one edge.
func (g *rawGraph) edges(names []string) []Edge {
	index := make(map[string]int, len(names))
	for i, l := range names {
		index[l] = i
	}
	seen := map[[2]int]bool{}
	var edges []Edge
	for _, p := range g.pairs {
		i, j := index[p[0]], index[p[1]]
		i, j = min(i, j), max(i, j)
		if !seen[[2]int{i, j}] {
			seen[[2]int{i, j}] = true
			edges = append(edges, Edge{I: i, J: j})
		}
	}
	return edges
}
