// Package optimize finds the schedule that suits a network.
//
// The search space is all periodic sequences of rounds, each round a partition of the islands into cliques. For nine
// islands there are 21,147 partitions and 224 million pairs of them. What is minimized is, unless asked otherwise, the
// staleness: how old, on average, the agreement between the islands is, in seconds. It needs no tuning and weighs a cheap
// round that averages little against a dear one that averages all.
//
// Schedules of one and two rounds are searched completely. Averaging in cliques is a projection, two projections
// decompose into planes, and so the staleness of a pair is a closed form in the angles between its rounds (pair.go). It
// is bounded from below by the two times and clique counts alone, and better by the sum of the squared cosines; a pair
// is skipped only when such a bound excludes it, so the result is proven. Longer schedules are searched by a beam and
// local exchanges, which prove nothing; the certificate says which is which. Beyond ten islands the partitions are too
// many, and all of the search is local (large.go).
package optimize

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/schedule"
)

// Options of Search. The zero value works.
type Options struct {
	Objective string // one of Objectives; default: staleness
	PeriodMax int    // most rounds of a schedule; default (0): 4
	RunnersUp int    // schedules listed after the best; default (0): 5
	Pareto    bool   // also collect the Pareto front of schedules of one and two rounds (objective staleness)
	Jobs      int    // workers; default (0): all cores. The result does not depend on it

	// Compute is the seconds of computation before every round: a round lasts them and its communication.
	Compute float64

	exhaustive int // islands up to which the search is complete; default (0): maxExhaustive

	// Rank, if set, values the best schedules of the search anew: less is better, +Inf is useless. It is called for many
	// times more schedules than are listed. The objective time-to-target needs it.
	Rank func(ctx context.Context, s *schedule.Schedule, seconds []float64) (float64, error)
}

// Found is one schedule with its price.
type Found struct {
	Form      schedule.Form       `json:"schedule"`
	Value     float64             `json:"objective"` // what the search minimizes, in seconds
	Staleness float64             `json:"staleness_seconds"`
	Period    float64             `json:"period_seconds"` // computation included
	Rounds    []*collective.Price `json:"rounds"`

	Schedule *schedule.Schedule `json:"-"`
}

// Seconds lists the communication seconds of the rounds.
func (f *Found) Seconds() []float64 {
	out := make([]float64, len(f.Rounds))
	for i, r := range f.Rounds {
		out[i] = r.Seconds
	}
	return out
}

// Certificate says how the best schedule was found and what is proven about it.
type Certificate struct {
	Method string `json:"method"`
	// LowerBound is a value of the objective that no schedule in ProvenFor can undercut; Gap is how far the best of them
	// is above it, relative to it. Both are 0 where nothing is proven.
	LowerBound float64 `json:"lower_bound"`
	Gap        float64 `json:"gap"`
	Searched   int     `json:"searched"` // schedules that were evaluated
	ProvenFor  string  `json:"proven_for"`
	Count
}

// Result of a search.
type Result struct {
	Best      Found   `json:"best"`
	RunnersUp []Found `json:"runners_up"`
	// Rotation is the best schedule found that has two rounds or more, where Best has only one.
	Rotation    *Found        `json:"rotation"`
	AllReduce   Found         `json:"allreduce"`
	Certificate Certificate   `json:"certificate"`
	Pareto      []ParetoPoint `json:"pareto"`
}

// Search returns the best schedules of cliques on a network. The pricer decides what a round costs.
func Search(ctx context.Context, t *network.Topology, p *collective.Pricer, o Options) (*Result, error) {
	value, err := o.prepare(t)
	if err != nil {
		return nil, err
	}
	if len(t.Islands) > o.exhaustive {
		return searchLarge(ctx, t, p, value, o)
	}
	spaces, err := newSpaces(ctx, len(t.Islands), o.Jobs, value, 1, func(cliques [][]int, out []float64) error {
		seconds, err := p.PartitionSeconds(cliques)
		out[0] = seconds
		return err
	})
	if err != nil {
		return nil, err
	}
	return spaces[0].after(o.Compute).search(ctx, t, p, o)
}

