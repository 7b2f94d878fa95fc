package plots

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// A log axis of plot panics on zero; ours must hold any range with a few readable labels.
func TestLogScaleSurvives(t *testing.T) {
	for _, c := range []struct{ lo, hi float64 }{{0, 0}, {0, 1}, {1, 1}, {3, 4}, {1e-300, 1e300}, {-1, 5}, {2e-7, 2.1e-7}, {math.NaN(), 1}} {
		var a plot.Axis
		logScale(&a, c.lo, c.hi)
		if !(a.Min > 0) || a.Max < 9.9*a.Min || c.lo > 0 && a.Min > c.lo || a.Max < c.hi {
			t.Errorf("[%g, %g]: axis from %g to %g", c.lo, c.hi, a.Min, a.Max)
		}
		labels := 0
		for _, tick := range a.Tick.Marker.Ticks(a.Min, a.Max) {
			if tick.Value < a.Min*(1-1e-6) || tick.Value > a.Max*(1+1e-6) {
				t.Errorf("[%g, %g]: tick at %g outside", c.lo, c.hi, tick.Value)
			}
			if tick.Label != "" {
				labels++
			}
		}
		if labels < 2 || labels > 9 {
			t.Errorf("[%g, %g]: %d labels", c.lo, c.hi, labels)
		}
		if v := floorAt(&a, 0); v != a.Min {
			t.Errorf("zero is drawn at %g", v)
		}
	}
}

func TestRoundNumbers(t *testing.T) {
	for _, c := range []struct{ lo, hi float64 }{{0, 1}, {0, 60}, {0, 11.2}, {-1, 1}, {1e-9, 3e-9}, {5, 5}, {0, 5.94}} {
		ticks := roundNumbers(c.lo, c.hi)
		if len(ticks) < 1 || len(ticks) > 9 || c.hi > c.lo && len(ticks) < 3 {
			t.Errorf("[%g, %g]: %d ticks", c.lo, c.hi, len(ticks))
		}
		for _, tick := range ticks {
			if tick.Label == "−0" || tick.Label == "-0" {
				t.Errorf("[%g, %g]: a negative zero", c.lo, c.hi)
			}
		}
	}
}

func TestShortNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 1: "1", 0.25: "0.25", 1234.5: "1230", 1e-4: "10⁻⁴", 2.5e-7: "2.5·10⁻⁷", -3: "−3", 1e6: "10⁶"} {
		if got := shortNumber(v); got != want {
			t.Errorf("shortNumber(%g) = %q, want %q", v, got, want)
		}
	}
}

// A drop to rounding in one round is an exact average; a slow decay below it is not.
func TestExactAfter(t *testing.T) {
	var slow []float64
	for v := 1.0; v > 1e-16; v *= 0.3 {
		slow = append(slow, v)
	}
	for _, c := range []struct {
		prefix []float64
		want   int
	}{
		{[]float64{1, 1e-16}, 2},
		{[]float64{0}, 1},
		{[]float64{1, 0.5, 2}, 0},
		{slow, 0},
	} {
		if got := exactAfter(c.prefix); got != c.want {
			t.Errorf("%v: exact after %d rounds, want %d", c.prefix, got, c.want)
		}
	}
}

// Names that would touch move apart, within bounds, and keep their order.
func TestSpread(t *testing.T) {
	for _, c := range []struct{ at, want []vg.Length }{
		{[]vg.Length{50, 20}, []vg.Length{50, 20}},
		{[]vg.Length{30, 30, 30}, []vg.Length{40, 30, 20}},
		{[]vg.Length{100, 99}, []vg.Length{100, 90}},    // not above the upper bound
		{[]vg.Length{12, 0, 0}, []vg.Length{20, 10, 0}}, // pushed up by what cannot go lower
		{nil, []vg.Length{}},
	} {
		got := spread(c.at, 10, 0, 100)
		if !slices.EqualFunc(got, c.want, func(a, b vg.Length) bool { return math.Abs(float64(a-b)) < 1e-9 }) {
			t.Errorf("%v became %v, want %v", c.at, got, c.want)
		}
	}
}
