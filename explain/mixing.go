package explain

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/mixing"
)

// mixing writes the part on the matrices of the schedule.
func (w *work) mixing() {
	w.section = "mixing"
	w.matrices()
	if len(w.w) == 1 && w.report.Symmetric {
		w.step("The eigenvalues of W and the spectral gap", "W v = λ v;   σ₂ = ‖W-J‖₂ = max |λ| over all eigenvalues but one 1;   gap = 1 - σ₂")
		values := symmetricEigenvalues(w.w[0])
		w.vector("eigenvalues of W", "", values)
		if w.report.Sigma2 != nil {
			w.number("σ₂", "", w.norms[0])
			w.number("gap", fmt.Sprintf("1 - %s", num(w.norms[0])), 1-w.norms[0])
		}
	}
	w.productNorms()
	w.period()
}

func (w *work) matrices() {
	w.step("The mixing matrices", "x ← W x: row i says what island i takes from whom")
	for t, m := range w.w {
		w.matrix(name("W", t+1, len(w.w)), m)
	}
	j := mat.NewDense(w.n, w.n, nil)
	j.Apply(func(_, k int, _ float64) float64 { return w.weights[k] }, j)
	w.matrix("J", j)
	w.remark("row sums 1: %s; column sums 1: %s; symmetric: %s; all entries ≥ 0: %s", yes(w.stochastic(false)), yes(w.stochastic(true)), yes(w.report.Symmetric), yes(w.report.Nonnegative))
	if w.in.Problem.Weights != nil {
		w.remark("the islands weigh %s: J = 1π' takes the weighted mean", tuple(w.weights))
	}
}

// stochastic reports whether the row or the column sums of every W are 1.
func (w *work) stochastic(columns bool) bool {
	for t := range w.seq.Steps {
		if m := w.seq.Steps[t].W; columns && !m.ColumnStochastic() || !columns && !m.RowStochastic() {
			return false
		}
	}
	return true
}

// productNorms is what t rounds leave of the disagreement, at worst.
func (w *work) productNorms() {
	rounds := max(w.in.Rounds, len(w.w))
	w.step("What t rounds leave of the disagreement", "‖Φ_t - J‖₂ = √λ_max((Φ_t-J)'(Φ_t-J)),   Φ_t = W_t … W_1")
	phi := identity(w.n)
	for t := range rounds {
		phi = product(w.w[t%len(w.w)], phi)
		if t > 0 && t < len(w.w) {
			w.matrix(fmt.Sprintf("Φ_%d", t+1), phi)
		}
		w.number(fmt.Sprintf("‖Φ_%d - J‖", t+1), fmt.Sprintf("√%s", num(sq(w.disagreement(phi)))), w.disagreement(phi))
	}
	if w.report.ExactAfter != nil {
		w.remark("exact after %d round%s: Φ = J", *w.report.ExactAfter, plural(*w.report.ExactAfter))
	}
}

// period is what a period does in the long run.
func (w *work) period() {
	if len(w.w) > 1 || !w.report.Symmetric {
		phi := identity(w.n)
		for _, m := range w.w {
			phi = product(m, phi)
		}
		w.step("A period in the long run", "spectral radius of Φ_T - J, whatever the first round is; per round its T-th root")
		values := eigenvalues(w.centered(phi))
		w.remark("eigenvalues of Φ_%d - J: %s", len(w.w), complexes(values))
		radius := 0.0
		for _, v := range values {
			radius = max(radius, cmplx.Abs(v))
		}
		w.number("radius", "max |eigenvalue|", radius)
		w.number("rate per round", fmt.Sprintf("%s^(1/%d)", num(radius), len(w.w)), math.Pow(radius, 1/float64(len(w.w))))
	}
	if w.report.P != nil && w.report.Tau != nil {
		w.step("The pair (p, τ) of convergence theory", "p = 1 - max ‖product of τ rounds - J‖² over the blocks of τ rounds; the pair with the least τ/p")
		w.remark("τ = %d round%s", *w.report.Tau, plural(*w.report.Tau))
		left := math.Sqrt(1 - *w.report.P)
		w.number("p", fmt.Sprintf("1 - %s²", num(left)), *w.report.P)
	}
}

// disagreement is ‖D^½ (Φ - 1π') D^-½‖₂, D = diag(π): ‖Φ-J‖₂ for equal weights.
func (w *work) disagreement(phi *mat.Dense) float64 {
	m := w.centered(phi)
	m.Apply(func(i, j int, v float64) float64 { return math.Sqrt(w.weights[i]/w.weights[j]) * v }, m)
	squared := symmetricEigenvalues(product(m.T(), m))
	const rounding = 1e-15 // of a Φ that averages exactly
	if squared[0] < rounding {
		return 0
	}
	return math.Sqrt(squared[0])
}

// centered is Φ - 1π'.
func (w *work) centered(phi *mat.Dense) *mat.Dense {
	m := mat.DenseCopyOf(phi)
	m.Apply(func(_, j int, v float64) float64 { return v - w.weights[j] }, m)
	return m
}

func identity(n int) *mat.Dense {
	m := mat.NewDense(n, n, nil)
	for i := range n {
		m.Set(i, i, 1)
	}
	return m
}

func product(a, b mat.Matrix) *mat.Dense {
	var m mat.Dense
	m.Mul(a, b)
	return &m
}

// symmetricEigenvalues returns them in descending order.
func symmetricEigenvalues(m *mat.Dense) []float64 {
	n, _ := m.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (m.At(i, j)+m.At(j, i))/2)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, false) { // a finite symmetric matrix has eigenvalues
		panic("explain: no eigenvalues of a symmetric matrix")
	}
	values := e.Values(nil)
	slices.Reverse(values)
	return values
}

// eigenvalues returns them by descending modulus, then real part, then imaginary part.
func eigenvalues(m *mat.Dense) []complex128 {
	values, ok := mixing.Eigenvalues(m)
	if !ok {
		return nil
	}
	slices.SortFunc(values, func(a, b complex128) int {
		const tie = 1e-9
		if d := cmplx.Abs(b) - cmplx.Abs(a); math.Abs(d) > tie {
			return int(math.Copysign(1, d))
		}
		if d := real(b) - real(a); math.Abs(d) > tie {
			return int(math.Copysign(1, d))
		}
		return int(math.Copysign(1, imag(b)-imag(a)))
	})
	return values
}

func complexes(values []complex128) string {
	const rounding = 1e-9 // what rounding makes of an eigenvalue 0 that is defective
	out := make([]string, len(values))
	for i, v := range values {
		switch {
		case cmplx.Abs(v) < rounding:
			out[i] = "0"
		case math.Abs(imag(v)) < rounding:
			out[i] = num(real(v))
		default:
			out[i] = fmt.Sprintf("%s%+.6gi", num(real(v)), imag(v))
		}
	}
	return strings.Join(out, ", ")
}

func name(symbol string, k, of int) string {
	if of == 1 {
		return symbol
	}
	return fmt.Sprintf("%s_%d", symbol, k)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

func sq(v float64) float64 { return v * v }
