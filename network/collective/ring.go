package collective

import (
	"math"
	"slices"

	"github.com/islandsgd/islands/network"
)

const (
	// exactRing is the largest clique whose ring orders are searched exactly: 11! orders, most of them cut off early.
	exactRing = 12
	// listedRing is the largest clique whose undominated ring orders are all kept for rounds of several cliques.
	listedRing = 8
	// quickListed is the same for quick prices: in a dense network thousands of orders of eight are undominated.
	quickListed = 5
	// polishedRing is the largest ring that a quick price improves, and quickStarts how many starts it tries beyond.
	polishedRing = 16
	quickStarts  = 4
	// ringBudget bounds the partial orders that one exact search may visit, about a second's worth.
	ringBudget = 20_000_000
	// listBudget is the same for the orders of one clique among several: a round may have many large cliques, and what is
	// cut off here is missed only where the orders that the joint choice begins with are not the best already.
	listBudget = 2_000_000
)

// ringTable holds what every order of a clique's ring is made of.
type ringTable struct {
	p       *Pricer
	members []int
	each    float64   // load on every arc of every hop's path: 2(k-1)/k, more where sums are wider
	paths   [][][]int // link arcs from member i to member j
	picos   [][]int64
	trips   [][]float64 // of each hop's connection
	nearest []int64     // shortest hop into each member
}

func (p *Pricer) newRingTable(members []int) *ringTable {
	k := len(members)
	t := &ringTable{p: p, members: members}
	// Every part makes k-1 hops as a growing sum and k-1 as the whole one.
	for m := 1; m < k; m++ {
		t.each += p.res.width(m) + p.res.width(k)
	}
	t.each /= float64(k)
	t.paths, t.picos, t.nearest = make([][][]int, k), make([][]int64, k), make([]int64, k)
	t.trips = make([][]float64, k)
	l := p.newLoader()
	for j := range k {
		t.nearest[j] = math.MaxInt64
	}
	for i, a := range members {
		t.paths[i], t.picos[i], t.trips[i] = make([][]int, k), make([]int64, k), make([]float64, k)
		from := p.g.Topology.Islands[a].Router
		for j, b := range members {
			if i == j {
				continue
			}
			to := p.g.Topology.Islands[b].Router
			t.paths[i][j] = p.g.Path(from, to)
			t.picos[i][j] = l.way(a, b)
			t.trips[i][j] = l.connection(from, to, t.each)
			t.nearest[j] = min(t.nearest[j], t.picos[i][j])
		}
	}
	return t
}

// latency returns the latency term of a closed order: a part of the payload goes round twice, less the two hops
// that it need not make: 2·loop - min over consecutive hop pairs.
func (t *ringTable) latency(order []int) int64 {
	k := len(order)
	var loop int64
	skip := int64(math.MaxInt64)
	for i := range k {
		hop := t.picos[order[i]][order[(i+1)%k]]
		loop += hop
		skip = min(skip, hop+t.picos[order[(i+1)%k]][order[(i+2)%k]])
	}
	return 2*loop - skip
}

// candidate makes the collective of an order of member positions.
func (t *ringTable) candidate(order []int) *candidate {
	c := &candidate{name: Ring, root: -1, load: make([]float64, t.p.res.rows), picos: t.latency(order)}
	k := len(order)
	c.order = make([]int, k)
	for i, m := range order {
		c.order[i] = t.members[m]
		c.trips = max(c.trips, t.trips[m][order[(i+1)%k]])
		c.load[t.p.g.Egress(t.members[m])]++
		c.load[t.p.g.Ingress(t.members[m])]++
		for _, arc := range t.paths[m][order[(i+1)%k]] {
			c.load[arc]++
		}
	}
	for a := range c.load {
		c.load[a] *= t.each
	}
	return c
}

// seconds returns the time of an order next to other traffic.
func (t *ringTable) seconds(order []int, others *floor) float64 {
	c := t.candidate(order)
	return max(t.p.beside(c.load, others), c.trips*t.p.res.flow) + max(c.latency(), others.latency)
}

// heuristic returns a good order: nearest neighbor from every start, improved by reversing segments (2-opt) and by
// moving single members until neither helps.
func (t *ringTable) heuristic(others *floor) []int {
	k := len(t.members)
	hasty := t.p.quick && k > polishedRing
	starts := k
	if hasty {
		starts = quickStarts
	}
	var best []int
	bestTime := math.Inf(1)
	for start := range starts {
		order := []int{start}
		for len(order) < k {
			at, next := order[len(order)-1], -1
			for j := range k {
				if !slices.Contains(order, j) && (next < 0 || t.picos[at][j] < t.picos[at][next]) {
					next = j
				}
			}
			order = append(order, next)
		}
		if s := t.seconds(order, others); s < bestTime {
			best, bestTime = order, s
		}
	}
	try := make([]int, k)
	for improved := !hasty; improved; {
		improved = false
		for i := range k {
			for j := range k {
				if i == j {
					continue
				}
				copy(try, best)
				if i < j {
					slices.Reverse(try[i : j+1])
				} else { // move member i to place j
					m := try[i]
					copy(try[j+1:i+1], best[j:i])
					try[j] = m
				}
				if s := t.seconds(try, others); s < bestTime*(1-improvement) {
					copy(best, try)
					bestTime, improved = s, true
				}
			}
		}
	}
	at := slices.Index(best, 0)
	return append(slices.Clone(best[at:]), best[:at]...)
}

