package study

import (
	"fmt"
	"math/rand/v2"

	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/schedule"
)

// sampledRounds is how many rounds of a random schedule are priced where its outcomes are too many to be listed.
const sampledRounds = 2000

// priceRandom is the mean round of a random schedule, over all its outcomes where they are listed, otherwise over a
// seeded sample with its standard error (staleness alone).
func priceRandom(p *collective.Pricer, level string, s *schedule.Schedule, seq *mixing.Sequence) (*PricedLevel, error) {
	out := &PricedLevel{Capability: level}
	if r := s.Random; r.Outcomes != nil && len(r.Outcomes) == len(seq.Random.Outcomes) {
		seconds := make([]float64, len(r.Outcomes))
		for i := range r.Outcomes {
			price, err := p.Round(&r.Outcomes[i].Round)
			if err != nil {
				return nil, fmt.Errorf("outcome %d: %w", i+1, err)
			}
			seconds[i] = price.Seconds
			out.Period += r.Outcomes[i].Probability * price.Seconds
		}
		if v, ok := mixing.RandomStaleness(seq.Random.Outcomes, seconds); ok {
			out.Staleness = &v
		}
		return out, nil
	}
	rng := rand.New(rand.NewPCG(1, 2)) // fixed: a price has no seed
	var failed error
	total := 0.0
	draws := 0
	value, standardError, ok := mixing.SampleStaleness(s.N, sampledRounds, func(rng *rand.Rand) (*mixing.Matrix, float64) {
		round := s.Random.Draw(rng)
		one := &schedule.Schedule{Name: s.Name, N: s.N, Rounds: []schedule.Round{round}}
		w, err := mixing.New(one)
		if err != nil {
			failed = err
			return seq.Random.Draw(rng), 1
		}
		price, err := p.Round(&round)
		if err != nil {
			failed = err
			return w.Steps[0].W, 1
		}
		total += price.Seconds
		draws++
		return w.Steps[0].W, price.Seconds
	}, rng)
	if failed != nil {
		return nil, failed
	}
	out.Period = total / float64(max(1, draws))
	if ok {
		out.Staleness, out.StandardError = &value, &standardError
	}
	return out, nil
}
