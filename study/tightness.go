package study

import (
	"context"
	"math"

	"github.com/islandsgd/islands/bounds"
	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
)

// TightnessLine is one guarantee divided by the exact value, round by round; nil where the exact value is 0 or the
// bound has passed the range of numbers.
type TightnessLine struct {
	Bound string     `json:"bound"`
	Ratio []*float64 `json:"bound_over_exact"`
}

// TightnessCurves compares the guarantees that apply to one schedule and problem.
type TightnessCurves struct {
	Schedule      string          `json:"schedule"`
	Problem       string          `json:"problem"`
	Step          float64         `json:"step"`
	Rounds        []int           `json:"rounds"`
	Lines         []TightnessLine `json:"lines"`
	NotApplicable []NotApplicable `json:"not_applicable"`
}

// Tightness divides every guarantee on the mse by the exact mse, on the first chosen schedule or else the best rotation
// under unicast.
func (s *Study) Tightness(ctx context.Context) (*TightnessCurves, error) {
	sched, err := s.firstSchedule(ctx)
	if err != nil {
		return nil, err
	}
	seq, err := mixing.New(sched)
	if err != nil {
		return nil, err
	}
	at := spread(300, 0, sched.Period())[1:] // whole periods: bounds and errors have phases of their own in between
	exact, err := gossip.Exact(ctx, s.o.Problem, seq, gossip.ExactOptions{Step: s.o.Evidence.Step, At: at, Jobs: s.o.Jobs})
	if err != nil {
		return nil, err
	}
	all, err := bounds.Evaluate(ctx, bounds.Setting{Problem: s.o.Problem, Sequence: seq, Step: s.o.Evidence.Step, At: at})
	if err != nil {
		return nil, err
	}
	out := &TightnessCurves{Schedule: sched.Name, Problem: s.o.ProblemName, Step: exact.Step, Rounds: at}
	for _, b := range all {
		if b.Kind != bounds.Guarantee || b.Quantity != "mse" {
			continue
		}
		if !b.Applicable {
			out.NotApplicable = append(out.NotApplicable, NotApplicable{sched.Name, s.o.ProblemName, b.ID, b.Reason})
			continue
		}
		line := TightnessLine{Bound: b.ID}
		for i, p := range b.Points {
			var ratio *float64
			if x := exact.Points[i].MSE; x > 0 && p.Value < math.MaxFloat64 {
				v := p.Value / x
				ratio = &v
			}
			line.Ratio = append(line.Ratio, ratio)
		}
		out.Lines = append(out.Lines, line)
	}
	return out, nil
}
