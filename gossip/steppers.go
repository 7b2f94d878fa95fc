package gossip

import (
	"math/rand/v2"
)

// atcStepper: H local steps, then x ← W x.
type atcStepper struct {
	*localWalk
	mixed  []float64
	mixers []rowMixer // by phase
	h      []int      // local steps, by phase

	drawn     rowMixer // of a random schedule: the matrix of round drawnFor
	drawnFor  int
	drawing   source
	drawingAs *rand.Rand
}

func newAtcStepper(s *simulation) *atcStepper {
	a := &atcStepper{localWalk: newLocalWalk(s), mixed: make([]float64, s.q.N*s.q.D)}
	if r := s.seq.Random; r != nil {
		a.h = []int{r.LocalSteps}
		a.drawingAs = rand.New(&a.drawing)
		return a
	}
	for t := range s.seq.Steps {
		a.mixers = append(a.mixers, newRowMixer(s.seq.Steps[t].W))
		a.h = append(a.h, s.seq.Steps[t].LocalSteps)
	}
	return a
}

func (a *atcStepper) reset(run int) {
	a.localWalk.reset(run)
	a.drawing, a.drawnFor = *newSource(a.s.seed, uint64(run), 0, "schedule"), -1
}

// matrix returns the mixing of round t, which a random schedule draws once.
func (a *atcStepper) matrix(t int) *rowMixer {
	if a.mixers != nil {
		return &a.mixers[t%len(a.mixers)]
	}
	if a.drawnFor != t {
		a.drawn, a.drawnFor = newRowMixer(a.s.seq.Random.Draw(a.drawingAs)), t
	}
	return &a.drawn
}

// localSteps returns the number of local steps of round t.
func (a *atcStepper) localSteps(t int) int { return a.h[t%len(a.h)] }

func (a *atcStepper) round(t int) {
	if c := a.s.cliques; c != nil && a.leaps != nil {
		if now := c[t%len(c)]; now.ok {
			a.leap(a.localSteps(t)).average(a.localWalk, now.cliques, now.alone)
			return
		}
	}
	a.steps(a.localSteps(t))
	a.mix(t)
}

// mix is x ← W x with the matrix of round t.
func (a *atcStepper) mix(t int) {
	a.matrix(t).apply(a.mixed, a.x, a.s.q.D)
	a.x, a.mixed = a.mixed, a.x
}

// ctaStepper: x ← W x, then H local steps.
type ctaStepper struct{ *atcStepper }

func (c *ctaStepper) round(t int) {
	c.mix(t)
	c.steps(c.localSteps(t))
}

// dgdStepper: x ← W x - η g(x), after H-1 local steps.
type dgdStepper struct {
	*atcStepper
	g []float64
}

func (s *dgdStepper) round(t int) {
	s.steps(s.localSteps(t) - 1)
	for i := range s.sources {
		s.slope(i, s.row(s.x, i), s.row(s.g, i))
	}
	s.mix(t)
	axpy(s.x, -s.s.step, s.g)
}

// trackingStepper: x ← W x - η y, y ← W y + g_new - g_old.
type trackingStepper struct {
	*atcStepper
	y, g, fresh []float64
}

func newTrackingStepper(a *atcStepper) *trackingStepper {
	size := len(a.x)
	return &trackingStepper{a, make([]float64, size), make([]float64, size), make([]float64, size)}
}

func (s *trackingStepper) reset(run int) {
	s.atcStepper.reset(run)
	s.gradients(s.g)
	copy(s.y, s.g)
}

func (s *trackingStepper) gradients(g []float64) {
	for i := range s.sources {
		s.slope(i, s.row(s.x, i), s.row(g, i))
	}
}

func (s *trackingStepper) round(t int) {
	for range s.localSteps(t) - 1 {
		axpy(s.x, -s.s.step, s.y)
		s.track()
	}
	s.mix(t)
	axpy(s.x, -s.s.step, s.y)
	s.matrix(t).apply(s.mixed, s.y, s.s.q.D)
	s.y, s.mixed = s.mixed, s.y
	s.track()
}

// track adds the change of the gradient to y.
func (s *trackingStepper) track() {
	s.gradients(s.fresh)
	for k, v := range s.fresh {
		s.y[k] += v - s.g[k]
	}
	s.g, s.fresh = s.fresh, s.g
}

// history is a ring of the last states.
type history struct {
	states [][]float64
	newest int
}

func newHistory(length, size int) *history {
	h := &history{states: make([][]float64, length)}
	for k := range h.states {
		h.states[k] = make([]float64, size)
	}
	return h
}

func (h *history) fill(x []float64) {
	for _, s := range h.states {
		copy(s, x)
	}
}

func (h *history) push(x []float64) {
	h.newest = (h.newest + 1) % len(h.states)
	copy(h.states[h.newest], x)
}

// ago returns the state pushed k pushes before the newest.
func (h *history) ago(k int) []float64 {
	return h.states[(h.newest-k+len(h.states))%len(h.states)]
}

// delayedStepper: H local steps, then + (W - I) x of τ rounds ago.
type delayedStepper struct {
	*atcStepper
	past *history
}

