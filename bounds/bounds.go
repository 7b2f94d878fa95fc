package bounds

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
)

// Setting is the situation that bounds are asked about.
type Setting struct {
	Problem   *gossip.Quadratic
	Sequence  *mixing.Sequence
	Algorithm gossip.Algorithm // default atc
	Step      float64          // η; default (0): 1/(4L)
	At        []int            // rounds to report, in any order; 0 is the start
	Scale     float64          // every value is multiplied by it; default (0): 1. Below 1 it shows that a check can fail
}

// Kind tells what a bound claims.
type Kind string

const (
	Guarantee Kind = "guarantee" // holds on every instance that meets the assumptions
	Order     Kind = "order"     // a published rate, up to constants
)

// Bound is one bound on one quantity.
type Bound struct {
	ID         string  `json:"id"` // method-quantity
	Name       string  `json:"name"`
	Source     string  `json:"source"`
	Kind       Kind    `json:"kind"`
	Quantity   string  `json:"quantity"` // centroid, consensus or mse
	Applicable bool    `json:"applicable"`
	Reason     string  `json:"reason"`  // why not, or ""
	Vacuous    bool    `json:"vacuous"` // it holds, but grows without limit
	Points     []Point `json:"points"`  // in the order of Setting.At; none when not applicable
}

// Point is the value of a bound after T rounds; MaxFloat64 (null in JSON) when it is past the range of floating point.
type Point struct {
	T     int
	Value float64
}

// MarshalJSON writes t and value.
func (p Point) MarshalJSON() ([]byte, error) {
	var out struct {
		T     int      `json:"t"`
		Value *float64 `json:"value"`
	}
	if out.T = p.T; p.Value < math.MaxFloat64 {
		out.Value = &p.Value
	}
	return json.Marshal(out)
}

// Evaluate returns every bound, in a fixed order: applicable or not. The error is a wrong setting or the end of ctx.
func Evaluate(ctx context.Context, s Setting) ([]Bound, error) {
	c, err := newSetup(ctx, s)
	if err != nil {
		return nil, err
	}
	var out []Bound
	for _, evaluate := range []func(context.Context) (method, error){c.recursion, c.window, c.kernel, c.koloskova} {
		m, err := evaluate(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, m.bounds(s.At, c.scale)...)
	}
	return out, nil
}

// method is one way to bound centroid and consensus together, evaluated.
type method struct {
	id, name, source string
	reason           string // not applicable because of it
	vacuous          bool
	kind             Kind   // default: guarantee
	only             string // the one quantity; default: all three
	values           map[int]pair
}

// pair holds squared errors: bounds on the centroid and the consensus error.
type pair struct{ centroid, consensus float64 }

// bounds writes the method as three bounds; that on the mse is the sum of the other two.
func (m method) bounds(at []int, scale float64) []Bound {
	var out []Bound
	for _, q := range []struct {
		name  string
		value func(pair) float64
	}{
		{"centroid", func(p pair) float64 { return p.centroid }},
		{"consensus", func(p pair) float64 { return p.consensus }},
		{"mse", func(p pair) float64 { return p.centroid + p.consensus }},
	} {
		if m.only != "" && m.only != q.name {
			continue
		}
		b := Bound{ID: m.id + "-" + q.name, Name: m.name, Source: m.source, Kind: m.kind, Quantity: q.name,
			Applicable: m.reason == "", Reason: m.reason, Vacuous: m.vacuous, Points: []Point{}}
		if b.Kind == "" {
			b.Kind = Guarantee
		}
		if b.Applicable {
			for _, t := range at {
				v := scale * q.value(m.values[t])
				if !(v < math.MaxFloat64) {
					v = math.MaxFloat64
				}
				b.Points = append(b.Points, Point{t, v})
			}
		}
		out = append(out, b)
	}
	return out
}

// setup is a setting with everything computed that the methods share.
type setup struct {
	Setting
	constants gossip.Constants
	step      float64
	scale     float64
	weights   []float64
	at        []int     // sorted
	spread    float64   // noise that is disagreement: Σ w_i (1 - w_i) tr N_i, or σ²(1 - 1/n)
	contract  []float64 // ‖W - J‖ of each round of a period
	problem   string    // what is wrong with the schedule for any guarantee, or ""
}

func newSetup(ctx context.Context, s Setting) (*setup, error) {
	if s.Problem.N != s.Sequence.N {
		return nil, fmt.Errorf("the problem has %d islands, the schedule has %d nodes", s.Problem.N, s.Sequence.N)
	}
	if s.Step < 0 || math.IsNaN(s.Step) || math.IsInf(s.Step, 0) {
		return nil, fmt.Errorf("step %g is no positive finite number", s.Step)
	}
	if s.Scale < 0 || math.IsNaN(s.Scale) || math.IsInf(s.Scale, 0) {
		return nil, fmt.Errorf("scale %g is no positive finite number", s.Scale)
	}
	c := &setup{Setting: s, constants: s.Problem.Constants(), step: s.Step, scale: s.Scale}
	if c.scale == 0 {
		c.scale = 1
	}
	if c.step == 0 {
		var err error
		if c.step, err = s.Problem.DefaultStep(); err != nil {
			return nil, err
		}
	}
	for _, t := range s.At {
		if t < 0 {
			return nil, fmt.Errorf("round %d is negative", t)
		}
	}
	c.at = slices.Clone(s.At)
	slices.Sort(c.at)
	c.weights = s.Problem.Weights
	if c.weights == nil {
		c.weights = slices.Repeat([]float64{1 / float64(s.Problem.N)}, s.Problem.N)
	}
	c.spread = max(0, c.constants.Sigma2-c.constants.MeanNoise)
	if s.Problem.LeastSquares {
		c.problem = "needs additive noise: that of least squares grows with the distance from the optimum"
		return c, nil
	}
	if s.Sequence.Random != nil {
		rho, problem, err := c.randomContraction(ctx)
		c.contract, c.problem = []float64{rho}, problem
		return c, err
	}
	if c.problem = c.unbalanced(); c.problem == "" {
		for t := range s.Sequence.Steps {
			c.contract = append(c.contract, c.contraction(s.Sequence.Steps[t].W))
		}
	}
	return c, nil
}
