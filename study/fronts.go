package study

import (
	"context"

	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/optimize"
)

// Front is the Pareto front of schedules of one and two rounds under one capability.
type Front struct {
	Capability string                 `json:"capability"`
	Points     []optimize.ParetoPoint `json:"points"`
	AllReduce  optimize.ParetoPoint   `json:"allreduce"`
	Proven     bool                   `json:"proven"` // whether all pairs of partitions were searched
}

// Fronts are the Pareto fronts under each capability: no schedule is at once shorter in its period, fresher and more
// contracting than one of their points.
func (s *Study) Fronts(ctx context.Context) ([]Front, error) {
	optima, err := s.Optima(ctx)
	if err != nil {
		return nil, err
	}
	var out []Front
	for _, level := range s.levels {
		r := optima[level.Name]
		out = append(out, Front{level.Name, r.Pareto, optimize.ParetoPoint{Period: r.AllReduce.Period, Staleness: r.AllReduce.Staleness, Cliques: "all"}, r.Certificate.Pairs > 0})
	}
	return out, nil
}

// Deployments says which routers to equip with multicast and aggregation, from none to all.
type Deployments struct {
	Topology string                `json:"topology"`
	Payload  float64               `json:"payload_bytes"`
	Rows     []optimize.Deployment `json:"rows"`
}

// Deployment finds the best routers to equip, for every number of them up to twelve.
func (s *Study) Deployment(ctx context.Context) (*Deployments, error) {
	const most = 12
	o := collective.Options{Payload: s.o.Payload, Collective: s.o.Collective}
	rows, err := optimize.Deploy(ctx, s.o.Topology, o, most, optimize.Options{PeriodMax: 2, Jobs: s.o.Jobs})
	if err != nil {
		return nil, err
	}
	return &Deployments{s.o.Topology.Name, s.o.Payload, rows}, nil
}
