package explain

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/gossip"
)

// state is the mean and the covariance of all replicas, coordinate by coordinate: island i's coordinate k is entry kn+i.
type state struct {
	mean *mat.VecDense
	cov  *mat.Dense
}

// moments follows mean and covariance round by round.
func (w *work) moments() {
	w.section = "moments"
	s := &state{mat.NewVecDense(w.n*w.d, nil), mat.NewDense(w.n*w.d, w.n*w.d, nil)}
	for i := range w.n {
		for k := range w.d {
			s.mean.SetVec(k*w.n+i, w.in.Problem.Start[i][k])
		}
	}
	w.step("The start", "centroid = E‖x̄ - x*‖²,   consensus = E Σ w_i ‖x_i - x̄‖²,   mse = their sum\nC is the covariance of the replicas, C_kk its block of coordinate k, w the weights of the islands")
	w.replicas("E x", s.mean)
	w.points = append(w.points, w.errors(s))
	w.c.StartCentroid, w.c.StartConsensus = w.points[0].Centroid, w.points[0].Consensus
	for t := range w.in.Rounds {
		w.round(t, s)
	}
}

// round is local steps and one mixing, of the state and on the page.
func (w *work) round(t int, s *state) {
	h := w.seq.Step(t).LocalSteps
	formula := "x_i ← x_i - η A_i (x_i - b_i),   C ← F C F' + η² N,   F = I - η A\nx ← W x,   C ← W C W'"
	if h > 1 {
		formula = fmt.Sprintf("%d times: ", h) + formula
	}
	w.step(fmt.Sprintf("Round %d", t+1), formula)
	for k := range h {
		if w.d == 1 && h == 1 {
			for i := range w.n {
				x := s.mean.AtVec(i)
				w.remark("step of island %d: %s - %s·%s·(%s - %s) = %s", i, num(x), num(w.eta), num(w.in.Problem.A[i][0]), num(x), signed(w.in.Problem.B[i][0]), num(x-w.eta*w.gradient(i, []float64{x})[0]))
			}
		}
		w.localStep(s)
		if h > 1 || w.d > 1 {
			w.replicas(fmt.Sprintf("E x after step %d", k+1), s.mean)
		}
	}
	w.blocks("C before mixing", s.cov)
	w.mix(t, s)
	w.replicas("E x after mixing", s.mean)
	w.blocks("C after mixing", s.cov)
	w.points = append(w.points, w.errors(s))
}

// localStep takes one gradient step on all islands.
func (w *work) localStep(s *state) {
	f, pull := w.descent()
	var next mat.VecDense
	next.MulVec(f, s.mean)
	s.mean.AddVec(&next, pull)
	s.cov = product(product(f, s.cov), f.T())
	s.cov.Add(s.cov, w.injected())
}

func (w *work) mix(t int, s *state) {
	m := w.wide(w.w[t%len(w.w)])
	var next mat.VecDense
	next.MulVec(m, s.mean)
	s.mean.CopyVec(&next)
	s.cov = product(product(m, s.cov), m.T())
}

// descent returns F = I - η A and η A b of all islands.
func (w *work) descent() (*mat.Dense, *mat.VecDense) {
	f, pull := identity(w.n*w.d), mat.NewVecDense(w.n*w.d, nil)
	for i := range w.n {
		a := w.curvature(i)
		for r := range w.d {
			for k := range w.d {
				row, column := r*w.n+i, k*w.n+i
				f.Set(row, column, f.At(row, column)-w.eta*a.At(r, k))
				pull.SetVec(row, pull.AtVec(row)+w.eta*a.At(r, k)*w.in.Problem.B[i][k])
			}
		}
	}
	return f, pull
}

// injected is η² N, the noise of one step of all islands.
func (w *work) injected() *mat.Dense {
	m := mat.NewDense(w.n*w.d, w.n*w.d, nil)
	for i := range w.n {
		noise := w.noise(i)
		for r := range w.d {
			for k := range w.d {
				m.Set(r*w.n+i, k*w.n+i, w.eta*w.eta*noise.At(r, k))
			}
		}
	}
	return m
}

// wide lets an n × n matrix act on every coordinate.
func (w *work) wide(m *mat.Dense) *mat.Dense {
	out := mat.NewDense(w.n*w.d, w.n*w.d, nil)
	for k := range w.d {
		out.Slice(k*w.n, (k+1)*w.n, k*w.n, (k+1)*w.n).(*mat.Dense).Copy(m)
	}
	return out
}

// replicas writes the mean of all islands, a line for each coordinate.
func (w *work) replicas(name string, x *mat.VecDense) {
	for k := range w.d {
		label := name
		if w.d > 1 {
			label = fmt.Sprintf("%s, coordinate %d", name, k)
		}
		w.vector(label, "", x.RawVector().Data[k*w.n:(k+1)*w.n])
	}
	last := &w.steps[len(w.steps)-1]
	for i := len(last.Items) - w.d; i < len(last.Items); i++ { // x changes later on
		last.Items[i].Vector = append([]float64(nil), last.Items[i].Vector...)
	}
}

