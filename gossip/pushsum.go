package gossip

import (
	"fmt"

	"github.com/islandsgd/islands/mixing"
)

// pushWeights are the weights w of push-sum: w_0 = 1, w ← A w. They settle into a cycle of the schedule's period.
type pushWeights struct {
	w      [][]float64 // w_0 … w_{settled + period}
	prefix int         // a multiple of the period, from which on they repeat
	period int
}

const (
	// settledTol is the relative change of the weights over a period at which they count as settled.
	settledTol = 1e-15

	// maxPrefix is the number of rounds after which the weights are taken as settled, whatever remains.
	maxPrefix = 20_000
)

func newPushWeights(seq *mixing.Sequence) (*pushWeights, error) {
	n, period := seq.N, seq.Period()
	p := &pushWeights{period: period, w: [][]float64{make([]float64, n)}}
	for i := range n {
		p.w[0][i] = 1
	}
	for t := 0; ; t++ {
		if t%period == 0 && t >= period {
			change := 0.0
			for i, v := range p.w[t] {
				change = max(change, (v-p.w[t-period][i])/v, (p.w[t-period][i]-v)/v)
			}
			if change <= settledTol || t >= maxPrefix {
				p.prefix = t - period
				return p, nil
			}
		}
		next := make([]float64, n)
		seq.Step(t).W.Apply(next, p.w[t], 1)
		for i, v := range next {
			if !(v > 0) {
				return nil, fmt.Errorf("push-sum: the weight of island %d is %g after round %d, must stay positive", i, v, t+1)
			}
		}
		p.w = append(p.w, next)
	}
}

// at returns w_t.
func (p *pushWeights) at(t int) []float64 {
	if t > p.prefix {
		t = p.prefix + (t-p.prefix)%p.period
	}
	return p.w[t]
}

// pushSum is stochastic gradient push (Assran et al. 2019) in the variable z = x/w, the replica: a local step
// x ← x - η g(z) moves z by the step η/w_i, and mixing is z ← diag(1/w⁺) A diag(w) z, which has row sums 1.
func (b *builder) pushSum() *program {
	p := b.program(1, false)
	w, err := newPushWeights(b.seq)
	if err != nil {
		panic("gossip: " + err.Error()) // prepare has checked it
	}
	round := func(t int) []op {
		s := b.seq.Step(t)
		now, next := w.at(t), w.at(t+1)
		l := b.stepsOf(s.LocalSteps, now)
		o := op{linear: func(dst, src []float64, cols int) {
			weighted, row := b.temporary(cols), b.g.m*cols
			l.apply(weighted, src, cols)
			rescale(weighted, now, nil, row)
			b.mixSlot(s.W, dst, weighted, cols)
			rescale(dst, nil, next, row)
		}}
		return []op{b.noisy(p, l, o, func(dst, src []float64, cols int) {
			weighted, row := b.temporary(cols), b.g.m*cols
			copy(weighted, src)
			rescale(weighted, now, nil, row)
			b.mixSlot(s.W, dst, weighted, cols)
			rescale(dst, nil, next, row)
		})}
	}
	p.prefix, p.early = w.prefix, round
	for t := range p.rounds {
		p.rounds[t] = round(w.prefix + t)
	}
	return p
}

// rescale multiplies the rows of each island by times[i] and divides them by over[i]; nil leaves them.
func rescale(z, times, over []float64, row int) {
	for i := range len(z) / row {
		f := 1.0
		if times != nil {
			f *= times[i]
		}
		if over != nil {
			f /= over[i]
		}
		for k := i * row; k < (i+1)*row; k++ {
			z[k] *= f
		}
	}
}
