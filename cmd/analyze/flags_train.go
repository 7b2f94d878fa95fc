package main

import (
	"github.com/urfave/cli/v2"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/study"
)

// trainFlags describe training in seconds: a problem, a clock and a target.
type trainFlags struct {
	problem, stepTime string
	target            float64
	overlap           bool
}

func (f *trainFlags) flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "problem", Value: study.DefaultProblem, Usage: "quadratic:key=value,... or file", Destination: &f.problem, Category: "problem"},
		&cli.StringFlag{Name: "step-time", Value: "100ms", Usage: "computation of one local step", Destination: &f.stepTime, Category: "problem"},
		&cli.Float64Flag{Name: "target", Value: 0.01, Usage: "training is done at this share of the first mean square error", Destination: &f.target, Category: "problem"},
		&cli.BoolFlag{Name: "overlap", Usage: "computation and communication of a round run side by side", Destination: &f.overlap, Category: "problem"},
	}
}

// options fills the part of a study's options that training decides.
func (f *trainFlags) options(t *network.Topology) (study.Options, error) {
	o := study.Options{Topology: t, ProblemName: f.problem, Clock: study.Clock{Overlap: f.overlap}}
	var err error
	if o.Clock.StepTime, err = seconds("step-time", f.stepTime); err != nil {
		return o, err
	}
	if !(f.target > 0 && f.target < 1) {
		return o, inputf("--target %g: a share between 0 and 1 is needed", f.target)
	}
	o.Tuning.Target = f.target
	if o.Problem, err = gossip.LoadProblem(f.problem, len(t.Islands)); err != nil {
		return o, fileError(err)
	}
	return o, nil
}
