// Package schedule describes who averages with whom, and when.
//
// A schedule is a sequence of rounds that repeats. In a round each of n islands takes a number of local steps, then
// the islands synchronize once: in disjoint cliques, each of which ends the round with its own average, or through
// any other mixing matrix. Nothing here knows what a round costs (network/collective) or how fast it contracts
// (mixing): the schedule is the common ground of both.
//
// With n = 4, the schedule of two rounds
//
//	cliques {0,1} {2,3}, then cliques {0,2} {1,3}
//
// averages all four islands exactly: after the first round 0 and 1 agree, and 2 and 3; after the second, everyone
// holds the mean. No island ever spoke with more than one other at a time. That is the idea behind rotating cliques.
//
// A schedule comes from a family line (Load("rotating-cliques:k=3", ...)), from a file (Load("plan.yaml", ...)), from
// a list of cliques (ParseCliques) or from code. Form writes it back in the form of a file, and Fingerprint tells
// whether two schedules are the same however they were written.
//
// A random schedule draws every round independently from one distribution (Random).
package schedule

import (
	"fmt"
	"math"
	"strconv"

	"github.com/islandsgd/islands/internal/text"
)

// Schedule is a periodic sequence of rounds over N nodes, or a distribution of rounds. The zero value has no nodes
// and is not valid.
type Schedule struct {
	Name   string
	N      int      // number of nodes (islands)
	Nodes  []string // their names, or nil when they are numbered
	Rounds []Round  // one period, at least one round; empty when Random is set

	// Random replaces Rounds: every round is an independent draw. Nil for a periodic schedule.
	Random *Random
}

// Round is one synchronization. Exactly one of Cliques, Edges and Entries describes the mixing matrix W, row i of
// which says what node i takes from whom: x_i ← Σ_j W_ij x_j.
type Round struct {
	LocalSteps int // local steps before the synchronization, at least 1

	// Cliques are disjoint sets of nodes, each replaced by its average; a node in none is idle. A round with no
	// clique, no edge and no entry mixes nothing (W = I).
	Cliques [][]int

	// Edges are undirected, W_ij = W_ji = Weight; the diagonal completes each row to 1.
	Edges []Edge
	// Rule names a weight rule that is still to be applied to Edges, whose weights are then 0 (mixing.Explicit does
	// it); "" when the weights are given.
	Rule string
	// Target is the distribution π, sum 1, for Rule "reversible": π'W = π', so that the islands agree on the mean
	// weighted by π (tokens, share of the data). Nil for the other rules.
	Target []float64
	// Lazy is θ in W ← (1-θ) I + θ W, to be applied after Rule; 0 means unset, as does 1.
	Lazy float64

	// Entries are all non-zero W_ij, diagonal included: any matrix, symmetric or not.
	Entries []Edge
}

// Edge is one weighted edge {I, J}, or one matrix entry W_IJ.
type Edge struct {
	I, J   int
	Weight float64
}

// Rules are the weight rules of graphs, for an edge {i,j} between nodes of degree d_i and d_j:
//
//	metropolis           1/(1 + max(d_i, d_j))      every diagonal entry positive
//	metropolis-hastings  1/max(d_i, d_j)
//	max-degree           1/d_max
//	max-degree-lazy      1/(1 + d_max)
//	best-constant        2/(λ_2 + λ_max) of the Laplacian: the best that equal weights can do
//	fdla                 least ‖W-J‖₂ over all symmetric weights (Xiao, Boyd 2004)
//	fmmc                 the same with W ≥ 0 (Boyd, Diaconis, Xiao 2004)
//	reversible           W_ij = min(π_i/(1+d_i), π_j/(1+d_j))/π_i for a target distribution π: not symmetric, keeps
//	                     the mean weighted by π
var Rules = []string{"metropolis", "metropolis-hastings", "max-degree", "max-degree-lazy", "best-constant", "fdla", "fmmc", "reversible"}

// Period returns the number of rounds after which the schedule repeats: 1 for a random schedule.
func (s *Schedule) Period() int {
	if s.Random != nil {
		return 1
	}
	return len(s.Rounds)
}

// Round returns round t, counted from 0, of the repeated schedule. A random schedule has none: use Random.Draw.
func (s *Schedule) Round(t int) *Round { return &s.Rounds[t%len(s.Rounds)] }

// IsCliques reports whether the round is made of cliques (or is idle), which collectives can carry.
func (r *Round) IsCliques() bool { return len(r.Edges) == 0 && len(r.Entries) == 0 }

// NodeName returns the name of node i, or its number.
func (s *Schedule) NodeName(i int) string {
	if s.Nodes != nil {
		return s.Nodes[i]
	}
	return strconv.Itoa(i)
}

// MaxNodes bounds the number of nodes of a schedule, and MaxTerms what it lists in all (clique members, edges,
// matrix entries, over all rounds): a slip of the keyboard must not fill the memory.
const (
	MaxNodes = 1 << 20
	MaxTerms = 20_000_000
)

