package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/islandsgd/islands/internal/files"
	"github.com/islandsgd/islands/internal/units"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/schedule"
	"github.com/islandsgd/islands/study"
)

// costFlags are what cost takes beside the network.
type costFlags struct {
	networkFlags
	scheduleFlags
	limitFlags
	measured string
	csv      bool
}

func costCommand() *cli.Command {
	f := &costFlags{networkFlags: networkFlags{defaultTopology: "nine-city", defaultLevel: "all"}}
	flags := append(append(f.networkFlags.flags(), f.scheduleFlags.flags(false)...), f.limitFlags.flags()...)
	flags = append(flags,
		&cli.StringFlag{Name: "measured", Usage: "print predictions beside measured runs: public, or a CSV file of your own", Destination: &f.measured, Category: "network"},
		&cli.BoolFlag{Name: "csv", Usage: "print the load of every arc as CSV", Destination: &f.csv, Category: "common"},
	)
	return command("cost", "what the rounds of a schedule cost on a network", "", `Prices every round: seconds of the busiest arc (bandwidth) plus the longest path (latency), under each capability.
Seconds are communication alone. Staleness is how old, on average, the agreement between islands is.

  analyze cost --schedule allreduce
  analyze cost --cliques "AMS,FRA,LON|BAR,LAX,NYC|SEO,SIN,TYO" --capability both
  analyze cost --schedule allreduce --collective packed --capability unicast --bounds
  analyze cost --schedule allreduce --capability both --ingest 10Gbps --buffer 1GB
  analyze cost --measured public`, 0, flags, f.run)
}

func (f *costFlags) run(s *session) error {
	if f.measured != "" {
		return f.compareMeasured(s)
	}
	t, err := f.networkFlags.load(s)
	if err != nil {
		return err
	}
	o, err := f.networkFlags.options()
	if err != nil {
		return err
	}
	if err := f.apply(&o); err != nil {
		return err
	}
	levels, err := f.levels(t)
	if err != nil {
		return err
	}
	sched, _, err := f.one(schedule.Options{Nodes: t.IslandNames()})
	if err != nil {
		return err
	}
	priced, err := study.Price(t, levels, sched, o)
	if err != nil {
		return input(err)
	}
	for _, w := range priced.Warnings {
		if !slices.Contains(s.warnings, w) {
			s.warnings = append(s.warnings, w)
		}
	}
	switch {
	case s.json:
		return s.printJSON(priced)
	case f.csv:
		return writeCSV(s, arcRows(priced))
	}
	printCost(s, t, sched, priced)
	return nil
}

// arcRow is the load of one arc in one round, for CSV.
type arcRow struct {
	Round       int     `json:"round"`
	Capability  string  `json:"capability"`
	From        string  `json:"from"`
	To          string  `json:"to"`
	Kind        string  `json:"kind"`
	Bytes       float64 `json:"bytes"`
	Utilization float64 `json:"utilization"`
}

func arcRows(p *study.Priced) []arcRow {
	var out []arcRow
	for _, r := range p.Rounds {
		for _, l := range r.Links {
			out = append(out, arcRow{r.Round, r.Capability, l.From, l.To, l.Kind, l.Bytes, l.Utilization})
		}
	}
	return out
}

func printCost(s *session, t *network.Topology, sched *schedule.Schedule, p *study.Priced) {
	fmt.Fprintf(s.stdout, "%s on %s, %s per island and round; communication alone\n\n", sched.Name, t.Name, units.FormatBytes(p.Payload))
	if len(p.Rounds) > 0 {
		rounds := table{head: []string{"round", "capability", "seconds", "bandwidth s", "latency s", "bound s", "achieved / bound", "carried by", "busiest"}}
		for _, r := range p.Rounds {
			bound, ratio := "–", "–"
			if b := r.LowerBound.Seconds(); b > 0 {
				bound, ratio = number(b), number(r.BandwidthSeconds/b)
			}
			rounds.add(fmt.Sprint(r.Round), r.Capability, number(r.Seconds), number(r.BandwidthSeconds), number(r.LatencySeconds), bound, ratio, carriage(&r), busiest(r.Bottleneck))
		}
		rounds.write(s.stdout)
		fmt.Fprintln(s.stdout)
	}
	head := []string{"capability", "period s", "staleness s"}
	if sched.Random != nil {
		head[1] = "mean round s"
	}
	sums := table{head: head}
	never := false
	for _, l := range p.Levels {
		stale := optional(l.Staleness)
		never = never || l.Staleness == nil
		if l.StandardError != nil {
			stale += fmt.Sprintf(" ± %.2g", *l.StandardError)
		}
		sums.add(l.Capability, number(l.Period), stale)
	}
	sums.write(s.stdout)
	fmt.Fprintln(s.stdout, "\nThe bound is on bandwidth seconds. Staleness: how old, on average, the agreement between islands is when training never stops.")
	if never {
		fmt.Fprintln(s.stdout, "It has no value (–) where the rounds never connect all islands, or take no time.")
	}
}

// busiest names the bottleneck.
func busiest(b *collective.Bottleneck) string {
	switch {
	case b == nil:
		return "–"
	case b.From == "" && b.To == "":
		return b.Kind
	case b.To == "":
		return b.Kind + " " + b.From
	}
	return fmt.Sprintf("%s %s to %s", b.Kind, b.From, b.To)
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

// compareMeasured prints published or own measurements beside predictions.
func (f *costFlags) compareMeasured(s *session) error {
	m, err := collective.Measured()
	if f.measured != "public" {
		data, readErr := files.Read(f.measured)
		if readErr != nil {
			return fileError(readErr)
		}
		m, err = collective.ReadMeasured(f.measured, data)
	}
	if err != nil {
		return input(err)
	}
	if s.json {
		return s.printJSON(m)
	}
	fmt.Fprintf(s.stdout, "%s; one overhead factor of %.3f, fitted to the rounds that were timed\n\n", m.Source, m.Overhead)
	t := table{head: []string{"link", "H", "utilization", "predicted", "ratio", "round s", "predicted s", "ratio", "implied s"}}
	for _, p := range m.Points {
		measured, ratio := "–", "–"
		if p.RoundSeconds != nil {
			measured, ratio = number(*p.RoundSeconds), number(*p.RoundSeconds/(m.Overhead*p.PredictedSeconds))
		}
		t.add(units.FormatBandwidth(p.BitPerSecond), fmt.Sprint(p.LocalSteps), number(p.Utilization), number(p.PredictedUtilization), number(p.Utilization/p.PredictedUtilization),
			measured, number(m.Overhead*p.PredictedSeconds), ratio, number(p.ImpliedSeconds))
	}
	t.write(s.stdout)
	fmt.Fprintln(s.stdout, "\nUtilization is computation's share of the time; implied is what it means for a round. At one link speed the implied seconds vary with H,\nwhich no model of round times can explain: that spread is not in the communication.")
	return nil
}
