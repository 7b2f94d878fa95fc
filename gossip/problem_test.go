package gossip

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFamily(t *testing.T) {
	for _, line := range []string{
		"quadratic", "quadratic:d=20,L=1,mu=0.1,heterogeneity=1,noise=1,spread=0,seed=1", "quadratic:d=5,L=4,mu=0.5,heterogeneity=3,noise=0.5,spread=0.4,seed=9",
		"quadratic:d=1,heterogeneity=0", "quadratic:d=3,noise=0",
	} {
		q := family(t, line, 6)
		c := q.Constants()
		want := map[string]float64{"L": 1, "mu": 0.1, "zeta2": 1, "sigma2": 1, "start": 1}
		switch line {
		case "quadratic:d=5,L=4,mu=0.5,heterogeneity=3,noise=0.5,spread=0.4,seed=9":
			want = map[string]float64{"L": 4, "mu": 0.5, "zeta2": 9, "sigma2": 0.25, "start": 1}
		case "quadratic:d=1,heterogeneity=0":
			want["mu"], want["zeta2"] = 1, 0
		case "quadratic:d=3,noise=0":
			want["sigma2"] = 0
		}
		got := map[string]float64{"L": c.L, "mu": c.Mu, "zeta2": c.Zeta2, "sigma2": c.Sigma2, "start": c.StartCentroid}
		for k, v := range want {
			if math.Abs(got[k]-v) > 1e-12 {
				t.Errorf("%s: %s is %.15g, want %g", line, k, got[k], v)
			}
		}
		if c.StartConsensus != 0 || math.Abs(c.MeanNoise-c.Sigma2/6) > 1e-15 {
			t.Errorf("%s: start consensus %g, mean noise %g", line, c.StartConsensus, c.MeanNoise)
		}
		for k, v := range c.XStar {
			if math.Abs(v) > 1e-14 {
				t.Errorf("%s: x*[%d] = %g, want 0", line, k, v)
			}
		}
		if d := cmp.Diff(q, family(t, line, 6)); d != "" {
			t.Errorf("%s is drawn differently again: %s", line, d)
		}
	}
	if a, b := family(t, "quadratic:seed=1", 3), family(t, "quadratic:seed=2", 3); cmp.Equal(a.B, b.B) {
		t.Error("the seed has no effect")
	}
	q := family(t, "quadratic:d=3,L=1,mu=0.01", 2)
	for k, want := range []float64{0.01, 0.1, 1} {
		if math.Abs(q.A[1][k]-want) > 1e-15 {
			t.Errorf("curvature %d is %g, want %g", k, q.A[1][k], want)
		}
	}
}

// TestConstants has the reference values of instances C and N (numpy, eigenvalues of the blocks).
func TestConstants(t *testing.T) {
	for _, c := range []struct {
		name, text                                  string
		l, mu, meanMu, zeta2, sigma2, delta, gammaA float64
		star                                        [2]float64
	}{
		{"C", instanceC, 1.5, .1, .15, 1.85952257, .045 * 2, .353553391, .99, [2]float64{.375, 1. / 3}},
		{"N", instanceN, 1.42169906, .258578644, .575, .761578059, .045 * 2, .431416788, .969703081, [2]float64{.0909090909, 1.26086957}},
	} {
		q := problem(t, c.text)
		k := q.Constants()
		for _, v := range []struct {
			name      string
			got, want float64
		}{
			{"L", k.L, c.l}, {"mu", k.Mu, c.mu}, {"mean mu", k.MeanMu, c.meanMu}, {"zeta2", k.Zeta2, c.zeta2}, {"sigma2", k.Sigma2, c.sigma2},
			{"delta", k.DeltaA, c.delta}, {"gamma", q.GammaA(0.1), c.gammaA}, {"x*0", k.XStar[0], c.star[0]}, {"x*1", k.XStar[1], c.star[1]},
		} {
			if math.Abs(v.got-v.want) > 6e-9 {
				t.Errorf("%s: %s is %.10g, want %.10g", c.name, v.name, v.got, v.want)
			}
		}
	}
}

