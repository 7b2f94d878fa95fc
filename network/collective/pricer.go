package collective

import (
	"fmt"
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
	listed  int  // listedRing, lowered by tests
	quick   bool // of every clique one ring order at most, see Quick
	ways    *ways

	hasten sync.Once
	hasty  *Pricer // see Quick

	scratch sync.Pool // of *scratch

	mu    sync.RWMutex
	memo  map[string]*menu
	alone map[string]*single
	large map[string]*solved
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
	joint joint
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
	c = network.Capability{Multicast: slices.Clone(c.Multicast), Aggregation: slices.Clone(c.Aggregation)}
	g := network.NewGraph(t)
	p := newPricer(g, c, o, newResources(g, c, o), false, newWays())
	if err := p.packable(); err != nil {
		return nil, err
	}
	return p, nil
}

func newPricer(g *network.Graph, c network.Capability, o Options, res *resources, quick bool, w *ways) *Pricer {
	p := &Pricer{g: g, can: c, options: o, res: res, listed: listedRing, quick: quick, ways: w, memo: map[string]*menu{}, alone: map[string]*single{}, large: map[string]*solved{}}
	p.scratch.New = func() any {
		return &scratch{loader: p.newLoader(), seen: make([]bool, len(g.Topology.Islands)), total: make([]float64, res.rows)}
	}
	return p
}

// Quick returns a Pricer of the same network that considers, in rounds of several cliques, one good ring order of each
// larger clique instead of all that could matter. Its prices are never below those of p; they suit a search that tries many
// rounds of many islands and prices what it finds with p in the end.
func (p *Pricer) Quick() *Pricer {
	p.hasten.Do(func() {
		p.hasty = newPricer(p.g, p.can, p.options, p.res, true, p.ways)
		p.hasty.listed = quickListed
	})
	return p.hasty
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
