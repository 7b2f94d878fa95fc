package presets

import (
	"context"
	"fmt"
	"math"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
	"github.com/islandsgd/islands/study"
)

// Curve is how an algorithm converges on the standard quadratic, beside all-reduce every step with the same step size.
type Curve struct {
	Preset    string       `json:"preset"`
	Schedule  string       `json:"schedule"`
	Algorithm string       `json:"algorithm"`
	Problem   string       `json:"problem"`
	Step      float64      `json:"step"`
	Exact     bool         `json:"exact"` // exact moments; else the mean of simulated runs
	Points    []CurvePoint `json:"points"`
}

// CurvePoint is the mean square error after as many local steps of each island.
type CurvePoint struct {
	Steps     int      `json:"local_steps"`
	MSE       *float64 `json:"mse"` // nil: it diverged
	AllReduce float64  `json:"allreduce_mse"`
}

const (
	curveStep = 0.05 // of all curves; the standard quadratic has L = 1
	curveRuns = 40
	curveEnd  = 2048 // local steps
)

// Converge computes the curve of a preset, or nil when the preset has none. A round of h local steps is reported at its
// end, so curves of different h share the local steps at which both end a round.
func Converge(ctx context.Context, p *Preset, seed uint64, jobs int) (*Curve, error) {
	if len(p.Curve) == 0 {
		return nil, nil
	}
	line := p.Curve["schedule"]
	s, err := schedule.Load(line, schedule.Options{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	a, err := gossip.ParseAlgorithm(p.Curve.or("algorithm", "atc"))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	q, err := gossip.ParseProblem(study.DefaultProblem, s.N)
	if err != nil {
		return nil, err
	}
	seq, err := mixing.New(s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	var h int
	if s.Random != nil {
		h = s.Random.LocalSteps
	} else {
		h = s.Rounds[0].LocalSteps
	}
	out := &Curve{Preset: p.Name, Schedule: line, Algorithm: a.String(), Problem: study.DefaultProblem, Step: curveStep, Exact: true}
	var at []int
	for steps := max(h, 8); steps <= curveEnd; steps *= 2 {
		at = append(at, steps/h)
		out.Points = append(out.Points, CurvePoint{Steps: steps / h * h})
	}
	exact, err := gossip.Exact(ctx, q, seq, gossip.ExactOptions{Algorithm: a, Step: curveStep, At: at, Jobs: jobs})
	switch {
	case err == nil:
		for i, x := range exact.Points {
			if !x.Overflow {
				out.Points[i].MSE = &exact.Points[i].MSE
			}
		}
	case ctx.Err() != nil:
		return nil, ctx.Err()
	default: // no closed form
		out.Exact = false
		sim, err := gossip.Simulate(ctx, q, seq, gossip.SimulateOptions{Algorithm: a, Step: curveStep, At: at, Runs: curveRuns, Seed: seed, Jobs: jobs})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		for i := range sim.Points {
			if v := sim.Points[i].MSE.Mean; v < math.MaxFloat64 {
				out.Points[i].MSE = &v
			}
		}
	}
	return out, baseline(ctx, q, out)
}

// baseline fills in all-reduce every step.
func baseline(ctx context.Context, q *gossip.Quadratic, c *Curve) error {
	s, err := schedule.Load("allreduce", schedule.Options{N: q.N})
	if err != nil {
		return err
	}
	seq, err := mixing.New(s)
	if err != nil {
		return err
	}
	at := make([]int, len(c.Points))
	for i, p := range c.Points {
		at[i] = p.Steps
	}
	exact, err := gossip.Exact(ctx, q, seq, gossip.ExactOptions{Step: c.Step, At: at})
	if err != nil {
		return err
	}
	for i := range c.Points {
		c.Points[i].AllReduce = exact.Points[i].MSE
	}
	return nil
}

func (s Settings) or(key, def string) string {
	if v, ok := s[key]; ok {
		return v
	}
	return def
}
