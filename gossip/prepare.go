package gossip

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/mixing"
)

// maxRounds bounds the horizon: beyond it a mistyped round is likelier than a wish.
const maxRounds = 1 << 40

// maxStepL bounds η L. Nothing above 2 converges, so a step far beyond is a slip, and rounding would decide what it does.
const maxStepL = 1e9

// CheckStep refuses a step that is negative, not finite, or out of all proportion to the curvature: η L > 10⁹. 0, which
// stands for the default, is right.
func CheckStep(p Problem, step float64) error {
	if step < 0 || math.IsNaN(step) || math.IsInf(step, 0) {
		return fmt.Errorf("step %g is no positive finite number", step)
	}
	if usual, err := p.DefaultStep(); err == nil && step > 4*maxStepL*usual {
		return fmt.Errorf("step %g is out of proportion: times L it is above %g (nothing above 2/L converges; 1/(4L) is %.4g)", step, float64(maxStepL), usual)
	}
	return nil
}

// prepare checks what Exact and Simulate are given, and returns the step size.
func prepare(p Problem, seq *mixing.Sequence, alg Algorithm, step float64, at []int) (float64, []string, error) {
	q := p.frame()
	if err := alg.check(); err != nil {
		return 0, nil, err
	}
	if q.N != seq.N {
		return 0, nil, fmt.Errorf("the problem has %d islands, the schedule has %d nodes", q.N, seq.N)
	}
	if name := alg.name(); seq.Random != nil && (name == "delayed" || name == "stale" || name == "push-sum" || name == "sparse") {
		return 0, nil, fmt.Errorf("%s runs on periodic schedules, this one is random", name)
	}
	if err := CheckStep(p, step); err != nil {
		return 0, nil, err
	}
	if step == 0 {
		var err error
		if step, err = p.DefaultStep(); err != nil {
			return 0, nil, err
		}
	}
	for _, t := range at {
		if t < 0 || t > maxRounds {
			return 0, nil, fmt.Errorf("round %d is outside 0 to %d", t, maxRounds)
		}
	}
	warnings, err := checkWeighting(q, seq, alg)
	if err != nil {
		return 0, nil, err
	}
	switch alg.name() {
	case "delayed":
		warnings = append(warnings, delayWarning(seq, alg.Delay)...)
	case "streaming-diloco":
		err = checkFragments(q, seq, alg)
	case "choco":
		if alg.Gamma == 0 {
			_, err = chocoGamma(seq, newCompressor(alg, q.D).omega(q.D))
		}
	case "async", "halos":
		for t := range seq.Period() {
			if h := localStepsOf(seq, t); h != localStepsOf(seq, 0) {
				return 0, nil, fmt.Errorf("%s needs the same number of local steps in all rounds: round %d has %d, round 1 %d", alg.name(), t+1, h, localStepsOf(seq, 0))
			}
		}
		if alg.Groups > q.N {
			return 0, nil, fmt.Errorf("%s: %d groups of %d islands", alg.name(), alg.Groups, q.N)
		}
	case "powersgd":
		for t, w := range matricesOf(seq) {
			if !averagesAll(w, q.weights()) {
				return 0, nil, fmt.Errorf("powersgd needs exact averaging of all islands in every round: the mixing matrix %s does not do it", place(seq, t))
			}
		}
	case "push-sum":
		if q.Weights != nil {
			return 0, nil, fmt.Errorf("push-sum weighs the islands equally: the problem must not give weights")
		}
		_, err = newPushWeights(seq)
	}
	return step, warnings, err
}

// checkFragments checks that fragments can be told apart and that each is applied before the next is sent.
func checkFragments(q *Quadratic, seq *mixing.Sequence, alg Algorithm) error {
	parts := alg.fragments()
	if parts > 1 && !q.Diagonal {
		return fmt.Errorf("streaming-diloco with %d fragments needs a diagonal problem, in which coordinates do not interact", parts)
	}
	if parts > q.D {
		return fmt.Errorf("streaming-diloco: %d fragments of %d parameters", parts, q.D)
	}
	for t := range seq.Period() {
		h := localStepsOf(seq, t)
		if parts > h {
			return fmt.Errorf("streaming-diloco: %d fragments need at least as many local steps, round %d has %d", parts, t+1, h)
		}
		if alg.Overlap > h/parts {
			return fmt.Errorf("streaming-diloco: overlap=%d is longer than the %d local steps between fragments of round %d", alg.Overlap, h/parts, t+1)
		}
	}
	return nil
}

