package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/islandsgd/islands/internal/files"
	"github.com/islandsgd/islands/internal/text"
	"github.com/islandsgd/islands/internal/units"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/netsim"
	"github.com/islandsgd/islands/schedule"
	"github.com/islandsgd/islands/study"
)

// simulationFlags say how time passes: who waits for whom, and what goes wrong.
type simulationFlags struct {
	barrier, sharing, cutOff    string
	pieces, rounds, delay       int
	jitter, loss                float64
	deadline, reroute, merge    string
	stragglers, fails, others   cli.StringSlice
	bandwidth, trace            string
	window, ingest, fec, buffer string
	contexts                    int
	step                        float64
	tune, force, asCSV, ahead   bool
}

func (f *simulationFlags) flags() []cli.Flag {
	const time, trouble, limits = "time", "trouble", "limits"
	return []cli.Flag{
		&cli.Float64Flag{Name: "step", Usage: "step size (default: 1/(4L))", Destination: &f.step, Category: "problem"},
		&cli.BoolFlag{Name: "tune", Usage: "take the local steps and the step size that reach the target soonest, as compare does", Destination: &f.tune, Category: "problem"},
		&cli.IntFlag{Name: "rounds", Usage: "rounds to simulate (default: until the target)", Destination: &f.rounds, Category: time},
		&cli.StringFlag{Name: "barrier", Value: netsim.BarrierRound, Usage: "who waits for whom: round (everybody for everybody) or clique (a clique for its members)", Destination: &f.barrier, Category: time},
		&cli.IntFlag{Name: "delay", Usage: "rounds that an average may be late: islands send at the beginning of a round and compute on (with --barrier clique)", Destination: &f.delay, Category: time},
		&cli.BoolFlag{Name: "send-ahead", Usage: "members that are ready send into the buffers of aggregators before their clique is complete (with --barrier clique)", Destination: &f.ahead, Category: time},
		&cli.StringFlag{Name: "sharing", Value: netsim.SharingCommon, Usage: "how flows share links: common (what starts together finishes together) or fair (equal bytes per second)", Destination: &f.sharing, Category: time},
		&cli.IntFlag{Name: "pieces", Usage: "pieces in which a payload passes from stage to stage (default: none, as in the price: the time of the busiest arc plus the latency of the whole chain of stages, which pieces may overlap)", Destination: &f.pieces, Category: time},
		&cli.Float64Flag{Name: "jitter", Usage: "standard deviation of a round's computation, relative to its mean", Destination: &f.jitter, Category: trouble},
		&cli.StringSliceFlag{Name: "straggler", Usage: "`ISLAND=2x` computes twice as long; may be given several times", Destination: &f.stragglers, Category: trouble},
		&cli.StringFlag{Name: "deadline", Value: "0", Usage: "a clique starts this long after its first ready member, without those that are late (0: it waits)", Destination: &f.deadline, Category: trouble},
		&cli.StringSliceFlag{Name: "fail", Usage: "`LINK@T..T2`: the link A-B is down from T to T2, or for good; may be given several times", Destination: &f.fails, Category: trouble},
		&cli.StringFlag{Name: "cut-off", Value: netsim.CutWait, Usage: "what a clique does that is cut off: wait, skip or re-form", Destination: &f.cutOff, Category: trouble},
		&cli.StringFlag{Name: "reroute", Value: "0", Usage: "time from a failure until traffic takes other routes", Destination: &f.reroute, Category: trouble},
		&cli.StringFlag{Name: "trace-bandwidth", Usage: "CSV file of time,link,bandwidth", Destination: &f.bandwidth, Category: trouble},
		&cli.StringSliceFlag{Name: "background", Usage: "`FROM-TO=2Gbps`: what others send between two routers; may be given several times", Destination: &f.others, Category: trouble},
		&cli.Float64Flag{Name: "loss", Usage: "probability that a link drops a packet", Destination: &f.loss, Category: limits},
		&cli.StringFlag{Name: "fec", Usage: "`N,R`: of N packets of a multicast R are repair packets", Destination: &f.fec, Category: limits},
		&cli.StringFlag{Name: "window", Usage: "bytes that a connection may have under way, for instance 4MiB", Destination: &f.window, Category: limits},
		&cli.StringFlag{Name: "ingest", Usage: "what an aggregator takes in, for instance 100Gbps", Destination: &f.ingest, Category: limits},
		&cli.IntFlag{Name: "contexts", Usage: "reduction trees that an aggregator merges at once (default: any number)", Destination: &f.contexts, Category: limits},
		&cli.StringFlag{Name: "buffer", Usage: "what an aggregator holds of what is sent ahead, for instance 1GB (default: what the topology says, else no limit)", Destination: &f.buffer, Category: limits},
		&cli.StringFlag{Name: "merge-delay", Value: "0", Usage: "time that every aggregator adds", Destination: &f.merge, Category: limits},
		&cli.StringFlag{Name: "trace", Usage: "write a Chrome trace to `FILE`", Destination: &f.trace, Category: "output"},
		&cli.BoolFlag{Name: "force", Usage: "overwrite the file of --trace", Destination: &f.force, Category: "output"},
		&cli.BoolFlag{Name: "csv", Usage: "print the loss curve as CSV", Destination: &f.asCSV, Category: "output"},
	}
}

