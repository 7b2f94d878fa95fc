package bounds

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Worst cases of the subgradient method with mixing (dgd, K steps of 1/√K, ‖subgradients‖ ≤ 1, common start within 1 of
// a minimum; criterion: f at the mean over islands and k = 0, ..., K, minus f*), by performance estimation: an
// independent semidefinite program, accurate to 1e-6.
var worstCases = []struct {
	n      int
	lambda float64
	k      int
	pep    float64
}{
	{2, 0, 1, .750000}, {2, 0, 3, .566593}, {2, .5, 3, .547280}, {2, -.5, 3, .604454}, {3, -.5, 3, .604454}, {2, .5, 5, .476137},
	{2, .9, 5, .520419}, {2, -.5, 5, .615226}, {3, -.5, 5, .615226}, {2, 0, 10, .414384}, {2, .5, 10, .378520}, {2, -.5, 10, .576114}, {3, -.5, 10, .576114},
}

// The published formula must lie above the worst case, and every run below it. Where a run exceeds the worst case, the
// simulation is not the method; where the formula falls below, it is no bound.
func TestSubgradientsBetweenRunsAndFormula(t *testing.T) {
	th := theorem(t, "colla-gap")
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range worstCases {
		n := Numbers{Algorithm: "dgd", N: c.n, H: 1, Lambda: math.Abs(c.lambda), Distance2: 1, Bound2: 1, Symmetric: true, Doubly: true}
		b := th.Bound(n, []int{c.k})
		if !b.Applicable || b.Points[0].Value < c.pep {
			t.Errorf("n=%d λ=%g K=%d: formula %+v below the worst case %g", c.n, c.lambda, c.k, b.Points, c.pep)
		}
		worst := 0.0
		for range 1500 {
			worst = max(worst, runSubgradients(rng, c.n, c.lambda, c.k, 1+rng.IntN(3)))
		}
		if worst > c.pep+2e-6 {
			t.Errorf("n=%d λ=%g K=%d: a run reached %.7g, above the worst case %g", c.n, c.lambda, c.k, worst, c.pep)
		}
		if worst < 0.4*c.pep {
			t.Errorf("n=%d λ=%g K=%d: no run passed %.3g of the worst case %g: the test says little", c.n, c.lambda, c.k, worst, c.pep)
		}
	}
}

// runSubgradients runs dgd on f_i(x) = r_i max_k |a_ik'x - c_ik| with unit vectors a and r ≤ 1, and returns the
// criterion. Offsets c are 0 in several dimensions, where the minimum is then 0 at x = 0; in one dimension, with one
// row each, the minimum is at a c_i.
func runSubgradients(rng *rand.Rand, n int, lambda float64, steps, d int) float64 {
	rows := 1 + rng.IntN(3)
	if d == 1 {
		rows = 1
	}
	r, a, c := make([]float64, n), make([][][]float64, n), make([]float64, n)
	for i := range n {
		r[i] = 1 - rng.Float64()*rng.Float64()*float64(rng.IntN(2))
		if d == 1 {
			c[i] = rng.NormFloat64() * 0.5
		}
		for range rows {
			v, norm := make([]float64, d), 0.0
			for k := range v {
				v[k] = rng.NormFloat64()
				norm += v[k] * v[k]
			}
			for k := range v {
				v[k] /= math.Sqrt(norm)
			}
			a[i] = append(a[i], v)
		}
	}
	value := func(i int, x []float64) (float64, []float64) {
		best, g := -1.0, make([]float64, d)
		for _, row := range a[i] {
			dot := -c[i] * row[0]
			for k := range x {
				dot += row[k] * x[k]
			}
			if math.Abs(dot) > best {
				best = math.Abs(dot)
				for k := range g {
					g[k] = r[i] * math.Copysign(row[k], dot*row[k])
				}
			}
		}
		return r[i] * best, g
	}
	f := func(x []float64) float64 {
		sum := 0.0
		for i := range n {
			v, _ := value(i, x)
			sum += v / float64(n)
		}
		return sum
	}
	star, least := make([]float64, d), f(make([]float64, d))
	if d == 1 {
		least = math.Inf(1)
		for i := range n {
			if v := f([]float64{c[i]}); v < least {
				least, star[0] = v, c[i]
			}
		}
	}
	x, mean := make([][]float64, n), make([]float64, d)
	direction, norm := make([]float64, d), 0.0
	for k := range d {
		direction[k] = rng.NormFloat64()
		norm += direction[k] * direction[k]
	}
	for i := range n {
		x[i] = make([]float64, d)
		for k := range d {
			x[i][k] = star[k] + direction[k]/math.Sqrt(norm)
		}
	}
	for step := range steps + 1 {
		next := make([][]float64, n)
		for i := range n {
			_, g := value(i, x[i])
			next[i] = make([]float64, d)
			for k := range d {
				mean[k] += x[i][k] / float64(n*(steps+1))
				for j := range n { // W = J + λ (I - J)
					w := (1 - lambda) / float64(n)
					if i == j {
						w += lambda
					}
					next[i][k] += w * x[j][k]
				}
				next[i][k] -= g[k] / math.Sqrt(float64(steps))
			}
		}
		if step < steps {
			x = next
		}
	}
	return f(mean) - least
}
