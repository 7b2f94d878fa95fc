package explain

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/bounds"
	"github.com/islandsgd/islands/gossip"
)

// bounds works the recursion, window and kernel bounds, and lists all others.
func (w *work) bounds(ctx context.Context) error {
	w.section = "bounds"
	all, err := bounds.Evaluate(ctx, bounds.Setting{Problem: w.in.Problem, Sequence: w.seq, Step: w.eta, At: []int{w.in.Rounds}})
	if err != nil {
		return err
	}
	byID := map[string]bounds.Bound{}
	for _, b := range all {
		byID[b.ID] = b
	}
	for _, m := range []struct {
		id, title string
		work      func()
	}{
		{"recursion", "The recursion, one step at a time", w.recursion},
		{"window", "The recursion over windows of rounds", w.window},
		{"kernel", "The kernel bound, through all products of mixing matrices", w.kernel},
	} {
		if b := byID[m.id+"-mse"]; !b.Applicable {
			w.step(m.title, "")
			w.remark("does not apply: %s", b.Reason)
			continue
		}
		m.work()
		if byID[m.id+"-mse"].Vacuous {
			w.remark("it holds, but grows without limit")
		}
	}
	w.step(fmt.Sprintf("All bounds at round %d", w.in.Rounds), "a guarantee is never below the exact value; an order has a published shape, up to constants")
	exact := w.points[len(w.points)-1]
	truth := map[string]float64{bounds.Centroid: exact.Centroid, bounds.Consensus: exact.Consensus, bounds.MSE: exact.MSE}
	for _, b := range all {
		value := b.Value
		if len(b.Points) > 0 {
			value = &b.Points[0].Value
		}
		switch {
		case !b.Applicable:
			w.remark("%s does not apply: %s", b.ID, b.Reason)
		case value == nil || *value == math.MaxFloat64:
			w.remark("%s is past the range of numbers", b.ID)
		default:
			note := string(b.Kind) + "; " + b.Source
			if v, ok := truth[b.Quantity]; ok && b.Kind == bounds.Guarantee {
				note = fmt.Sprintf("%s; exact %s", b.Kind, num(v))
			}
			w.item(Item{Name: b.ID, Number: value, Note: note})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(w.values)) {
		v := w.values[id]
		if b := byID[id]; !b.Applicable || !close(v, b.Points[0].Value) {
			return fmt.Errorf("explain: %s is %g by hand, but package bounds says %+v: one of the two is wrong", id, v, b.Points)
		}
	}
	return nil
}

// result keeps what a bound came to.
func (w *work) result(id string, centroid, consensus float64) {
	w.number(id+" centroid", "", centroid)
	w.number(id+" consensus", "", consensus)
	w.number(id+" mse", "", centroid+consensus)
	w.values[id+"-centroid"], w.values[id+"-consensus"], w.values[id+"-mse"] = centroid, consensus, centroid+consensus
}

// line is one line of the recursion for the centroid, the same in recursion and window:
// r⁺ = a r + b Ξ + e after e = E f(x̄) - f* ≥ μ/2 r.
func (w *work) line() (a, b, e float64) {
	eta, l, mu := w.eta, w.c.L, w.c.Mu
	a = 1 - eta*mu - (2*eta-4*l*eta*eta)*mu/2
	b = eta*l + 2*eta*eta*l*l
	return a, b, eta * eta * w.c.MeanNoise
}

func (w *work) centroidLine() (a, b, e float64) {
	a, b, e = w.line()
	eta, l, mu := num(w.eta), num(w.c.L), num(w.c.Mu)
	w.number("a", fmt.Sprintf("1 - ημ - (2η - 4Lη²)μ/2 = 1 - %s·%s - (2·%s - 4·%s·%s²)·%s/2", eta, mu, eta, l, eta, mu), a)
	w.number("b", fmt.Sprintf("ηL + 2η²L² = %s·%s + 2·%s²·%s²", eta, l, eta, l), b)
	w.number("e", fmt.Sprintf("η² · noise of the mean = %s²·%s", eta, num(w.c.MeanNoise)), e)
	return a, b, e
}

func (w *work) recursion() {
	w.step("The recursion, one step at a time",
		"r ← a r + b Ξ + e,   Ξ ← c r + d Ξ + f;   r = E‖x̄-x*‖², Ξ = consensus, p = 1 - ‖W-J‖², k = (1-p)(2-p)/p")
	a, b, e := w.centroidLine()
	r, xi := w.c.StartCentroid, w.c.StartConsensus
	eta, l := w.eta, w.c.L
	seen := map[int]bool{}
	for t := range w.in.Rounds {
		phase := t % len(w.w)
		left := sq(w.norms[phase]) // 1 - p, which keeps its digits where p is near 1
		p, k := 1-left, left*(1+left)/(1-left)
		c, d, f := 3*sq(eta*l)*k, 1-p/2+3*sq(l*eta)*k, 3*eta*eta*k*w.c.Zeta2+left*eta*eta*w.spread()
		const rounding = 1e-14
		if w.norms[phase] <= rounding { // exact averaging leaves nothing
			c, d, f = 0, 0, 0
		}
		if !seen[phase] {
			seen[phase] = true
			w.number(name("p", phase+1, len(w.w)), fmt.Sprintf("1 - %s²", num(w.norms[phase])), p)
			w.number(name("k", phase+1, len(w.w)), fmt.Sprintf("(1-%s)(2-%s)/%s", num(p), num(p), num(p)), k)
			w.number(name("c", phase+1, len(w.w)), fmt.Sprintf("3η²kL² = 3·%s²·%s·%s²", num(eta), num(k), num(l)), c)
			w.number(name("d", phase+1, len(w.w)), fmt.Sprintf("1 - p/2 + 3L²η²k = 1 - %s/2 + %s", num(p), num(3*sq(l*eta)*k)), d)
			w.number(name("f", phase+1, len(w.w)), fmt.Sprintf("3η²k ζ*² + (1-p)η²·disagreeing noise = %s + %s", num(3*eta*eta*k*w.c.Zeta2), num((1-p)*eta*eta*w.spread())), f)
		}
		for range w.seq.Step(t).LocalSteps { // several only for a single island
			nr, nx := a*r+b*xi+e, c*r+d*xi+f
			w.remark("round %d: r = %s·%s + %s·%s + %s = %s,   Ξ = %s·%s + %s·%s + %s = %s", t+1, num(a), num(r), num(b), num(xi), num(e), num(nr), num(c), num(r), num(d), num(xi), num(f), num(nx))
			r, xi = nr, nx
		}
	}
	w.result("recursion", r, xi)
}

func (w *work) window() {
	if w.report.P == nil || w.report.Tau == nil || w.in.Problem.Weights != nil {
		w.step("The recursion over windows of rounds", "")
		w.remark("worked by hand for equal island weights alone; its value stands in the list below")
		return
	}
	p, rounds := *w.report.P, *w.report.Tau
	w.step("The recursion over windows of rounds",
		"r as above;   m steps into a window that began with Ξ_0:\nΞ ← keep·Ξ_0 + drive·m η² Σ (3L² Ξ_j + 3L² r_j + 3ζ*²) + 2 m η² · disagreeing noise\nkeep = 2, drive = 3 inside;   keep = 1 - p/2, drive = 2/p at the end of a window that contracts by 1-p")
	a, b, e := w.centroidLine()
	w.remark("p = %s over windows of %d round%s", num(p), rounds, plural(rounds))
	r, xi := w.c.StartCentroid, w.c.StartConsensus
	began, driven, m := 0.0, 0.0, 0.0
	for t := range w.in.Rounds {
		if t%rounds == 0 {
			began, driven, m = xi, 0, 0
		}
		h := w.seq.Step(t).LocalSteps
		for step := range h {
			driven += 3*sq(w.c.L)*(xi+r) + 3*w.c.Zeta2
			m++
			keep, drive := 2.0, 3.0
			if step == h-1 && (t+1)%rounds == 0 {
				keep, drive = 1-p/2, 2/p
				if p == 1 && w.report.ExactAfter != nil {
					keep, drive = 0, 2
				}
			}
			nr, nx := a*r+b*xi+e, keep*began+drive*m*sq(w.eta)*driven+2*m*sq(w.eta)*w.spread()
			w.remark("round %d, step %d: r = %s,   Ξ = %s·%s + %s·%g·%s²·%s + 2·%g·%s²·%s = %s", t+1, step+1, num(nr), num(keep), num(began), num(drive), m, num(w.eta), num(driven), m, num(w.eta), num(w.spread()), num(nx))
			r, xi = nr, nx
		}
		if w.n == 1 { // one island cannot disagree
			xi = 0
		}
	}
	w.result("window", r, xi)
}

func (w *work) kernel() {
	w.step("The kernel bound, through all products of mixing matrices",
		"R ← √((q R + η δ_A S)² + η² · noise of the mean),   S ≤ the smaller of\nρ_0 S_0 + Σ_u ρ_u g_u + √(Σ_u ρ_u² v_u),   ρ_u = ‖W_t … W_{u+1} - J‖, g_u and v_u what round u+1 adds: η (L S + δ_A R + ζ*) and η² · disagreeing noise a step\nD + √V,   a step: D ← γ D + η (δ_A R + ζ*), V ← γ² V + η² · disagreeing noise;   mixing: D ← ‖W-J‖ D, V ← ‖W-J‖² V")
	q := max(math.Abs(1-w.eta*w.c.MeanMu), math.Abs(1-w.eta*w.c.MeanL))
	gamma, zeta := w.in.Problem.GammaA(w.eta), math.Sqrt(w.c.Zeta2)
	w.number("q", fmt.Sprintf("‖I - ηĀ‖ = max(|1 - %s·%s|, |1 - %s·%s|)", num(w.eta), num(w.c.MeanMu), num(w.eta), num(w.c.MeanL)), q)
	w.number("γ", "‖P (I - ηA) P‖, P the projection on disagreement", gamma)
	w.number("ζ*", fmt.Sprintf("√%s", num(w.c.Zeta2)), zeta)
	r, start := math.Sqrt(w.c.StartCentroid), math.Sqrt(w.c.StartConsensus)
	d, v := start, 0.0
	var g, noise []float64
	// spreadOf returns the bound on S after t mixings and what has been added since.
	spreadOf := func(t int) (float64, []float64) {
		sum, variance := start*w.between(0, t), 0.0
		var rho []float64
		for u := range g {
			rho = append(rho, w.between(u, t))
			sum += rho[u] * g[u]
			variance += sq(rho[u]) * noise[u]
		}
		return min(sum+math.Sqrt(variance), d+math.Sqrt(v)), rho
	}
	for t := range w.in.Rounds {
		g, noise = append(g, 0), append(noise, 0)
		for range w.seq.Step(t).LocalSteps {
			s, _ := spreadOf(t)
			if w.n > 1 {
				g[t] += w.eta * (w.c.L*s + w.c.DeltaA*r + zeta)
				d = gamma*d + w.eta*(w.c.DeltaA*r+zeta)
			}
			noise[t] += sq(w.eta) * w.spread()
			v = sq(gamma)*v + sq(w.eta)*w.spread()
			next := math.Sqrt(sq(q*r+w.eta*w.c.DeltaA*s) + sq(w.eta)*w.c.MeanNoise)
			w.remark("round %d: R = √((%s·%s + %s·%s·%s)² + %s²·%s) = %s", t+1, num(q), num(r), num(w.eta), num(w.c.DeltaA), num(s), num(w.eta), num(w.c.MeanNoise), num(next))
			r = next
		}
		if w.n == 1 {
			g[t], d = 0, 0
		}
		lambda := w.norms[t%len(w.w)]
		d, v = lambda*d, sq(lambda)*v
		s, rho := spreadOf(t + 1)
		w.remark("round %d: g = %s, v = %s, ρ = %s;   D + √V = %s + √%s;   S = %s", t+1, tuple(g), tuple(noise), tuple(rho), num(d), num(v), num(s))
	}
	s, _ := spreadOf(w.in.Rounds)
	w.result("kernel", sq(r), sq(s))
}

// between is ‖W_t … W_{u+1} - J‖, 1 where nothing lies between.
func (w *work) between(u, t int) float64 {
	if t == u {
		return 1
	}
	phi := mat.DenseCopyOf(w.w[u%len(w.w)])
	for k := u + 1; k < t; k++ {
		phi = product(w.w[k%len(w.w)], phi)
	}
	return w.disagreement(phi)
}

// check compares what was worked out here with what the packages say.
func (w *work) check(ctx context.Context) error {
	at := make([]int, len(w.points))
	for t := range at {
		at[t] = t
	}
	exact, err := gossip.Exact(ctx, w.in.Problem, w.seq, gossip.ExactOptions{Step: w.eta, At: at})
	if err != nil {
		return err
	}
	agree := func(what string, hand, other gossip.Moments) error {
		if !close(hand.Centroid, other.Centroid) || !close(hand.Consensus, other.Consensus) {
			return fmt.Errorf("explain: the moments %s are %+v by hand, but package gossip says %+v: one of the two is wrong", what, hand, other)
		}
		return nil
	}
	for t, p := range exact.Points {
		if err := agree(fmt.Sprintf("of round %d", t), w.points[t], p.Moments); err != nil {
			return err
		}
	}
	if w.final != nil && exact.Stationary != nil {
		return agree("in the limit", *w.final, *exact.Stationary)
	}
	return nil
}

// close compares two ways to compute the same number: relative to it, with a floor for what is zero but for rounding.
func close(a, b float64) bool {
	const relative, floor = 1e-7, 1e-12
	return math.Abs(a-b) <= relative*max(math.Abs(a), math.Abs(b))+floor
}
