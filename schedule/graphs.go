package schedule

import (
	"fmt"
	"math/bits"
)

// families holds every family; init breaks the cycle of families that are made of others (graph=).
var families []Family

func init() {
	families = []Family{
		{Name: "local", About: "no mixing at all", build: local},
		{Name: "allreduce", About: "one clique of all nodes: exact averaging every round", build: allreduce},
		{Name: "ring", About: "a cycle", graph: true, build: graphOf(ringEdges)},
		{Name: "path", About: "a line", graph: true, build: graphOf(pathEdges)},
		{Name: "star", About: "node 0 is the hub of n-1 leaves", graph: true, build: graphOf(starEdges)},
		{Name: "complete", About: "every pair joined, as a graph with weights", graph: true, build: graphOf(completeEdges)},
		{Name: "grid", Keys: []string{"rows=", "columns="}, About: "a rectangle of nodes, row by row", graph: true, build: graphOf(gridEdges)},
		{Name: "torus", Keys: []string{"rows=", "columns="}, About: "a grid closed in both directions", graph: true, build: graphOf(torusEdges)},
		{Name: "hypercube", About: "neighbors differ in one bit; n is a power of two", graph: true, build: graphOf(hypercubeEdges)},
		{Name: "graph", Keys: []string{"file="}, About: "the graph of a file: an edge list, GraphML, GML or node-link JSON", graph: true, build: graphFile},
		{Name: "digraph", Keys: []string{"file=", "split=out|in"}, About: "the directed graph of a file: columns (out) or rows (in) sum to 1", build: digraphFile},
		{Name: "one-way-ring", About: "each node averages with the next: ½ I + ½ shift, directed", build: oneWayRing},
		{Name: "exponential", About: "static exponential graph: hops of 1, 2, 4, ... with equal weights, directed", build: exponential},
		{Name: "one-peer-exponential", About: "one hop of the exponential graph a round; exact where n is a power of two", build: onePeerExponential},
		{Name: "one-peer-hypercube", About: "one direction of the hypercube a round: exact after log2 n rounds", build: onePeerHypercube},
		{Name: "hyper-hypercube", Keys: []string{"k="}, About: "exact in one round per factor of n, in cliques of at most k+1", build: buildHyperHypercube},
		{Name: "base", Keys: []string{"k="}, About: "Base-(k+1) graph: exact for any n with at most k neighbors a round", build: buildBase},
		{Name: "round-robin", About: "circle method: all pairs meet once", build: roundRobin},
		{Name: "rotating-cliques", Keys: []string{"k="}, About: "cliques of k that rotate so that all pairs meet, from a resolvable design where one is known", build: rotatingCliques},
		{Name: "hierarchical", Keys: []string{"groups=", "inner=", "outer="}, About: "inner rounds within equal groups, then outer rounds of all", build: hierarchical},
		{Name: "random-matching", About: "a uniformly random matching each round", build: randomMatching},
		{Name: "random-cliques", Keys: []string{"k="}, About: "a uniformly random partition into cliques of k each round", build: randomCliques},
		{Name: "random-edge", Keys: []string{"graph="}, About: "one random edge of a graph each round: randomized gossip", build: randomEdge},
		{Name: "matcha", Keys: []string{"graph=", "budget="}, About: "matchings of a graph, active at random with optimized probabilities", build: matcha},
	}
}

// edgesOf lists the edges of a static graph and the number of its nodes.
type edgesOf func(b *builder) (n int, edges []Edge, err error)

func graphOf(f edgesOf) func(*builder) error {
	return func(b *builder) error {
		n, edges, err := f(b)
		if err != nil {
			return err
		}
		b.out.N = n
		b.round(Round{Edges: edges})
		return nil
	}
}

func local(b *builder) error {
	b.out.N = b.n()
	b.round(Round{})
	return nil
}

func allreduce(b *builder) error {
	b.out.N = b.n()
	b.round(Round{Cliques: [][]int{span(0, b.out.N)}})
	return nil
}

// span returns from, from+1, ..., to-1.
func span(from, to int) []int {
	s := make([]int, to-from)
	for i := range s {
		s[i] = from + i
	}
	return s
}

func pathEdges(b *builder) (int, []Edge, error) {
	n := b.n()
	edges := make([]Edge, 0, n)
	for i := range n - 1 {
		edges = append(edges, Edge{I: i, J: i + 1})
	}
	return n, edges, nil
}

