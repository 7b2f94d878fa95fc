package collective

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/islandsgd/islands/internal/text"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/schedule"
)

// Options says what a round carries and how.
type Options struct {
	Payload    float64 // bytes that each island contributes; 0 is legal, time is then latency alone
	Collective string  // one of Collectives(); "" means best
	Routing    string  // RoutingShortest or RoutingOptimal; "" means shortest
	MaxTrees   int     // packed: trees for each clique at most; 0 is no limit
	Limits     Limits  // of aggregators, transports and encodings; none by default
	Bounds     bool    // whether Round computes the partition, egress and packing bounds; packed always has them
}

// Pricer prices rounds on one network. It is safe for concurrent use.
type Pricer struct {
	g       *network.Graph
	can     network.Capability
	options Options
	res     *resources
	listed  int // listedRing, lowered by tests

	scratch sync.Pool // of *scratch

	mu    sync.RWMutex
	memo  map[string]*options
	alone map[string]*single
	kept  int // floats held by the memory
}

// single is the best way to carry a clique that has the network for itself.
type single struct {
	choice *candidate
	proven bool
}

// memoryLimit bounds what a Pricer remembers, in float64s (256 MB); beyond it cliques are priced anew each time.
const memoryLimit = 32 << 20

type scratch struct {
	*loader
	seen  []bool
	total []float64
	key   []byte
}

// NewPricer returns a Pricer for the topology with the given capability.
func NewPricer(t *network.Topology, c network.Capability, o Options) (*Pricer, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	if n := len(t.Routers); len(c.Multicast) != n || len(c.Aggregation) != n {
		return nil, fmt.Errorf("capability of %d and %d routers for a topology of %d", len(c.Multicast), len(c.Aggregation), n)
	}
	if o.Collective == "" {
		o.Collective = Best
	}
	if !slices.Contains(Collectives(), o.Collective) {
		return nil, fmt.Errorf("unknown collective %q%s", o.Collective, text.DidYouMean(o.Collective, Collectives()))
	}
	if !(o.Payload >= 0 && o.Payload <= maxPayload) {
		return nil, fmt.Errorf("payload of %g bytes, want 0 to %g", o.Payload, maxPayload)
	}
	if err := o.checkRouting(); err != nil {
		return nil, err
	}
	if err := o.Limits.check(); err != nil {
		return nil, err
	}
	p := &Pricer{g: network.NewGraph(t), can: c, options: o, listed: listedRing, memo: map[string]*options{}, alone: map[string]*single{}}
	p.res = newResources(p.g, c, o)
	if err := p.packable(); err != nil {
		return nil, err
	}
	p.scratch.New = func() any {
		return &scratch{p.newLoader(), make([]bool, len(t.Islands)), make([]float64, p.res.rows), nil}
	}
	return p, nil
}

// maxPayload keeps every product of bytes finite.
const maxPayload = 1e30

// Graph returns the compiled topology.
func (p *Pricer) Graph() *network.Graph { return p.g }

func (p *Pricer) newLoader() *loader { return newLoader(p.g, p.can, p.res) }

// PartitionSeconds returns the seconds of a round of the given disjoint cliques of island indices: exactly what Round
// returns for it, without the explanation. Cliques of one, and islands in none, take no time.
func (p *Pricer) PartitionSeconds(cliques [][]int) (float64, error) {
	s := p.scratch.Get().(*scratch)
	defer p.scratch.Put(s)
	if p.usesProgram() {
		sorted, err := p.usable(s, cliques)
		if err != nil {
			return 0, err
		}
		packed, err := p.program(s, sorted)
		if err != nil {
			return 0, err
		}
		if packed != nil {
			busy, latency := p.measure([]*candidate{&packed.candidate}, s.total)
			return busy + latency, nil
		}
	}
	choice, _, err := p.plan(s, cliques)
	if err != nil || len(choice) == 0 {
		return 0, err
	}
	busy, latency := p.measure(choice, s.total)
	return busy + latency, nil
}

