package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/optimize"
	"github.com/islandsgd/islands/study"
)

func optimizeCommand() *cli.Command {
	net := &networkFlags{defaultTopology: "nine-city", defaultLevel: "unicast"}
	var periodMax int
	flags := append(net.flags(), &cli.IntFlag{Name: "period-max", Value: 4, Usage: "most rounds of a schedule", Destination: &periodMax, Category: "search"})
	return command("optimize", "find the schedule of cliques that suits a network", "", `Searches all partitions of the islands into cliques, and sequences of them, for the least staleness. Schedules of one and
two rounds are searched completely; the certificate says what is proven.

  analyze optimize
  analyze optimize --capability both --payload 4GB
  analyze optimize --access 100Gbps --period-max 2 --json`, 0, flags, func(s *session) error {
		if periodMax < 1 || periodMax > 8 {
			return inputf("--period-max %d: 1 to 8 rounds can be searched", periodMax)
		}
		t, err := net.load(s)
		if err != nil {
			return err
		}
		o, err := net.options()
		if err != nil {
			return err
		}
		level, err := net.only(t)
		if err != nil {
			return err
		}
		p, err := collective.NewPricer(t, level.Capability, o)
		if err != nil {
			return input(err)
		}
		r, err := optimize.Search(s.ctx, t, p, optimize.Options{PeriodMax: periodMax, Jobs: s.jobs})
		if err != nil {
			return s.inputUnlessStopped(err)
		}
		if s.json {
			return s.printJSON(struct {
				Capability string `json:"capability"`
				*optimize.Result
			}{level.Name, r})
		}
		printOptimum(s, t.Name, level, r)
		return nil
	})
}

func printOptimum(s *session, name string, level study.Level, r *optimize.Result) {
	fmt.Fprintf(s.stdout, "%s, %s: schedules by staleness\n\n", name, level.Name)
	t := table{head: []string{"rank", "staleness s", "period s", "cliques, round by round"}}
	for k, f := range append([]optimize.Found{r.Best}, r.RunnersUp...) {
		t.add(fmt.Sprint(k+1), number(f.Staleness), number(f.Period), study.CliqueText(f.Schedule))
	}
	t.add("all-reduce", number(r.AllReduce.Staleness), number(r.AllReduce.Period), "all")
	t.write(s.stdout)
	c := r.Certificate
	fmt.Fprintf(s.stdout, "\nproven for %s: no schedule is below %s s. %d partitions priced; of %d pairs %d were cut off by clique counts, %d by overlap, %d evaluated.\n",
		c.ProvenFor, number(c.LowerBound), c.Partitions, c.Pairs, c.PrunedPlain, c.PrunedOverlap, c.Evaluated)
}
