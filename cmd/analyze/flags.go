package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/internal/text"
	"github.com/islandsgd/islands/internal/units"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/schedule"
	"github.com/islandsgd/islands/study"
)

// Groups of flags that several commands share. Each group is a struct that the flags fill, and methods that turn the
// texts into what they name.

// networkFlags say on which network, with what abilities, and how much is sent.
type networkFlags struct {
	topology, capability          string
	multicastAt, aggregationAt    string
	payload, access, collective   string
	defaultTopology, defaultLevel string
	strict                        bool
}

func (f *networkFlags) flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "topology", Value: f.defaultTopology, Usage: "preset, family:key=value,... or file", Destination: &f.topology, Category: "network"},
		&cli.StringFlag{Name: "capability", Usage: "what routers can do: unicast, multicast, aggregation, both, topology; several with commas, or all", Destination: &f.capability, Category: "network"},
		&cli.StringFlag{Name: "multicast-at", Usage: "routers that replicate, with commas; overrides --capability", Destination: &f.multicastAt, Category: "network"},
		&cli.StringFlag{Name: "aggregation-at", Usage: "routers that sum, with commas; overrides --capability", Destination: &f.aggregationAt, Category: "network"},
		&cli.StringFlag{Name: "payload", Value: "1GB", Usage: "bytes each island contributes to a round", Destination: &f.payload, Category: "network"},
		&cli.StringFlag{Name: "access", Usage: "egress and ingress of every island, for instance 100Gbps (default: the topology's)", Destination: &f.access, Category: "network"},
		&cli.StringFlag{Name: "collective", Value: collective.Best, Usage: strings.Join(collective.Collectives(), ", "), Destination: &f.collective, Category: "network"},
		strictFlag(&f.strict),
	}
}

// loadIslands loads a topology for a command that is about its islands.
func loadIslands(arg string) (*network.Topology, error) {
	t, err := network.Load(arg)
	if err != nil {
		return nil, fileError(err)
	}
	if len(t.Islands) == 0 {
		return nil, inputf("topology %s has no island: name some in its file, for instance islands: [{id: a, router: %s}]", t.Name, t.Routers[0].ID)
	}
	return t, nil
}

// load reads the topology and applies --access.
func (f *networkFlags) load(s *session) (*network.Topology, error) {
	t, err := loadIslands(f.topology)
	if err != nil {
		return nil, err
	}
	if err := refuseChanges(t, f.strict); err != nil {
		return nil, err
	}
	s.warnings = append(s.warnings, t.Warnings...)
	if f.access != "" {
		rate, err := units.Bandwidth(f.access)
		if err == nil && !(rate >= network.MinBandwidth && rate <= network.MaxBandwidth) {
			err = fmt.Errorf("%q is not within %g to %g bit/s", f.access, network.MinBandwidth, network.MaxBandwidth)
		}
		if err != nil {
			return nil, inputf("--access: %w", err)
		}
		t = t.WithAccess(rate)
	}
	return t, nil
}

// levels returns the capabilities asked for, by name.
func (f *networkFlags) levels(t *network.Topology) ([]study.Level, error) {
	if f.multicastAt != "" || f.aggregationAt != "" {
		c, err := t.CapabilityAt(list(f.multicastAt), list(f.aggregationAt))
		if err != nil {
			return nil, input(err)
		}
		return []study.Level{{Name: "chosen routers", Capability: c}}, nil
	}
	asked := f.capability
	if asked == "" {
		asked = f.defaultLevel
		if t.HasCapableRouter() {
			asked = network.LevelTopology
		}
	}
	var out []study.Level
	for _, name := range list(asked) {
		if name == "all" {
			all, err := study.Levels(t)
			if err != nil {
				return nil, err
			}
			out = append(out, all...)
			continue
		}
		c, err := t.Capability(name)
		if err != nil {
			return nil, inputf("--capability: %w", err)
		}
		out = append(out, study.Level{Name: name, Capability: c})
	}
	return out, nil
}

// only returns the single capability that a command can work with.
func (f *networkFlags) only(t *network.Topology) (study.Level, error) {
	levels, err := f.levels(t)
	if err != nil {
		return study.Level{}, err
	}
	if len(levels) != 1 {
		return study.Level{}, inputf("--capability: this command takes one capability, not %d", len(levels))
	}
	return levels[0], nil
}

func (f *networkFlags) options() (collective.Options, error) {
	payload, err := units.Bytes(f.payload)
	if err != nil {
		return collective.Options{}, inputf("--payload: %w", err)
	}
	if !slices.Contains(collective.Collectives(), f.collective) {
		return collective.Options{}, inputf("--collective: unknown collective %q%s", f.collective, text.DidYouMean(f.collective, collective.Collectives()))
	}
	return collective.Options{Payload: payload, Collective: f.collective}, nil
}

