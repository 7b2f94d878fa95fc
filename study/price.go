package study

import (
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/schedule"
)

// Level is a capability with the name under which results list it.
type Level struct {
	Name string
	network.Capability
}

// Levels returns the uniform capabilities: unicast, multicast, aggregation, both.
func Levels(t *network.Topology) ([]Level, error) {
	var out []Level
	for _, name := range []string{network.LevelUnicast, network.LevelMulticast, network.LevelAggregation, network.LevelBoth} {
		c, err := t.Capability(name)
		if err != nil {
			return nil, err
		}
		out = append(out, Level{name, c})
	}
	return out, nil
}

// PricedRound is one round of a schedule under one capability.
type PricedRound struct {
	Round      int    `json:"round"` // from 1
	Capability string `json:"capability"`
	*collective.Price
}

// PricedLevel sums a schedule up under one capability.
type PricedLevel struct {
	Capability string   `json:"capability"`
	Period     float64  `json:"period_seconds"`    // of a random schedule: the mean of a round
	Staleness  *float64 `json:"staleness_seconds"` // nil when the schedule never connects all islands or takes no time

	// StandardError of Staleness, where it comes from a sample of a random schedule.
	StandardError *float64 `json:"staleness_standard_error,omitempty"`
}

// Priced is what a schedule costs on a network: communication alone, computation not added.
type Priced struct {
	Payload float64       `json:"payload_bytes"`
	Rounds  []PricedRound `json:"rounds"`
	Levels  []PricedLevel `json:"capabilities"`

	// Of the only capability; nil when there are several.
	Period    *float64 `json:"period_seconds"`
	Staleness *float64 `json:"staleness_seconds"`

	Warnings []string `json:"-"`
}

// Price prices every round of a periodic schedule under each capability. Of a random schedule it gives the mean round
// and the staleness, and lists no rounds.
func Price(t *network.Topology, levels []Level, s *schedule.Schedule, o collective.Options) (*Priced, error) {
	s, err := mixing.Explicit(s) // a random schedule may have probabilities yet to be chosen
	if err != nil {
		return nil, err
	}
	seq, err := mixing.New(s)
	if err != nil {
		return nil, err
	}
	out := &Priced{Payload: o.Payload, Rounds: []PricedRound{}}
	for _, level := range levels {
		p, err := collective.NewPricer(t, level.Capability, o)
		if err != nil {
			return nil, err
		}
		c, err := charge(p, s, seq)
		if err != nil {
			return nil, err
		}
		sum := PricedLevel{Capability: level.Name, Staleness: c.staleness, StandardError: c.standardError}
		for r, price := range c.prices {
			if s.Random != nil {
				sum.Period += c.Odds[r] * price.Seconds
				continue
			}
			out.Rounds = append(out.Rounds, PricedRound{r + 1, level.Name, price})
			out.Warnings = append(out.Warnings, price.Warnings...)
			sum.Period += price.Seconds
		}
		out.Levels = append(out.Levels, sum)
	}
	if len(out.Levels) == 1 {
		out.Period, out.Staleness = &out.Levels[0].Period, out.Levels[0].Staleness
	}
	return out, nil
}

// Cost is the price of one clique of all islands under one capability and collective.
type Cost struct {
	Capability       string  `json:"capability"`
	Collective       string  `json:"collective"`
	Seconds          float64 `json:"seconds"`
	BandwidthSeconds float64 `json:"bandwidth_seconds"`
	LatencySeconds   float64 `json:"latency_seconds"`
}

// CostTable compares collectives and capabilities on one network.
type CostTable struct {
	Topology   string  `json:"topology"`
	Islands    int     `json:"islands"`
	Payload    float64 `json:"payload_bytes"`
	Rows       []Cost  `json:"rows"`
	CutSeconds float64 `json:"cut_seconds"` // no collective is faster
}

// Costs prices one clique of all islands by every collective under each capability.
func Costs(t *network.Topology, levels []Level, payload float64) (*CostTable, error) {
	all := allOf(len(t.Islands))
	round := &schedule.Round{LocalSteps: 1, Cliques: [][]int{all}}
	out := &CostTable{Topology: t.Name, Islands: len(all), Payload: payload}
	for _, name := range []string{collective.Exchange, collective.Hub, collective.Sharded, collective.Ring, collective.Best} {
		for _, level := range levels {
			p, err := collective.NewPricer(t, level.Capability, collective.Options{Payload: payload, Collective: name})
			if err != nil {
				return nil, err
			}
			price, err := p.Round(round)
			if err != nil {
				return nil, err
			}
			out.Rows = append(out.Rows, Cost{level.Name, name, price.Seconds, price.BandwidthSeconds, price.LatencySeconds})
			if price.LowerBound.Cut != nil {
				out.CutSeconds = *price.LowerBound.Cut
			}
		}
	}
	return out, nil
}