// delayWarning tells when averaging that arrives late must diverge: modes of W with eigenvalue λ follow
// z^{τ+1} = z^τ - (1-λ) even without gradients, which is stable only for 1-λ < 2 sin(π / (2(2τ+1))).
func delayWarning(seq *mixing.Sequence, tau int) []string {
	if seq.Period() != 1 || seq.N > maxEigenSize || !seq.Steps[0].W.Symmetric() {
		return nil
	}
	d := seq.Steps[0].W.Dense()
	values, ok := eigenvalues(mat.NewSymDense(seq.N, d.RawMatrix().Data))
	limit := 2 * math.Sin(math.Pi/(2*float64(2*tau+1)))
	if !ok || 1-values[0] < limit {
		return nil
	}
	return []string{fmt.Sprintf("averaging that arrives %d rounds late diverges here: 1 - λ_min = %.4g of W is not below 2 sin(π/(2(2τ+1))) = %.4g; damp it with lazy= below %.4g", tau, 1-values[0], limit, limit/(1-values[0]))}
}

// DefaultStep returns 1/(4L), half of the largest step that the recursions of package bounds admit.
func (q *Quadratic) DefaultStep() (float64, error) {
	l := q.L()
	if l == 0 {
		return 0, fmt.Errorf("the problem has no curvature, so 1/(4L) does not exist: give a step")
	}
	return 1 / (4 * l), nil
}

// sumTol is how far a row or weighted column sum may be from its target by rounding.
const sumTol = 1e-12

// checkWeighting compares the schedule with the island weights: x̄ = Σ w_i x_i is what every W must preserve, w'W = w',
// and agreement must stay agreement, W1 = 1. Weights that were given and are not preserved are an error, equal weights
// a warning, since the schedule may be what is being studied.
func checkWeighting(q *Quadratic, seq *mixing.Sequence, alg Algorithm) ([]string, error) {
	var warnings []string
	for t, w := range matricesOf(seq) {
		rows, columns := w.Sums(q.weights())
		for i, sum := range rows {
			if math.Abs(sum-1) > sumTol && len(warnings) == 0 && alg.name() != "push-sum" {
				warnings = append(warnings, fmt.Sprintf("row %d of the mixing matrix %s sums to %g: agreement is not kept", i, place(seq, t), sum))
			}
		}
		for j, sum := range columns {
			if math.Abs(sum-q.weight(j)) <= sumTol {
				continue
			}
			if q.Weights != nil {
				return nil, fmt.Errorf("the mixing matrix %s does not preserve the island weights: it turns the weight %g of island %d into %g", place(seq, t), q.weight(j), j, sum)
			}
			if len(warnings) == 0 {
				warnings = append(warnings, fmt.Sprintf("column %d of the mixing matrix %s sums to %g: the average of the islands is not preserved", j, place(seq, t), sum*float64(q.N)))
			}
			break
		}
	}
	return warnings, nil
}

// keepsExact checks what exact moments need of the matrices: they follow x - x*, of which a W with row sums other than 1
// would leave a part of x* behind, and gradient tracking rests on the average that W preserves.
func keepsExact(q *Quadratic, seq *mixing.Sequence, alg Algorithm) error {
	if alg.name() == "push-sum" {
		return nil
	}
	for t, w := range matricesOf(seq) {
		rows, columns := w.Sums(q.weights())
		for i, sum := range rows {
			if math.Abs(sum-1) > sumTol {
				return fmt.Errorf("row %d of the mixing matrix %s sums to %g: exact moments need 1 (simulate takes any)", i, place(seq, t), sum)
			}
		}
		for j, sum := range columns {
			if alg.name() == "gradient-tracking" && math.Abs(sum-q.weight(j)) > sumTol {
				return fmt.Errorf("column %d of the mixing matrix %s sums to %g: exact moments of gradient-tracking need a matrix that preserves the average (simulate takes any)", j, place(seq, t), sum*float64(q.N))
			}
		}
	}
	return nil
}

// matricesOf returns every mixing matrix of a period, or every outcome of a random schedule (its mean, where the
// outcomes are too many to list).
func matricesOf(seq *mixing.Sequence) []*mixing.Matrix {
	var all []*mixing.Matrix
	switch r := seq.Random; {
	case r == nil:
		for t := range seq.Steps {
			all = append(all, seq.Steps[t].W)
		}
	case r.Outcomes != nil:
		for _, o := range r.Outcomes {
			all = append(all, o.W)
		}
	case r.Mean != nil:
		all = append(all, r.Mean)
	}
	return all
}

// place says where in a schedule the matrix of that index stands.
func place(seq *mixing.Sequence, index int) string {
	switch {
	case seq.Random == nil:
		return fmt.Sprintf("of round %d", index+1)
	case seq.Random.Outcomes != nil:
		return fmt.Sprintf("of outcome %d", index+1)
	default:
		return "that is expected"
	}
}

// averagesAll reports whether W replaces every island by the (weighted) average.
func averagesAll(w *mixing.Matrix, weights []float64) bool {
	for _, row := range w.Rows() {
		if len(row) < len(weights) {
			return false
		}
		for _, term := range row {
			if math.Abs(term.Weight-weights[term.J]) > sumTol {
				return false
			}
		}
	}
	return true
}
