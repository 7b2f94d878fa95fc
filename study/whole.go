package study

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/islandsgd/islands/gossip"
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

// Convergence compares ways to train on one network.
type Convergence struct {
	Topology string  `json:"topology"`
	Payload  float64 `json:"payload_bytes"`
	StepTime float64 `json:"step_time_seconds"`
	Target   float64 `json:"target"` // absolute mse
	Curves   []Curve `json:"curves"`
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

func allOf(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
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

// rotationOf returns the best schedule of two rounds or more, or the best of all where no rotation was found.
func rotationOf(r *optimize.Result) *optimize.Found {
	if r.Rotation != nil {
		return r.Rotation
	}
	return &r.Best
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
