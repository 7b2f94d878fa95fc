package gossip

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// maxSecondSize is the largest dimension of the linear map E → E[M E M'] on symmetric matrices that is written out: 45
// for nine islands, 276 for 23.
const maxSecondSize = 300

// radiusTol is how close to 1 a computed spectral radius means 1: no limit can be told from its rounding.
const radiusTol = 1e-12

// told returns the spectral radius that a computed one tells of. In a flat direction an average once reached stays, so
// the radius is no less than 1, however far rounding has moved it (a double eigenvalue by the root of the precision).
func (g *group) told(radius float64) float64 {
	if math.Abs(radius-1) <= radiusTol || radius < 1 && g.flat() {
		return 1
	}
	return radius
}

// flat reports whether the average objective has a direction without curvature. As no curvature is negative, no island
// then has any in it.
func (g *group) flat() bool {
	mean := mat.NewSymDense(g.m, nil)
	largest := 0.0
	for _, a := range g.a {
		mean.AddSym(mean, mat.NewSymDense(g.m, a))
		largest = max(largest, mat.Max(mat.NewDense(g.m, g.m, a)))
	}
	values, ok := eigenvalues(mean)
	return ok && values[0] <= flatTol*largest
}

// settle returns the root of the spectral radius of E → E[M E M'], and, where that is below 1, the stationary
// moments. ok is false where the map is too large to be written out.
func (p *secondProgram) settle(weights []float64) (radius float64, stationary Moments, ok bool) {
	used := p.b.used
	dim := used * (used + 1) / 2
	if dim > maxSecondSize {
		return 0, Moments{}, false
	}
	l := mat.NewDense(dim, dim, nil)
	for column := range dim {
		s := p.zero()
		unpack(s.cov, column, used)
		p.period(s, true)
		pack(l, column, s.cov, used)
	}
	radius, ok = spectralRadius(l.RawMatrix().Data, dim)
	radius = p.b.g.told(radius)
	radius = math.Pow(radius, 0.5/float64(len(p.rounds)))
	if !ok || radius >= 1 {
		return radius, Moments{}, ok
	}
	// The mean first, by the same way: m = M m + c.
	mean, err := p.fixedMean()
	if err != nil {
		return radius, Moments{}, false
	}
	s := p.zero()
	copy(s.mean, mean)
	p.period(s, false) // from E = 0 with the stationary mean: what drives E
	drive := mat.NewDense(dim, 1, nil)
	pack(drive, 0, s.cov, used)
	l.Scale(-1, l)
	for k := range dim {
		l.Set(k, k, l.At(k, k)+1)
	}
	var x mat.Dense
	if err := x.Solve(l, drive); err != nil {
		if !errors.As(err, new(mat.Condition)) {
			return radius, Moments{}, false
		}
	}
	at := 0
	for r := range used {
		for c := r; c < used; c++ {
			s.cov[r*used+c], s.cov[c*used+r] = x.At(at, 0), x.At(at, 0)
			at++
		}
	}
	return radius, s.measure(weights), true
}

// period advances by one period.
func (p *secondProgram) period(s *secondMoments, quiet bool) {
	for t := range p.rounds {
		p.round(s, t, quiet)
	}
}

func (p *secondProgram) zero() *secondMoments {
	s := p.begin()
	clear(s.mean)
	clear(s.cov)
	return s
}

// fixedMean solves m = E[M] m + c.
func (p *secondProgram) fixedMean() ([]float64, error) {
	used, members := p.b.used, p.b.g.members
	offset := p.zero()
	p.period(offset, false)
	system := mat.NewDense(used, used, nil)
	m := make([]float64, used*used) // E[M], applied to unit vectors
	for k := range used {
		m[k*used+k] = 1
	}
	tmp := make([]float64, used*used)
	for _, ops := range p.rounds {
		for _, o := range ops {
			next := make([]float64, used*used)
			for _, w := range o.all() {
				w.linear(tmp, m, used)
				axpy(next, w.probability, tmp)
			}
			m = next
		}
	}
	for r := range used {
		for c := range used {
			v := -m[r*used+c]
			if r == c {
				v++
			}
			system.Set(r, c, v)
		}
	}
	var x mat.Dense
	if err := x.Solve(system, mat.NewDense(used, members, offset.mean)); err != nil {
		if !errors.As(err, new(mat.Condition)) {
			return nil, err
		}
	}
	return x.RawMatrix().Data, nil
}

// unpack writes the symmetric unit matrix number column (upper triangle, row by row) into e.
func unpack(e []float64, column, used int) {
	for r := range used {
		if width := used - r; column >= width {
			column -= width
			continue
		}
		c := r + column
		e[r*used+c], e[c*used+r] = 1, 1
		return
	}
}

// pack writes the upper triangle of a symmetric matrix into a column.
func pack(dst *mat.Dense, column int, e []float64, used int) {
	at := 0
	for r := range used {
		for c := r; c < used; c++ {
			dst.Set(at, column, (e[r*used+c]+e[c*used+r])/2)
			at++
		}
	}
}
