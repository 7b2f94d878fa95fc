package mixing

// connected reports whether every node's value reaches every other in the course of repeated periods: the union of
// the rounds' graphs (of E[W] for a random sequence), an arc j → i where W_ij ≠ 0, is strongly connected.
func (s *Sequence) connected() bool {
	if s.Random != nil {
		if s.Random.exchangeable {
			return s.Random.joins
		}
		return s.Random.Mean != nil && stronglyConnected(s.N, []*Matrix{s.Random.Mean})
	}
	ws := make([]*Matrix, len(s.Steps))
	for t := range s.Steps {
		ws[t] = s.Steps[t].W
	}
	return stronglyConnected(s.N, ws)
}

// stronglyConnected searches from node 0 along the arcs and against them. Cliques count as hubs of their members, so
// that a clique of ten thousand costs ten thousand.
func stronglyConnected(n int, ws []*Matrix) bool {
	nodes := n
	for _, w := range ws {
		nodes += len(w.cliques)
	}
	out, in := make([][]int, nodes), make([][]int, nodes)
	hub := n
	for _, w := range ws {
		for _, c := range w.cliques {
			for _, i := range c {
				out[i], in[i] = append(out[i], hub), append(in[i], hub)
			}
			out[hub], in[hub] = c, c
			hub++
		}
		for i, row := range w.rows {
			for _, t := range row {
				if t.J != i {
					out[t.J] = append(out[t.J], i)
					in[i] = append(in[i], t.J)
				}
			}
		}
	}
	return reachesAll(n, out) && reachesAll(n, in)
}

func reachesAll(n int, next [][]int) bool {
	seen := make([]bool, len(next))
	seen[0] = true
	queue, count := []int{0}, 1
	for len(queue) > 0 {
		i := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, j := range next[i] {
			if !seen[j] {
				seen[j] = true
				if j < n {
					count++
				}
				queue = append(queue, j)
			}
		}
	}
	return count == n
}
