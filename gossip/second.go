package gossip

import (
	"context"
	"fmt"
	"slices"

	"github.com/islandsgd/islands/mixing"
)

// secondMoments is the exact state of one group where randomness multiplies the state: random mixing matrices, or noise
// that grows with the distance. The covariance then no longer goes its own way; what obeys a linear recursion is the
// second moment E[e e'] about x*, together with the mean. Summed over the members of the group, with W̄ = E[W], a local
// step and a mixing are
//
//	E ← P E P' + Σ (P m q' + q m' P' + q q') + members·V,   m ← P m + q
//	E ← E[W E W'],                                          m ← W̄ m
//
// and multiplicative noise adds B diag(v) B', with variances v that are linear in E and m.
type secondMoments struct {
	g       *group
	mean    []float64 // (n·m) × members
	second  []float64 // (n·m) × (n·m)
	meanTmp []float64
	tmp     []float64
}

// secondProgram is an algorithm on one group: the operations of each round of a period.
type secondProgram struct {
	b      *builder
	rounds [][]secondOp
}

// secondOp is an affine operation with noise (linear, c, g of op), a random mixing, or one with multiplicative noise.
type secondOp struct {
	op
	outcomes []weightedOp // of a random mixing; nil: linear of op
	folded   *folded      // of many outcomes, see fold

	// variance returns the variance of the multiplicative noise of each row, of the state before the operation, and
	// inject the map B by which it enters (nil: B = I). quiet leaves out what does not vary with E and m.
	variance func(s *secondMoments, quiet bool) []float64
	inject   func(dst, src []float64, cols int)
}

type weightedOp struct {
	probability float64
	linear      func(dst, src []float64, cols int)
}

// needsSecond reports whether exact moments need the second-moment recursion.
func needsSecond(q *Quadratic, seq *mixing.Sequence, alg Algorithm) bool {
	return seq.Random != nil || q.LeastSquares || alg.name() == "sparse"
}

// compileSecond writes the algorithm as a program for second moments, or says why there is none.
func (a Algorithm) compileSecond(q *Quadratic, seq *mixing.Sequence, step float64, weights []float64, g *group) (*secondProgram, error) {
	name := a.name()
	switch {
	case seq.Random != nil && seq.Random.Outcomes == nil:
		return nil, fmt.Errorf("exact moments need the outcomes of a random schedule, and this one has too many to list: simulate it")
	case name != "atc" && name != "cta" && name != "dgd" && name != "sparse":
		return nil, fmt.Errorf("exact moments of %s need additive noise and a periodic schedule: simulate it", name)
	case name == "sparse" && seq.Random != nil:
		return nil, fmt.Errorf("exact moments of sparse need a periodic schedule: simulate it")
	case name == "dgd" && q.LeastSquares:
		return nil, fmt.Errorf("exact moments of dgd need additive noise: simulate it")
	}
	b := &builder{alg: a, seq: seq, g: g, step: step, weights: weights, used: g.n * g.m, locals: map[int]*localSteps{}}
	p := &secondProgram{b: b, rounds: make([][]secondOp, seq.Period())}
	for t := range p.rounds {
		h := localStepsOf(seq, t)
		switch name {
		case "cta":
			p.rounds[t] = append(p.mixing(t), p.local(q, h)...)
		case "dgd":
			p.rounds[t] = append(p.local(q, h-1), p.dgd(t))
		default:
			p.rounds[t] = append(p.local(q, h), p.mixing(t)...)
		}
	}
	return p, nil
}

// local is h local steps. Those of least squares multiply the state: with h ~ N(0, I), E[hh'Yhh'] = 2Y + tr(Y) I, so a
// step adds η² (d+1) times the squared distance to b, summed over coordinates, to what its mean map gives.
func (p *secondProgram) local(q *Quadratic, h int) []secondOp {
	b, one := p.b, &program{group: p.b.g, slots: 1}
	if h == 0 {
		return nil
	}
	if !q.LeastSquares {
		return []secondOp{{op: b.local(one, h)}}
	}
	o := secondOp{op: b.local(one, 1)}
	scale := b.step * b.step * float64(q.D+1)
	o.variance = func(s *secondMoments, quiet bool) []float64 {
		v, members := make([]float64, b.used), b.g.members
		for i := range v {
			v[i] = s.second[i*b.used+i]
			for k := i * members; k < (i+1)*members; k++ {
				v[i] -= 2 * b.g.shift[k] * s.mean[k]
				if !quiet {
					v[i] += b.g.shift[k] * b.g.shift[k]
				}
			}
			v[i] *= scale
		}
		return v
	}
	return slices.Repeat([]secondOp{o}, h)
}

// mixing is x ← W x. With sparse messages, the off-diagonal part of W acts on messages of which each coordinate y
// arrives with variance (1/keep - 1) y².
func (p *secondProgram) mixing(t int) []secondOp {
	b := p.b
	if r := b.seq.Random; r != nil {
		var o secondOp
		for _, w := range r.Outcomes {
			o.outcomes = append(o.outcomes, weightedOp{w.Probability, b.mix(w.W).linear})
		}
		o.folded = fold(o.outcomes, b.used)
		return []secondOp{o}
	}
	w := b.seq.Step(t).W
	o := secondOp{op: b.mix(w)}
	if b.alg.name() == "sparse" {
		own := diagonalOf(w)
		o.inject = func(dst, src []float64, cols int) {
			b.mixSlot(w, dst, src, cols)
			for k := range src {
				dst[k] -= own[k/(b.g.m*cols)] * src[k]
			}
		}
		scale := 1/b.alg.Keep - 1
		o.variance = func(s *secondMoments, quiet bool) []float64 {
			v, members := make([]float64, b.used), b.g.members
			for r := range v {
				v[r] = s.second[r*b.used+r]
				for k := range members {
					star := b.g.star[r%b.g.m*members+k]
					v[r] += 2 * star * s.mean[r*members+k]
					if !quiet {
						v[r] += star * star
					}
				}
				v[r] *= scale
			}
			return v
		}
	}
	return []secondOp{o}
}

