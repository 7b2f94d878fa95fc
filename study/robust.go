package study

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/schedule"
)

// Disturbance is one way in which a network may differ from its file.
type Disturbance struct {
	Name     string
	Topology *network.Topology
}

// Disturbances returns the network with all links a fifth slower and a fifth faster, with every single link gone, and
// with every single island's access halved.
func Disturbances(t *network.Topology) []Disturbance {
	var out []Disturbance
	for _, share := range []float64{0.8, 1.2} {
		c := clone(t)
		for i := range c.Links {
			c.Links[i].Bandwidth *= share
		}
		out = append(out, Disturbance{fmt.Sprintf("all links at %g%%", share*100), c})
	}
	for i, l := range t.Links {
		c := clone(t)
		c.Links = slices.Delete(c.Links, i, i+1)
		out = append(out, Disturbance{fmt.Sprintf("without %s-%s", t.Routers[l.A].ID, t.Routers[l.B].ID), c})
	}
	for i := range t.Islands {
		c := clone(t)
		c.Islands[i].Egress /= 2
		c.Islands[i].Ingress /= 2
		out = append(out, Disturbance{"half access at " + t.Islands[i].ID, c})
	}
	return out
}

func clone(t *network.Topology) *network.Topology {
	c := *t
	c.Links, c.Islands = slices.Clone(t.Links), slices.Clone(t.Islands)
	return &c
}

// Repriced is a schedule on a disturbed network.
type Repriced struct {
	Disturbance string   `json:"disturbance"`
	Period      *float64 `json:"period_seconds"` // nil when a clique is cut in two
	Staleness   *float64 `json:"staleness_seconds"`
}

// Robustness re-prices a schedule under every disturbance. The capability must have been given for the routers of t,
// which disturbances leave alone.
func Robustness(ctx context.Context, t *network.Topology, level Level, s *schedule.Schedule, o collective.Options) ([]Repriced, error) {
	s, err := mixing.Explicit(s)
	if err != nil {
		return nil, err
	}
	var out []Repriced
	for _, d := range Disturbances(t) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r := Repriced{Disturbance: d.Name}
		if c, err := chargeUnder(d.Topology, level, s, o); err == nil { // otherwise the disturbance cuts a clique in two
			period := c.round(Clock{}, 0) * float64(c.period())
			r.Period, r.Staleness = &period, c.staleness
		}
		out = append(out, r)
	}
	return out, nil
}

// WorstCase returns a function that values a schedule by its worst staleness under the disturbances that leave the
// network connected, for a search that ranks by it.
func WorstCase(t *network.Topology, level Level, o collective.Options) (func(context.Context, *schedule.Schedule, []float64) (float64, error), error) {
	var pricers []*collective.Pricer
	for _, d := range Disturbances(t) {
		if !d.Topology.Summary().Connected {
			continue
		}
		p, err := collective.NewPricer(d.Topology, level.Capability, o)
		if err != nil {
			return nil, err
		}
		pricers = append(pricers, p)
	}
	return func(ctx context.Context, s *schedule.Schedule, nominal []float64) (float64, error) {
		seq, err := mixing.New(s)
		if err != nil {
			return 0, err
		}
		worst, ok := mixing.Staleness(seq, nominal)
		if !ok {
			return math.Inf(1), nil
		}
		seconds := make([]float64, s.Period())
		for _, p := range pricers {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			for r := range s.Rounds {
				if seconds[r], err = p.PartitionSeconds(s.Rounds[r].Cliques); err != nil {
					return 0, err
				}
			}
			if v, ok := mixing.Staleness(seq, seconds); ok {
				worst = max(worst, v)
			}
		}
		return worst, nil
	}, nil
}
