package gossip

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/mixing"
)

// randomMoments is the exact state of one group under a random schedule. Randomness of W multiplies the state, so the
// covariance no longer goes its own way: what obeys a linear recursion is the second moment E[e e'] about x*, together
// with the mean. Summed over the members of the group, with W̄ = E[W], a local step and a mixing are
//
//	E ← P E P' + Σ (P m q' + q m' P' + q q') + members·V,   m ← P m + q
//	E ← E[W E W'],                                          m ← W̄ m
type randomMoments struct {
	g       *group
	mean    []float64 // (n·m) × members
	second  []float64 // (n·m) × (n·m)
	meanTmp []float64
	tmp     []float64
}

// randomProgram is a round of a random schedule.
type randomProgram struct {
	b     *builder
	steps []randomOp
}

// randomOp is a deterministic affine operation with noise (linear, c, g of op), or a random mixing.
type randomOp struct {
	op
	outcomes []weightedOp // nil: op
}

type weightedOp struct {
	probability float64
	linear      func(dst, src []float64, cols int)
}

// compileRandom writes the algorithm as a random program, or says why there is none.
func (alg Algorithm) compileRandom(seq *mixing.Sequence, step float64, weights []float64, g *group) (*randomProgram, error) {
	r := seq.Random
	if r.Outcomes == nil {
		return nil, fmt.Errorf("exact moments need the outcomes of a random schedule, and this one has too many to list: simulate it")
	}
	b := &builder{alg: alg, seq: seq, g: g, step: step, weights: weights, used: g.n * g.m, locals: map[int]*localSteps{}}
	p := &program{group: g, slots: 1}
	var mix, dgd randomOp
	for _, o := range r.Outcomes {
		mix.outcomes = append(mix.outcomes, weightedOp{o.Probability, b.mix(o.W).linear})
	}
	switch alg.name() {
	case "atc":
		return &randomProgram{b, []randomOp{{op: b.local(p, r.LocalSteps)}, mix}}, nil
	case "cta":
		return &randomProgram{b, []randomOp{mix, {op: b.local(p, r.LocalSteps)}}}, nil
	case "dgd":
		one := b.steps(1)
		for _, o := range r.Outcomes {
			dgd.outcomes = append(dgd.outcomes, weightedOp{o.Probability, b.dgdLinear(o.W, one)})
		}
		dgd.op = b.noisy(p, one, op{}, func(dst, src []float64, _ int) { copy(dst, src) })
		rp := &randomProgram{b: b}
		if r.LocalSteps > 1 {
			rp.steps = append(rp.steps, randomOp{op: b.local(p, r.LocalSteps-1)})
		}
		rp.steps = append(rp.steps, dgd)
		return rp, nil
	}
	return nil, fmt.Errorf("exact moments of %s need a periodic schedule, this one is random: simulate it", alg.name())
}

