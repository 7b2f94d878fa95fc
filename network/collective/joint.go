package collective

import (
	"math"
	"slices"
)

const (
	// improvement is the relative gain below which one plan does not replace another: far above the rounding of
	// sums of loads, far below anything that matters.
	improvement = 1e-12
	// jointBudget bounds the partial choices that one round's search may visit, about a second's worth; quickBudget does
	// for a quick price.
	jointBudget = 2_000_000
	quickBudget = 20_000
)

// floor is the least that the other cliques of a round put on every arc, and the least latency they have.
type floor struct {
	load    []float64
	latency float64
	trips   float64 // of their slowest connections
}

// menu is a clique with every way to carry it that some round could want.
type menu struct {
	members []int
	list    []*candidate // none dominated; fastest on its own first
	least   floor
	proven  bool // whether none is missing
}

// undominated drops every candidate that another one beats or equals on each arc and in latency; of equals the
// first stays.
func undominated(list []*candidate) []*candidate {
	total := make(map[*candidate]float64, len(list))
	for _, c := range list {
		for _, x := range c.load {
			total[c] += x
		}
	}
	byTotal := slices.Clone(list) // who dominates comes earlier: its total is smaller
	slices.SortStableFunc(byTotal, func(a, b *candidate) int {
		switch {
		case total[a] < total[b]:
			return -1
		case total[a] > total[b]:
			return 1
		}
		return int(min(1, max(-1, a.picos-b.picos)))
	})
	var kept []*candidate
	for _, c := range byTotal {
		if !slices.ContainsFunc(kept, func(k *candidate) bool {
			return k.picos <= c.picos && k.trips <= c.trips && nowhereMore(k.load, c.load)
		}) {
			kept = append(kept, c)
		}
	}
	return kept
}

func nowhereMore(a, b []float64) bool {
	for i := range a {
		if a[i] > b[i] {
			return false
		}
	}
	return true
}

// newMenu makes a menu of undominated candidates and sorts them in place.
func (p *Pricer) newMenu(members []int, list []*candidate, proven bool) *menu {
	alone := make(map[*candidate]float64, len(list))
	for _, c := range list {
		alone[c] = p.seconds(c)
	}
	slices.SortStableFunc(list, func(a, b *candidate) int {
		switch {
		case alone[a] < alone[b]:
			return -1
		case alone[a] > alone[b]:
			return 1
		}
		return 0
	})
	o := &menu{members: members, list: list, proven: proven}
	o.least = floor{slices.Clone(list[0].load), list[0].latency(), list[0].trips}
	for _, c := range list[1:] {
		o.least.latency = min(o.least.latency, c.latency())
		o.least.trips = min(o.least.trips, c.trips)
		for a, x := range c.load {
			o.least.load[a] = min(o.least.load[a], x)
		}
	}
	return o
}

// bandwidth returns the bandwidth seconds of a load, +Inf where an aggregator would need more contexts than it has.
func (p *Pricer) bandwidth(load []float64) float64 {
	busy := 0.0
	for row, x := range load {
		busy = max(busy, x*p.res.scale[row])
	}
	if p.res.over(load) {
		return math.Inf(1)
	}
	return busy
}

// beside returns the bandwidth seconds of a load next to other traffic.
func (p *Pricer) beside(load []float64, others *floor) float64 {
	busy := others.trips * p.res.flow
	for row, x := range load {
		busy = max(busy, (x+others.load[row])*p.res.scale[row])
	}
	return busy
}

// seconds returns the time of a candidate that has the network for itself.
func (p *Pricer) seconds(c *candidate) float64 {
	return max(p.bandwidth(c.load), c.trips*p.res.flow) + c.latency()
}

// measure returns the times of a whole choice, always summing in the order of the cliques.
func (p *Pricer) measure(choice []*candidate, total []float64) (busy, latency float64) {
	clear(total)
	slowest := 0.0
	for _, c := range choice {
		latency = max(latency, c.latency())
		slowest = max(slowest, c.trips*p.res.flow)
		for a, x := range c.load {
			total[a] += x
		}
	}
	return max(p.bandwidth(total), slowest), latency
}

// joint chooses one candidate for each clique so that the round takes least: branch and bound over the cliques, with
// what the rest must at least add as the bound.
type joint struct {
	p       *Pricer
	sets    []*menu
	rest    []floor     // rest[d]: the least that cliques d, d+1, ... add
	beside  floor       // scratch of descend
	sums    [][]float64 // sums[d]: loads of the choices before d
	choice  []*candidate
	best    []*candidate
	limit   float64
	visited int
	budget  int
	space   []float64
}

