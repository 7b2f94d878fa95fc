package gossip

import (
	"slices"

	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

// factored is the diloco family: slot 0 holds θ, slot 1 the outer momentum. H local steps from θ end at x; the
// pseudo-gradient is Δ = θ - x; and
//
//	θ ← W₁ θ - outer optimizer(W₂ Δ).
//
// diloco has W₁ = W₂ = W: with exact averaging that is DiLoCo (Douillard et al. 2023), and with plain outer steps at
// rate 1 it is atc for any W. Factored gossip (arXiv 2606.22768) mixes the two differently.
func (b *builder) factored() *program {
	p := b.program(2, false)
	agreed := b.momentumAgrees()
	for t := range p.rounds {
		s := b.seq.Step(t)
		l := b.steps(s.LocalSteps)
		w1, w2 := b.mixer(b.alg.Mix1, s.W), b.mixer(b.alg.Mix2, s.W)
		o := op{linear: func(dst, src []float64, cols int) {
			theta := b.slot(src, 0, cols)
			delta, mixed := b.temporary(cols), b.slot(dst, 1, cols)
			l.apply(delta, theta, cols)
			for k, v := range theta {
				delta[k] = v - delta[k]
			}
			w2.Apply(mixed, delta, b.g.m*cols)
			w1.Apply(b.slot(dst, 0, cols), theta, b.g.m*cols)
			b.outer(b.slot(dst, 0, cols), b.slot(src, 1, cols), mixed)
			if agreed {
				b.agree(b.slot(dst, 1, cols), cols)
			}
		}}
		p.rounds[t] = []op{b.noisy(p, l, o, func(dst, src []float64, cols int) {
			clear(dst)
			delta := slices.Clone(src)
			for k := range delta {
				delta[k] = -delta[k]
			}
			w2.Apply(b.slot(dst, 1, cols), delta, b.g.m*cols)
			b.outer(b.slot(dst, 0, cols), make([]float64, len(src)), b.slot(dst, 1, cols))
		})}
	}
	return p
}

// outer performs the outer optimizer's step on theta: delta holds Δ and receives the new momentum, momentum the old one.
func (b *builder) outer(theta, momentum, delta []float64) {
	a1, b1 := b.alg.outerStep()
	rate, beta := b.alg.Rate, b.alg.Momentum
	for k, d := range delta {
		m := beta*momentum[k] + d
		theta[k] -= rate * (a1*d + b1*m)
		delta[k] = m
	}
}

// momentumAgrees reports whether every round averages Δ exactly. All islands then have the same momentum for ever, and
// disagreement of the momentum, which would decay as β, is a direction that no trajectory takes: agree removes it from
// the map, so that the radius is that of the motion.
func (b *builder) momentumAgrees() bool {
	for t := range b.seq.Period() {
		if !averagesAll(b.mixer(b.alg.Mix2, b.seq.Step(t).W), b.weights) {
			return false
		}
	}
	return true
}

// agree replaces every island's row by the (weighted) average.
func (b *builder) agree(z []float64, cols int) {
	row := b.g.m * cols
	for k := range row {
		first, mean := z[k], 0.0
		for i, w := range b.weights {
			mean += w * (z[i*row+k] - first)
		}
		for i := range b.weights {
			z[i*row+k] = first + mean
		}
	}
}

// mixer returns the matrix of a kind: the schedule's, J or I. J preserves the island weights.
func (b *builder) mixer(kind string, w *mixing.Matrix) *mixing.Matrix {
	return mixer(kind, w, b.weights)
}

func mixer(kind string, w *mixing.Matrix, weights []float64) *mixing.Matrix {
	r := schedule.Round{LocalSteps: 1}
	switch mixKind(kind) {
	case "schedule":
		return w
	case "exact":
		for i := range weights {
			for j, v := range weights {
				r.Entries = append(r.Entries, schedule.Edge{I: i, J: j, Weight: v})
			}
		}
	}
	seq, err := mixing.New(&schedule.Schedule{Name: kind, N: len(weights), Rounds: []schedule.Round{r}})
	if err != nil {
		panic("gossip: " + err.Error()) // the round is well formed
	}
	return seq.Steps[0].W
}

// streaming is streaming DiLoCo (Douillard et al. 2025): the parameters are cut into fragments that synchronize one
// after the other. Slots: 0 the replica x, 1 the outer parameters θ, 2 the momentum, 3 what was sent. Fragment f of P is
// applied after ⌊(f+1)H/P⌋ of a round's H local steps and was sent Overlap steps before:
//
//	Δ = W (θ - sent),   θ ← outer optimizer on W θ,   x ← Merge x + (1 - Merge) θ.
//
// One fragment without overlap and merge is diloco.
func (b *builder) streaming() *program {
	p := b.program(4, false)
	copy(b.slot(p.start, 1, b.g.members), b.g.start)
	agreed := b.momentumAgrees()
	for t := range p.rounds {
		s := b.seq.Step(t)
		at := (b.g.fragment + 1) * s.LocalSteps / b.alg.fragments()
		if k := at - b.alg.Overlap; k > 0 {
			p.rounds[t] = append(p.rounds[t], b.local(p, k))
		}
		p.rounds[t] = append(p.rounds[t], op{linear: func(dst, src []float64, cols int) { // send
			copy(dst, src[:3*b.used*cols])
			copy(b.slot(dst, 3, cols), b.slot(src, 0, cols))
		}})
		if b.alg.Overlap > 0 {
			p.rounds[t] = append(p.rounds[t], b.local(p, b.alg.Overlap))
		}
		p.rounds[t] = append(p.rounds[t], op{linear: func(dst, src []float64, cols int) { // apply
			theta, sent, delta := b.slot(src, 1, cols), b.slot(src, 3, cols), b.temporary(cols)
			for k, v := range theta {
				delta[k] = v - sent[k]
			}
			next := b.slot(dst, 1, cols)
			b.mixSlot(s.W, b.slot(dst, 2, cols), delta, cols)
			b.mixSlot(s.W, next, theta, cols)
			b.outer(next, b.slot(src, 2, cols), b.slot(dst, 2, cols))
			if agreed {
				b.agree(b.slot(dst, 2, cols), cols)
			}
			x, own := b.slot(dst, 0, cols), b.slot(src, 0, cols)
			for k, v := range next {
				x[k] = b.alg.Merge*own[k] + (1-b.alg.Merge)*v
			}
			clear(b.slot(dst, 3, cols))
		}})
		if k := s.LocalSteps - at; k > 0 {
			p.rounds[t] = append(p.rounds[t], b.local(p, k))
		}
	}
	return p
}
