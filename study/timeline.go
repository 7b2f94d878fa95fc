package study

import (
	"context"

	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/schedule"
)

// Timeline is a schedule on its network, in seconds.
type Timeline struct {
	Capability string             `json:"capability"`
	Topology   *network.Topology  `json:"-"`
	Schedule   *schedule.Schedule `json:"-"`
	Form       schedule.Form      `json:"schedule"`
	Seconds    []float64          `json:"round_seconds"` // communication seconds of each round of the period
	Staleness  *float64           `json:"staleness_seconds"`
	// AllReduce is the staleness of one clique of all, every round, for comparison.
	AllReduce *float64 `json:"allreduce_staleness_seconds"`
}

// Timeline lays out the first chosen schedule of cliques, or else the best rotation, under the first capability, unicast.
func (s *Study) Timeline(ctx context.Context) (*Timeline, error) {
	level := s.levels[0]
	if len(s.o.Schedules) > 0 {
		return s.timelineOf(level, s.o.Schedules[0])
	}
	optima, err := s.Optima(ctx)
	if err != nil {
		return nil, err
	}
	f := rotationOf(optima[level.Name])
	named := *f.Schedule
	named.Name = "the best rotation under " + level.Name
	return s.timelineOf(level, &named)
}

func (s *Study) timelineOf(level Level, sched *schedule.Schedule) (*Timeline, error) {
	all := &schedule.Schedule{N: sched.N, Rounds: []schedule.Round{{LocalSteps: 1, Cliques: [][]int{allOf(sched.N)}}}}
	o := collective.Options{Payload: s.o.Payload, Collective: s.o.Collective}
	out := &Timeline{Capability: level.Name, Topology: s.o.Topology, Schedule: sched, Form: sched.Form()}
	for _, x := range []struct {
		s     *schedule.Schedule
		value **float64
	}{{sched, &out.Staleness}, {all, &out.AllReduce}} {
		p, err := Price(s.o.Topology, []Level{level}, x.s, o)
		if err != nil {
			return nil, err
		}
		*x.value = p.Staleness
		if x.s == sched {
			for _, r := range p.Rounds {
				out.Seconds = append(out.Seconds, r.Seconds)
			}
		}
	}
	return out, nil
}

// Matrices writes out the mixing matrices of the same schedule as Timeline.
func (s *Study) Matrices(ctx context.Context) (*Matrices, error) {
	sched, err := s.firstSchedule(ctx)
	if err != nil {
		return nil, err
	}
	return MatricesOf(sched)
}

// Evidence compares bound, exact moments and simulation on the same schedule as Timeline.
func (s *Study) Evidence(ctx context.Context) (*Evidence, error) {
	if s.evidence != nil {
		return s.evidence, nil
	}
	sched, err := s.firstSchedule(ctx)
	if err != nil {
		return nil, err
	}
	s.evidence, err = Gather(ctx, s.o.Problem, s.o.ProblemName, sched, s.o.Evidence)
	return s.evidence, err
}
