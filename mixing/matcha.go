package mixing

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/schedule"
)

// matcha chooses the activation probabilities and the step of a MATCHA schedule (Wang et al. 2019, arXiv 1905.09435).
//
// First the probabilities: maximize λ_2(Σ_j p_j L_j) over 0 ≤ p ≤ 1 with Σ p_j ≤ budget × number of matchings. Then
// the step α that minimizes
//
//	‖E[W'W] - J‖ = ‖I - J - 2α L̄ + α² (L̄² + 2 Σ_j p_j (1-p_j) L_j)‖,   L̄ = Σ_j p_j L_j
//
// (L_j² = 2 L_j for a matching), a convex function of α.
func matcha(n int, matchings [][]schedule.Edge, budget float64) (p []float64, step float64, err error) {
	if n > matchaNodes {
		return nil, 0, fmt.Errorf("matcha is optimized for up to %d nodes, got %d", matchaNodes, n)
	}
	laplacians := make([]*mat.SymDense, len(matchings))
	for j, m := range matchings {
		laplacians[j] = mat.NewSymDense(n, nil)
		for _, e := range m {
			addEdge(laplacians[j], e, 1)
		}
	}
	if p, err = activation(laplacians, budget); err != nil {
		return nil, 0, err
	}
	mean, spread := mat.NewSymDense(n, nil), mat.NewSymDense(n, nil)
	for j, l := range laplacians {
		mean.AddSym(mean, scaledSym(p[j], l))
		spread.AddSym(spread, scaledSym(2*p[j]*(1-p[j]), l))
	}
	var square mat.Dense
	square.Mul(mean, mean)
	rho := func(alpha float64) float64 {
		e := mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				v := -1/float64(n) - 2*alpha*mean.At(i, j) + alpha*alpha*(square.At(i, j)+spread.At(i, j))
				if i == j {
					v++
				}
				e.SetSym(i, j, v)
			}
		}
		return maxAbsEigen(e)
	}
	return p, minimizeConvex(rho, 0, 1), nil // at α > 1 even one active edge expands
}

// matchaNodes bounds n: each step of the optimization factorizes dense n × n matrices.
const matchaNodes = 400

func scaledSym(a float64, s *mat.SymDense) *mat.SymDense {
	out := mat.NewSymDense(s.SymmetricDim(), nil)
	out.ScaleSym(a, s)
	return out
}

func maxAbsEigen(s *mat.SymDense) float64 {
	values := eigenvalues(s)
	return max(math.Abs(values[0]), math.Abs(values[len(values)-1]))
}

// minimizeConvex finds the minimum of a convex function by golden section, to about the square root of rounding in
// the argument: the value is then right to rounding.
func minimizeConvex(f func(float64) float64, low, high float64) float64 {
	ratio := (math.Sqrt(5) - 1) / 2
	a, b := high-ratio*(high-low), low+ratio*(high-low)
	fa, fb := f(a), f(b)
	for high-low > 1e-10 {
		if fa <= fb {
			high, b, fb = b, a, fa
			a = high - ratio*(high-low)
			fa = f(a)
		} else {
			low, a, fa = a, b, fb
			b = low + ratio*(high-low)
			fb = f(b)
		}
	}
	return (low + high) / 2
}

