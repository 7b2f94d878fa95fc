package gossip

import (
	"context"
	"fmt"
	"slices"

	"github.com/islandsgd/islands/mixing"
)

// secondMoments is the exact state of one group where randomness multiplies the state: random mixing matrices, or noise
// that grows with the distance. The covariance then no longer goes its own way; together with the mean it obeys a
// recursion still. With m the mean, C the covariance summed over the members of the group, and W̄ = E[W], a local step
// x ← P x + q + noise and a mixing are
//
//	C ← P C P' + members·V,                                m ← P m + q
//	C ← E[W C W'] + Σ E[(W - W̄) m m' (W - W̄)'],            m ← W̄ m
//
// and multiplicative noise adds B diag(v) B', with variances v that are linear in C and quadratic in m. Small errors
// keep their digits beside large ones: nothing is subtracted but means of islands, of which W - W̄ sees differences alone.
type secondMoments struct {
	g       *group
	mean    []float64 // (n·m) × members
	cov     []float64 // (n·m) × (n·m)
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
			v[i] = s.cov[i*b.used+i]
			for k := i * members; k < (i+1)*members && !quiet; k++ {
				v[i] += (s.mean[k] - b.g.shift[k]) * (s.mean[k] - b.g.shift[k])
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
				v[r] = s.cov[r*b.used+r]
				for k := 0; k < members && !quiet; k++ {
					x := s.mean[r*members+k] + b.g.star[r%b.g.m*members+k]
					v[r] += x * x
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
	return &secondMoments{g: p.b.g, mean: slices.Clone(p.b.g.start), cov: make([]float64, used*used),
		meanTmp: make([]float64, used*members), tmp: make([]float64, used*used)}
}

// addOuter adds p A A' to dst, which is used × used; A is used × members.
func addOuter(dst []float64, p float64, a []float64, used, members int) {
	for r := range used {
		for c := range used {
			dst[r*used+c] += p * dot(a[r*members:(r+1)*members], a[c*members:(c+1)*members])
		}
	}
}

// differences returns the mean less that of the first island, which a random mixing moves for certain.
func (s *secondMoments) differences() []float64 {
	row := s.g.m * s.g.members
	d := slices.Clone(s.mean)
	for k := range d {
		d[k] -= s.mean[k%row]
	}
	return d
}

// round advances by round t; quiet leaves out constants and noise.
func (p *secondProgram) round(s *secondMoments, t int, quiet bool) {
	used, members := p.b.used, s.g.members
	for _, o := range p.rounds[t%len(p.rounds)] {
		var variance []float64
		if o.variance != nil {
			variance = o.variance(s, quiet)
		}
		mean, cov := make([]float64, used*members), make([]float64, used*used)
		switch {
		case o.outcomes == nil:
			o.linear(mean, s.mean, members)
			conjugate(cov, s.cov, s.tmp, o.linear, used)
		case o.folded != nil:
			gemm(mean, o.folded.mean, s.mean, used, used, members)
			applyMap(cov, o.folded.second, s.cov, used)
			apart := make([]float64, used*used)
			addOuter(apart, 1, s.differences(), used, members)
			applyMap(s.tmp, o.folded.spread, apart, used)
			add(cov, s.tmp)
		default:
			p.draw(s, o.outcomes, mean, cov)
		}
		s.mean, s.cov = mean, cov
		if variance != nil {
			addInjected(cov, variance, o.inject, s.tmp)
		}
		if o.c != nil && !quiet {
			axpy(s.cov, float64(members), o.g)
			add(s.mean, o.c)
		}
	}
}

// conjugate sets dst to L C L'.
func conjugate(dst, c, tmp []float64, linear func(dst, src []float64, cols int), used int) {
	linear(tmp, c, used)
	transpose(dst, tmp, used)
	linear(tmp, dst, used)
	copy(dst, tmp)
}

// draw sets mean and covariance after a random mixing, outcome by outcome.
func (p *secondProgram) draw(s *secondMoments, outcomes []weightedOp, mean, cov []float64) {
	used, members := p.b.used, s.g.members
	apart := s.differences()
	middle, one := make([]float64, used*members), make([]float64, used*used)
	for _, w := range outcomes {
		w.linear(s.meanTmp, s.mean, members)
		axpy(mean, w.probability, s.meanTmp)
		w.linear(s.meanTmp, apart, members)
		axpy(middle, w.probability, s.meanTmp)
		conjugate(one, s.cov, s.tmp, w.linear, used)
		axpy(cov, w.probability, one)
	}
	for _, w := range outcomes {
		w.linear(s.meanTmp, apart, members)
		axpy(s.meanTmp, -1, middle)
		addOuter(cov, w.probability, s.meanTmp, used, members)
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

// measure reads off the three numbers.
func (s *secondMoments) measure(weights []float64) Moments {
	return s.g.measure(s.mean, s.cov, s.g.n*s.g.m, 1, weights)
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
