package netsim

import (
	"math"
	"slices"
)

// together is the share of the clock within which flows that are about to end do end: what exact arithmetic would
// finish at once must not become a row of events that are rounding apart.
const together = 1e-12

// use is what one unit of a flow's work puts on a resource, in bits.
type use struct {
	resource int
	bits     float64
}

// flow is work that moves at one rate over a set of resources.
type flow struct {
	uses   []use
	left   float64 // units of work: bytes, or the share of everything that started together
	rate   float64 // units per second
	weight float64 // its rate relative to others' where they share
	done   func()
}

// fluid shares resources (arcs, aggregators, connections: anything with a capacity in bit/s) out among flows.
type fluid struct {
	now      float64
	capacity []float64
	flows    []*flow // in the order of their start
	dirty    bool    // rates are no longer those of the flows

	load    []float64 // bit/s on each resource
	carried []float64 // bits so far
	offered []float64 // bits that its capacity would have allowed so far

	// Scratch of fill.
	spare, demand []float64
	users         []int
	on            [][]int
	busy          []int
	frozen        []bool
}

func newFluid(capacity []float64) *fluid {
	f := &fluid{}
	for _, c := range capacity {
		f.add(c)
	}
	return f
}

// add returns a new resource.
func (f *fluid) add(capacity float64) int {
	f.capacity = append(f.capacity, capacity)
	f.load, f.carried, f.offered = append(f.load, 0), append(f.carried, 0), append(f.offered, 0)
	f.spare, f.demand = append(f.spare, 0), append(f.demand, 0)
	f.users, f.on = append(f.users, 0), append(f.on, nil)
	return len(f.capacity) - 1
}

func (f *fluid) start(x *flow) {
	f.flows = append(f.flows, x)
	f.dirty = true
}

// stop takes a flow out; what it has not sent stays in its left.
func (f *fluid) stop(x *flow) {
	if i := slices.Index(f.flows, x); i >= 0 {
		f.flows = slices.Delete(f.flows, i, i+1)
		f.dirty = true
	}
}

func (f *fluid) setCapacity(resource int, capacity float64) {
	if f.capacity[resource] != capacity {
		f.capacity[resource] = capacity
		f.dirty = true
	}
}

// next returns when the first flow ends if nothing changes, +Inf when none does.
func (f *fluid) next() float64 {
	f.fill()
	soonest := math.Inf(1)
	for _, x := range f.flows {
		if x.left <= 0 {
			return f.now
		}
		if x.rate > 0 {
			soonest = min(soonest, f.now+x.left/x.rate)
		}
	}
	return soonest
}

// advance moves everything to time t, which is not beyond next, and returns the flows that have ended.
func (f *fluid) advance(t float64) []*flow {
	f.fill()
	dt := t - f.now
	for r, v := range f.load {
		f.carried[r] += v * dt
		f.offered[r] += f.capacity[r] * dt
	}
	var ended []*flow
	for _, x := range f.flows {
		if x.left > 0 && x.rate > 0 {
			if end := f.now + x.left/x.rate; end <= t+together*t {
				x.left = 0
			} else {
				x.left -= x.rate * dt
			}
		}
		if x.left <= 0 {
			ended = append(ended, x)
		}
	}
	f.now = t
	if len(ended) > 0 {
		f.flows = slices.DeleteFunc(f.flows, func(x *flow) bool { return x.left <= 0 })
		f.dirty = true
	}
	return ended
}

// fill is progressive filling. Every resource would be full when all flows on it, each at its weight times a common
// level, need its capacity; the resource of the lowest such level freezes its flows there, and so on with the rest.
func (f *fluid) fill() {
	if !f.dirty {
		return
	}
	f.dirty = false
	clear(f.load)
	f.busy = f.busy[:0]
	f.frozen = slices.Grow(f.frozen[:0], len(f.flows))[:len(f.flows)]
	for i, x := range f.flows {
		f.frozen[i] = false
		for _, u := range x.uses {
			if f.users[u.resource] == 0 {
				f.busy = append(f.busy, u.resource)
				f.spare[u.resource], f.demand[u.resource] = f.capacity[u.resource], 0
				f.on[u.resource] = f.on[u.resource][:0]
			}
			f.users[u.resource]++
			f.on[u.resource] = append(f.on[u.resource], i)
			f.demand[u.resource] += u.bits * x.weight
		}
	}
	slices.Sort(f.busy)
	for {
		level, at := math.Inf(1), -1
		for _, r := range f.busy {
			if f.users[r] > 0 {
				if l := max(0, f.spare[r]) / f.demand[r]; l < level {
					level, at = l, r
				}
			}
		}
		if at < 0 {
			break
		}
		for _, i := range f.on[at] {
			if f.frozen[i] {
				continue
			}
			f.frozen[i] = true
			x := f.flows[i]
			x.rate = x.weight * level
			for _, u := range x.uses {
				f.users[u.resource]--
				f.load[u.resource] += u.bits * x.rate
				f.spare[u.resource] -= u.bits * x.rate
				f.demand[u.resource] -= u.bits * x.weight
			}
		}
	}
	for i, x := range f.flows {
		if !f.frozen[i] { // it uses nothing
			x.left = 0
		}
	}
}
