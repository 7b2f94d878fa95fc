package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/islandsgd/islands/internal/text"
	"github.com/islandsgd/islands/internal/units"
	"github.com/islandsgd/islands/network/netsim"
	"github.com/islandsgd/islands/study"
)

// shownRows is how many of the busiest links, the longest waits and the events tables show.
const shownRows = 10

func printTraining(s *session, r *study.Training, o *study.TrainOptions, asCSV bool) error {
	switch {
	case s.json:
		return s.printJSON(r)
	case asCSV:
		return writeCSV(s, r.Loss)
	}
	w := s.stdout
	fmt.Fprintf(w, "%s on %s, %s; %s per island and round, local steps: %d of %s\n\n", r.Schedule, r.Topology, r.Capability,
		units.FormatBytes(o.Simulation.Collective.Payload), r.LocalSteps, units.FormatSeconds(o.Simulation.StepTime))
	fmt.Fprintf(w, "%s in %s s; the islands compute %.1f%% of the time, the links carry %.1f%% of what they could\n",
		text.Count(r.Rounds, "round"), number(r.Seconds), 100*r.Utilization.Compute, 100*r.Utilization.Network)
	if r.SecondsToTarget != nil {
		fmt.Fprintf(w, "the mse is down to %s, the target, after round %d at %s s (step %s)\n", number(r.Target), *r.RoundsToTarget, number(*r.SecondsToTarget), number(r.Step))
	} else {
		fmt.Fprintf(w, "the mse has not come down to %s, the target (step %s)\n", number(r.Target), number(r.Step))
	}
	fmt.Fprintln(w)
	printLoss(s, r)
	printIslands(s, r)
	printLinks(s, r)
	printTrouble(s, r)
	return nil
}

func printLoss(s *session, r *study.Training) {
	t := table{head: []string{"round", "seconds", "mse", "consensus"}}
	n := len(r.Loss)
	last := -1
	for k := range shownRows {
		if i := k * (n - 1) / (shownRows - 1); i > last {
			p := r.Loss[i]
			t.add(fmt.Sprint(p.Round), number(p.Seconds), number(p.MSE), number(p.Consensus))
			last = i
		}
	}
	t.write(s.stdout)
	fmt.Fprintln(s.stdout)
}

func printIslands(s *session, r *study.Training) {
	t := table{head: []string{"island", "compute s", "wait s", "communicate s", "skipped", "waited most for"}}
	for _, x := range r.Islands {
		most := "–"
		if i := slices.IndexFunc(r.Waits, func(v netsim.WaitedFor) bool { return v.Island == x.Island }); i >= 0 {
			most = fmt.Sprintf("%s (%s s)", r.Waits[i].For, number(r.Waits[i].Seconds))
		}
		t.add(x.Island, number(x.Compute), number(x.Wait), number(x.Communicate), fmt.Sprint(x.Skipped), most)
	}
	t.write(s.stdout)
	fmt.Fprintln(s.stdout)
}

func printLinks(s *session, r *study.Training) {
	t := table{head: []string{"busiest", "from", "to", "bytes", "utilization"}}
	links := slices.Clone(r.Links)
	slices.SortStableFunc(links, func(a, b netsim.LinkUse) int { return cmp.Compare(b.Utilization, a.Utilization) })
	for _, l := range links[:min(shownRows, len(links))] {
		t.add(l.Kind, l.From, l.To, units.FormatBytes(l.Bytes), fmt.Sprintf("%.1f%%", 100*l.Utilization))
	}
	if len(t.rows) > 0 {
		t.write(s.stdout)
	}
}

// printTrouble lists what did not go as scheduled.
func printTrouble(s *session, r *study.Training) {
	t := table{head: []string{"seconds", "event", "round", "where", "policy"}}
	more := 0
	for _, e := range r.Events {
		switch e.Kind {
		case netsim.EventSend, netsim.EventArrive, netsim.EventRound:
			continue
		}
		if len(t.rows) == shownRows {
			more++
			continue
		}
		round, where := "–", e.Link
		if e.Round > 0 {
			round = fmt.Sprint(e.Round)
		}
		if where == "" {
			where = strings.Join(e.Islands, ",")
		}
		t.add(number(e.Seconds), e.Kind, round, where, strings.TrimPrefix(e.Note, "policy: "))
	}
	if len(t.rows) == 0 {
		return
	}
	fmt.Fprintln(s.stdout)
	t.write(s.stdout)
	if more > 0 {
		fmt.Fprintf(s.stdout, "and %d more (--json lists them)\n", more)
	}
}
