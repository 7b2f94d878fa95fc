package gossip

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/islandsgd/islands/internal/doc"
	"github.com/islandsgd/islands/internal/spec"
	"github.com/islandsgd/islands/internal/text"
)

// problemKinds are the names with which a problem line may begin and that a file's "problem" may hold.
var problemKinds = []string{"quadratic", "least-squares"}

// LoadProblem reads a problem from a family line (quadratic:d=20) or else from the file of that name, for n islands.
func LoadProblem(arg string, n int) (*Quadratic, error) {
	name, _, hasKeys := strings.Cut(arg, ":")
	for _, kind := range problemKinds {
		if name == kind {
			return ParseProblem(arg, n)
		}
	}
	data, err := os.ReadFile(arg)
	if err != nil {
		if hasKeys || !strings.ContainsAny(arg, "./") {
			return nil, fmt.Errorf("problem %q: no such file, nor a family%s", arg, text.DidYouMean(name, problemKinds))
		}
		return nil, fmt.Errorf("problem: %w", err)
	}
	q, err := ReadProblem(arg, data)
	if err != nil {
		return nil, err
	}
	if q.N != n {
		return nil, fmt.Errorf("problem %s has %d islands, the schedule has %d nodes", arg, q.N, n)
	}
	return q, nil
}

// ParseProblem makes a problem for n islands from a line such as
//
//	quadratic:d=20,L=1,mu=0.1,heterogeneity=1,noise=1,spread=0,seed=1
//
// It is diagonal. The curvature is log-spaced from mu to L over the d coordinates (L alone when d = 1) and shared by
// the islands; spread=c multiplies each island's whole spectrum by one exp(c·normal), clipped to [mu, L]. The b_i are
// normal, shifted so that x* = 0 and scaled so that ζ* = heterogeneity. N_i = noise²/d · I. All islands start at
// distance 1 from x* in the direction (1, …, 1). The key seed alone draws all this. The second family,
//
//	least-squares:d=20,heterogeneity=1,noise=0,seed=1
//
// has curvature 1 and the multiplicative noise of Quadratic.LeastSquares, with additive noise on top.
func ParseProblem(line string, n int) (*Quadratic, error) {
	s, err := spec.Parse("problem", line)
	if err != nil {
		return nil, err
	}
	leastSquares := s.Name == "least-squares"
	if s.Name != "quadratic" && !leastSquares {
		return nil, s.Errorf("unknown family %q%s", s.Name, text.DidYouMean(s.Name, problemKinds))
	}
	if n < 1 {
		return nil, s.Errorf("needs at least one island")
	}
	d := s.Int("d", 20, 1, max(1, maxValues/n))
	largest, mu, defaultNoise, spread := 1.0, 1.0, 0.0, 0.0
	if !leastSquares {
		largest = s.Float("L", 1, math.SmallestNonzeroFloat64, 1e100)
		mu, defaultNoise = s.Float("mu", 0.1*largest, 0, 1e100), 1
		spread = s.Float("spread", 0, 0, 100)
	}
	heterogeneity := s.Float("heterogeneity", 1, 0, 1e100)
	noise := s.Float("noise", defaultNoise, 0, 1e100)
	seed := s.Int("seed", 1, 0, math.MaxInt)
	if err := s.Finish(); err != nil {
		return nil, err
	}
	if mu == 0 && d > 1 {
		return nil, s.Errorf("mu=0 cannot be log-spaced: give a positive mu, or a file with the curvatures")
	}
	if mu > largest {
		return nil, s.Errorf("mu=%g is above L=%g", mu, largest)
	}
	q := Quadratic{Diagonal: true, LeastSquares: leastSquares}
	q.A, q.B, q.Noise, q.Start = make([][]float64, n), make([][]float64, n), make([][]float64, n), make([][]float64, n)
	variance, start := make([]float64, d), make([]float64, d)
	for k := range d {
		variance[k], start[k] = noise*noise/float64(d), 1/math.Sqrt(float64(d))
	}
	shared := logSpaced(mu, largest, d)
	for i := range n {
		draw := newSource(uint64(seed), 0, uint64(i), "problem")
		q.B[i] = make([]float64, d)
		draw.normals(q.B[i])
		q.A[i], q.Noise[i], q.Start[i] = shared, variance, start
		if spread > 0 {
			factor := math.Exp(spread * draw.normal())
			q.A[i] = make([]float64, d)
			for k, v := range shared {
				q.A[i][k] = min(max(v*factor, mu), largest)
			}
		}
	}
	shiftAndScale(&q, heterogeneity)
	return NewQuadratic(q)
}

