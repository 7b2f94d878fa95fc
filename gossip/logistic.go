package gossip

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/internal/spec"
	"github.com/islandsgd/islands/internal/text"
)

// Problem is what Simulate runs on: a *Quadratic, or a *Logistic.
type Problem interface {
	// Constants computes the constants of the problem.
	Constants() Constants

	// DefaultStep returns 1/(4L).
	DefaultStep() (float64, error)

	// frame returns sizes, starts and weights as a quadratic's.
	frame() *Quadratic
}

// LoadAny is LoadProblem for all kinds of problem.
func LoadAny(arg string, n int) (Problem, error) {
	if name, _, _ := strings.Cut(arg, ":"); name == "logistic" {
		return ParseLogistic(arg, n)
	}
	return LoadProblem(arg, n)
}

func (q *Quadratic) frame() *Quadratic { return q }

// Logistic is regularized logistic regression on generated data, a problem on which the quadratic theory is not exact:
// the curvature changes on the way and the noise comes from the data. With the Samples rows h and labels y = ±1 of
// island i,
//
//	f_i(x) = mean log(1 + exp(-y h'x)) + λ/2 ‖x‖²,
//
// and a stochastic gradient is that of one row, drawn uniformly. It has no exact moments.
type Logistic struct {
	N, D, Samples int
	Ridge         float64     // λ
	Rows          [][]float64 // of each island, Samples × D row-major
	Labels        [][]float64 // ±1

	constants Constants
}

// ParseLogistic makes a problem for n islands from a line such as
//
//	logistic:d=10,samples=100,heterogeneity=1,ridge=0.1,seed=1
//
// Rows are normal with variance 1/d in each entry. Island i draws its labels with P(y = 1) = 1/(1 + exp(-h'w_i)), with
// w_i = √d (w + heterogeneity · u_i) for standard normal w and u_i. All islands start at 0.
func ParseLogistic(line string, n int) (*Logistic, error) {
	s, err := spec.Parse("problem", line)
	if err != nil {
		return nil, err
	}
	if s.Name != "logistic" {
		return nil, s.Errorf("unknown family %q%s", s.Name, text.DidYouMean(s.Name, []string{"logistic"}))
	}
	if n < 1 {
		return nil, s.Errorf("needs at least one island")
	}
	l := &Logistic{N: n}
	l.D = s.Int("d", 10, 1, maxEigenSize)
	l.Samples = s.Int("samples", 100, 1, max(1, maxValues/n/l.D))
	heterogeneity := s.Float("heterogeneity", 1, 0, 1e6)
	l.Ridge = s.Float("ridge", 0.1, 1e-12, 1e6)
	seed := uint64(s.Int("seed", 1, 0, math.MaxInt))
	if err := s.Finish(); err != nil {
		return nil, err
	}
	shared := make([]float64, l.D)
	newSource(seed, 0, 0, "logistic").normals(shared)
	root := math.Sqrt(float64(l.D))
	for i := range n {
		r := newSource(seed, 1, uint64(i), "logistic")
		own := make([]float64, l.D)
		r.normals(own)
		for k := range own {
			own[k] = root * (shared[k] + heterogeneity*own[k])
		}
		rows, labels := make([]float64, l.Samples*l.D), make([]float64, l.Samples)
		r.normals(rows)
		for k := range rows {
			rows[k] /= root
		}
		for j := range labels {
			labels[j] = -1
			if r.float() < sigmoid(dot(rows[j*l.D:(j+1)*l.D], own)) {
				labels[j] = 1
			}
		}
		l.Rows, l.Labels = append(l.Rows, rows), append(l.Labels, labels)
	}
	if err := l.solve(); err != nil {
		return nil, s.Errorf("%v", err)
	}
	return l, nil
}

func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// Constants computes the constants of the problem: L and Mu bound the curvature everywhere, Zeta2 and Sigma2 are those
// at x*. MeanL, MeanMu are bounds too, and DeltaA is not defined (0).
func (l *Logistic) Constants() Constants { return l.constants }

// DefaultStep returns 1/(4L).
func (l *Logistic) DefaultStep() (float64, error) { return 1 / (4 * l.constants.L), nil }

func (l *Logistic) frame() *Quadratic {
	q := &Quadratic{N: l.N, D: l.D, Start: make([][]float64, l.N)}
	zero := make([]float64, l.D)
	for i := range q.Start {
		q.Start[i] = zero
	}
	return q
}

// row returns row j of island i.
func (l *Logistic) row(i, j int) []float64 { return l.Rows[i][j*l.D : (j+1)*l.D] }

