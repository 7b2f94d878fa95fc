package gossip

import (
	"fmt"

	"github.com/montanaflynn/stats"
)

// Distribution describes how the runs are spread around their mean at one point. Percentiles interpolate linearly
// (type 7, the default of R and numpy).
type Distribution struct {
	P5       float64 `json:"p5"`
	P25      float64 `json:"p25"`
	Median   float64 `json:"median"`
	P75      float64 `json:"p75"`
	P95      float64 `json:"p95"`
	Outliers int     `json:"outliers"` // runs more than 1.5 interquartile ranges outside the quartiles
}

// maxSamples bounds the values that are kept for percentiles: 10⁸ are 0.8 GB.
const maxSamples = 100_000_000

func checkSamples(points, runs int) error {
	if points > 0 && runs > maxSamples/3/points {
		return fmt.Errorf("percentiles of %d runs at %d points need more than %d values in memory: ask for fewer", runs, points, maxSamples)
	}
	return nil
}

// describe returns the distribution of at least one value.
func describe(values []float64) *Distribution {
	var d Distribution
	for _, p := range []struct {
		percent float64
		to      *float64
	}{{5, &d.P5}, {25, &d.P25}, {50, &d.Median}, {75, &d.P75}, {95, &d.P95}} {
		v, err := stats.Percentile(values, p.percent)
		if err != nil {
			return nil // no values
		}
		*p.to = v
	}
	fence := 1.5 * (d.P75 - d.P25)
	for _, v := range values {
		if v < d.P25-fence || v > d.P75+fence {
			d.Outliers++
		}
	}
	return &d
}
