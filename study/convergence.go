package study

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/islandsgd/islands/gossip"
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
	ways := []Way{Colocated(o.Problem)}
	for _, level := range s.levels {
		r := optima[level.Name]
		ways = append(ways, Way{level.Name, "all-reduce", r.AllReduce.Schedule, InTurn(r.AllReduce.Seconds())})
		if rotation := rotationOf(r); rotation.Schedule.Period() > 1 {
			ways = append(ways, Way{level.Name, "rotating cliques", rotation.Schedule, InTurn(rotation.Seconds())})
		}
		for _, sched := range o.Schedules {
			c, err := chargeUnder(o.Topology, level, sched, collective.Options{Payload: o.Payload, Collective: o.Collective})
			if err != nil {
				return nil, err
			}
			ways = append(ways, Way{level.Name, sched.Name, sched, c.Communication})
		}
	}
	if out.Curves, err = curvesOf(ctx, o.Problem, ways, o.Clock, tuning, o.Jobs); err != nil {
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

// curvesOf is CurveOf for many ways. Those that follow one schedule at different prices are tuned together.
func curvesOf(ctx context.Context, q *gossip.Quadratic, ways []Way, clock Clock, u Tuning, jobs int) ([]Curve, error) {
	type kind struct{ kind, fingerprint string }
	var order []kind
	alike := map[kind][]int{}
	for i, w := range ways {
		k := kind{w.Kind, w.Schedule.Fingerprint()}
		if alike[k] == nil {
			order = append(order, k)
		}
		alike[k] = append(alike[k], i)
	}
	curves := make([]Curve, len(ways))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(workers(jobs))
	for _, k := range order {
		g.Go(func() error {
			tuner := ways[alike[k][0]].tuner(q, u)
			for _, i := range alike[k] {
				c, err := tuner.curve(ctx, ways[i], clock)
				if err != nil {
					return err
				}
				curves[i] = *c
			}
			return nil
		})
	}
	return curves, g.Wait()
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
		out = append(out, SummaryLine{level.Name, best.Kind, best.H, *best.SecondsToTarget, *best.OverColocated, o.Schedule.ShortText(), o.Staleness})
	}
	return out, nil
}
