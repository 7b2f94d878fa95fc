package gossip

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Constants are the numbers of a quadratic that convergence theory asks for, computed and not assumed. Averages are
// over islands, by their weights.
type Constants struct {
	L      float64 // smoothness: the largest eigenvalue of any A_i
	Mu     float64 // strong convexity of the worst island: the least eigenvalue of any A_i
	MeanL  float64 // largest eigenvalue of the average curvature
	MeanMu float64 // least eigenvalue of the average curvature, at least Mu

	XStar []float64 // minimum of the average objective: the one of least norm, if there are several

	Zeta2  float64 // ζ*²: average ‖∇f_i(x*)‖²
	Sigma2 float64 // σ²: average tr N_i, per island and in total over coordinates; of least squares, at x*
	DeltaA float64 // ‖ average (A_i - Ā)² ‖₂^½: 0 when all curvatures are equal

	MeanNoise float64 // Σ w_i² tr N_i: noise of the averaged gradient; σ²/n for equal weights

	StartCentroid  float64 // ‖x̄_0 - x*‖²
	StartConsensus float64 // average ‖x_i - x̄‖² at the start
}

// flatTol is the eigenvalue of a dense average curvature, relative to its largest, below which a direction is taken as
// flat when x* is solved for.
const flatTol = 1e-14

// Constants computes the constants of the problem.
func (q *Quadratic) Constants() Constants {
	var c Constants
	if q.Diagonal {
		q.diagonalConstants(&c)
	} else {
		q.denseConstants(&c)
	}
	mean := make([]float64, q.D)
	for i := range q.N {
		w := q.weight(i)
		trace := 0.0
		for k := range q.D {
			mean[k] += w * (q.Start[i][k] - q.Start[0][k]) // from island 0: exact when all start alike
			if q.Diagonal {
				trace += q.Noise[i][k]
			} else {
				trace += q.Noise[i][k*q.D+k]
			}
		}
		if q.LeastSquares { // E ‖hh'e - e‖² = (d+1) ‖e‖², here at x*
			for k := range q.D {
				e := c.XStar[k] - q.B[i][k]
				trace += float64(q.D+1) * e * e
			}
		}
		c.Sigma2 += w * trace
		c.MeanNoise += w * w * trace
	}
	for k := range q.D {
		mean[k] += q.Start[0][k]
		e := mean[k] - c.XStar[k]
		c.StartCentroid += e * e
		for i := range q.N {
			e := q.Start[i][k] - mean[k]
			c.StartConsensus += q.weight(i) * e * e
		}
	}
	return c
}

// L returns the smoothness constant alone.
func (q *Quadratic) L() float64 { return q.Constants().L }

func (q *Quadratic) diagonalConstants(c *Constants) {
	c.Mu, c.MeanMu = math.Inf(1), math.Inf(1)
	c.XStar = make([]float64, q.D)
	largestMean := 0.0
	mean := make([]float64, q.D)
	for k := range q.D {
		for i := range q.N {
			a := q.A[i][k]
			c.L, c.Mu = max(c.L, a), min(c.Mu, a)
			mean[k] += q.weight(i) * (a - q.A[0][k]) // from island 0: exact when all curvatures are equal
		}
		mean[k] += q.A[0][k]
		largestMean = max(largestMean, mean[k])
		c.MeanMu = min(c.MeanMu, mean[k])
	}
	c.MeanL = largestMean
	for k := range q.D {
		moment, spread := 0.0, 0.0
		for i := range q.N {
			w, a := q.weight(i), q.A[i][k]
			moment += w * a * q.B[i][k]
			spread += w * (a - mean[k]) * (a - mean[k])
		}
		if mean[k] > 0 {
			c.XStar[k] = moment / mean[k]
		}
		c.DeltaA = max(c.DeltaA, spread)
		for i := range q.N {
			g := q.A[i][k] * (c.XStar[k] - q.B[i][k])
			c.Zeta2 += q.weight(i) * g * g
		}
	}
	c.DeltaA = math.Sqrt(c.DeltaA)
}