// fill adds what the flags say to the options of a simulation.
func (f *simulationFlags) fill(o *netsim.Options, t *network.Topology) error {
	o.Barrier, o.Sharing, o.CutOff, o.Pieces, o.Jitter, o.Loss = f.barrier, f.sharing, f.cutOff, f.pieces, f.jitter, f.loss
	o.Delay, o.SendAhead = f.delay, f.ahead
	for _, x := range []struct {
		name, value string
		to          *float64
		read        func(string) (float64, error)
	}{
		{"deadline", f.deadline, &o.Waiting, units.Seconds}, {"reroute", f.reroute, &o.Reroute, units.Seconds},
		{"merge-delay", f.merge, &o.MergeDelay, units.Seconds}, {"buffer", f.buffer, &o.Buffer, units.Bytes},
		{"window", f.window, &o.Collective.Limits.Window, units.Bytes}, {"ingest", f.ingest, &o.Collective.Limits.Ingest, units.Bandwidth},
	} {
		if x.value == "" {
			continue
		}
		var err error
		if *x.to, err = x.read(x.value); err != nil {
			return inputf("--%s: %w", x.name, err)
		}
	}
	o.Collective.Limits.Contexts = f.contexts
	if f.fec != "" {
		n, r, _ := strings.Cut(f.fec, ",")
		l, err1 := &o.Collective.Limits, error(nil)
		var err2 error
		l.FECPackets, err1 = strconv.Atoi(n)
		l.FECRepair, err2 = strconv.Atoi(r)
		if err1 != nil || err2 != nil {
			return inputf("--fec %q is not N,R (for instance 20,2: of 20 packets 2 are repair)", f.fec)
		}
	}
	for _, list := range []struct {
		name   string
		values []string
		read   func(string) error
	}{
		{"straggler", f.stragglers.Value(), func(s string) error { return straggler(o, t, s) }},
		{"fail", f.fails.Value(), func(s string) error { return failure(o, t, s) }},
		{"background", f.others.Value(), func(s string) error { return background(o, t, s) }},
	} {
		for _, v := range list.values {
			if err := list.read(v); err != nil {
				return inputf("--%s %s: %w", list.name, v, err)
			}
		}
	}
	if f.bandwidth != "" {
		data, err := files.Read(f.bandwidth)
		if err != nil {
			return fileError(err)
		}
		if o.Bandwidth, err = netsim.ReadBandwidth(f.bandwidth, data, t); err != nil {
			return input(err)
		}
	}
	return nil
}

// straggler reads ISLAND=2x.
func straggler(o *netsim.Options, t *network.Topology, s string) error {
	name, factor, ok := strings.Cut(s, "=")
	if !ok {
		return fmt.Errorf("write ISLAND=2x")
	}
	names := t.IslandNames()
	i := slices.Index(names, name)
	if i < 0 {
		return fmt.Errorf("unknown island %q%s", name, text.DidYouMean(name, names))
	}
	v, err := strconv.ParseFloat(strings.TrimSuffix(factor, "x"), 64)
	if err != nil || !(v > 0) {
		return fmt.Errorf("%q is no factor above 0 (for instance 2x)", factor)
	}
	if o.Slow == nil {
		o.Slow = slices.Repeat([]float64{1}, len(names))
	}
	o.Slow[i] = v
	return nil
}

// failure reads LINK@T or LINK@T..T2.
func failure(o *netsim.Options, t *network.Topology, s string) error {
	i := strings.LastIndexByte(s, '@')
	if i < 0 {
		return fmt.Errorf("write LINK@T..T2, for instance NYC-LON@10s..20s")
	}
	link, err := netsim.FindLink(t, s[:i])
	if err != nil {
		return err
	}
	f := netsim.Failure{Link: link}
	from, to, until := strings.Cut(s[i+1:], "..")
	if f.From, err = instant(from); err == nil && until {
		f.To, err = instant(to)
	}
	if err == nil && until && f.To <= f.From {
		err = fmt.Errorf("it ends at %s, before it begins at %s", to, from)
	}
	o.Failures = append(o.Failures, f)
	return err
}

// instant reads a time with a unit, or a bare number of seconds.
func instant(s string) (float64, error) {
	if v, err := strconv.ParseFloat(s, 64); err == nil && v >= 0 {
		return v, nil
	}
	return units.Seconds(s)
}

// background reads FROM-TO=2Gbps.
func background(o *netsim.Options, t *network.Topology, s string) error {
	i := strings.LastIndexByte(s, '=')
	if i < 0 {
		return fmt.Errorf("write FROM-TO=2Gbps, with the names of two routers")
	}
	rate, err := units.Bandwidth(s[i+1:])
	if err != nil {
		return err
	}
	names := t.RouterNames()
	for k := range i { // names may have hyphens of their own
		if s[k] != '-' {
			continue
		}
		from, to := slices.Index(names, s[:k]), slices.Index(names, s[k+1:i])
		if from >= 0 && from == to {
			return fmt.Errorf("both ends are router %s: traffic is between two different ones", names[from])
		}
		if from >= 0 && to >= 0 {
			o.Background = append(o.Background, netsim.Traffic{From: from, To: to, BitPerSecond: rate})
			return nil
		}
	}
	return fmt.Errorf("%q is no pair of routers (known: %s)", s[:i], strings.Join(names, ", "))
}

