package collective

import (
	"bytes"
	_ "embed" // the measurements
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/islandsgd/islands/internal/text"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/schedule"
)

//go:embed data/measured.csv
var measuredCSV []byte

// What the published runs have in common, and what a file without these columns is taken to mean.
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

	stepSeconds float64
}

// Measured returns the published points and the model's predictions.
//
// The fit is good where it should be: at H = 1 the rounds take 1.03 to 1.28 times the ring's seconds. At H = 128 the
// seconds that the utilization implies lie between 0.8 and 1.7 times the ring's. No model of round times can explain
// that: the spread at one link speed is not in the communication.
func Measured() (*Measurements, error) {
	m, err := ReadMeasured("measured.csv", measuredCSV)
	if err != nil {
		return nil, err
	}
	m.Source = "published diloco-measured runs (Apache-2.0), 4 nodes, 123.2 MB, 26.3 ms a step"
	return m, nil
}

// measuredColumns are what a file of measurements may hold; the first three it must.
var measuredColumns = []string{"link_bits_per_second", "local_steps", "utilization", "round_seconds", "nodes", "payload_bytes", "step_seconds"}

// ReadMeasured reads a CSV file of measured runs and puts the model's predictions beside them. The columns are
// link_bits_per_second, local_steps (of a round; h for short) and utilization (0 to 1); round_seconds where a round was timed; and
// nodes, payload_bytes and step_seconds where they differ from 4, 123.2 MB and 26.3 ms. Lines that begin with # are
// remarks. name stands in messages.
func ReadMeasured(name string, data []byte) (*Measurements, error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.Comment, r.TrimLeadingSpace = '#', true
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(rows) < 2 {
		return nil, fmt.Errorf("%s: no measurements (the columns are %s)", name, strings.Join(measuredColumns, ", "))
	}
	column := map[string]int{}
	for i, c := range rows[0] {
		switch c { // names that such files have as well
		case "h":
			c = "local_steps"
		case "bit_per_second":
			c = "link_bits_per_second"
		}
		if !slices.Contains(measuredColumns, c) {
			return nil, fmt.Errorf("%s: unknown column %q%s", name, c, text.DidYouMean(c, measuredColumns))
		}
		column[c] = i
	}
	for _, c := range measuredColumns[:3] {
		if _, ok := column[c]; !ok {
			return nil, fmt.Errorf("%s: column %q is missing", name, c)
		}
	}
	m := &Measurements{Source: name}
	logs, timed := 0.0, 0
	for k, row := range rows[1:] {
		p, err := measuredPoint(row, column)
		if err != nil {
			return nil, fmt.Errorf("%s: measurement %d: %w", name, k+1, err)
		}
		if p.RoundSeconds != nil {
			logs += math.Log(*p.RoundSeconds / p.PredictedSeconds)
			timed++
		}
		m.Points = append(m.Points, *p)
	}
	m.Overhead = 1
	if timed > 0 {
		m.Overhead = math.Exp(logs / float64(timed))
	}
	for i := range m.Points {
		p := &m.Points[i]
		compute := float64(p.LocalSteps) * p.stepSeconds
		p.PredictedUtilization = compute / (compute + m.Overhead*p.PredictedSeconds)
	}
	return m, nil
}

func measuredPoint(row []string, column map[string]int) (*MeasuredPoint, error) {
	value := func(name string, def, least, most float64) (float64, error) {
		i, ok := column[name]
		if !ok || row[i] == "" && def > 0 {
			return def, nil
		}
		v, err := strconv.ParseFloat(row[i], 64)
		if err != nil || !(v >= least && v <= most) {
			return 0, fmt.Errorf("%s %q is no number from %g to %g", name, row[i], least, most)
		}
		return v, nil
	}
	var v [6]float64
	for i, c := range []struct {
		name             string
		def, least, most float64
	}{
		{"link_bits_per_second", 0, 1, 1e15}, {"local_steps", 0, 1, 1e9}, {"utilization", 0, 1e-9, 1},
		{"nodes", measuredNodes, 2, 12}, {"payload_bytes", measuredPayload, 1, 1e15}, {"step_seconds", measuredStepTime, 1e-9, 1e9},
	} {
		var err error
		if v[i], err = value(c.name, c.def, c.least, c.most); err != nil {
			return nil, err
		}
	}
	p := &MeasuredPoint{BitPerSecond: v[0], LocalSteps: int(v[1]), Utilization: v[2], stepSeconds: v[5]}
	var err error
	if p.PredictedSeconds, err = ringSeconds(int(v[3]), v[4], p.BitPerSecond); err != nil {
		return nil, err
	}
	p.ImpliedSeconds = v[1] * p.stepSeconds * (1/p.Utilization - 1)
	if i, ok := column["round_seconds"]; ok && row[i] != "" {
		s, err := value("round_seconds", 0, 1e-9, 1e9)
		if err != nil {
			return nil, err
		}
		p.RoundSeconds = &s
	}
	return p, nil
}

// ringSeconds is the model's price of a ring of nodes behind one switch.
func ringSeconds(nodes int, payload, bitPerSecond float64) (float64, error) {
	t, err := network.Load(fmt.Sprintf("star:n=%d,bandwidth=%gbps,latency=0", nodes, bitPerSecond))
	if err != nil {
		return 0, err
	}
	can, err := t.Capability(network.LevelUnicast)
	if err != nil {
		return 0, err
	}
	p, err := NewPricer(t, can, Options{Payload: payload, Collective: Ring})
	if err != nil {
		return 0, err
	}
	all := make([]int, nodes)
	for i := range all {
		all[i] = i
	}
	price, err := p.Round(&schedule.Round{Cliques: [][]int{all}})
	if err != nil {
		return 0, err
	}
	return price.Seconds, nil
}
