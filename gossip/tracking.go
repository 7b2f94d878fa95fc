package gossip

import (
	"slices"

	"github.com/islandsgd/islands/mixing"
)

// tracking is gradient tracking in the variables x and v = y - g, in which the noise is white: with G the stochastic
// gradient at x,
//
//	x⁺ = W x - η (v + G),   v⁺ = W (v + G) - G,   v_0 = 0.
//
// The average of v is conserved (0), which gives the map an eigenvalue 1 that no trajectory sees; each step projects
// it away, so that the radius is that of the motion. A step without mixing has W = I: x moves, v stays.
func (b *builder) tracking() *program {
	p := b.program(2, false)
	for t := range p.rounds {
		s := b.seq.Step(t)
		for range s.LocalSteps - 1 {
			p.rounds[t] = append(p.rounds[t], b.trackingStep(p, nil))
		}
		p.rounds[t] = append(p.rounds[t], b.trackingStep(p, s.W))
	}
	return p
}

// trackingStep is one step; w nil: W = I.
func (b *builder) trackingStep(p *program, w *mixing.Matrix) op {
	mix := func(dst, src []float64, cols int) {
		if w == nil {
			copy(dst, src)
			return
		}
		b.mixSlot(w, dst, src, cols)
	}
	gradient := func(dst, src []float64, cols int) { // D x
		m := b.g.m
		for i, a := range b.g.a {
			gemm(dst[i*m*cols:(i+1)*m*cols], a, src[i*m*cols:(i+1)*m*cols], m, m, cols)
		}
	}
	// step finishes x and v from G, given that dst's slot 0 holds W x.
	step := func(dst, v, g []float64, cols int) {
		x, next := b.slot(dst, 0, cols), b.slot(dst, 1, cols)
		for k := range v {
			v[k] += g[k]
			x[k] -= b.step * v[k]
		}
		mix(next, v, cols)
		for k, v := range g {
			next[k] -= v
		}
		b.recenter(next, cols)
	}
	o := op{linear: func(dst, src []float64, cols int) {
		v, g := slices.Clone(b.slot(src, 1, cols)), b.temporary(cols)
		gradient(g, b.slot(src, 0, cols), cols)
		mix(b.slot(dst, 0, cols), b.slot(src, 0, cols), cols)
		step(dst, v, g, cols)
	}}
	l := &localSteps{q: make([]float64, b.used*b.g.members), v: make([]float64, b.used*b.used)}
	gradient(l.q, b.g.shift, b.g.members)
	for k := range l.q {
		l.q[k] = -l.q[k]
	}
	m := b.g.m
	for i, noise := range b.g.noise {
		for r := range m {
			copy(l.v[(i*m+r)*b.used+i*m:], noise[r*m:(r+1)*m])
		}
	}
	return b.noisy(p, l, o, func(dst, src []float64, cols int) {
		clear(dst)
		step(dst, make([]float64, b.used*cols), src, cols)
	})
}

// recenter subtracts the (weighted) average of the islands from every island.
func (b *builder) recenter(z []float64, cols int) {
	row := b.g.m * cols
	for k := range row {
		mean := 0.0
		for i, w := range b.weights {
			mean += w * z[i*row+k]
		}
		for i := range b.weights {
			z[i*row+k] -= mean
		}
	}
}
