package collective

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
)

// plan chooses how to carry every clique of two or more, in the order of tidy, and reports whether no better choice
// exists.
func (p *Pricer) plan(s *scratch, cliques [][]int) ([]*candidate, bool, error) {
	sorted, err := p.usable(s, cliques)
	if err != nil {
		return nil, false, err
	}
	switch len(sorted) {
	case 0:
		return nil, true, nil
	case 1:
		one := p.bestAlone(s, sorted[0])
		return []*candidate{one.choice}, one.proven, nil
	}
	if !p.hasLarge(sorted) {
		choice, proven := p.choose(s, sorted, false)
		return choice, proven, nil
	}
	key := fmt.Sprint(sorted)
	p.mu.RLock()
	known := p.large[key]
	p.mu.RUnlock()
	if known == nil {
		choice, proven := p.choose(s, sorted, true)
		known = &solved{slices.Clone(choice), proven}
		p.remember(func() { p.large[key] = known }, len(choice))
	}
	return known.choice, known.proven, nil
}

// hasLarge reports whether some clique has more ring orders than are listed beforehand.
func (p *Pricer) hasLarge(cliques [][]int) bool {
	return !p.quick && slices.ContainsFunc(cliques, func(members []int) bool { return p.wantsRings(len(members)) && len(members) > p.listed })
}

// choose carries several cliques together. The choice is the scratch's, until it is used again.
func (p *Pricer) choose(s *scratch, sorted [][]int, large bool) ([]*candidate, bool) {
	sets := make([]*menu, len(sorted))
	for i, members := range sorted {
		sets[i] = p.menuFor(s, members)
	}
	if large {
		sets = p.completeLarge(s, sets)
	}
	choice, proven := s.joint.start(p, sets).solve()
	for _, o := range sets {
		proven = proven && o.proven
	}
	return choice, proven
}

// solved is how a round with large cliques is carried. It takes seconds to find, so it is remembered.
type solved struct {
	choice []*candidate
	proven bool
}

// ErrDisconnected is what a price fails with when islands that are to average have no route to one another.
var ErrDisconnected = errors.New("the topology is disconnected")

func (p *Pricer) connected(members []int) error {
	islands := p.g.Topology.Islands
	for _, m := range members[1:] {
		if !p.g.Connected(islands[members[0]].Router, islands[m].Router) {
			return fmt.Errorf("no route joins islands %s and %s of one clique: %w",
				islands[members[0]].ID, islands[m].ID, ErrDisconnected)
		}
	}
	return nil
}

// treeCandidates returns every candidate but rings, in the order of preference between equals.
func (p *Pricer) treeCandidates(s *scratch, members []int) []*candidate {
	var list []*candidate
	for _, l := range s.bypasses() {
		list = append(list, p.treesOf(l, members)...)
	}
	return list
}

func (p *Pricer) treesOf(l *loader, members []int) []*candidate {
	var list []*candidate
	want := func(name string) bool { return p.options.Collective == Best || p.options.Collective == name }
	if want(Exchange) {
		b, r := l.exchange(completePairs(len(p.g.Topology.Islands), members))
		list = append(list, b, r)
	}
	if want(Hub) {
		for _, m := range members {
			list = append(list, l.hubAt(m, members))
		}
		for v := range l.can.Multicast {
			if l.can.Multicast[v] && l.can.Aggregation[v] && p.g.Connected(v, l.router(members[0])) {
				list = append(list, l.hubAt(len(p.g.Topology.Islands)+v, members))
			}
		}
	}
	if want(Sharded) {
		list = append(list, l.sharded(members))
	}
	return list
}

// wantsRings reports whether rings are candidates. A ring of two is legal but never better than an exchange.
func (p *Pricer) wantsRings(k int) bool {
	return p.options.Collective == Ring || p.options.Collective == Best && k >= 3
}

func (s *scratch) keyOf(members []int) []byte {
	s.key = s.key[:0]
	for _, m := range members {
		s.key = binary.LittleEndian.AppendUint16(s.key, uint16(m))
	}
	return s.key
}

