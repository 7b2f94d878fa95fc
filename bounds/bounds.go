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
	Target    float64          // rates that count steps reach this share of the error at the start; default (0): 0.01
	Scale     float64          // every value is multiplied by it; default (0): 1. Below 1 it shows that a check can fail
	Own       []Method         // bounds of your own, evaluated after the built-in ones
}

// Method is a bound of your own. What it returns takes part in best-… and in validation like any other: a Guarantee
// must be at least the exact moment wherever Applicable.
type Method interface {
	// Bounds evaluates the bound; Points follow Setting.At. Step, Target and Scale have their defaults filled in, and
	// Scale is applied by the caller.
	Bounds(ctx context.Context, s Setting) ([]Bound, error)
}

// Kind tells what a bound claims.
type Kind string

// The kinds of bounds.
const (
	Guarantee Kind = "guarantee" // holds on every instance that meets the assumptions; derived and tested here
	Order     Kind = "order"     // a published statement, up to constants or with constants as recalled
)

// Quantities that a bound can be about. The first three are the exact moments of package gossip.
const (
	Centroid  = "centroid"  // E ‖x̄ - x*‖²
	Consensus = "consensus" // E average ‖x_i - x̄‖²
	MSE       = "mse"       // their sum

	Contraction = "contraction" // of averaging alone: worst E‖disagreement‖² after t rounds over that at the start
	Range       = "range"       // of averaging alone: worst (max - min) after t rounds over that at the start

	Gradient  = "gradient"  // average over the first T steps of E ‖∇f(x̄)‖²
	Gap       = "gap"       // E f - f* of an average of iterates
	Rate      = "rate"      // factor per round
	Steps     = "steps"     // local steps until something holds
	Rounds    = "rounds"    // rounds until something holds
	StepSize  = "step-size" // largest η
	Threshold = "threshold" // largest 1 - λ of a mode
)

// Bound is one bound on one quantity.
type Bound struct {
	ID          string       `json:"id"` // method-quantity
	Name        string       `json:"name"`
	Source      string       `json:"source"`
	Kind        Kind         `json:"kind"`
	Quantity    string       `json:"quantity"`
	Applicable  bool         `json:"applicable"`
	Reason      string       `json:"reason"`      // the first assumption that fails, with its numbers, or ""
	Assumptions []Assumption `json:"assumptions"` // all of them, checked; those after a failed one may be missing
	Vacuous     bool         `json:"vacuous"`     // it holds, but grows without limit
	Lower       bool         `json:"lower"`       // a lower bound: no method of its class does better
	Tuned       bool         `json:"tuned"`       // it chooses its own step: not to be held against a run at Setting.Step
	Detail      string       `json:"detail"`      // what it found, in words: a block, a worst curvature
	Points      []Point      `json:"points"`      // in the order of Setting.At; none when not applicable or when there is one value
	Value       *float64     `json:"value"`       // of a quantity that does not depend on t
	Worst       []Worst      `json:"worst,omitzero"`
}

// Assumption is one condition of a bound, checked on the given schedule and problem.
type Assumption struct {
	Text  string `json:"text"`  // the condition
	Holds bool   `json:"holds"` // whether it is met
	Found string `json:"found"` // what decides, for instance "step 0.1 > cap p/(96√6 τL) = 0.00252"
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
	out, err := c.guarantees(ctx)
	if err != nil {
		return nil, err
	}
	out = append(out, best(out, s.At)...)
	averaging, err := c.averaging(ctx)
	if err != nil {
		return nil, err
	}
	lemma, err := c.koloskova(ctx)
	if err != nil {
		return nil, err
	}
	theorems, err := c.theorems(ctx)
	if err != nil {
		return nil, err
	}
	out = append(append(append(out, averaging...), lemma.bounds(s.At)...), theorems...)
	for i := range out {
		out[i].scale(c.Scale)
	}
	return out, nil
}

// guarantees returns the bounds on moments that hold, unscaled: the built-in ones and those of the user.
func (c *setup) guarantees(ctx context.Context) ([]Bound, error) {
	var out []Bound
	for _, evaluate := range []func(context.Context) (method, error){c.recursion, c.window, c.kernel, c.local} {
		m, err := evaluate(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, m.bounds(c.At)...)
	}
	class, err := c.class(ctx)
	if err != nil {
		return nil, err
	}
	out = append(out, class...)
	for _, own := range c.Own {
		more, err := own.Bounds(ctx, c.Setting)
		if err != nil {
			return nil, err
		}
		for _, b := range more {
			if err := b.check(); err != nil {
				return nil, err
			}
			b.Points, b.Assumptions = append([]Point{}, b.Points...), append([]Assumption{}, b.Assumptions...)
			out = append(out, b)
		}
	}
	return out, nil
}

