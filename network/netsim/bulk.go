package netsim

import (
	"maps"
	"slices"
)

// bulk is what several streams do together: each resource's bits and each router's bytes for the whole of them.
type bulk struct {
	stages  []stage
	routers []Passage
	trees   []int
	first   []leaf
	holds   []hold
}

// bulkOf sums carriages, each times its bytes.
func bulkOf(list []*carriage) *bulk {
	var out []*bulk
	for _, c := range list {
		out = append(out, (&bulk{c.stages, c.routers, c.trees, c.first, c.holds}).scaled(c.bytes))
	}
	return mergeBulks(out)
}

// scaled multiplies all quantities; latencies and trees stay.
func (b *bulk) scaled(by float64) *bulk {
	if by == 1 {
		return b
	}
	out := &bulk{trees: b.trees}
	uses := func(list []use) []use {
		var scaled []use
		for _, u := range list {
			if u.bits *= by; u.bits > 0 {
				scaled = append(scaled, u)
			}
		}
		return scaled
	}
	for _, st := range b.stages {
		out.stages = append(out.stages, stage{uses(st.uses), st.latency})
	}
	for _, l := range b.first {
		out.first = append(out.first, leaf{l.island, uses(l.uses)})
	}
	for _, h := range b.holds {
		out.holds = append(out.holds, hold{h.router, h.bytes * by})
	}
	for _, p := range b.routers {
		out.routers = append(out.routers, p.times(by))
	}
	return out
}

func (p Passage) times(by float64) Passage {
	p.In, p.Out, p.Copied, p.Merged, p.Dropped = p.In*by, p.Out*by, p.Copied*by, p.Merged*by, p.Dropped*by
	return p
}

// mergeBulks sums bulks, stage by stage; a stage is as late as its latest.
func mergeBulks(list []*bulk) *bulk {
	out := &bulk{}
	var bits []map[int]float64
	routers := map[int]Passage{}
	for _, b := range list {
		for k, st := range b.stages {
			if k == len(out.stages) {
				out.stages, bits = append(out.stages, stage{}), append(bits, map[int]float64{})
			}
			out.stages[k].latency = max(out.stages[k].latency, st.latency)
			for _, u := range st.uses {
				bits[k][u.resource] += u.bits
			}
		}
		for _, p := range b.routers {
			sum, ok := routers[p.index]
			if !ok {
				sum = Passage{Router: p.Router, index: p.index}
			}
			sum.In, sum.Out, sum.Copied = sum.In+p.In, sum.Out+p.Out, sum.Copied+p.Copied
			sum.Merged, sum.Dropped = sum.Merged+p.Merged, sum.Dropped+p.Dropped
			routers[p.index] = sum
		}
		out.trees, out.first, out.holds = append(out.trees, b.trees...), append(out.first, b.first...), append(out.holds, b.holds...)
	}
	for k, m := range bits {
		for _, r := range slices.Sorted(maps.Keys(m)) {
			out.stages[k].uses = append(out.stages[k].uses, use{r, m[r]})
		}
	}
	for _, v := range slices.Sorted(maps.Keys(routers)) {
		out.routers = append(out.routers, routers[v])
	}
	return out
}

// bulk returns what a part does.
func (p *planned) bulk(part int) *bulk {
	if p.each == nil {
		p.each = make([]*bulk, len(p.parts))
	}
	if p.each[part] == nil {
		p.each[part] = bulkOf(p.carriages[part])
	}
	return p.each[part]
}

// all returns what the whole round does.
func (p *planned) all() *bulk {
	if p.whole == nil {
		var list []*bulk
		for q := range p.parts {
			list = append(list, p.bulk(q))
		}
		p.whole = mergeBulks(list)
	}
	return p.whole
}
