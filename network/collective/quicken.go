package collective

import (
	"slices"
)

const (
	// shareFloor is the share below which a plan is rounding.
	shareFloor = 1e-9
	// quickenRounds bounds the rounds of pricing spent on latency.
	quickenRounds = 100
)

// quickTilts are the strengths, relative to all prices, with which latency is added to the prices when quicker trees
// are wanted.
var quickTilts = []float64{priceTilt, 1e-2, 0.1, 0.3, 1, 3, 30}

// shares returns each plan's share of its job, rounding removed.
func (k *packing) shares() []float64 {
	x := k.lp.shares()
	sum := make([]float64, len(k.jobs))
	for j, v := range x {
		if v <= shareFloor {
			x[j] = 0
		}
		sum[k.plans[j].job] += x[j]
	}
	for j := range x {
		x[j] /= sum[k.plans[j].job]
	}
	return x
}

// latest is the largest latency among the plans in use.
func (k *packing) latest() int64 {
	var picos int64
	for j, x := range k.shares() {
		if x > 0 {
			picos = max(picos, k.plans[j].picos)
		}
	}
	return picos
}

// only returns a packing of some of the plans, started and solved, or nil when a job is left without. The others are
// still known: they do not come back.
func (k *packing) only(keep func(j int) bool) (*packing, error) {
	out := *k
	out.plans, out.lp = nil, k.newMaster()
	first := make([]int, len(k.jobs))
	for q := range first {
		first[q] = -1
	}
	for j, pl := range k.plans {
		if !keep(j) {
			continue
		}
		if first[pl.job] < 0 {
			first[pl.job] = len(out.plans)
		}
		out.plans = append(out.plans, pl)
		out.lp.columns = append(out.lp.columns, k.lp.columns[j])
	}
	if slices.Contains(first, -1) {
		return nil, nil
	}
	if err := out.lp.start(first); err != nil {
		return nil, err
	}
	return &out, out.lp.solve()
}

// quicken lowers the latency as long as the packing stays as fast: the slowest plans in use are forbidden, and where
// that costs bandwidth, trees of less latency are looked for. What comes out is the least latency among the trees
// that this search meets. It is not proven least, since a tree's latency is no sum over its arcs.
func (k *packing) quicken() (*packing, error) {
	target := k.lp.objective() * (1 + packedGap)
	rounds := quickenRounds
	for {
		if k.latest() <= k.floor {
			return k, nil // nothing is quicker
		}
		limit := k.latest() - 1
		next, err := k.only(func(j int) bool { return k.plans[j].picos <= limit })
		if err != nil || next == nil {
			return k, err
		}
		next.limit = limit
		for next.lp.objective() > target && rounds > 0 && len(k.down) > 0 {
			rounds--
			before := len(next.plans)
			next.quicker()
			if len(next.plans) == before {
				break
			}
			if err := next.lp.solve(); err != nil {
				return k, err
			}
		}
		if next.lp.objective() > target {
			return k, nil
		}
		k = next
	}
}

// quicker looks for pairs within the latency limit that would help at the present prices. Trees are found at prices
// tilted to several strengths, and a reduction of one strength is paired with a broadcast of any other.
func (k *packing) quicker() {
	now := k.lp.prices()
	perArc := make([]float64, len(now))
	for a, v := range now {
		perArc[a] = v * k.unit[a]
	}
	type found struct {
		*tree
		cost float64
	}
	collect := func(list []found, t *tree) []found {
		f := found{tree: t}
		for _, a := range t.arcs {
			f.cost += perArc[a]
		}
		for _, o := range list {
			if o.depth <= f.depth && o.cost <= f.cost {
				return list
			}
		}
		return append(list, f)
	}
	ins, outs := map[[2]int][]found{}, map[[2]int][]found{} // by job and root
	for _, tilt := range quickTilts {
		prices := k.tilted(now, tilt)
		for a := range prices {
			prices[a] *= k.unit[a]
		}
		k.price(prices)
		for q, j := range k.jobs {
			for i, root := range j.roots {
				key := [2]int{q, i}
				ins[key] = collect(ins[key], k.up[j.clique].find(root.up))
				outs[key] = collect(outs[key], k.down[j.clique].find(root.down))
			}
		}
	}
	y := k.lp.dual()
	for q, j := range k.jobs {
		pays := y[k.lp.arcs+q]
		for i, root := range j.roots {
			for _, in := range ins[[2]int{q, i}] {
				for _, out := range outs[[2]int{q, i}] {
					if in.depth+out.depth > k.limit || in.cost+out.cost >= pays-helps {
						continue
					}
					pl := &plan{job: q, root: root.at, reduce: in.tree, broadcast: out.tree, picos: in.depth + out.depth}
					pl.fill(slices.Concat(in.arcs, out.arcs))
					k.column(pl)
				}
			}
		}
	}
}

// helps is how much cheaper than its job pays a plan must be, to be more than rounding.
const helps = 1e-11

// fewer keeps at most the given number of plans for each job: the one with the smallest share goes, and the rest
// share the payload out anew, until few enough are left.
func (k *packing) fewer(most int) (*packing, error) {
	for {
		x := k.shares()
		used := make([]int, len(k.jobs))
		for j, v := range x {
			if v > 0 {
				used[k.plans[j].job]++
			}
		}
		drop := -1
		for j, v := range x {
			if v > 0 && used[k.plans[j].job] > most && (drop < 0 || v < x[drop]) {
				drop = j
			}
		}
		if drop < 0 {
			return k, nil
		}
		next, err := k.only(func(j int) bool { return x[j] > 0 && j != drop })
		if err != nil {
			return k, err
		}
		k = next
	}
}
