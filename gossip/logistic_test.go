package gossip

import (
	"context"
	"math"
	"strings"
	"testing"
)

func logistic(t *testing.T, line string, n int) *Logistic {
	t.Helper()
	l, err := ParseLogistic(line, n)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLogisticConstants(t *testing.T) {
	l := logistic(t, "logistic:d=4,samples=50,ridge=0.05", 3)
	c := l.Constants()
	// The gradient of the average vanishes at x*, and the constants are what their definitions say, term by term.
	total, g := make([]float64, 4), make([]float64, 4)
	zeta, sigma := 0.0, 0.0
	for i := range 3 {
		l.gradient(i, c.XStar, g)
		axpy(total, 1./3, g)
		zeta += dot(g, g) / 3
		for j := range 50 {
			e := make([]float64, 4)
			axpy(e, l.pull(i, j, c.XStar), l.row(i, j))
			axpy(e, l.Ridge, c.XStar)
			axpy(e, -1, g)
			sigma += dot(e, e) / 150
		}
	}
	if math.Sqrt(dot(total, total)) > 1e-13 || math.Abs(zeta-c.Zeta2) > 1e-14 || math.Abs(sigma-c.Sigma2) > 1e-13 || math.Abs(c.MeanNoise-sigma/3) > 1e-13 {
		t.Errorf("gradient %g, ζ² %g (%g), σ² %g (%g)", math.Sqrt(dot(total, total)), c.Zeta2, zeta, c.Sigma2, sigma)
	}
	// The gradient is the slope of the loss.
	loss := func(x []float64) float64 {
		v := l.Ridge / 2 * dot(x, x)
		for j := range 50 {
			v += math.Log1p(math.Exp(-l.Labels[0][j]*dot(l.row(0, j), x))) / 50
		}
		return v
	}
	x := []float64{.3, -.2, .5, 1}
	l.gradient(0, x, g)
	for k := range x {
		const h = 1e-5
		up, down := append([]float64(nil), x...), append([]float64(nil), x...)
		up[k] += h
		down[k] -= h
		if slope := (loss(up) - loss(down)) / (2 * h); math.Abs(slope-g[k]) > 1e-9 {
			t.Errorf("gradient %d is %g, difference quotient %g", k, g[k], slope)
		}
	}
}

// TestLogisticConverges: near x* it behaves as theory says of smooth functions: smaller steps end closer, and the noise
// floor of exact averaging is about η σ²/(n·2·curvature), between the values for L and for μ.
func TestLogisticConverges(t *testing.T) {
	l := logistic(t, "logistic:d=3,samples=40,heterogeneity=0.5,ridge=0.2", 4)
	c := l.Constants()
	var floor [2]float64
	for k, step := range []float64{0.2, 0.05} {
		r, err := Simulate(context.Background(), l, complete(t, 4, 1), SimulateOptions{Step: step, At: []int{0, 1000}, Runs: 400})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(r.Points[0].Centroid.Mean-c.StartCentroid) > 1e-14 {
			t.Errorf("starts at %g, want %g", r.Points[0].Centroid.Mean, c.StartCentroid)
		}
		floor[k] = r.Points[1].Centroid.Mean
		low, high := step*c.MeanNoise/(2*c.L)*0.8, step*c.MeanNoise/(2*c.Mu)*1.5
		if floor[k] < low || floor[k] > high || r.Points[1].Consensus.Mean > 1e-25 {
			t.Errorf("step %g: centroid %g outside %g to %g, consensus %g", step, floor[k], low, high, r.Points[1].Consensus.Mean)
		}
	}
	if ratio := floor[0] / floor[1]; ratio < 3 || ratio > 5.5 {
		t.Errorf("four times the step ends %g times as far", ratio)
	}
}

func TestLogisticRunsEverything(t *testing.T) {
	l := logistic(t, "logistic:d=5,samples=20", 4)
	for _, line := range []string{"atc", "cta", "dgd", "gradient-tracking", "delayed:tau=1", "push-sum", "choco:compress=top-k,k=1", "diloco", "dgc", "powersgd", "async", "halos"} {
		alg, err := ParseAlgorithm(line)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Simulate(context.Background(), l, complete(t, 4, 2), SimulateOptions{Algorithm: alg, Step: 0.05, At: []int{0, 100}, Runs: 4})
		if err != nil {
			t.Fatal(err)
		}
		if start, end := r.Points[0].MSE.Mean, r.Points[1].MSE.Mean; !(end < start) {
			t.Errorf("%s: from %g to %g", line, start, end)
		}
	}
}

func TestLogisticLines(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"logistic:ridge=0", "below"}, {"logistic:d=0", "below 1"}, {"logistic:smaples=3", `did you mean "samples"?`}, {"logstic", `did you mean "logistic"?`},
	} {
		if _, err := ParseLogistic(c.line, 3); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.line, err, c.want)
		}
	}
	for _, arg := range []string{"logistic:d=2", "quadratic:d=2"} {
		if p, err := LoadAny(arg, 3); err != nil || p.frame().N != 3 {
			t.Errorf("%s: %v, %v", arg, p, err)
		}
	}
}
