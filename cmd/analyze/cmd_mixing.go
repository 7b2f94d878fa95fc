package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/islandsgd/islands/internal/text"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

func mixingCommand() *cli.Command {
	sch := &scheduleFlags{}
	var gamma string
	flags := append(sch.flags(false), sch.topologyFlag(), &cli.StringFlag{
		Name: "gamma", Value: "0.9,0.99", Usage: "memory factors for the effective number of neighbors, with commas", Destination: &gamma, Category: "schedule",
	})
	return command("mixing", "how fast a schedule averages", "", `Builds the mixing matrices of a schedule and analyzes them: are they doubly stochastic and symmetric, how much does a
round or a period shrink the disagreement between nodes, when is averaging exact.

  analyze mixing --schedule ring:n=8
  analyze mixing --schedule rotating-cliques:k=3,n=9 --json
  analyze mixing --schedule my-schedule.yaml --gamma 0.5,0.99`, 0, flags, func(s *session) error {
		var gammas []float64
		for _, g := range list(gamma) {
			v, err := strconv.ParseFloat(g, 64)
			if err != nil || !(v >= 0 && v < 1) {
				return inputf("--gamma: %q is no number in [0, 1)", g)
			}
			gammas = append(gammas, v)
		}
		sched, _, err := sch.one(schedule.Options{})
		if err != nil {
			return err
		}
		seq, err := mixing.New(sched)
		if err != nil {
			return input(err)
		}
		r, err := mixing.Analyze(s.ctx, seq, mixing.Options{Gammas: gammas})
		if err != nil {
			return s.inputUnlessStopped(err)
		}
		s.warnings = append(s.warnings, r.Warnings...)
		r.Warnings = s.warnings // one list, in the place where every result has it
		if s.json {
			return s.printJSON(r)
		}
		printMixing(s, sched, r)
		return nil
	})
}

func printMixing(s *session, sched *schedule.Schedule, r *mixing.Report) {
	fmt.Fprintf(s.stdout, "%s: %s, period %d\n\n", sched.Name, text.Count(r.N, "node"), r.Period)
	t := table{head: []string{"quantity", "value", "meaning"}}
	t.add("doubly stochastic", yesNo(r.DoublyStochastic), "rows and columns sum to 1: agreement stays, and the mean of all nodes is kept")
	t.add("symmetric", yesNo(r.Symmetric), "i takes from j what j takes from i; eigenvalues tell all")
	t.add("nonnegative", yesNo(r.Nonnegative), "no negative weights: values stay within their range")
	t.add("connected over a period", yesNo(r.ConnectedOverPeriod), "everyone hears from everyone, sooner or later")
	if r.SLEM != nil {
		t.add("SLEM", number(*r.SLEM), "spectral radius of W-J: factor on the disagreement per round, in the long run")
	}
	if r.Sigma2 != nil {
		t.add("sigma2", number(*r.Sigma2), "‖W-J‖: the same for the worst single round")
	}
	if r.SpectralGap != nil {
		t.add("spectral gap", number(*r.SpectralGap), "1 - sigma2: about 1/gap rounds bring the disagreement down by e")
	}
	if r.PeriodNorm != nil {
		t.add("period norm", number(*r.PeriodNorm), "‖W_T…W_1-J‖ of the worst phase: factor per period, at most")
	}
	if r.PeriodRadius != nil {
		t.add("period radius", number(*r.PeriodRadius), "spectral radius of W_T…W_1-J: factor per period, in the long run")
	}
	if r.RatePerRound != nil {
		t.add("rate per round", number(*r.RatePerRound), "radius^(1/T)")
	}
	if r.Expected != nil {
		t.add("expected p", optional(r.Expected.P), "1-‖E[W'W]-J‖: part of the squared disagreement that a round removes, on average")
		t.add("expected rate", optional(r.Expected.Rate), "spectral radius of E[W⊗W]: factor on the squared disagreement per round, in the long run")
	}
	if r.P != nil && r.Tau != nil {
		t.add("(p, τ)", fmt.Sprintf("(%s, %d)", number(*r.P), *r.Tau), "every τ rounds remove at least the part p of the squared disagreement")
	}
	if r.ExactAfter != nil {
		t.add("exact after", text.Count(*r.ExactAfter, "round"), "from then on every node holds the exact mean ("+r.ExactProof+")")
	} else {
		reason := "averaging is only approached"
		if r.ExactReason != "" {
			reason = strings.TrimPrefix(r.ExactReason, "never: ")
		}
		t.add("exact after", "never", reason)
	}
	if r.Periodic {
		t.add("periodic", "yes", "an eigenvalue of modulus 1 keeps the nodes from converging, though all are connected")
	}
	if r.Dobrushin != nil {
		t.add("Dobrushin", number(*r.Dobrushin), "by what max x - min x shrinks per period, at most")
	}
	if r.JointRadius != nil {
		t.add("joint spectral radius", fmt.Sprintf("%s to %s", number(r.JointRadius.Lower), number(r.JointRadius.Upper)), "rate per round if an adversary orders the rounds")
	}
	if r.PairsMet != nil {
		t.add("pairs met", fmt.Sprintf("%d of %d", *r.PairsMet, r.Pairs), fmt.Sprintf("pairs that exchange directly within a period; %s a round", optional(r.PairsPerRound)))
	}
	for _, e := range r.EffectiveNbrs {
		t.add(fmt.Sprintf("effective neighbors, γ=%s", number(e.Gamma)), optional(e.Mean), fmt.Sprintf("nodes whose noise averages out (of %d); worst node %s", r.N, optional(e.Worst)))
	}
	if r.Certificate != nil {
		t.add("certificate", number(r.Certificate.LowerBound), fmt.Sprintf("no weights on this graph do better; relative gap %.1e", r.Certificate.Gap))
	}
	t.write(s.stdout)
	if r.Method != "" {
		fmt.Fprintf(s.stdout, "\nfound by: %s\n", r.Method)
	}
	if len(r.PrefixNorms) > 0 && r.Period > 1 {
		fmt.Fprintf(s.stdout, "\n‖W_t…W_1-J‖ after t = 1, 2, … rounds: %s\n", join(r.PrefixNorms[:min(16, len(r.PrefixNorms))]))
	}
}
