package explain

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// problem writes the part on the objective and its constants.
func (w *work) problem() {
	w.section = "problem"
	w.objectives()
	w.optimum()
	w.differences()
	w.curvatures()
}

func (w *work) objectives() {
	w.step("The objectives", "f_i(x) = ½ (x-b_i)' A_i (x-b_i), gradient A_i (x-b_i) + noise of covariance N_i")
	for i := range w.n {
		w.small(fmt.Sprintf("A_%d", i), w.curvature(i))
		w.point(fmt.Sprintf("b_%d", i), "", w.in.Problem.B[i])
		w.small(fmt.Sprintf("N_%d", i), w.noise(i))
	}
}

func (w *work) optimum() {
	w.step("The optimum", "x* solves Σ w_i A_i (x - b_i) = 0")
	w.mean = mat.NewDense(w.d, w.d, nil)
	right := make([]float64, w.d)
	for i, weight := range w.weights {
		a := w.curvature(i)
		for r := range w.d {
			for k := range w.d {
				w.mean.Set(r, k, w.mean.At(r, k)+weight*a.At(r, k))
				right[r] += weight * a.At(r, k) * w.in.Problem.B[i][k]
			}
		}
	}
	w.small("Ā = Σ w_i A_i", w.mean)
	w.point("Σ w_i A_i b_i", "", right)
	var x mat.VecDense
	if err := x.SolveVec(w.mean, mat.NewVecDense(w.d, right)); err == nil {
		w.c.XStar = x.RawVector().Data
		w.point("x*", "Ā⁻¹ Σ w_i A_i b_i", w.c.XStar)
		return
	}
	w.c.XStar = w.in.Problem.Constants().XStar
	w.point("x*", "the solution of least norm, since Ā is singular,", w.c.XStar)
}

func (w *work) differences() {
	w.step("How different the islands are", "ζ*² = Σ w_i ‖A_i (x* - b_i)‖²: their gradients at the optimum, which cancel only on average")
	var norms []float64
	for i := range w.n {
		g := w.gradient(i, w.c.XStar)
		w.point(fmt.Sprintf("∇f_%d(x*)", i), "", g)
		norms = append(norms, dot(g, g))
	}
	w.c.Zeta2 = dot(w.weights, norms)
	w.number("ζ*²", products(w.weights, norms), w.c.Zeta2)

	w.step("How noisy the gradients are", "σ² = Σ w_i tr N_i for an island;   Σ w_i² tr N_i for the mean (σ²/n for equal weights);   the rest is disagreement")
	var traces, squared []float64
	for i, weight := range w.weights {
		traces = append(traces, mat.Trace(w.noise(i)))
		squared = append(squared, weight*weight)
	}
	w.c.Sigma2, w.c.MeanNoise = dot(w.weights, traces), dot(squared, traces)
	w.number("σ²", products(w.weights, traces), w.c.Sigma2)
	w.number("noise of the mean", products(squared, traces), w.c.MeanNoise)
	w.number("disagreeing noise", fmt.Sprintf("%s - %s", num(w.c.Sigma2), num(w.c.MeanNoise)), w.spread())
}

func (w *work) curvatures() {
	w.step("How curved the objectives are", "L, μ: largest and least eigenvalue of any A_i;   L̄, μ̄: of Ā;   δ_A = ‖Σ w_i (A_i-Ā)²‖^½")
	deviation := mat.NewDense(w.d, w.d, nil)
	w.c.L, w.c.Mu = 0, math.Inf(1)
	for i, weight := range w.weights {
		values := symmetricEigenvalues(w.curvature(i))
		w.point(fmt.Sprintf("eigenvalues of A_%d", i), "", values)
		w.c.L, w.c.Mu = max(w.c.L, values[0]), min(w.c.Mu, values[w.d-1])
		var diff, square mat.Dense
		diff.Sub(w.curvature(i), w.mean)
		square.Mul(&diff, &diff)
		square.Scale(weight, &square)
		deviation.Add(deviation, &square)
	}
	values := symmetricEigenvalues(w.mean)
	w.c.MeanL, w.c.MeanMu = values[0], values[w.d-1]
	w.c.DeltaA = math.Sqrt(max(0, symmetricEigenvalues(deviation)[0]))
	w.number("L", "max", w.c.L)
	w.number("μ", "min", w.c.Mu)
	w.number("L̄", "", w.c.MeanL)
	w.number("μ̄", "", w.c.MeanMu)
	w.number("δ_A", "", w.c.DeltaA)
	if w.in.Step == 0 {
		w.number("η", fmt.Sprintf("1/(4L) = 1/(4·%s)", num(w.c.L)), w.eta)
	} else {
		w.number("η", "", w.eta)
	}
}

// point writes d values, as a number when d = 1.
func (w *work) point(name, working string, v []float64) {
	if len(v) == 1 {
		w.number(name, working, v[0])
		return
	}
	w.vector(name, working, v)
}

// small writes a d × d matrix, as a number when d = 1.
func (w *work) small(name string, m *mat.Dense) {
	if w.d == 1 {
		w.number(name, "", m.At(0, 0))
		return
	}
	w.matrix(name, m)
}

// curvature returns A_i as a matrix.
func (w *work) curvature(i int) *mat.Dense { return w.square(w.in.Problem.A[i]) }

// noise returns N_i as a matrix.
func (w *work) noise(i int) *mat.Dense { return w.square(w.in.Problem.Noise[i]) }

func (w *work) square(values []float64) *mat.Dense {
	m := mat.NewDense(w.d, w.d, nil)
	for r := range w.d {
		if w.in.Problem.Diagonal {
			m.Set(r, r, values[r])
			continue
		}
		for k := range w.d {
			m.Set(r, k, values[r*w.d+k])
		}
	}
	return m
}

// gradient is A_i (x - b_i).
func (w *work) gradient(i int, x []float64) []float64 {
	a, out := w.curvature(i), make([]float64, w.d)
	for r := range out {
		for k := range w.d {
			out[r] += a.At(r, k) * (x[k] - w.in.Problem.B[i][k])
		}
	}
	return out
}

// spread is the noise that is disagreement.
func (w *work) spread() float64 { return max(0, w.c.Sigma2-w.c.MeanNoise) }

func dot(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += v * b[i]
	}
	return s
}
