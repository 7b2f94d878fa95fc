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
package schedule

// Schedule is a periodic sequence of rounds over N nodes. The zero value has no nodes and is not valid.
type Schedule struct {
	Name   string
	N      int      // number of nodes (islands)
	Nodes  []string // their names, or nil when they are numbered
	Rounds []Round  // one period, at least one round
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

// Period returns the number of rounds after which the schedule repeats.
func (s *Schedule) Period() int { return len(s.Rounds) }

// Round returns round t, counted from 0, of the repeated schedule.
func (s *Schedule) Round(t int) *Round { return &s.Rounds[t%len(s.Rounds)] }

// IsCliques reports whether the round is made of cliques (or is idle), which collectives can carry.
func (r *Round) IsCliques() bool { return len(r.Edges) == 0 && len(r.Entries) == 0 }

// NodeName returns the name of node i, or its number.
func (s *Schedule) NodeName(i int) string {
	if s.Nodes != nil {
		return s.Nodes[i]
	}
	return itoa(i)
}
