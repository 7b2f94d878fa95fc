package gossip

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// stepper carries out an algorithm for one run after the other. It allocates when it is made and never after.
type stepper interface {
	reset(run int)       // to the start, with the generators of that run
	round(t int)         // round t, counted from 0
	replicas() []float64 // n × d, row i is island i; valid until the next call
}

func (s *simulation) newStepper() stepper {
	w := newLocalWalk(s)
	a := atcStepper{localWalk: w, mixed: make([]float64, len(w.x))}
	switch s.alg.name() {
	case "cta":
		return &ctaStepper{a}
	case "dgd":
		return &dgdStepper{atcStepper: a, g: make([]float64, len(w.x))}
	case "gradient-tracking":
		return newTrackingStepper(a)
	case "delayed":
		return newDelayedStepper(a)
	case "stale":
		return newStaleStepper(a)
	case "push-sum":
		return newPushSumStepper(a)
	case "diloco", "factored":
		return newDilocoStepper(a)
	case "streaming-diloco":
		return newStreamingStepper(a)
	default:
		return &a
	}
}

// localWalk is the part that all algorithms share: n islands that take stochastic gradient steps on their own.
type localWalk struct {
	s       *simulation
	x       []float64 // n × d
	sources []*source // one for each island
	noise   []float64 // d
	descend func(i int, x []float64)
	slope   func(i int, x, g []float64) // g = stochastic gradient of island i at x
	leaps   map[int]*leap               // by number of local steps; nil: stepwise
}

func newLocalWalk(s *simulation) *localWalk {
	w := &localWalk{s: s, x: make([]float64, s.q.N*s.q.D), sources: make([]*source, s.q.N), noise: make([]float64, s.q.D)}
	if !s.q.Diagonal {
		w.descend, w.slope = w.denseSteps()
		return w
	}
	w.descend, w.slope = w.diagonalSteps()
	if !s.stepwise {
		w.leaps = map[int]*leap{}
		for t := range s.seq.Steps {
			w.leap(s.seq.Steps[t].LocalSteps) // made before the first step, which then allocates nothing
		}
	}
	return w
}

func (w *localWalk) reset(run int) {
	for i := range w.sources {
		w.sources[i] = newSource(w.s.seed, uint64(run), uint64(i), "noise")
		copy(w.row(w.x, i), w.s.q.Start[i])
	}
}

func (w *localWalk) replicas() []float64 { return w.x }

// row returns the parameters of island i in an n × d state.
func (w *localWalk) row(x []float64, i int) []float64 { return x[i*w.s.q.D : (i+1)*w.s.q.D] }

// steps lets every island take h local steps.
func (w *localWalk) steps(h int) {
	if h > 1 && w.leaps != nil {
		l := w.leap(h)
		for i := range w.sources {
			l.apply(w, i)
		}
		return
	}
	for i := range w.sources {
		x := w.row(w.x, i)
		for range h {
			w.descend(i, x)
		}
	}
}

// diagonalSteps returns x ← x - η (a (x - b) + √N ξ), coordinate by coordinate: x ← p x + q + r ξ.
func (w *localWalk) diagonalSteps() (descend func(i int, x []float64), slope func(i int, x, g []float64)) {
	n, d, eta := w.s.q.N, w.s.q.D, w.s.step
	p, q, r := make([]float64, n*d), make([]float64, n*d), make([]float64, n*d)
	quiet := make([]bool, n) // islands without noise draw none
	for i := range n {
		quiet[i] = true
		for k := range d {
			a := w.s.q.A[i][k]
			p[i*d+k], q[i*d+k], r[i*d+k] = 1-eta*a, eta*a*w.s.q.B[i][k], -eta*math.Sqrt(w.s.q.Noise[i][k])
			quiet[i] = quiet[i] && w.s.q.Noise[i][k] == 0
		}
	}
	draw := func(i int) {
		if quiet[i] {
			clear(w.noise)
		} else {
			w.sources[i].normals(w.noise)
		}
	}
	descend = func(i int, x []float64) {
		draw(i)
		p, q, r, z := p[i*d:(i+1)*d], q[i*d:(i+1)*d], r[i*d:(i+1)*d], w.noise[:d]
		x, p, q, r = x[:len(z)], p[:len(z)], q[:len(z)], r[:len(z)]
		for k, v := range z {
			x[k] = p[k]*x[k] + q[k] + r[k]*v
		}
	}
	slope = func(i int, x, g []float64) {
		draw(i)
		a, b, r := w.s.q.A[i], w.s.q.B[i], r[i*d:(i+1)*d]
		for k, v := range w.noise {
			g[k] = a[k]*(x[k]-b[k]) - r[k]/eta*v
		}
	}
	return descend, slope
}

// denseSteps returns x ← x - η (A (x - b) + N^½ ξ), with the symmetric root of N.
func (w *localWalk) denseSteps() (descend func(i int, x []float64), slope func(i int, x, g []float64)) {
	n, d, eta := w.s.q.N, w.s.q.D, w.s.step
	roots := make([][]float64, n)
	for i := range n {
		roots[i] = squareRoot(w.s.q.Noise[i], d)
	}
	e, change := make([]float64, d), make([]float64, d)
	slope = func(i int, x, g []float64) {
		b := w.s.q.B[i]
		for k := range e {
			e[k] = x[k] - b[k]
		}
		clear(g)
		addProduct(g, 1, w.s.q.A[i], e)
		if roots[i] != nil {
			w.sources[i].normals(w.noise)
			addProduct(g, 1, roots[i], w.noise)
		}
	}
	descend = func(i int, x []float64) {
		slope(i, x, change)
		for k, v := range change {
			x[k] -= eta * v
		}
	}
	return descend, slope
}

// squareRoot returns the symmetric root of a positive semidefinite matrix, or nil for zero.
func squareRoot(a []float64, d int) []float64 {
	zero := true
	for _, v := range a {
		zero = zero && v == 0
	}
	if zero {
		return nil
	}
	var e mat.EigenSym
	e.Factorize(mat.NewSymDense(d, a), true)
	var u mat.Dense
	e.VectorsTo(&u)
	root := make([]float64, d*d)
	for k, v := range e.Values(nil) {
		s := math.Sqrt(max(0, v))
		for i := range d {
			for j := range d {
				root[i*d+j] += s * u.At(i, k) * u.At(j, k)
			}
		}
	}
	return root
}
