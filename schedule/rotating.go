package schedule

// rotatingCliques is a sequence of partitions into cliques of k in which pairs meet as evenly as possible.
func rotatingCliques(b *builder) error {
	n := b.n()
	k := b.Int("k", 3, 1, MaxNodes)
	if k > n {
		return b.Errorf("cliques of %d among %d nodes", k, n)
	}
	if k > 1 {
		if err := b.terms(float64(n)*float64(n)/float64(k-1), ""); err != nil {
			return err
		}
	}
	b.out.N = n
	b.out.Rounds = cliqueRounds(rotation(n, k))
	return b.atLeastOneRound()
}
