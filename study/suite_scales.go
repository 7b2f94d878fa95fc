package study

import (
	"math"
	"math/rand/v2"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/schedule"
)

// stretch gives an instance what round numbers never show: optima, starts and noise of very unequal size, steps far below
// 1/L, and mixings that nearly average exactly. Thresholds that take a small number for nothing are wrong here.
func stretch(rng *rand.Rand, q *gossip.Quadratic, s *schedule.Schedule, step float64) (*gossip.Quadratic, float64, error) {
	const decades = 2.5 // standard deviation
	out := *q
	noise := math.Pow(10, decades*rng.NormFloat64())
	if rng.IntN(4) == 0 {
		noise = 0
	}
	out.B = times(q.B, math.Pow(10, decades*rng.NormFloat64()))
	out.Start = times(q.Start, math.Pow(10, decades*rng.NormFloat64()))
	out.Noise = times(q.Noise, noise)
	if rng.IntN(2) == 0 {
		step *= math.Pow(10, -8*rng.Float64())
	}
	if s.Random == nil && rng.IntN(2) == 0 {
		for i := range s.Rounds {
			if r := &s.Rounds[i]; r.IsCliques() {
				r.Lazy = 1 - math.Pow(10, -8*rng.Float64())
			}
		}
	}
	stretched, err := gossip.NewQuadratic(out)
	return stretched, step, err
}

func times(rows [][]float64, factor float64) [][]float64 {
	out := make([][]float64, len(rows))
	for i, row := range rows {
		out[i] = make([]float64, len(row))
		for k, v := range row {
			out[i][k] = factor * v
		}
	}
	return out
}
