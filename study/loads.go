package study

import (
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/schedule"
)

// Load is what a round puts on the arcs of a network.
type Load struct {
	Capability string            `json:"capability"`
	Schedule   string            `json:"schedule"`
	Price      *collective.Price `json:"price"`
}

// Loads prices the first round of the first chosen schedule, or else one clique of all, under the least and the most
// capable routers.
func (s *Study) Loads() ([]Load, error) {
	all := allOf(len(s.o.Topology.Islands))
	sched := &schedule.Schedule{Name: "one clique of all", N: len(all), Rounds: []schedule.Round{{LocalSteps: 1, Cliques: [][]int{all}}}}
	if len(s.o.Schedules) > 0 {
		sched = s.o.Schedules[0]
	}
	var out []Load
	for _, level := range []Level{s.levels[0], s.levels[len(s.levels)-1]} {
		p, err := collective.NewPricer(s.o.Topology, level.Capability, collective.Options{Payload: s.o.Payload, Collective: s.o.Collective})
		if err != nil {
			return nil, err
		}
		price, err := p.Round(&sched.Rounds[0])
		if err != nil {
			return nil, err
		}
		out = append(out, Load{level.Name, sched.Name, price})
	}
	return out, nil
}
