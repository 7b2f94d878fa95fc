// Package optimize finds the schedule that suits a network.
//
// The search space is all periodic sequences of rounds, each round a partition of the islands into cliques. For nine
// islands there are 21,147 partitions and 224 million pairs of them. What is minimized is the staleness: how old, on
// average, the agreement between the islands is, in seconds. It needs no tuning and weighs a cheap round that averages
// little against a dear one that averages all.
//
// Schedules of one and two rounds are searched completely. Averaging in cliques is a projection, two projections
// decompose into planes, and so the staleness of a pair is a closed form in the angles between its rounds (pair.go). It
// is bounded from below by the two times and clique counts alone, and better by the sum of the squared cosines; a pair
// is skipped only when such a bound exceeds the incumbent, so the result is proven. Longer schedules are searched by a
// beam and local exchanges, which prove nothing; the certificate says which is which.
package optimize

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/schedule"
)

// Options of Search. The zero value works.
type Options struct {
	PeriodMax int // most rounds of a schedule; default (0): 4
	RunnersUp int // schedules listed after the best; default (0): 5
	Jobs      int // workers; default (0): all cores. The result does not depend on it
}

// Found is one schedule with its price.
type Found struct {
	Form      schedule.Form       `json:"schedule"`
	Staleness float64             `json:"staleness_seconds"`
	Period    float64             `json:"period_seconds"`
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
	// LowerBound is a staleness, in seconds, that no schedule in ProvenFor can undercut; Gap is how far the best of
	// them is above it, relative to it.
	LowerBound float64 `json:"lower_bound"`
	Gap        float64 `json:"gap"`
	Searched   int     `json:"searched"` // schedules whose staleness was computed
	ProvenFor  string  `json:"proven_for"`
	Count
}

// Result of a search.
type Result struct {
	Best      Found   `json:"best"`
	RunnersUp []Found `json:"runners_up"`
	// Rotation is the best schedule found that has two rounds or more, where Best has only one.
	Rotation    *Found      `json:"rotation"`
	AllReduce   Found       `json:"allreduce"`
	Certificate Certificate `json:"certificate"`
}

// Search returns the least stale schedules of cliques on a network. The pricer decides what a round costs.
func Search(ctx context.Context, t *network.Topology, p *collective.Pricer, o Options) (*Result, error) {
	n := len(t.Islands)
	if n < 2 || n > maxExhaustive {
		return nil, fmt.Errorf("the search enumerates all partitions and takes 2 to %d islands; %s has %d", maxExhaustive, t.Name, n)
	}
	if o.PeriodMax == 0 {
		o.PeriodMax = 4
	}
	if o.RunnersUp == 0 {
		o.RunnersUp = 5
	}
	if o.Jobs == 0 {
		o.Jobs = runtime.GOMAXPROCS(0)
	}
	s, err := newSpace(ctx, n, o.Jobs, p.PartitionSeconds)
	if err != nil {
		return nil, err
	}
	lead := newLeaders(max(beamWidth, o.RunnersUp+1), math.Inf(1))
	var count Count
	if o.PeriodMax >= 2 {
		count, err = s.pairs(ctx, o.Jobs, lead)
	} else {
		count = s.singles(lead)
	}
	if err != nil {
		return nil, err
	}
	if len(lead.best) == 0 {
		return nil, fmt.Errorf("%s: no schedule takes a positive time and connects all islands", t.Name)
	}
	cert := Certificate{
		Method: "complete enumeration of partitions and pairs with pruning", LowerBound: lead.best[0].staleness,
		Searched: count.Partitions + count.Evaluated, ProvenFor: fmt.Sprintf("period<=%d", min(o.PeriodMax, 2)), Count: count,
	}
	if o.PeriodMax > 2 {
		evaluated, err := s.longer(ctx, o.PeriodMax, o.Jobs, lead)
		if err != nil {
			return nil, err
		}
		cert.Method += ", beam search with exchanges beyond"
		cert.Searched += evaluated
	}
	return s.result(t, p, lead, cert, o)
}

// singles offers the schedules of one round.
func (s *space) singles(lead *leaders) Count {
	for i, p := range s.parts {
		lead.offer(candidate{[]int{i}, single(p, s.seconds[i])})
	}
	return Count{Partitions: len(s.parts)}
}

func (s *space) result(t *network.Topology, p *collective.Pricer, lead *leaders, cert Certificate, o Options) (*Result, error) {
	r := &Result{Certificate: cert, RunnersUp: []Found{}}
	all, err := s.found(t, p, candidate{[]int{0}, single(s.parts[0], s.seconds[0])}, "all-reduce")
	if err != nil {
		return nil, err
	}
	r.AllReduce = all
	for k, c := range lead.best {
		isRotation := len(c.rounds) > 1 && r.Rotation == nil && len(lead.best[0].rounds) == 1
		if k > o.RunnersUp && !isRotation {
			continue
		}
		f, err := s.found(t, p, c, fmt.Sprintf("%s, rank %d", t.Name, k+1))
		if err != nil {
			return nil, err
		}
		switch {
		case k == 0:
			r.Best = f
		case k <= o.RunnersUp:
			r.RunnersUp = append(r.RunnersUp, f)
		}
		if isRotation {
			r.Rotation = &f
		}
	}
	return r, nil
}

// found turns a candidate into a schedule with names and explained prices.
func (s *space) found(t *network.Topology, p *collective.Pricer, c candidate, name string) (Found, error) {
	sched := &schedule.Schedule{Name: name, N: s.n, Nodes: t.IslandNames()}
	f := Found{Staleness: c.staleness, Schedule: sched}
	for _, i := range c.rounds {
		sched.Rounds = append(sched.Rounds, schedule.Round{LocalSteps: 1, Cliques: s.parts[i].cliques()})
	}
	for i := range sched.Rounds {
		price, err := p.Round(&sched.Rounds[i])
		if err != nil {
			return Found{}, err
		}
		f.Rounds = append(f.Rounds, price)
		f.Period += price.Seconds
	}
	f.Form = sched.Form()
	return f, nil
}
