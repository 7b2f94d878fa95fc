package schedule

// Finite-time sequences: they average exactly after a fixed number of rounds, with few neighbors at a time.

// hyperHypercube returns rounds of cliques of at most k+1 nodes that average n nodes exactly, or false where n has a
// prime factor above k+1. The mixed-radix digits of a node's number are averaged out one a round: with n = f_1 f_2 ...
// (factors k+1 first divided out, then k, ..., 2; used in ascending order) round r joins the nodes that differ in
// digit r alone. Takezawa et al. 2023, arXiv 2305.11420.
func hyperHypercube(n, k int) ([][][]int, bool) {
	factors, ok := smallFactors(n, k+1)
	if !ok {
		return nil, false
	}
	rounds := make([][][]int, len(factors))
	stride := 1
	for r, f := range factors {
		for i := range n {
			if i/stride%f == 0 {
				c := make([]int, f)
				for d := range c {
					c[d] = i + d*stride
				}
				rounds[r] = append(rounds[r], c)
			}
		}
		stride *= f
	}
	return rounds, true
}

// smallFactors writes n as an ascending product of factors from 2 to largest.
func smallFactors(n, largest int) ([]int, bool) {
	var factors []int
	for f := largest; f > 1; f-- {
		for n%f == 0 {
			factors = append([]int{f}, factors...)
			n /= f
		}
	}
	return factors, n == 1
}

// part is one term a (k+1)^p of n in base k+1: a run of nodes in a blocks of equal size.
type part struct {
	first, size, blocks int
}

func (p part) node(i int) int { return p.first + i }

// run appends the cliques of round t of H(size) on each of the part's blocks (or on the part as a whole); H repeats
// where it is shorter.
func (p part) run(t, blocks, k int, cliques [][]int, cyclic bool) [][]int {
	size := p.size / blocks
	rounds, _ := hyperHypercube(size, k) // size is a power of k+1 or at most k+1 times one: always possible
	if len(rounds) == 0 || !cyclic && t >= len(rounds) {
		return cliques
	}
	for b := range blocks {
		for _, c := range rounds[t%len(rounds)] {
			moved := make([]int, len(c))
			for i, v := range c {
				moved[i] = p.node(b*size + v)
			}
			cliques = append(cliques, moved)
		}
	}
	return cliques
}

// simpleBase returns the simple Base-(k+1) graph S(n). The digits of n in base k+1 cut the nodes into parts; every
// part first averages within itself, then the smaller parts pass their surplus to the larger ones through edges
// weighted by size, and the larger parts spread it.
func simpleBase(n, k int) []Round {
	if rounds, ok := hyperHypercube(n, k); ok {
		return cliqueRounds(rounds)
	}
	var parts []part
	power := 1
	for power*(k+1) <= n {
		power *= k + 1
	}
	for first := 0; first < n; power /= k + 1 {
		if a := (n - first) / power; a > 0 {
			parts = append(parts, part{first, a * power, a})
			first += a * power
		}
	}
	whole, _ := hyperHypercube(parts[0].size, k)
	m := len(whole)
	block, _ := hyperHypercube(parts[0].size/parts[0].blocks, k)
	length := m + 1 + len(block)

	rounds := make([]Round, length)
	for t := range m {
		for _, p := range parts {
			rounds[t].Cliques = p.run(t, 1, k, rounds[t].Cliques, true)
		}
	}
	for t := m; t < length; t++ {
		var cliques [][]int
		var edges []Edge
		for l, p := range parts {
			giver := t - m // the part that takes up the later ones in this round
			switch {
			case l == giver && l < len(parts)-1:
				e, c := takeUp(parts[l:], n, k)
				edges, cliques = append(edges, e...), append(cliques, c...)
			case l < giver, l == giver: // done, or the last part in its first free round
				since := t - m - l - 1
				if l == len(parts)-1 {
					since++
				}
				blocks := p.blocks
				if p.size < k+1 {
					blocks = 1
				}
				cliques = p.run(since, blocks, k, cliques, false)
			}
		}
		if len(edges) == 0 {
			rounds[t].Cliques = cliques
			continue
		}
		for _, c := range cliques {
			for i := range c {
				for j := i + 1; j < len(c); j++ {
					edges = append(edges, Edge{c[i], c[j], 1 / float64(len(c))})
				}
			}
		}
		rounds[t].Edges = edges
	}
	return rounds
}

