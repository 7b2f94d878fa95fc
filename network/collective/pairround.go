package collective

import (
	"fmt"
	"slices"

	"github.com/islandsgd/islands/schedule"
)

// pairRound prices a round given by edges or matrix entries: island i's payload goes to j wherever W_ji is not zero.
func (p *Pricer) pairRound(s *scratch, r *schedule.Round) (*Price, error) {
	b, list, err := p.carryPairs(s, r)
	if err != nil {
		return nil, err
	}
	out := &Price{Cliques: [][]string{}, Collectives: []Collective{}}
	if slices.ContainsFunc(list.sends, func(to []int) bool { return len(to) > 0 }) {
		out.Carriage = &b.carriage
	}
	p.fill(out, []*candidate{b}, s)
	out.LowerBound.Cut = p.cutBound(p.pairGroups(list))
	return out, nil
}

// carryPairs chooses the cheaper of the two carriages.
func (p *Pricer) carryPairs(s *scratch, r *schedule.Round) (*candidate, *pairs, error) {
	if c := p.options.Collective; c != Best && c != Exchange {
		return nil, nil, fmt.Errorf("collective %q carries cliques, this round is a matrix: use %s or %s", c, Best, Exchange)
	}
	list, err := p.roundPairs(r)
	if err != nil {
		return nil, nil, err
	}
	var b *candidate
	for _, l := range s.bypasses() {
		x, y := l.exchange(list)
		for _, c := range []*candidate{x, y} {
			if b == nil || p.seconds(c) < p.seconds(b)*(1-improvement) {
				b = c
			}
		}
	}
	return b, list, nil
}

// roundPairs lists the ordered pairs (i, j), i ≠ j, with W_ji ≠ 0, each once.
func (p *Pricer) roundPairs(r *schedule.Round) (*pairs, error) {
	n := len(p.g.Topology.Islands)
	list := newPairs(n)
	seen := map[[2]int]bool{}
	add := func(i, j int) error {
		if min(i, j) < 0 || max(i, j) >= n {
			return fmt.Errorf("round names island %d, the topology has %d (0 to %d)", max(i, j), n, n-1)
		}
		if i == j || seen[[2]int{i, j}] {
			return nil
		}
		seen[[2]int{i, j}] = true
		list.add(i, j)
		islands := p.g.Topology.Islands
		if !p.g.Connected(islands[i].Router, islands[j].Router) {
			return fmt.Errorf("no route joins islands %s and %s: %w", islands[i].ID, islands[j].ID, ErrDisconnected)
		}
		return nil
	}
	for _, e := range r.Edges {
		if e.Weight == 0 && r.Rule == "" {
			continue
		}
		if err := add(e.I, e.J); err != nil {
			return nil, err
		}
		if err := add(e.J, e.I); err != nil {
			return nil, err
		}
	}
	for _, e := range r.Entries {
		if e.Weight == 0 {
			continue
		}
		if err := add(e.J, e.I); err != nil {
			return nil, err
		}
	}
	for i := range n {
		slices.Sort(list.sends[i])
		slices.Sort(list.takes[i])
	}
	return list, nil
}
