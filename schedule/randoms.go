package schedule

import "math"

// randomMatching is a uniformly random perfect matching; odd n leaves one random node idle.
func randomMatching(b *builder) error { return randomPartition(b, b.n(), min(2, b.n())) }

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
	b.out.Random = &Random{Exchangeable: true, N: n, CliqueSize: k}
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

// logPartitions returns the logarithm of the number of partitions of n nodes into cliques of k and one of the rest.
func logPartitions(n, k int) float64 {
	logFactorial := func(n int) float64 { v, _ := math.Lgamma(float64(n) + 1); return v }
	m := n / k
	return logFactorial(n) - float64(m)*logFactorial(k) - logFactorial(m) - logFactorial(n%k)
}

// partitions lists all partitions of n nodes into cliques of k and, where k does not divide n, one of the rest; or
// false when there are too many.
func partitions(n, k int) ([][][]int, bool) {
	if count := math.Exp(logPartitions(n, k)); count > MaxOutcomes+0.5 || count*float64(n) > listedNodes {
		return nil, false
	}
	var out [][][]int
	used := make([]bool, n)
	var current [][]int
	var next func(restUsed bool)
	next = func(restUsed bool) {
		first := 0
		for first < n && used[first] {
			first++
		}
		if first == n {
			out = append(out, append([][]int(nil), current...))
			return
		}
		place := func(size int, restUsed bool) {
			c := []int{first}
			used[first] = true
			var choose func(from int)
			choose = func(from int) {
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
	return out, true
}

// randomEdge picks one edge of a graph, all equally likely: randomized gossip (Boyd et al. 2006).
func randomEdge(b *builder) error {
	n, edges, err := b.graph()
	if err != nil {
		return err
	}
	b.out.N = n
	if len(edges) == 0 {
		return b.Errorf("the graph has no edge to pick")
	}
	b.out.Random = &Random{Edges: edges}
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
