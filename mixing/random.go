package mixing

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/schedule"
)

// Random is a distribution of mixing matrices; every round draws its own.
type Random struct {
	LocalSteps int

	// Outcomes are all matrices that can be drawn, with probabilities that sum to 1; nil where there are too many
	// (more than schedule.MaxOutcomes) to be listed.
	Outcomes []Outcome

	// Mean is E[W]; nil where it is not known.
	Mean *Matrix

	n            int
	draw         func(rng *rand.Rand) *Matrix
	exchangeable bool
	kept         float64 // exchangeable: E tr(P W)/(n-1), the share of disagreement that survives a round
	laplacians   []*Matrix // MATCHA: Laplacians L_j of the matchings ...
	variances    []float64 // ... with weights α² p_j (1-p_j) in S → W̄ S W̄ + Σ_j α² p_j (1-p_j) L_j S L_j
}

// Outcome is one matrix that can be drawn.
type Outcome struct {
	Probability float64
	W           *Matrix
}

// Draw returns one random W.
func (r *Random) Draw(rng *rand.Rand) *Matrix { return r.draw(rng) }

// SecondMoment writes E[W S W'] into dst, for a symmetric n × n matrix S, and reports whether that was possible: with
// listed outcomes and for MATCHA it is, exactly; a distribution that can only be sampled leaves dst alone. S and dst
// must not overlap.
func (r *Random) SecondMoment(dst, s *mat.Dense) bool {
	switch {
	case r.Outcomes != nil:
		dst.Zero()
		tmp, both := mat.NewDense(r.n, r.n, nil), mat.NewDense(r.n, r.n, nil)
		for _, o := range r.Outcomes {
			o.W.conjugate(both, tmp, s)
			addScaled(dst, o.Probability, both)
		}
		return true
	case r.laplacians != nil:
		tmp, both := mat.NewDense(r.n, r.n, nil), mat.NewDense(r.n, r.n, nil)
		r.Mean.conjugate(dst, tmp, s)
		for j, l := range r.laplacians {
			l.conjugate(both, tmp, s)
			addScaled(dst, r.variances[j], both)
		}
		return true
	}
	return false
}

func addScaled(dst *mat.Dense, a float64, x *mat.Dense) {
	d, v := dst.RawMatrix().Data, x.RawMatrix().Data
	for i := range d {
		d[i] += a * v[i]
	}
}

// conjugate writes M S M' into dst, for symmetric S; tmp is scratch space.
func (m *Matrix) conjugate(dst, tmp, s *mat.Dense) {
	m.LeftMul(tmp, s)
	transpose(tmp)
	m.LeftMul(dst, tmp)
}

func transpose(a *mat.Dense) {
	n, _ := a.Dims()
	d := a.RawMatrix().Data
	for i := range n {
		for j := range i {
			d[i*n+j], d[j*n+i] = d[j*n+i], d[i*n+j]
		}
	}
}

// newRandom returns the mixing side of a random schedule whose rules have been applied.
func newRandom(s *schedule.Schedule) *Random {
	src := s.Random
	r := &Random{LocalSteps: src.LocalSteps, n: s.N, exchangeable: src.Exchangeable}
	for i := range src.Outcomes {
		r.Outcomes = append(r.Outcomes, Outcome{src.Outcomes[i].Probability, fromRound(s.N, &src.Outcomes[i].Round)})
	}
	switch {
	case r.Outcomes != nil:
		r.Mean = meanMatrix(s.N, r.Outcomes)
		r.draw = func(rng *rand.Rand) *Matrix {
			u := rng.Float64()
			for _, o := range r.Outcomes {
				if u -= o.Probability; u < 0 {
					return o.W
				}
			}
			return r.Outcomes[len(r.Outcomes)-1].W
		}
	default:
		r.draw = func(rng *rand.Rand) *Matrix {
			round := src.Draw(rng)
			return fromRound(s.N, &round)
		}
	}
	return r
}

func meanMatrix(n int, outcomes []Outcome) *Matrix {
	rows := make([]map[int]float64, n)
	for i := range rows {
		rows[i] = map[int]float64{}
	}
	for _, o := range outcomes {
		for i, row := range o.W.Rows() {
			for _, t := range row {
				rows[i][t.J] += o.Probability * t.Weight
			}
		}
	}
	var r schedule.Round
	for i, row := range rows {
		for j, w := range row {
			r.Entries = append(r.Entries, schedule.Edge{I: i, J: j, Weight: w})
		}
	}
	return fromRound(n, &r)
}

func explicitRandom(s *schedule.Schedule) (*schedule.Random, error) {
	r := *s.Random
	r.Outcomes = nil
	for i := range s.Random.Outcomes {
		o := &s.Random.Outcomes[i]
		round, _, err := explicitRound(s.N, &o.Round)
		if err != nil {
			return nil, err
		}
		r.Outcomes = append(r.Outcomes, schedule.Outcome{Probability: o.Probability, Round: *round})
	}
	return &r, nil
}
