package schedule

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Form is a schedule in the form of a file: what json.Marshal or yaml.Marshal makes of it, Read reads back to an
// equal schedule. Nodes stand by name where there are names.
type Form struct {
	Schedule string      `json:"schedule,omitzero" yaml:"schedule,omitempty"`
	N        int         `json:"n,omitzero" yaml:"n,omitempty"`
	Nodes    []string    `json:"nodes,omitzero" yaml:"nodes,omitempty,flow"`
	Steps    int         `json:"local_steps,omitzero" yaml:"local_steps,omitempty"`
	Rounds   []RoundForm `json:"rounds,omitzero" yaml:"rounds,omitempty"`
	Random   any         `json:"random,omitzero" yaml:"random,omitempty"` // []RoundForm or DistributionForm
}

// RoundForm is one round, or one outcome with its probability.
type RoundForm struct {
	Probability *float64    `json:"probability,omitzero" yaml:"probability,omitempty"`
	Cliques     *[][]any    `json:"cliques,omitzero" yaml:"cliques,omitempty,flow"`
	Edges       [][]any     `json:"edges,omitzero" yaml:"edges,omitempty,flow"`
	Matrix      [][]float64 `json:"matrix,omitzero" yaml:"matrix,omitempty,flow"`
	Entries     [][]any     `json:"entries,omitzero" yaml:"entries,omitempty,flow"`
	Weights     string      `json:"weights,omitzero" yaml:"weights,omitempty"`
	Target      []float64   `json:"target,omitzero" yaml:"target,omitempty,flow"`
	Lazy        float64     `json:"lazy,omitzero" yaml:"lazy,omitempty"`
	Steps       int         `json:"local_steps,omitzero" yaml:"local_steps,omitempty"`
}

// DistributionForm is a random schedule that is given by its structure.
type DistributionForm struct {
	CliquesOf int       `json:"cliques_of,omitzero" yaml:"cliques_of,omitempty"`
	OneOf     [][]any   `json:"one_of,omitzero" yaml:"one_of,omitempty,flow"`
	Matchings [][][]any `json:"matchings,omitzero" yaml:"matchings,omitempty,flow"`
	Budget    float64   `json:"budget,omitzero" yaml:"budget,omitempty"`
	Lazy      float64   `json:"lazy,omitzero" yaml:"lazy,omitempty"`
}

// maxMatrixForm is the largest n whose matrices are written out in full; larger ones are written as entries.
const maxMatrixForm = 64

// Form returns the schedule in the form of a file.
func (s *Schedule) Form() Form {
	f := Form{Schedule: s.Name, Nodes: s.Nodes}
	if s.Nodes == nil {
		f.N = s.N
	}
	if r := s.Random; r != nil {
		f.Steps = r.LocalSteps
		f.Random = s.randomForm()
		return f
	}
	common := len(s.Rounds) > 0
	for i := range s.Rounds {
		common = common && s.Rounds[i].LocalSteps == s.Rounds[0].LocalSteps
		form := s.roundForm(&s.Rounds[i])
		form.Steps = s.Rounds[i].LocalSteps
		f.Rounds = append(f.Rounds, form)
	}
	if common {
		f.Steps = s.Rounds[0].LocalSteps
		for i := range f.Rounds {
			f.Rounds[i].Steps = 0
		}
	}
	return f
}

func (s *Schedule) randomForm() any {
	r := s.Random
	pairs := func(edges []Edge) [][]any {
		var out [][]any
		for _, e := range edges {
			out = append(out, []any{s.node(e.I), s.node(e.J)})
		}
		return out
	}
	f := DistributionForm{Lazy: r.Lazy}
	switch {
	case r.Exchangeable:
		f.CliquesOf = r.CliqueSize
	case len(r.Edges) > 0:
		f.OneOf = pairs(r.Edges)
	case len(r.Matchings) > 0:
		f.Budget = r.Budget
		for _, m := range r.Matchings {
			f.Matchings = append(f.Matchings, pairs(m))
		}
	default:
		var outcomes []RoundForm
		for i := range r.Outcomes {
			form := s.roundForm(&r.Outcomes[i].Round)
			form.Probability = &r.Outcomes[i].Probability
			outcomes = append(outcomes, form)
		}
		return outcomes
	}
	return f
}

func (s *Schedule) node(i int) any {
	if s.Nodes != nil {
		return s.Nodes[i]
	}
	return i
}

