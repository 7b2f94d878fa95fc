package gossip

import "math"

// dgcStepper is deep gradient compression (Lin et al. 2018): gradients pass through a local momentum, what is not sent
// is kept, and both are cleared where something was sent:
//
//	u ← β u + g,   v ← v + u,   s = top-k(v),   u, v ← 0 where s ≠ 0,   x ← W (x - η s).
//
// With exact averaging and a common start all islands hold the same x, as in the paper; clipping and warm-up are not
// part of it.
type dgcStepper struct {
	*atcStepper
	u, v, g, sent []float64 // n × d, n × d, d, d
	compress      *compressor
}

func newDGCStepper(a *atcStepper) *dgcStepper {
	d := a.s.q.D
	alg := Algorithm{Compress: "top-k", K: a.s.alg.K}
	return &dgcStepper{a, make([]float64, len(a.x)), make([]float64, len(a.x)), make([]float64, d), make([]float64, d), newCompressor(alg, d)}
}

func (s *dgcStepper) reset(run int) {
	s.atcStepper.reset(run)
	clear(s.u)
	clear(s.v)
}

func (s *dgcStepper) round(t int) {
	for range s.localSteps(t) {
		for i := range s.sources {
			x, u, v := s.row(s.x, i), s.row(s.u, i), s.row(s.v, i)
			s.slope(i, x, s.g)
			for k, g := range s.g {
				u[k] = s.s.alg.Momentum*u[k] + g
				v[k] += u[k]
			}
		}
	}
	for i := range s.sources {
		x, u, v := s.row(s.x, i), s.row(s.u, i), s.row(s.v, i)
		s.compress.apply(s.sent, v, nil, true)
		for k, value := range s.sent {
			if value != 0 {
				u[k], v[k] = 0, 0
				x[k] -= s.s.step * value
			}
		}
	}
	s.mix(t)
}

// powerStepper is PowerSGD (Vogels, Karimireddy, Jaggi 2019) without its post-compression momentum: gradients, as
// rows × cols matrices M_i with what was lost before added on, are averaged through a rank-r factorization found by one
// step of power iteration from the last one,
//
//	P = orthonormal columns of mean M_i Q,   Q = mean M_i' P,   M̂ = P Q',   error_i = M_i - M̂,   x ← x - η M̂.
//
// The averages are exact, so every round must average all islands.
type powerStepper struct {
	*atcStepper
	rows, cols, rank int
	m                []float64 // n × (rows·cols): gradient plus error
	p, q             []float64 // rows × rank, cols × rank
	estimate         []float64 // rows·cols
	drawing          source
}

func newPowerStepper(a *atcStepper) *powerStepper {
	d := a.s.q.D
	rows := int(math.Ceil(math.Sqrt(float64(d))))
	cols := (d + rows - 1) / rows
	rank := min(a.s.alg.Rank, rows, cols)
	return &powerStepper{atcStepper: a, rows: rows, cols: cols, rank: rank, m: make([]float64, a.s.q.N*rows*cols),
		p: make([]float64, rows*rank), q: make([]float64, cols*rank), estimate: make([]float64, rows*cols)}
}

func (s *powerStepper) reset(run int) {
	s.atcStepper.reset(run)
	clear(s.m)
	s.drawing = *newSource(s.s.seed, uint64(run), 0, "messages")
	s.drawing.normals(s.q)
}

func (s *powerStepper) round(t int) {
	n, size, d := len(s.sources), s.rows*s.cols, s.s.q.D
	for i := range n {
		m := s.m[i*size:][:d] // the error of the last round, to which the gradients are added
		for range s.localSteps(t) {
			s.slope(i, s.row(s.x, i), s.row(s.mixed, i))
			add(m, s.row(s.mixed, i))
		}
	}
	clear(s.p)
	for i := range n {
		m := s.m[i*size:][:size]
		for r := range s.rows {
			for c, v := range m[r*s.cols:][:s.cols] {
				axpy(s.p[r*s.rank:][:s.rank], v*s.s.weights[i], s.q[c*s.rank:][:s.rank])
			}
		}
	}
	orthonormalize(s.p, s.rows, s.rank)
	clear(s.q)
	for i := range n {
		m := s.m[i*size:][:size]
		for r := range s.rows {
			for c, v := range m[r*s.cols:][:s.cols] {
				axpy(s.q[c*s.rank:][:s.rank], v*s.s.weights[i], s.p[r*s.rank:][:s.rank])
			}
		}
	}
	for r := range s.rows {
		for c := range s.cols {
			s.estimate[r*s.cols+c] = dot(s.p[r*s.rank:][:s.rank], s.q[c*s.rank:][:s.rank])
		}
	}
	for i := range n {
		axpy(s.m[i*size:][:size], -1, s.estimate)
		clear(s.m[i*size+d:][:size-d])
		axpy(s.row(s.x, i), -s.s.step, s.estimate[:d])
	}
	s.mix(t)
}

// orthonormalize makes the columns of a rows × rank matrix orthonormal (modified Gram-Schmidt, twice for accuracy). A
// column that depends on the others becomes zero.
func orthonormalize(p []float64, rows, rank int) {
	column := func(j, r int) *float64 { return &p[r*rank+j] }
	for j := range rank {
		before := columnNorm(p, rows, rank, j)
		for range 2 {
			for k := range j {
				along := 0.0
				for r := range rows {
					along += *column(k, r) * *column(j, r)
				}
				for r := range rows {
					*column(j, r) -= along * *column(k, r)
				}
			}
		}
		norm := columnNorm(p, rows, rank, j)
		scale := 0.0
		if norm > dependentTol*before {
			scale = 1 / norm
		}
		for r := range rows {
			*column(j, r) *= scale
		}
	}
}

// dependentTol is the share of a column's norm that may be left by rounding when it depends on those before it.
const dependentTol = 1e-12

func columnNorm(p []float64, rows, rank, j int) float64 {
	sum := 0.0
	for r := range rows {
		sum += p[r*rank+j] * p[r*rank+j]
	}
	return math.Sqrt(sum)
}
