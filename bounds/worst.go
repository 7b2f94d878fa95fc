package bounds

import (
	"math"
	"slices"
)

// worstCase maximizes the exact recursion of class over the curvature.
type worstCase struct {
	c        *setup
	modes    []mode
	quantity string
	h        int         // local steps of a round
	nodes    []noiseNode // filled at first use
}

// noiseNode stands for the nodes of which the modes look alike: their weights in each mode, and their noise together.
type noiseNode struct {
	at    []float64
	noise float64 // Σ tr N_i / n
}

// at returns the worst value after t rounds and notes in b where it is reached.
func (w *worstCase) at(t int, b *Bound) float64 {
	c := w.c
	total := 0.0
	add := func(budget string, value, curvature, mode float64) {
		total += value
		b.Worst = append(b.Worst, Worst{t, budget, curvature, mode, capped(value)})
	}
	if w.quantity != Consensus && c.constants.StartCentroid > 0 {
		v, a := w.maximum(func(x cell) float64 { return math.Pow(w.a(1, x).abs(), float64(2*t)) })
		add("start", c.constants.StartCentroid*v, a, 1)
	}
	if w.quantity != Centroid {
		// Amplitudes: what a unit of start, and a unit of ζ*, leaves in the mode where it leaves most.
		start, heterogeneity := w.overModes(c.constants.StartConsensus, t, w.kept), w.overModes(c.constants.Zeta2, t, w.driven)
		if start.value > 0 && heterogeneity.value > 0 {
			v := 2 * start.value * heterogeneity.value
			add("start and heterogeneity together", v, heterogeneity.curvature, heterogeneity.mode)
		}
		if start.value > 0 {
			add("start", start.value*start.value, start.curvature, start.mode)
		}
		if heterogeneity.value > 0 {
			add("heterogeneity", heterogeneity.value*heterogeneity.value, heterogeneity.curvature, heterogeneity.mode)
		}
	}
	if v, a := w.noise(t); v > 0 {
		add("noise", v, a, 1)
	}
	return total
}

type found struct{ value, curvature, mode float64 }

// overModes returns √budget times the largest amplitude over all modes but the average.
func (w *worstCase) overModes(budget float64, t int, amplitude func(lambda float64, t int) (float64, float64)) found {
	best := found{}
	if budget == 0 {
		return best
	}
	for k, m := range w.modes[1:] {
		if v, a := amplitude(m.lambda, t); v > best.value || k == 0 {
			best = found{v, a, m.lambda}
		}
	}
	best.value *= math.Sqrt(budget)
	return best
}

// kept returns max |A|^t.
func (w *worstCase) kept(lambda float64, t int) (float64, float64) {
	return w.maximum(func(x cell) float64 { return math.Pow(w.a(lambda, x).abs(), float64(t)) })
}

// driven returns max |B s_t(A)|.
func (w *worstCase) driven(lambda float64, t int) (float64, float64) {
	return w.maximum(func(x cell) float64 {
		b, a := w.b(lambda, x).abs(), w.a(lambda, x)
		if b == 0 {
			return 0
		}
		return b * max(math.Abs(geometric(a.lo, t)), math.Abs(geometric(a.hi, t))) // |s_t| is quasi-convex
	})
}

// noise returns the worst noise part: every island's noise at its own worst curvature. The curvature returned is that
// of the island that contributes most.
func (w *worstCase) noise(t int) (value, curvature float64) {
	w.groupNodes()
	most := 0.0
	for _, node := range w.nodes {
		v, a := w.maximum(func(x cell) float64 {
			sum := 0.0
			for k, m := range w.modes {
				if node.at[k] == 0 || w.quantity == Centroid && k > 0 || w.quantity == Consensus && k == 0 {
					continue
				}
				if c := w.variance(m.lambda, x); c > 0 {
					largest := w.a(m.lambda, x).abs()
					sum += node.at[k] * c * geometric(largest*largest, t)
				}
			}
			return sum
		})
		if v *= node.noise; v > most {
			most, curvature = v, a
		}
		value += v
	}
	return value, curvature
}

// groupNodes joins the nodes of which the modes look alike, all of them in a vertex-transitive graph.
func (w *worstCase) groupNodes() {
	if w.nodes != nil {
		return
	}
	q := w.c.Problem
	w.nodes = []noiseNode{}
	for i := range q.N {
		at := make([]float64, len(w.modes))
		for k, m := range w.modes {
			at[k] = m.at[i]
		}
		trace := 0.0
		for k := range q.D {
			if q.Diagonal {
				trace += q.Noise[i][k]
			} else {
				trace += q.Noise[i][k*q.D+k]
			}
		}
		trace /= float64(q.N)
		known := slices.IndexFunc(w.nodes, func(o noiseNode) bool {
			for k := range at {
				if math.Abs(o.at[k]-at[k]) > joinTol {
					return false
				}
			}
			return true
		})
		if known < 0 {
			w.nodes = append(w.nodes, noiseNode{at, trace})
			continue
		}
		o := &w.nodes[known]
		o.noise += trace
		for k := range at {
			o.at[k] = max(o.at[k], at[k])
		}
	}
}

// grows reports whether a round can leave as much as there was, so that what is added piles up.
func (w *worstCase) grows() bool {
	whole := w.whole()
	for k, m := range w.modes {
		if w.quantity == Centroid && k > 0 || w.quantity == Consensus && k == 0 {
			continue
		}
		if w.a(m.lambda, whole).abs() >= 1 {
			return true
		}
	}
	return false
}

