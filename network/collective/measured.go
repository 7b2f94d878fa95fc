package collective

import (
	"bytes"
	_ "embed" // the measurements
	"encoding/csv"
	"fmt"
	"math"
	"strconv"

	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/schedule"
)

//go:embed data/measured.csv
var measuredCSV []byte

// What the measured runs have in common.
const (
	measuredNodes    = 4
	measuredPayload  = 123.2e6 // bytes
	measuredStepTime = 26.3e-3 // seconds
)

// Measurements compares published round times with the model's ring. One factor, fitted to the four rounds that were
// timed directly, stands for everything the model leaves out; with it the utilization of all sixteen runs is predicted.
type Measurements struct {
	Source   string          `json:"source"`
	Overhead float64         `json:"overhead"` // fitted: geometric mean of measured / predicted round seconds at H = 1
	Points   []MeasuredPoint `json:"points"`
}

// MeasuredPoint is one published run beside its prediction.
type MeasuredPoint struct {
	BitPerSecond float64 `json:"bit_per_second"`
	LocalSteps   int     `json:"local_steps"`

	Utilization          float64 `json:"utilization"`           // measured: computation's share of the time
	PredictedUtilization float64 `json:"predicted_utilization"` // with the overhead factor

	RoundSeconds     *float64 `json:"round_seconds"`     // measured directly, at H = 1
	ImpliedSeconds   float64  `json:"implied_seconds"`   // what the measured utilization means: H·step·(1/u - 1)
	PredictedSeconds float64  `json:"predicted_seconds"` // the model's ring, without the factor
}

// Measured returns the published points and the model's predictions.
//
// The fit is good where it should be: at H = 1 the rounds take 1.03 to 1.28 times the ring's seconds. At H = 128 the
// seconds that the utilization implies lie between 0.8 and 1.7 times the ring's. No model of round times can explain
// that: the spread at one link speed is not in the communication.
func Measured() (*Measurements, error) {
	r := csv.NewReader(bytes.NewReader(measuredCSV))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("measured.csv: %w", err)
	}
	m := &Measurements{Source: "published diloco-measured runs (Apache-2.0), 4 nodes, 123.2 MB, 26.3 ms a step"}
	logs, timed := 0.0, 0
	for _, row := range rows[1:] {
		var v [3]float64
		for i := range v {
			if v[i], err = strconv.ParseFloat(row[i], 64); err != nil {
				return nil, fmt.Errorf("measured.csv: %w", err)
			}
		}
		p := MeasuredPoint{BitPerSecond: v[0], LocalSteps: int(v[1]), Utilization: v[2]}
		if p.PredictedSeconds, err = ringSeconds(p.BitPerSecond); err != nil {
			return nil, err
		}
		p.ImpliedSeconds = v[1] * measuredStepTime * (1/p.Utilization - 1)
		if row[3] != "" {
			s, err := strconv.ParseFloat(row[3], 64)
			if err != nil {
				return nil, fmt.Errorf("measured.csv: %w", err)
			}
			p.RoundSeconds = &s
			logs += math.Log(s / p.PredictedSeconds)
			timed++
		}
		m.Points = append(m.Points, p)
	}
	m.Overhead = math.Exp(logs / float64(timed))
	for i := range m.Points {
		p := &m.Points[i]
		compute := float64(p.LocalSteps) * measuredStepTime
		p.PredictedUtilization = compute / (compute + m.Overhead*p.PredictedSeconds)
	}
	return m, nil
}

// ringSeconds is the model's price of a ring of the measured nodes behind one switch.
func ringSeconds(bitPerSecond float64) (float64, error) {
	t, err := network.Load(fmt.Sprintf("star:n=%d,bandwidth=%gbps,latency=0", measuredNodes, bitPerSecond))
	if err != nil {
		return 0, err
	}
	can, err := t.Capability(network.LevelUnicast)
	if err != nil {
		return 0, err
	}
	p, err := NewPricer(t, can, Options{Payload: measuredPayload, Collective: Ring})
	if err != nil {
		return 0, err
	}
	price, err := p.Round(&schedule.Round{Cliques: [][]int{{0, 1, 2, 3}}})
	if err != nil {
		return 0, err
	}
	return price.Seconds, nil
}
