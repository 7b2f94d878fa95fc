package presets

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/schedule"
	"github.com/islandsgd/islands/study"
)

// quantity is something that a preset can predict. About says what it is, for the documentation.
type quantity struct {
	about   string
	compute func(ctx context.Context, r *reader) float64
}

// quantities by name. Every one is computed from the settings by the engines of the toolkit, or by the formula that its
// text states.
var quantities map[string]quantity

func init() { // assembled here because some quantities compute others
	quantities = map[string]quantity{}
	for _, group := range []map[string]quantity{networkQuantities, theoryQuantities, payloadQuantities, streamingQuantities, searchQuantities} {
		maps.Copy(quantities, group)
	}
}

func quantityNames() []string { return slices.Sorted(maps.Keys(quantities)) }

var networkQuantities = map[string]quantity{
	"round-seconds": {"communication seconds of a mean round of the schedule on the topology", func(_ context.Context, r *reader) float64 { return roundSeconds(r) }},
	"speed-up": {"round seconds of another collective or capability (against) over those of this one", func(_ context.Context, r *reader) float64 {
		return roundSeconds(&reader{s: merged(r.s, r.against()), err: r.err}) / roundSeconds(r)
	}},
	"utilization": {"percent of the time that is computation: H·step / (H·step + communication)", func(_ context.Context, r *reader) float64 {
		compute := r.number("local_steps") * r.seconds("step_time")
		communication := 0.0
		if r.has("communication") {
			communication = r.seconds("communication")
		} else {
			communication = roundSeconds(r)
		}
		return 100 * compute / (compute + communication)
	}},
	"ring-rate": {"Gb/s over every hop of a ring all-reduce that takes the given communication seconds: 2(k-1)/k payloads", func(_ context.Context, r *reader) float64 {
		k := r.number("members")
		return 2 * (k - 1) / k * r.bytes("payload") * 8 / r.seconds("communication") / 1e9
	}},
	"needed-rate": {"Gb/s of every access link so that a round hides behind the given seconds, on a topology where all have one rate", func(_ context.Context, r *reader) float64 {
		return roundSeconds(r) * accessRate(r) / r.seconds("hidden") / 1e9 // seconds at one rate scale to any other
	}},
	"pool-rate": {"Gb/s that a pool of aggregation slots sustains: slots × packet / round trip", func(_ context.Context, r *reader) float64 {
		return r.number("slots") * r.bytes("packet") * 8 / r.seconds("rtt") / 1e9
	}},
	"busiest-node-ratio": {"bytes through the busiest access link under the schedule of against over those under this one", func(_ context.Context, r *reader) float64 {
		return busiestAccess(&reader{s: merged(r.s, r.against()), err: r.err}) / busiestAccess(r)
	}},
}

// against reads changes of the setting such as "collective=ring capability=unicast".
func (r *reader) against() Settings {
	out := Settings{}
	for _, part := range r.list("against") {
		key, value, ok := strings.Cut(part, "=")
		if !ok || !slices.Contains(keys, key) {
			r.fail("setting against: %q is not key=value", part)
		}
		out[key] = value
	}
	return out
}

// islands loads the topology of the settings, which must have islands.
func islands(r *reader) *network.Topology {
	arg := r.text("topology")
	if r.err != nil {
		return nil
	}
	t, err := network.Load(arg)
	if err == nil && len(t.Islands) == 0 {
		err = fmt.Errorf("setting topology: %s has no island", t.Name)
	}
	r.check(err)
	return t
}

// priced prices the schedule of the settings.
func priced(r *reader) (*study.Priced, *network.Topology) {
	t, line, level := islands(r), r.or("schedule", "allreduce"), r.or("capability", network.LevelUnicast)
	payload := r.bytes("payload")
	if r.err != nil {
		return nil, nil
	}
	s, err := schedule.Load(line, schedule.Options{Nodes: t.IslandNames()})
	if err != nil {
		r.check(err)
		return nil, nil
	}
	c, err := t.Capability(level)
	if err != nil {
		r.check(err)
		return nil, nil
	}
	p, err := study.Price(t, []study.Level{{Name: level, Capability: c}}, s, collective.Options{Payload: payload, Collective: r.or("collective", collective.Best)})
	r.check(err)
	return p, t
}