// takeUp joins every node of the later parts with the highest free node in each block of the first part, and averages
// the nodes that stay free in groups of at most k+1, which changes no product.
func takeUp(parts []part, n, k int) (edges []Edge, cliques [][]int) {
	p := parts[0]
	size := p.size / p.blocks
	rest := n - p.first // nodes in this part and the later ones
	weight := float64(p.size) / float64(rest) / float64(p.blocks)
	taken := 0 // nodes taken from the top of each block
	for l := len(parts) - 1; l > 0; l-- {
		for i := range parts[l].size {
			for b := range p.blocks {
				edges = append(edges, Edge{p.node((b+1)*size - 1 - taken), parts[l].node(i), weight})
			}
			taken++
		}
	}
	var free []int
	for b := range p.blocks {
		for i := range size - taken {
			free = append(free, p.node(b*size+i))
		}
	}
	for len(free) > 1 {
		c := free[:min(k+1, len(free))]
		if len(c) > 1 {
			cliques = append(cliques, c)
		}
		free = free[len(c):]
	}
	return edges, cliques
}

func cliqueRounds(rounds [][][]int) []Round {
	out := make([]Round, len(rounds))
	for t, c := range rounds {
		out[t].Cliques = c
	}
	return out
}

// baseGraph returns the Base-(k+1) graph: n = p q with all prime factors of p at most k+1; S(q) on p groups at once,
// then H(p) across the groups. The simple form is taken where it is strictly shorter. Any n is averaged exactly in at
// most 2 log_{k+1} n + 2 rounds, each node having at most k neighbors.
func baseGraph(n, k int) []Round {
	q := n
	for f := 2; f <= min(k+1, n); f++ {
		for q%f == 0 {
			q /= f
		}
	}
	p := n / q
	var rounds []Round
	for _, r := range simpleBase(q, k) {
		rounds = append(rounds, r.copies(p, q))
	}
	across, _ := hyperHypercube(p, k)
	for _, cliques := range across {
		var r Round
		for i := range q {
			for _, c := range cliques {
				moved := make([]int, len(c))
				for d, g := range c {
					moved[d] = g*q + i
				}
				r.Cliques = append(r.Cliques, moved)
			}
		}
		rounds = append(rounds, r)
	}
	if simple := simpleBase(n, k); len(simple) < len(rounds) {
		return simple
	}
	return rounds
}

// copies runs a round of q nodes on p consecutive groups at once.
func (r Round) copies(p, q int) Round {
	var out Round
	for g := range p {
		for _, c := range r.Cliques {
			moved := make([]int, len(c))
			for i, v := range c {
				moved[i] = g*q + v
			}
			out.Cliques = append(out.Cliques, moved)
		}
		for _, e := range r.Edges {
			out.Edges = append(out.Edges, Edge{g*q + e.I, g*q + e.J, e.Weight})
		}
	}
	return out
}

func buildBase(b *builder) error {
	n, k := b.n(), b.Int("k", 1, 1, MaxNodes)
	k = min(k, max(1, n-1))
	b.out.N = n
	if err := b.terms(float64(n)*float64(min(k+1, 2*n)), ""); err != nil {
		return err
	}
	b.out.Rounds = baseGraph(n, k)
	return b.atLeastOneRound()
}

func buildHyperHypercube(b *builder) error {
	n, k := b.n(), b.Int("k", 1, 1, MaxNodes)
	k = min(k, max(1, n-1))
	b.out.N = n
	rounds, ok := hyperHypercube(n, k)
	if !ok {
		return b.Errorf("%d has a prime factor above k+1 = %d (nearest sizes: %s; family base takes any size)", n, k+1,
			nearest(n, func(n int) bool { _, ok := smallFactors(n, k+1); return ok }))
	}
	b.out.Rounds = cliqueRounds(rounds)
	return b.atLeastOneRound()
}

// atLeastOneRound adds an idle round to the schedule of a single node.
func (b *builder) atLeastOneRound() error {
	if len(b.out.Rounds) == 0 {
		b.round(Round{})
	}
	return nil
}