// start sets the search up for the given cliques. Buffers are used again.
func (j *joint) start(p *Pricer, sets []*menu) *joint {
	n, rows := len(sets), p.res.rows
	if need := (2*(n+1) + 1) * rows; len(j.space) < need {
		j.space = make([]float64, need)
	}
	space := j.space
	cut := func() (x []float64) {
		x, space = space[:rows:rows], space[rows:]
		return x
	}
	j.p, j.sets, j.visited, j.budget = p, sets, 0, jointBudget
	if p.quick {
		j.budget = quickBudget
	}
	j.rest, j.sums = slices.Grow(j.rest[:0], n+1)[:n+1], slices.Grow(j.sums[:0], n+1)[:n+1]
	j.choice, j.best = slices.Grow(j.choice[:0], n)[:n], slices.Grow(j.best[:0], n)[:n]
	j.beside.load = cut()
	for d := n; d >= 0; d-- {
		j.sums[d] = cut()
		j.rest[d] = floor{load: cut()}
		if d == n {
			clear(j.rest[n].load)
			continue
		}
		least, after := &sets[d].least, &j.rest[d+1]
		j.rest[d].latency = max(after.latency, least.latency)
		j.rest[d].trips = max(after.trips, least.trips)
		for a := range rows {
			j.rest[d].load[a] = after.load[a] + least.load[a]
		}
	}
	clear(j.sums[0])
	return j
}

// solve returns the choice and whether it is proven best.
func (j *joint) solve() ([]*candidate, bool) {
	for i, s := range j.sets {
		j.best[i] = s.list[0]
	}
	j.limit = j.seconds(j.best)
	j.descend()
	j.walk(0, 0)
	return j.best, j.visited <= j.budget
}

func (j *joint) seconds(choice []*candidate) float64 {
	busy, latency := j.p.measure(choice, j.sums[len(j.sums)-1])
	return busy + latency
}

// descend improves the first choice clique by clique: a good start makes the bound cut early.
func (j *joint) descend() {
	for improved := true; improved; {
		improved = false
		for i, s := range j.sets {
			others := j.others(i)
			for _, c := range s.list {
				if j.p.quicker(c, others, j.limit*(1-improvement)) {
					j.best[i] = c
					j.limit, improved = j.seconds(j.best), true
				}
			}
		}
	}
}

// others sums what the best choice puts beside clique i.
func (j *joint) others(i int) *floor {
	f := &j.beside
	clear(f.load)
	f.latency, f.trips = 0, 0
	for k, c := range j.best {
		if k == i {
			continue
		}
		f.latency, f.trips = max(f.latency, c.latency()), max(f.trips, c.trips)
		for a, x := range c.load {
			f.load[a] += x
		}
	}
	return f
}

// quicker reports whether a candidate next to other traffic takes less than limit.
func (p *Pricer) quicker(c *candidate, others *floor, limit float64) bool {
	allowed := limit - max(c.latency(), others.latency)
	if max(c.trips, others.trips)*p.res.flow >= allowed {
		return false
	}
	for row, x := range c.load {
		if (x+others.load[row])*p.res.scale[row] >= allowed {
			return false
		}
	}
	return !p.res.over(c.load, others.load)
}

func (j *joint) walk(d int, latency float64) {
	if d == len(j.sets) {
		if t := j.seconds(j.choice); t < j.limit*(1-improvement) {
			j.limit = t
			copy(j.best, j.choice)
		}
		return
	}
	rest := &j.rest[d+1]
	for _, c := range j.sets[d].list {
		if j.visited++; j.visited > j.budget {
			return
		}
		lat := max(latency, c.latency())
		allowed := j.limit*(1-improvement) - max(lat, rest.latency)
		if !j.fits(d, c, rest, allowed) {
			continue
		}
		j.choice[d] = c
		j.walk(d+1, lat)
	}
}

// fits adds the candidate's load to the sums and reports whether the bandwidth seconds, with the least of the rest,
// stay below allowed.
func (j *joint) fits(d int, c *candidate, rest *floor, allowed float64) bool {
	if allowed <= 0 || max(c.trips, rest.trips)*j.p.res.flow >= allowed {
		return false
	}
	sum, next := j.sums[d], j.sums[d+1]
	for a, x := range c.load {
		s := sum[a] + x
		next[a] = s
		if (s+rest.load[a])*j.p.res.scale[a] >= allowed {
			return false
		}
	}
	return true
}

// nothing is the floor beside which a clique has the network for itself.
func (p *Pricer) nothing() *floor { return &floor{load: make([]float64, p.res.rows)} }

// except returns the least that all cliques but one add.
func (p *Pricer) except(sets []*menu, but int) *floor {
	f := p.nothing()
	for i, s := range sets {
		if i == but {
			continue
		}
		f.latency = max(f.latency, s.least.latency)
		f.trips = max(f.trips, s.least.trips)
		for a, x := range s.least.load {
			f.load[a] += x
		}
	}
	return f
}
