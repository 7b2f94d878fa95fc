package optimize

import (
	"context"
	"math/bits"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
)

// Deployment is the best choice of K routers to equip with multicast and aggregation.
type Deployment struct {
	K             int      `json:"k"`
	MulticastAt   []string `json:"multicast_at"`
	AggregationAt []string `json:"aggregation_at"`
	Staleness     float64  `json:"staleness_seconds"`       // of the best schedule with these routers
	AllReduce     float64  `json:"allreduce_seconds"`       // seconds of one clique of all islands
	Proven        bool     `json:"proven"`                  // no other K routers make one clique of all faster
	Bound         float64  `json:"allreduce_bound_seconds"` // with every router equipped: no deployment is faster
	Schedule      string   `json:"schedule"`                // cliques of the best schedule
}

// maxSubsets is the number of routers up to which all sets of them are tried.
const maxSubsets = 12

// Deploy finds, for every K up to kMax, which K routers to equip so that one clique of all islands is fastest: among all
// sets for up to 12 routers, otherwise greedily, one router after the other. The best schedule is then searched anew for
// each choice, completely up to nine islands.
func Deploy(ctx context.Context, t *network.Topology, price collective.Options, kMax int, o Options) ([]Deployment, error) {
	o.exhaustive = manyExhaustive
	jobs := o.Jobs
	if jobs == 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	n := len(t.Routers)
	kMax = min(kMax, n)
	all := [][]int{sequence(len(t.Islands))}
	cost := func(at []string) (float64, *collective.Pricer, error) {
		c, err := t.CapabilityAt(at, at)
		if err != nil {
			return 0, nil, err
		}
		p, err := collective.NewPricer(t, c, price)
		if err != nil {
			return 0, nil, err
		}
		seconds, err := p.PartitionSeconds(all)
		return seconds, p, err
	}
	var names []string
	for _, r := range t.Routers {
		names = append(names, r.ID)
	}
	bound, _, err := cost(names)
	if err != nil {
		return nil, err
	}
	choose := greedySets
	if n <= maxSubsets {
		choose = allSets
	}
	sets, err := choose(ctx, names, kMax, jobs, func(at []string) (float64, error) {
		v, _, err := cost(at)
		return v, err
	})
	if err != nil {
		return nil, err
	}
	var out []Deployment
	for k, at := range sets {
		seconds, p, err := cost(at)
		if err != nil {
			return nil, err
		}
		r, err := Search(ctx, t, p, o)
		if err != nil {
			return nil, err
		}
		out = append(out, Deployment{
			K: k, MulticastAt: append([]string{}, at...), AggregationAt: append([]string{}, at...), Staleness: r.Best.Staleness,
			AllReduce: seconds, Proven: n <= maxSubsets, Bound: bound, Schedule: r.Best.Schedule.CliqueText(),
		})
	}
	return out, nil
}

// allSets returns the best set of each size from 0 to kMax among all of them; the first in order of its bits wins a tie.
func allSets(ctx context.Context, names []string, kMax, jobs int, cost func([]string) (float64, error)) ([][]string, error) {
	total := 1 << len(names)
	costs := make([]float64, total)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(jobs)
	for w := range jobs {
		g.Go(func() error {
			for set := w; set < total; set += jobs {
				if bits.OnesCount(uint(set)) > kMax {
					continue
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				v, err := cost(members(names, set))
				if err != nil {
					return err
				}
				costs[set] = v
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	best := make([]int, kMax+1)
	for k := range best {
		best[k] = -1
	}
	for set := range total {
		if k := bits.OnesCount(uint(set)); k <= kMax && (best[k] < 0 || costs[set] < costs[best[k]]) {
			best[k] = set
		}
	}
	out := make([][]string, kMax+1)
	for k, set := range best {
		out[k] = members(names, set)
	}
	return out, nil
}

func members(names []string, set int) []string {
	var out []string
	for i, name := range names {
		if set>>i&1 == 1 {
			out = append(out, name)
		}
	}
	return out
}

// greedySets adds the router that helps most, again and again.
func greedySets(ctx context.Context, names []string, kMax, jobs int, cost func([]string) (float64, error)) ([][]string, error) {
	out := [][]string{nil}
	for len(out) <= kMax {
		last := out[len(out)-1]
		costs := make([]float64, len(names))
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(jobs)
		for i, name := range names {
			g.Go(func() error {
				if err := ctx.Err(); err != nil {
					return err
				}
				v, err := cost(append(append([]string{}, last...), name))
				costs[i] = v
				return err
			})
		}
		if err := g.Wait(); err != nil {
			return nil, err
		}
		best := -1
		for i, name := range names {
			taken := false
			for _, l := range last {
				taken = taken || l == name
			}
			if !taken && (best < 0 || costs[i] < costs[best]) {
				best = i
			}
		}
		out = append(out, append(append([]string{}, last...), names[best]))
	}
	return out, nil
}