// list splits a comma list and drops empty elements.
func list(s string) []string {
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// scheduleFlags name schedules.
type scheduleFlags struct {
	schedules cli.StringSlice
	cliques   string
	topology  string
}

func (f *scheduleFlags) flags(repeatable bool) []cli.Flag {
	usage := "family:key=value,... or file"
	if repeatable {
		usage += "; may be given several times"
	}
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "schedule", Usage: usage, Destination: &f.schedules, Category: "schedule"},
		&cli.StringFlag{Name: "cliques", Usage: `one round, for instance "AMS,FRA,LON|BAR,LAX,NYC|SEO,SIN,TYO"`, Destination: &f.cliques, Category: "schedule"},
	}
}

// topologyFlag adds the flag with which a command of the theory side takes its nodes from a network.
func (f *scheduleFlags) topologyFlag() cli.Flag {
	return &cli.StringFlag{Name: "topology", Usage: "take the nodes from the islands of this topology (default: n=, else 9 numbered nodes)", Destination: &f.topology, Category: "schedule"}
}

// load reads all schedules for the given nodes.
func (f *scheduleFlags) load(o schedule.Options) ([]*schedule.Schedule, []string, error) {
	if f.topology != "" {
		t, err := loadIslands(f.topology)
		if err != nil {
			return nil, nil, err
		}
		o.Nodes = t.IslandNames()
	}
	var out []*schedule.Schedule
	var named []string
	for _, arg := range f.schedules.Value() {
		s, err := schedule.Load(arg, o)
		if err != nil {
			return nil, nil, fileError(err)
		}
		out, named = append(out, s), append(named, arg)
	}
	if f.cliques != "" {
		s, err := schedule.ParseCliques(f.cliques, o)
		if err != nil {
			return nil, nil, inputf("--cliques: %w", err)
		}
		out, named = append(out, s), append(named, f.cliques)
	}
	return out, named, nil
}

// one reads the single schedule that a command works on.
func (f *scheduleFlags) one(o schedule.Options) (*schedule.Schedule, string, error) {
	all, named, err := f.load(o)
	if err != nil {
		return nil, "", err
	}
	switch len(all) {
	case 0:
		return nil, "", inputf("--schedule is missing (for instance --schedule ring:n=8; families: %s)", strings.Join(familyNames(), ", "))
	case 1:
		return all[0], named[0], nil
	}
	return nil, "", inputf("this command takes one schedule, not %d", len(all))
}

func familyNames() []string {
	var out []string
	for _, f := range schedule.Families() {
		out = append(out, f.Name)
	}
	return out
}

// sgdFlags describe a run of SGD.
type sgdFlags struct {
	problem, algorithm, at string
	step                   float64
	runs                   int
}

func (f *sgdFlags) flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "problem", Value: "quadratic", Usage: "quadratic:key=value,... or file", Destination: &f.problem, Category: "problem"},
		&cli.StringFlag{Name: "algorithm", Value: "atc", Usage: "algorithm:key=value,...", Destination: &f.algorithm, Category: "problem"},
		&cli.Float64Flag{Name: "step", Usage: "step size (default: 1/(4L))", Destination: &f.step, Category: "problem"},
		&cli.StringFlag{Name: "at", Value: "1,10,100", Usage: "rounds to report, with commas", Destination: &f.at, Category: "problem"},
	}
}

// runsFlag adds the number of simulated runs.
func (f *sgdFlags) runsFlag(def int) cli.Flag {
	return &cli.IntFlag{Name: "runs", Value: def, Usage: "simulated runs", Destination: &f.runs, Category: "problem"}
}

// rounds reads --at.
func (f *sgdFlags) rounds() ([]int, error) {
	var out []int
	for _, part := range list(f.at) {
		t, err := strconv.Atoi(part)
		if err != nil || t < 0 {
			return nil, inputf("--at: %q is no round (0, 1, 2, ...)", part)
		}
		out = append(out, t)
	}
	if len(out) == 0 {
		return nil, inputf("--at names no round")
	}
	return out, nil
}

func (f *sgdFlags) check() (gossip.Algorithm, error) {
	if f.step < 0 || math.IsNaN(f.step) || math.IsInf(f.step, 0) {
		return gossip.Algorithm{}, inputf("--step %g is no positive finite number", f.step)
	}
	a, err := gossip.ParseAlgorithm(f.algorithm)
	return a, input(err)
}

func (f *sgdFlags) load(n int) (*gossip.Quadratic, error) {
	q, err := gossip.LoadProblem(f.problem, n)
	return q, fileError(err)
}

// fileError words a missing file as the user sees it; everything a reader says is a mistake in the input.
func fileError(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) && errors.Is(err, os.ErrNotExist) && !strings.Contains(err.Error(), "did you mean") {
		return inputf("%s: no such file", path.Path)
	}
	return input(err)
}

// seconds reads a duration flag.
func seconds(flag, s string) (float64, error) {
	v, err := units.Seconds(s)
	if err != nil {
		return 0, inputf("--%s: %w", flag, err)
	}
	return v, nil
}

// join prints a list of numbers.
func join(v []float64) string {
	out := make([]string, len(v))
	for i, x := range v {
		out[i] = number(x)
	}
	return strings.Join(out, ", ")
}
