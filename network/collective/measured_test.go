package collective

import (
	"math"
	"testing"
)

// The claims that the documentation makes of the published runs.
func TestMeasured(t *testing.T) {
	m, err := Measured()
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Points) != 16 {
		t.Fatalf("%d points", len(m.Points))
	}
	low, high := math.Inf(1), 0.0
	for _, p := range m.Points {
		// The ring formula: 2 (k-1)/k S/c with k = 4, S = 123.2 MB.
		if want := 1.5 * 8 * 123.2e6 / p.BitPerSecond; !near(p.PredictedSeconds, want, 1e-12) {
			t.Errorf("%g bit/s: predicted %v s, want %v", p.BitPerSecond, p.PredictedSeconds, want)
		}
		if p.LocalSteps == 1 {
			if ratio := *p.RoundSeconds / p.PredictedSeconds; ratio < 1.03 || ratio > 1.29 {
				t.Errorf("%g bit/s: measured %v of the ring formula", p.BitPerSecond, ratio)
			}
		} else if p.RoundSeconds != nil {
			t.Errorf("H = %d has a round time", p.LocalSteps)
		}
		if r := p.PredictedUtilization / p.Utilization; r < 0.7 || r > 1.3 {
			t.Errorf("H = %d, %g bit/s: utilization %v, predicted %v", p.LocalSteps, p.BitPerSecond, p.Utilization, p.PredictedUtilization)
		}
		if p.LocalSteps == 128 {
			r := p.ImpliedSeconds / p.PredictedSeconds
			low, high = min(low, r), max(high, r)
		}
	}
	if low > 0.9 || high < 1.6 {
		t.Errorf("H = 128 implies %v to %v of the ring formula", low, high)
	}
	if m.Overhead < 1.03 || m.Overhead > 1.28 {
		t.Errorf("overhead %v", m.Overhead)
	}
}
