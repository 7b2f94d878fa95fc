package gossip

import (
	"context"
	"math"
	"strings"
	"testing"
)

// residual returns ‖Q(x) - x‖² / ‖x‖².
func residual(c *compressor, x []float64, r *source) float64 {
	y := make([]float64, len(x))
	c.apply(y, x, r, true)
	num := 0.0
	for i, v := range x {
		num += (y[i] - v) * (y[i] - v)
	}
	return num / dot(x, x)
}

func TestTopK(t *testing.T) {
	x := []float64{4, -3, 2, 1, .5, .1, -.05, .01}
	for k, want := range map[int]float64{1: .471294601, 2: .173897814, 4: .00867737736} { // by hand from the squares
		if got := residual(newCompressor(Algorithm{Compress: "top-k", K: k}, 8), x, nil); math.Abs(got-want) > 1e-9 {
			t.Errorf("k=%d: residual %.9g, want %.9g", k, got, want)
		}
	}
	y := make([]float64, 4)
	newCompressor(Algorithm{Compress: "top-k", K: 2}, 4).apply(y, []float64{1, -1, 1, 1}, nil, true)
	if y[0] != 1 || y[1] != -1 || y[2] != 0 || y[3] != 0 {
		t.Errorf("ties: %v", y)
	}
}

func TestInt8(t *testing.T) {
	x := []float64{.5, -1, .25, .9, -.3}
	y := make([]float64, 5)
	c := newCompressor(Algorithm{Compress: "int8"}, 5)
	c.apply(y, x, nil, false)
	for i, want := range []float64{.503937008, -1, .251968504, .897637795, -.299212598} { // multiples of 1/127
		if math.Abs(y[i]-want) > 1e-9 {
			t.Errorf("entry %d is %.9f, want %.9f", i, y[i], want)
		}
	}
	if got := residual(c, x, nil); math.Abs(got-1.15593452e-5) > 1e-13 {
		t.Errorf("residual %g", got)
	}
}

// TestContraction checks E ‖Q(x) - x‖² ≤ (1-ω) ‖x‖² on random vectors (exactly 1-ω for rand-k), and that qsgd without
// its division is unbiased.
func TestContraction(t *testing.T) {
	draw := newSource(1, 0, 0, "test")
	for _, a := range []Algorithm{{Compress: "top-k", K: 3}, {Compress: "rand-k", K: 3}, {Compress: "qsgd", Levels: 2}, {Compress: "qsgd", Levels: 30}, {Compress: "sign"}, {Compress: "int8"}} {
		c := newCompressor(a, 10)
		x := make([]float64, 10)
		draw.normals(x)
		x[3] *= 10
		sum, squares := 0.0, 0.0
		const draws = 20000
		mean, y := make([]float64, 10), make([]float64, 10)
		for range draws {
			v := residual(c, x, draw)
			sum += v
			squares += v * v
			c.apply(y, x, draw, false)
			add(mean, y)
		}
		average := sum / draws
		uncertainty := 5*math.Sqrt(max(0, squares/draws-average*average)/draws) + 1e-12
		limit := 1 - c.omega(10)
		if average > limit+uncertainty || a.Compress == "rand-k" && average < limit-uncertainty {
			t.Errorf("%+v: residual %g, bound %g", a, average, limit)
		}
		if a.Compress != "qsgd" {
			continue
		}
		for i, v := range x {
			if math.Abs(mean[i]/draws-v) > 0.2/math.Sqrt(float64(a.Levels)) {
				t.Errorf("%+v: entry %d has mean %g, want %g", a, i, mean[i]/draws, v)
			}
		}
	}
}

// TestChocoGamma has the published step on ring 8 with d = 16 and top-k, and its contraction 1 - δ²ω/82 of
// Σ ‖x_i - x̄‖² + ‖x_i - x̂_i‖², which gossip without gradients must keep.
func TestChocoGamma(t *testing.T) {
	seq := ring(t, 8, 1, 1)
	for _, c := range []struct {
		k             int
		gamma, factor float64
	}{{16, .00405368096, .999535033}, {4, .000901169492, .999883758}, {1, .000219221885, .999970940}} {
		gamma, err := chocoGamma(seq, float64(c.k)/16)
		if err != nil || math.Abs(gamma-c.gamma) > 1e-11 {
			t.Errorf("k=%d: gamma %.9g, want %.9g (%v)", c.k, gamma, c.gamma, err)
		}
		q := flat(t, 8, 16)
		st := (&simulation{q: q, seq: seq, step: 1, alg: Algorithm{Name: "choco", Compress: "top-k", K: c.k}}).newStepper().(*chocoStepper)
		st.reset(0)
		lyapunov := func() float64 {
			e := 0.0
			s := &simulation{q: q, weights: q.weights(), star: make([]float64, 16)}
			e = 8 * s.measure(st.x).Consensus
			for k, v := range st.x {
				e += (v - st.public[k]) * (v - st.public[k])
			}
			return e
		}
		st.round(0)
		first := lyapunov()
		for round := 1; round <= 500; round++ {
			st.round(round)
		}
		if last := lyapunov(); last > first*math.Pow(c.factor, 500) {
			t.Errorf("k=%d: from %g to %g in 500 rounds, above the published factor", c.k, first, last)
		}
	}
}

