package bounds

import (
	"context"
	"math"
)

// Theorem is a published statement: its assumptions, and its right side as a function of the numbers that it asks for.
// Constants are as recalled from the paper, so its kind is Order. Where T appears it counts local steps.
type Theorem struct {
	ID       string
	Name     string
	Source   string
	Quantity string
	Lower    bool // a lower bound
	Tuned    bool // it chooses its own step size

	// Assume checks every assumption.
	Assume func(Numbers) []Assumption

	// From is the first T for which the statement is made; nil: 1.
	From func(Numbers) float64

	// At is the right side after T steps; nil when there is one Value.
	At    func(n Numbers, steps float64) float64
	Value func(Numbers) float64
}

// Numbers are what published theorems ask for. Setting.Numbers computes them; they can also be filled in by hand for
// problems that are no quadratics.
type Numbers struct {
	Algorithm string  // as in gossip.Algorithm
	N         int     // islands
	H         int     // local steps of every round; 0: rounds differ
	Step      float64 // η
	Steps     float64 // T: local steps until the last round asked for
	Target    float64 // for rates that count steps: the share of the error at the start that is to be left

	// The problem. Averages are over islands.
	L, Mu          float64 // every f_i is L-smooth and μ-strongly convex
	Sigma2         float64 // σ²: noise of an island's gradient, in total over coordinates
	Zeta2          float64 // ζ*²: average ‖∇f_i(x*)‖²
	Uniform2       float64 // ς²: sup over x of average ‖∇f_i(x) - ∇f(x)‖²; +Inf: none
	Bound2         float64 // G²: bound on E ‖stochastic gradient‖² everywhere; +Inf: none
	Identical      bool    // all islands have the same objective
	Distance2      float64 // ‖x̄_0 - x*‖²
	Gap            float64 // f(x̄_0) - f*
	StartConsensus float64 // average ‖x_i - x̄‖² at the start
	Gradient2      float64 // ‖∇f(x̄_0)‖²
	IsotropicNoise bool    // least squares: stochastic gradients hh'(x - b)

	// The schedule.
	Doubly    bool    // every W is doubly stochastic
	Column    bool    // every W has nonnegative entries and column sums 1
	Symmetric bool    // the same symmetric W in every round
	Fixed     bool    // the same W in every round
	Random    bool    // every round draws its W
	Exact     bool    // every round averages exactly, W = J
	Connected bool    // over a period
	Lambda    float64 // ‖W - J‖ of the fixed W; of a random one √‖E[W'W] - J‖; else 1
	Least     float64 // least eigenvalue of the fixed symmetric W
	P         float64 // contraction of a block ...
	Tau       float64 // ... of so many local steps; P = 0: none
	Period    int
	Eigengap  float64 // λ_2/λ_max of the Laplacian of the graph of all exchanges; 0: not connected
	Diameter  int     // of that graph; 0: not connected or n = 1
	Groups    Groups  // of a hierarchical schedule

	Delay int     // delayed: rounds
	Omega float64 // choco: E‖Q(x)-x‖² ≤ (1-ω)‖x‖²; 0: not known
	Gamma float64 // choco: consensus step
	Beta  float64 // choco: ‖I - W‖
}

// Groups describes a schedule that averages inside groups often and over all islands seldom.
type Groups struct {
	Count        int     // groups; 0: the schedule is not hierarchical
	Inner, Outer float64 // local steps between averagings in groups, and between averagings of all
	Between2     float64 // average over groups of sup ‖∇f_g(x) - ∇f(x)‖²; +Inf: none
	Within2      float64 // average over islands of sup ‖∇f_i(x) - ∇f_g(x)‖²; +Inf: none
}

// Theorems returns all published statements, in a fixed order.
func Theorems() []Theorem {
	var out []Theorem
	for _, group := range [][]Theorem{lian(), koloskovaRates(), matcha(), transients(), localSGD(), compressed(), directed(), delays(), lowerBounds(), subgradients()} {
		out = append(out, group...)
	}
	return out
}

// Bound evaluates the theorem on n at the given rounds. A round is n.H local steps.
func (th Theorem) Bound(n Numbers, at []int) Bound {
	b := Bound{ID: th.ID, Name: th.Name, Source: th.Source, Kind: Order, Quantity: th.Quantity, Lower: th.Lower, Tuned: th.Tuned, Points: []Point{}}
	if b.apply(th.Assume(n)); !b.Applicable {
		return b
	}
	if th.Value != nil {
		if v := th.Value(n); !math.IsNaN(v) {
			v = capped(v)
			b.Value = &v
		}
		return b
	}
	from := 1.0
	if th.From != nil {
		from = th.From(n)
	}
	for _, t := range at {
		if steps := float64(t) * float64(n.H); steps >= from && steps > 0 {
			b.Points = append(b.Points, Point{t, capped(th.At(n, steps))})
		}
	}
	return b
}

// theorems evaluates every theorem, and the rate that needs W itself.
func (c *setup) theorems(ctx context.Context) ([]Bound, error) {
	n, err := c.numbers(ctx)
	if err != nil {
		return nil, err
	}
	var out []Bound
	for _, th := range Theorems() {
		out = append(out, th.Bound(n, c.At))
	}
	rate, err := c.isotropicRate(ctx)
	return append(out, rate), err
}

// sqrt, square and log2 keep formulas short.
func sqrt(v float64) float64   { return math.Sqrt(v) }
func square(v float64) float64 { return v * v }

// finite asks for a bound that exists: unlike the constants at x*, a supremum over all x may not.
func finite(name string, v float64) Assumption {
	if math.IsInf(v, 1) {
		return is(name+" is finite", false, "%s = ∞", name)
	}
	return met(name+" is finite", "%s = %s", name, short(v))
}

func equalSteps(n Numbers) Assumption {
	return atLeast("local steps of every round (0: they differ)", float64(n.H), "", 1)
}

func commonStart(n Numbers) Assumption {
	return equal("consensus error at the start", n.StartConsensus, "", 0)
}

func doubly(n Numbers) Assumption {
	return is("doubly stochastic W", n.Doubly, "not met: doubly stochastic W")
}

func fixedSymmetric(n Numbers) Assumption {
	return is("one symmetric doubly stochastic W in every round", n.Symmetric && n.Doubly, "not met: one symmetric doubly stochastic W")
}
