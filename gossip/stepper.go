package gossip

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// stepper carries out an algorithm for one run after the other. It allocates when it is made and never after.
type stepper interface {
	reset(run int)       // to the start, with the generators of that run
	round(t int)         // round t, counted from 0
	replicas() []float64 // n × d, row i is island i; valid until the next call
}

func (s *simulation) newStepper() stepper {
	a := newAtcStepper(s)
	switch s.alg.name() {
	case "cta":
		return &ctaStepper{a}
	case "dgd":
		return &dgdStepper{atcStepper: a, g: make([]float64, len(a.x))}
	case "gradient-tracking":
		return newTrackingStepper(a)
	case "delayed":
		return newDelayedStepper(a)
	case "stale":
		return newStaleStepper(a)
	case "push-sum":
		return newPushSumStepper(a)
	case "sparse":
		return newSparseStepper(a)
	case "async":
		return newAsyncStepper(a)
	case "halos":
		return newHalosStepper(a)
	case "dgc":
		return newDGCStepper(a)
	case "powersgd":
		return newPowerStepper(a)
	case "choco":
		return newChocoStepper(a)
	case "diloco", "factored":
		return newDilocoStepper(a)
	case "streaming-diloco":
		return newStreamingStepper(a)
	default:
		return a
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
	if s.logistic != nil {
		w.descend, w.slope = w.logisticSteps(s.logistic)
		return w
	}
	if s.q.LeastSquares {
		w.descend, w.slope = w.leastSquaresSteps()
		return w
	}
	if !s.q.Diagonal {
		w.descend, w.slope = w.denseSteps()
		return w
	}
	w.descend, w.slope = w.diagonalSteps()
	if !s.stepwise {
		w.leaps = map[int]*leap{}
		for t := range s.seq.Period() {
			w.leap(localStepsOf(s.seq, t)) // made before the first step, which then allocates nothing
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
	p, q, r := make([][]float64, n), make([][]float64, n), make([][]float64, n)
	quiet := make([]bool, n) // islands without noise draw none
	for i := range n {
		p[i], q[i], r[i] = make([]float64, d), make([]float64, d), make([]float64, d)
		quiet[i] = true
		for k := range d {
			a := w.s.q.A[i][k]
			p[i][k], q[i][k], r[i][k] = 1-eta*a, eta*a*w.s.q.B[i][k], -eta*math.Sqrt(w.s.q.Noise[i][k])
			quiet[i] = quiet[i] && w.s.q.Noise[i][k] == 0
		}
	}
	share(p)
	share(r)
	descend = func(i int, x []float64) {
		if quiet[i] {
			p, q := p[i], q[i]
			for k, v := range x {
				x[k] = p[k]*v + q[k]
			}
			return
		}
		w.sources[i].stir(x, p[i], q[i], r[i])
	}
	slope = func(i int, x, g []float64) {
		if quiet[i] {
			clear(w.noise)
		} else {
			w.sources[i].normals(w.noise)
		}
		a, b, r := w.s.q.A[i], w.s.q.B[i], r[i]
		for k, v := range w.noise {
			g[k] = a[k]*(x[k]-b[k]) - r[k]/eta*v
		}
	}
	return descend, slope
}

// share lets islands with equal coefficients use the same memory, which the cache then holds once.
func share(rows [][]float64) {
	for i := range rows {
		if slices.Equal(rows[i], rows[0]) {
			rows[i] = rows[0]
		}
	}
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

// leastSquaresSteps returns x ← x - η (h h'(x - b) + ξ) with h ~ N(0, I) and ξ of the island's additive noise.
func (w *localWalk) leastSquaresSteps() (descend func(i int, x []float64), slope func(i int, x, g []float64)) {
	slope = func(i int, x, g []float64) {
		w.sources[i].normals(w.noise)
		along, b := 0.0, w.s.q.B[i]
		for k, h := range w.noise {
			along += h * (x[k] - b[k])
		}
		for k, h := range w.noise {
			g[k] = along * h
		}
		if s := w.s.q.Noise[i][0]; s > 0 {
			w.sources[i].normals(w.noise)
			axpy(g, math.Sqrt(s), w.noise)
		}
	}
	g := make([]float64, w.s.q.D)
	descend = func(i int, x []float64) {
		slope(i, x, g)
		axpy(x, -w.s.step, g)
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
