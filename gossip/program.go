package gossip

import (
	"github.com/islandsgd/islands/mixing"
)

// op is one elementary step of a round: a linear map of the state, given by what it does to columns, a constant, and
// noise. The state of a group is a number of slots of n·m rows each (slot 0 holds the replicas; algorithms with a
// memory keep it in others), one column for each member, measured from x*.
type op struct {
	linear func(dst, src []float64, cols int) // both (slots·n·m) × cols; dst is written whole
	c      []float64                          // (slots·n·m) × members, or nil
	g      []float64                          // noise covariance, square, or nil
}

// program is an algorithm on one group of a problem, under one schedule: the operations of every round of a period.
type program struct {
	group  *group
	slots  int
	rounds [][]op
	start  []float64 // state at t = 0, (slots·n·m) × members
}

// size returns the number of rows of the state.
func (p *program) size() int { return p.slots * p.group.n * p.group.m }

// compile writes the algorithm as a program.
func (alg Algorithm) compile(seq *mixing.Sequence, step float64, g *group) *program {
	b := builder{g: g, step: step, locals: map[int]localSteps{}}
	return b.atc(seq)
}

type builder struct {
	g      *group
	step   float64
	locals map[int]localSteps // by number of steps
}

func (b *builder) program(slots int, seq *mixing.Sequence) *program {
	p := &program{group: b.g, slots: slots, rounds: make([][]op, seq.Period())}
	p.start = make([]float64, p.size()*b.g.members)
	copy(p.start, b.g.start)
	return p
}

// atc: H local steps, then x ← W x.
func (b *builder) atc(seq *mixing.Sequence) *program {
	p := b.program(1, seq)
	for t := range p.rounds {
		s := seq.Step(t)
		p.rounds[t] = []op{b.local(p, s.LocalSteps), b.mix(p, s.W)}
	}
	return p
}

// localSteps is what H steps of SGD do to each island on its own.
type localSteps []affine // m × m maps with group.members columns

// steps returns the map of H local steps: x ← (I - ηA)x + ηA b, noise η² N.
func (b *builder) steps(h int) localSteps {
	if l, ok := b.locals[h]; ok {
		return l
	}
	g := b.g
	l := make(localSteps, g.n)
	for i := range l {
		one := affine{g.m, g.members, make([]float64, g.m*g.m), make([]float64, g.m*g.members), make([]float64, g.m*g.m)}
		for k, v := range g.a[i] {
			one.m[k] = -b.step * v
			one.g[k] = b.step * b.step * g.noise[i][k]
		}
		gemm(one.c, one.m, g.shift[i*g.m*g.members:(i+1)*g.m*g.members], g.m, g.m, g.members)
		for k := range one.c {
			one.c[k] = -one.c[k]
		}
		for k := range g.m {
			one.m[k*g.m+k]++
		}
		l[i] = one.power(h)
	}
	b.locals[h] = l
	return l
}

// local is H local steps on slot 0.
func (b *builder) local(p *program, h int) op {
	l, m := b.steps(h), b.g.m
	size, used := p.size(), b.g.n*m
	o := op{c: make([]float64, size*b.g.members), g: make([]float64, size*size)}
	for i, f := range l {
		copy(o.c[i*m*b.g.members:], f.c)
		for r := range m {
			copy(o.g[(i*m+r)*size+i*m:], f.g[r*m:(r+1)*m])
		}
	}
	o.linear = func(dst, src []float64, cols int) {
		for i, f := range l {
			block := i * m * cols
			if m == 1 {
				for k, v := range src[block : block+cols] {
					dst[block+k] = f.m[0] * v
				}
				continue
			}
			gemm(dst[block:block+m*cols], f.m, src[block:block+m*cols], m, m, cols)
		}
		copy(dst[used*cols:], src[used*cols:])
	}
	return o
}

// mix is x ← W x on slot 0.
func (b *builder) mix(p *program, w *mixing.Matrix) op {
	used, m := b.g.n*b.g.m, b.g.m
	return op{linear: func(dst, src []float64, cols int) {
		w.Apply(dst[:used*cols], src[:used*cols], m*cols)
		copy(dst[used*cols:], src[used*cols:])
	}}
}
