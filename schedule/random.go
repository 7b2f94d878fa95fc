package schedule

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Random is a distribution of rounds. Every round of the schedule is drawn from it independently of all others.
//
// It is one of four: Outcomes alone; cliques of CliqueSize in a uniformly random partition (Exchangeable); one of
// Edges, all equally likely; or Matchings that are active at random. A support of at most MaxOutcomes rounds is listed
// in Outcomes in any case, so that moments are exact sums; of a larger one the structure is all there is.
type Random struct {
	LocalSteps int // local steps before each synchronization, at least 1

	// Outcomes are all rounds that can be drawn, with probabilities that sum to 1; nil where there are too many, or
	// while Matchings are still without probabilities.
	Outcomes []Outcome

	// Exchangeable says that every round is a uniformly random partition of N nodes into cliques of CliqueSize, one
	// smaller where it does not divide N: renaming the nodes leaves the distribution as it is.
	Exchangeable  bool
	N, CliqueSize int

	// Edges says that every round averages the two ends of one of them (randomized gossip, Boyd et al. 2006).
	Edges []Edge

	// Lazy is θ in W ← (1-θ) I + θ W of each drawn round; 0 means unset, as does 1. Outcomes carry it already.
	Lazy float64

	// Matchings make a MATCHA schedule (Wang et al. 2019): matching j of the base graph is active with probability
	// Probabilities[j], independently, and an active edge has weight Step. Probabilities is nil until mixing.Explicit
	// has chosen it, with Step, for the Budget: the mean share of matchings that are active, in (0, 1].
	Matchings     [][]Edge
	Budget        float64
	Probabilities []float64
	Step          float64
}

// Outcome is one round that can be drawn.
type Outcome struct {
	Probability float64
	Round       Round
}

// MaxOutcomes bounds the list of outcomes, and listedNodes what their cliques list in all.
const (
	MaxOutcomes = 10_000
	listedNodes = 1_000_000
)

// Draw returns one random round. A MATCHA schedule needs its Probabilities first.
func (r *Random) Draw(rng *rand.Rand) Round {
	switch {
	case r.Exchangeable:
		return Round{LocalSteps: r.LocalSteps, Lazy: r.Lazy, Cliques: cut(rng.Perm(r.N), r.CliqueSize)}
	case len(r.Edges) > 0:
		e := r.Edges[rng.IntN(len(r.Edges))]
		return Round{LocalSteps: r.LocalSteps, Lazy: r.Lazy, Cliques: [][]int{{e.I, e.J}}}
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

// list fills Outcomes of a distribution that is given by its structure, where they are few enough.
func (r *Random) list() {
	round := func(c [][]int) Round { return Round{LocalSteps: r.LocalSteps, Lazy: r.Lazy, Cliques: c} }
	switch {
	case r.Exchangeable:
		if all, ok := partitions(r.N, r.CliqueSize); ok {
			for _, c := range all {
				r.Outcomes = append(r.Outcomes, Outcome{1 / float64(len(all)), round(c)})
			}
		}
	case len(r.Edges) <= MaxOutcomes:
		for _, e := range r.Edges {
			r.Outcomes = append(r.Outcomes, Outcome{1 / float64(len(r.Edges)), round([][]int{{e.I, e.J}})})
		}
	}
}

// probabilityTol is what rounding may leave of a sum of up to MaxOutcomes probabilities.
const probabilityTol = 1e-9

func (r *Random) validate(s *Schedule) error {
	if r.LocalSteps < 1 {
		return fmt.Errorf("%d local steps, need at least 1", r.LocalSteps)
	}
	kinds := 0
	for _, is := range []bool{r.Exchangeable, len(r.Edges) > 0, len(r.Matchings) > 0} {
		if is {
			kinds++
		}
	}
	switch {
	case kinds > 1:
		return fmt.Errorf("random cliques, edges and matchings exclude each other")
	case kinds == 0 && len(r.Outcomes) == 0:
		return fmt.Errorf("a random schedule needs at least one outcome")
	case r.Exchangeable && (r.N != s.N || r.CliqueSize < 1 || r.CliqueSize > s.N):
		return fmt.Errorf("cliques of %d among %d nodes", r.CliqueSize, s.N)
	case len(r.Matchings) > 0 && !(r.Budget > 0 && r.Budget <= 1):
		return fmt.Errorf("budget %v is outside (0, 1]", r.Budget)
	case !(r.Lazy >= 0 && r.Lazy <= 1):
		return fmt.Errorf("lazy=%v is outside (0, 1]", r.Lazy)
	case r.Lazy != 0 && len(r.Matchings) > 0:
		return fmt.Errorf("lazy has no place where the step is chosen by optimization")
	}
	if err := s.validateRound(&Round{LocalSteps: 1, Edges: r.Edges}); err != nil {
		return err
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
		seen := make(map[int]bool, 2*len(m))
		for _, e := range m {
			if seen[e.I] || seen[e.J] {
				return fmt.Errorf("matching %d: two edges meet at a node", j)
			}
			seen[e.I], seen[e.J] = true, true
		}
	}
	return nil
}
