package mixing

import (
	"context"
	"fmt"
	"math"
	"slices"
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
	proven  bool        // r.ExactAfter is exact, and not a small number
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
	if a.proven && r.SLEM != nil && *r.SLEM != 0 {
		a.nilpotent()
	}
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
		squares := g.squares(row)
		for k, v := range squares {
			if v <= fractionTol*fractionTol { // the sum of a character that is 0
				squares[k] = 0
			}
		}
		a.squares = append(a.squares, squares)
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
	if a.proven {
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
	p, tau, ok := BestWindow(period, 2*period, func(start, rounds int) float64 {
		if a.ctx.Err() != nil {
			return 1
		}
		return norms.norm(start, rounds)
	})
	if ok {
		r.P, r.Tau = &p, &tau
	}
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
			r.ExactAfter, r.ExactProof, a.proven = &one, within, a.one.slem == 0
			if a.proven {
				r.ExactProof = a.one.method
			}
		} else {
			r.ExactReason = "never: the powers of one normal matrix are J at once or not at all"
		}
	case n > DenseLimit && a.squares != nil:
		norms := &blockNorms{seq: a.seq, squares: a.squares}
		for t := 1; t <= 2*period && r.ExactAfter == nil; t++ {
			if v := norms.product(0, t); v <= exactTol {
				r.ExactAfter, r.ExactProof, a.proven = &t, within, v == 0
				if a.proven {
					r.ExactProof = r.Method
				}
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
		a.proven = x.how == rational && r.DoublyStochastic
	}
}

// nilpotent replaces the SLEM of a matrix of which a power is proven to be J: all eigenvalues off consensus are 0. What
// an eigenvalue solver returns for them is rounding ε as large as ε^(1/k), k the power.
func (a *analysis) nilpotent() {
	slem, bound := 0.0, 0.0
	a.r.SLEM, a.r.SLEMError, a.r.Method = &slem, &bound, "a power of W is J: "+a.r.ExactProof
}

// radius returns the spectral radius of Φ-J.
func (a *analysis) radius(norm float64) float64 {
	if a.r.SLEM != nil {
		return *a.r.SLEM
	}
	if a.proven {
		return 0 // some power of Φ is J: what an eigenvalue solver returns for it is rounding
	}
	if a.squares != nil {
		return norm // Φ is normal
	}
	return spectralRadius(minusJ(a.seq.phase(0)))
}