func roundSeconds(r *reader) float64 {
	p, _ := priced(r)
	if r.err != nil {
		return math.NaN()
	}
	return *p.Period / float64(max(1, len(p.Rounds)))
}

// accessRate is the bandwidth in bit/s that all access links of the topology have.
func accessRate(r *reader) float64 {
	t := islands(r)
	if r.err != nil {
		return math.NaN()
	}
	rate := t.Islands[0].Egress
	for _, i := range t.Islands {
		if i.Egress != rate || i.Ingress != rate {
			r.fail("the access links of %s differ: give the topology one access= for all", t.Name)
		}
	}
	return rate
}

// busiestAccess is the most bytes that cross one island's access link in a round, both directions together.
func busiestAccess(r *reader) float64 {
	p, _ := priced(r)
	if r.err != nil {
		return math.NaN()
	}
	load := map[string]float64{}
	for _, round := range p.Rounds {
		for _, l := range round.Links {
			switch l.Kind {
			case network.KindEgress:
				load[l.From] += l.Bytes
			case network.KindIngress:
				load[l.To] += l.Bytes
			}
		}
	}
	most := 0.0
	for _, v := range load {
		most = max(most, v/float64(len(p.Rounds)))
	}
	return most
}

var theoryQuantities = map[string]quantity{
	"spectral-gap":   {"1 - ‖W-J‖", func(ctx context.Context, r *reader) float64 { return number(r, report(ctx, r).SpectralGap) }},
	"sigma2":         {"‖W-J‖", func(ctx context.Context, r *reader) float64 { return number(r, report(ctx, r).Sigma2) }},
	"p":              {"p of the pair (p, τ)", func(ctx context.Context, r *reader) float64 { return number(r, report(ctx, r).P) }},
	"tau":            {"τ of the pair (p, τ)", func(ctx context.Context, r *reader) float64 { return whole(r, report(ctx, r).Tau) }},
	"exact-rounds":   {"rounds until averaging is exact", func(ctx context.Context, r *reader) float64 { return whole(r, report(ctx, r).ExactAfter) }},
	"expected-rho":   {"‖E[W'W]-J‖ of a random schedule", func(ctx context.Context, r *reader) float64 { return 1 - number(r, expected(ctx, r).P) }},
	"rounds-saved":   {"rounds to the target with one local step over those with local_steps, each with its best step size (exact moments)", roundsSaved},
	"effective-size": {"effective number of neighbors at the given gamma", effectiveSize},
}

func report(ctx context.Context, r *reader) *mixing.Report {
	line := r.text("schedule")
	if r.err != nil {
		return &mixing.Report{}
	}
	s, err := schedule.Load(line, schedule.Options{})
	if err != nil {
		r.check(err)
		return &mixing.Report{}
	}
	seq, err := mixing.New(s)
	if err != nil {
		r.check(err)
		return &mixing.Report{}
	}
	var o mixing.Options
	if r.has("gamma") {
		o.Gammas = []float64{r.number("gamma")}
	}
	out, err := mixing.Analyze(ctx, seq, o)
	if err != nil {
		r.check(err)
		return &mixing.Report{}
	}
	return out
}

func expected(ctx context.Context, r *reader) *mixing.Expected {
	e := report(ctx, r).Expected
	if e == nil {
		r.fail("schedule %s is not random", r.s["schedule"])
		return &mixing.Expected{}
	}
	return e
}

func effectiveSize(ctx context.Context, r *reader) float64 {
	e := report(ctx, r).EffectiveNbrs
	if r.err != nil || len(e) == 0 {
		r.fail("no effective number of neighbors")
		return math.NaN()
	}
	return number(r, e[0].Mean)
}