// Round prices a round and explains the price.
func (p *Pricer) Round(r *schedule.Round) (*Price, error) {
	s := p.scratch.Get().(*scratch)
	defer p.scratch.Put(s)
	if !r.IsCliques() {
		return p.pairRound(s, r)
	}
	if p.usesProgram() {
		sorted, err := p.usable(s, r.Cliques)
		if err != nil {
			return nil, err
		}
		packed, err := p.program(s, sorted)
		if err != nil {
			return nil, err
		}
		if packed != nil {
			return p.packedRound(s, r, packed)
		}
	}
	choice, proven, err := p.plan(s, r.Cliques)
	if err != nil {
		return nil, err
	}
	out := &Price{Cliques: [][]string{}, Collectives: []Collective{}}
	carried := map[int]*candidate{} // by the clique's first island
	sorted := p.tidy(r.Cliques)
	for i, c := range choice {
		carried[sorted[i][0]] = c
	}
	p.eachClique(r.Cliques, func(members []int, names []string) {
		out.Cliques = append(out.Cliques, names)
		out.Collectives = append(out.Collectives, p.describe(carried[slices.Min(members)]))
	})
	if !proven {
		out.Warnings = append(out.Warnings, "the choice of collectives is the best found, not proven best: the cliques are too large to try every ring order")
	}
	p.fill(out, choice, s)
	return out, p.bounds(s, out, sorted)
}

// eachClique visits the cliques as they are written, without empty ones.
func (p *Pricer) eachClique(cliques [][]int, visit func(members []int, names []string)) {
	for _, members := range cliques {
		if len(members) == 0 {
			continue
		}
		names := make([]string, len(members))
		for i, m := range members {
			names[i] = p.g.Topology.Islands[m].ID
		}
		visit(members, names)
	}
}

// fill sets times, bottleneck and loads.
func (p *Pricer) fill(out *Price, choice []*candidate, s *scratch) {
	out.BandwidthSeconds, out.LatencySeconds = p.measure(choice, s.total)
	out.Seconds = out.BandwidthSeconds + out.LatencySeconds
	out.Links = []LinkLoad{}
	for row, load := range s.total {
		if load == 0 {
			continue
		}
		busy := load * p.res.scale[row]
		if busy == out.BandwidthSeconds && busy > 0 && out.Bottleneck == nil {
			out.Bottleneck = p.bottleneck(row)
		}
		if row >= len(p.g.Arcs) {
			continue
		}
		arc := &p.g.Arcs[row]
		l := LinkLoad{From: arc.From, To: arc.To, Kind: arc.Kind, Bytes: load * p.options.Payload * p.res.wire}
		if busy > 0 {
			l.Utilization = busy / out.BandwidthSeconds
		}
		out.Links = append(out.Links, l)
	}
	if out.Bottleneck == nil && out.BandwidthSeconds > 0 {
		out.Bottleneck = &Bottleneck{Kind: KindConnection}
	}
}

// bottleneck names a row of a load vector.
func (p *Pricer) bottleneck(row int) *Bottleneck {
	if row < len(p.g.Arcs) {
		arc := &p.g.Arcs[row]
		return &Bottleneck{arc.From, arc.To, arc.Kind}
	}
	at := p.g.Topology.Routers[p.res.extra[row-len(p.g.Arcs)].router].ID
	return &Bottleneck{at, at, KindAggregator}
}

func (p *Pricer) describe(c *candidate) Collective {
	if c == nil {
		return Collective{}
	}
	out := Collective{Name: &c.name}
	islands := p.g.Topology.Islands
	switch c.name {
	case Exchange:
		out.Carriage = &c.carriage
	case Hub:
		root, kind := p.rootName(c.root)
		out.Root, out.RootKind = &root, &kind
	case Ring:
		for _, m := range c.order {
			out.Order = append(out.Order, islands[m].ID)
		}
	}
	return out
}

// tidy returns the cliques of two or more, members and cliques in island order: the order in which everything is
// summed, so that equal partitions cost the same to the last bit however they are written.
func (p *Pricer) tidy(cliques [][]int) [][]int {
	var out [][]int
	for _, c := range cliques {
		if len(c) >= 2 {
			c = slices.Clone(c)
			slices.Sort(c)
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b []int) int { return a[0] - b[0] })
	return out
}

