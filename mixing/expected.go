package mixing

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/schedule"
)

// random fills the report of a random sequence.
func (a *analysis) random() {
	r, x := a.r, a.seq.Random
	r.Expected = &Expected{}
	switch {
	case x.exchangeable:
		r.Expected.P, r.Expected.Rate = number(1-x.kept), number(x.kept)
	case x.pairs != nil && (a.seq.N > DenseLimit || x.Outcomes == nil):
		// W = (1-θ) I + θ A with a projection A: W'W = A + (1-θ)² (I - A), and E[A] = I - (I - E[W])/θ.
		mean := 1 - (1-spectrumOf(x.Mean).slem)/x.theta
		r.Expected.P = number(1 - mean - (1-x.theta)*(1-x.theta)*(1-mean))
		a.warn("%d nodes, %d edges: the long-run rate is computed up to %d and %d", a.seq.N, len(x.pairs), DenseLimit, schedule.MaxOutcomes)
	case a.seq.N > DenseLimit:
		a.warn("%d nodes: second moments are formed up to %d", a.seq.N, DenseLimit)
	default:
		second := mat.NewDense(a.seq.N, a.seq.N, nil)
		if x.adjoint(second, identity(a.seq.N)) {
			r.Expected.P = number(1 - DisagreementNorm(second))
			r.Expected.Rate = number(x.rate())
		}
	}
	if r.DoublyStochastic && r.Expected.P != nil && *r.Expected.P > contractTol {
		one := 1
		r.P, r.Tau = r.Expected.P, &one
	}
	a.effectiveRandom()
	a.pairs()
	if x.Mean != nil && a.seq.N <= DenseLimit {
		r.Edges = edgeRows(x.Mean, x.Mean.Symmetric())
	}
}

// adjoint writes E[W' S W] into dst for symmetric S, and reports whether that was possible.
func (r *Random) adjoint(dst, s *mat.Dense) bool {
	if r.Outcomes == nil || r.laplacians != nil {
		return r.SecondMoment(dst, s) // MATCHA is symmetric, and so is every exchangeable family
	}
	dst.Zero()
	n := r.n
	both, tmp := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for _, o := range r.Outcomes {
		if o.W.rows == nil {
			o.W.conjugate(both, tmp, s)
		} else {
			o.W.transpose().conjugate(both, tmp, s)
		}
		addScaled(dst, o.Probability, both)
	}
	return true
}

// transpose returns W'.
func (m *Matrix) transpose() *Matrix {
	if m.rows == nil {
		return m
	}
	rows := make([][]Term, m.n)
	for i, row := range m.rows {
		for _, t := range row {
			rows[t.J] = append(rows[t.J], Term{i, t.Weight})
		}
	}
	return &Matrix{n: m.n, rows: rows, theta: 1}
}

const (
	// rateTol is the relative change of the growth factor at which the power iteration of a map that is not
	// self-adjoint has settled, and rateSteps how long it may take.
	rateTol   = 1e-13
	rateSteps = 20_000
)

// rate returns the spectral radius of S → E[W S W'] off consensus. The map keeps positive semidefinite matrices, so
// that P, inside their cone, has a share of the leading eigenmatrix: iterations that start from it cannot miss it.
func (r *Random) rate() float64 {
	n := r.n
	if n == 1 {
		return 0
	}
	start := identity(n)
	projectRows(start)
	step := func(dst, x []float64) {
		d := mat.NewDense(n, n, dst)
		r.SecondMoment(d, mat.NewDense(n, n, x))
		projectRows(d)
		transpose(d)
		projectRows(d)
	}
	if r.symmetric() {
		e := lanczos(n*n, step, start.RawMatrix().Data, true)
		return max(0, e.high)
	}
	x, y := start.RawMatrix().Data, make([]float64, n*n)
	size := normalize(x)
	previous := size
	for range rateSteps {
		step(y, x)
		x, y = y, x
		size = normalize(x)
		if math.Abs(size-previous) <= rateTol*size {
			break
		}
		previous = size
	}
	return size
}

func (r *Random) symmetric() bool {
	for _, o := range r.Outcomes {
		if !o.W.Symmetric() {
			return false
		}
	}
	return true
}
