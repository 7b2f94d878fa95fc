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

// program is an algorithm on one group of a problem, under one schedule: the operations of every round.
type program struct {
	group  *group
	slots  int
	rounds [][]op    // one period
	start  []float64 // state at t = 0, (slots·n·m) × members

	// Rounds before prefix are not yet periodic (push-sum, whose weights must settle): early makes them.
	prefix int
	early  func(t int) []op
}

// size returns the number of rows of the state.
func (p *program) size() int { return p.slots * p.group.n * p.group.m }

// ops returns the operations of round t.
func (p *program) ops(t int) []op {
	if t < p.prefix {
		return p.early(t)
	}
	return p.rounds[(t-p.prefix)%len(p.rounds)]
}

// compile writes the algorithm as a program.
func (a Algorithm) compile(seq *mixing.Sequence, step float64, weights []float64, g *group) *program {
	b := &builder{alg: a, seq: seq, g: g, step: step, weights: weights, used: g.n * g.m, locals: map[int]*localSteps{}}
	switch a.name() {
	case "cta":
		return b.cta()
	case "dgd":
		return b.dgd()
	case "gradient-tracking":
		return b.tracking()
	case "delayed":
		return b.delayed()
	case "stale":
		return b.stale()
	case "push-sum":
		return b.pushSum()
	case "diloco", "factored":
		return b.factored()
	case "streaming-diloco":
		return b.streaming()
	default:
		return b.atc()
	}
}

type builder struct {
	alg     Algorithm
	seq     *mixing.Sequence
	g       *group
	step    float64
	weights []float64
	used    int                 // rows of one slot
	locals  map[int]*localSteps // by number of steps
	ops     map[int]op          // local steps on slot 0, by their number: rounds share them
	scratch []float64
}

// program begins a program with the start in slot 0, or in all slots.
func (b *builder) program(slots int, everywhere bool) *program {
	p := &program{group: b.g, slots: slots, rounds: make([][]op, b.seq.Period())}
	p.start = make([]float64, p.size()*b.g.members)
	for k := range slots {
		if k == 0 || everywhere {
			copy(b.slot(p.start, k, b.g.members), b.g.start)
		}
	}
	return p
}

// slot returns slot k of a state with so many columns.
func (b *builder) slot(z []float64, k, cols int) []float64 {
	return z[k*b.used*cols : (k+1)*b.used*cols]
}

// temporary returns scratch space for one slot. Operations run one at a time, so they share it.
func (b *builder) temporary(cols int) []float64 {
	if len(b.scratch) < b.used*cols {
		b.scratch = make([]float64, b.used*cols)
	}
	return b.scratch[:b.used*cols]
}

// mixSlot is dst = W src on one slot.
func (b *builder) mixSlot(w *mixing.Matrix, dst, src []float64, cols int) {
	w.Apply(dst, src, b.g.m*cols)
}

// localSteps is what a number of SGD steps does to each island on its own: x ← P x + q + noise of covariance V.
type localSteps struct {
	islands []affine  // m × m maps with group.members columns
	q       []float64 // (n·m) × members
	v       []float64 // (n·m) × (n·m), block diagonal
}

// steps returns the map of h local steps: x ← (I - ηA)x + ηA b, noise η² N, h times.
func (b *builder) steps(h int) *localSteps {
	l, ok := b.locals[h]
	if !ok {
		l = b.stepsOf(h, nil)
		b.locals[h] = l
	}
	return l
}

// stepsOf is steps with the step size η / over[i] on island i; nil: η for all.
func (b *builder) stepsOf(h int, over []float64) *localSteps {
	g, m := b.g, b.g.m
	l := &localSteps{islands: make([]affine, g.n), q: make([]float64, b.used*g.members), v: make([]float64, b.used*b.used)}
	for i := range l.islands {
		step := b.step
		if over != nil {
			step /= over[i]
		}
		one := affine{m, g.members, make([]float64, m*m), make([]float64, m*g.members), make([]float64, m*m)}
		for k := range m {
			one.m[k*m+k] = 1
		}
		if h > 0 {
			gemm(one.c, g.a[i], g.shift[i*m*g.members:(i+1)*m*g.members], m, m, g.members)
			for k := range one.c {
				one.c[k] *= step
			}
			for k, v := range g.a[i] {
				one.m[k] -= step * v
				one.g[k] = step * step * g.noise[i][k]
			}
			one = one.power(h)
		}
		l.islands[i] = one
		copy(l.q[i*m*g.members:], one.c)
		for r := range m {
			copy(l.v[(i*m+r)*b.used+i*m:], one.g[r*m:(r+1)*m])
		}
	}
	return l
}

// apply is dst = P src on one slot.
func (l *localSteps) apply(dst, src []float64, cols int) {
	for i := range l.islands {
		f := &l.islands[i]
		block := i * f.s * cols
		if f.s == 1 {
			p, out := f.m[0], dst[block:block+cols]
			for k, v := range src[block : block+cols] {
				out[k] = p * v
			}
			continue
		}
		gemm(dst[block:block+f.s*cols], f.m, src[block:block+f.s*cols], f.s, f.s, cols)
	}
}

// noisy completes an operation whose state receives q + noise of the local steps through inject, a linear map from one
// slot to the state: the constant is B q and the covariance B V B'.
func (b *builder) noisy(p *program, l *localSteps, o op, inject func(dst, src []float64, cols int)) op {
	size, members := p.size(), b.g.members
	o.c = make([]float64, size*members)
	inject(o.c, l.q, members)
	half, turned := make([]float64, size*b.used), make([]float64, size*b.used)
	inject(half, l.v, b.used) // B V
	for r := range size {
		for c := range b.used {
			turned[c*size+r] = half[r*b.used+c] // V B'
		}
	}
	o.g = make([]float64, size*size)
	inject(o.g, turned, size)
	return o
}

