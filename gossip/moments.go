package gossip

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/mixing"
)

// moments is the exact mean and covariance of the state of one program after t rounds.
type moments struct {
	p    *program
	t    int
	mean []float64 // size × members
	cov  []float64 // size × size, shared by the members

	meanTmp, covTmp []float64
}

func (p *program) begin() *moments {
	size := p.size()
	return &moments{
		p: p, mean: append([]float64(nil), p.start...), cov: make([]float64, size*size),
		meanTmp: make([]float64, len(p.start)), covTmp: make([]float64, size*size),
	}
}

// round advances by one round: for each operation m ← L m + c and C ← L C L' + G, the latter by applying L to the
// columns, transposing, and applying L again.
func (s *moments) round() {
	size := s.p.size()
	for _, o := range s.p.ops(s.t) {
		o.linear(s.meanTmp, s.mean, s.p.group.members)
		s.mean, s.meanTmp = s.meanTmp, s.mean
		if o.c != nil {
			add(s.mean, o.c)
		}
		o.linear(s.covTmp, s.cov, size)
		transpose(s.cov, s.covTmp, size)
		o.linear(s.covTmp, s.cov, size)
		s.cov, s.covTmp = s.covTmp, s.cov
		if o.g != nil {
			add(s.cov, o.g)
		}
	}
	s.t++
}

// jump applies a map that stands for so many rounds.
func (s *moments) jump(f affine, rounds int) {
	size, members := s.p.size(), s.p.group.members
	gemm(s.meanTmp, f.m, s.mean, size, size, members)
	add(s.meanTmp, f.c)
	s.mean, s.meanTmp = s.meanTmp, s.mean
	gemm(s.covTmp, f.m, s.cov, size, size, size)
	gemmTransposed(s.cov, s.covTmp, f.m, size)
	add(s.cov, f.g)
	s.t += rounds
}

// period returns the map of one whole period, which begins after a multiple of the period (and the prefix).
func (p *program) period() affine {
	size := p.size()
	f := affine{s: size, p: p.group.members, m: make([]float64, size*size)}
	for k := range size {
		f.m[k*size+k] = 1
	}
	s := p.begin()
	s.t = p.prefix
	clear(s.mean)
	tmp := make([]float64, size*size)
	for _, ops := range p.rounds {
		for _, o := range ops {
			o.linear(tmp, f.m, size)
			f.m, tmp = tmp, f.m
		}
		s.round()
	}
	f.c, f.g = s.mean, s.cov
	return f
}

// Moments are the three error measures: averages over islands (by weight) and expectations over the noise.
type Moments struct {
	MSE       float64 `json:"mse"`       // E of the average ‖x_i - x*‖²
	Centroid  float64 `json:"centroid"`  // E ‖x̄ - x*‖²
	Consensus float64 `json:"consensus"` // E of the average ‖x_i - x̄‖²
}

// measure reads the three numbers off slot 0.
func (s *moments) measure(weights []float64) Moments {
	g := s.p.group
	return g.measure(s.mean, s.cov, s.p.size(), float64(g.members), weights)
}

// measure returns the error measures of a mean and a covariance, of which the first n·m rows count, and which stands for
// so many members. Consensus is computed from differences of islands, never as mse minus centroid, so that it keeps its
// digits where the islands nearly agree.
func (g *group) measure(mean, cov []float64, size int, members float64, weights []float64) Moments {
	var variance, spread, centroid, consensus float64
	for i := range g.n {
		for j := range g.n {
			w := weights[i] * weights[j]
			for k := range g.m {
				r, c := i*g.m+k, j*g.m+k
				variance += w * cov[r*size+c]
				if i < j {
					spread += w * (cov[r*size+r] + cov[c*size+c] - 2*cov[r*size+c])
				}
			}
		}
	}
	for k := range g.m * g.members {
		first, average := mean[k], 0.0 // relative to island 0, so that equal islands disagree by exactly nothing
		for i, w := range weights {
			average += w * (mean[i*g.m*g.members+k] - first)
		}
		average += first
		centroid += average * average
		for i, w := range weights {
			e := mean[i*g.m*g.members+k] - average
			consensus += w * e * e
		}
	}
	centroid += members * max(0, variance)
	consensus += members * max(0, spread)
	return Moments{centroid + consensus, centroid, consensus}
}

// finite reports whether the moments are numbers that floating point can still hold.
func (m Moments) finite() bool {
	return m.MSE <= math.MaxFloat64 // false for NaN too; the other two are no larger
}

// spectralRadius returns the largest |eigenvalue| of the s × s matrix m.
func spectralRadius(m []float64, s int) (float64, bool) {
	if s == 1 {
		return math.Abs(m[0]), true
	}
	return mixing.SpectralRadius(mat.NewDense(s, s, m))
}

// maxDoublings ends the doubling for the stationary covariance: 2⁶⁰ periods are enough for any radius that floating
// point tells from 1.
const maxDoublings = 60

// settle returns the stationary state of the map, whose spectral radius must be below 1: the mean solves
// (I - M) m = c, the covariance is Σ_k M^k G M^k', summed by doubling.
func (p *program) settle(f affine) (*moments, bool) {
	s := p.begin()
	size, members := f.s, f.p
	system := mat.NewDense(size, size, nil)
	for i := range size {
		for j := range size {
			v := -f.m[i*size+j]
			if i == j {
				v++
			}
			system.Set(i, j, v)
		}
	}
	var lu mat.LU
	lu.Factorize(system)
	solution := mat.NewDense(size, members, s.mean)
	if err := lu.SolveTo(solution, false, mat.NewDense(size, members, f.c)); err != nil {
		if !errors.As(err, new(mat.Condition)) {
			return nil, false
		}
	}
	copy(s.cov, f.g)
	m, t := append([]float64(nil), f.m...), make([]float64, size*size)
	for range maxDoublings {
		gemm(t, m, s.cov, size, size, size)
		gemmTransposed(s.covTmp, t, m, size)
		if norm(s.covTmp) <= 1e-17*norm(s.cov) {
			break
		}
		add(s.cov, s.covTmp)
		gemm(t, m, m, size, size, size)
		m, t = t, m
	}
	return s, true
}

// norm returns the Frobenius norm.
func norm(a []float64) float64 {
	sum := 0.0
	for _, v := range a {
		sum += v * v
	}
	return math.Sqrt(sum)
}