// activation maximizes t subject to Σ_j p_j L_j ⪰ t P, 0 ≤ p ≤ 1, Σ p ≤ budget × len(p), by a barrier method.
func activation(laplacians []*mat.SymDense, budget float64) ([]float64, error) {
	m, n := len(laplacians), laplacians[0].SymmetricDim()
	p := make([]float64, m)
	if budget == 1 {
		for j := range p {
			p[j] = 1
		}
		return p, nil
	}
	for j := range p {
		p[j] = budget * 0.9
	}
	sum := mat.NewSymDense(n, nil)
	for j := range p {
		sum.AddSym(sum, scaledSym(p[j], laplacians[j]))
	}
	values := eigenvalues(sum)
	if n < 2 || values[1] <= 1e-9 {
		return nil, fmt.Errorf("the graph is not connected: no activation makes it mix")
	}
	x := append([]float64{values[1] / 2}, p...) // t, p
	// value, gradient and Hessian of the barrier at weight 1/mu of the objective -t.
	slack := func(x []float64) *mat.SymDense {
		s := mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				v := (1 + x[0]) / float64(n) // + J keeps the consensus direction at eigenvalue 1
				if i == j {
					v -= x[0]
				}
				s.SetSym(i, j, v)
			}
		}
		for j, l := range laplacians {
			s.AddSym(s, scaledSym(x[1+j], l))
		}
		return s
	}
	value := func(x []float64, mu float64) float64 {
		var chol mat.Cholesky
		if !chol.Factorize(slack(x)) {
			return math.Inf(1)
		}
		v, rest := -x[0]/mu-chol.LogDet(), budget*float64(m)
		for _, p := range x[1:] {
			if p <= 0 || p >= 1 {
				return math.Inf(1)
			}
			v -= math.Log(p) + math.Log(1-p)
			rest -= p
		}
		if rest <= 0 {
			return math.Inf(1)
		}
		return v - math.Log(rest)
	}
	terms := make([]*mat.Dense, m+1) // derivatives of the slack
	terms[0] = mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			terms[0].Set(i, j, 1/float64(n))
		}
		terms[0].Set(i, i, 1/float64(n)-1)
	}
	for j, l := range laplacians {
		terms[1+j] = mat.DenseCopyOf(l)
	}
	for mu := 0.1; mu > matchaGap/float64(n+2*m+1); mu /= 8 {
		for range 60 {
			var chol mat.Cholesky
			if !chol.Factorize(slack(x)) {
				return nil, fmt.Errorf("the activation probabilities could not be optimized")
			}
			var inverse mat.SymDense
			if err := chol.InverseTo(&inverse); err != nil {
				break
			}
			products := make([]*mat.Dense, m+1)
			for i := range products {
				products[i] = mat.NewDense(n, n, nil)
				products[i].Mul(&inverse, terms[i])
			}
			gradient := mat.NewVecDense(m+1, nil)
			hessian := mat.NewSymDense(m+1, nil)
			rest := budget * float64(m)
			for _, p := range x[1:] {
				rest -= p
			}
			for i := range m + 1 {
				gradient.SetVec(i, -mat.Trace(products[i]))
				for j := i; j <= m; j++ {
					hessian.SetSym(i, j, traceProduct(products[i], products[j]))
				}
			}
			gradient.SetVec(0, gradient.AtVec(0)-1/mu)
			for i := 1; i <= m; i++ {
				gradient.SetVec(i, gradient.AtVec(i)-1/x[i]+1/(1-x[i])+1/rest)
				for j := i; j <= m; j++ {
					h := hessian.At(i, j) + 1/(rest*rest)
					if i == j {
						h += 1/(x[i]*x[i]) + 1/((1-x[i])*(1-x[i]))
					}
					hessian.SetSym(i, j, h)
				}
			}
			d, decrement, ok := newton(hessian, gradient)
			if !ok || decrement < 1e-16 {
				break
			}
			before, size := value(x, mu), 1.0
			next := make([]float64, m+1)
			for ; size > 1e-12; size /= 2 {
				for i := range next {
					next[i] = x[i] + size*d[i]
				}
				after := value(next, mu)
				// Close to the center full steps converge quadratically, and rounding in the values says nothing.
				if after <= before-0.1*size*decrement || decrement < 0.05 && !math.IsInf(after, 1) {
					break
				}
			}
			if size <= 1e-12 {
				break
			}
			x = next
		}
	}
	return x[1:], nil
}

// matchaGap is the distance from the best λ_2 at which the optimization stops: that of an optimum to about 1e-10.
const matchaGap = 1e-10

func traceProduct(a, b *mat.Dense) float64 {
	n, _ := a.Dims()
	sum := 0.0
	for i := range n {
		for j := range n {
			sum += a.At(i, j) * b.At(j, i)
		}
	}
	return sum
}
