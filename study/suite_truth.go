package study

import (
	"math"
	"slices"

	"github.com/islandsgd/islands/bounds"
	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
)

// truth is what bounds are held against.
type truth struct {
	exact *gossip.ExactResult
	start float64   // averaging alone: consensus error at the start
	width []float64 // averaging alone: largest max - min over coordinates, relative to the start
}

// knows reports whether there is something exact to hold a quantity against. Averaging alone is judged where there is
// no curvature and no noise, and the factor per round of least squares by the exact radius.
func (t truth) knows(quantity string) bool {
	switch quantity {
	case bounds.Contraction:
		return t.start > 0
	case bounds.Range:
		return t.width != nil
	case bounds.Rate:
		return t.exact.Radius != nil && len(t.exact.Points) > 0
	}
	_, ok := bounds.Of(gossip.Moments{}, quantity)
	return ok
}

func (t truth) value(quantity string, i int) float64 {
	switch quantity {
	case bounds.Contraction:
		return t.exact.Points[i].Consensus / t.start
	case bounds.Range:
		return t.width[i]
	case bounds.Rate:
		return *t.exact.Radius * *t.exact.Radius
	}
	x, _ := bounds.Of(t.exact.Points[i].Moments, quantity)
	return x
}

// whole is the error of which a quantity is a part.
func (t truth) whole(quantity string, i int) float64 {
	if _, moment := bounds.Of(gossip.Moments{}, quantity); moment {
		return t.exact.Points[i].MSE
	}
	return t.value(quantity, i)
}

// isFlat reports whether a problem has neither curvature nor noise: all that happens to it is averaging.
func isFlat(q *gossip.Quadratic) bool {
	for i := range q.N {
		for _, m := range [][]float64{q.A[i], q.Noise[i]} {
			for _, v := range m {
				if v != 0 {
					return false
				}
			}
		}
	}
	return true
}

// widths averages the starts of a flat problem and returns the largest max - min over coordinates, relative to the
// start; nil for a random schedule.
func widths(seq *mixing.Sequence, q *gossip.Quadratic, at []int) []float64 {
	if seq.Random != nil {
		return nil
	}
	x, next := make([]float64, q.N*q.D), make([]float64, q.N*q.D)
	for i, start := range q.Start {
		copy(x[i*q.D:], start)
	}
	width := func() float64 {
		most := 0.0
		for k := range q.D {
			lo, hi := math.Inf(1), math.Inf(-1)
			for i := range q.N {
				lo, hi = min(lo, x[i*q.D+k]), max(hi, x[i*q.D+k])
			}
			most = max(most, hi-lo)
		}
		return most
	}
	first, out := width(), make([]float64, len(at))
	if first == 0 {
		return nil
	}
	for t := range slices.Max(at) + 1 {
		for i, want := range at {
			if want == t {
				out[i] = width() / first
			}
		}
		seq.Step(t).W.Apply(next, x, q.D)
		x, next = next, x
	}
	return out
}

// rareAfter is the round after which the mean over runs of a random schedule is not looked at: it can be that of a few
// unlucky sequences of rounds, of probability 3^-t and less, which no sample of ordinary size holds in proportion.
const rareAfter = 3

// rareAlways reports whether no round's mean over runs is looked at: the gradients of least squares multiply the error by
// products of normal variables, and where its second moment grows that of a few large ones makes it grow.
func rareAlways(q *gossip.Quadratic, exact *gossip.ExactResult) bool {
	return q.LeastSquares && exact.Radius != nil && !exact.Stable
}

// upTo leaves out the points after a round. Points are in the order of At, so later ones may be early.
func upTo(points []gossip.SimulatedPoint, round int) []gossip.SimulatedPoint {
	out := slices.Clone(points)
	for i := range out {
		if out[i].T > round {
			out[i] = gossip.SimulatedPoint{T: out[i].T}
		}
	}
	return out
}

// worstZ is the largest distance between simulated means and exact moments in standard errors. A value without spread
// must be met to rounding: of the part, of the whole error, or of parameters as large as those of the problem, from which
// a simulation subtracts the optimum; it counts 0 then, and as the largest number otherwise.
func worstZ(q *gossip.Quadratic, exact *gossip.ExactResult, sim *gossip.SimulateResult) float64 {
	worst, lost := 0.0, bounds.BesideSlack*largest(q)
	for i, p := range sim.Points {
		if p.MSE.Runs == 0 || exact.Points[i].Overflow { // left out, or diverged
			continue
		}
		for _, c := range []struct {
			e gossip.Estimate
			x float64
		}{{p.MSE, exact.Points[i].MSE}, {p.Centroid, exact.Points[i].Centroid}, {p.Consensus, exact.Points[i].Consensus}} {
			d, mse := math.Abs(c.e.Mean-c.x), exact.Points[i].MSE
			rounding := bounds.BesideSlack*mse + lost*(2*math.Sqrt(mse)+lost)
			switch {
			case d <= bounds.RelativeSlack*math.Abs(c.x)+bounds.AbsoluteSlack+rounding:
			case c.e.StandardError == 0:
				worst = math.MaxFloat64
			default:
				worst = max(worst, min(d/c.e.StandardError, math.MaxFloat64))
			}
		}
	}
	return worst
}

// largest is the largest norm among optima and starts.
func largest(q *gossip.Quadratic) float64 {
	size := 0.0
	for _, rows := range [][][]float64{q.B, q.Start, {q.Constants().XStar}} {
		for _, row := range rows {
			sum := 0.0
			for _, v := range row {
				sum += v * v
			}
			size = max(size, math.Sqrt(sum))
		}
	}
	return size
}
