package collective

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"
)

// The packed collective splits every payload over pairs of trees, a reduction to a root and a broadcast from it, with
// any routes and any roots, so that the busiest arc is as little busy as possible. There are far too many pairs to list, so the master
// problem starts with one for each clique and asks, at its prices, for the cheapest pair of each root: if none is
// cheaper than what the clique pays, no pair anywhere can help and the packing is optimal (column generation).

const (
	// packedGap is the relative gap at which column generation stops; certificates promise 1e-6.
	packedGap = 1e-9
	// packedRounds bounds the rounds of pricing. Nine cities take about thirty.
	packedRounds = 2000
	// priceTilt is added to the prices, in total, so that among arcs that cost nothing the quick ones are taken. The
	// bound stays exact: it is computed at the tilted prices.
	priceTilt = 1e-10
)

// plan is one pair of trees (or one owner's part of a sharded collective) as a column of the master.
type plan struct {
	job       int
	root      int // island, or number of islands + router
	reduce    *tree
	broadcast *tree
	arcs      []int // ascending
	load      []float64
	picos     int64
}

// job is a share of a clique's payload that pairs of trees must carry, with the roots that they may have. Packed has one
// for each clique, with every root; sharded on free routes has one for each owner.
type job struct {
	clique int
	share  float64
	roots  []treeRoot
}

// treeRoot is an island or router (counting on from the islands), and its position among the nodes of the clique's
// two tree finders.
type treeRoot struct{ down, up, at int }

// packing is the state of column generation for the cliques of a round.
type packing struct {
	p       *Pricer
	cliques [][]int
	jobs    []job
	unit    []float64 // scaled seconds of one byte on each arc
	slow    float64   // the scale: seconds of one byte by single plans
	plans   []*plan
	known   map[string]bool
	lp      *master
	down    []*treeFinder // broadcasts of each clique
	up      []*treeFinder // reductions

	limit  int64     // no plan of more latency is added
	floor  int64     // no packing has less latency: some job's quickest root is that far from its members
	bound  float64   // best lower bound of θ, scaled
	prices []float64 // that prove it
	exact  bool      // whether every clique is small enough for exact pricing
}

func (p *Pricer) newPacking(cliques [][]int) *packing {
	return &packing{p: p, cliques: cliques, known: map[string]bool{}, exact: true, limit: math.MaxInt64}
}

// begin sets the master up with a pool of plans, from which it starts with the best single one of each clique. Seconds
// are scaled by what that takes, so that the optimum is at most 1 whatever the units and however unequal the arcs.
func (k *packing) begin(pool []*plan) error {
	k.unit = make([]float64, k.p.res.rows)
	for a, arc := range k.p.g.Arcs {
		k.unit[a] = 8 / arc.Capacity
	}
	for i, x := range k.p.res.extra {
		k.unit[len(k.p.g.Arcs)+i] = 8 / k.p.res.rate[x.router]
	}
	best := make([]*plan, len(k.jobs))
	quickest := make([]int64, len(k.jobs))
	for _, pl := range pool {
		if quickest[pl.job] == 0 || pl.picos < quickest[pl.job] {
			quickest[pl.job] = pl.picos // pools have every root's shortest trees
		}
		if now := best[pl.job]; now == nil || k.alone(pl) < k.alone(now) {
			best[pl.job] = pl
		}
	}
	k.floor = slices.Max(quickest)
	total := make([]float64, len(k.unit))
	for _, pl := range best {
		for i, a := range pl.arcs {
			total[a] += k.jobs[pl.job].share * pl.load[i] * k.unit[a]
		}
	}
	k.slow = slices.Max(total)
	for a := range k.unit {
		k.unit[a] /= k.slow
	}
	k.lp = k.newMaster()
	first := make([]int, len(k.jobs))
	for q, pl := range best {
		first[q], _ = k.column(pl)
	}
	for _, pl := range pool {
		k.column(pl)
	}
	return k.lp.start(first)
}

func (k *packing) newMaster() *master {
	demand := make([]float64, len(k.jobs))
	for q, j := range k.jobs {
		demand[q] = j.share
	}
	return newMaster(k.unit, demand)
}

// alone is the time of a plan that has the network for itself.
func (k *packing) alone(pl *plan) float64 {
	busy := 0.0
	for i, a := range pl.arcs {
		busy = max(busy, pl.load[i]*k.unit[a])
	}
	return busy
}

// findTrees prepares the search for trees.
func (k *packing) findTrees() {
	for _, members := range k.cliques {
		k.exact = k.exact && len(members) <= exactTree
		k.down = append(k.down, newTreeFinder(k.p, members, down))
		k.up = append(k.up, newTreeFinder(k.p, members, up))
	}
}

// fill counts the plan's arcs into its load. It sorts the arcs.
func (pl *plan) fill(arcs []int) {
	slices.Sort(arcs)
	for i, a := range arcs {
		if i == 0 || a != arcs[i-1] {
			pl.arcs, pl.load = append(pl.arcs, a), append(pl.load, 0)
		}
		pl.load[len(pl.load)-1]++
	}
}

// hopeless is the time of a payload on an arc, relative to that of single plans, from which the arc is left out: at
// most 1e-8 of a payload could use it, far below what certificates promise, and its entries would only feed rounding.
const hopeless = 1e8

