package optimize

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
)

// The search beyond ten islands. It begins with schedules that suit networks in general and improves the best of them by
// local moves; nothing is proven. All randomness comes from one fixed seed.
//
// The beginnings: all islands in one clique; for several numbers of clusters, cliques of islands that are close in the
// network, alone and followed by cliques that take one island of every cluster, or by one clique of all.
//
// The moves: an island changes its clique, two islands swap theirs, two cliques join, a clique falls in two, a round is
// dropped or doubled.

const (
	largeSeed = 1
	// moveBudget is how many moves are tried in all, divided by the number of islands: pricing a round of many islands
	// takes long.
	moveBudget = 60_000
	leastMoves = 120
)

// largeSearch is a search at work.
type largeSearch struct {
	n       int
	longest int // period
	price   func([][]int) (float64, error)
	compute float64 // seconds before every round
	value   objective
	solver  *mixing.StalenessSolver
	known   map[string]float64 // seconds of rounds
	tried   int
}

// draft is a schedule in the making.
type draft struct {
	rounds  [][][]int
	seconds []float64
	value   float64
}

func searchLarge(ctx context.Context, t *network.Topology, p *collective.Pricer, value objective, o Options) (*Result, error) {
	n := len(t.Islands)
	longest := max(2, o.PeriodMax)
	s := &largeSearch{n: n, longest: longest, price: p.Quick().PartitionSeconds, compute: o.Compute, value: value,
		solver: mixing.NewStalenessSolver(n, longest), known: map[string]float64{}}
	var pool []draft
	enter := func(rounds ...[][]int) error {
		if len(rounds) > o.PeriodMax {
			return nil
		}
		d, err := s.evaluate(rounds)
		if err == nil && !math.IsInf(d.value, 1) {
			pool = append(pool, d)
		}
		return err
	}
	all := [][]int{sequence(n)}
	if err := enter(all); err != nil {
		return nil, err
	}
	distance := distances(p.Graph())
	for _, k := range clusterCounts(n) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		clusters := cluster(distance, k)
		if err := cmp.Or(enter(clusters, all), enter(clusters, across(clusters, distance))); err != nil {
			return nil, err
		}
	}
	if len(pool) == 0 {
		return nil, fmt.Errorf("%s: no schedule takes a positive time and connects all islands", t.Name)
	}
	slices.SortStableFunc(pool, func(a, b draft) int { return cmp.Compare(a.value, b.value) })
	moves := max(leastMoves, moveBudget/n)
	starts := min(3, len(pool))
	better, err := s.each(ctx, o.Jobs, pool[:starts], func(s *largeSearch, i int, d draft) (draft, error) {
		return s.improve(ctx, d, moves/starts, o.PeriodMax, rand.New(rand.NewPCG(largeSeed, uint64(i))))
	})
	if err != nil {
		return nil, err
	}
	if pool, err = s.reprice(ctx, o.Jobs, poolSize(o), append(pool, better...), p); err != nil {
		return nil, err
	}
	var plans []plan
	for _, d := range pool {
		rounds := once(d.rounds)
		if !slices.ContainsFunc(plans, func(q plan) bool { return key(q.rounds...) == key(rounds...) }) {
			plans = append(plans, plan{rounds, d.value})
		}
	}
	first, err := s.evaluate([][][]int{all})
	if err != nil {
		return nil, err
	}
	cert := Certificate{Method: "clusters of close islands and rotations across them, improved by local moves", Searched: s.tried, ProvenFor: "nothing"}
	r, err := assemble(ctx, t, p, plans, plan{first.rounds, first.value}, cert, o)
	if err != nil {
		return nil, err
	}
	if _, fresh := value.(staleness); fresh && o.Pareto {
		r.Pareto = s.front(t, pool)
	}
	return r, nil
}

// front lists the drafts that no other draft dominates.
func (s *largeSearch) front(t *network.Topology, pool []draft) []ParetoPoint {
	var f front
	for _, d := range pool {
		labels, period := make([][]uint16, len(d.rounds)), 0.0
		for r, cliques := range d.rounds {
			labels[r] = mixing.Labels(s.n, cliques)
			period += d.seconds[r]
		}
		f.add(ParetoPoint{Period: period, Staleness: d.value, Contraction: radius(s.n, labels), Cliques: toSchedule(t, d.rounds, "").CliqueText()})
	}
	return f.points
}

// reprice values so many of the best drafts by exact prices and sorts them; the search itself went by quick ones.
func (s *largeSearch) reprice(ctx context.Context, jobs, keep int, pool []draft, p *collective.Pricer) ([]draft, error) {
	byValue := func(a, b draft) int {
		return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(len(a.rounds), len(b.rounds)))
	}
	slices.SortStableFunc(pool, byValue)
	pool = pool[:min(len(pool), keep)]
	s.price, s.known = p.PartitionSeconds, map[string]float64{}
	pool, err := s.each(ctx, jobs, pool, func(s *largeSearch, _ int, d draft) (draft, error) { return s.evaluate(d.rounds) })
	slices.SortStableFunc(pool, byValue)
	return pool, err
}

