package mixing

import (
	"fmt"
	"math/rand/v2"
	"sort"

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
	cliqueSize   int             // exchangeable
	joins        bool            // exchangeable: rounds connect at all
	kept         float64         // exchangeable: E tr(P W)/(n-1), the share of disagreement that survives a round
	pairs        []schedule.Edge // one of these averages, with the lazy factor theta
	theta        float64
	pairsMet     int       // pairs that exchange in some outcome, where the structure says it ...
	pairsMean    float64   // ... and the mean number per round
	negative     bool      // MATCHA: some outcome has a negative entry
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

// SecondMoment writes E[W S W'] into dst, exactly, for a symmetric n × n matrix S, and reports whether that was
// possible: it is for listed outcomes, for uniformly random partitions and for MATCHA, whatever their support. Where it
// is not (an edge drawn from more than schedule.MaxOutcomes), dst is left alone. S and dst must not overlap.
func (r *Random) SecondMoment(dst, s *mat.Dense) bool {
	switch {
	case r.exchangeable:
		r.partitionMoment(dst, s)
		return true
	case r.Outcomes != nil && r.laplacians == nil:
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
	r := &Random{LocalSteps: src.LocalSteps, n: s.N}
	for i := range src.Outcomes {
		r.Outcomes = append(r.Outcomes, Outcome{src.Outcomes[i].Probability, fromRound(s.N, &src.Outcomes[i].Round)})
	}
	r.draw = func(rng *rand.Rand) *Matrix {
		round := src.Draw(rng)
		return fromRound(s.N, &round)
	}
	switch {
	case src.Exchangeable:
		r.setExchangeable(src.CliqueSize, src.Lazy)
	case len(src.Matchings) > 0:
		r.setMatchings(src)
	case len(src.Edges) > 0:
		theta := src.Lazy
		if theta == 0 {
			theta = 1
		}
		r.pairs, r.theta = src.Edges, theta
		r.pairsMet, r.pairsMean = len(src.Edges), 1
		var mean schedule.Round
		for _, e := range src.Edges {
			mean.Edges = append(mean.Edges, schedule.Edge{I: e.I, J: e.J, Weight: theta / 2 / float64(len(src.Edges))})
		}
		r.Mean = fromRound(s.N, &mean)
	default:
		r.Mean = meanMatrix(s.N, r.Outcomes)
	}
	if r.Outcomes != nil {
		sum, upTo := 0.0, make([]float64, len(r.Outcomes))
		for k, o := range r.Outcomes {
			sum += o.Probability
			upTo[k] = sum
		}
		r.draw = func(rng *rand.Rand) *Matrix { // the first outcome whose cumulative probability exceeds the draw
			u := sum * rng.Float64()
			return r.Outcomes[sort.Search(len(upTo)-1, func(k int) bool { return upTo[k] > u })].W
		}
	}
	return r
}

// setMatchings uses W = I - α Σ_j B_j L_j with independent B_j: E[W S W'] = W̄ S W̄ + Σ_j α² p_j (1-p_j) L_j S L_j.
func (r *Random) setMatchings(src *schedule.Random) {
	var mean schedule.Round
	for j, m := range src.Matchings {
		p := src.Probabilities[j]
		var l schedule.Round
		for _, e := range m {
			mean.Edges = append(mean.Edges, schedule.Edge{I: e.I, J: e.J, Weight: src.Step * p})
			l.Entries = append(l.Entries, schedule.Edge{I: e.I, J: e.J, Weight: -1}, schedule.Edge{I: e.J, J: e.I, Weight: -1},
				schedule.Edge{I: e.I, J: e.I, Weight: 1}, schedule.Edge{I: e.J, J: e.J, Weight: 1})
		}
		r.laplacians = append(r.laplacians, fromRound(r.n, &l))
		r.variances = append(r.variances, src.Step*src.Step*p*(1-p))
		r.pairsMean += p * float64(len(m))
		if p > 0 {
			r.pairsMet += len(m)
		}
	}
	r.Mean = fromRound(r.n, &mean)
	// The smallest diagonal entry that can occur: all matchings at a node active.
	degree := make([]int, r.n)
	for j, m := range src.Matchings {
		for _, e := range m {
			if src.Probabilities[j] > 0 {
				degree[e.I]++
				degree[e.J]++
			}
		}
	}
	for _, d := range degree {
		r.negative = r.negative || 1-src.Step*float64(d) < 0
	}
}

// meanMatrix returns E[W], the entries of each row in the order of their columns.
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

// maxListedMatchings is the number of MATCHA's matchings whose subsets are all listed: 2^13 is below
// schedule.MaxOutcomes.
const maxListedMatchings = 13

// explicitRandom applies open rules to the outcomes, and chooses probabilities and step of a MATCHA schedule.
func explicitRandom(s *schedule.Schedule) (*schedule.Random, error) {
	r := *s.Random
	if len(r.Matchings) > 0 && r.Probabilities == nil {
		p, step, err := matcha(s.N, r.Matchings, r.Budget)
		if err != nil {
			return nil, fmt.Errorf("schedule %s: %w", s.Name, err)
		}
		r.Probabilities, r.Step = p, step
		if len(r.Matchings) <= maxListedMatchings {
			r.Outcomes = subsets(&r)
		}
		return &r, nil
	}
	r.Outcomes = nil
	for i := range s.Random.Outcomes {
		o := &s.Random.Outcomes[i]
		round, _, err := explicitRound(s.N, &o.Round)
		if err != nil {
			return nil, fmt.Errorf("schedule %s, outcome %d: %w", s.Name, i, err)
		}
		r.Outcomes = append(r.Outcomes, schedule.Outcome{Probability: o.Probability, Round: *round})
	}
	return &r, nil
}

// subsets lists all choices of active matchings that can happen.
func subsets(r *schedule.Random) []schedule.Outcome {
	var out []schedule.Outcome
	for set := range 1 << len(r.Matchings) {
		o := schedule.Outcome{Probability: 1, Round: schedule.Round{LocalSteps: r.LocalSteps}}
		for j, m := range r.Matchings {
			if set>>j&1 == 0 {
				o.Probability *= 1 - r.Probabilities[j]
				continue
			}
			o.Probability *= r.Probabilities[j]
			for _, e := range m {
				o.Round.Edges = append(o.Round.Edges, schedule.Edge{I: e.I, J: e.J, Weight: r.Step})
			}
		}
		if o.Probability > 0 {
			out = append(out, o)
		}
	}
	return out
}
