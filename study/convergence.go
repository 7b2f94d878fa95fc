package study

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/islandsgd/islands/network/collective"
)

// Convergence compares ways to train on one network.
type Convergence struct {
	Topology string  `json:"topology"`
	Payload  float64 `json:"payload_bytes"`
	StepTime float64 `json:"step_time_seconds"`
	Target   float64 `json:"target"` // absolute mse
	Curves   []Curve `json:"curves"`
}

// Convergence computes the curves: colocated first, then all-reduce and the best rotation under each capability, each
// with its own best number of local steps and step size.
func (s *Study) Convergence(ctx context.Context) (*Convergence, error) {
	if s.convergence != nil {
		return s.convergence, nil
	}
	optima, err := s.Optima(ctx)
	if err != nil {
		return nil, err
	}
	o := s.o
	c := o.Problem.Constants()
	tuning := o.Tuning.withDefaults()
	out := &Convergence{
		Topology: o.Topology.Name, Payload: o.Payload, StepTime: o.Clock.StepTime,
		Target: tuning.Target * (c.StartCentroid + c.StartConsensus),
	}
	ways := []Way{Colocated(o.Problem.N)}
	for _, level := range s.levels {
		r := optima[level.Name]
		ways = append(ways, Way{level.Name, "all-reduce", r.AllReduce.Schedule, r.AllReduce.Seconds()})
		if rotation := rotationOf(r); rotation.Schedule.Period() > 1 {
			ways = append(ways, Way{level.Name, "rotating cliques", rotation.Schedule, rotation.Seconds()})
		}
		for _, sched := range o.Schedules {
			seconds, err := priceRounds(o.Topology, level, sched, collective.Options{Payload: o.Payload, Collective: o.Collective})
			if err != nil {
				return nil, err
			}
			ways = append(ways, Way{level.Name, sched.Name, sched, seconds})
		}
	}
	out.Curves = make([]Curve, len(ways))
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(workers(o.Jobs))
	for i, w := range ways {
		g.Go(func() error {
			curve, err := CurveOf(ctx, o.Problem, w, o.Clock, tuning)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			out.Curves[i] = *curve
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	room := out.Curves[0].SecondsToTarget
	if room == nil {
		return nil, fmt.Errorf("not even training in one room reaches the target: choose a larger target or a smaller noise")
	}
	for i := range out.Curves {
		if seconds := out.Curves[i].SecondsToTarget; seconds != nil {
			ratio := *seconds / *room
			out.Curves[i].OverColocated = &ratio
		}
	}
	s.convergence = out
	return out, nil
}

// SummaryLine is the answer for one capability: what reaches the target soonest, and what keeps agreement freshest.
type SummaryLine struct {
	Capability      string  `json:"capability"`
	Kind            string  `json:"kind"` // "all-reduce" or "rotating cliques"
	H               int     `json:"h"`
	SecondsToTarget float64 `json:"seconds_to_target"`
	OverColocated   float64 `json:"over_colocated"`
	Freshest        string  `json:"freshest"` // cliques of the schedule of least staleness
	Staleness       float64 `json:"staleness_seconds"`
}

// Summary states for each capability the curve that reaches the target soonest and the schedule of least staleness.
func (s *Study) Summary(ctx context.Context) ([]SummaryLine, error) {
	c, err := s.Convergence(ctx)
	if err != nil {
		return nil, err
	}
	var out []SummaryLine
	for _, level := range s.levels {
		var best *Curve
		for i := range c.Curves {
			if k := &c.Curves[i]; k.Capability == level.Name && k.SecondsToTarget != nil && (best == nil || *k.SecondsToTarget < *best.SecondsToTarget) {
				best = k
			}
		}
		if best == nil {
			continue // nothing reaches the target under this capability
		}
		o := s.optima[level.Name].Best
		out = append(out, SummaryLine{level.Name, best.Kind, best.H, *best.SecondsToTarget, *best.OverColocated, o.Schedule.CliqueText(), o.Staleness})
	}
	return out, nil
}
