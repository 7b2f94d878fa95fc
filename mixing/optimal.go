package mixing

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/schedule"
)

// Optimal symmetric weights on a graph: the least s with
//
//	-s I ⪯ I - J - L(w) ⪯ s I,   L(w) = Σ_e w_e a_e a_e',   a_e = e_i - e_j                      (fdla)
//
// and, for fmmc, w ≥ 0 and weighted degrees ≤ 1, so that W ≥ 0 (Xiao and Boyd 2004; Boyd, Diaconis and Xiao 2004).
//
// The barrier method follows s/μ - log det(sI - M) - log det(sI + M) to its minimum for shrinking μ, M = I - J - L.
// Every edge Laplacian has rank one, so that with X = (sI - M)⁻¹ and Y = (sI + M)⁻¹ all derivatives are entries
//
//	∂_e log det = a_e' X a_e,   ∂_e ∂_f log det = -(a_e' X a_f)²
//
// read off four entries of X: a Newton step costs two inverses and one m × m system, never a product of matrices per
// edge.
//
// The certificate is a dual point. For any Z₁, Z₂ ⪰ 0 with tr(Z₁ + Z₂) = 1 and a_e'(Z₁ - Z₂) a_e = 0 on every edge,
// tr((Z₁ - Z₂)(I - J)) is a lower bound of s. The linearization of μX and μY along the Newton direction satisfies the
// equalities to rounding, and is positive semidefinite once the step is shorter than the distance to the boundary.
// What rounding leaves of the equalities is charged to the bound, at the largest |w_e| that an optimum can have.

const (
	// optimalGap is the relative gap between SLEM and lower bound at which the optimization stops.
	optimalGap = 2e-9
	// optimalNodes and optimalEdges bound the dense algebra, n³ and m³ operations per Newton step: half a minute.
	optimalNodes, optimalEdges = 600, 1500
	// shrink is the factor of μ from one center to the next.
	shrink = 0.08
	// centered is the squared Newton decrement below which a point counts as a center.
	centered = 1e-3
	// certified is the squared decrement below which the linearized dual point is worth its two products.
	certified = 0.1
	// exactSLEM is a SLEM that counts as 0: rounding of exact averaging.
	exactSLEM = 1e-13
)

// optimalWeights returns weights whose SLEM is least, and the proof.
func optimalWeights(n int, edges []schedule.Edge, nonnegative bool) ([]float64, *Certificate, error) {
	if n > optimalNodes || len(edges) > optimalEdges {
		return nil, nil, fmt.Errorf("optimal weights are for up to %d nodes and %d edges, got %d and %d (best-constant has no limit)",
			optimalNodes, optimalEdges, n, len(edges))
	}
	p := newBarrier(n, edges, nonnegative)
	if p.slem(p.w) >= 1-sumTol { // not connected: every choice of weights has SLEM 1 at least
		return p.w, &Certificate{LowerBound: 1, Gap: 0}, nil
	}
	// Equal weights are optimal on many symmetric graphs, exact on complete ones.
	low, high := laplacianEnds(n, edges)
	best := Certificate{}
	bestWeights, bestSLEM := p.w, p.slem(p.w)
	if constant := p.constant(2 / (low + high)); p.feasible(constant) {
		if v := p.slem(constant); v <= bestSLEM {
			bestWeights, bestSLEM = constant, v
		}
	}
	p.upper = bestSLEM
	for factor := shrink; p.upper > exactSLEM && factor < 0.5; {
		start := *p // step replaces w, it does not write into it
		bound, ok := p.center()
		best.LowerBound = math.Max(best.LowerBound, bound)
		if v := p.slem(p.w); v <= bestSLEM && p.feasible(p.w) {
			bestWeights, bestSLEM, p.upper = p.w, v, v
		}
		if bestSLEM-best.LowerBound <= optimalGap*bestSLEM {
			break
		}
		if !ok { // rounding has the last word here: try once more from the last center, less boldly
			upper := p.upper
			*p = start
			p.upper, factor = upper, math.Sqrt(factor)
			p.mu = p.centeredAt * factor
			continue
		}
		p.centeredAt = p.mu
		p.mu *= factor
	}
	if bestSLEM > exactSLEM {
		best.LowerBound = math.Min(best.LowerBound, bestSLEM)
		best.Gap = (bestSLEM - best.LowerBound) / bestSLEM
	}
	return bestWeights, &best, nil
}

// center follows Newton's directions to the minimum at the current μ. It returns the best lower bound on the way, and
// false when rounding stops it short of the minimum.
func (p *barrier) center() (bound float64, ok bool) {
	for range 50 {
		d, decrement, ok := p.direction()
		if !ok {
			return bound, false
		}
		if decrement < certified {
			bound = math.Max(bound, p.lowerBound(d))
		}
		if !p.step(d, decrement) {
			return bound, false
		}
		if decrement < centered {
			return bound, true
		}
	}
	return bound, false
}

