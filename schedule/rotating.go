package schedule

// rotatingCliques is a sequence of partitions into cliques of k in which pairs meet as evenly as possible.
func rotatingCliques(b *builder) error {
	n := b.n()
	k := b.Int("k", 3, 1, MaxNodes)
	if k > n {
		return b.Errorf("cliques of %d among %d nodes", k, n)
	}
	b.out.N = n
	for _, cliques := range rotation(n, k) {
		b.round(Round{Cliques: cliques})
	}
	return nil
}
