package bounds

import (
	"context"
	"math"
	"slices"

	"github.com/islandsgd/islands/gossip"
)

// Honesty is how good the guarantees are on one problem: what they promise over what is true.
type Honesty struct {
	Exact []gossip.ExactPoint `json:"exact"` // in the order of Setting.At
	Rows  []HonestyRow        `json:"table"`
}

// HonestyRow is one guarantee.
type HonestyRow struct {
	ID           string      `json:"id"`
	Quantity     string      `json:"quantity"`
	Applicable   bool        `json:"applicable"`
	Reason       string      `json:"reason"`
	Tightness    []Tightness `json:"tightness"` // bound/exact, at least 1; none when not applicable
	Mean         *float64    `json:"mean"`      // geometric mean of the tightness
	Vacuous      bool        `json:"vacuous"`
	VacuousAbove *float64    `json:"vacuous_above"` // step from which it grows without limit or does not apply; nil: at all steps
	Rank         *int        `json:"rank"`          // by mean among the applicable ones for the quantity, 1 is the tightest
}

// Tightness is a bound divided by the exact value after T rounds; nil where the exact value is 0, or either is past the
// range of floating point.
type Tightness struct {
	T              int      `json:"t"`
	BoundOverExact *float64 `json:"bound_over_exact"`
}

// Tolerances of the check bound ≥ exact: rounding of long recursions; of values that should be zero; and of a part of
// the error beside a much larger one, of which exact moments are differences (a centroid that settles while
// disagreement diverges).
const (
	RelativeSlack = 1e-9
	AbsoluteSlack = 1e-15
	BesideSlack   = 1e-14 // of the mse
)

// Holds is the check that makes a guarantee: bound ≥ exact up to rounding. A bound past the range of floating point
// holds. mse is the whole error of which exact is a part, or exact itself.
func Holds(bound, exact, mse float64) bool {
	return bound >= math.MaxFloat64 || bound >= exact*(1-RelativeSlack)-AbsoluteSlack-BesideSlack*mse
}

// Tight returns the tightness of a bound's point. An exact value that may be rounding of 0 counts as 0.
func Tight(p Point, exact float64) Tightness {
	out := Tightness{T: p.T}
	if ratio := p.Value / exact; exact > AbsoluteSlack && p.Value < math.MaxFloat64 && exact < math.MaxFloat64 && ratio < math.MaxFloat64 {
		out.BoundOverExact = &ratio
	}
	return out
}

// Of returns the exact moment that a quantity names, or false.
func Of(m gossip.Moments, quantity string) (float64, bool) {
	switch quantity {
	case Centroid:
		return m.Centroid, true
	case Consensus:
		return m.Consensus, true
	case MSE:
		return m.MSE, true
	}
	return 0, false
}

// Compare holds every guarantee on a moment against the exact one.
func Compare(ctx context.Context, s Setting) (Honesty, error) {
	var h Honesty
	c, err := newSetup(ctx, s)
	if err != nil {
		return h, err
	}
	x, err := gossip.Exact(ctx, s.Problem, s.Sequence, gossip.ExactOptions{Algorithm: s.Algorithm, Step: c.step, At: s.At})
	if err != nil {
		return h, err
	}
	all, err := c.guarantees(ctx)
	if err != nil {
		return h, err
	}
	limits, err := LargestSteps(ctx, s)
	if err != nil {
		return h, err
	}
	h.Exact = x.Points
	for _, b := range all {
		if _, moment := Of(gossip.Moments{}, b.Quantity); !moment || b.Kind != Guarantee {
			continue
		}
		row := HonestyRow{ID: b.ID, Quantity: b.Quantity, Applicable: b.Applicable, Reason: b.Reason, Vacuous: b.Vacuous, Tightness: []Tightness{}}
		sum, count := 0.0, 0
		for i, p := range b.Points {
			value, _ := Of(x.Points[i].Moments, b.Quantity)
			tight := Tight(p, value)
			if row.Tightness = append(row.Tightness, tight); tight.BoundOverExact != nil {
				sum += math.Log(*tight.BoundOverExact)
				count++
			}
		}
		if count > 0 {
			mean := math.Exp(sum / float64(count))
			row.Mean = &mean
		}
		for _, l := range limits { // limits are those of the mse, which is vacuous when either part is
			if l.ID == methodOf(b.ID)+"-"+MSE && !l.Open {
				row.VacuousAbove = l.Step
			}
		}
		h.Rows = append(h.Rows, row)
	}
	rank(h.Rows)
	return h, nil
}

func methodOf(id string) string {
	for i := len(id) - 1; i >= 0; i-- {
		if id[i] == '-' {
			return id[:i]
		}
	}
	return id
}

// rank orders the rows of each quantity by their mean tightness; a tie goes to the earlier one.
func rank(rows []HonestyRow) {
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := math.Inf(1), math.Inf(1)
		if rows[a].Mean != nil {
			x = *rows[a].Mean
		}
		if rows[b].Mean != nil {
			y = *rows[b].Mean
		}
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	next := map[string]int{}
	for _, i := range order {
		if rows[i].Mean != nil {
			next[rows[i].Quantity]++
			place := next[rows[i].Quantity]
			rows[i].Rank = &place
		}
	}
}