// Sweep is Search at several payloads in bytes, positive and ascending, and for each at several values of
// Options.Compute. It takes less than as many searches: up to nine islands every partition is priced once for all
// payloads (collective.Sweep), and beyond the searches are local. The results are by payload, then by compute.
func Sweep(ctx context.Context, t *network.Topology, p *collective.Pricer, payloads, compute []float64, o Options) ([][]*Result, error) {
	o.exhaustive = manyExhaustive
	value, err := o.prepare(t)
	if err != nil {
		return nil, err
	}
	w, err := p.NewSweep(payloads)
	if err != nil {
		return nil, err
	}
	var spaces []*space
	if len(t.Islands) <= o.exhaustive {
		if spaces, err = newSpaces(ctx, len(t.Islands), o.Jobs, value, len(payloads), w.PartitionSeconds); err != nil {
			return nil, err
		}
	}
	results := make([][]*Result, len(payloads))
	for k, at := range w.Pricers {
		for _, c := range compute {
			var r *Result
			o.Compute = c
			if spaces != nil {
				r, err = spaces[k].after(c).search(ctx, t, at, o)
			} else {
				r, err = searchLarge(ctx, t, at, value, o)
			}
			if err != nil {
				return nil, err
			}
			results[k] = append(results[k], r)
		}
	}
	return results, nil
}

// prepare checks the options and fills in what they leave open.
func (o *Options) prepare(t *network.Topology) (objective, error) {
	if n := len(t.Islands); n < 2 {
		return nil, fmt.Errorf("%s has %d islands: a search needs two", t.Name, n)
	}
	value, err := newObjective(o.Objective)
	if err != nil {
		return nil, err
	}
	if o.Objective == TimeToTarget && o.Rank == nil {
		return nil, fmt.Errorf("the objective %s needs a problem to train on", TimeToTarget)
	}
	if !(o.Compute >= 0) || math.IsInf(o.Compute, 1) {
		return nil, fmt.Errorf("%g seconds of computation before a round: want 0 or more", o.Compute)
	}
	o.PeriodMax = cmp.Or(o.PeriodMax, 4)
	o.RunnersUp = cmp.Or(o.RunnersUp, 5)
	o.Jobs = cmp.Or(o.Jobs, runtime.GOMAXPROCS(0))
	o.exhaustive = cmp.Or(o.exhaustive, maxExhaustive)
	return value, nil
}

// search looks through the space whose partitions are priced.
func (s *space) search(ctx context.Context, t *network.Topology, p *collective.Pricer, o Options) (*Result, error) {
	out := &outcome{leaders: newLeaders(poolSize(o), math.Inf(1))}
	if _, fresh := s.value.(staleness); o.Pareto && fresh {
		out.front = &front{}
	}
	cert := Certificate{Method: "complete enumeration of partitions and pairs with pruning", ProvenFor: fmt.Sprintf("period<=%d", min(o.PeriodMax, 2))}
	if o.PeriodMax < 2 {
		s.singles(out)
	} else if err := s.pairs(ctx, o.Jobs, out); err != nil {
		return nil, err
	}
	cert.Count, cert.Searched = out.count, out.count.Partitions+out.count.Evaluated
	if len(out.leaders.best) == 0 {
		return nil, fmt.Errorf("%s: no schedule takes a positive time and connects all islands", t.Name)
	}
	cert.LowerBound = out.leaders.best[0].value
	if o.PeriodMax > 2 {
		evaluated, err := s.longer(ctx, o.PeriodMax, o.Jobs, out.leaders)
		if err != nil {
			return nil, err
		}
		cert.Method += ", beam search with exchanges beyond"
		cert.Searched += evaluated
	}
	found := make([]plan, 0, len(out.leaders.best))
	for _, c := range out.leaders.best {
		found = append(found, s.plan(c))
	}
	r, err := assemble(ctx, t, p, found, s.plan(candidate{[]int{0}, s.value.single(s.n, s.parts[0], s.seconds[0])}), cert, o)
	if err != nil {
		return nil, err
	}
	r.Pareto = s.pareto(t, out.front)
	return r, nil
}

// poolSize is how many candidates are kept: more than are listed where they are ranked anew or made longer.
func poolSize(o Options) int {
	switch {
	case o.Rank != nil:
		return max(48, o.RunnersUp+1)
	case o.PeriodMax > 2:
		return max(beamWidth, o.RunnersUp+1)
	}
	return o.RunnersUp + 1
}

// plan is a schedule found: its cliques, round by round, and its value under the objective.
type plan struct {
	rounds [][][]int
	value  float64
}

func (s *space) plan(c candidate) plan {
	p := plan{value: c.value}
	for _, i := range c.rounds {
		p.rounds = append(p.rounds, s.parts[i].cliques())
	}
	return p
}

