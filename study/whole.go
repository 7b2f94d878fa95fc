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

// Options of Run. The zero value of every field but Topology and Problem works.
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
}

// Timeline is a schedule on its network, in seconds.
type Timeline struct {
	Capability string             `json:"capability"`
	Schedule   *schedule.Schedule `json:"-"`
	Form       schedule.Form      `json:"schedule"`
	Seconds    []float64          `json:"round_seconds"` // communication seconds of each round of the period
	Staleness  float64            `json:"staleness_seconds"`
	// AllReduce is the staleness of one clique of all, every round, for comparison.
	AllReduce float64 `json:"allreduce_staleness_seconds"`
}

// Convergence compares ways to train on one network.
type Convergence struct {
	Topology string  `json:"topology"`
	Payload  float64 `json:"payload_bytes"`
	StepTime float64 `json:"step_time_seconds"`
	Target   float64 `json:"target"` // absolute mse
	Curves   []Curve `json:"curves"`
}

// Study is everything that Run finds out about one network.
type Study struct {
	Topology    *network.Topology           `json:"-"`
	Costs       *CostTable                  `json:"costs"`
	Optima      map[string]*optimize.Result `json:"optima"` // by capability
	Timeline    *Timeline                   `json:"timeline"`
	Matrices    *Matrices                   `json:"matrices"`
	Evidence    *Evidence                   `json:"evidence"`
	Convergence *Convergence                `json:"convergence"`
	Summary     []SummaryLine               `json:"summary"`
	Levels      []string                    `json:"levels"`
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

// Run prices one clique of all islands, finds the least stale schedule under each capability, gathers the evidence for
// the best rotation under unicast and compares how all of them converge in seconds.
func Run(ctx context.Context, o Options) (*Study, error) {
	if o.Payload == 0 {
		o.Payload = 1e9
	}
	if o.Clock.StepTime == 0 {
		o.Clock.StepTime = 0.1
	}
	if o.PeriodMax == 0 {
		o.PeriodMax = 2
	}
	levels, err := Levels(o.Topology)
	if err != nil {
		return nil, err
	}
	out := &Study{Topology: o.Topology, Optima: map[string]*optimize.Result{}}
	if out.Costs, err = Costs(o.Topology, levels, o.Payload); err != nil {
		return nil, err
	}
	for _, level := range levels {
		p, err := collective.NewPricer(o.Topology, level.Capability, collective.Options{Payload: o.Payload, Collective: o.Collective})
		if err != nil {
			return nil, err
		}
		r, err := optimize.Search(ctx, o.Topology, p, optimize.Options{PeriodMax: o.PeriodMax, Jobs: o.Jobs})
		if err != nil {
			return nil, err
		}
		out.Optima[level.Name] = r
		out.Levels = append(out.Levels, level.Name)
	}
	plain := out.Optima[levels[0].Name]
	rotation := rotationOf(plain)
	out.Timeline = &Timeline{levels[0].Name, rotation.Schedule, rotation.Form, rotation.Seconds(), rotation.Staleness, plain.AllReduce.Staleness}
	if out.Matrices, err = MatricesOf(rotation.Schedule); err != nil {
		return nil, err
	}
	o.Evidence.Jobs = o.Jobs
	if out.Evidence, err = Gather(ctx, o.Problem, o.ProblemName, rotation.Schedule, o.Evidence); err != nil {
		return nil, err
	}
	if out.Convergence, err = converge(ctx, o, out); err != nil {
		return nil, err
	}
	out.summarize()
	return out, nil
}

// rotationOf returns the best schedule of two rounds or more, or the best of all where no rotation was found.
func rotationOf(r *optimize.Result) *optimize.Found {
	if r.Rotation != nil {
		return r.Rotation
	}
	return &r.Best
}

// converge computes the curves: colocated first, then all-reduce and the best rotation under each capability.
func converge(ctx context.Context, o Options, s *Study) (*Convergence, error) {
	c := o.Problem.Constants()
	tuning := o.Tuning.withDefaults()
	out := &Convergence{
		Topology: o.Topology.Name, Payload: o.Payload, StepTime: o.Clock.StepTime,
		Target: tuning.Target * (c.StartCentroid + c.StartConsensus),
	}
	ways := []Way{Colocated(o.Problem.N)}
	for _, level := range s.Levels {
		r := s.Optima[level]
		ways = append(ways, Way{level, "all-reduce", r.AllReduce.Schedule, r.AllReduce.Seconds()})
		if rotation := rotationOf(r); rotation.Schedule.Period() > 1 {
			ways = append(ways, Way{level, "rotating cliques", rotation.Schedule, rotation.Seconds()})
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
	room := *out.Curves[0].SecondsToTarget
	for i := range out.Curves {
		ratio := *out.Curves[i].SecondsToTarget / room
		out.Curves[i].OverColocated = &ratio
	}
	return out, nil
}

// summarize states the best of the curves for each capability, beside the schedule of least staleness.
func (s *Study) summarize() {
	for _, level := range s.Levels {
		var best *Curve
		for i := range s.Convergence.Curves {
			if c := &s.Convergence.Curves[i]; c.Capability == level && (best == nil || *c.SecondsToTarget < *best.SecondsToTarget) {
				best = c
			}
		}
		o := s.Optima[level].Best
		s.Summary = append(s.Summary, SummaryLine{level, best.Kind, best.H, *best.SecondsToTarget, *best.OverColocated, CliqueText(o.Schedule), o.Staleness})
	}
}

// CliqueText writes the cliques of a schedule on one line: members by commas, cliques by bars, rounds by slashes. One
// clique of all is "all".
func CliqueText(s *schedule.Schedule) string {
	text := ""
	for r := range s.Rounds {
		if r > 0 {
			text += " / "
		}
		cliques := s.Rounds[r].Cliques
		if len(cliques) == 1 && len(cliques[0]) == s.N {
			text += "all"
			continue
		}
		for k, c := range cliques {
			if k > 0 {
				text += "|"
			}
			for m, i := range c {
				if m > 0 {
					text += ","
				}
				text += fmt.Sprint(s.NodeName(i))
			}
		}
	}
	return text
}