// barrier is a point of the barrier method with what its derivatives are made of.
type barrier struct {
	n           int
	edges       []schedule.Edge
	nonnegative bool
	mu          float64
	centeredAt  float64 // the last μ whose minimum was found
	upper       float64 // least SLEM known: an upper bound of the optimum
	s           float64
	w           []float64
	x, y        *mat.Dense // (sI - M)⁻¹, (sI + M)⁻¹
}

func newBarrier(n int, edges []schedule.Edge, nonnegative bool) *barrier {
	p := &barrier{n: n, edges: edges, nonnegative: nonnegative}
	p.w, _, _ = ruleWeights(n, edges, "metropolis") // strictly inside: positive weights and diagonals
	slem := p.slem(p.w)
	p.s = slem + math.Max(0.1*(1-slem), 0.01)
	p.mu = 0.1 * p.s / float64(2*n)
	p.centeredAt = p.mu
	return p
}

func (p *barrier) constant(v float64) []float64 {
	w := make([]float64, len(p.edges))
	for k := range w {
		w[k] = v
	}
	return w
}

// feasible reports whether weights obey the constraints beside the spectrum.
func (p *barrier) feasible(w []float64) bool {
	if !p.nonnegative {
		return true
	}
	for _, d := range p.diagonal(w) {
		if d < 0 {
			return false
		}
	}
	for _, v := range w {
		if v < 0 {
			return false
		}
	}
	return true
}

// diagonal returns 1 - weighted degree of each node.
func (p *barrier) diagonal(w []float64) []float64 {
	d := make([]float64, p.n)
	for i := range d {
		d[i] = 1
	}
	for k, e := range p.edges {
		d[e.I] -= w[k]
		d[e.J] -= w[k]
	}
	return d
}

// matrix returns c I + sign (I - J - L(w)).
func (p *barrier) matrix(c, sign float64, w []float64) *mat.SymDense {
	m := mat.NewSymDense(p.n, nil)
	d := m.RawSymmetric().Data
	for i := range p.n {
		for j := i; j < p.n; j++ {
			d[i*p.n+j] = -sign / float64(p.n)
		}
		d[i*p.n+i] += c + sign
	}
	for k, e := range p.edges {
		i, j := min(e.I, e.J), max(e.I, e.J)
		d[i*p.n+j] += sign * w[k]
		d[i*p.n+i] -= sign * w[k]
		d[j*p.n+j] -= sign * w[k]
	}
	return m
}

func (p *barrier) slem(w []float64) float64 { return maxAbsEigen(p.matrix(0, 1, w)) }

// value returns the barrier function less (s - s₀)/μ at the current point, or +Inf outside.
func (p *barrier) value(s float64, w []float64) float64 {
	v := (s - p.s) / p.mu
	for _, sign := range []float64{-1, 1} {
		logDet, ok := logDeterminant(p.matrix(s, sign, w))
		if !ok {
			return math.Inf(1)
		}
		v -= logDet
	}
	if p.nonnegative {
		for _, list := range [][]float64{w, p.diagonal(w)} {
			for _, x := range list {
				if x <= 0 {
					return math.Inf(1)
				}
				v -= math.Log(x)
			}
		}
	}
	return v
}

// direction computes the Newton direction in (s, w) and its squared decrement.
func (p *barrier) direction() (d []float64, decrement float64, ok bool) {
	m := len(p.edges)
	var ok1, ok2 bool
	p.x, ok1 = inverse(p.matrix(p.s, -1, p.w))
	p.y, ok2 = inverse(p.matrix(p.s, 1, p.w))
	if !ok1 || !ok2 {
		return nil, 0, false
	}
	gradient := mat.NewVecDense(m+1, nil)
	hessian := mat.NewSymDense(m+1, nil)
	g, h := gradient.RawVector().Data, hessian.RawSymmetric().Data
	stride := m + 1
	g[0] = 1/p.mu - mat.Trace(p.x) - mat.Trace(p.y)
	a, b := p.x.RawMatrix().Data, p.y.RawMatrix().Data
	h[0] = dot(a, a) + dot(b, b)
	n := p.n
	for k, e := range p.edges {
		ei, ej := e.I*n, e.J*n
		g[1+k] = -(a[ei+e.I] - 2*a[ei+e.J] + a[ej+e.J]) + (b[ei+e.I] - 2*b[ei+e.J] + b[ej+e.J])
		h[1+k] = squaredDistance(a[ei:ei+n], a[ej:ej+n]) - squaredDistance(b[ei:ei+n], b[ej:ej+n]) // a_e' X² a_e
		row := h[(1+k)*stride:]
		for l := k; l < m; l++ {
			f := &p.edges[l]
			u := a[ei+f.I] - a[ei+f.J] - a[ej+f.I] + a[ej+f.J]
			v := b[ei+f.I] - b[ei+f.J] - b[ej+f.I] + b[ej+f.J]
			row[1+l] = u*u + v*v
		}
	}
	if p.nonnegative {
		diagonal := p.diagonal(p.w)
		at := make([][]int, n)
		for k, e := range p.edges {
			g[1+k] += -1/p.w[k] + 1/diagonal[e.I] + 1/diagonal[e.J]
			h[(1+k)*stride+1+k] += 1 / (p.w[k] * p.w[k])
			at[e.I], at[e.J] = append(at[e.I], k), append(at[e.J], k)
		}
		for i, list := range at {
			for _, k := range list {
				for _, l := range list {
					if l >= k {
						h[(1+k)*stride+1+l] += 1 / (diagonal[i] * diagonal[i])
					}
				}
			}
		}
	}
	return newton(hessian, gradient)
}

