package schedule

// hops returns 2^0, 2^1, ... below n: ceil(log2 n) of them.
func hops(n int) []int {
	var h []int
	for d := 1; d < n; d *= 2 {
		h = append(h, d)
	}
	return h
}

// circulant returns the matrix W_i,i+d = weight for the given hops and the same weight on the diagonal.
func circulant(n int, hops []int) Round {
	w := 1 / float64(len(hops)+1)
	r := Round{}
	for i := range n {
		r.Entries = append(r.Entries, Edge{i, i, w})
		for _, d := range hops {
			r.Entries = append(r.Entries, Edge{i, (i + d) % n, w})
		}
	}
	return r
}

// oneWayRing is ½ I + ½ shift.
func oneWayRing(b *builder) error {
	b.out.N = b.n()
	if b.out.N == 1 {
		return b.atLeastOneRound()
	}
	b.round(circulant(b.out.N, []int{1}))
	return nil
}

// exponential is the static exponential graph (Ying et al. 2021, arXiv 2110.13363).
func exponential(b *builder) error {
	n := b.n()
	if err := b.terms(float64(n)*float64(len(hops(n))+1), ""); err != nil {
		return err
	}
	b.out.N = n
	if n > 1 {
		b.round(circulant(n, hops(n)))
	}
	return b.atLeastOneRound()
}

// onePeerExponential takes one hop of it a round.
func onePeerExponential(b *builder) error {
	n := b.n()
	if err := b.terms(2*float64(n)*float64(len(hops(n))), ""); err != nil {
		return err
	}
	b.out.N = n
	for _, d := range hops(n) {
		b.round(circulant(n, []int{d}))
	}
	return b.atLeastOneRound()
}

func onePeerHypercube(b *builder) error {
	n := b.n()
	if err := powerOfTwo(b, n); err != nil {
		return err
	}
	b.out.N = n
	rounds, _ := hyperHypercube(n, 1)
	b.out.Rounds = cliqueRounds(rounds)
	return b.atLeastOneRound()
}

// roundRobin is the circle method: node n-1 stays, the others turn; odd n leaves one node idle a round.
func roundRobin(b *builder) error {
	n := b.n()
	b.out.N = n
	if err := b.terms(float64(n)*float64(n), ""); err != nil {
		return err
	}
	b.out.Rounds = cliqueRounds(circle(n))
	return b.atLeastOneRound()
}

func circle(n int) [][][]int {
	even := n + n%2 // an odd tournament gets a bye
	if n < 2 {
		return nil
	}
	rounds := make([][][]int, even-1)
	for t := range rounds {
		pair := func(i, j int) {
			if i < n && j < n {
				rounds[t] = append(rounds[t], []int{min(i, j), max(i, j)})
			}
		}
		pair(t, even-1)
		for d := 1; d < even/2; d++ {
			pair((t+d)%(even-1), (t-d+even-1)%(even-1))
		}
	}
	return rounds
}

func hierarchical(b *builder) error {
	n := b.n()
	groups := b.Int("groups", 3, 1, MaxNodes)
	inner, outer := b.Int("inner", 1, 0, 1<<20), b.Int("outer", 1, 0, 1<<20)
	if n%groups != 0 {
		return b.Errorf("%d nodes do not split into %d equal groups (nearest sizes: %s)", n, groups,
			nearest(n, func(n int) bool { return n%groups == 0 }))
	}
	if inner+outer == 0 {
		return b.Errorf("inner=0 and outer=0 leave no round")
	}
	if err := b.terms(float64(n)*float64(inner+outer), ""); err != nil {
		return err
	}
	b.out.N = n
	size := n / groups
	for range inner {
		var r Round
		for g := range groups {
			r.Cliques = append(r.Cliques, span(g*size, (g+1)*size))
		}
		b.round(r)
	}
	for range outer {
		b.round(Round{Cliques: [][]int{span(0, n)}})
	}
	return nil
}