// ringEdges closes the path; a ring of two is a single edge.
func ringEdges(b *builder) (int, []Edge, error) {
	n, edges, err := pathEdges(b)
	if n > 2 {
		edges = append(edges, Edge{I: 0, J: n - 1})
	}
	return n, edges, err
}

func starEdges(b *builder) (int, []Edge, error) {
	n := b.n()
	edges := make([]Edge, 0, n)
	for i := 1; i < n; i++ {
		edges = append(edges, Edge{I: 0, J: i})
	}
	return n, edges, nil
}

func completeEdges(b *builder) (int, []Edge, error) {
	n := b.n()
	if err := b.terms(float64(n)*float64(n-1)/2, " (allreduce averages all nodes in one clique)"); err != nil {
		return 0, nil, err
	}
	var edges []Edge
	for i := range n {
		for j := i + 1; j < n; j++ {
			edges = append(edges, Edge{I: i, J: j})
		}
	}
	return n, edges, nil
}

func gridEdges(b *builder) (int, []Edge, error)  { return lattice(b, false) }
func torusEdges(b *builder) (int, []Edge, error) { return lattice(b, true) }

// lattice joins node (r, c), number r·columns + c, to its right and lower neighbor. Closing a side of two nodes would
// double an edge and closing one of one would make a loop: both are left out.
func lattice(b *builder, closed bool) (int, []Edge, error) {
	rows, columns, err := sides(b)
	if err != nil {
		return 0, nil, err
	}
	var edges []Edge
	add := func(r, c, r2, c2 int) { edges = append(edges, Edge{I: r*columns + c, J: r2*columns + c2}) }
	for r := range rows {
		for c := range columns {
			if c+1 < columns {
				add(r, c, r, c+1)
			} else if closed && columns > 2 {
				add(r, 0, r, c)
			}
			if r+1 < rows {
				add(r, c, r+1, c)
			} else if closed && rows > 2 {
				add(0, c, r, c)
			}
		}
	}
	return rows * columns, edges, nil
}

// sides returns rows and columns: both given, one given with n, or the most square pair whose product is n.
func sides(b *builder) (rows, columns int, err error) {
	rows, columns = b.Int("rows", 0, 1, MaxNodes), b.Int("columns", 0, 1, MaxNodes)
	if rows > 0 && columns > 0 {
		n := b.Int("n", rows*columns, 1, MaxNodes)
		if rows*columns > MaxNodes {
			return 0, 0, b.Errorf("more than %d nodes", MaxNodes)
		}
		if n != rows*columns {
			return 0, 0, b.Errorf("n=%d, but rows x columns is %d", n, rows*columns)
		}
		return rows, columns, nil
	}
	n := b.n()
	known, name := max(rows, columns), "rows"
	if columns > 0 {
		name = "columns"
	}
	if known == 0 {
		for known = 1; (known+1)*(known+1) <= n; known++ {
		}
		for n%known != 0 {
			known--
		}
	}
	if n%known != 0 {
		return 0, 0, b.Errorf("n=%d is no multiple of %s=%d", n, name, known)
	}
	if columns > 0 {
		return n / columns, columns, nil
	}
	return known, n / known, nil
}

func hypercubeEdges(b *builder) (int, []Edge, error) {
	n := b.n()
	if err := powerOfTwo(b, n); err != nil {
		return 0, nil, err
	}
	var edges []Edge
	for i := range n {
		for bit := 1; bit < n; bit <<= 1 {
			if i&bit == 0 {
				edges = append(edges, Edge{I: i, J: i | bit})
			}
		}
	}
	return n, edges, nil
}

func powerOfTwo(b *builder, n int) error {
	if n&(n-1) != 0 {
		below := 1 << (bits.Len(uint(n)) - 1)
		return b.Errorf("%d is no power of two (nearest: %d and %d)", n, below, 2*below)
	}
	return nil
}

// nearest names the sizes around n that ok accepts: "8 and 16".
func nearest(n int, ok func(int) bool) string {
	below, above := n-1, n+1
	for below > 0 && !ok(below) {
		below--
	}
	for above < n+MaxNodes && !ok(above) {
		above++
	}
	if below < 1 {
		return fmt.Sprint(above)
	}
	return fmt.Sprintf("%d and %d", below, above)
}
