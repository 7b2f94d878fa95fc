package study

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/islandsgd/islands/bounds"
	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/optimize"
	"github.com/islandsgd/islands/schedule"
)

// cliqueSizes lists the sizes of the cliques of two and more, largest first.
func cliqueSizes(cliques [][]int) []int {
	var out []int
	for _, c := range cliques {
		if len(c) > 1 {
			out = append(out, len(c))
		}
	}
	slices.SortFunc(out, func(a, b int) int { return cmp.Compare(b, a) })
	return out
}

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

// Spectra compares how the schedules that were chosen contract, or else a handful of well-known ones and the best
// rotation under unicast.
func (s *Study) Spectra(ctx context.Context) ([]Spectrum, error) {
	list := s.o.Schedules
	if len(list) == 0 {
		for _, line := range []string{"ring", "exponential", "one-peer-exponential", "base:k=2"} {
			if known, err := schedule.Load(line, schedule.Options{Nodes: s.o.Topology.IslandNames()}); err == nil {
				list = append(list, known)
			}
		}
		t, err := s.Timeline(ctx)
		if err != nil {
			return nil, err
		}
		list = append(list, t.Schedule)
	}
	var out []Spectrum
	const rounds = 24
	for _, sched := range list {
		one, err := SpectrumOf(sched, rounds)
		if err != nil {
			return nil, err
		}
		out = append(out, *one)
	}
	return out, nil
}

// TightnessLine is one guarantee divided by the exact value, round by round; nil where the exact value is 0 or the
// bound has passed the range of numbers.
type TightnessLine struct {
	Bound string     `json:"bound"`
	Ratio []*float64 `json:"bound_over_exact"`
}

// TightnessCurves compares the guarantees that apply to one schedule and problem.
type TightnessCurves struct {
	Schedule      string          `json:"schedule"`
	Problem       string          `json:"problem"`
	Step          float64         `json:"step"`
	Rounds        []int           `json:"rounds"`
	Lines         []TightnessLine `json:"lines"`
	NotApplicable []NotApplicable `json:"not_applicable"`
}

// Tightness divides every guarantee on the mse by the exact mse, on the first chosen schedule or else the best rotation
// under unicast.
func (s *Study) Tightness(ctx context.Context) (*TightnessCurves, error) {
	sched, err := s.firstSchedule(ctx)
	if err != nil {
		return nil, err
	}
	seq, err := mixing.New(sched)
	if err != nil {
		return nil, err
	}
	at := spread(300, 0, sched.Period())[1:] // whole periods: bounds and errors have phases of their own in between
	exact, err := gossip.Exact(ctx, s.o.Problem, seq, gossip.ExactOptions{Step: s.o.Evidence.Step, At: at, Jobs: s.o.Jobs})
	if err != nil {
		return nil, err
	}
	all, err := bounds.Evaluate(ctx, bounds.Setting{Problem: s.o.Problem, Sequence: seq, Step: s.o.Evidence.Step, At: at})
	if err != nil {
		return nil, err
	}
	out := &TightnessCurves{Schedule: sched.Name, Problem: s.o.ProblemName, Step: exact.Step, Rounds: at}
	for _, b := range all {
		if b.Kind != bounds.Guarantee || b.Quantity != "mse" {
			continue
		}
		if !b.Applicable {
			out.NotApplicable = append(out.NotApplicable, NotApplicable{sched.Name, s.o.ProblemName, b.ID, b.Reason})
			continue
		}
		line := TightnessLine{Bound: b.ID}
		for i, p := range b.Points {
			var ratio *float64
			if x := exact.Points[i].MSE; x > 0 && p.Value < math.MaxFloat64 {
				v := p.Value / x
				ratio = &v
			}
			line.Ratio = append(line.Ratio, ratio)
		}
		out.Lines = append(out.Lines, line)
	}
	return out, nil
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
