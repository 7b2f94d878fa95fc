package netsim

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The rates of progressive filling by hand: three flows share an arc of 1, one of them goes on over an arc of 2 with a
// fourth (after the example in Bertsekas and Gallager, Data Networks, 1992, section 6.5.2).
func TestFillByHand(t *testing.T) {
	f := newFluid([]float64{1, 2})
	var flows []*flow
	for _, uses := range [][]use{{{0, 1}}, {{0, 1}}, {{0, 1}, {1, 1}}, {{1, 1}}} {
		x := &flow{uses: uses, left: 1, weight: 1, done: func() {}}
		flows = append(flows, x)
		f.start(x)
	}
	f.fill()
	for i, want := range []float64{1. / 3, 1. / 3, 1. / 3, 5. / 3} {
		near(t, "rate", flows[i].rate, want)
	}
	near(t, "load", f.load[0], 1)
	near(t, "load", f.load[1], 2)
}

// What makes rates max-min fair: no arc carries more than it can, and every flow has a full arc on which none has a
// larger rate for its weight (the bottleneck of Bertsekas and Gallager).
func TestFillIsMaxMinFair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "resources")
		var capacity []float64
		for range n {
			capacity = append(capacity, float64(rapid.IntRange(0, 5).Draw(t, "capacity")))
		}
		f := newFluid(capacity)
		for range rapid.IntRange(1, 8).Draw(t, "flows") {
			x := &flow{left: 1, weight: float64(rapid.IntRange(1, 3).Draw(t, "weight"))}
			for r := range n {
				if bits := rapid.IntRange(0, 3).Draw(t, "bits"); bits > 0 {
					x.uses = append(x.uses, use{r, float64(bits)})
				}
			}
			if len(x.uses) > 0 {
				f.start(x)
			}
		}
		f.fill()
		for r, c := range capacity {
			if f.load[r] > c+1e-12 {
				t.Fatalf("load %g on a capacity of %g", f.load[r], c)
			}
		}
		for _, x := range f.flows {
			if !slices.ContainsFunc(x.uses, func(u use) bool {
				full := f.load[u.resource] >= capacity[u.resource]-1e-12
				return full && !slices.ContainsFunc(f.flows, func(y *flow) bool {
					return y.rate/y.weight > x.rate/x.weight+1e-12 && slices.ContainsFunc(y.uses, func(v use) bool { return v.resource == u.resource })
				})
			}) {
				t.Fatalf("a flow of rate %g has no bottleneck", x.rate)
			}
		}
	})
}

// Two flows of 1 and 2 on a capacity of 1, the second a quarter late: by hand they end at 1.75 and 3.
func TestFluidByHand(t *testing.T) {
	f := newFluid([]float64{1})
	var ends []float64
	start := func(size float64) {
		f.start(&flow{uses: []use{{0, 1}}, left: size, weight: 1, done: func() { ends = append(ends, f.now) }})
	}
	start(1)
	f.advance(0.25)
	start(2)
	for next := f.next(); !math.IsInf(next, 1); next = f.next() {
		for _, x := range f.advance(next) {
			x.done()
		}
	}
	near(t, "first", ends[0], 1.75)
	near(t, "second", ends[1], 3)
	near(t, "carried", f.carried[0], 3)
}
