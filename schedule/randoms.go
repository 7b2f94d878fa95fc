package schedule

import (
	"math/rand/v2"
)

// randomMatching is a uniformly random perfect matching; odd n leaves one random node idle.
func randomMatching(b *builder) error { return randomPartition(b, b.n(), 2) }

// randomCliques is a uniformly random partition into cliques of k, one smaller where k does not divide n.
func randomCliques(b *builder) error {
	n := b.n()
	k := b.Int("k", 3, 1, MaxNodes)
	if k > n {
		return b.Errorf("cliques of %d among %d nodes", k, n)
	}
	return randomPartition(b, n, k)
}

func randomPartition(b *builder, n, k int) error {
	b.out.N = n
	r := &Random{Exchangeable: true, CliqueSize: k, draw: func(rng *rand.Rand) [][]int { return cut(rng.Perm(n), k) }}
	if all, ok := partitions(n, k, MaxOutcomes); ok {
		for _, c := range all {
			r.Outcomes = append(r.Outcomes, Outcome{1 / float64(len(all)), Round{Cliques: c}})
		}
	}
	b.out.Random = r
	return nil
}

// cut splits a list into pieces of k, the last one shorter.
func cut(list []int, k int) [][]int {
	var out [][]int
	for len(list) > 0 {
		c := list[:min(k, len(list))]
		out = append(out, c)
		list = list[len(c):]
	}
	return out
}

// partitions lists all partitions of n nodes into cliques of k and, where k does not divide n, one of the rest; or
// false when there are more than most.
func partitions(n, k, most int) ([][][]int, bool) {
	var out [][][]int
	used := make([]bool, n)
	var current [][]int
	ok := true
	var next func(restUsed bool)
	next = func(restUsed bool) {
		if !ok {
			return
		}
		first := 0
		for first < n && used[first] {
			first++
		}
		if first == n {
			if len(out) == most {
				ok = false
				return
			}
			out = append(out, append([][]int(nil), current...))
			return
		}
		place := func(size int, restUsed bool) {
			c := []int{first}
			used[first] = true
			var choose func(from int)
			choose = func(from int) {
				if !ok {
					return
				}
				if len(c) == size {
					current = append(current, append([]int(nil), c...))
					next(restUsed)
					current = current[:len(current)-1]
					return
				}
				for i := from; i < n; i++ {
					if !used[i] {
						used[i], c = true, append(c, i)
						choose(i + 1)
						used[i], c = false, c[:len(c)-1]
					}
				}
			}
			choose(first + 1)
			used[first] = false
		}
		left := 0
		for i := first; i < n; i++ {
			if !used[i] {
				left++
			}
		}
		rest := n % k
		if left-rest >= k || restUsed && left >= k {
			place(k, restUsed)
		}
		if rest > 0 && !restUsed {
			place(rest, true)
		}
	}
	next(false)
	return out, ok
}

// randomEdge picks one edge of a graph, all equally likely: randomized gossip (Boyd et al. 2006).
func randomEdge(b *builder) error {
	n, edges, err := b.graph()
	if err != nil {
		return err
	}
	b.out.N = n
	b.out.Random = &Random{}
	if len(edges) == 0 {
		return b.Errorf("the graph has no edge to pick")
	}
	if len(edges) > MaxOutcomes {
		b.out.Random.draw = func(rng *rand.Rand) [][]int {
			e := edges[rng.IntN(len(edges))]
			return [][]int{{e.I, e.J}}
		}
		return nil
	}
	for _, e := range edges {
		b.out.Random.Outcomes = append(b.out.Random.Outcomes, Outcome{1 / float64(len(edges)), Round{Cliques: [][]int{{e.I, e.J}}}})
	}
	return nil
}

// matcha activates the matchings of a graph's edge coloring independently (Wang et al. 2019, arXiv 1905.09435).
func matcha(b *builder) error {
	n, edges, err := b.graph()
	if err != nil {
		return err
	}
	b.out.N = n
	budget := b.Float("budget", 0.5, 0, 1)
	if budget == 0 {
		return b.Errorf("budget=0 activates nothing (want a value in (0, 1])")
	}
	if len(edges) == 0 {
		return b.Errorf("the graph has no edge to activate")
	}
	b.out.Random = &Random{Matchings: colorEdges(n, edges), Budget: budget}
	return nil
}

// graph reads the base graph of a random family: graph=NAME with the keys of that family.
func (b *builder) graph() (int, []Edge, error) {
	name := b.String("graph", "ring")
	if name == "file" {
		name = "graph"
	}
	var known []string
	for _, f := range families {
		if f.graph {
			known = append(known, f.Name)
			if f.Name == name {
				inner := &builder{b.Spec, b.o, &Schedule{}}
				if err := f.build(inner); err != nil {
					return 0, nil, err
				}
				b.out.Nodes = inner.out.Nodes
				return inner.out.N, inner.out.Rounds[0].Edges, nil
			}
		}
	}
	return 0, nil, b.unknown("graph", name, known)
}