// TestRoundedSemidefinite: an eigenvalue that is negative by rounding is zero, not an error and not negative.
// TestGammaAOutOfRange: a factor past the range of floating point is no reason to panic; +Inf is an upper bound.
func TestGammaAOutOfRange(t *testing.T) {
	q := family(t, "quadratic:d=2,L=2,mu=0.5,spread=0.5", 3)
	for _, step := range []float64{1e160, 1e308, math.MaxFloat64} {
		if g := q.GammaA(step); !(g > 1e100) {
			t.Errorf("step %g: %g", step, g)
		}
	}
}

func TestRoundedSemidefinite(t *testing.T) {
	for _, curvature := range []string{"[[1, -1e-17]]", "[[[1, 0], [0, -1e-17]]]", "[[[0.5, 0.5], [0.5, 0.49999999999999994]]]"} {
		q := problem(t, "problem: quadratic\ncurvature: "+curvature+"\noptimum: [[0, 0]]\n")
		if c := q.Constants(); c.Mu != 0 || c.MeanMu > 1e-16 {
			t.Errorf("%s: mu is %g, mean mu %g", curvature, c.Mu, c.MeanMu)
		}
	}
}

func TestProblemErrors(t *testing.T) {
	file := func(curvature, rest string) string {
		return "problem: quadratic\ncurvature: " + curvature + "\noptimum: [[0, 0], [1, 1]]\n" + rest
	}
	for _, c := range []struct{ text, want string }{
		{file("[[[1,1],[0,1]],[[1,0],[0,1]]]", ""), "p.yaml:2:13: curvature of island 0 is not symmetric: entry (0,1) is 1, entry (1,0) is 0"},
		{file("[[[1,0],[0,1]],[[1,2],[2,1]]]", ""), "p.yaml:2:27: curvature of island 1 is not positive semidefinite: it has the eigenvalue -1"},
		{file("[1, -2]", ""), "curvature of island 1 is not positive semidefinite"},
		{file("[1, 1, 1]", ""), "curvature for 3 islands, optimum for 2"},
		{file("[[1, 1], [1, 1, 1]]", ""), "has 3 rows or values, optimum has 2"},
		{file("[[[1, 0], [0]], 1]", ""), "row 1 of the curvature of island 0 has 1 values, want 2"},
		{file("[1, 1]", "noise: [0.1, -0.1]\n"), "p.yaml:4:14: noise of island 1 is not positive semidefinite"},
		{file("[1, 1]", "start: [[0, 0]]\n"), "1 islands here, 2 in optimum"},
		{file("[1, 1]", "start: [[0, 0], [0]]\n"), "island 1 has 1 values, want 2"},
		{file("[1, 1]", "weights: [0.5, 0.6]\n"), "weights sum to 1.1"},
		{file("[1, 1]", "weights: [1, 0]\n"), "weight 0 of island 1 is not positive"},
		{file("[1, 1]", "nosie: [0.1, 0.1]\n"), `unknown field "nosie" (did you mean "noise"?)`},
		{file("[1, .nan]", ""), "finite number"},
		{"problem: least-squares\ncurvature: [1]\noptimum: [[1]]\n", "least squares has curvature 1"},
		{"problem: least-squares\nnoise: [[1, 2]]\noptimum: [[1, 1]]\n", "same noise in every coordinate"},
		{"problem: cubic\n", `p.yaml:1:10: unknown problem "cubic"`},
		{"problem: quadratic\noptimum: []\n", "0 islands"},
		{"problem: quadratic\noptimum: [[]]\n", "0 values"},
		{"problem: quadratic\noptimum: [[1]]\n", `field "curvature" is missing`},
	} {
		_, err := ReadProblem("dir/p.yaml", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v, want one line with %q", c.text, err, c.want)
		}
	}
	for _, c := range []struct{ line, want string }{
		{"quadratic:d=0", "d=0 is below 1"},
		{"quadratic:mu=2", "mu=2 is above L=1"},
		{"quadratic:mu=0", "mu=0 cannot be log-spaced"},
		{"quadratic:noise=-1", "below 0"},
		{"quadratic:nosie=1", `did you mean "noise"?`},
		{"quadrtic:d=3", `did you mean "quadratic"?`},
	} {
		if _, err := ParseProblem(c.line, 3); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.line, err, c.want)
		}
	}
}