func trainCommand() *cli.Command {
	net := &networkFlags{defaultTopology: "nine-city", defaultLevel: network.LevelUnicast}
	sch, train, sim := &scheduleFlags{}, &trainFlags{}, &simulationFlags{}
	flags := append(append(append(net.flags(), sch.flags(false)...), train.flags()...), sim.flags()...)
	return command("train", "simulate training over the network, event by event", "", `Lets the islands compute, wait for one another and send their averages through the simulated network, and follows the
exact error of what they learn against seconds. Where everybody keeps time the seconds are those of cost and compare;
beyond that it shows what stragglers, jitter, failing links, changing bandwidth and traffic of others cost.

  analyze train --schedule allreduce --capability both
  analyze train --schedule rotating-cliques:k=3 --capability both --tune
  analyze train --schedule rotating-cliques:k=3 --barrier clique --straggler AMS=3x --rounds 50
  analyze train --schedule allreduce --fail NYC-BAR@5s..20s --cut-off re-form --rounds 20 --json`, 0, flags, func(s *session) error {
		o, err := trainingOf(s, net, sch, train, sim)
		if err != nil {
			return err
		}
		var trace *traceFile
		if sim.trace != "" {
			if trace, err = createTrace(sim.trace, sim.force, o.Topology); err != nil {
				return err
			}
			defer trace.abandon()
			o.Simulation.Tracer = trace.chrome
		}
		progress := s.progress("rounds")
		o.Simulation.Progress = progress.update
		r, err := study.Train(s.ctx, *o)
		progress.done()
		if err != nil && !(r != nil && stopped(err)) {
			return s.inputUnlessStopped(err)
		}
		if err != nil {
			s.warn("stopped after %s", text.Count(r.Rounds, "round"))
		}
		s.warnings = append(s.warnings, r.Warnings...)
		if trace != nil {
			if traceErr := trace.keep(); traceErr != nil {
				return traceErr
			}
		}
		if printErr := printTraining(s, r, o, sim.asCSV); printErr != nil {
			return printErr
		}
		return err
	})
}

// trainingOf reads everything that the flags name.
func trainingOf(s *session, net *networkFlags, sch *scheduleFlags, train *trainFlags, sim *simulationFlags) (*study.TrainOptions, error) {
	t, err := net.load(s)
	if err != nil {
		return nil, err
	}
	price, err := net.options()
	if err != nil {
		return nil, err
	}
	level, err := net.only(t)
	if err != nil {
		return nil, err
	}
	sched, _, err := sch.one(schedule.Options{Nodes: t.IslandNames()})
	if err != nil {
		return nil, err
	}
	common, err := train.options(t)
	if err != nil {
		return nil, err
	}
	switch {
	case sim.rounds < 0:
		return nil, inputf("--rounds %d: want a positive number, or leave it out to go on until the target", sim.rounds)
	case sim.pieces < 0:
		return nil, inputf("--pieces %d: want a positive number, or leave it out for the latency of the price", sim.pieces)
	case !(sim.step >= 0) || math.IsInf(sim.step, 1):
		return nil, inputf("--step %g: want a positive number, or leave it out for the default (1/(4L))", sim.step)
	}
	if sim.tune && sim.step > 0 {
		return nil, inputf("--tune chooses the step size: leave --step out")
	}
	o := &study.TrainOptions{Topology: t, Level: level, Schedule: sched, Problem: common.Problem, ProblemName: common.ProblemName,
		Step: sim.step, Tune: sim.tune, Target: train.target, Rounds: sim.rounds}
	o.Simulation.StepTime, o.Simulation.Overlap = common.Clock.StepTime, common.Clock.Overlap
	o.Simulation.Seed, o.Simulation.Collective = s.seed, price
	return o, sim.fill(&o.Simulation, t)
}

// traceFile is a Chrome trace that appears under its name when it is whole.
type traceFile struct {
	path   string
	file   *os.File
	chrome *netsim.Chrome
}

func createTrace(path string, force bool, t *network.Topology) (*traceFile, error) {
	if _, err := os.Stat(path); err == nil && !force {
		return nil, inputf("--trace: %s exists (use --force to replace it, or another name)", path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return nil, input(err)
	}
	return &traceFile{path, f, netsim.NewChrome(f, t)}, nil
}

func (f *traceFile) keep() error {
	err := f.chrome.Close()
	if err == nil {
		err = f.file.Chmod(0o644)
	}
	if closeErr := f.file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.file.Name(), f.path)
}

// abandon removes what keep has not renamed.
func (f *traceFile) abandon() {
	_ = f.file.Close()
	_ = os.Remove(f.file.Name())
}