func (p *Pricer) bestAlone(s *scratch, members []int) *single {
	p.mu.RLock()
	one := p.alone[string(s.keyOf(members))]
	p.mu.RUnlock()
	if one != nil {
		return one
	}
	one = &single{proven: true}
	limit := math.Inf(1)
	for _, c := range p.treeCandidates(s, members) {
		if t := p.seconds(c); t < limit*(1-improvement) || one.choice == nil {
			one.choice, limit = c, t
		}
	}
	if p.wantsRings(len(members)) {
		nothing := p.nothing()
		c, proven := p.bestRing(members, nothing, limit)
		if c != nil {
			one.choice = c
		}
		one.proven = proven
	}
	p.remember(func() { p.alone[string(s.keyOf(members))] = one }, 1)
	return one
}

// menuFor returns a clique's undominated candidates. For a clique above listedRing only the best ring found on its
// own stands among them; completeLarge adds what else a round can use.
func (p *Pricer) menuFor(s *scratch, members []int) *menu {
	p.mu.RLock()
	o := p.memo[string(s.keyOf(members))]
	p.mu.RUnlock()
	if o != nil {
		return o
	}
	if !p.wantsRings(len(members)) || len(members) <= p.listed {
		w := p.waysOf(s, members)
		o = p.newMenu(members, slices.Clone(w.list), w.proven)
	} else {
		t := p.newRingTable(members)
		list := append(p.treeCandidates(s, members), t.candidate(t.heuristic(p.nothing())))
		o = p.newMenu(members, undominated(list), false)
	}
	p.remember(func() { p.memo[string(s.keyOf(members))] = o }, 1)
	return o
}

// ways remembers what small cliques can choose from, which no payload changes.
type ways struct {
	mu   sync.RWMutex
	memo map[string]*wayList
	kept int // floats held
}

// wayList is every undominated candidate of a clique.
type wayList struct {
	list   []*candidate
	proven bool // whether none is missing
}

func newWays() *ways { return &ways{memo: map[string]*wayList{}} }

func (p *Pricer) waysOf(s *scratch, members []int) *wayList {
	p.ways.mu.RLock()
	w := p.ways.memo[string(s.keyOf(members))]
	p.ways.mu.RUnlock()
	if w != nil {
		return w
	}
	w = &wayList{p.treeCandidates(s, members), true}
	if p.wantsRings(len(members)) {
		var rings []*candidate
		rings, w.proven = p.newRingTable(members).list(p.nothing(), math.Inf(1))
		w.list = append(w.list, rings...)
	}
	w.list = undominated(w.list)
	p.ways.mu.Lock()
	defer p.ways.mu.Unlock()
	if size := len(w.list) * p.res.rows; p.ways.kept+size <= memoryLimit {
		p.ways.kept += size
		p.ways.memo[string(s.keyOf(members))] = w
	}
	return w
}

func (p *Pricer) remember(store func(), loads int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if size := loads * p.res.rows; p.kept+size <= memoryLimit {
		p.kept += size
		store()
	}
}

// completeLarge adds, to cliques of more than listedRing and up to exactRing members, every ring order that could
// make this round faster than a first plan does: the search is exact because no other order can be part of a faster
// plan.
func (p *Pricer) completeLarge(s *scratch, sets []*menu) []*menu {
	j := s.joint.start(p, sets)
	j.solve()
	out := slices.Clone(sets)
	for i, o := range sets {
		if !p.wantsRings(len(o.members)) || len(o.members) <= p.listed {
			continue
		}
		others, t := p.except(sets, i), p.newRingTable(o.members)
		if len(o.members) > exactRing {
			out[i] = p.newMenu(o.members, undominated(append(slices.Clone(o.list), t.candidate(t.heuristic(others)))), false)
			continue
		}
		rings, complete := t.list(others, j.limit)
		out[i] = p.newMenu(o.members, undominated(append(slices.Clone(o.list), rings...)), complete)
	}
	return out
}
