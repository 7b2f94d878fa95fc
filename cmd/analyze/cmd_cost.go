package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/islandsgd/islands/internal/units"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/schedule"
	"github.com/islandsgd/islands/study"
)

func costCommand() *cli.Command {
	net := &networkFlags{defaultTopology: "nine-city", defaultLevel: "all"}
	sch := &scheduleFlags{}
	return command("cost", "what the rounds of a schedule cost on a network", "", `Prices every round: seconds of the busiest arc (bandwidth) plus the longest path (latency), under each capability.
Seconds are communication alone. Staleness is how old, on average, the agreement between islands is.

  analyze cost --schedule allreduce
  analyze cost --cliques "AMS,FRA,LON|BAR,LAX,NYC|SEO,SIN,TYO" --capability both
  analyze cost --schedule rotating-cliques:k=3 --access 100Gbps --json`, 0,
		append(net.flags(), sch.flags(false)...), func(s *session) error {
			t, err := net.load(s)
			if err != nil {
				return err
			}
			o, err := net.options()
			if err != nil {
				return err
			}
			levels, err := net.levels(t)
			if err != nil {
				return err
			}
			sched, _, err := sch.one(schedule.Options{Nodes: t.IslandNames()})
			if err != nil {
				return err
			}
			priced, err := study.Price(t, levels, sched, o)
			if err != nil {
				return input(err)
			}
			s.warnings = append(s.warnings, priced.Warnings...)
			if s.json {
				return s.printJSON(priced)
			}
			printCost(s, t, sched, priced)
			return nil
		})
}

func printCost(s *session, t *network.Topology, sched *schedule.Schedule, p *study.Priced) {
	fmt.Fprintf(s.stdout, "%s on %s, %s per island and round; communication alone\n\n", sched.Name, t.Name, units.FormatBytes(p.Payload))
	rounds := table{head: []string{"round", "capability", "seconds", "bandwidth s", "latency s", "cut bound s", "carried by", "busiest arc"}}
	for _, r := range p.Rounds {
		busiest := "–"
		if b := r.Bottleneck; b != nil {
			busiest = fmt.Sprintf("%s %s to %s", b.Kind, b.From, b.To)
		}
		rounds.add(fmt.Sprint(r.Round), r.Capability, number(r.Seconds), number(r.BandwidthSeconds), number(r.LatencySeconds), optional(r.LowerBound.Cut), carriage(&r), busiest)
	}
	rounds.write(s.stdout)
	fmt.Fprintln(s.stdout)
	sums := table{head: []string{"capability", "period s", "staleness s"}}
	for _, l := range p.Levels {
		sums.add(l.Capability, number(l.Period), optional(l.Staleness))
	}
	sums.write(s.stdout)
	fmt.Fprintln(s.stdout, "\nStaleness: how old, on average, the agreement between islands is when training never stops.")
}

// carriage names how each clique of a round is averaged.
func carriage(r *study.PricedRound) string {
	if r.Carriage != nil {
		return "neighbors, by " + *r.Carriage
	}
	var out []string
	for _, c := range r.Collectives {
		if c.Name == nil {
			continue
		}
		name := *c.Name
		if c.Root != nil {
			name += " at " + *c.Root
		}
		out = append(out, name)
	}
	if len(out) == 0 {
		return "–"
	}
	return strings.Join(out, ", ")
}