// check reports islands that do not exist or stand in two cliques.
func (p *Pricer) check(s *scratch, cliques [][]int) error {
	clear(s.seen)
	for _, c := range cliques {
		for _, m := range c {
			if m < 0 || m >= len(s.seen) {
				return fmt.Errorf("round names island %d, the topology has %d (0 to %d)", m, len(s.seen), len(s.seen)-1)
			}
			if s.seen[m] {
				return fmt.Errorf("island %s stands twice in a round", p.g.Topology.Islands[m].ID)
			}
			s.seen[m] = true
		}
	}
	return nil
}

// usable checks the cliques and returns them tidied.
func (p *Pricer) usable(s *scratch, cliques [][]int) ([][]int, error) {
	if err := p.check(s, cliques); err != nil {
		return nil, err
	}
	sorted := p.tidy(cliques)
	for _, members := range sorted {
		if err := p.connected(members); err != nil {
			return nil, err
		}
	}
	return sorted, nil
}

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
	sets := make([]*options, len(sorted))
	for i, members := range sorted {
		sets[i] = p.optionsFor(s, members)
	}
	sets = p.completeLarge(sets)
	choice, proven := p.newJoint(sets).solve()
	for _, o := range sets {
		proven = proven && o.proven
	}
	return choice, proven, nil
}

func (p *Pricer) connected(members []int) error {
	islands := p.g.Topology.Islands
	for _, m := range members[1:] {
		if !p.g.Connected(islands[members[0]].Router, islands[m].Router) {
			return fmt.Errorf("no route joins islands %s and %s of one clique: the topology is disconnected",
				islands[members[0]].ID, islands[m].ID)
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

// optionsFor returns a clique's undominated candidates. For a clique above listedRing only the best ring found on its
// own stands among them; completeLarge adds what else a round can use.
func (p *Pricer) optionsFor(s *scratch, members []int) *options {
	p.mu.RLock()
	o := p.memo[string(s.keyOf(members))]
	p.mu.RUnlock()
	if o != nil {
		return o
	}
	list, proven := p.treeCandidates(s, members), true
	if p.wantsRings(len(members)) {
		nothing := p.nothing()
		if len(members) <= p.listed {
			var rings []*candidate
			rings, proven = p.listRings(members, nothing, math.Inf(1))
			list = append(list, rings...)
		} else {
			t := p.newRingTable(members)
			list, proven = append(list, t.candidate(t.heuristic(nothing))), false
		}
	}
	o = p.newOptions(members, list, proven)
	p.remember(func() { p.memo[string(s.keyOf(members))] = o }, len(o.list)+1)
	return o
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
func (p *Pricer) completeLarge(sets []*options) []*options {
	if !slices.ContainsFunc(sets, func(o *options) bool { return p.wantsRings(len(o.members)) && len(o.members) > p.listed }) {
		return sets
	}
	j := p.newJoint(sets)
	j.solve()
	out := slices.Clone(sets)
	for i, o := range sets {
		if !p.wantsRings(len(o.members)) || len(o.members) <= p.listed {
			continue
		}
		others := p.except(sets, i)
		if len(o.members) > exactRing {
			t := p.newRingTable(o.members)
			out[i] = p.newOptions(o.members, append(slices.Clone(o.list), t.candidate(t.heuristic(others))), false)
			continue
		}
		rings, complete := p.listRings(o.members, others, j.limit)
		out[i] = p.newOptions(o.members, append(slices.Clone(o.list), rings...), complete)
	}
	return out
}

// pairRound prices a round given by edges or matrix entries: island i's payload goes to j wherever W_ji is not zero.
func (p *Pricer) pairRound(s *scratch, r *schedule.Round) (*Price, error) {
	if c := p.options.Collective; c != Best && c != Exchange {
		return nil, fmt.Errorf("collective %q carries cliques, this round is a matrix: use %s or %s", c, Best, Exchange)
	}
	list, err := p.roundPairs(r)
	if err != nil {
		return nil, err
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
	out := &Price{Cliques: [][]string{}, Collectives: []Collective{}}
	if slices.ContainsFunc(list.sends, func(to []int) bool { return len(to) > 0 }) {
		out.Carriage = &b.carriage
	}
	p.fill(out, []*candidate{b}, s)
	out.LowerBound.Cut = p.cutBound(p.pairGroups(list))
	return out, nil
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
			return fmt.Errorf("no route joins islands %s and %s: the topology is disconnected", islands[i].ID, islands[j].ID)
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
