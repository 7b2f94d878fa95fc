package mixing

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/schedule"
)

// Matrix is one n × n mixing matrix W, kept by its structure: a round of cliques as cliques, anything else as sparse
// rows. Neither form is ever expanded unless Dense is called, so a torus of ten thousand nodes is no burden.
type Matrix struct {
	n       int
	cliques [][]int  // where W averages disjoint cliques; nodes in none are left alone
	rows    [][]Term // where it does not: the non-zero entries of each row, by column
}

// Term is one non-zero entry of a row: Weight = W_ij in column J.
type Term struct {
	J      int
	Weight float64
}

// N returns the number of nodes.
func (m *Matrix) N() int { return m.n }

// Cliques returns the disjoint cliques that W averages, without those of a single member, and true; or false when W
// is no clique averaging.
func (m *Matrix) Cliques() ([][]int, bool) { return m.cliques, m.rows == nil }

// Rows returns the non-zero entries of each row, sorted by column.
func (m *Matrix) Rows() [][]Term {
	if m.rows != nil {
		return m.rows
	}
	rows := make([][]Term, m.n)
	for _, c := range m.cliques {
		sorted := slices.Sorted(slices.Values(c))
		for _, i := range c {
			rows[i] = make([]Term, len(sorted))
			for k, j := range sorted {
				rows[i][k] = Term{j, 1 / float64(len(c))}
			}
		}
	}
	for i := range rows {
		if rows[i] == nil {
			rows[i] = []Term{{i, 1}}
		}
	}
	return rows
}

// Dense returns W as a dense n × n matrix of its own.
func (m *Matrix) Dense() *mat.Dense {
	d := mat.NewDense(m.n, m.n, nil)
	for i, row := range m.Rows() {
		for _, t := range row {
			d.Set(i, t.J, t.Weight)
		}
	}
	return d
}

// Apply writes W X into dst. X and dst are n × d, row-major, row i being node i's parameters, and must not overlap.
// It allocates nothing. The order of the additions depends on W alone, so equal input gives equal bits.
func (m *Matrix) Apply(dst, x []float64, d int) {
	if m.rows == nil {
		m.applyCliques(dst, x, d)
		return
	}
	for i, row := range m.rows {
		out := dst[i*d : (i+1)*d]
		clear(out)
		for _, t := range row {
			w, in := t.Weight, x[t.J*d:(t.J+1)*d]
			for k, v := range in {
				out[k] += w * v
			}
		}
	}
}

func (m *Matrix) applyCliques(dst, x []float64, d int) {
	copy(dst, x)
	for _, c := range m.cliques {
		mean := dst[c[0]*d : (c[0]+1)*d]
		for _, i := range c[1:] {
			for k, v := range x[i*d : (i+1)*d] {
				mean[k] += v
			}
		}
		scale := 1 / float64(len(c))
		for k := range mean {
			mean[k] *= scale
		}
		for _, i := range c[1:] {
			copy(dst[i*d:(i+1)*d], mean)
		}
	}
}

// Sequence is the mixing side of a schedule: one period of steps.
type Sequence struct {
	N     int
	Steps []Step
}

// Step is H local steps followed by one mixing.
type Step struct {
	LocalSteps int
	W          *Matrix
}

// Period returns the number of rounds after which the sequence repeats.
func (s *Sequence) Period() int { return len(s.Steps) }

// Step returns round t, counted from 0, of the repeated sequence.
func (s *Sequence) Step(t int) *Step { return &s.Steps[t%len(s.Steps)] }

// New returns the mixing matrices of a schedule. Weight rules that are still open are applied first (Explicit). The
// matrices are checked for shape alone: whether they are doubly stochastic, connected or contracting is for Analyze
// to say and for a bound to require.
func New(s *schedule.Schedule) (*Sequence, error) {
	s, err := Explicit(s)
	if err != nil {
		return nil, err
	}
	seq := &Sequence{N: s.N, Steps: make([]Step, len(s.Rounds))}
	for i := range s.Rounds {
		seq.Steps[i] = Step{s.Rounds[i].LocalSteps, fromRound(s.N, &s.Rounds[i])}
	}
	return seq, nil
}

func fromRound(n int, r *schedule.Round) *Matrix {
	if r.IsCliques() {
		var cliques [][]int
		for _, c := range r.Cliques {
			if len(c) > 1 {
				cliques = append(cliques, c)
			}
		}
		return &Matrix{n: n, cliques: cliques}
	}
	rows := make([][]Term, n)
	if len(r.Entries) > 0 {
		for _, e := range r.Entries {
			rows[e.I] = append(rows[e.I], Term{e.J, e.Weight})
		}
	} else {
		diagonal := make([]float64, n)
		for i := range diagonal {
			diagonal[i] = 1
		}
		for _, e := range r.Edges {
			rows[e.I] = append(rows[e.I], Term{e.J, e.Weight})
			rows[e.J] = append(rows[e.J], Term{e.I, e.Weight})
			diagonal[e.I] -= e.Weight
			diagonal[e.J] -= e.Weight
		}
		for i, v := range diagonal {
			if v != 0 {
				rows[i] = append(rows[i], Term{i, v})
			}
		}
	}
	for _, row := range rows {
		slices.SortFunc(row, func(a, b Term) int { return a.J - b.J })
	}
	return &Matrix{n: n, rows: rows}
}