// ringSearch walks all orders that begin with the first member, in lexicographic order, next to other traffic. An
// order is cut off when a lower bound of its time reaches limit; visit sees every other one and may lower the limit.
// It reports whether the walk was complete.
type ringSearch struct {
	*ringTable
	others  *floor
	limit   float64
	visit   func(s *ringSearch, seconds float64)
	order   []int
	count   []int // hops over each arc
	used    []bool
	visited int
	budget  int
}

func (t *ringTable) search(others *floor, limit float64, budget int, visit func(*ringSearch, float64)) bool {
	s := &ringSearch{ringTable: t, others: others, limit: limit, visit: visit, budget: budget,
		order: []int{0}, count: make([]int, len(t.p.g.Arcs)), used: make([]bool, len(t.members))}
	s.used[0] = true
	access := make([]float64, t.p.res.rows)
	for _, m := range t.members {
		access[t.p.g.Egress(m)], access[t.p.g.Ingress(m)] = t.each, t.each
	}
	var enter int64
	for _, d := range t.nearest {
		enter += d
	}
	s.walk(0, enter, t.p.beside(access, others))
	return s.visited <= budget
}

// walk extends the order. loop is the latency so far, enter the least that is still needed to enter the members
// not yet entered and to return to the first; busy the bandwidth seconds so far.
func (s *ringSearch) walk(loop, enter int64, busy float64) {
	if s.visited++; s.visited > s.budget {
		return
	}
	k := len(s.members)
	at := s.order[len(s.order)-1]
	if len(s.order) == k {
		busy = s.push(at, 0, busy)
		picos := s.latency(s.order)
		if t := busy + max(network.Seconds(picos), s.others.latency); t < s.limit {
			s.visit(s, t)
		}
		s.pop(at, 0)
		return
	}
	for next := 1; next < k; next++ {
		if s.used[next] {
			continue
		}
		nextLoop, nextEnter := loop+s.picos[at][next], enter-s.nearest[next]
		whole := nextLoop + max(nextEnter, s.picos[next][0])
		nextBusy := s.push(at, next, busy)
		// The least consecutive pair is at most 2/k of the loop.
		latency := 2*whole - 2*whole/int64(k)
		if nextBusy+max(network.Seconds(latency), s.others.latency) < s.limit {
			s.order, s.used[next] = append(s.order, next), true
			s.walk(nextLoop, nextEnter, nextBusy)
			s.order, s.used[next] = s.order[:len(s.order)-1], false
		}
		s.pop(at, next)
	}
}

func (s *ringSearch) push(i, j int, busy float64) float64 {
	busy = max(busy, s.trips[i][j]*s.p.res.flow)
	for _, arc := range s.paths[i][j] {
		s.count[arc]++
		busy = max(busy, (float64(s.count[arc])*s.each+s.others.load[arc])*s.p.res.scale[arc])
	}
	return busy
}

func (s *ringSearch) pop(i, j int) {
	for _, arc := range s.paths[i][j] {
		s.count[arc]--
	}
}

// bestRing returns the fastest order next to other traffic if it takes less than limit, else nil; and whether that
// is proven. Of equally fast orders it is the first.
func (p *Pricer) bestRing(members []int, others *floor, limit float64) (*candidate, bool) {
	t := p.newRingTable(members)
	order := t.heuristic(others)
	found := t.seconds(order, others)
	if len(members) > exactRing {
		if found < limit {
			return t.candidate(order), false
		}
		return nil, false
	}
	var first []int
	limit = min(limit, math.Nextafter(found, math.Inf(1)))
	complete := t.search(others, limit, ringBudget, func(s *ringSearch, seconds float64) {
		first, s.limit = slices.Clone(s.order), seconds
	})
	switch {
	case first != nil:
		return t.candidate(first), complete
	case !complete && found < limit:
		return t.candidate(order), false
	}
	return nil, complete
}

// list returns the orders that take less than limit next to other traffic, one for each pattern of loads, and whether
// none is missing.
func (t *ringTable) list(others *floor, limit float64) ([]*candidate, bool) {
	type entry struct {
		order []int
		picos int64
	}
	var entries []entry
	seen := map[string]int{}
	key := make([]byte, len(t.p.g.Arcs))
	complete := t.search(others, limit, listBudget, func(s *ringSearch, _ float64) {
		for a, c := range s.count {
			key[a] = byte(c)
		}
		picos := t.latency(s.order)
		at, ok := seen[string(key)]
		switch {
		case !ok:
			seen[string(key)] = len(entries)
			entries = append(entries, entry{slices.Clone(s.order), picos})
		case picos < entries[at].picos:
			entries[at] = entry{slices.Clone(s.order), picos}
		}
	})
	list := make([]*candidate, len(entries))
	for i, e := range entries {
		list[i] = t.candidate(e.order)
	}
	return list, complete
}