// each does something with every draft, several at a time. What comes of a draft depends on it alone.
func (s *largeSearch) each(ctx context.Context, jobs int, drafts []draft, do func(s *largeSearch, i int, d draft) (draft, error)) ([]draft, error) {
	out, tried := make([]draft, len(drafts)), make([]int, len(drafts))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, jobs))
	for i, d := range drafts {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			own := *s
			own.solver, own.known, own.tried = mixing.NewStalenessSolver(s.n, s.longest), maps.Clone(s.known), 0
			var err error
			out[i], err = do(&own, i, d)
			tried[i] = own.tried
			return err
		})
	}
	err := g.Wait()
	for _, k := range tried {
		s.tried += k
	}
	return out, err
}

// evaluate prices and values a schedule.
func (s *largeSearch) evaluate(rounds [][][]int) (draft, error) {
	d := draft{rounds: rounds}
	labels := make([][]uint16, len(rounds))
	for r, cliques := range rounds {
		k := key(cliques)
		seconds, ok := s.known[k]
		if !ok {
			var err error
			if seconds, err = s.price(cliques); err != nil {
				return d, err
			}
			seconds += s.compute
			s.known[k] = seconds
		}
		d.seconds = append(d.seconds, seconds)
		labels[r] = mixing.Labels(s.n, cliques)
	}
	s.tried++
	d.value = s.value.longer(s.n, s.solver, labels, d.seconds)
	return d, nil
}

// improve tries random moves and keeps those that help.
func (s *largeSearch) improve(ctx context.Context, d draft, moves, periodMax int, rng *rand.Rand) (draft, error) {
	for range moves {
		if err := ctx.Err(); err != nil {
			return d, err
		}
		rounds := move(d.rounds, periodMax, rng)
		if rounds == nil {
			continue
		}
		next, err := s.evaluate(rounds)
		if err != nil {
			return d, err
		}
		if next.value < d.value {
			d = next
		}
	}
	return d, nil
}

// move returns a changed copy of a schedule, or nil when the move drawn does not apply.
func move(rounds [][][]int, periodMax int, rng *rand.Rand) [][][]int {
	out := make([][][]int, len(rounds))
	for r, cliques := range rounds {
		out[r] = make([][]int, len(cliques))
		for k, c := range cliques {
			out[r][k] = slices.Clone(c)
		}
	}
	r := rng.IntN(len(out))
	cliques := out[r]
	a := rng.IntN(len(cliques))
	b := rng.IntN(len(cliques))
	i, j := rng.IntN(len(cliques[a])), rng.IntN(len(cliques[b]))
	switch rng.IntN(10) {
	case 0, 1, 2: // an island changes its clique
		if a == b {
			return nil
		}
		cliques[b] = append(cliques[b], cliques[a][i])
		cliques[a] = slices.Delete(cliques[a], i, i+1)
	case 3, 4, 5: // two islands swap theirs
		if a == b {
			return nil
		}
		cliques[a][i], cliques[b][j] = cliques[b][j], cliques[a][i]
	case 6: // two cliques join
		if a == b {
			return nil
		}
		cliques[a] = append(cliques[a], cliques[b]...)
		cliques[b] = nil
	case 7: // a clique falls in two
		if len(cliques[a]) < 2 {
			return nil
		}
		rng.Shuffle(len(cliques[a]), func(x, y int) { cliques[a][x], cliques[a][y] = cliques[a][y], cliques[a][x] })
		half := len(cliques[a]) / 2
		cliques = append(cliques, slices.Clone(cliques[a][half:]))
		cliques[a] = cliques[a][:half]
	case 8: // a round is dropped
		if len(out) < 2 {
			return nil
		}
		return slices.Delete(out, r, r+1)
	case 9: // a round is doubled, to be changed by later moves; alone that changes nothing but where the pair stands
		if len(out) >= periodMax {
			return nil
		}
		return slices.Insert(out, rng.IntN(len(out)+1), cliques)
	}
	cliques = slices.DeleteFunc(cliques, func(c []int) bool { return len(c) == 0 })
	for _, c := range cliques {
		slices.Sort(c)
	}
	slices.SortFunc(cliques, func(x, y []int) int { return cmp.Compare(x[0], y[0]) })
	out[r] = cliques
	return out
}

// once returns the rounds without the repetition of a shorter schedule: that is the shorter schedule.
func once(rounds [][][]int) [][][]int {
	for period := 1; period < len(rounds); period++ {
		repeats := len(rounds)%period == 0
		for r := period; r < len(rounds) && repeats; r++ {
			repeats = key(rounds[r]) == key(rounds[r-period])
		}
		if repeats {
			return rounds[:period]
		}
	}
	return rounds
}

// key identifies rounds by their cliques.
func key(rounds ...[][]int) string { return fmt.Sprint(rounds) }

func sequence(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
