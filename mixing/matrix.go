package mixing

import (
	"math"
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
	theta   float64  // with cliques: W = (1-θ) I + θ (averages); 1 for plain averaging
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
func (m *Matrix) Cliques() ([][]int, bool) {
	if m.rows != nil || m.theta != 1 {
		return nil, false
	}
	return m.cliques, true
}

// Rows returns the non-zero entries of each row, sorted by column.
func (m *Matrix) Rows() [][]Term {
	if m.rows != nil {
		return m.rows
	}
	rows := make([][]Term, m.n)
	for _, c := range m.cliques {
		sorted := slices.Sorted(slices.Values(c))
		w := m.theta / float64(len(c))
		for _, i := range c {
			rows[i] = make([]Term, len(sorted))
			for k, j := range sorted {
				rows[i][k] = Term{j, w}
				if i == j {
					rows[i][k].Weight = 1 - m.theta + w
				}
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
		scale := m.theta / float64(len(c))
		for k := range mean {
			mean[k] *= scale
		}
		if m.theta == 1 {
			for _, i := range c[1:] {
				copy(dst[i*d:(i+1)*d], mean)
			}
			continue
		}
		for _, i := range c[1:] { // dst still holds x in these rows
			for k, v := range mean {
				dst[i*d+k] = (1-m.theta)*dst[i*d+k] + v
			}
		}
		for k, v := range x[c[0]*d : (c[0]+1)*d] {
			mean[k] += (1 - m.theta) * v
		}
	}
}

// LeftMul writes W X into dst, for dense n × d matrices that do not overlap.
func (m *Matrix) LeftMul(dst, x *mat.Dense) {
	_, d := x.Dims()
	in, out := x.RawMatrix(), dst.RawMatrix()
	if in.Stride == d && out.Stride == d {
		m.Apply(out.Data[:m.n*d], in.Data[:m.n*d], d)
		return
	}
	tmp := mat.NewDense(m.n, d, nil)
	m.Apply(tmp.RawMatrix().Data, mat.DenseCopyOf(x).RawMatrix().Data, d)
	dst.Copy(tmp)
}

// sumTol is how far a row or column sum may be from 1 in a stochastic matrix, and an entry from its mirror image in
// a symmetric one: rounding of decimal fractions such as 0.1 + 0.2 + 0.7 stays far below it.
const sumTol = 1e-12

// DoublyStochastic reports whether all row and column sums are 1 within 1e-12. Entries may be negative: guarantees
// through ‖W-J‖₂ need only the sums (see Nonnegative).
func (m *Matrix) DoublyStochastic() bool { return m.RowStochastic() && m.ColumnStochastic() }

// RowStochastic reports whether all row sums are 1 within 1e-12: W keeps a common value.
func (m *Matrix) RowStochastic() bool {
	if m.rows == nil { // cliques
		return true
	}
	rows, _ := m.Sums(nil)
	return ones(rows)
}

// ColumnStochastic reports whether all column sums are 1 within 1e-12: W keeps the mean.
func (m *Matrix) ColumnStochastic() bool {
	if m.rows == nil {
		return true
	}
	_, columns := m.Sums(nil)
	return ones(columns)
}

func ones(sums []float64) bool {
	return !slices.ContainsFunc(sums, func(s float64) bool { return math.Abs(s-1) > sumTol })
}

// Sums returns the n row sums W1 and the n column sums w'W, where row i counts w_i times; nil weights count every row once.
func (m *Matrix) Sums(weights []float64) (rows, columns []float64) {
	rows, columns = make([]float64, m.n), make([]float64, m.n)
	for i, row := range m.Rows() {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		for _, t := range row {
			rows[i] += t.Weight
			columns[t.J] += w * t.Weight
		}
	}
	return rows, columns
}

// Symmetric reports whether W = W' within 1e-12.
func (m *Matrix) Symmetric() bool {
	for i, row := range m.rows {
		for _, t := range row {
			if math.Abs(t.Weight-m.at(t.J, i)) > sumTol {
				return false
			}
		}
	}
	return true
}

// Nonnegative reports whether all entries are at least 0.
func (m *Matrix) Nonnegative() bool {
	for _, row := range m.rows {
		for _, t := range row {
			if t.Weight < 0 {
				return false
			}
		}
	}
	return true
}

// at returns W_ij of a matrix that is kept as rows.
func (m *Matrix) at(i, j int) float64 {
	row := m.rows[i]
	k, ok := slices.BinarySearchFunc(row, j, func(t Term, j int) int { return t.J - j })
	if !ok {
		return 0
	}
	return row[k].Weight
}

// fromRound builds W from a round whose rule has been applied.
func fromRound(n int, r *schedule.Round) *Matrix {
	theta := r.Lazy
	if theta == 0 {
		theta = 1
	}
	if r.IsCliques() {
		m := &Matrix{n: n, theta: theta}
		for _, c := range r.Cliques {
			if len(c) > 1 {
				m.cliques = append(m.cliques, c)
			}
		}
		return m
	}
	rows := make([][]Term, n)
	if len(r.Entries) > 0 {
		for _, e := range r.Entries {
			if e.Weight != 0 {
				rows[e.I] = append(rows[e.I], Term{e.J, e.Weight})
			}
		}
	} else {
		diagonal := make([]float64, n)
		for i := range diagonal {
			diagonal[i] = 1
		}
		for _, e := range r.Edges {
			if e.Weight != 0 {
				rows[e.I] = append(rows[e.I], Term{e.J, e.Weight})
				rows[e.J] = append(rows[e.J], Term{e.I, e.Weight})
				diagonal[e.I] -= e.Weight
				diagonal[e.J] -= e.Weight
			}
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
	return &Matrix{n: n, rows: rows, theta: 1}
}
