package study

import (
	"context"
	"errors"
	"fmt"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/netsim"
	"github.com/islandsgd/islands/schedule"
)

// TrainOptions of Train. Topology, Level, Schedule and Problem are needed.
type TrainOptions struct {
	Topology    *network.Topology
	Level       Level
	Schedule    *schedule.Schedule
	Problem     *gossip.Quadratic
	ProblemName string

	Step   float64 // η; default (0): 1/(4L)
	Tune   bool    // take the number of local steps and the step size that reach the target soonest, as Compare does
	Target float64 // of the mse, relative to that at the start; default (0): 0.01
	Rounds int     // default (0): as many as reach the target, or FallbackRounds where none of MaxTrainRounds does

	// Simulation is how the network, the islands and their waiting are simulated. Its Topology, Capability, Schedule,
	// Rounds and Learner are set by Train.
	Simulation netsim.Options
}

const (
	// MaxTrainRounds is how many rounds Train waits for a target.
	MaxTrainRounds = 4000
	// FallbackRounds are simulated where no round reaches the target.
	FallbackRounds = 50
	// lossPoints bounds the points of a loss curve.
	lossPoints = 500
)

// TrainPoint is the exact error after a round, at the second at which the last island ended it.
type TrainPoint struct {
	Round     int     `json:"round"`
	Seconds   float64 `json:"seconds"`
	MSE       float64 `json:"mse"`
	Consensus float64 `json:"consensus"`
}

// Training is a schedule trained over a simulated network.
type Training struct {
	Topology    string  `json:"topology"`
	Capability  string  `json:"capability"`
	Schedule    string  `json:"schedule"`
	Fingerprint string  `json:"fingerprint"`
	Problem     string  `json:"problem"`
	LocalSteps  int     `json:"local_steps"` // of the first round
	Step        float64 `json:"step"`
	Target      float64 `json:"target"` // absolute mse

	RoundsToTarget  *int     `json:"rounds_to_target"` // nil: not reached
	SecondsToTarget *float64 `json:"seconds_to_target"`

	*netsim.Result
	Loss []TrainPoint `json:"loss"`
}

// Train simulates training event by event: netsim keeps the time, exact moments say what was learned. They follow what
// took place: where a policy left islands out of an average, the moments are those of the rounds without them. When ctx
// ends it returns what is over by then, together with ctx's error.
func Train(ctx context.Context, o TrainOptions) (*Training, error) {
	if o.Target == 0 {
		o.Target = 0.01
	}
	s, err := mixing.Explicit(o.Schedule)
	if err != nil {
		return nil, err
	}
	sim := o.Simulation
	sim.Topology, sim.Capability = o.Topology, o.Level.Capability
	clock := Clock{StepTime: sim.StepTime, Overlap: sim.Overlap}
	if o.Tune {
		if sim.Delay > 0 {
			return nil, fmt.Errorf("tuning knows no delayed averages: give the schedule its h= and the step size")
		}
		if s, o.Step, err = tuned(ctx, o, s, clock); err != nil {
			return nil, err
		}
	}
	if o.Step == 0 {
		if o.Step, err = o.Problem.DefaultStep(); err != nil {
			return nil, err
		}
	}
	c := o.Problem.Constants()
	l := &recorder{ctx: ctx, q: o.Problem, schedule: s, step: o.Step, target: o.Target * (c.StartCentroid + c.StartConsensus), every: 1}
	if l.seq, err = mixing.New(s); err != nil {
		return nil, err
	}
	var warnings []string
	if sim.Delay > 0 {
		l.algorithm = gossip.Algorithm{Name: "delayed", Delay: sim.Delay}
	}
	if s.Random == nil {
		if l.goal, err = l.search(max(o.Rounds, MaxTrainRounds)); err != nil {
			return nil, err
		}
	}
	sim.Schedule, sim.Rounds, sim.Learner = s, o.Rounds, l
	if o.Rounds == 0 {
		sim.Rounds, l.stop = MaxTrainRounds, true
		if s.Random == nil && l.goal == 0 {
			sim.Rounds, l.stop = FallbackRounds, false
			warnings = append(warnings, fmt.Sprintf("no round up to %d reaches the target: %d rounds are simulated (another --step, more local steps, or a larger --target may reach it)",
				MaxTrainRounds, FallbackRounds))
		}
	}
	if progress := sim.Progress; progress != nil && l.stop && l.goal > 0 {
		sim.Progress = func(done, _ int) { progress(done, max(done, l.goal)) }
	}
	r, runErr := netsim.Run(ctx, sim)
	if r == nil || runErr != nil && !errors.Is(runErr, ctx.Err()) {
		return nil, runErr
	}
	r.Warnings = append(warnings, r.Warnings...)
	out := &Training{Topology: o.Topology.Name, Capability: o.Level.Name, Schedule: s.Name, Fingerprint: s.Fingerprint(), Problem: o.ProblemName,
		Step: o.Step, Target: l.target, Result: r}
	if s.Random != nil {
		out.LocalSteps = s.Random.LocalSteps
	} else {
		out.LocalSteps = s.Rounds[0].LocalSteps
	}
	l.ctx = context.WithoutCancel(ctx) // the curve of what is done is wanted after an interruption too
	if err := l.curve(out); err != nil {
		return nil, err
	}
	return out, runErr
}