// Validate reports the first thing that makes s no schedule: a node out of range or in two cliques, an edge given
// twice, a weight that is no finite number, a rule that does not exist. It looks at the shape alone; whether W is
// doubly stochastic is for mixing to say.
func (s *Schedule) Validate() error {
	if s.N < 1 || s.N > MaxNodes {
		return fmt.Errorf("a schedule needs 1 to %d nodes, got %d", MaxNodes, s.N)
	}
	if s.Nodes != nil {
		if len(s.Nodes) != s.N {
			return fmt.Errorf("%d node names for %d nodes", len(s.Nodes), s.N)
		}
		if err := checkNames(s.Nodes); err != nil {
			return err
		}
	}
	if s.Random != nil {
		if len(s.Rounds) > 0 {
			return fmt.Errorf("a schedule is either periodic or random, got both")
		}
		return s.Random.validate(s)
	}
	if len(s.Rounds) == 0 {
		return fmt.Errorf("a schedule needs at least one round")
	}
	for t := range s.Rounds {
		if err := s.validateRound(&s.Rounds[t]); err != nil {
			return fmt.Errorf("round %d: %w", t, err)
		}
	}
	return nil
}

func checkNames(names []string) error {
	seen := make(map[string]bool, len(names))
	for i, name := range names {
		if name == "" {
			return fmt.Errorf("node %d has an empty name", i)
		}
		if seen[name] {
			return fmt.Errorf("node name %q stands twice", name)
		}
		seen[name] = true
	}
	return nil
}

func (s *Schedule) validateRound(r *Round) error {
	kinds := 0
	for _, n := range []int{len(r.Cliques), len(r.Edges), len(r.Entries)} {
		if n > 0 {
			kinds++
		}
	}
	switch {
	case r.LocalSteps < 1:
		return fmt.Errorf("%d local steps, need at least 1", r.LocalSteps)
	case kinds > 1:
		return fmt.Errorf("cliques, edges and a matrix exclude each other")
	case !(r.Lazy >= 0 && r.Lazy <= 1):
		return fmt.Errorf("lazy=%v is outside (0, 1]", r.Lazy)
	}
	if r.Rule != "" {
		if err := checkRule(r.Rule); err != nil {
			return err
		}
		if len(r.Cliques) > 0 || len(r.Entries) > 0 {
			return fmt.Errorf("weights=%s applies to edges only", r.Rule)
		}
	}
	if err := s.checkTarget(r); err != nil {
		return err
	}
	if err := s.checkCliques(r.Cliques); err != nil {
		return err
	}
	seen := make(map[[2]int]bool, len(r.Edges)+len(r.Entries))
	for _, e := range r.Edges {
		if err := s.checkEdge(e, "edge"); err != nil {
			return err
		}
		if e.I == e.J {
			return fmt.Errorf("edge from %s to itself", s.NodeName(e.I))
		}
		if r.Rule != "" && e.Weight != 0 {
			return fmt.Errorf("edge %s-%s has a weight and weights=%s", s.NodeName(e.I), s.NodeName(e.J), r.Rule)
		}
		key := [2]int{min(e.I, e.J), max(e.I, e.J)}
		if seen[key] {
			return fmt.Errorf("edge %s-%s stands twice", s.NodeName(e.I), s.NodeName(e.J))
		}
		seen[key] = true
	}
	for _, e := range r.Entries {
		if err := s.checkEdge(e, "entry"); err != nil {
			return err
		}
		key := [2]int{e.I, e.J}
		if seen[key] {
			return fmt.Errorf("entry %s, %s stands twice", s.NodeName(e.I), s.NodeName(e.J))
		}
		seen[key] = true
	}
	return nil
}

// targetTol is what rounding to decimals may leave of the sum of a target distribution.
const targetTol = 1e-9

func (s *Schedule) checkTarget(r *Round) error {
	if r.Rule != "reversible" {
		if r.Target != nil {
			return fmt.Errorf("a target distribution needs weights=reversible")
		}
		return nil
	}
	if len(r.Target) != s.N {
		return fmt.Errorf("weights=reversible needs a target share for each of %d nodes, got %d", s.N, len(r.Target))
	}
	sum := 0.0
	for i, v := range r.Target {
		if !(v > 0 && v <= 1) {
			return fmt.Errorf("target share %v of node %s is outside (0, 1]", v, s.NodeName(i))
		}
		sum += v
	}
	if math.Abs(sum-1) > targetTol {
		return fmt.Errorf("the target shares sum to %v, not 1", sum)
	}
	return nil
}

func (s *Schedule) checkCliques(cliques [][]int) error {
	seen := make(map[int]bool)
	for _, c := range cliques {
		if len(c) == 0 {
			return fmt.Errorf("a clique is empty")
		}
		for _, i := range c {
			if i < 0 || i >= s.N {
				return fmt.Errorf("node %d does not exist (there are %d, counted from 0)", i, s.N)
			}
			if seen[i] {
				return fmt.Errorf("node %s is in two cliques", s.NodeName(i))
			}
			seen[i] = true
		}
	}
	return nil
}

func (s *Schedule) checkEdge(e Edge, what string) error {
	for _, i := range []int{e.I, e.J} {
		if i < 0 || i >= s.N {
			return fmt.Errorf("%s %d, %d: node %d does not exist (there are %d, counted from 0)", what, e.I, e.J, i, s.N)
		}
	}
	if math.IsNaN(e.Weight) || math.IsInf(e.Weight, 0) {
		return fmt.Errorf("%s %s, %s: weight %v is no finite number", what, s.NodeName(e.I), s.NodeName(e.J), e.Weight)
	}
	return nil
}

func checkRule(rule string) error {
	for _, r := range Rules {
		if r == rule {
			return nil
		}
	}
	return fmt.Errorf("unknown weights %q%s", rule, text.DidYouMean(rule, Rules))
}