// column makes a plan a column unless there is an equal one, or it takes too long. It returns the column's index.
func (k *packing) column(pl *plan) (int, bool) {
	if pl.picos > k.limit || slices.ContainsFunc(pl.arcs, func(a int) bool { return k.unit[a] > hopeless }) {
		return 0, false
	}
	key := binary.AppendVarint(nil, int64(pl.job))
	key = binary.AppendVarint(key, pl.picos)
	values := make([]float64, len(pl.arcs))
	for i, a := range pl.arcs {
		values[i] = pl.load[i] * k.unit[a]
		key = binary.AppendUvarint(key, uint64(a))
		key = binary.AppendUvarint(key, math.Float64bits(pl.load[i]))
	}
	if k.known[string(key)] {
		return 0, false
	}
	k.known[string(key)] = true
	k.plans = append(k.plans, pl)
	return k.lp.add(pl.job, pl.arcs, values), true
}

// roots lists a clique's possible roots: its members, and the routers that can copy and sum.
func (k *packing) roots(clique int) []treeRoot {
	down, up := k.down[clique], k.up[clique]
	var out []treeRoot
	for i, m := range down.members {
		out = append(out, treeRoot{i, i, m})
	}
	for i, r := range down.routers {
		if j := slices.Index(up.routers, r); j >= 0 {
			out = append(out, treeRoot{len(down.members) + i, len(up.members) + j, len(k.p.g.Topology.Islands) + r})
		}
	}
	return out
}

// pair finds the cheapest pair at a root, and its price.
func (k *packing) pair(q int, root treeRoot, prices []float64) (*plan, float64) {
	clique := k.jobs[q].clique
	pl := &plan{job: q, root: root.at, broadcast: k.down[clique].find(root.down), reduce: k.up[clique].find(root.up)}
	pl.picos = pl.broadcast.depth + pl.reduce.depth
	arcs := slices.Concat(pl.broadcast.arcs, pl.reduce.arcs)
	cost := 0.0
	for _, a := range arcs {
		cost += prices[a]
	}
	pl.fill(arcs)
	return pl, cost
}

// tilted returns prices with a little added for latency and for every hop. A hopeless arc costs twice what single plans
// do, so that no tree wants it.
func (k *packing) tilted(prices []float64, tilt float64) []float64 {
	var longest int64 = 1
	for a := range k.p.g.Arcs {
		longest = max(longest, k.p.g.Picos(a))
	}
	out := slices.Clone(prices)
	for a := range k.p.g.Arcs {
		out[a] += tilt / float64(len(out)) * (float64(k.p.g.Picos(a))/float64(longest) + 0.01)
	}
	for a, u := range k.unit {
		if u > hopeless {
			out[a] += 2 / u
		}
	}
	return out
}

// hubs returns the hub of every root along the lowest-latency routes, with all aggregators and with none: a packing is
// then never slower than hub or sharded, and where these are as fast as anything, their short routes are there to be
// chosen.
func (k *packing) hubs(s *scratch) []*plan {
	var pool []*plan
	for _, l := range s.bypasses()[:min(2, len(s.bypasses()))] {
		for q, j := range k.jobs {
			members := k.cliques[j.clique]
			for _, root := range j.roots {
				if r := root.at - len(k.p.g.Topology.Islands); r >= 0 && !l.can.Aggregation[r] {
					continue // only a router that sums can be the root
				}
				pl := &plan{job: q, root: root.at, reduce: &tree{sums: l.can.Aggregation}, broadcast: &tree{}}
				in, out := l.newLoad(), l.newLoad()
				l.hubLoads(root.at, members, in, out)
				pl.reduce.arcs, pl.broadcast.arcs = repeated(in), repeated(out)
				pl.reduce.depth, pl.broadcast.depth = l.hubDelay(root.at, members)
				pl.picos = pl.reduce.depth + pl.broadcast.depth
				pl.fill(slices.Concat(pl.reduce.arcs, pl.broadcast.arcs))
				pool = append(pool, pl)
			}
		}
	}
	return pool
}

// repeated lists each row as often as it is loaded.
func repeated(load []float64) []int {
	var rows []int
	for row, x := range load {
		for range int(x) {
			rows = append(rows, row)
		}
	}
	return rows
}

// price solves for the trees of every clique, broadcasts beside reductions.
func (k *packing) price(prices []float64) {
	var wait sync.WaitGroup
	wait.Go(func() {
		for _, f := range k.up {
			f.price(prices)
		}
	})
	for _, f := range k.down {
		f.price(prices)
	}
	wait.Wait()
}

// cheapest adds, for every job, the cheapest pair of each of its roots, and returns what the jobs cost at least at the
// prices.
func (k *packing) cheapest(prices []float64) float64 {
	k.price(prices)
	total := 0.0
	for q, j := range k.jobs {
		least := math.Inf(1)
		for _, root := range j.roots {
			pl, cost := k.pair(q, root, prices)
			least = min(least, cost)
			k.column(pl)
		}
		total += j.share * least
	}
	return total
}

// run generates columns until the gap is closed, no new pair helps, or rounding stops the simplex method.
func (k *packing) run(s *scratch) error {
	if err := k.begin(k.hubs(s)); err != nil {
		return err
	}
	for range packedRounds {
		if err := k.lp.solve(); err != nil {
			return err
		}
		before := len(k.plans)
		k.improveBound(k.lp.prices())
		if k.lp.objective() <= k.bound*(1+packedGap) || len(k.plans) == before {
			return nil
		}
	}
	return nil
}

// improveBound prices all jobs at the given arc prices: Σ cost / Σ scaled prices is a lower bound of θ for any
// prices, since Σ_a π_a unit_a load_a ≤ θ Σ π_a.
func (k *packing) improveBound(prices []float64) {
	tilted := k.tilted(prices, priceTilt)
	perArc := make([]float64, len(tilted))
	sum := 0.0
	for a, v := range tilted {
		sum += v
		perArc[a] = v * k.unit[a]
	}
	if bound := k.cheapest(perArc) / sum; bound > k.bound && k.exact {
		k.bound = bound
		for a := range tilted {
			tilted[a] /= sum
		}
		k.prices = tilted
	}
}
