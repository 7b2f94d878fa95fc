package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/islandsgd/islands/internal/text"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/optimize"
	"github.com/islandsgd/islands/schedule"
	"github.com/islandsgd/islands/study"
)

// optimizeFlags are what optimize takes beside the network.
type optimizeFlags struct {
	networkFlags
	trainFlags
	objective    string
	periodMax    int
	atMostCities int
	robust       bool
}

// mostDisturbances is the number of links and islands up to which the best schedule is re-priced without each of them:
// on larger networks that would take longer than the search.
const mostDisturbances = 60

func optimizeCommand() *cli.Command {
	f := &optimizeFlags{networkFlags: networkFlags{defaultTopology: "nine-city", defaultLevel: "unicast"}}
	flags := append(f.networkFlags.flags(), f.trainFlags.flags()...)
	flags = append(flags,
		&cli.StringFlag{Name: "objective", Value: optimize.Staleness, Usage: strings.Join(optimize.Objectives(), ", "), Destination: &f.objective, Category: "search"},
		&cli.IntFlag{Name: "period-max", Value: 4, Usage: "most rounds of a schedule", Destination: &f.periodMax, Category: "search"},
		&cli.IntFlag{Name: "at-most-cities", Usage: "also find the best routers to equip with multicast and aggregation, up to this many", Destination: &f.atMostCities, Category: "search"},
		&cli.BoolFlag{Name: "robust", Usage: "rank schedules by their worst staleness with links slower, one link gone, or one island's access halved", Destination: &f.robust, Category: "search"},
	)
	return command("optimize", "find the schedule of cliques that suits a network", "", `Searches all partitions of the islands into cliques, and sequences of them. Schedules of one and two rounds are searched
completely for up to ten islands; the certificate says what is proven. Objectives: staleness (seconds that agreement is
old, on average), contraction (seconds per e-fold of disagreement), exchange (seconds per pair of islands that meets),
time-to-target (seconds of SGD to its target, with the best step size and number of local steps).

  analyze optimize
  analyze optimize --capability both --payload 4GB
  analyze optimize --access 100Gbps --period-max 2 --json
  analyze optimize --at-most-cities 3
  analyze optimize --topology abilene --robust`, 0, flags, func(s *session) error { return f.run(s) })
}

func (f *optimizeFlags) run(s *session) error {
	if f.periodMax < 1 || f.periodMax > 8 {
		return inputf("--period-max %d: 1 to 8 rounds can be searched", f.periodMax)
	}
	if f.atMostCities < 0 {
		return inputf("--at-most-cities %d is negative", f.atMostCities)
	}
	known := false
	for _, o := range optimize.Objectives() {
		known = known || o == f.objective
	}
	if !known {
		return inputf("--objective: unknown objective %q%s", f.objective, text.DidYouMean(f.objective, optimize.Objectives()))
	}
	t, err := f.networkFlags.load(s)
	if err != nil {
		return err
	}
	price, err := f.networkFlags.options()
	if err != nil {
		return err
	}
	level, err := f.only(t)
	if err != nil {
		return err
	}
	p, err := collective.NewPricer(t, level.Capability, price)
	if err != nil {
		return input(err)
	}
	o := optimize.Options{Objective: f.objective, PeriodMax: f.periodMax, Pareto: true, Jobs: s.jobs}
	if o.Rank, err = f.rank(t, level, price); err != nil {
		return err
	}
	r, err := optimize.Search(s.ctx, t, p, o)
	if err != nil {
		return s.inputUnlessStopped(err)
	}
	var deployment []optimize.Deployment
	if f.atMostCities > 0 {
		deployment, err = optimize.Deploy(s.ctx, t, price, f.atMostCities, optimize.Options{PeriodMax: min(f.periodMax, 2), Jobs: s.jobs})
		if err != nil {
			return s.inputUnlessStopped(err)
		}
	}
	var robustness []study.Repriced
	if len(t.Links)+len(t.Islands) <= mostDisturbances {
		if robustness, err = study.Robustness(s.ctx, t, level, r.Best.Schedule, price); err != nil {
			return s.inputUnlessStopped(err)
		}
	}
	if s.json {
		return s.printJSON(struct {
			Capability string `json:"capability"`
			Objective  string `json:"objective"`
			*optimize.Result
			Deployment []optimize.Deployment `json:"deployment"`
			Robustness []study.Repriced      `json:"robustness"`
		}{level.Name, f.objective, r, deployment, robustness})
	}
	f.print(s, t, level, r, deployment, robustness)
	return nil
}

