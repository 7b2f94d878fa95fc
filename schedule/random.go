package schedule

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Random is a distribution of rounds. Every round of the schedule is drawn from it independently of all others.
//
// A support of at most MaxOutcomes rounds is listed, so that second moments are exact sums over Outcomes. A larger
// one can only be sampled, unless its symmetry gives the moments away (Exchangeable).
type Random struct {
	LocalSteps int // local steps before each synchronization, at least 1

	// Outcomes are all rounds that can be drawn, with probabilities that sum to 1; nil where there are too many, or
	// while Matchings are still without probabilities.
	Outcomes []Outcome

	// Exchangeable says that renaming the nodes leaves the distribution as it is, as for a uniformly random
	// matching: then E[W] and E[W'W] are combinations of I and J.
	Exchangeable bool
	CliqueSize   int // of an exchangeable distribution: every round is cut into ceil(N / CliqueSize) cliques

	// Lazy is θ in W ← (1-θ) I + θ W of each drawn round; 0 means unset, as does 1. Outcomes carry it already.
	Lazy float64

	// Matchings make a MATCHA schedule (Wang et al. 2019): matching j of the base graph is active with probability
	// Probabilities[j], independently, and an active edge has weight Step. Probabilities is nil until mixing.Explicit
	// has chosen it, with Step, for the Budget: the mean share of matchings that are active, in (0, 1].
	Matchings     [][]Edge
	Budget        float64
	Probabilities []float64
	Step          float64

	family string // the canonical family line: what identifies a distribution that is not listed
	draw   func(rng *rand.Rand) [][]int
}

// Outcome is one round that can be drawn.
type Outcome struct {
	Probability float64
	Round       Round
}

// MaxOutcomes bounds the list of outcomes.
const MaxOutcomes = 10_000

// Draw returns one random round. It needs Outcomes, Probabilities or a family's own sampler; all but an unfinished
// MATCHA schedule have one of them.
func (r *Random) Draw(rng *rand.Rand) Round {
	switch {
	case r.draw != nil:
		return Round{LocalSteps: r.LocalSteps, Lazy: r.Lazy, Cliques: r.draw(rng)}
	case len(r.Matchings) > 0:
		var edges []Edge
		for j, m := range r.Matchings {
			if rng.Float64() < r.Probabilities[j] {
				for _, e := range m {
					edges = append(edges, Edge{e.I, e.J, r.Step})
				}
			}
		}
		return Round{LocalSteps: r.LocalSteps, Edges: edges}
	}
	u := rng.Float64()
	for i := range r.Outcomes {
		if u -= r.Outcomes[i].Probability; u < 0 {
			return r.Outcomes[i].Round
		}
	}
	return r.Outcomes[len(r.Outcomes)-1].Round
}

// probabilityTol is what rounding may leave of a sum of up to MaxOutcomes probabilities.
const probabilityTol = 1e-9

func (r *Random) validate(s *Schedule) error {
	if r.LocalSteps < 1 {
		return fmt.Errorf("%d local steps, need at least 1", r.LocalSteps)
	}
	if len(r.Outcomes) == 0 && len(r.Matchings) == 0 && r.draw == nil {
		return fmt.Errorf("a random schedule needs at least one outcome")
	}
	if len(r.Matchings) > 0 && !(r.Budget > 0 && r.Budget <= 1) {
		return fmt.Errorf("budget %v is outside (0, 1]", r.Budget)
	}
	sum := 0.0
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		if !(o.Probability >= 0 && o.Probability <= 1) {
			return fmt.Errorf("outcome %d: probability %v is outside [0, 1]", i, o.Probability)
		}
		sum += o.Probability
		if err := s.validateRound(&o.Round); err != nil {
			return fmt.Errorf("outcome %d: %w", i, err)
		}
		if o.Round.LocalSteps != r.LocalSteps {
			return fmt.Errorf("outcome %d: %d local steps, the schedule has %d", i, o.Round.LocalSteps, r.LocalSteps)
		}
	}
	if len(r.Outcomes) > 0 && math.Abs(sum-1) > probabilityTol {
		return fmt.Errorf("the probabilities sum to %v, not 1", sum)
	}
	for j, m := range r.Matchings {
		if err := s.validateRound(&Round{LocalSteps: 1, Edges: m}); err != nil {
			return fmt.Errorf("matching %d: %w", j, err)
		}
	}
	return nil
}
