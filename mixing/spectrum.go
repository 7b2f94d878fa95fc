package mixing

import (
	"fmt"
	"math"
)

// spectrum is what is known of W-J.
type spectrum struct {
	slem, sigma float64
	method      string
	bound       float64   // |slem - value| is at most this; NaN: not known
	normal      bool      // W is normal: symmetric, or commuting with its transpose by its structure
	transitive  bool      // looks the same from every node
	squares     []float64 // |eigenvalues|² off consensus where W is normal and they are all known
}

// denseSpectrum is the largest n whose eigenvalues are computed densely, one and all.
const denseSpectrum = 500

// rounding is the bound on an eigenvalue of a normal matrix of norm 1 from a backward stable dense method or a sum of a
// few terms. Of a matrix that is not normal there is none: an eigenvalue in a Jordan block of size k moves by ε^(1/k).
const rounding = 1e-14

// spectrumOf returns the spectral radius and the norm of W-J, by the first way that applies: structure (cliques, then
// characters), dense eigenvalues, a banded factorization, Lanczos.
func spectrumOf(w *Matrix) spectrum {
	n := w.n
	if w.rows == nil { // (1-θ) I + θ × projection of known rank
		if n == 1 || len(w.cliques) == 1 && len(w.cliques[0]) == n {
			v := 0.0
			if n > 1 {
				v = 1 - w.theta
			}
			return spectrum{slem: v, sigma: v, method: "closed form: averaging of all nodes", normal: true}
		}
		return spectrum{slem: 1, sigma: 1, method: "closed form: averaging of disjoint cliques", normal: true}
	}
	if w.isJ() {
		return spectrum{method: "closed form: averaging of all nodes", normal: true, transitive: true, squares: make([]float64, n-1)}
	}
	stochastic, symmetric := w.DoublyStochastic(), w.Symmetric()
	if stochastic {
		if g, rows, ok := symmetry([]*Matrix{w}); ok {
			squares := g.squares(rows[0])
			top := 0.0
			for _, v := range squares {
				top = math.Max(top, v)
			}
			v := math.Sqrt(top)
			return spectrum{v, v, "closed form: characters of " + g.name(), rounding * max(1, w.rowNorm(0)), true, true, squares}
		}
	}
	switch {
	case n <= denseSpectrum && symmetric && stochastic:
		low, high, squares := denseEnds(w)
		v := math.Max(math.Abs(low), math.Abs(high))
		return spectrum{slem: v, sigma: v, method: "dense eigenvalues", bound: rounding*max(1, v) + w.defect(), normal: true, squares: squares}
	case symmetric && stochastic:
		low, high, method, bound := symmetricEnds(w, true)
		v := math.Max(math.Abs(low), math.Abs(high))
		return spectrum{slem: v, sigma: v, method: method, bound: bound + w.defect(), normal: true}
	case n <= DenseLimit:
		dense := w.Dense()
		s := spectrum{slem: spectralRadius(minusJ(dense)), sigma: DisagreementNorm(dense), method: "dense eigenvalues and singular values", bound: math.NaN()}
		if symmetric {
			s.slem, s.bound = s.sigma, rounding*max(1, s.sigma)+w.defect()
		}
		return s
	default:
		op := newBlock([]*Matrix{w})
		sigma := operatorNorm(op)
		s := spectrum{slem: math.NaN(), sigma: sigma, bound: math.NaN(), method: "Lanczos for the norm; no eigenvalues of a large matrix that is not symmetric"}
		if symmetric {
			s.slem, s.method = sigma, "Lanczos"
		}
		return s
	}
}

// denseEnds returns the extreme eigenvalues off consensus of a symmetric doubly stochastic matrix, and the squares of
// all of them.
func denseEnds(w *Matrix) (low, high float64, squares []float64) {
	values := eigenvalues(denseSym(w))
	drop := 0 // the consensus eigenvalue, 1
	for i, v := range values {
		if math.Abs(v-1) < math.Abs(values[drop]-1) {
			drop = i
		}
	}
	values = append(values[:drop], values[drop+1:]...)
	if len(values) == 0 {
		return 0, 0, nil
	}
	for _, v := range values {
		squares = append(squares, v*v)
	}
	return values[0], values[len(values)-1], squares
}

// symmetricEnds returns the extreme eigenvalues off consensus of a symmetric doubly stochastic matrix of any size,
// with the way they were found and a bound on their error. With radius the end that is smaller in size need only be a
// bound.
func symmetricEnds(w *Matrix, radius bool) (low, high float64, method string, bound float64) {
	if w.n <= denseSpectrum {
		low, high, _ = denseEnds(w)
		return low, high, "dense eigenvalues", rounding
	}
	order, band := cuthillMcKee(w)
	work := float64(w.n) * float64(band+1) * float64(band+1)
	var e ends
	if work > narrowWork {
		e = lanczos(w.n, newBlock([]*Matrix{w}).mul, nil, radius)
		size, residual := e.size()
		if !radius {
			residual = math.Max(e.lowResidual, e.highResidual)
		}
		if residual <= lanczosTol*size || work > bandWork {
			return e.low, e.high, "Lanczos", residual
		}
	}
	up, r1, ok1 := bandGap(w, order, band, 1)
	down, r2, ok2 := 1+disk(w), 0.0, true
	if !radius || -(down-1) > 1-up {
		down, r2, ok2 = bandGap(w, order, band, -1)
	}
	if ok1 && ok2 {
		return down - 1, 1 - up, fmt.Sprintf("shift-invert Lanczos on a band of %d", band), math.Max(r1*up, r2*down) + bandShift
	}
	if work <= narrowWork { // eigenvalues beyond ±1
		e = lanczos(w.n, newBlock([]*Matrix{w}).mul, nil, radius)
	}
	return e.low, e.high, "Lanczos", math.Max(e.lowResidual, e.highResidual)
}

// disk returns Gershgorin's lower bound of the eigenvalues.
func disk(w *Matrix) float64 {
	low := 0.0
	for i, row := range w.rows {
		v := 0.0
		for _, t := range row {
			if t.J == i {
				v += t.Weight
			} else {
				v -= math.Abs(t.Weight)
			}
		}
		low = math.Min(low, v)
	}
	return low
}

// isJ reports whether every weight is 1/n within the tolerance that makes a weight a fraction.
func (m *Matrix) isJ() bool {
	for _, row := range m.rows {
		if len(row) != m.n {
			return false
		}
		for _, t := range row {
			if math.Abs(t.Weight-1/float64(m.n)) > fractionTol {
				return false
			}
		}
	}
	return m.rows != nil
}

// defect bounds how far what is left of symmetry and of sums of 1, both tested by tolerance, moves an eigenvalue.
func (m *Matrix) defect() float64 {
	worst := 0.0
	for i, row := range m.rows {
		skew, sum := 0.0, -1.0
		for _, t := range row {
			skew += math.Abs(t.Weight - m.at(t.J, i))
			sum += t.Weight
		}
		worst = max(worst, skew+math.Abs(sum))
	}
	return worst
}

// rowNorm is Σ_j |W_ij|.
func (m *Matrix) rowNorm(i int) float64 {
	sum := 0.0
	for _, t := range m.rows[i] {
		sum += math.Abs(t.Weight)
	}
	return sum
}