// rank returns the function by which the search ranks schedules anew, if any.
func (f *optimizeFlags) rank(t *network.Topology, level study.Level, price collective.Options) (func(context.Context, *schedule.Schedule, []float64) (float64, error), error) {
	switch {
	case f.objective == optimize.TimeToTarget && f.robust:
		return nil, inputf("--robust ranks by staleness; it does not go with --objective %s", f.objective)
	case f.robust:
		rank, err := study.WorstCase(t, level, price)
		return rank, input(err)
	case f.objective != optimize.TimeToTarget:
		return nil, nil
	}
	o, err := f.trainFlags.options(t)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, s *schedule.Schedule, seconds []float64) (float64, error) {
		best, ok, err := study.NewTuner(o.Problem, s, o.Tuning).Best(ctx, study.InTurn(seconds), o.Clock)
		if err != nil || !ok {
			return math.Inf(1), err
		}
		return best.Seconds, nil
	}, nil
}

func (f *optimizeFlags) print(s *session, t *network.Topology, level study.Level, r *optimize.Result, deployment []optimize.Deployment, robustness []study.Repriced) {
	by := f.objective
	if f.robust {
		by = "worst staleness under disturbances"
	}
	fmt.Fprintf(s.stdout, "%s, %s: schedules by %s\n\n", t.Name, level.Name, by)
	ranks := table{head: []string{"rank", "objective s", "staleness s", "period s", "cliques, round by round"}}
	for k, found := range append([]optimize.Found{r.Best}, r.RunnersUp...) {
		ranks.add(fmt.Sprint(k+1), number(found.Value), number(found.Staleness), number(found.Period), found.Schedule.ShortText())
	}
	ranks.add("all-reduce", number(r.AllReduce.Value), number(r.AllReduce.Staleness), number(r.AllReduce.Period), "all")
	ranks.write(s.stdout)
	c := r.Certificate
	fmt.Fprintf(s.stdout, "\n%s; %d schedules evaluated; proven for: %s\n", c.Method, c.Searched, c.ProvenFor)
	if c.Pairs > 0 {
		fmt.Fprintf(s.stdout, "no such schedule is below %s s: %d partitions priced; of %d pairs %d were cut off by clique counts, %d by overlap, %d evaluated\n",
			number(c.LowerBound), c.Partitions, c.Pairs, c.PrunedPlain, c.PrunedOverlap, c.Evaluated)
	}
	if len(r.Pareto) > 1 && s.verbose {
		fmt.Fprintln(s.stdout, "\nno schedule of one or two rounds is at once shorter, fresher and more contracting than these:")
		front := table{head: []string{"period s", "staleness s", "contraction", "cliques, round by round"}}
		for _, p := range r.Pareto {
			front.add(number(p.Period), number(p.Staleness), number(p.Contraction), p.Cliques)
		}
		front.write(s.stdout)
	}
	worst, name := 0.0, ""
	var cut []string
	for _, d := range robustness {
		switch {
		case d.Period == nil:
			cut = append(cut, strings.TrimPrefix(d.Disturbance, "without "))
		case d.Staleness != nil && *d.Staleness > worst:
			worst, name = *d.Staleness, d.Disturbance
		}
	}
	if name != "" {
		fmt.Fprintf(s.stdout, "\nthe best schedule under disturbances: at worst %s s of staleness (%s)", number(worst), name)
		if len(cut) > 0 {
			fmt.Fprintf(s.stdout, "; the loss of %s cuts a clique in two", strings.Join(cut, " or "))
		}
		fmt.Fprintln(s.stdout)
	}
	if deployment != nil {
		fmt.Fprintln(s.stdout, "\nwhich routers to equip with multicast and aggregation:")
		deploy := table{head: []string{"routers", "all-reduce s", "best staleness s", "proven", "equipped", "best schedule"}}
		for _, d := range deployment {
			deploy.add(fmt.Sprint(d.K), number(d.AllReduce), number(d.Staleness), yesNo(d.Proven), strings.Join(d.MulticastAt, ","), d.Schedule)
		}
		deploy.write(s.stdout)
	}
}
