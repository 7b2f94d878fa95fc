package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/islandsgd/islands/internal/units"
	"github.com/islandsgd/islands/schedule"
	"github.com/islandsgd/islands/study"
)

func compareCommand() *cli.Command {
	net := &networkFlags{defaultTopology: "nine-city", defaultLevel: "all"}
	sch, train := &scheduleFlags{}, &trainFlags{}
	var asCSV bool
	flags := append(append(net.flags(), sch.flags(true)...), train.flags()...)
	flags = append(flags, &cli.BoolFlag{Name: "csv", Usage: "print the rows as CSV", Destination: &asCSV, Category: "common"})
	return command("compare", "which schedule trains fastest on a network?", "", `Gives every schedule its own best number of local steps and step size under every capability, and lists the seconds to
the target beside training in one room. Without --schedule it takes one of every family that suits the number of islands,
and the schedule of least staleness that a search finds.

  analyze compare
  analyze compare --schedule allreduce --schedule rotating-cliques:k=3 --capability unicast,both --target 0.1`, 0, flags, func(s *session) error {
		t, err := net.load(s)
		if err != nil {
			return err
		}
		price, err := net.options()
		if err != nil {
			return err
		}
		levels, err := net.levels(t)
		if err != nil {
			return err
		}
		o, err := train.options(t)
		if err != nil {
			return err
		}
		o.Payload, o.Collective, o.Jobs = price.Payload, price.Collective, s.jobs
		schedules, _, err := sch.load(schedule.Options{Nodes: t.IslandNames()})
		if err != nil {
			return err
		}
		progress := s.progress("rows")
		c, err := study.Compare(s.ctx, o, levels, schedules, progress.update)
		progress.done()
		if err != nil && !(c != nil && stopped(err)) {
			return s.inputUnlessStopped(err)
		}
		if err != nil {
			s.warn("stopped: rows without a capability are not computed")
		}
		if printErr := printComparison(s, c, asCSV); printErr != nil {
			return printErr
		}
		return err
	})
}

func printComparison(s *session, c *study.Comparison, asCSV bool) error {
	switch {
	case s.json:
		return s.printJSON(c)
	case asCSV:
		return writeCSV(s, c.Rows)
	}
	fmt.Fprintf(s.stdout, "%s, %s per island and round, %s per local step; %s; one room takes %s\n\n",
		c.Topology, units.FormatBytes(c.Payload), units.FormatSeconds(c.StepTime), c.Problem, units.FormatSeconds(c.Colocated))
	t := table{head: []string{"capability", "schedule", "H", "step", "round s", "rounds", "seconds", "× one room", "staleness s", "WAN bytes a round", "busiest link", "to target"}}
	for _, r := range c.Rows {
		if r.Capability == "" {
			continue
		}
		cells := []string{r.Capability, r.Schedule, "–", optional(r.Step), optional(r.RoundSeconds), "–", optional(r.SecondsToTarget), optional(r.OverColocated), optional(r.Staleness),
			units.FormatBytes(r.BytesPerRound), units.FormatBytes(r.BusiestBytes), "–"}
		if r.H != nil {
			cells[2], cells[5], cells[11] = fmt.Sprint(*r.H), fmt.Sprint(*r.RoundsToTarget), units.FormatBytes(*r.BytesToTarget)
		}
		t.add(cells...)
	}
	t.write(s.stdout)
	fmt.Fprintln(s.stdout, "\nSeconds to the first round that ends at the target, each row with its own best number of local steps H and step size; – where none tried reaches it.")
	return nil
}

// writeCSV prints structs as CSV, columns named by their JSON tags.
func writeCSV[T any](s *session, rows []T) error {
	w := csv.NewWriter(s.stdout)
	for i, r := range rows {
		data, err := json.Marshal(r)
		if err != nil {
			return err
		}
		names, values, err := flat(data)
		if err != nil {
			return err
		}
		if i == 0 {
			if err := w.Write(names); err != nil {
				return err
			}
		}
		if err := w.Write(values); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// flat lists the fields of a JSON object of plain values, in order; null is an empty cell.
func flat(data []byte) (names, values []string, err error) {
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	if _, err := d.Token(); err != nil {
		return nil, nil, err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, nil, err
		}
		value, err := d.Token()
		if err != nil {
			return nil, nil, err
		}
		names = append(names, fmt.Sprint(name))
		if value == nil {
			value = ""
		}
		values = append(values, fmt.Sprint(value))
	}
	return names, values, nil
}
