package gossip

// dilocoStepper: H local steps from θ give Δ; Δ and θ are mixed; an outer optimizer takes Δ as its gradient.
type dilocoStepper struct {
	*atcStepper
	theta, momentum, delta []float64
	exact, none            rowMixer

	compress *compressor // of Δ; nil: none
	drawing  []source    // one for each island
}

func newDilocoStepper(a *atcStepper) *dilocoStepper {
	size := len(a.x)
	s := &dilocoStepper{atcStepper: a, theta: make([]float64, size), momentum: make([]float64, size), delta: make([]float64, size)}
	s.exact, s.none = newRowMixer(mixer("exact", nil, a.s.weights)), newRowMixer(mixer("none", nil, a.s.weights))
	if a.s.alg.Compress != "" {
		s.compress, s.drawing = newCompressor(a.s.alg, a.s.q.D), make([]source, a.s.q.N)
	}
	return s
}

func (s *dilocoStepper) reset(run int) {
	s.atcStepper.reset(run)
	clear(s.momentum)
	for i := range s.drawing {
		s.drawing[i] = *newSource(s.s.seed, uint64(run), uint64(i), "messages")
	}
}

func (s *dilocoStepper) round(t int) {
	copy(s.theta, s.x)
	s.steps(s.localSteps(t))
	for k, v := range s.theta {
		s.delta[k] = v - s.x[k]
	}
	for i := range s.drawing {
		delta := s.row(s.delta, i)
		s.compress.apply(delta, delta, &s.drawing[i], false)
	}
	s.choose(s.s.alg.Mix2, t).apply(s.mixed, s.delta, s.s.q.D)
	s.choose(s.s.alg.Mix1, t).apply(s.x, s.theta, s.s.q.D)
	optimize(s.s.alg, s.x, s.momentum, s.mixed)
}

// choose returns the mixing of a kind in round t.
func (s *dilocoStepper) choose(kind string, t int) *rowMixer {
	switch mixKind(kind) {
	case "exact":
		return &s.exact
	case "none":
		return &s.none
	default:
		return s.matrix(t)
	}
}

// optimize is one step of the outer optimizer on theta, with gradient delta.
func optimize(alg Algorithm, theta, momentum, delta []float64) {
	for k, d := range delta {
		momentum[k] = alg.Momentum*momentum[k] + d
		switch alg.outer() {
		case "plain":
			theta[k] -= alg.Rate * d
		case "heavy-ball":
			theta[k] -= alg.Rate * momentum[k]
		default:
			theta[k] -= alg.Rate * (d + alg.Momentum*momentum[k])
		}
	}
}

// streamingStepper follows the clock of local steps and sends and applies each fragment when its time comes.
type streamingStepper struct {
	*atcStepper
	theta, momentum, sent []float64
	delta, fragment, work []float64 // of one fragment, n × width
}

func newStreamingStepper(a *atcStepper) *streamingStepper {
	buffer := func() []float64 { return make([]float64, len(a.x)) }
	return &streamingStepper{a, buffer(), buffer(), buffer(), buffer(), buffer(), buffer()}
}

func (s *streamingStepper) reset(run int) {
	s.atcStepper.reset(run)
	copy(s.theta, s.x)
	clear(s.momentum)
}

func (s *streamingStepper) round(t int) {
	h, parts := s.localSteps(t), s.s.alg.fragments()
	for step := 0; ; step++ {
		for f := range parts {
			if at := (f + 1) * h / parts; step == at-s.s.alg.Overlap {
				s.send(f)
			}
		}
		for f := range parts {
			if at := (f + 1) * h / parts; step == at {
				s.receive(f, s.matrix(t))
			}
		}
		if step == h {
			return
		}
		s.steps(1)
	}
}

// columns returns the first and last-plus-one coordinate of a fragment.
func (s *streamingStepper) columns(f int) (from, to int) {
	d, parts := s.s.q.D, s.s.alg.fragments()
	return (f*d + parts - 1) / parts, ((f+1)*d + parts - 1) / parts
}

func (s *streamingStepper) send(f int) {
	from, to := s.columns(f)
	for i := range s.sources {
		copy(s.row(s.sent, i)[from:to], s.row(s.x, i)[from:to])
	}
}

func (s *streamingStepper) receive(f int, w *rowMixer) {
	from, to := s.columns(f)
	width := to - from
	n := len(s.sources)
	delta, mixed, work := s.delta[:n*width], s.mixed[:n*width], s.work[:n*width]
	for i := range n {
		theta, sent := s.row(s.theta, i)[from:to], s.row(s.sent, i)[from:to]
		for k, v := range theta {
			delta[i*width+k] = v - sent[k]
			work[i*width+k] = v
		}
	}
	w.apply(mixed, delta, width)
	w.apply(delta, work, width) // now W θ
	for i := range n {
		theta := s.row(s.theta, i)[from:to]
		copy(theta, delta[i*width:])
		optimize(s.s.alg, theta, s.row(s.momentum, i)[from:to], mixed[i*width:(i+1)*width])
		x := s.row(s.x, i)[from:to]
		for k, v := range theta {
			x[k] = s.s.alg.Merge*x[k] + (1-s.s.alg.Merge)*v
		}
	}
}