// pareto names the schedules on the front.
func (s *space) pareto(t *network.Topology, f *front) []ParetoPoint {
	out := []ParetoPoint{}
	if f == nil {
		return out
	}
	for _, p := range f.points {
		sched := toSchedule(t, s.plan(candidate{rounds: p.rounds}).rounds, "")
		p.Cliques = sched.CliqueText()
		out = append(out, p)
	}
	return out
}

func toSchedule(t *network.Topology, rounds [][][]int, name string) *schedule.Schedule {
	s := &schedule.Schedule{Name: name, N: len(t.Islands), Nodes: t.IslandNames()}
	for _, cliques := range rounds {
		s.Rounds = append(s.Rounds, schedule.Round{LocalSteps: 1, Cliques: cliques})
	}
	return s
}

// assemble prices and names the plans, ranks them anew where that is asked for, and picks what is listed.
func assemble(ctx context.Context, t *network.Topology, p *collective.Pricer, plans []plan, all plan, cert Certificate, o Options) (*Result, error) {
	r := &Result{Certificate: cert, RunnersUp: []Found{}, Pareto: []ParetoPoint{}}
	var err error
	if r.AllReduce, err = found(t, p, all, "all-reduce", o.Compute); err != nil {
		return nil, err
	}
	if o.Rank == nil {
		plans = listed(plans, o.RunnersUp)
	}
	list := make([]Found, 0, len(plans))
	for _, c := range plans {
		f, err := found(t, p, c, "", o.Compute)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	if o.Rank != nil {
		if list, err = rankAnew(ctx, append(list, r.AllReduce), o); err != nil {
			return nil, err
		}
		for _, f := range list {
			if f.Schedule.Period() == 1 {
				r.AllReduce.Value = f.Value
			}
		}
		r.Certificate.Method += ", the best ranked anew"
		r.Certificate.ProvenFor, r.Certificate.LowerBound = "nothing", 0
	}
	for k := range list {
		f := &list[k]
		f.Schedule.Name = fmt.Sprintf("%s, rank %d", t.Name, k+1)
		f.Form = f.Schedule.Form()
		if k > 0 && k <= o.RunnersUp {
			r.RunnersUp = append(r.RunnersUp, *f)
		}
		if r.Rotation == nil && k > 0 && f.Schedule.Period() > 1 && list[0].Schedule.Period() == 1 {
			r.Rotation = f
		}
	}
	r.Best = list[0]
	return r, nil
}

// listed leaves out the plans that nobody sees: beyond the runners-up, all but the best rotation.
func listed(plans []plan, runnersUp int) []plan {
	rotates := func(p plan) bool { return len(p.rounds) > 1 }
	shown := min(len(plans), runnersUp+1)
	out := slices.Clone(plans[:shown])
	if rest := slices.IndexFunc(plans[shown:], rotates); rest >= 0 && !slices.ContainsFunc(out, rotates) {
		out = append(out, plans[shown+rest])
	}
	return out
}

func rankAnew(ctx context.Context, list []Found, o Options) ([]Found, error) {
	for i := range list {
		v, err := o.Rank(ctx, list[i].Schedule, list[i].Seconds())
		if err != nil {
			return nil, err
		}
		list[i].Value = v
	}
	list = slices.DeleteFunc(list, func(f Found) bool { return math.IsInf(f.Value, 1) || math.IsNaN(f.Value) })
	if len(list) == 0 {
		return nil, errors.New("none of the schedules is of any use: all of them are valued infinite")
	}
	slices.SortStableFunc(list, func(a, b Found) int { return cmp.Compare(a.Value, b.Value) })
	return slices.CompactFunc(list, func(a, b Found) bool { return a.Schedule.Fingerprint() == b.Schedule.Fingerprint() }), nil
}

// found turns a plan into a schedule with names, explained prices and its staleness.
func found(t *network.Topology, p *collective.Pricer, c plan, name string, compute float64) (Found, error) {
	f := Found{Value: c.value, Schedule: toSchedule(t, c.rounds, name)}
	for i := range f.Schedule.Rounds {
		price, err := p.Round(&f.Schedule.Rounds[i])
		if err != nil {
			return Found{}, err
		}
		f.Rounds = append(f.Rounds, price)
		f.Period += compute + price.Seconds
	}
	seq, err := mixing.New(f.Schedule)
	if err != nil {
		return Found{}, err
	}
	lengths := f.Seconds()
	for i := range lengths {
		lengths[i] += compute
	}
	f.Staleness, _ = mixing.Staleness(seq, lengths)
	f.Form = f.Schedule.Form()
	return f, nil
}
