package mixing

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// block is the operator W_t ... W_1 - J for consecutive matrices ws = W_1, ..., W_t. It serves one caller at a time.
type block struct {
	ws   []*Matrix
	a, b []float64
}

func newBlock(ws []*Matrix) *block {
	n := ws[0].n
	return &block{ws, make([]float64, n), make([]float64, n)}
}

func (o *block) dim() int { return o.ws[0].n }

func (o *block) mul(dst, x []float64) {
	copy(o.a, x)
	for _, w := range o.ws {
		w.Apply(o.b, o.a, 1)
		o.a, o.b = o.b, o.a
	}
	subtractMean(dst, o.a, x)
}

func (o *block) mulT(dst, x []float64) {
	copy(o.a, x)
	for k := len(o.ws) - 1; k >= 0; k-- {
		o.ws[k].applyT(o.b, o.a)
		o.a, o.b = o.b, o.a
	}
	subtractMean(dst, o.a, x)
}

// subtractMean writes y - J x into dst.
func subtractMean(dst, y, x []float64) {
	mean := 0.0
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	for i, v := range y {
		dst[i] = v - mean
	}
}

// applyT writes W' x into dst.
func (m *Matrix) applyT(dst, x []float64) {
	if m.rows == nil {
		m.applyCliques(dst, x, 1)
		return
	}
	clear(dst)
	for i, row := range m.rows {
		for _, t := range row {
			dst[t.J] += t.Weight * x[i]
		}
	}
}

// blockNorms computes ‖W_{s+len-1} … W_s - J‖₂, remembering what it has computed.
type blockNorms struct {
	seq     *Sequence
	squares [][]float64
	exact   int // rounds 0, ..., exact-1 provably multiply to J, and so does every product that contains them; 0: unknown
	known   map[[2]int]float64
}

// product is the norm of commuting normal matrices: their |eigenvalues| multiply.
func (b *blockNorms) product(start, length int) float64 {
	top := 0.0
	for k := range b.squares[0] {
		v := 1.0
		for t := range length {
			v *= b.squares[(start+t)%len(b.squares)][k]
		}
		top = max(top, v)
	}
	return math.Sqrt(top)
}

func (b *blockNorms) norm(start, length int) float64 {
	key := [2]int{start, length}
	if v, ok := b.known[key]; ok {
		return v
	}
	period := b.seq.Period()
	if next := (start + period - 1) / period * period; b.exact > 0 && next+b.exact <= start+length {
		return 0
	}
	if b.squares != nil {
		v := b.product(start, length)
		b.known[key] = v
		return v
	}
	ws := make([]*Matrix, length)
	for k := range ws {
		ws[k] = b.seq.Step(start + k).W
	}
	var v float64
	if b.seq.N <= smallDense {
		phi, next := identity(b.seq.N), mat.NewDense(b.seq.N, b.seq.N, nil)
		for _, w := range ws {
			w.LeftMul(next, phi)
			phi, next = next, phi
		}
		v = spectralNorm(minusJ(phi))
	} else {
		v = operatorNorm(newBlock(ws))
	}
	b.known[key] = v
	return v
}
