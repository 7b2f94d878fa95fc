package gossip

import (
	"math"
	"slices"
	"testing"
)

// TestXoshiroVector checks the generator against the first outputs of the reference C code of xoshiro256** 1.0
// (prng.di.unimi.it) from the state 1, 2, 3, 4, as also used by other implementations' tests.
func TestXoshiroVector(t *testing.T) {
	r := &source{1, 2, 3, 4}
	for i, want := range []uint64{11520, 0, 1509978240, 1215971899390074240} {
		if got := r.next(); got != want {
			t.Errorf("output %d is %d, want %d", i, got, want)
		}
	}
}

func TestNormals(t *testing.T) {
	const n = 2_000_000
	x := make([]float64, n)
	newSource(1, 2, 3, "test").normals(x)

	// Moments: E x^k = 0, 1, 0, 3, 0, 15 for k = 1..6; the variance of x^k is E x^2k - (E x^k)².
	want := []float64{0, 1, 0, 3, 0, 15}
	second := []float64{1, 3, 15, 105, 945, 10395}
	for k := range want {
		sum := 0.0
		for _, v := range x {
			sum += math.Pow(v, float64(k+1))
		}
		if z := (sum/n - want[k]) / math.Sqrt((second[k]-want[k]*want[k])/n); math.Abs(z) > 4.5 {
			t.Errorf("moment %d is off by %.1f standard errors", k+1, z)
		}
	}
	// Counts beyond thresholds, both in the body and in the tail that only Marsaglia's method reaches (above 4.039).
	for _, at := range []float64{0.1, 1, 2, 3, 3.5, 3.7, 4.1, 4.5} {
		for _, sign := range []float64{1, -1} {
			count := 0
			for _, v := range x {
				if sign*v > at {
					count++
				}
			}
			expected := n * 0.5 * math.Erfc(at/math.Sqrt2)
			if z := (float64(count) - expected) / math.Sqrt(expected); math.Abs(z) > 4.5 {
				t.Errorf("%d numbers beyond %g, want %.0f", count, sign*at, expected)
			}
		}
	}
	// Kolmogorov-Smirnov: √n D exceeds 1.95 with probability 0.001.
	slices.Sort(x)
	distance := 0.0
	for i, v := range x {
		f := 0.5 * math.Erfc(-v/math.Sqrt2)
		distance = max(distance, math.Abs(f-float64(i)/n), math.Abs(f-float64(i+1)/n))
	}
	if distance*math.Sqrt(n) > 1.95 {
		t.Errorf("Kolmogorov-Smirnov distance × √n is %.2f", distance*math.Sqrt(n))
	}
}

// TestLayersHaveEqualArea checks the tables: the last layer ends at the top of the density. The recursion amplifies the
// rounding of R to 5e-12 there.
func TestLayersHaveEqualArea(t *testing.T) {
	base := zigX[0] * zigF[1]
	for i := 1; i < zigLayers; i++ {
		if area := zigX[i] * (zigF[i+1] - zigF[i]); math.Abs(area-base) > 1e-11 {
			t.Errorf("layer %d has area %.17g, the base %.17g", i, area, base)
		}
	}
}

func TestStreamsDiffer(t *testing.T) {
	seen := map[uint64]string{}
	for _, s := range []struct {
		seed, run, island uint64
		purpose           string
	}{{1, 0, 0, "noise"}, {0, 1, 0, "noise"}, {0, 0, 1, "noise"}, {0, 0, 0, "noise"}, {0, 0, 0, "problem"}} {
		first := newSource(s.seed, s.run, s.island, s.purpose).next()
		if _, twice := seen[first]; twice {
			t.Errorf("%+v repeats another stream", s)
		}
		seen[first] = s.purpose
	}
	if newSource(5, 6, 7, "noise").next() != newSource(5, 6, 7, "noise").next() {
		t.Error("a stream does not repeat")
	}
}

func TestBelowIsUniform(t *testing.T) {
	r := newSource(1, 0, 0, "test")
	counts := make([]int, 7)
	for range 70000 {
		counts[r.below(7)]++
	}
	for v, c := range counts {
		if math.Abs(float64(c)-10000) > 5*math.Sqrt(10000*6./7) {
			t.Errorf("%d came %d times of 70000", v, c)
		}
	}
}

func BenchmarkNormals(b *testing.B) {
	r, x := newSource(1, 0, 0, "bench"), make([]float64, 1000)
	for b.Loop() {
		r.normals(x)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/normal")
}