func squaredDistance(x, y []float64) float64 {
	sum := 0.0
	for i, v := range x {
		d := v - y[i]
		sum += d * d
	}
	return sum
}

// step moves along d, by less than the whole where that leaves the domain or does not descend.
func (p *barrier) step(d []float64, decrement float64) bool {
	before := p.value(p.s, p.w)
	w := make([]float64, len(p.w))
	for size := 1.0; size > 1e-10; size /= 2 {
		for k := range w {
			w[k] = p.w[k] + size*d[1+k]
		}
		after := p.value(p.s+size*d[0], w)
		// Close to the center full steps converge quadratically, and rounding in the values says nothing.
		if after <= before-0.1*size*decrement || decrement < 0.05 && !math.IsInf(after, 1) {
			p.s += size * d[0]
			p.w = w
			return true
		}
	}
	return false
}

// lowerBound evaluates the dual point that belongs to the Newton direction at the current center.
func (p *barrier) lowerBound(d []float64) float64 {
	// Z₁ = X - X (ds I + L(dw)) X, Z₂ = Y - Y (ds I - L(dw)) Y, both times μ, which the normalization cancels.
	z1, z2 := p.dual(p.x, d[0], d[1:], 1), p.dual(p.y, d[0], d[1:], -1)
	total := mat.Trace(z1) + mat.Trace(z2)
	if !(total > 0) || !positive(z1) || !positive(z2) {
		return 0
	}
	z1.Sub(z1, z2)
	z1.Scale(1/total, z1)
	bound := mat.Trace(z1) - mat.Sum(z1)/float64(p.n)
	excess := make([]float64, len(p.edges))
	for k, e := range p.edges {
		excess[k] = -(z1.At(e.I, e.I) - z1.At(e.I, e.J) - z1.At(e.J, e.I) + z1.At(e.J, e.J))
	}
	// An optimum has |M_ij| ≤ ‖M‖ ≤ upper and M_ij = w_ij - 1/n on the edges.
	reach := p.upper + 1/float64(p.n)
	if p.nonnegative {
		diagonal := p.diagonal(p.w)
		shift := p.diagonalShift(d)
		for i := range diagonal {
			v := math.Max(0, 1/diagonal[i]-shift[i]/(diagonal[i]*diagonal[i])) / total
			bound -= v
			for k, e := range p.edges {
				if e.I == i || e.J == i {
					excess[k] += v
				}
			}
		}
		for k := range excess {
			excess[k] -= math.Max(0, 1/p.w[k]-d[1+k]/(p.w[k]*p.w[k])) / total
		}
	}
	for _, r := range excess {
		bound -= reach * math.Abs(r)
	}
	return bound
}

// diagonalShift is the change of each diagonal entry along d.
func (p *barrier) diagonalShift(d []float64) []float64 {
	shift := make([]float64, p.n)
	for k, e := range p.edges {
		shift[e.I] -= d[1+k]
		shift[e.J] -= d[1+k]
	}
	return shift
}

func (p *barrier) dual(x *mat.Dense, ds float64, dw []float64, sign float64) *mat.Dense {
	move := mat.NewDense(p.n, p.n, nil)
	d := move.RawMatrix().Data
	for i := range p.n {
		d[i*p.n+i] = ds
	}
	for k, e := range p.edges {
		v := sign * dw[k]
		d[e.I*p.n+e.I] += v
		d[e.J*p.n+e.J] += v
		d[e.I*p.n+e.J] -= v
		d[e.J*p.n+e.I] -= v
	}
	var tmp, out mat.Dense
	tmp.Mul(x, move)
	out.Mul(&tmp, x)
	out.Sub(x, &out)
	return &out
}

// positive reports whether a matrix that is symmetric up to rounding is positive definite.
func positive(z *mat.Dense) bool {
	n, _ := z.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (z.At(i, j)+z.At(j, i))/2)
		}
	}
	_, ok := factor(s)
	return ok
}