// check refuses a bound of the user that would be misread: without a name, or with a value that is no number.
func (b Bound) check() error {
	if b.ID == "" || b.Quantity == "" || b.Kind != Guarantee && b.Kind != Order {
		return fmt.Errorf("bound %q: needs an id, a quantity and a kind (%s or %s)", b.ID, Guarantee, Order)
	}
	for _, p := range b.Points {
		if math.IsNaN(p.Value) {
			return fmt.Errorf("bound %q: its value at t=%d is no number", b.ID, p.T)
		}
	}
	return nil
}

// scale multiplies all values and keeps them within the range of floating point.
func (b *Bound) scale(by float64) {
	for i := range b.Points {
		b.Points[i].Value = capped(by * b.Points[i].Value)
	}
	if b.Value != nil {
		v := capped(by * *b.Value)
		b.Value = &v
	}
}

func capped(v float64) float64 {
	if !(v < math.MaxFloat64) {
		return math.MaxFloat64
	}
	return v
}

// method is one way to bound centroid and consensus together, evaluated.
type method struct {
	id, name, source string
	assume           assumptions // applicable when all hold
	vacuous          bool
	kind             Kind   // default: guarantee
	only             string // the one quantity; default: all three
	detail           string
	values           map[int]pair
}

// pair holds squared errors: bounds on the centroid and the consensus error.
type pair struct{ centroid, consensus float64 }

// bounds writes the method as three bounds; that on the mse is the sum of the other two.
func (m method) bounds(at []int) []Bound {
	var out []Bound
	for _, q := range []struct {
		name  string
		value func(pair) float64
	}{
		{Centroid, func(p pair) float64 { return p.centroid }},
		{Consensus, func(p pair) float64 { return p.consensus }},
		{MSE, func(p pair) float64 { return p.centroid + p.consensus }},
	} {
		if m.only != "" && m.only != q.name {
			continue
		}
		b := Bound{ID: m.id + "-" + q.name, Name: m.name, Source: m.source, Kind: m.kind, Quantity: q.name,
			Vacuous: m.vacuous, Detail: m.detail, Points: []Point{}}
		if b.Kind == "" {
			b.Kind = Guarantee
		}
		if b.apply(m.assume); b.Applicable {
			for _, t := range at {
				b.Points = append(b.Points, Point{t, capped(q.value(m.values[t]))})
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
	weights   []float64
	at        []int     // sorted
	spread    float64   // noise that is disagreement: Σ w_i (1 - w_i) tr N_i, or σ²(1 - 1/n)
	contract  []float64 // ‖W - J‖ of each round of a period
	common    assumptions
}

// maxNodes bounds the dense matrices that are held at once, each a fifth of a gigabyte at this size.
const maxNodes = 5000

func newSetup(ctx context.Context, s Setting) (*setup, error) {
	if s.Problem.N != s.Sequence.N {
		return nil, fmt.Errorf("the problem has %d islands, the schedule has %d nodes", s.Problem.N, s.Sequence.N)
	}
	if s.Sequence.N > maxNodes {
		return nil, fmt.Errorf("bounds work with dense matrices of %d × %d, which is too large: at most %d nodes", s.Sequence.N, s.Sequence.N, maxNodes)
	}
	if err := gossip.CheckStep(s.Problem, s.Step); err != nil {
		return nil, err
	}
	if s.Scale < 0 || math.IsNaN(s.Scale) || math.IsInf(s.Scale, 0) {
		return nil, fmt.Errorf("scale %g is no positive finite number", s.Scale)
	}
	if s.Target < 0 || s.Target >= 1 || math.IsNaN(s.Target) {
		return nil, fmt.Errorf("target %g is no share between 0 and 1", s.Target)
	}
	c := &setup{Setting: s, constants: s.Problem.Constants()}
	if c.Scale == 0 {
		c.Scale = 1
	}
	if c.Target == 0 {
		c.Target = 0.01
	}
	if c.Step == 0 {
		var err error
		if c.Step, err = s.Problem.DefaultStep(); err != nil {
			return nil, err
		}
	}
	c.step = c.Step
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
	if s.Sequence.Random != nil {
		return c, c.randomContraction(ctx)
	}
	c.unbalanced()
	if c.common.hold() {
		for t := range s.Sequence.Steps {
			c.contract = append(c.contract, c.contraction(s.Sequence.Steps[t].W))
		}
	}
	return c, nil
}