// blocks writes an nd × nd matrix as n × n blocks, one for each pair of coordinates; blocks of zeros between different
// coordinates are left out.
func (w *work) blocks(name string, m *mat.Dense) {
	for r := range w.d {
		for k := range w.d {
			b := m.Slice(r*w.n, (r+1)*w.n, k*w.n, (k+1)*w.n)
			if r != k && mat.Norm(b, math.Inf(1)) == 0 {
				continue
			}
			label := name
			if w.d > 1 {
				label = fmt.Sprintf("%s, coordinates %d, %d", name, r, k)
			}
			w.matrix(label, b)
		}
	}
}

// errors writes the three errors of a state.
func (w *work) errors(s *state) gossip.Moments {
	distance, apart := 0.0, 0.0 // of the mean path
	shared, own := 0.0, 0.0     // of the noise
	var centroid []float64
	for k := range w.d {
		x := s.mean.RawVector().Data[k*w.n : (k+1)*w.n]
		mean := dot(w.weights, x)
		centroid = append(centroid, mean)
		distance += sq(mean - w.c.XStar[k])
		block := s.cov.Slice(k*w.n, (k+1)*w.n, k*w.n, (k+1)*w.n)
		for i, wi := range w.weights {
			apart += wi * sq(x[i]-mean)
			own += wi * block.At(i, i)
			for j, wj := range w.weights {
				shared += wi * wj * block.At(i, j)
			}
		}
	}
	var off []float64
	for k, v := range centroid {
		off = append(off, v-w.c.XStar[k])
	}
	w.point("E x̄", "Σ w_i E x_i", centroid)
	m := gossip.Moments{Centroid: distance + shared, Consensus: apart + max(0, own-shared)}
	m.MSE = m.Centroid + m.Consensus
	w.number("centroid", fmt.Sprintf("%s + Σ_k w'C_kk w = %s + %s", squares(off), num(distance), num(shared)), m.Centroid)
	w.number("consensus", fmt.Sprintf("Σ w_i ‖E x_i - E x̄‖² + Σ_k (Σ w_i C_kk,ii - w'C_kk w) = %s + (%s - %s)", num(apart), num(own), num(shared)), m.Consensus)
	w.number("mse", fmt.Sprintf("%s + %s", num(m.Centroid), num(m.Consensus)), m.MSE)
	return m
}

// settled is how far below 1 a radius must be for a limit to exist; nearer, rounding decides.
const settled = 1e-9

// limit solves for the state in which a period changes nothing.
func (w *work) limit() {
	w.section = "limit"
	size := w.n * w.d
	m, c, noise := identity(size), mat.NewVecDense(size, nil), mat.NewDense(size, size, nil)
	f, pull := w.descent()
	for t := range w.w {
		for range w.seq.Steps[t].LocalSteps {
			m = product(f, m)
			var next mat.VecDense
			next.MulVec(f, c)
			c.AddVec(&next, pull)
			noise = product(product(f, noise), f.T())
			noise.Add(noise, w.injected())
		}
		s := &state{c, noise}
		w.mix(t, s)
		noise = s.cov
		m = product(w.wide(w.w[t]), m)
	}
	w.step("A period as one map", "z ← M z + c with M = W_T F^H … W_1 F^H; it converges when all |eigenvalues of M| < 1")
	w.blocks("M", m)
	values := eigenvalues(m)
	w.remark("eigenvalues of M: %s", complexes(values))
	radius := math.Pow(cmplx.Abs(values[0]), 1/float64(len(w.w)))
	w.number("radius per round", fmt.Sprintf("%s^(1/%d)", num(cmplx.Abs(values[0])), len(w.w)), radius)
	if radius > 1-settled {
		w.remark("not below 1: there is no limit")
		return
	}
	w.step("The limit at the end of a period", "m = (I - M)⁻¹ c;   C = M C M' + Q, with Q the noise of one period")
	left := identity(size)
	left.Sub(left, m)
	var mean mat.VecDense
	if err := mean.SolveVec(left, c); err != nil && !isCondition(err) {
		w.remark("I - M cannot be inverted: %v", err)
		return
	}
	w.replicas("E x", &mean)
	cov := mat.DenseCopyOf(noise)
	for power := m; mat.Norm(power, 2) > math.SmallestNonzeroFloat64; power = product(power, power) { // Σ M^k Q M'^k, doubled
		add := product(product(power, cov), power.T())
		cov.Add(cov, add)
	}
	w.blocks("C", cov)
	final := w.errors(&state{&mean, cov})
	w.final = &final
}

// isCondition reports whether an error only warns of rounding.
func isCondition(err error) bool {
	var condition mat.Condition
	return errors.As(err, &condition)
}
