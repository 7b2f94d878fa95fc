package mixing

import (
	"fmt"

	"github.com/islandsgd/islands/schedule"
)

// Sequence is the mixing side of a schedule: one period of steps, or a distribution of them.
type Sequence struct {
	N           int
	Steps       []Step // one period; empty when Random is set
	Fingerprint string // of the schedule that New was given; "" for a sequence made otherwise
	Certificate *Certificate

	// Random replaces Steps: every round is an independent draw. Nil for a periodic sequence.
	Random *Random
}

// Step is H local steps followed by one mixing.
type Step struct {
	LocalSteps int
	W          *Matrix
}

// Period returns the number of rounds after which the sequence repeats: 1 for a random one.
func (s *Sequence) Period() int {
	if s.Random != nil {
		return 1
	}
	return len(s.Steps)
}

// Step returns round t, counted from 0, of the repeated sequence. A random sequence has none: use Random.Draw.
func (s *Sequence) Step(t int) *Step { return &s.Steps[t%len(s.Steps)] }

// New returns the mixing matrices of a schedule. Weight rules that are still open are applied first (Explicit). The
// matrices are checked for shape alone: whether they are doubly stochastic, connected or contracting is for Analyze
// to say and for a bound to require.
func New(s *schedule.Schedule) (*Sequence, error) {
	given := s.Fingerprint()
	s, certificate, err := explicit(s)
	if err != nil {
		return nil, err
	}
	seq := &Sequence{N: s.N, Fingerprint: given, Certificate: certificate}
	if s.Random != nil {
		seq.Random = newRandom(s)
		return seq, nil
	}
	seq.Steps = make([]Step, len(s.Rounds))
	for i := range s.Rounds {
		seq.Steps[i] = Step{s.Rounds[i].LocalSteps, fromRound(s.N, &s.Rounds[i])}
	}
	return seq, nil
}

// Explicit returns the schedule with every weight rule and every lazy factor worked out, or s itself when there is
// nothing to do. Cliques stay cliques, with their lazy factor beside them, so that they can still be carried as such;
// New takes the factor into account.
func Explicit(s *schedule.Schedule) (*schedule.Schedule, error) {
	out, _, err := explicit(s)
	return out, err
}

func explicit(s *schedule.Schedule) (*schedule.Schedule, *Certificate, error) {
	if err := s.Validate(); err != nil {
		return nil, nil, fmt.Errorf("schedule %s: %w", s.Name, err)
	}
	var certificate *Certificate
	out := *s
	if s.Random != nil {
		r, err := explicitRandom(s)
		if err != nil {
			return nil, nil, err
		}
		out.Random = r
		return &out, nil, nil
	}
	open := false
	for i := range s.Rounds {
		open = open || isOpen(&s.Rounds[i])
	}
	if !open {
		return s, nil, nil
	}
	out.Rounds = make([]schedule.Round, len(s.Rounds))
	for i := range s.Rounds {
		r, c, err := explicitRound(s.N, &s.Rounds[i])
		if err != nil {
			return nil, nil, fmt.Errorf("schedule %s, round %d: %w", s.Name, i, err)
		}
		out.Rounds[i] = *r
		if len(s.Rounds) == 1 {
			certificate = c
		}
	}
	return &out, certificate, nil
}

// isOpen reports whether the round still has a rule or a lazy factor to be applied.
func isOpen(r *schedule.Round) bool {
	return !r.IsCliques() && (r.Rule != "" || r.Lazy != 0)
}

func explicitRound(n int, r *schedule.Round) (*schedule.Round, *Certificate, error) {
	out := *r
	if !isOpen(r) {
		return &out, nil, nil
	}
	var certificate *Certificate
	switch {
	case r.Rule == "reversible":
		out.Edges, out.Entries = nil, Reversible(n, r.Edges, r.Target)
		out.Rule, out.Target = "", nil
	case r.Rule != "":
		weights, c, err := ruleWeights(n, r.Edges, r.Rule)
		if err != nil {
			return nil, nil, err
		}
		out.Edges = make([]schedule.Edge, len(r.Edges))
		for k, e := range r.Edges {
			out.Edges[k] = schedule.Edge{I: e.I, J: e.J, Weight: weights[k]}
		}
		out.Rule, certificate = "", c
	}
	if theta := r.Lazy; theta != 0 && theta != 1 {
		out.Edges, out.Entries = lazyEdges(out.Edges, theta), lazyEntries(n, out.Entries, theta)
		certificate = nil // it speaks of the matrix before it was made lazy
	}
	out.Lazy = 0
	return &out, certificate, nil
}

func lazyEdges(edges []schedule.Edge, theta float64) []schedule.Edge {
	out := make([]schedule.Edge, len(edges))
	for k, e := range edges {
		out[k] = schedule.Edge{I: e.I, J: e.J, Weight: theta * e.Weight}
	}
	return out
}

func lazyEntries(n int, entries []schedule.Edge, theta float64) []schedule.Edge {
	if len(entries) == 0 {
		return entries
	}
	out := make([]schedule.Edge, 0, len(entries)+n)
	seen := make([]bool, n)
	for _, e := range entries {
		w := theta * e.Weight
		if e.I == e.J {
			w += 1 - theta
			seen[e.I] = true
		}
		out = append(out, schedule.Edge{I: e.I, J: e.J, Weight: w})
	}
	for i, has := range seen {
		if !has {
			out = append(out, schedule.Edge{I: i, J: i, Weight: 1 - theta})
		}
	}
	return out
}
