package study

import (
	"fmt"
	"math/rand/v2"

	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/schedule"
)

// Communication is what the rounds of a schedule cost: those of a period in turn, or those that a random schedule draws.
type Communication struct {
	Seconds []float64
	Odds    []float64 // the probability of each; nil: in turn
}

// InTurn is the communication of a periodic schedule.
func InTurn(seconds []float64) Communication { return Communication{Seconds: seconds} }

// end is the time at which round t, counted from 1, is over when every round has h local steps; of a random schedule
// the expected time.
func (c Communication) end(clock Clock, h, t int) float64 {
	period := len(c.Seconds)
	sum, part := 0.0, 0.0
	for r, v := range c.Seconds {
		if c.Odds != nil {
			sum += c.Odds[r] * clock.Round(h, v)
			continue
		}
		sum += clock.Round(h, v)
		if r < t%period {
			part += clock.Round(h, v)
		}
	}
	if c.Odds != nil {
		return float64(t) * sum
	}
	return float64(t/period)*sum + part
}

// period is the number of rounds after which the costs repeat.
func (c Communication) period() int {
	if c.Odds != nil {
		return 1
	}
	return len(c.Seconds)
}

// round is the mean round.
func (c Communication) round(clock Clock, h int) float64 {
	return c.end(clock, h, c.period()) / float64(c.period())
}

// share is how often round r takes place, per round.
func (c Communication) share(r int) float64 {
	if c.Odds != nil {
		return c.Odds[r]
	}
	return 1 / float64(len(c.Seconds))
}

// staleness is that of the schedule's matrices; nil when they never connect all islands, take no time, or are a sample.
func (c Communication) staleness(seq *mixing.Sequence) *float64 {
	var v float64
	var ok bool
	switch {
	case c.Odds == nil:
		v, ok = mixing.Staleness(seq, c.Seconds)
	case len(c.Odds) == len(seq.Random.Outcomes):
		v, ok = mixing.RandomStaleness(seq.Random.Outcomes, c.Seconds)
	}
	if !ok {
		return nil
	}
	return &v
}

// charged is a schedule with its prices.
type charged struct {
	Communication
	prices []*collective.Price // of each round

	staleness     *float64 // of Communication, or its estimate from the sample
	standardError *float64 // of an estimate
}

// sampledRounds is how many rounds of a random schedule are priced where its outcomes are too many to be listed.
const sampledRounds = 2000

// chargeUnder is charge on a network under one capability.
func chargeUnder(t *network.Topology, level Level, s *schedule.Schedule, o collective.Options) (*charged, error) {
	seq, err := mixing.New(s)
	if err != nil {
		return nil, err
	}
	p, err := collective.NewPricer(t, level.Capability, o)
	if err != nil {
		return nil, err
	}
	return charge(p, s, seq)
}

// charge prices every round of a schedule: of a random one all its outcomes where they are listed, otherwise a seeded
// sample. Probabilities must have been chosen (mixing.Explicit).
func charge(p *collective.Pricer, s *schedule.Schedule, seq *mixing.Sequence) (*charged, error) {
	out := &charged{}
	add := func(r *schedule.Round, what string, number int) error {
		price, err := p.Round(r)
		if err != nil {
			return fmt.Errorf("%s %d: %w", what, number, err)
		}
		out.Seconds, out.prices = append(out.Seconds, price.Seconds), append(out.prices, price)
		return nil
	}
	if s.Random == nil {
		for r := range s.Rounds {
			if err := add(&s.Rounds[r], "round", r+1); err != nil {
				return nil, err
			}
		}
		out.staleness = out.Communication.staleness(seq)
		return out, nil
	}
	if r := s.Random; r.Outcomes != nil && len(r.Outcomes) == len(seq.Random.Outcomes) {
		for i := range r.Outcomes {
			if err := add(&r.Outcomes[i].Round, "outcome", i+1); err != nil {
				return nil, err
			}
			out.Odds = append(out.Odds, r.Outcomes[i].Probability)
		}
		out.staleness = out.Communication.staleness(seq)
		return out, nil
	}
	var failed error
	value, standardError, ok := mixing.SampleStaleness(s.N, sampledRounds, func(rng *rand.Rand) (*mixing.Matrix, float64) {
		round := s.Random.Draw(rng)
		w, err := mixing.New(&schedule.Schedule{Name: s.Name, N: s.N, Rounds: []schedule.Round{round}})
		if err != nil {
			failed = err
			return seq.Random.Draw(rng), 1
		}
		if err := add(&round, "drawn round", len(out.Seconds)+1); err != nil {
			failed = err
			return w.Steps[0].W, 1
		}
		return w.Steps[0].W, out.Seconds[len(out.Seconds)-1]
	}, rand.New(rand.NewPCG(1, 2))) // fixed: a price has no seed
	if failed != nil {
		return nil, failed
	}
	for range out.Seconds {
		out.Odds = append(out.Odds, 1/float64(len(out.Seconds)))
	}
	if ok {
		out.staleness, out.standardError = &value, &standardError
	}
	return out, nil
}
