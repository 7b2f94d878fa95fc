package study

import (
	"context"
	"slices"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/optimize"
	"github.com/islandsgd/islands/schedule"
)

// DefaultProblem is the problem of studies in seconds: islands that differ somewhat in curvature, so that many local
// steps have their price, and in their optima.
const DefaultProblem = "quadratic:spread=0.2"

// Options of New. The zero value of every field but Topology and Problem works.
type Options struct {
	Topology    *network.Topology
	Payload     float64 // bytes that each island contributes to a round; default (0): 1 GB
	Clock       Clock   // StepTime default (0): 0.1 s
	Collective  string  // default: best
	Problem     *gossip.Quadratic
	ProblemName string // how results call the problem
	Tuning      Tuning
	PeriodMax   int // most rounds of a schedule in the search; default (0): 2, which is searched completely
	Evidence    EvidenceOptions
	Jobs        int

	// Schedules are what the parts on schedules show instead of the best rotation that a search finds; they must have as
	// many nodes as the topology has islands.
	Schedules []*schedule.Schedule
}

// Study answers questions about one network. Each part is computed when it is first asked for, and once.
type Study struct {
	o      Options
	levels []Level

	costs       *CostTable
	optima      map[string]*optimize.Result
	evidence    *Evidence
	convergence *Convergence
	shift       *Shift
}

// New returns a study of a network on which nothing is computed yet.
func New(o Options) (*Study, error) {
	if o.Payload == 0 {
		o.Payload = 1e9
	}
	if o.Clock.StepTime == 0 {
		o.Clock.StepTime = 0.1
	}
	if o.PeriodMax == 0 {
		o.PeriodMax = 2
	}
	o.Evidence.Jobs = o.Jobs
	o.Schedules = slices.Clone(o.Schedules)
	for i, s := range o.Schedules {
		explicit, err := mixing.Explicit(s) // a random schedule may have probabilities yet to be chosen
		if err != nil {
			return nil, err
		}
		o.Schedules[i] = explicit
	}
	levels, err := Levels(o.Topology)
	return &Study{o: o, levels: levels}, err
}

// Topology returns the network.
func (s *Study) Topology() *network.Topology { return s.o.Topology }

// Costs prices one clique of all islands by every collective under each capability.
func (s *Study) Costs() (*CostTable, error) {
	var err error
	if s.costs == nil {
		s.costs, err = Costs(s.o.Topology, s.levels, s.o.Payload)
	}
	return s.costs, err
}

// Optima finds the least stale schedules under each capability, by its name.
func (s *Study) Optima(ctx context.Context) (map[string]*optimize.Result, error) {
	if s.optima != nil {
		return s.optima, nil
	}
	out := map[string]*optimize.Result{}
	for _, level := range s.levels {
		p, err := collective.NewPricer(s.o.Topology, level.Capability, collective.Options{Payload: s.o.Payload, Collective: s.o.Collective})
		if err != nil {
			return nil, err
		}
		if out[level.Name], err = optimize.Search(ctx, s.o.Topology, p, optimize.Options{PeriodMax: s.o.PeriodMax, Pareto: true, Jobs: s.o.Jobs}); err != nil {
			return nil, err
		}
	}
	s.optima = out
	return out, nil
}

// rotationOf returns the best schedule of two rounds or more, or the best of all where no rotation was found.
func rotationOf(r *optimize.Result) *optimize.Found {
	if r.Rotation != nil {
		return r.Rotation
	}
	return &r.Best
}

// firstSchedule is the first schedule that was chosen, or else the best rotation under unicast.
func (s *Study) firstSchedule(ctx context.Context) (*schedule.Schedule, error) {
	if len(s.o.Schedules) > 0 {
		return s.o.Schedules[0], nil
	}
	t, err := s.Timeline(ctx)
	if err != nil {
		return nil, err
	}
	return t.Schedule, nil
}

func allOf(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