func (p *randomProgram) begin() *randomMoments {
	used, members := p.b.used, p.b.g.members
	s := &randomMoments{g: p.b.g, mean: slices.Clone(p.b.g.start), second: make([]float64, used*used),
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

// round advances by one round.
func (p *randomProgram) round(s *randomMoments) {
	used, members := p.b.used, s.g.members
	for _, o := range p.steps {
		before := s.second
		mean := make([]float64, used*members)
		s.second = make([]float64, used*used)
		for _, w := range o.all() {
			w.linear(s.meanTmp, s.mean, members)
			axpy(mean, w.probability, s.meanTmp)
			w.linear(s.tmp, before, used)
			half := make([]float64, used*used)
			transpose(half, s.tmp, used)
			w.linear(s.tmp, half, used)
			axpy(s.second, w.probability, s.tmp)
		}
		s.mean = mean
		if o.c == nil {
			continue
		}
		addOuter(s.second, s.mean, o.c, used, members) // the mean is that of the linear part still
		addOuter(s.second, o.c, s.mean, used, members)
		addOuter(s.second, o.c, o.c, used, members)
		axpy(s.second, float64(members), o.g)
		add(s.mean, o.c)
	}
}

// all returns the linear parts with their probabilities.
func (o randomOp) all() []weightedOp {
	if o.outcomes != nil {
		return o.outcomes
	}
	return []weightedOp{{1, o.linear}}
}

// measure reads the three numbers off the second moment.
func (s *randomMoments) measure(weights []float64) Moments {
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

// maxSecondSize is the largest dimension of the linear map E → E[M E M'] on symmetric matrices that is written out: 45
// for nine islands, 276 for 23.
const maxSecondSize = 300

// settle returns the root of the spectral radius of E → E[M E M'], and, where that is below 1, the stationary
// moments. ok is false where the map is too large to be written out.
func (p *randomProgram) settle(weights []float64) (radius float64, stationary Moments, ok bool) {
	used := p.b.used
	dim := used * (used + 1) / 2
	if dim > maxSecondSize {
		return 0, Moments{}, false
	}
	quiet := p.quiet()
	l := mat.NewDense(dim, dim, nil)
	for column := range dim {
		s := p.zero()
		unpack(s.second, column, used)
		quiet.round(s)
		pack(l, column, s.second, used)
	}
	radius, ok = spectralRadius(l.RawMatrix().Data, dim)
	radius = math.Sqrt(radius)
	if !ok || radius >= 1 {
		return radius, Moments{}, ok
	}
	// The mean first, by the same way: m = M m + c.
	mean, err := p.fixedMean()
	if err != nil {
		return radius, Moments{}, false
	}
	s := p.zero()
	copy(s.mean, mean)
	p.round(s) // from E = 0 with the stationary mean: what drives E
	drive := mat.NewDense(dim, 1, nil)
	pack(drive, 0, s.second, used)
	l.Scale(-1, l)
	for k := range dim {
		l.Set(k, k, l.At(k, k)+1)
	}
	var x mat.Dense
	if err := x.Solve(l, drive); err != nil {
		if _, conditioned := err.(mat.Condition); !conditioned {
			return radius, Moments{}, false
		}
	}
	at := 0
	for r := range used {
		for c := r; c < used; c++ {
			s.second[r*used+c], s.second[c*used+r] = x.At(at, 0), x.At(at, 0)
			at++
		}
	}
	return radius, s.measure(weights), true
}

// quiet returns the program without constants and noise.
func (p *randomProgram) quiet() *randomProgram {
	out := &randomProgram{b: p.b}
	for _, o := range p.steps {
		o.c, o.g = nil, nil
		out.steps = append(out.steps, o)
	}
	return out
}

func (p *randomProgram) zero() *randomMoments {
	s := p.begin()
	clear(s.mean)
	clear(s.second)
	return s
}

// fixedMean solves m = E[M] m + c.
func (p *randomProgram) fixedMean() ([]float64, error) {
	used, members := p.b.used, p.b.g.members
	offset := p.zero()
	p.round(offset)
	system := mat.NewDense(used, used, nil)
	quiet := p.quiet()
	wide := *p.b.g // one member for each unit vector
	wide.members = used
	s := &randomMoments{g: &wide, mean: make([]float64, used*used), second: make([]float64, used*used), meanTmp: make([]float64, used*used), tmp: make([]float64, used*used)}
	for k := range used {
		s.mean[k*used+k] = 1
	}
	quiet.round(s)
	for r := range used {
		for c := range used {
			v := -s.mean[r*used+c]
			if r == c {
				v++
			}
			system.Set(r, c, v)
		}
	}
	var x mat.Dense
	if err := x.Solve(system, mat.NewDense(used, members, offset.mean)); err != nil {
		if _, conditioned := err.(mat.Condition); !conditioned {
			return nil, err
		}
	}
	return x.RawMatrix().Data, nil
}

// unpack writes the symmetric unit matrix number column (upper triangle, row by row) into e.
func unpack(e []float64, column, used int) {
	for r := range used {
		if width := used - r; column >= width {
			column -= width
			continue
		}
		c := r + column
		e[r*used+c], e[c*used+r] = 1, 1
		return
	}
}

// pack writes the upper triangle of a symmetric matrix into a column.
func pack(dst *mat.Dense, column int, e []float64, used int) {
	at := 0
	for r := range used {
		for c := r; c < used; c++ {
			dst.Set(at, column, (e[r*used+c]+e[c*used+r])/2)
			at++
		}
	}
}

// runRandom adds one group under a random schedule.
func (e *exactPart) runRandom(ctx context.Context, p *randomProgram, weights []float64, at []int) error {
	own := exactPart{points: make([]Moments, len(at))}
	s, now := p.begin(), 0
	for i, t := range at {
		for ; now < t && own.overflow == 0; now++ {
			if now%checkEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			p.round(s)
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
			p.round(s)
		}
		own.overflow = first
	}
	radius, stationary, ok := p.settle(weights)
	own.radius, own.stationary, own.noRadius = radius, stationary, !ok
	e.add(own)
	return nil
}
