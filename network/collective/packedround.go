package collective

import (
	"fmt"
	"slices"

	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/schedule"
)

// Names of the collectives that share payloads out by linear programming.
const (
	Packed         = "packed"
	ShardedOptimal = "sharded:optimal"
)

// Packing explains a packed round.
type Packing struct {
	Trees []PackedTree `json:"trees"`
	// OptimalSeconds are the bandwidth seconds with as many trees as it takes, and Loss how much longer, relative to
	// that, the round takes because Options.MaxTrees allows only few.
	OptimalSeconds float64 `json:"optimal_seconds"`
	Loss           float64 `json:"loss"`
	// Gap is (optimal seconds - lower bound) / optimal seconds; nil where the clique is too large for a proof.
	Gap *float64 `json:"gap"`
	// Prices prove the lower bound: for any prices π ≥ 0 of arcs with Σ π = 1, a round takes at least Σ over cliques of
	// the cheapest pair of trees, when a payload on arc a costs π_a · 8 S / capacity. Arcs without a price are left out.
	Prices []ArcPrice `json:"prices"`
}

// PackedTree is a reduction to a root and a broadcast from it, for a share of a clique's payload.
type PackedTree struct {
	Clique         int         `json:"clique"` // position among the round's cliques of two or more, in island order
	Share          float64     `json:"share"`
	Root           string      `json:"root"`
	RootKind       string      `json:"root_kind"` // "island" or "router"
	Reduce         [][2]string `json:"reduce"`    // arcs from, to; an arc used twice stands twice; none for sharded:optimal
	Broadcast      [][2]string `json:"broadcast"`
	LatencySeconds float64     `json:"latency_seconds"` // depth of the reduction plus depth of the broadcast
}

// ArcPrice is one arc's price in a certificate.
type ArcPrice struct {
	From  string  `json:"from"`
	To    string  `json:"to"`
	Kind  string  `json:"kind"`
	Price float64 `json:"price"`
}

// packedPlan is the outcome of packing a round.
type packedPlan struct {
	candidate
	cliques    [][]int
	collective string
	roots      []int    // of each clique, for Hub
	packing    *packing // nil without cliques
	optimal    float64  // scaled θ before MaxTrees
}

// packAs shares the payloads of the cliques out: by trees of any root (Packed), among owners on the lowest-latency
// routes (ShardedOptimal), or for owners of equal shares (Sharded) or given roots (Hub) on free routes.
func (p *Pricer) packAs(s *scratch, sorted [][]int, collective string, roots []int) (*packedPlan, error) {
	out := &packedPlan{cliques: sorted, collective: collective, roots: roots}
	out.load = make([]float64, p.res.rows)
	if len(sorted) == 0 {
		return out, nil
	}
	k := p.newPacking(sorted)
	var err error
	if collective == ShardedOptimal {
		err = k.owners(s)
	} else {
		k.findTrees()
		k.jobs = k.jobsOf(collective, roots)
		err = k.run(s)
	}
	if err != nil {
		return nil, fmt.Errorf("packing: %w", err)
	}
	out.optimal = k.lp.objective()
	if k, err = k.quicken(); err != nil {
		return nil, fmt.Errorf("packing: %w", err)
	}
	if p.options.MaxTrees > 0 {
		if k, err = k.fewer(p.options.MaxTrees); err != nil {
			return nil, fmt.Errorf("packing: %w", err)
		}
	}
	out.packing = k
	out.picos = k.latest()
	for j, x := range k.shares() {
		x *= k.jobs[k.plans[j].job].share
		for i, a := range k.plans[j].arcs {
			out.load[a] += x * k.plans[j].load[i]
		}
	}
	return out, nil
}

// jobsOf splits the cliques' payloads into what the collective carries separately.
func (k *packing) jobsOf(collective string, roots []int) []job {
	var jobs []job
	for q, members := range k.cliques {
		all := k.roots(q)
		switch collective {
		case Packed:
			jobs = append(jobs, job{q, 1, all})
		case Hub:
			i := slices.IndexFunc(all, func(r treeRoot) bool { return r.at == roots[q] })
			jobs = append(jobs, job{q, 1, all[i : i+1]})
		case Sharded:
			for i := range members {
				jobs = append(jobs, job{q, 1 / float64(len(members)), all[i : i+1]})
			}
		}
	}
	return jobs
}

// owners makes one column for each member that may own a part of the payload, as in sharded.
func (k *packing) owners(s *scratch) error {
	k.exact = false // these columns are all there are, so there is no bound for other collectives
	var pool []*plan
	for q, members := range k.cliques {
		k.jobs = append(k.jobs, job{clique: q, share: 1})
		for _, owner := range members {
			load := s.newLoad()
			s.hubLoads(owner, members, load, load)
			pl := &plan{job: q, root: owner}
			for a, x := range load {
				if x > 0 {
					pl.arcs, pl.load = append(pl.arcs, a), append(pl.load, x)
				}
			}
			in, out := s.hubDelay(owner, members)
			pl.picos = in + out
			pool = append(pool, pl)
		}
	}
	if err := k.begin(pool); err != nil {
		return err
	}
	return k.lp.solve()
}