// tuned returns the schedule with its best number of local steps, and the best step size.
func tuned(ctx context.Context, o TrainOptions, s *schedule.Schedule, clock Clock) (*schedule.Schedule, float64, error) {
	if s.Random != nil {
		return nil, 0, fmt.Errorf("schedule %s is random: it has no rounds to tune for", s.Name)
	}
	c, err := chargeUnder(o.Topology, o.Level, s, o.Simulation.Collective)
	if err != nil {
		return nil, 0, err
	}
	best, ok, err := NewTuner(o.Problem, s, Tuning{Target: o.Target}).Best(ctx, c.Communication, clock)
	if err != nil {
		return nil, 0, err
	}
	if !ok {
		return nil, 0, fmt.Errorf("no number of local steps and step size that was tried reaches the target: choose a larger target or a smaller noise")
	}
	t := *s
	t.Rounds = make([]schedule.Round, len(s.Rounds))
	for i, r := range s.Rounds {
		r.LocalSteps = best.H
		t.Rounds[i] = r
	}
	return &t, best.Step, nil
}

// recorder is the learner of netsim: it notes when rounds end and what they averaged, and asks for the exact moments
// when somebody wants to know.
type recorder struct {
	ctx      context.Context
	q        *gossip.Quadratic
	schedule *schedule.Schedule
	seq      *mixing.Sequence
	step     float64
	target   float64

	algorithm gossip.Algorithm

	goal int  // the first round at the target if all goes as scheduled; 0: none, or unknown
	stop bool // at the target

	ends  []TrainPoint // of every so many rounds, and the last
	every int
	at    float64 // second at which the goal was reached

	own    bool             // what took place is not what was scheduled, or nobody knew it before
	actual []schedule.Round // then: all rounds so far
	next   int              // round after which the actual rounds are looked at again
	from   int              // the first that was not looked at
}

// search returns the first round at the target if all goes as scheduled, or 0 if none up to limit is.
func (l *recorder) search(limit int) (int, error) {
	if l.algorithm.Delay == 0 {
		return roundsToTarget(l.ctx, l.q, l.seq, l.step, l.target, limit)
	}
	for from, to := 1, min(64, limit); from <= limit; from, to = to+1, min(2*to, limit) {
		if hit, err := l.firstBelow(l.seq, from, to); err != nil || hit > 0 {
			return hit, err
		}
	}
	return 0, nil
}

