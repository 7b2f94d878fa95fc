package study

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/optimize"
	"github.com/islandsgd/islands/schedule"
)

// Row is one schedule under one capability, with its own best number of local steps and step size.
type Row struct {
	Capability      string   `json:"capability"`
	Schedule        string   `json:"schedule"`
	H               *int     `json:"h"` // nil, as all that follow from it, when no setting tried reaches the target
	Step            *float64 `json:"step"`
	RoundSeconds    *float64 `json:"round_seconds"` // mean over the period, computation included
	RoundsToTarget  *int     `json:"rounds_to_target"`
	SecondsToTarget *float64 `json:"seconds_to_target"`
	OverColocated   *float64 `json:"over_colocated"`
	Staleness       *float64 `json:"staleness_seconds"` // from communication alone
	BytesPerRound   float64  `json:"bytes_per_round"`   // over all links of the network, access links left out
	BytesToTarget   *float64 `json:"bytes_to_target"`
	BusiestBytes    float64  `json:"busiest_link_bytes_per_round"`
}

// Comparison is every schedule under every capability.
type Comparison struct {
	Topology  string   `json:"topology"`
	Problem   string   `json:"problem"`
	Payload   float64  `json:"payload_bytes"`
	StepTime  float64  `json:"step_time_seconds"`
	Colocated float64  `json:"colocated_seconds"` // to the target in one room
	Rows      []Row    `json:"rows"`
	Warnings  []string `json:"-"`
}

// Compare tunes every schedule under every capability. Without schedules it takes one of every family that suits the
// number of islands, and the schedule of least staleness under each capability.
func Compare(ctx context.Context, o Options, levels []Level, schedules []*schedule.Schedule, progress func(done, total int)) (*Comparison, error) {
	s, err := New(o)
	if err != nil {
		return nil, err
	}
	o = s.o
	out := &Comparison{Topology: o.Topology.Name, Problem: o.ProblemName, Payload: o.Payload, StepTime: o.Clock.StepTime}
	optimized := len(schedules) == 0
	if optimized {
		if o.Problem.Weights != nil {
			return nil, fmt.Errorf("the problem weighs the islands, and the families average them alike: choose --schedule, for instance ring:weights=reversible,target=… with these weights")
		}
		schedules = families(o.Topology)
	}
	schedules = slices.Clone(schedules)
	for i, sched := range schedules {
		if schedules[i], err = mixing.Explicit(sched); err != nil {
			return nil, err
		}
		if r := schedules[i].Random; r != nil && r.Outcomes == nil {
			out.Warnings = append(out.Warnings, fmt.Sprintf("%s has too many outcomes to list: its price is a sample's, and there are no exact moments to tune it by", sched.Name))
		}
	}
	room := Colocated(o.Problem)
	tuning := o.Tuning.withDefaults()
	tuning.Steps, tuning.MaxRounds = []int{1}, 100_000
	best, ok, err := NewTuner(o.Problem, room.Schedule, tuning).Best(ctx, room.Communication, o.Clock)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("not even training in one room reaches the target: choose a larger --target or a smaller noise")
	}
	out.Colocated = best.Seconds

	columns := len(levels)
	lines := len(schedules)
	if optimized {
		lines++
	}
	out.Rows = make([]Row, lines*columns)
	var done atomic.Int64
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(workers(o.Jobs))
	finished := func() {
		if progress != nil {
			mu.Lock()
			defer mu.Unlock()
			progress(int(done.Add(1)), len(out.Rows))
		}
	}
	for i, sched := range schedules {
		g.Go(func() error {
			tuner := NewTuner(o.Problem, sched, o.Tuning)
			for j, level := range levels {
				row, err := rowOf(ctx, o, level, sched, tuner, out.Colocated)
				if err != nil {
					return err
				}
				out.Rows[j*lines+i] = *row
				finished()
			}
			return nil
		})
	}
	if optimized {
		for j, level := range levels {
			g.Go(func() error {
				sched, err := s.optimum(ctx, level)
				if err != nil {
					return err
				}
				row, err := rowOf(ctx, o, level, sched, NewTuner(o.Problem, sched, o.Tuning), out.Colocated)
				if err != nil {
					return err
				}
				row.Schedule = "optimized: " + sched.ShortText()
				out.Rows[j*lines+lines-1] = *row
				finished()
				return nil
			})
		}
	}
	return out, g.Wait()
}

// optimum is the schedule of least staleness under a capability.
func (s *Study) optimum(ctx context.Context, level Level) (*schedule.Schedule, error) {
	p, err := collective.NewPricer(s.o.Topology, level.Capability, collective.Options{Payload: s.o.Payload, Collective: s.o.Collective})
	if err != nil {
		return nil, err
	}
	r, err := optimize.Search(ctx, s.o.Topology, p, optimize.Options{PeriodMax: s.o.PeriodMax, Jobs: 1})
	if err != nil {
		return nil, err
	}
	return r.Best.Schedule, nil
}

// families returns one schedule of every family that suits the number of islands and is neither random nor idle.
func families(t *network.Topology) []*schedule.Schedule {
	var out []*schedule.Schedule
	seen := map[string]bool{}
	for _, line := range []string{
		"allreduce", "ring", "path", "star", "exponential", "one-peer-exponential", "one-peer-hypercube", "base:k=1", "base:k=2",
		"hyper-hypercube:k=2", "round-robin", "rotating-cliques:k=3", "rotating-cliques:k=4", "hierarchical:groups=3", "hierarchical:groups=2",
	} {
		s, err := schedule.Load(line, schedule.Options{Nodes: t.IslandNames()})
		if err != nil || seen[s.Fingerprint()] {
			continue // this family does not come in this size, or equals one that is there
		}
		seen[s.Fingerprint()] = true
		out = append(out, s)
	}
	return out
}

// rowOf prices and tunes one schedule under one capability.
func rowOf(ctx context.Context, o Options, level Level, s *schedule.Schedule, tuner *Tuner, room float64) (*Row, error) {
	p, err := collective.NewPricer(o.Topology, level.Capability, collective.Options{Payload: o.Payload, Collective: o.Collective})
	if err != nil {
		return nil, err
	}
	seq, err := mixing.New(s)
	if err != nil {
		return nil, err
	}
	c, err := charge(p, s, seq)
	if err != nil {
		return nil, fmt.Errorf("%s, %w", s.Name, err)
	}
	row := &Row{Capability: level.Name, Schedule: s.Name, Staleness: c.staleness}
	load := map[[2]string]float64{}
	for r, price := range c.prices {
		for _, l := range price.Links {
			if l.Kind == network.KindLink {
				row.BytesPerRound += l.Bytes * c.share(r)
				load[[2]string{l.From, l.To}] += l.Bytes * c.share(r)
			}
		}
	}
	for _, v := range load {
		row.BusiestBytes = max(row.BusiestBytes, v)
	}
	if seq.Random != nil && seq.Random.Outcomes == nil {
		return row, nil // no exact moments to tune by
	}
	best, ok, err := tuner.Best(ctx, c.Communication, o.Clock)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	if !ok {
		return row, nil
	}
	mean := c.round(o.Clock, best.H)
	ratio, bytes := best.Seconds/room, row.BytesPerRound*float64(best.Rounds)
	row.H, row.Step, row.RoundSeconds, row.RoundsToTarget = &best.H, &best.Step, &mean, &best.Rounds
	row.SecondsToTarget, row.OverColocated, row.BytesToTarget = &best.Seconds, &ratio, &bytes
	return row, nil
}