func (q *Quadratic) denseConstants(c *Constants) {
	d := q.D
	c.Mu = math.Inf(1)
	mean, spread := mat.NewSymDense(d, nil), mat.NewDense(d, d, nil)
	moment := make([]float64, d)
	for i := range q.N {
		a := mat.NewSymDense(d, q.A[i])
		values, _ := eigenvalues(a)
		c.L, c.Mu = max(c.L, values[d-1]), min(c.Mu, max(0, values[0]))
		if i > 0 { // from island 0: exact when all curvatures are equal
			var e mat.SymDense
			e.AddSym(a, scaled(-1, mat.NewSymDense(d, q.A[0])))
			mean.AddSym(mean, scaled(q.weight(i), &e))
		}
		addProduct(moment, q.weight(i), q.A[i], q.B[i])
	}
	mean.AddSym(mean, mat.NewSymDense(d, q.A[0]))
	for i := range q.N {
		var e, square mat.Dense
		e.Sub(mat.NewSymDense(d, q.A[i]), mean)
		square.Mul(&e, &e)
		square.Scale(q.weight(i), &square)
		spread.Add(spread, &square)
	}
	var eigen mat.EigenSym
	eigen.Factorize(mean, true)
	values := eigen.Values(nil)
	var u mat.Dense
	eigen.VectorsTo(&u)
	c.MeanL, c.MeanMu = values[d-1], max(0, values[0])
	c.XStar = make([]float64, d)
	for k := range d {
		if values[k] <= flatTol*values[d-1] {
			continue
		}
		dot := 0.0
		for j := range d {
			dot += u.At(j, k) * moment[j]
		}
		for j := range d {
			c.XStar[j] += u.At(j, k) * dot / values[k]
		}
	}
	symmetric := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			symmetric.SetSym(i, j, (spread.At(i, j)+spread.At(j, i))/2)
		}
	}
	spreads, _ := eigenvalues(symmetric)
	c.DeltaA = math.Sqrt(max(0, spreads[d-1]))
	for i := range q.N {
		e, g := make([]float64, d), make([]float64, d)
		for k := range d {
			e[k] = c.XStar[k] - q.B[i][k]
		}
		addProduct(g, 1, q.A[i], e)
		for _, v := range g {
			c.Zeta2 += q.weight(i) * v * v
		}
	}
}

func scaled(w float64, a *mat.SymDense) *mat.SymDense {
	var s mat.SymDense
	s.ScaleSym(w, a)
	return &s
}

// addProduct adds w A x to y, A being d × d row-major.
func addProduct(y []float64, w float64, a, x []float64) {
	d := len(x)
	for j := range d {
		sum := 0.0
		for k, v := range a[j*d : (j+1)*d] {
			sum += v * x[k]
		}
		y[j] += w * sum
	}
}

// eigenvalues returns the eigenvalues of a symmetric matrix, ascending.
func eigenvalues(a mat.Symmetric) ([]float64, bool) {
	var e mat.EigenSym
	if !e.Factorize(a, false) {
		return nil, false
	}
	return e.Values(nil), true
}

// maxEigenSize is the largest matrix whose eigenvalues are worth their cubic cost in a bound: about a second.
const maxEigenSize = 400

// GammaA returns γ_A = ‖P (I - ηD) P‖₂, with D the stacked curvatures and P the projection on disagreement: how much
// a step η multiplies disagreement, at most. Where the eigenvalues would cost too much (more than 400 islands, or 400
// islands × parameters that do not decouple) it returns max_i ‖I - η A_i‖, which is never smaller. Island weights
// enter through P and the norm. It is 0 for a single island, and +Inf where ηA is past the range of floating point.
func (q *Quadratic) GammaA(step float64) float64 {
	if q.N == 1 {
		return 0
	}
	largest := 0.0
	for _, g := range q.groups(Algorithm{}) {
		size := q.N * g.m
		if size > maxEigenSize {
			for i := range q.N {
				values, _ := eigenvalues(mat.NewSymDense(g.m, g.a[i]))
				largest = max(largest, math.Abs(1-step*values[0]), math.Abs(1-step*values[g.m-1]))
			}
			continue
		}
		if g.m == 1 && allEqual(g.a) {
			largest = max(largest, math.Abs(1-step*g.a[0][0]))
			continue
		}
		values, ok := eigenvalues(q.projectedStep(step, g))
		if !ok || math.IsNaN(values[0]) || math.IsNaN(values[size-1]) {
			return math.Inf(1)
		}
		largest = max(largest, math.Abs(values[0]), math.Abs(values[size-1]))
	}
	return largest
}

func allEqual(a [][]float64) bool {
	for _, v := range a {
		if v[0] != a[0][0] {
			return false
		}
	}
	return true
}

// projectedStep returns Π F Π, with F = blockdiag(I - ηA_i) and Π = I - √w √w' (kron I): in the coordinates √w_i x_i
// the weighted norm is the plain one and Π the projection on disagreement.
func (q *Quadratic) projectedStep(step float64, g *group) *mat.SymDense {
	n, m := q.N, g.m
	f := func(i, r, c int) float64 {
		v := -step * g.a[i][r*m+c]
		if r == c {
			v++
		}
		return v
	}
	out := mat.NewSymDense(n*m, nil)
	for r := range m {
		for c := range m {
			mean := 0.0 // Σ w_i F_i
			for i := range n {
				mean += q.weight(i) * f(i, r, c)
			}
			for i := range n {
				for j := range n {
					if i*m+r > j*m+c {
						continue
					}
					root := math.Sqrt(q.weight(i) * q.weight(j))
					v := root * (mean - f(i, r, c) - f(j, r, c))
					if i == j {
						v += f(i, r, c)
					}
					out.SetSym(i*m+r, j*m+c, v)
				}
			}
		}
	}
	return out
}
