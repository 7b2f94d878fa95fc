package plots

import (
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
)

// An outline is as wide as the text that it stands for, apart from the bearings of its first and last letter, and stands
// on the baseline.
func TestOutline(t *testing.T) {
	face := theme{8}.text(ink)
	f := face.Handler.Cache().Lookup(face.Font, face.Font.Size)
	for _, s := range []string{"−7%", "‖W − J‖", "München", "λ ≤ 1"} {
		left, right, low := math.Inf(1), math.Inf(-1), math.Inf(1)
		for _, p := range outline(f, vg.Point{X: 10, Y: 20}, s) {
			if p.Type == vg.CloseComp {
				continue
			}
			left, right, low = min(left, float64(p.Pos.X)), max(right, float64(p.Pos.X)), min(low, float64(p.Pos.Y))
		}
		if width := float64(f.Width(s)); math.Abs(right-left-width) > 1.5 || math.Abs(left-10) > 1 {
			t.Errorf("%q reaches from %v to %v, want a width of about %v from 10", s, left, right, width)
		}
		if low < 20-3 || low > 20+3 {
			t.Errorf("%q: lowest point %v, baseline 20", s, low)
		}
	}
}
