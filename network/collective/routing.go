package collective

import (
	"fmt"
	"math"

	"github.com/islandsgd/islands/internal/text"
)

// How collectives find their routes.
const (
	// RoutingShortest sends everything along the lowest-latency routes, as the protocols of real networks do.
	RoutingShortest = "shortest"
	// RoutingOptimal lets the trees of hub and sharded take any routes, and several at once, so that the busiest arc is
	// as little busy as possible. best then also considers these, for all cliques of a round alike. Packed always
	// chooses its own routes.
	RoutingOptimal = "optimal"
)

// checkRouting refuses what has no free routes.
func (o *Options) checkRouting() error {
	switch o.Routing {
	case "", RoutingShortest:
		return nil
	case RoutingOptimal:
		if o.Collective == Exchange || o.Collective == Ring || o.Collective == ShardedOptimal {
			return fmt.Errorf("collective %q keeps to the lowest-latency routes: use routing %s, or %s, %s, %s or %s",
				o.Collective, RoutingShortest, Best, Hub, Sharded, Packed)
		}
		return nil
	}
	return fmt.Errorf("unknown routing %q%s", o.Routing, text.DidYouMean(o.Routing, []string{RoutingShortest, RoutingOptimal}))
}

// usesProgram reports whether a linear program shares payloads out.
func (p *Pricer) usesProgram() bool {
	return p.options.Collective == Packed || p.options.Collective == ShardedOptimal || p.options.Routing == RoutingOptimal
}

// program returns the fastest plan that linear programming finds for the round's collective, or nil where the plan
// on the lowest-latency routes is as fast.
func (p *Pricer) program(s *scratch, sorted [][]int) (*packedPlan, error) {
	name := p.options.Collective
	if name == Packed || name == ShardedOptimal {
		return p.packAs(s, sorted, name, nil)
	}
	choice, _, err := p.plan(s, sorted)
	if err != nil || len(choice) == 0 {
		return nil, err
	}
	busy, latency := p.measure(choice, s.total)
	least := busy + latency
	var best *packedPlan
	keep := func(plan *packedPlan, err error) error {
		if err != nil {
			return err
		}
		if t := p.seconds(&plan.candidate); t < least*(1-packedGap) {
			best, least = plan, t
		}
		return nil
	}
	if name != Sharded {
		if err := keep(p.freeHub(s, sorted)); err != nil {
			return nil, err
		}
	}
	if name != Hub {
		if err := keep(p.packAs(s, sorted, Sharded, nil)); err != nil {
			return nil, err
		}
	}
	return best, nil
}

// freeHub finds the best root of each clique as if it had the network for itself, then shares the routes out jointly.
func (p *Pricer) freeHub(s *scratch, sorted [][]int) (*packedPlan, error) {
	roots := make([]int, len(sorted))
	for q, members := range sorted {
		one := p.newPacking([][]int{members})
		one.findTrees()
		least := math.Inf(1)
		for _, root := range one.roots(0) {
			plan, err := p.packAs(s, [][]int{members}, Hub, []int{root.at})
			if err != nil {
				return nil, err
			}
			if t := p.seconds(&plan.candidate); t < least*(1-packedGap) {
				roots[q], least = root.at, t
			}
		}
	}
	return p.packAs(s, sorted, Hub, roots)
}