// pull returns the factor of the row in the gradient of its loss at x.
func (l *Logistic) pull(i, j int, x []float64) float64 {
	y := l.Labels[i][j]
	return -y * sigmoid(-y*dot(l.row(i, j), x))
}

// gradient writes ∇f_i(x) into g.
func (l *Logistic) gradient(i int, x, g []float64) {
	clear(g)
	for j := range l.Samples {
		axpy(g, l.pull(i, j, x)/float64(l.Samples), l.row(i, j))
	}
	axpy(g, l.Ridge, x)
}

const (
	// newtonTol is the gradient norm, relative to that at 0, at which x* counts as found; Newton's method squares the
	// error in each step, so the next would be at rounding.
	newtonTol   = 1e-13
	newtonSteps = 200
)

// solve finds x* by Newton's method with halving, and the constants there.
func (l *Logistic) solve() error {
	d := l.D
	x, g, total := make([]float64, d), make([]float64, d), make([]float64, d)
	whole := func(x []float64) float64 {
		clear(total)
		for i := range l.N {
			l.gradient(i, x, g)
			axpy(total, 1/float64(l.N), g)
		}
		return math.Sqrt(dot(total, total))
	}
	first := whole(x)
	norm := first
	for range newtonSteps {
		if norm <= newtonTol*max(first, l.Ridge) {
			break
		}
		h := mat.NewSymDense(d, nil)
		for i := range l.N {
			for j := range l.Samples {
				z := l.pull(i, j, x) * l.Labels[i][j]
				h.SymRankOne(h, -z*(1+z)/float64(l.N*l.Samples), mat.NewVecDense(d, l.row(i, j)))
			}
		}
		for k := range d {
			h.SetSym(k, k, h.At(k, k)+l.Ridge)
		}
		var c mat.Cholesky
		if !c.Factorize(h) {
			return fmt.Errorf("the Hessian is singular")
		}
		var step mat.VecDense
		if err := c.SolveVecTo(&step, mat.NewVecDense(d, append([]float64(nil), total...))); err != nil {
			return fmt.Errorf("the Hessian is nearly singular")
		}
		next, scale := make([]float64, d), 1.0
		for {
			copy(next, x)
			axpy(next, -scale, step.RawVector().Data)
			if now := whole(next); now < norm || scale < 1e-6 {
				norm = now
				break
			}
			scale /= 2
		}
		x = next
		if scale < 1e-6 { // at rounding
			break
		}
	}
	c := &l.constants
	c.XStar, c.Mu, c.MeanMu = x, l.Ridge, l.Ridge
	c.StartCentroid = dot(x, x)
	for i := range l.N {
		square := mat.NewSymDense(d, nil)
		for j := range l.Samples {
			square.SymRankOne(square, 0.25/float64(l.Samples), mat.NewVecDense(d, l.row(i, j)))
		}
		values, ok := eigenvalues(square)
		if !ok {
			return fmt.Errorf("the eigenvalues of the data did not converge")
		}
		c.L = max(c.L, values[d-1]+l.Ridge)
		l.gradient(i, x, g)
		zeta := dot(g, g)
		c.Zeta2 += zeta / float64(l.N)
		noise := -dotShift(g, x, l.Ridge) // E ‖pull·h‖² - ‖E pull·h‖²
		for j := range l.Samples {
			p := l.pull(i, j, x)
			noise += p * p * dot(l.row(i, j), l.row(i, j)) / float64(l.Samples)
		}
		c.Sigma2 += noise / float64(l.N)
		c.MeanNoise += noise / float64(l.N*l.N)
	}
	c.MeanL = c.L
	return nil
}

// dotShift returns ‖g - s x‖².
func dotShift(g, x []float64, s float64) float64 {
	sum := 0.0
	for k, v := range g {
		e := v - s*x[k]
		sum += e * e
	}
	return sum
}

// logisticSteps returns x ← x - η (gradient of one row).
func (w *localWalk) logisticSteps(l *Logistic) (descend func(i int, x []float64), slope func(i int, x, g []float64)) {
	slope = func(i int, x, g []float64) {
		j := w.sources[i].below(l.Samples)
		pull := l.pull(i, j, x)
		for k, h := range l.row(i, j) {
			g[k] = pull*h + l.Ridge*x[k]
		}
	}
	descend = func(i int, x []float64) {
		j := w.sources[i].below(l.Samples)
		pull := l.pull(i, j, x)
		for k, h := range l.row(i, j) {
			x[k] -= w.s.step * (pull*h + l.Ridge*x[k])
		}
	}
	return descend, slope
}
