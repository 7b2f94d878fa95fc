package gossip

// Asynchronous algorithms have servers and no mixing matrix: of the schedule they take the local steps alone. An island
// pulls parameters, takes its local steps and pushes the displacement Δ = pulled - reached; the server acts at once,
// whatever the others do. Island i of n needs 1 + (Slow-1) i/(n-1) times as long for a step as island 0; arrivals at the
// same moment are served in the order of islands. A round is n arrivals.

// clock orders the arrivals.
type clock struct {
	next  []float64 // when island i arrives next
	takes []float64 // how long its local phase is
	steps []int     // local steps of it
}

// newClock sets up the islands' speeds for h local steps; dynamic makes slow islands take fewer (DyLU).
func newClock(n, h int, slow float64, dynamic bool) *clock {
	c := &clock{make([]float64, n), make([]float64, n), make([]int, n)}
	for i := range n {
		pace := 1.0
		if n > 1 && slow > 1 {
			pace += (slow - 1) * float64(i) / float64(n-1)
		}
		c.steps[i] = h
		if dynamic {
			c.steps[i] = max(1, int(float64(h)/pace))
		}
		c.takes[i] = pace * float64(c.steps[i])
	}
	return c
}

func (c *clock) reset() { copy(c.next, c.takes) }

// arrive returns the island that arrives now, and lets it go again.
func (c *clock) arrive() int {
	first := 0
	for i, t := range c.next {
		if t < c.next[first] {
			first = i
		}
	}
	c.next[first] += c.takes[first]
	return first
}

// asyncStepper is asynchronous local SGD with delayed Nesterov (Liu et al. 2024, arXiv 2401.09135): every arrival moves
// the server by a plain step, and every n-th also by momentum over the n displacements since the last,
//
//	Δ̄ ← Δ̄ + Δ;   at the n-th:  m ← β m + Δ̄/n,  θ ← θ - ν (β m + Δ/n),  Δ̄ ← 0;   else:  θ ← θ - ν Δ/n.
type asyncStepper struct {
	*atcStepper // whose x holds what each island pulled
	clock       *clock
	arrivals    int
	server      []float64 // θ
	momentum    []float64
	gathered    []float64 // Δ̄
	view        []float64 // n × d, θ in every row
}

func newAsyncStepper(a *atcStepper) *asyncStepper {
	d := a.s.q.D
	s := &asyncStepper{atcStepper: a, clock: newClock(a.s.q.N, a.localSteps(0), a.s.alg.Slow, a.s.alg.Dynamic),
		server: make([]float64, d), momentum: make([]float64, d), gathered: make([]float64, d), view: make([]float64, len(a.x))}
	s.prepareLeaps(s.clock)
	return s
}

// prepareLeaps makes the leaps of all islands before the first step.
func (w *localWalk) prepareLeaps(c *clock) {
	if w.leaps == nil {
		return
	}
	for _, h := range c.steps {
		w.leap(h)
	}
}

// stepsOf lets one island take h local steps.
func (w *localWalk) stepsOf(i, h int) {
	if h > 1 && w.leaps != nil {
		w.leap(h).apply(w, i)
		return
	}
	for range h {
		w.descend(i, w.row(w.x, i))
	}
}

// averageStart writes the (weighted) average of the starts into dst.
func (w *localWalk) averageStart(dst []float64) {
	clear(dst)
	for i, weight := range w.s.weights {
		axpy(dst, weight, w.s.q.Start[i])
	}
}

func (s *asyncStepper) reset(run int) {
	s.atcStepper.reset(run)
	s.clock.reset()
	s.arrivals = 0
	clear(s.momentum)
	clear(s.gathered)
	s.averageStart(s.server)
	for i := range s.sources {
		copy(s.row(s.x, i), s.server)
	}
	s.show()
}

func (s *asyncStepper) show() {
	for i := range s.sources {
		copy(s.row(s.view, i), s.server)
	}
}

func (s *asyncStepper) replicas() []float64 { return s.view }