// flat is a problem without curvature and noise, from random starts: gossip alone.
func flat(t *testing.T, n, d int) *Quadratic {
	t.Helper()
	q := Quadratic{Diagonal: true}
	for i := range n {
		start := make([]float64, d)
		newSource(1, 0, uint64(i), "test").normals(start)
		q.A, q.B, q.Start = append(q.A, make([]float64, d)), append(q.B, make([]float64, d)), append(q.Start, start)
	}
	out, err := NewQuadratic(q)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestChocoWithoutLoss: with nothing compressed and γ = 1, choco is atc, bit for bit up to rounding.
func TestChocoWithoutLoss(t *testing.T) {
	q := problem(t, instanceC)
	run := func(line string) *SimulateResult {
		alg, err := ParseAlgorithm(line)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Simulate(context.Background(), q, ring4(t), SimulateOptions{Algorithm: alg, Step: 0.1, At: []int{1, 20}, Runs: 20})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	a, b := run("choco:compress=top-k,k=2,gamma=1"), run("atc")
	for i := range a.Points {
		if math.Abs(a.Points[i].MSE.Mean-b.Points[i].MSE.Mean) > 1e-13 {
			t.Errorf("choco %+v, atc %+v", a.Points[i].MSE, b.Points[i].MSE)
		}
	}
	// Fine quantization of pseudo-gradients changes little, coarse a lot.
	exact := run("diloco").Points[1].MSE.Mean
	if fine := run("diloco:compress=int8").Points[1].MSE.Mean; fine == exact || math.Abs(fine-exact) > 0.02*exact {
		t.Errorf("int8: %g, without %g", fine, exact)
	}
}

// TestReducedGradientsWithoutLoss: with every entry sent, no momentum, or full rank, both are atc on exact averaging.
func TestReducedGradientsWithoutLoss(t *testing.T) {
	for _, text := range []string{instanceC, instanceN} {
		q := problem(t, text)
		var want *SimulateResult
		for _, line := range []string{"atc", "dgc:k=2,momentum=0", "powersgd:rank=2"} {
			alg, err := ParseAlgorithm(line)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Simulate(context.Background(), q, complete(t, 4, 1), SimulateOptions{Algorithm: alg, Step: 0.1, At: []int{1, 20}, Runs: 20, Stepwise: true})
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = r
			}
			for i := range r.Points {
				if math.Abs(r.Points[i].MSE.Mean-want.Points[i].MSE.Mean) > 1e-12 || r.Points[i].Consensus.Mean > 1e-25 {
					t.Errorf("%s: %+v, atc %+v", line, r.Points[i], want.Points[i])
				}
			}
		}
	}
}

// TestErrorFeedbackConverges: what is not sent is kept, so without noise both reach the optimum.
func TestErrorFeedbackConverges(t *testing.T) {
	q := family(t, "quadratic:d=30,noise=0,heterogeneity=0", 4)
	for _, line := range []string{"dgc:k=3,momentum=0.5", "powersgd:rank=1", "choco:compress=top-k,k=5,gamma=0.3"} {
		alg, err := ParseAlgorithm(line)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Simulate(context.Background(), q, complete(t, 4, 1), SimulateOptions{Algorithm: alg, Step: 0.05, At: []int{0, 3000}, Runs: 1})
		if err != nil {
			t.Fatal(err)
		}
		if start, end := r.Points[0].Centroid.Mean, r.Points[1].Centroid.Mean; end > 1e-6*start {
			t.Errorf("%s: centroid error from %g to %g", line, start, end)
		}
	}
}

func TestOrthonormalize(t *testing.T) {
	p := []float64{3, 1, 6, 4, 1, 8, 0, 2, 0} // 3 × 3, third column twice the first
	orthonormalize(p, 3, 3)
	for a := range 3 {
		for b := range 3 {
			sum := 0.0
			for r := range 3 {
				sum += p[r*3+a] * p[r*3+b]
			}
			want := 0.0
			if a == b && a < 2 {
				want = 1
			}
			if math.Abs(sum-want) > 1e-14 {
				t.Errorf("columns %d and %d have product %g, want %g", a, b, sum, want)
			}
		}
	}
}

func TestCompressionIsSimulatedOnly(t *testing.T) {
	q := problem(t, instanceC)
	for _, line := range []string{"choco", "diloco:compress=int8", "dgc", "powersgd"} {
		alg, err := ParseAlgorithm(line)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Exact(context.Background(), q, ring4(t), ExactOptions{Algorithm: alg}); err == nil || !strings.Contains(err.Error(), "simulate it") {
			t.Errorf("%s: error %v", line, err)
		}
	}
	if _, err := Simulate(context.Background(), q, matchings(t), SimulateOptions{Algorithm: Algorithm{Name: "powersgd", Rank: 1}}); err == nil || !strings.Contains(err.Error(), "of round 1 does not do it") {
		t.Errorf("error %v", err)
	}
	if _, err := Simulate(context.Background(), q, matchings(t), SimulateOptions{Algorithm: Algorithm{Name: "choco", Compress: "sign"}}); err == nil || !strings.Contains(err.Error(), "give gamma=") {
		t.Errorf("error %v", err)
	}
}