// logSpaced returns d values from lo to hi, both ends exact, in constant ratio; hi alone when d = 1.
func logSpaced(lo, hi float64, d int) []float64 {
	v := make([]float64, d)
	for k := range v {
		v[k] = hi
		if k < d-1 {
			v[k] = lo * math.Pow(hi/lo, float64(k)/float64(d-1))
		}
	}
	return v
}

// shiftAndScale moves the own optima of a diagonal problem with equal weights so that x* = 0, and scales them so that
// ζ*² = mean ‖A_i b_i‖² = heterogeneity². A single island has no heterogeneity.
func shiftAndScale(q *Quadratic, heterogeneity float64) {
	n, d := len(q.B), len(q.B[0])
	for k := range d {
		sum, moment := 0.0, 0.0
		for i := range n {
			sum += q.A[i][k]
			moment += q.A[i][k] * q.B[i][k]
		}
		for i := range n {
			if n == 1 {
				q.B[i][k] = 0
			} else if sum > 0 {
				q.B[i][k] -= moment / sum
			}
		}
	}
	zeta2 := 0.0
	for i := range n {
		for k := range d {
			g := q.A[i][k] * q.B[i][k]
			zeta2 += g * g / float64(n)
		}
	}
	if zeta2 == 0 {
		return
	}
	scale := heterogeneity / math.Sqrt(zeta2)
	for i := range n {
		for k := range d {
			q.B[i][k] *= scale
		}
	}
}

// ReadProblem reads the file form. name is for messages.
//
//	problem: quadratic
//	curvature: [[[1, 0.3], [0.3, 0.5]], [[0.6, 0], [0, 0.8]]]  # A_i: matrices; or vectors (diagonals); or numbers
//	optimum: [[1, 0], [0, 2]]                                  # b_i
//	noise: [0.04, 0.01]                                        # N_i: numbers (times I), vectors or matrices
//	start: [[0, 0], [0, 0]]                                    # default: zeros
//	weights: [0.5, 0.5]                                        # default: equal
//
// "problem: least-squares" has no curvature, and its noise is one number for each island.
func ReadProblem(name string, data []byte) (*Quadratic, error) {
	root, err := doc.Parse(name, data)
	if err != nil {
		return nil, err
	}
	f, err := root.Map("problem", "curvature", "optimum", "noise", "start", "weights")
	if err != nil {
		return nil, err
	}
	kindNode, err := f.Require("problem")
	if err != nil {
		return nil, err
	}
	kind, err := kindNode.Text()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(problemKinds, kind) {
		return nil, kindNode.Errorf("unknown problem %q%s", kind, text.DidYouMean(kind, problemKinds))
	}
	optimum, err := f.Require("optimum")
	if err != nil {
		return nil, err
	}
	b, err := readVectors(optimum, 0, 0)
	if err != nil {
		return nil, err
	}
	r := problemReader{n: len(b), d: len(b[0])}
	q := Quadratic{B: b, LeastSquares: kind == "least-squares"}
	curvature, given := f.Get("curvature")
	switch {
	case q.LeastSquares && given:
		return nil, curvature.Errorf("least squares has curvature 1: leave the field out")
	case q.LeastSquares:
		q.A = slices.Repeat([][]float64{slices.Repeat([]float64{1}, r.d)}, r.n)
	default:
		if curvature, err = f.Require("curvature"); err != nil {
			return nil, err
		}
		if q.A, err = r.matrices(curvature, "curvature"); err != nil {
			return nil, err
		}
	}
	if node, ok := f.Get("noise"); ok {
		if q.Noise, err = r.matrices(node, "noise"); err != nil {
			return nil, err
		}
	}
	if q.Diagonal = allDiagonal(q.A, r.d) && allDiagonal(q.Noise, r.d); !q.Diagonal {
		if r.n > maxValues/(r.d*r.d) {
			return nil, optimum.Errorf("%d islands with %d × %d matrices are too large", r.n, r.d, r.d)
		}
		expand(q.A, r.d)
		expand(q.Noise, r.d)
	}
	if node, ok := f.Get("start"); ok {
		if q.Start, err = readVectors(node, r.n, r.d); err != nil {
			return nil, err
		}
	}
	if node, ok := f.Get("weights"); ok {
		if q.Weights, err = node.Floats(); err != nil {
			return nil, err
		}
		if err := checkWeights(q.Weights, r.n); err != nil {
			return nil, node.Errorf("%v", err)
		}
	}
	if q.LeastSquares && !(q.Diagonal && (q.Noise == nil || isotropic(&Quadratic{N: r.n, D: r.d, Diagonal: true, A: q.A, Noise: q.Noise}))) {
		node, _ := f.Get("noise")
		return nil, node.Errorf("least squares needs the same noise in every coordinate: give one number for each island")
	}
	return NewQuadratic(q)
}