func (s *asyncStepper) round(int) {
	n := len(s.sources)
	rate, beta := s.s.alg.Rate, s.s.alg.Momentum
	for range n {
		i := s.clock.arrive()
		x, delta := s.row(s.x, i), s.row(s.mixed, i)
		copy(delta, x)
		s.stepsOf(i, s.clock.steps[i])
		for k, v := range x {
			delta[k] -= v
		}
		add(s.gathered, delta)
		s.arrivals++
		whole := s.arrivals%n == 0
		for k, v := range delta {
			move := v / float64(n)
			if whole {
				s.momentum[k] = beta*s.momentum[k] + s.gathered[k]/float64(n)
				move += beta * s.momentum[k]
				s.gathered[k] = 0
			}
			s.server[k] -= rate * move
		}
		copy(x, s.server)
	}
	s.show()
}

// halosStepper is hierarchical asynchronous local SGD (HALoS, arXiv 2506.04531), as read from descriptions of it.
// Islands belong to consecutive groups, each with a local server: a displacement Δ that arrives there makes
// u ← β_l u + Δ, θ ← θ - ν_l u. After Every such updates the local server pushes how far it has moved, D, to the global
// one: U ← β_g U + D, Θ ← Θ - ν_g U; and takes over a share: θ ← (1-α) θ + α Θ.
type halosStepper struct {
	*atcStepper
	clock    *clock
	groupOf  []int
	updates  []int       // of each group since it last pushed
	local    [][]float64 // θ of each group
	last     [][]float64 // θ when it last pushed
	speed    [][]float64 // u
	global   []float64   // Θ
	momentum []float64   // U
	view     []float64   // n × d, the local server of each island
}

func newHalosStepper(a *atcStepper) *halosStepper {
	n, d, groups := a.s.q.N, a.s.q.D, max(1, a.s.alg.Groups)
	s := &halosStepper{atcStepper: a, clock: newClock(n, a.localSteps(0), a.s.alg.Slow, a.s.alg.Dynamic), updates: make([]int, groups),
		global: make([]float64, d), momentum: make([]float64, d), view: make([]float64, len(a.x))}
	for i := range n {
		s.groupOf = append(s.groupOf, i*groups/n)
	}
	for range groups {
		s.local, s.last, s.speed = append(s.local, make([]float64, d)), append(s.last, make([]float64, d)), append(s.speed, make([]float64, d))
	}
	s.prepareLeaps(s.clock)
	return s
}

func (s *halosStepper) reset(run int) {
	s.atcStepper.reset(run)
	s.clock.reset()
	clear(s.updates)
	clear(s.momentum)
	s.averageStart(s.global)
	for g := range s.local {
		clear(s.speed[g])
		copy(s.local[g], s.global)
		copy(s.last[g], s.global)
	}
	for i := range s.sources {
		copy(s.row(s.x, i), s.global)
	}
	s.show()
}

func (s *halosStepper) show() {
	for i, g := range s.groupOf {
		copy(s.row(s.view, i), s.local[g])
	}
}

func (s *halosStepper) replicas() []float64 { return s.view }

func (s *halosStepper) round(int) {
	alg := s.s.alg
	for range s.sources {
		i := s.clock.arrive()
		g := s.groupOf[i]
		x, before := s.row(s.x, i), s.row(s.mixed, i)
		copy(before, x)
		s.stepsOf(i, s.clock.steps[i])
		for k, v := range x {
			s.speed[g][k] = alg.LocalMomentum*s.speed[g][k] + before[k] - v
			s.local[g][k] -= alg.LocalRate * s.speed[g][k]
		}
		if s.updates[g]++; s.updates[g] == max(1, alg.Every) {
			s.push(g)
		}
		copy(x, s.local[g])
	}
	s.show()
}

// push sends the displacement of a group to the global server and merges what comes back.
func (s *halosStepper) push(g int) {
	alg := s.s.alg
	for k, v := range s.local[g] {
		s.momentum[k] = alg.Momentum*s.momentum[k] + s.last[g][k] - v
		s.global[k] -= alg.Rate * s.momentum[k]
		s.local[g][k] = (1-alg.Merge)*v + alg.Merge*s.global[k]
	}
	copy(s.last[g], s.local[g])
	s.updates[g] = 0
}