// firstBelow returns the first of the given rounds that is at the target, or 0.
func (l *recorder) firstBelow(seq *mixing.Sequence, from, to int) (int, error) {
	var at []int
	for t := from; t <= to; t++ {
		at = append(at, t)
	}
	r, err := gossip.Exact(l.ctx, l.q, seq, gossip.ExactOptions{Algorithm: l.algorithm, Step: l.step, At: at})
	if err != nil {
		return 0, err
	}
	for _, p := range r.Points {
		if p.MSE <= l.target && !p.Overflow {
			return p.T, nil
		}
	}
	return 0, nil
}

// Round implements netsim.Learner.
func (l *recorder) Round(t int, seconds float64, mixed *schedule.Round) (bool, error) {
	l.note(t, seconds)
	if !l.own && (l.schedule.Random != nil || mixed != l.schedule.Round(t-1)) {
		l.own = true
		for k := range t - 1 { // those before were as scheduled
			l.actual = append(l.actual, *l.schedule.Round(k))
		}
		l.next, l.from = max(t, l.goal, 16), t
	}
	if !l.own {
		if t == l.goal {
			l.at = seconds
		}
		return l.stop && t == l.goal, nil
	}
	l.actual = append(l.actual, *mixed)
	if !l.stop || t < l.next {
		return false, nil
	}
	seq, err := l.sequence()
	if err != nil {
		return false, err
	}
	hit, err := l.firstBelow(seq, l.from, t)
	l.next, l.from = t+max(1, t/10), t+1
	return hit > 0, err
}

// note keeps a round's end. When there are too many, every other one goes.
func (l *recorder) note(t int, seconds float64) {
	if n := len(l.ends); n > 0 && l.ends[n-1].Round%l.every != 0 {
		l.ends = l.ends[:n-1] // it was kept as the last
	}
	l.ends = append(l.ends, TrainPoint{Round: t, Seconds: seconds})
	if len(l.ends) <= lossPoints {
		return
	}
	l.every *= 2
	kept := l.ends[:0]
	for _, p := range l.ends {
		if p.Round%l.every == 0 || p.Round == t {
			kept = append(kept, p)
		}
	}
	l.ends = kept
}

// sequence returns the mixing of what took place.
func (l *recorder) sequence() (*mixing.Sequence, error) {
	if !l.own {
		return l.seq, nil
	}
	s := &schedule.Schedule{Name: l.schedule.Name, N: l.schedule.N, Rounds: l.actual}
	return mixing.New(s)
}

// curve fills in the loss.
func (l *recorder) curve(out *Training) error {
	seq, err := l.sequence()
	if err != nil {
		return err
	}
	points := append([]TrainPoint{{}}, l.ends...)
	at := make([]int, len(points))
	for i, p := range points {
		at[i] = p.Round
	}
	r, err := gossip.Exact(l.ctx, l.q, seq, gossip.ExactOptions{Algorithm: l.algorithm, Step: l.step, At: at})
	if err != nil {
		return err
	}
	out.Warnings = append(out.Warnings, r.Warnings...)
	for i, p := range r.Points {
		if p.Overflow {
			out.Warnings = append(out.Warnings, fmt.Sprintf("diverged: the mean square error is past the range of numbers after round %d", p.T))
			break
		}
		points[i].MSE, points[i].Consensus = p.MSE, p.Consensus
		out.Loss = append(out.Loss, points[i])
		if p.MSE <= l.target && out.RoundsToTarget == nil && i > 0 && (l.own || l.goal == 0 || p.T == l.goal) {
			out.RoundsToTarget, out.SecondsToTarget = &points[i].Round, &points[i].Seconds
		}
	}
	if !l.own && l.goal > 0 && l.at > 0 {
		out.RoundsToTarget, out.SecondsToTarget = &l.goal, &l.at
	}
	if l.own && l.every > 1 && out.RoundsToTarget != nil {
		out.Warnings = append(out.Warnings, fmt.Sprintf("the target was reached at most %d rounds before the round that is given", l.every-1))
	}
	return nil
}