func TestLoadProblem(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.yaml")
	if err := os.WriteFile(path, []byte(instanceN), 0o666); err != nil {
		t.Fatal(err)
	}
	if q, err := LoadProblem(path, 4); err != nil || q.N != 4 || q.Diagonal {
		t.Errorf("%+v, %v", q, err)
	}
	if _, err := LoadProblem(path, 5); err == nil || !strings.Contains(err.Error(), "4 islands") || !strings.Contains(err.Error(), "5 nodes") {
		t.Errorf("error %v does not name both sizes", err)
	}
	if q, err := LoadProblem("quadratic:d=3", 7); err != nil || q.N != 7 {
		t.Errorf("%+v, %v", q, err)
	}
	if _, err := LoadProblem("quadatic:d=3", 7); err == nil || !strings.Contains(err.Error(), `did you mean "quadratic"?`) {
		t.Errorf("error %v", err)
	}
}

// TestDecoupling: instance C is diagonal as it is written; turned into another basis it is dense, and decouples again.
func TestDecoupling(t *testing.T) {
	plain := problem(t, instanceC)
	if g := plain.groups(Algorithm{}); len(g) != 2 || g[0].m != 1 {
		t.Fatalf("%d groups", len(g))
	}
	turned := turn(t, plain, 0.7)
	if g := turned.groups(Algorithm{}); len(g) != 2 || g[0].m != 1 {
		t.Errorf("the turned problem has %d groups", len(g))
	}
	if g := problem(t, instanceN).groups(Algorithm{}); len(g) != 1 || g[0].m != 2 {
		t.Errorf("the general problem has %d groups", len(g))
	}
	if g := family(t, "quadratic:d=50,mu=1", 3).groups(Algorithm{}); len(g) != 1 || g[0].members != 50 {
		t.Errorf("equal coordinates make %d groups", len(g))
	}
}

// turn rotates a two-dimensional diagonal problem by an angle.
func turn(t *testing.T, q *Quadratic, angle float64) *Quadratic {
	t.Helper()
	c, s := math.Cos(angle), math.Sin(angle)
	matrix := func(v []float64) []float64 {
		return []float64{c*c*v[0] + s*s*v[1], c * s * (v[0] - v[1]), c * s * (v[0] - v[1]), s*s*v[0] + c*c*v[1]}
	}
	vector := func(v []float64) []float64 { return []float64{c*v[0] - s*v[1], s*v[0] + c*v[1]} }
	var out Quadratic
	for i := range q.N {
		out.A, out.Noise = append(out.A, matrix(q.A[i])), append(out.Noise, matrix(q.Noise[i]))
		out.B, out.Start = append(out.B, vector(q.B[i])), append(out.Start, vector(q.Start[i]))
	}
	r, err := NewQuadratic(out)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func FuzzReadProblem(f *testing.F) {
	f.Add([]byte(instanceC))
	f.Add([]byte(instanceN))
	f.Add([]byte(instanceNine))
	f.Add([]byte("problem: least-squares\noptimum: [[1, 2], [0, 1]]\nnoise: [0.1, 0.2]\n"))
	f.Add([]byte(`{"problem": "quadratic", "curvature": [1], "optimum": [[1, 2]], "noise": [[0.1, 0.2]], "start": [[1, 1]], "weights": [1]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		q, err := ReadProblem("p.yaml", data)
		if err != nil {
			return
		}
		if c := q.Constants(); math.IsNaN(c.L) || math.IsNaN(c.Zeta2) {
			if c.L < 1e100 && c.Sigma2 < 1e100 { // huge values may overflow in products
				t.Errorf("constants %+v", c)
			}
		}
	})
}

func FuzzParseProblem(f *testing.F) {
	f.Add("quadratic:d=3,L=2,mu=0.5,heterogeneity=1,noise=1,spread=0.3,seed=4")
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, "d=") && len(line) > 40 {
			return // large sizes only cost time
		}
		if q, err := ParseProblem(line, 2); err == nil && (q.N != 2 || len(q.A[0]) != q.D) {
			t.Errorf("%q: %d islands", line, q.N)
		}
	})
}