func number(r *reader, v *float64) float64 {
	if v == nil {
		r.missing("schedule %s has no such number", r.s["schedule"])
		return math.NaN()
	}
	return *v
}

func whole(r *reader, v *int) float64 {
	if v == nil {
		r.missing("schedule %s has no such number", r.s["schedule"])
		return math.NaN()
	}
	return float64(*v)
}

var payloadQuantities = map[string]quantity{
	"traffic-ratio": {"payloads per step of data parallelism over those of this setting: H × payload bits / compressed bits", func(_ context.Context, r *reader) float64 {
		ratio := r.number("local_steps")
		if r.has("bits") {
			ratio *= r.number("bytes") * 8 / r.number("bits")
		}
		return ratio
	}},
	"top-k-ratio": {"size of a dense vector over its k largest entries with their 32-bit positions: 32 / (keep × 64)", func(_ context.Context, r *reader) float64 {
		return 32 / (r.number("keep") * 64)
	}},
	"budget-ratio": {"the inverse of a share (factor)", func(_ context.Context, r *reader) float64 { return 1 / r.number("factor") }},
	"density": {"percent of entries that are not zero after sparse vectors of several members were summed: 1 - (1-keep)^k", func(_ context.Context, r *reader) float64 {
		return 100 * (1 - math.Pow(1-r.number("keep"), r.number("members")))
	}},
	"low-rank-ratio": {"size of a model over that of its rank-r factors: Σ nm + v over Σ r(n+m) + v, for matrices n×m×count and v other values", lowRankRatio},
	"injected-ratio": {"bytes sent and received by each node in a ring all-gather over those with multicast: 2(k-1)/k", func(_ context.Context, r *reader) float64 {
		k := r.number("members")
		return (2 * (k - 1) / k) / (1/k + (k-1)/k) // ring: (k-1)/k out and in; multicast: 1/k out, (k-1)/k in
	}},
}

// lowRankRatio reads matrices as "64x576x4": rows, columns, how many.
func lowRankRatio(_ context.Context, r *reader) float64 {
	rank, vectors := r.number("rank"), r.number("vectors")
	dense, factors := vectors, vectors
	for _, m := range r.list("matrices") {
		parts := strings.Split(m, "x")
		if len(parts) != 3 {
			r.fail("setting matrices: %q is not ROWSxCOLUMNSxCOUNT", m)
			return math.NaN()
		}
		var v [3]float64
		for i, p := range parts {
			x, err := strconv.Atoi(p)
			if err != nil {
				r.fail("setting matrices: %q is not ROWSxCOLUMNSxCOUNT", m)
			}
			v[i] = float64(x)
		}
		dense += v[0] * v[1] * v[2]
		factors += rank * (v[0] + v[1]) * v[2]
	}
	return dense / factors
}

// roundsSaved compares the rounds that all-reduce needs with one and with many local steps.
func roundsSaved(ctx context.Context, r *reader) float64 {
	line, problem, h, target := r.text("schedule"), r.text("problem"), r.int("local_steps"), r.number("target")
	if r.err != nil {
		return math.NaN()
	}
	s, err := schedule.Load(line, schedule.Options{})
	if err != nil {
		r.check(err)
		return math.NaN()
	}
	q, err := gossip.LoadProblem(problem, s.N)
	if err != nil {
		r.check(err)
		return math.NaN()
	}
	rounds := func(h int) float64 {
		best, ok, err := study.NewTuner(q, s, study.Tuning{Target: target, Steps: []int{h}, MaxRounds: 100_000}).Best(ctx, study.InTurn(make([]float64, s.Period())), study.Clock{StepTime: 1})
		r.check(err)
		if !ok {
			r.missing("the target is not reached with %d local steps", h)
		}
		return float64(best.Rounds)
	}
	return rounds(1) / rounds(h)
}