func newDelayedStepper(a *atcStepper) *delayedStepper {
	return &delayedStepper{a, newHistory(a.s.alg.Delay+1, len(a.x))}
}

func (s *delayedStepper) reset(run int) {
	s.atcStepper.reset(run)
	s.past.fill(s.x)
}

func (s *delayedStepper) round(t int) {
	tau, period := s.s.alg.Delay, s.s.seq.Period()
	s.past.push(s.x)
	s.steps(s.localSteps(t))
	old := s.past.ago(tau)
	s.matrix(t+period*(tau/period+1)-tau).apply(s.mixed, old, s.s.q.D)
	for k, v := range s.mixed {
		s.x[k] += v - old[k]
	}
}

// staleStepper: H local steps to y, then own y with the neighbors' y of τ rounds ago.
type staleStepper struct {
	*atcStepper
	past *history
	own  [][]float64 // diagonal of W, by phase
}

func newStaleStepper(a *atcStepper) *staleStepper {
	s := &staleStepper{atcStepper: a, past: newHistory(a.s.alg.Delay+1, len(a.x))}
	for t := range a.s.seq.Steps {
		s.own = append(s.own, diagonalOf(a.s.seq.Steps[t].W))
	}
	return s
}

func (s *staleStepper) reset(run int) {
	s.atcStepper.reset(run)
	s.past.fill(s.x)
}

func (s *staleStepper) round(t int) {
	s.steps(s.localSteps(t))
	s.past.push(s.x)
	old := s.past.ago(s.s.alg.Delay)
	s.matrix(t).apply(s.mixed, old, s.s.q.D)
	for i, w := range s.own[t%len(s.own)] {
		y, was, out := s.row(s.x, i), s.row(old, i), s.row(s.mixed, i)
		for k := range out {
			out[k] += w * (y[k] - was[k])
		}
	}
	s.x, s.mixed = s.mixed, s.x
}

// pushSumStepper: numerators and weights are pushed alike; the replica is their ratio.
type pushSumStepper struct {
	*atcStepper
	weights, pushed []float64 // n
	numerator       []float64 // n × d
	g               []float64 // d
}

func newPushSumStepper(a *atcStepper) *pushSumStepper {
	n := a.s.q.N
	return &pushSumStepper{a, make([]float64, n), make([]float64, n), make([]float64, len(a.x)), make([]float64, a.s.q.D)}
}

func (s *pushSumStepper) reset(run int) {
	s.atcStepper.reset(run)
	copy(s.numerator, s.x)
	for i := range s.weights {
		s.weights[i] = 1
	}
}

func (s *pushSumStepper) round(t int) {
	for i, w := range s.weights {
		z, numerator := s.row(s.x, i), s.row(s.numerator, i)
		for range s.localSteps(t) {
			s.slope(i, z, s.g)
			axpy(numerator, -s.s.step, s.g)
			for k, v := range numerator {
				z[k] = v / w
			}
		}
	}
	s.matrix(t).apply(s.mixed, s.numerator, s.s.q.D)
	s.numerator, s.mixed = s.mixed, s.numerator
	s.matrix(t).apply(s.pushed, s.weights, 1)
	s.weights, s.pushed = s.pushed, s.weights
	for i, w := range s.weights {
		z := s.row(s.x, i)
		for k, v := range s.row(s.numerator, i) {
			z[k] = v / w
		}
	}
}

// sparseStepper: H local steps to y, then own y with what arrives of the neighbors' y: each coordinate of a message, the
// same for all who receive it, with probability keep, scaled by 1/keep.
type sparseStepper struct {
	*atcStepper
	own      [][]float64 // diagonal of W, by phase
	arrived  []float64
	dropping []source // one for each island
}

func newSparseStepper(a *atcStepper) *sparseStepper {
	s := &sparseStepper{atcStepper: a, arrived: make([]float64, len(a.x)), dropping: make([]source, a.s.q.N)}
	for t := range a.s.seq.Steps {
		s.own = append(s.own, diagonalOf(a.s.seq.Steps[t].W))
	}
	return s
}

func (s *sparseStepper) reset(run int) {
	s.atcStepper.reset(run)
	for i := range s.dropping {
		s.dropping[i] = *newSource(s.s.seed, uint64(run), uint64(i), "messages")
	}
}

func (s *sparseStepper) round(t int) {
	s.steps(s.localSteps(t))
	keep := s.s.alg.Keep
	for i := range s.dropping {
		y, out := s.row(s.x, i), s.row(s.arrived, i)
		for k, v := range y {
			out[k] = 0
			if s.dropping[i].float() < keep {
				out[k] = v / keep
			}
		}
	}
	s.matrix(t).apply(s.mixed, s.arrived, s.s.q.D)
	for i, w := range s.own[t%len(s.own)] {
		y, sent, out := s.row(s.x, i), s.row(s.arrived, i), s.row(s.mixed, i)
		for k := range out {
			out[k] += w * (y[k] - sent[k])
		}
	}
	s.x, s.mixed = s.mixed, s.x
}