// local is h local steps on slot 0.
func (b *builder) local(p *program, h int) op {
	if o, ok := b.ops[h]; ok {
		return o
	}
	l := b.steps(h)
	o := op{linear: func(dst, src []float64, cols int) {
		l.apply(b.slot(dst, 0, cols), b.slot(src, 0, cols), cols)
		copy(dst[b.used*cols:], src[b.used*cols:])
	}}
	o = b.noisy(p, l, o, func(dst, src []float64, _ int) { copy(dst, src) })
	if b.ops == nil {
		b.ops = map[int]op{}
	}
	b.ops[h] = o
	return o
}

// mix is x ← W x on slot 0.
func (b *builder) mix(w *mixing.Matrix) op {
	return op{linear: func(dst, src []float64, cols int) {
		b.mixSlot(w, b.slot(dst, 0, cols), b.slot(src, 0, cols), cols)
		copy(dst[b.used*cols:], src[b.used*cols:])
	}}
}

func (b *builder) atc() *program {
	p := b.program(1, false)
	for t := range p.rounds {
		s := b.seq.Step(t)
		p.rounds[t] = []op{b.local(p, s.LocalSteps), b.mix(s.W)}
	}
	return p
}

func (b *builder) cta() *program {
	p := b.program(1, false)
	for t := range p.rounds {
		s := b.seq.Step(t)
		p.rounds[t] = []op{b.mix(s.W), b.local(p, s.LocalSteps)}
	}
	return p
}

// dgd is x ← W x - η g(x): with one local step P x + q + noise, it is W x + (P - I) x + q + noise.
func (b *builder) dgd() *program {
	p := b.program(1, false)
	one := b.steps(1)
	drive := b.noisy(p, one, op{}, func(dst, src []float64, _ int) { copy(dst, src) })
	for t := range p.rounds {
		s := b.seq.Step(t)
		if s.LocalSteps > 1 {
			p.rounds[t] = append(p.rounds[t], b.local(p, s.LocalSteps-1))
		}
		p.rounds[t] = append(p.rounds[t], op{b.dgdLinear(s.W, one), drive.c, drive.g})
	}
	return p
}

func (b *builder) dgdLinear(w *mixing.Matrix, one *localSteps) func(dst, src []float64, cols int) {
	return func(dst, src []float64, cols int) {
		b.mixSlot(w, dst, src, cols)
		moved := b.temporary(cols)
		one.apply(moved, src, cols)
		for k, v := range moved {
			dst[k] += v - src[k]
		}
	}
}

// delayed is x⁺ = P x + q + noise + (W - I) x of τ rounds ago, slot k holding x of k rounds ago. What arrives was sent
// with the matrix of the round in which it was sent. The history before the start is the start.
func (b *builder) delayed() *program {
	tau := b.alg.Delay
	p := b.program(tau+1, true)
	period := b.seq.Period()
	for t := range p.rounds {
		l := b.steps(b.seq.Step(t).LocalSteps)
		w := b.seq.Step((t - tau%period + period) % period).W
		o := op{linear: func(dst, src []float64, cols int) {
			now, old := b.slot(dst, 0, cols), b.slot(src, tau, cols)
			l.apply(now, b.slot(src, 0, cols), cols)
			mixed := b.temporary(cols)
			b.mixSlot(w, mixed, old, cols)
			for k, v := range mixed {
				now[k] += v - old[k]
			}
			copy(dst[b.used*cols:], src[:tau*b.used*cols])
		}}
		p.rounds[t] = []op{b.noisy(p, l, o, func(dst, src []float64, cols int) { copy(b.slot(dst, 0, cols), src) })}
	}
	return p
}

// stale is x_i⁺ = W_ii y_i + Σ_{j≠i} W_ij y_j of τ rounds ago, with y = P x + q + noise and slot k ≥ 1 holding y of k
// rounds ago. The average is not preserved: the fixed point weighs the islands by the history.
func (b *builder) stale() *program {
	tau := b.alg.Delay
	if tau == 0 {
		return b.atc()
	}
	p := b.program(tau+1, true)
	for t := range p.rounds {
		l, w := b.steps(b.seq.Step(t).LocalSteps), b.seq.Step(t).W
		own := diagonalOf(w)
		o := op{linear: func(dst, src []float64, cols int) {
			y, now, old := b.slot(dst, 1, cols), b.slot(dst, 0, cols), b.slot(src, tau, cols)
			b.mixSlot(w, now, old, cols)
			copy(dst[2*b.used*cols:], src[b.used*cols:tau*b.used*cols])
			l.apply(y, b.slot(src, 0, cols), cols)
			row := b.g.m * cols
			for i, d := range own {
				for k := i * row; k < (i+1)*row; k++ {
					now[k] += d * (y[k] - old[k])
				}
			}
		}}
		p.rounds[t] = []op{b.noisy(p, l, o, func(dst, src []float64, cols int) {
			copy(b.slot(dst, 1, cols), src)
			row := b.g.m * cols
			for i, d := range own {
				for k := i * row; k < (i+1)*row; k++ {
					dst[k] = d * src[k]
				}
			}
		})}
	}
	return p
}

func diagonalOf(w *mixing.Matrix) []float64 {
	d := make([]float64, w.N())
	for i, row := range w.Rows() {
		for _, t := range row {
			if t.J == i {
				d[i] = t.Weight
			}
		}
	}
	return d
}