// packable refuses limits that the linear program does not know.
func (p *Pricer) packable() error {
	if !p.usesProgram() && !p.options.Bounds {
		return nil
	}
	what := ""
	switch {
	case p.res.flow != 0 && p.usesProgram():
		what = "windows and losses of connections"
	case p.res.fec != 1:
		what = "fec"
	case p.options.Limits.IntegerBits > 0:
		what = "integer bits"
	case slices.ContainsFunc(p.res.most, func(n int) bool { return n > 0 }):
		what = "contexts of aggregators"
	case p.res.limited() && slices.ContainsFunc(p.res.buffer, func(row int) bool { return row >= 0 }):
		what = "buffers of aggregators"
	default:
		return nil
	}
	return fmt.Errorf("packed trees, free routes and bounds do not model %s: leave that limit out, or use %s on the %s routes",
		what, Best, RoutingShortest)
}

// packedRound explains a round that a linear program shares out.
func (p *Pricer) packedRound(s *scratch, r *schedule.Round, packed *packedPlan) (*Price, error) {
	out := &Price{Cliques: [][]string{}, Collectives: []Collective{}, Packing: p.describePacking(packed)}
	p.eachClique(r.Cliques, func(members []int, names []string) {
		c := Collective{}
		if len(members) > 1 {
			c.Name = &packed.collective
			if packed.roots != nil {
				q := slices.IndexFunc(packed.cliques, func(m []int) bool { return m[0] == slices.Min(members) })
				root, kind := p.rootName(packed.roots[q])
				c.Root, c.RootKind = &root, &kind
			}
		}
		out.Cliques, out.Collectives = append(out.Cliques, names), append(out.Collectives, c)
	})
	p.fill(out, []*candidate{&packed.candidate}, s)
	if err := p.bounds(s, out, packed.cliques); err != nil {
		return nil, err
	}
	if k := packed.packing; k != nil && slices.ContainsFunc(packed.cliques, func(m []int) bool { return len(m) > exactTree }) &&
		packed.collective != ShardedOptimal {
		out.Warnings = append(out.Warnings, fmt.Sprintf("a clique has more than %d members: its trees are good ones, not proven cheapest", exactTree))
	}
	return out, nil
}

// describePacking turns the outcome into names.
func (p *Pricer) describePacking(out *packedPlan) *Packing {
	if out.packing == nil {
		return nil
	}
	k := out.packing
	whole := k.slow * p.options.Payload * p.res.wire
	d := &Packing{Trees: []PackedTree{}, Prices: []ArcPrice{}, OptimalSeconds: out.optimal * whole,
		Loss: max(0, k.lp.objective()/out.optimal-1)}
	for j, x := range k.shares() {
		if x == 0 {
			continue
		}
		pl := k.plans[j]
		root, kind := p.rootName(pl.root)
		of := k.jobs[pl.job]
		t := PackedTree{Clique: of.clique, Share: x * of.share, Root: root, RootKind: kind, LatencySeconds: network.Seconds(pl.picos),
			Reduce: [][2]string{}, Broadcast: [][2]string{}}
		if pl.reduce != nil {
			t.Reduce, t.Broadcast = p.arcNames(pl.reduce.arcs), p.arcNames(pl.broadcast.arcs)
		}
		d.Trees = append(d.Trees, t)
	}
	slices.SortStableFunc(d.Trees, func(a, b PackedTree) int { return a.Clique - b.Clique })
	if k.exact && out.collective == Packed {
		gap := max(0, 1-k.bound/out.optimal)
		d.Gap = &gap
		for a, v := range k.prices {
			if v > 0 {
				at := p.bottleneck(a)
				d.Prices = append(d.Prices, ArcPrice{at.From, at.To, at.Kind, v})
			}
		}
	}
	return d
}

func (p *Pricer) arcNames(arcs []int) [][2]string {
	out := make([][2]string, 0, len(arcs))
	for _, a := range arcs {
		if a < len(p.g.Arcs) { // what aggregators take in stands beyond
			out = append(out, [2]string{p.g.Arcs[a].From, p.g.Arcs[a].To})
		}
	}
	return out
}

// rootName names an island, or a router when root counts on from the islands.
func (p *Pricer) rootName(root int) (name, kind string) {
	islands := p.g.Topology.Islands
	if root < len(islands) {
		return islands[root].ID, "island"
	}
	return p.g.Topology.Routers[root-len(islands)].ID, "router"
}
