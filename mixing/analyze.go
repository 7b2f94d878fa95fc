package mixing

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// DenseLimit is the number of nodes up to which products of matrices are formed. Beyond it, spectra come from
// sparse iterations and what needs a dense product is nil, with a warning.
const DenseLimit = 1000

// Analyze reports how seq mixes. Unknown numbers are nil; what could not be computed, and why, is in Warnings. The
// error is ctx's, when the analysis was interrupted.
func Analyze(ctx context.Context, seq *Sequence, o Options) (*Report, error) {
	if len(o.Gammas) == 0 {
		o.Gammas = []float64{0.9, 0.99}
	}
	for _, g := range o.Gammas {
		if !(g >= 0 && g < 1) {
			return nil, fmt.Errorf("gamma %v is outside [0, 1)", g)
		}
	}
	r := &Report{
		N: seq.N, Period: seq.Period(), Certificate: seq.Certificate, Fingerprint: seq.Fingerprint,
		DoublyStochastic: true, Symmetric: true, Nonnegative: true, Warnings: []string{},
	}
	for _, w := range seq.matrices() {
		r.DoublyStochastic = r.DoublyStochastic && w.DoublyStochastic()
		r.Symmetric = r.Symmetric && w.Symmetric()
		r.Nonnegative = r.Nonnegative && w.Nonnegative()
	}
	if seq.Random != nil && seq.Random.negative {
		r.Nonnegative = false
	}
	r.ConnectedOverPeriod = seq.connected()
	a := &analysis{ctx: ctx, seq: seq, r: r, o: o}
	if seq.Random != nil {
		a.random()
	} else {
		a.periodic()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return r, nil
}

// matrices returns all matrices of the period, or all outcomes.
func (s *Sequence) matrices() []*Matrix {
	var ws []*Matrix
	if s.Random != nil {
		for _, o := range s.Random.Outcomes {
			ws = append(ws, o.W)
		}
		return ws
	}
	for t := range s.Steps {
		ws = append(ws, s.Steps[t].W)
	}
	return ws
}

type analysis struct {
	ctx context.Context
	seq *Sequence
	r   *Report
	o   Options

	one     spectrum    // of the one matrix of period 1
	squares [][]float64 // |eigenvalues|² of all rounds, where they are invariant under one group; else nil
}

func (a *analysis) warn(format string, args ...any) {
	a.r.Warnings = append(a.r.Warnings, fmt.Sprintf(format, args...))
}

func number(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

func (a *analysis) periodic() {
	n, period, r := a.seq.N, a.seq.Period(), a.r
	if period == 1 {
		a.single()
	} else if r.DoublyStochastic {
		a.invariance()
	}
	a.exact()
	if period == 1 && a.one.normal {
		a.normal()
	} else {
		a.products()
	}
	if !r.DoublyStochastic {
		r.P, r.Tau = nil, nil
		a.warn("not doubly stochastic: the mean of the islands is not kept, p and tau would mean nothing")
	}
	a.effective()
	a.pairs()
	if n <= DenseLimit {
		a.stationary()
	}
	a.dobrushin()
	a.jointRadius()
}

// invariance looks for a group under which every round of the period looks the same from all nodes.
func (a *analysis) invariance() {
	g, rows, ok := symmetry(a.seq.matrices())
	if !ok || len(rows)*a.seq.N > maxCharacterTerms {
		return
	}
	for _, row := range rows {
		a.squares = append(a.squares, g.squares(row))
	}
	a.r.Method = "products in closed form: characters of " + g.name()
}

// normal fills what follows from the SLEM of a single normal matrix: ‖W^t-J‖ = slem^t.
func (a *analysis) normal() {
	r, slem := a.r, a.one.slem
	r.PeriodNorm, r.PeriodRadius, r.RatePerRound = number(slem), number(slem), number(slem)
	r.PrefixNorms = []float64{slem, slem * slem}
	if p := 1 - slem*slem; p > contractTol { // more rounds never have a smaller τ/p
		one := 1
		r.P, r.Tau = &p, &one
	}
}

// maxNorms bounds the products whose norms are computed, at n rounds of work each.
const maxNorms = 2e9

// products fills prefix norms, period norm, radius, p and tau.
func (a *analysis) products() {
	n, period, r := a.seq.N, a.seq.Period(), a.r
	if work := float64(period) * float64(period) * float64(a.seq.terms()); a.squares == nil && work > maxNorms {
		a.warn("a period of %d rounds over %d nodes: norms of products are not computed", period, n)
		return
	}
	norms := &blockNorms{seq: a.seq, squares: a.squares, known: map[[2]int]float64{}}
	if r.ExactAfter != nil && r.DoublyStochastic {
		norms.exact = *r.ExactAfter
	}
	for t := 1; t <= 2*period && a.ctx.Err() == nil; t++ {
		r.PrefixNorms = append(r.PrefixNorms, norms.norm(0, t))
	}
	if slices.ContainsFunc(r.PrefixNorms, func(v float64) bool { return number(v) == nil }) {
		r.PrefixNorms = nil
		a.warn("the products of the rounds overflow: this schedule expands disagreement")
		return
	}
	worst := 0.0
	for phase := 0; phase < period && a.ctx.Err() == nil; phase++ {
		worst = max(worst, norms.norm(phase, period))
	}
	r.PeriodNorm = number(worst)
	a.koloskova(norms)
	if n <= DenseLimit || a.squares != nil {
		radius := a.radius(worst)
		r.PeriodRadius, r.RatePerRound = number(radius), number(math.Pow(radius, 1/float64(period)))
	} else if r.SLEM == nil {
		a.warn("%d nodes: the spectral radius of a product is computed up to %d", n, DenseLimit)
	}
}

// terms counts the entries of all matrices of the period, a clique as its members.
func (s *Sequence) terms() int {
	terms := 0
	for t := range s.Steps {
		w := s.Steps[t].W
		terms += w.n
		for _, row := range w.rows {
			terms += len(row)
		}
	}
	return terms
}

// single fills what is said of one matrix alone.
func (a *analysis) single() {
	w, r := a.seq.Steps[0].W, a.r
	a.one = spectrumOf(w)
	x := &a.one
	r.SLEM, r.Sigma2, r.SpectralGap = number(x.slem), number(x.sigma), number(1-x.sigma)
	r.Method, r.SLEMError = x.method, number(x.bound)
	if x.bound > 1e-8 {
		a.warn("slem is known to %.1g only (%s)", x.bound, x.method)
	}
	if a.seq.N <= DenseLimit {
		r.Edges = edgeRows(w, r.Symmetric)
	}
}

func edgeRows(w *Matrix, symmetric bool) []EdgeRow {
	rows := []EdgeRow{}
	for i, row := range w.Rows() {
		for _, t := range row {
			if t.J > i || t.J < i && !symmetric {
				rows = append(rows, EdgeRow{i, t.J, t.Weight})
			}
		}
	}
	return rows
}

// exact decides after how many rounds everyone holds the mean.
func (a *analysis) exact() {
	n, period, r := a.seq.N, a.seq.Period(), a.r
	switch {
	case !r.ConnectedOverPeriod:
		r.ExactReason = "never: not connected over a period"
	case period == 1 && a.one.normal:
		if a.one.slem <= exactTol {
			one := 1
			r.ExactAfter, r.ExactProof = &one, a.one.method
		} else {
			r.ExactReason = "never: the powers of one normal matrix are J at once or not at all"
		}
	case n > DenseLimit && a.squares != nil:
		norms := &blockNorms{seq: a.seq, squares: a.squares}
		for t := 1; t <= 2*period && r.ExactAfter == nil; t++ {
			if norms.product(0, t) <= exactTol {
				r.ExactAfter, r.ExactProof = &t, r.Method
			}
		}
		if r.ExactAfter == nil {
			r.ExactReason = fmt.Sprintf("not within %d rounds and 1e-9", 2*period)
		}
	case n > DenseLimit:
		r.ExactReason = fmt.Sprintf("not searched beyond %d nodes", DenseLimit)
		a.warn("%d nodes: exactness of products is searched up to %d", n, DenseLimit)
	default:
		x := exactPrefix(a.ctx, a.seq, max(2*period, n))
		if x.after > 0 {
			r.ExactAfter = &x.after
		}
		r.ExactProof, r.ExactReason = x.how, x.reason
	}
}

// radius returns the spectral radius of Φ-J.
func (a *analysis) radius(norm float64) float64 {
	if a.r.SLEM != nil {
		return *a.r.SLEM
	}
	if a.r.ExactAfter != nil && a.r.DoublyStochastic {
		return 0 // some power of Φ is J: what an eigenvalue solver returns for it is rounding
	}
	if a.squares != nil {
		return norm // Φ is normal
	}
	return spectralRadius(minusJ(a.seq.phase(0)))
}

// koloskova finds the pair (p, τ) with the least τ/p: p = 1 - max ‖Φ-J‖² over the aligned blocks of τ rounds.
func (a *analysis) koloskova(norms *blockNorms) {
	period := a.seq.Period()
	best := math.Inf(1)
	for tau := 1; tau <= 2*period && float64(tau) < best && a.ctx.Err() == nil; tau++ {
		p := 1.0
		for start := range period / gcd(tau, period) {
			norm := norms.norm(start*tau%period, tau)
			p = min(p, 1-norm*norm)
			if p <= contractTol || float64(tau)/p >= best*(1-1e-12) {
				p = 0
				break
			}
		}
		if p > 0 {
			best = float64(tau) / p
			a.r.P, a.r.Tau = &p, &tau
		}
	}
}

// contractTol is the least p that rounding in a norm of 1 cannot fake.
const contractTol = 1e-12

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

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
	exact   int // rounds 0, ..., exact-1 multiply to J, and so does every product that contains them; 0: unknown
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
