package study

import (
	"context"
	"math"

	"github.com/islandsgd/islands/bounds"
	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

// Band is a simulated mean with its 95% interval.
type Band struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// EvidencePoint compares the three kinds of evidence at one round. A bound that does not apply, or that has passed the
// range of floating point, is nil.
type EvidencePoint struct {
	T              int      `json:"t"`
	ExactConsensus float64  `json:"exact_consensus"`
	ExactCentroid  float64  `json:"exact_centroid"`
	BoundConsensus *float64 `json:"bound_consensus"`
	BoundCentroid  *float64 `json:"bound_centroid"`
	Consensus      Band     `json:"simulated_consensus"`
	Centroid       Band     `json:"simulated_centroid"`
}

// Evidence is a schedule's error against rounds: bound, exact, simulated.
type Evidence struct {
	Schedule string          `json:"schedule"`
	Problem  string          `json:"problem"`
	Step     float64         `json:"step"`
	Runs     int             `json:"runs"`
	Bound    string          `json:"bound"` // name of the guarantee
	Points   []EvidencePoint `json:"points"`
}

// EvidenceOptions are the settings of Gather. The zero value works.
type EvidenceOptions struct {
	Step   float64 // η; default (0): 1/(4L)
	Rounds int     // default (0): 60
	Runs   int     // default (0): 100
	Seed   uint64
	Jobs   int // default (0): all cores
}

// Gather computes the errors of atc under a schedule in the three ways.
func Gather(ctx context.Context, q *gossip.Quadratic, problem string, s *schedule.Schedule, o EvidenceOptions) (*Evidence, error) {
	if o.Rounds == 0 {
		o.Rounds = 60
	}
	if o.Runs == 0 {
		o.Runs = 100
	}
	seq, err := mixing.New(s)
	if err != nil {
		return nil, err
	}
	at := make([]int, o.Rounds+1)
	for t := range at {
		at[t] = t
	}
	exact, err := gossip.Exact(ctx, q, seq, gossip.ExactOptions{Step: o.Step, At: at, Jobs: o.Jobs})
	if err != nil {
		return nil, err
	}
	sim, err := gossip.Simulate(ctx, q, seq, gossip.SimulateOptions{Step: o.Step, At: at, Runs: o.Runs, Seed: o.Seed, Jobs: o.Jobs})
	if err != nil {
		return nil, err
	}
	all, err := bounds.Evaluate(ctx, bounds.Setting{Problem: q, Sequence: seq, Step: o.Step, At: at})
	if err != nil {
		return nil, err
	}
	e := &Evidence{Schedule: s.Name, Problem: problem, Step: exact.Step, Runs: o.Runs}
	centroid, consensus := find(all, "kernel-centroid"), find(all, "kernel-consensus")
	if consensus != nil {
		e.Bound = consensus.Name
	}
	for t := range at {
		x, m := exact.Points[t], sim.Points[t]
		e.Points = append(e.Points, EvidencePoint{
			T: t, ExactConsensus: x.Consensus, ExactCentroid: x.Centroid,
			BoundConsensus: valueAt(consensus, t), BoundCentroid: valueAt(centroid, t),
			Consensus: Band{m.Consensus.Mean, m.Consensus.Low, m.Consensus.High},
			Centroid:  Band{m.Centroid.Mean, m.Centroid.Low, m.Centroid.High},
		})
	}
	return e, nil
}

func find(all []bounds.Bound, id string) *bounds.Bound {
	for i := range all {
		if all[i].ID == id {
			return &all[i]
		}
	}
	return nil
}

func valueAt(b *bounds.Bound, index int) *float64 {
	if b == nil || !b.Applicable || b.Points[index].Value >= math.MaxFloat64 {
		return nil
	}
	return &b.Points[index].Value
}
