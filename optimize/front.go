package optimize

import (
	"cmp"
	"slices"
)

// ParetoPoint is a schedule of which no other is at once as short in its period, as fresh and as contracting, and better
// in one of them.
type ParetoPoint struct {
	Period      float64 `json:"period_seconds"`
	Staleness   float64 `json:"staleness_seconds"`
	Contraction float64 `json:"contraction"` // spectral radius of the period off consensus; 0 is exact
	Cliques     string  `json:"cliques"`

	rounds []int
}

// front collects non-dominated schedules, by ascending period.
type front struct{ points []ParetoPoint }

// dominated reports whether a schedule that is at best as good as (period, staleness, contraction) is no news.
func (f *front) dominated(period, staleness, contraction float64) bool {
	for i := range f.points {
		p := &f.points[i]
		if p.Period > period {
			return false
		}
		if p.Staleness <= staleness && p.Contraction <= contraction {
			return true
		}
	}
	return false
}

// add enters a point, unless it is dominated, and removes those that it dominates. Values that differ by rounding alone
// count as equal, so that the front does not list one schedule in all its symmetric forms.
func (f *front) add(p ParetoPoint) {
	const rounding = 1e-12
	if f.dominated(p.Period*(1+rounding), p.Staleness*(1+rounding), p.Contraction+rounding) {
		return
	}
	f.points = slices.DeleteFunc(f.points, func(q ParetoPoint) bool {
		return p.Period <= q.Period && p.Staleness <= q.Staleness && p.Contraction <= q.Contraction
	})
	at, _ := slices.BinarySearchFunc(f.points, p, func(a, b ParetoPoint) int {
		return cmp.Or(cmp.Compare(a.Period, b.Period), cmp.Compare(a.Staleness, b.Staleness), slices.Compare(a.rounds, b.rounds))
	})
	f.points = slices.Insert(f.points, at, p)
}