func (p *secondProgram) dgd(t int) secondOp {
	b := p.b
	one := b.steps(1)
	var o secondOp
	o.op = b.noisy(&program{group: b.g, slots: 1}, one, op{}, func(dst, src []float64, _ int) { copy(dst, src) })
	for _, w := range b.seq.Random.Outcomes {
		o.outcomes = append(o.outcomes, weightedOp{w.Probability, b.dgdLinear(w.W, one)})
	}
	o.folded = fold(o.outcomes, b.used)
	return o
}

func (p *secondProgram) begin() *secondMoments {
	used, members := p.b.used, p.b.g.members
	s := &secondMoments{g: p.b.g, mean: slices.Clone(p.b.g.start), second: make([]float64, used*used),
		meanTmp: make([]float64, used*members), tmp: make([]float64, used*used)}
	addOuter(s.second, s.mean, s.mean, used, members)
	return s
}

// addOuter adds A B' to dst, which is used × used; A and B are used × members.
func addOuter(dst, a, b []float64, used, members int) {
	for r := range used {
		for c := range used {
			dst[r*used+c] += dot(a[r*members:(r+1)*members], b[c*members:(c+1)*members])
		}
	}
}

// round advances by round t; quiet leaves out constants and noise.
func (p *secondProgram) round(s *secondMoments, t int, quiet bool) {
	used, members := p.b.used, s.g.members
	half := make([]float64, used*used)
	for _, o := range p.rounds[t%len(p.rounds)] {
		var variance []float64
		if o.variance != nil {
			variance = o.variance(s, quiet)
		}
		mean, second := make([]float64, used*members), make([]float64, used*used)
		if f := o.folded; f != nil {
			gemm(mean, f.mean, s.mean, used, used, members)
			f.apply(second, s.second, used)
		} else {
			for _, w := range o.all() {
				w.linear(s.meanTmp, s.mean, members)
				axpy(mean, w.probability, s.meanTmp)
				w.linear(s.tmp, s.second, used)
				transpose(half, s.tmp, used)
				w.linear(s.tmp, half, used)
				axpy(second, w.probability, s.tmp)
			}
		}
		s.mean, s.second = mean, second
		if variance != nil {
			addInjected(second, variance, o.inject, s.tmp)
		}
		if o.c == nil || quiet {
			continue
		}
		addOuter(s.second, s.mean, o.c, used, members) // the mean is that of the linear part still
		addOuter(s.second, o.c, s.mean, used, members)
		addOuter(s.second, o.c, o.c, used, members)
		axpy(s.second, float64(members), o.g)
		add(s.mean, o.c)
	}
}

// addInjected adds B diag(v) B' to dst; inject nil: B = I.
func addInjected(dst, v []float64, inject func(dst, src []float64, cols int), tmp []float64) {
	used := len(v)
	if inject == nil {
		for k, x := range v {
			dst[k*used+k] += x
		}
		return
	}
	d, half := make([]float64, used*used), make([]float64, used*used)
	for k, x := range v {
		d[k*used+k] = x
	}
	inject(half, d, used)
	transpose(d, half, used)
	inject(tmp, d, used)
	add(dst, tmp)
}

// all returns the linear parts with their probabilities.
func (o secondOp) all() []weightedOp {
	if o.outcomes != nil {
		return o.outcomes
	}
	return []weightedOp{{1, o.linear}}
}

// measure reads the three numbers off the second moment.
func (s *secondMoments) measure(weights []float64) Moments {
	g, used := s.g, s.g.n*s.g.m
	var m Moments
	for i := range g.n {
		for j := range g.n {
			w := weights[i] * weights[j]
			for k := range g.m {
				r, c := i*g.m+k, j*g.m+k
				m.Centroid += w * s.second[r*used+c]
				if i < j {
					m.Consensus += w * (s.second[r*used+r] + s.second[c*used+c] - 2*s.second[r*used+c])
				}
			}
		}
	}
	m.Centroid, m.Consensus = max(0, m.Centroid), max(0, m.Consensus)
	m.MSE = m.Centroid + m.Consensus
	return m
}

// runSecond adds one group by second moments.
func (e *exactPart) runSecond(ctx context.Context, p *secondProgram, weights []float64, at []int) error {
	own := exactPart{points: make([]Moments, len(at))}
	s, now := p.begin(), 0
	for i, t := range at {
		for ; now < t && own.overflow == 0; now++ {
			if now%checkEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			p.round(s, now, false)
			if now%lookEvery == 0 && !s.measure(weights).finite() {
				own.overflow = now + 1
			}
		}
		if own.points[i] = s.measure(weights); !own.points[i].finite() {
			if own.overflow == 0 {
				own.overflow = t
			}
			break
		}
	}
	if own.overflow > 0 {
		first, s := 0, p.begin()
		for ; s.measure(weights).finite(); first++ {
			p.round(s, first, false)
		}
		own.overflow = first
	}
	radius, stationary, ok := p.settle(weights)
	own.radius, own.stationary, own.noRadius = radius, stationary, !ok
	e.add(own)
	return nil
}
