package study

import (
	"context"
	"math"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/schedule"
)

// LossPoint is the exact mse at one time.
type LossPoint struct {
	Seconds float64 `json:"seconds"`
	MSE     float64 `json:"mse"`
}

// Curve is one way to train: its tuned settings and its exact mse against wall-clock seconds.
type Curve struct {
	Capability      string      `json:"capability"` // "" for colocated
	Kind            string      `json:"kind"`       // "colocated", "all-reduce" or "rotating cliques"
	Schedule        string      `json:"schedule"`
	H               int         `json:"h"`
	Step            float64     `json:"step"`
	RoundSeconds    float64     `json:"round_seconds"` // mean over the period, computation included
	RoundsToTarget  *int        `json:"rounds_to_target"`
	SecondsToTarget *float64    `json:"seconds_to_target"`
	OverColocated   *float64    `json:"over_colocated"`
	Staleness       *float64    `json:"staleness_seconds"`
	Points          []LossPoint `json:"points"`
}

// Way is a schedule to be trained with, and what its rounds cost.
type Way struct {
	Capability    string
	Kind          string
	Schedule      *schedule.Schedule
	Communication Communication
}

// Colocated is training in one room: exact averaging every step, by the weights of the islands, at no cost.
func Colocated(q *gossip.Quadratic) Way {
	round := schedule.Round{LocalSteps: 1}
	if q.Weights == nil {
		round.Cliques = [][]int{allOf(q.N)}
	}
	for j, w := range q.Weights {
		for i := range q.N {
			round.Entries = append(round.Entries, schedule.Edge{I: i, J: j, Weight: w})
		}
	}
	s := &schedule.Schedule{Name: "colocated", N: q.N, Rounds: []schedule.Round{round}}
	return Way{Kind: "colocated", Schedule: s, Communication: InTurn([]float64{0})}
}

// CurveOf tunes a way and computes its error curve, which is empty when no setting tried reaches the target. The curve
// runs somewhat past the target, at up to 200 times spaced evenly on a logarithmic scale, all at the phase of the period
// at which the target is reached.
func CurveOf(ctx context.Context, q *gossip.Quadratic, w Way, clock Clock, u Tuning) (*Curve, error) {
	return w.tuner(q, u).curve(ctx, w, clock)
}

// tuner returns a Tuner for the way's schedule.
func (w Way) tuner(q *gossip.Quadratic, u Tuning) *Tuner {
	if w.Kind == "colocated" {
		u.Steps = []int{1} // colocated means averaging every step
		u.MaxRounds = max(u.MaxRounds, 100_000)
	}
	return NewTuner(q, w.Schedule, u)
}

// curve is CurveOf for one of the ways that follow the tuner's schedule.
func (u *Tuner) curve(ctx context.Context, w Way, clock Clock) (*Curve, error) {
	best, ok, err := u.Best(ctx, w.Communication, clock)
	if err != nil {
		return nil, err
	}
	curve := &Curve{Capability: w.Capability, Kind: w.Kind, Schedule: w.Schedule.Name}
	if !ok {
		return curve, nil
	}
	curve.H, curve.Step, curve.RoundsToTarget, curve.SecondsToTarget = best.H, best.Step, &best.Rounds, &best.Seconds
	period := w.Communication.period()
	curve.RoundSeconds = w.Communication.round(clock, best.H)
	seq, err := withLocalSteps(w.Schedule, best.H)
	if err != nil {
		return nil, err
	}
	curve.Staleness = w.Communication.staleness(seq)
	at := spread(best.Rounds+best.Rounds/3+2, best.Rounds%period, period)
	r, err := gossip.Exact(ctx, u.q, seq, gossip.ExactOptions{Step: best.Step, At: at, Jobs: 1})
	if err != nil {
		return nil, err
	}
	for _, p := range r.Points {
		curve.Points = append(curve.Points, LossPoint{w.Communication.end(clock, best.H, p.T), p.MSE})
	}
	return curve, nil
}

// spread returns 0 and up to 200 rounds to about last, evenly on a logarithmic scale, all of the given phase.
func spread(last, phase, period int) []int {
	at := []int{0}
	for k := 0; k < 200; k++ {
		t := int(math.Round(math.Pow(float64(last), float64(k)/199)))
		t += (phase - t%period + period) % period
		if t > at[len(at)-1] {
			at = append(at, t)
		}
	}
	return at
}