func (s *Schedule) roundForm(r *Round) RoundForm {
	f := RoundForm{Weights: r.Rule, Target: r.Target, Lazy: r.Lazy}
	switch {
	case r.IsCliques():
		cliques := make([][]any, len(r.Cliques))
		for k, c := range r.Cliques {
			for _, i := range c {
				cliques[k] = append(cliques[k], s.node(i))
			}
		}
		f.Cliques = &cliques
		f.Weights, f.Target = "", nil // an idle round has no edge that a rule could weigh
	case len(r.Edges) > 0:
		for _, e := range r.Edges {
			edge := []any{s.node(e.I), s.node(e.J)}
			if r.Rule == "" {
				edge = append(edge, e.Weight)
			}
			f.Edges = append(f.Edges, edge)
		}
	case s.N <= maxMatrixForm:
		f.Matrix = make([][]float64, s.N)
		for i := range f.Matrix {
			f.Matrix[i] = make([]float64, s.N)
		}
		for _, e := range r.Entries {
			f.Matrix[e.I][e.J] = e.Weight
		}
	default:
		for _, e := range r.Entries {
			f.Entries = append(f.Entries, []any{s.node(e.I), s.node(e.J), e.Weight})
		}
	}
	return f
}

// Fingerprint identifies the schedule by the content of its rounds: 64 hexadecimal digits, the SHA-256 of a canonical
// text. Equal schedules have equal fingerprints in whatever order their cliques, members, edges and entries stand, in
// YAML or in JSON, with nodes named or numbered. Names (of the schedule and of the nodes) do not enter; the numbering of
// the nodes, the order of the rounds, local steps, weight rules and all bits of the weights do. So does the form:
// cliques, edges and a matrix of the same values differ, since a network carries a clique otherwise than pairs; so do a
// distribution and the list of its outcomes.
func (s *Schedule) Fingerprint() string {
	lines := []string{"islands-schedule-1", fmt.Sprintf("n %d", s.N)}
	if s.Random != nil {
		lines = append(lines, s.Random.canonical()...)
	}
	for i := range s.Rounds {
		lines = append(lines, canonical(&s.Rounds[i]))
	}
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])
}

// canonical writes a distribution without the accidents of order.
func (r *Random) canonical() []string {
	var lines []string
	switch {
	case r.Exchangeable:
		lines = append(lines, fmt.Sprintf("cliques of %d", r.CliqueSize))
	case len(r.Edges) > 0:
		lines = append(lines, "one of"+canonicalEdges(r.Edges, true))
	case len(r.Matchings) > 0:
		for _, m := range r.Matchings {
			lines = append(lines, "matching budget "+exactDigits(r.Budget)+canonicalEdges(m, true))
		}
	default:
		for i := range r.Outcomes {
			lines = append(lines, "p "+exactDigits(r.Outcomes[i].Probability)+" "+canonical(&r.Outcomes[i].Round))
		}
	}
	slices.Sort(lines)
	return append([]string{fmt.Sprintf("random h %d lazy %s", r.LocalSteps, exactDigits(r.Lazy))}, lines...)
}

func exactDigits(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// canonical writes a round without the accidents of order: members and cliques sorted, singletons and zero weights
// left out, edges from the smaller node.
func canonical(r *Round) string {
	var b strings.Builder
	b.WriteString("h " + strconv.Itoa(r.LocalSteps))
	if r.Lazy != 0 && r.Lazy != 1 {
		b.WriteString(" lazy " + exactDigits(r.Lazy))
	}
	switch {
	case len(r.Edges) > 0:
		b.WriteString(" edges " + r.Rule + canonicalEdges(r.Edges, true))
		for _, v := range r.Target {
			b.WriteString(" " + exactDigits(v))
		}
	case len(r.Entries) > 0:
		b.WriteString(" matrix" + canonicalEdges(r.Entries, false))
	default:
		var cliques [][]int
		for _, c := range r.Cliques {
			if len(c) > 1 {
				cliques = append(cliques, slices.Sorted(slices.Values(c)))
			}
		}
		slices.SortFunc(cliques, func(a, b []int) int { return a[0] - b[0] })
		b.WriteString(" cliques")
		for _, c := range cliques {
			fmt.Fprintf(&b, " %v", c)
		}
	}
	return b.String()
}

func canonicalEdges(edges []Edge, undirected bool) string {
	sorted := slices.Clone(edges)
	for i, e := range sorted {
		if undirected && e.I > e.J {
			sorted[i].I, sorted[i].J = e.J, e.I
		}
	}
	slices.SortFunc(sorted, func(a, b Edge) int { return cmp.Or(a.I-b.I, a.J-b.J) })
	var b strings.Builder
	for _, e := range sorted {
		if !undirected && e.Weight == 0 {
			continue
		}
		fmt.Fprintf(&b, " %d,%d", e.I, e.J)
		if e.Weight != 0 {
			b.WriteString("," + exactDigits(e.Weight))
		}
	}
	return b.String()
}