// readVectors reads a list of n vectors of d numbers; 0 leaves a size open, to be set by the first vector.
func readVectors(node doc.Node, n, d int) ([][]float64, error) {
	list, err := node.List()
	if err != nil {
		return nil, err
	}
	if n > 0 && len(list) != n || len(list) == 0 {
		return nil, node.Errorf("%d islands here, %d in optimum", len(list), n)
	}
	out := make([][]float64, len(list))
	for i, item := range list {
		if out[i], err = item.Floats(); err != nil {
			return nil, err
		}
		if d == 0 {
			d = len(out[i])
		}
		if len(out[i]) != d || d == 0 {
			return nil, item.Errorf("island %d has %d values, want %d", i, len(out[i]), d)
		}
	}
	return out, nil
}

type problemReader struct{ n, d int }

// matrices reads one matrix for each island: d values where it is diagonal, d × d row-major where it is not.
func (r problemReader) matrices(node doc.Node, what string) ([][]float64, error) {
	list, err := node.List()
	if err != nil {
		return nil, err
	}
	if len(list) != r.n {
		return nil, node.Errorf("%s for %d islands, optimum for %d", what, len(list), r.n)
	}
	out := make([][]float64, r.n)
	for i, item := range list {
		if out[i], err = r.matrix(item, what, i); err != nil {
			return nil, err
		}
		if _, err := semidefinite(out[i], r.d, len(out[i]) == r.d); err != nil {
			return nil, item.Errorf("%s of island %d %v", what, i, err)
		}
	}
	return out, nil
}

// matrix reads a number s (s·I), a vector (a diagonal) or a matrix.
func (r problemReader) matrix(node doc.Node, what string, i int) ([]float64, error) {
	if !node.IsList() {
		s, err := node.Float()
		return slices.Repeat([]float64{s}, r.d), err
	}
	rows, err := node.List()
	if err != nil {
		return nil, err
	}
	if len(rows) != r.d {
		return nil, node.Errorf("%s of island %d has %d rows or values, optimum has %d", what, i, len(rows), r.d)
	}
	if !rows[0].IsList() {
		return node.Floats()
	}
	diagonal, out := make([]float64, r.d), make([]float64, 0, r.d*r.d)
	isDiagonal := true
	for k, row := range rows {
		values, err := row.Floats()
		if err != nil {
			return nil, err
		}
		if len(values) != r.d {
			return nil, row.Errorf("row %d of the %s of island %d has %d values, want %d", k, what, i, len(values), r.d)
		}
		for j, v := range values {
			isDiagonal = isDiagonal && (j == k || v == 0)
		}
		diagonal[k] = values[k]
		out = append(out, values...)
	}
	if isDiagonal {
		return diagonal, nil
	}
	return out, nil
}

// allDiagonal reports whether every matrix came as its d diagonal values (d = 1: they are the same).
func allDiagonal(m [][]float64, d int) bool {
	for _, v := range m {
		if len(v) != d {
			return false
		}
	}
	return true
}

// expand writes diagonals out as d × d matrices.
func expand(m [][]float64, d int) {
	for i, v := range m {
		if len(v) == d*d {
			continue
		}
		m[i] = make([]float64, d*d)
		for k, s := range v {
			m[i][k*d+k] = s
		}
	}
}