// cell is an interval of curvatures.
type cell struct{ lo, hi float64 }

func (w *worstCase) whole() cell { return cell{w.c.constants.Mu, w.c.constants.L} }

func (w *worstCase) z(x cell) span { return span{1 - w.c.step*x.hi, 1 - w.c.step*x.lo} }

// a, b and variance are A, B and C of the table in class, over a cell.
func (w *worstCase) a(lambda float64, x cell) span {
	z := w.z(x)
	if w.c.Algorithm.String() == "dgd" {
		return span{lambda - w.c.step*x.hi, lambda - w.c.step*x.lo}.times(z.power(w.h - 1))
	}
	return span{lambda, lambda}.times(z.power(w.h))
}

func (w *worstCase) b(lambda float64, x cell) span {
	eta, z := w.c.step, w.z(x)
	switch w.c.Algorithm.String() {
	case "cta":
		return span{eta, eta}.times(z.sum(w.h))
	case "dgd":
		v := span{lambda - eta*x.hi, lambda - eta*x.lo}.times(z.sum(w.h - 1))
		return span{eta * (1 + v.lo), eta * (1 + v.hi)}
	}
	return span{eta * lambda, eta * lambda}.times(z.sum(w.h))
}

// variance returns the largest C over a cell.
func (w *worstCase) variance(lambda float64, x cell) float64 {
	eta, z := w.c.step, w.z(x).abs()
	switch w.c.Algorithm.String() {
	case "cta":
		return eta * eta * geometric(z*z, w.h)
	case "dgd":
		v := span{lambda - eta*x.hi, lambda - eta*x.lo}.abs()
		return eta * eta * (1 + v*v*geometric(z*z, w.h-1))
	}
	return eta * eta * lambda * lambda * geometric(z*z, w.h)
}

// maximum returns max over [μ, L] of a function given as an upper bound over cells that is exact on points, and where it
// is reached. Cells are halved, the most promising first, until the upper bound is within maximumTol of a value that
// was found; the upper bound is returned. Most functions here are largest at an end, and their bound over the whole
// interval says so at once.
func (w *worstCase) maximum(upper func(cell) float64) (value, at float64) {
	whole := w.whole()
	low, at := upper(cell{whole.lo, whole.lo}), whole.lo
	look := func(a float64) {
		if v := upper(cell{a, a}); v > low {
			low, at = v, a
		}
	}
	look(whole.hi)
	type bounded struct {
		cell
		upper float64
	}
	cells := []bounded{{whole, upper(whole)}}
	for range maximumCells {
		best := 0
		for k := range cells {
			if cells[k].upper > cells[best].upper {
				best = k
			}
		}
		top := cells[best]
		middle := top.lo + (top.hi-top.lo)/2
		if top.upper <= low*(1+maximumTol) || !(top.upper < math.MaxFloat64) || middle <= top.lo || middle >= top.hi {
			return max(top.upper, low), at
		}
		look(middle)
		left, right := cell{top.lo, middle}, cell{middle, top.hi}
		cells[best] = bounded{left, upper(left)}
		cells = append(cells, bounded{right, upper(right)})
	}
	most := low
	for _, x := range cells {
		most = max(most, x.upper)
	}
	return most, at
}

const (
	// maximumTol is the relative width of the certified interval around a maximum over the curvature.
	maximumTol = 1e-10

	// maximumCells bounds the search where a maximum lies inside; the upper bound is returned in any case, then some
	// 1e-6 above the maximum.
	maximumCells = 600
)

// span is an interval of numbers.
type span struct{ lo, hi float64 }

func (s span) abs() float64 { return max(math.Abs(s.lo), math.Abs(s.hi)) }

func (s span) times(o span) span {
	a, b, c, d := product(s.lo, o.lo), product(s.lo, o.hi), product(s.hi, o.lo), product(s.hi, o.hi)
	return span{min(a, b, c, d), max(a, b, c, d)}
}

// product is a·b with 0·∞ = 0.
func product(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return a * b
}

// power returns the range of z^m.
func (s span) power(m int) span {
	a, b := math.Pow(s.lo, float64(m)), math.Pow(s.hi, float64(m))
	p := span{min(a, b), max(a, b)}
	if m > 0 && m%2 == 0 && s.lo < 0 && s.hi > 0 {
		p.lo = 0
	}
	return p
}

// sum contains the range of s_m(z) = 1 + z + … + z^(m-1). It is increasing where m is even or z ≥ 0; otherwise it is
// 1 + z s_{m-1}(z) with an even number.
func (s span) sum(m int) span {
	switch {
	case m <= 1:
		return span{float64(m), float64(m)}
	case m%2 == 0 || s.lo >= 0 || s.lo == s.hi:
		return span{geometric(s.lo, m), geometric(s.hi, m)}
	}
	v := s.times(s.sum(m - 1))
	return span{1 + v.lo, 1 + v.hi}
}

// geometric returns 1 + x + … + x^(m-1), accurate near x = 1.
func geometric(x float64, m int) float64 {
	switch {
	case m == 0:
		return 0
	case x == 1:
		return float64(m)
	case x > 0.5:
		return math.Expm1(float64(m)*math.Log(x)) / (x - 1)
	}
	return (1 - math.Pow(x, float64(m))) / (1 - x)
}
