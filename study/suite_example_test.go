package study_test

import (
	"context"
	"fmt"
	"log"

	"github.com/islandsgd/islands/bounds"
	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/schedule"
	"github.com/islandsgd/islands/study"
)

// Alone bounds the mse of islands with one objective by that of an island that trains alone: averaging never makes the
// mean square distance to a common optimum larger. With q = max |1 - ηa| over the curvature, a step of an island does
//
//	E‖x - x*‖² ← q² E‖x - x*‖² + η² σ²
type Alone struct{}

func (Alone) Bounds(_ context.Context, s bounds.Setting) ([]bounds.Bound, error) {
	k := s.Problem.Constants()
	b := bounds.Bound{ID: "alone-mse", Name: "training alone", Source: "convexity of ‖x - x*‖²", Kind: bounds.Guarantee, Quantity: bounds.MSE}
	name := s.Algorithm.String()
	switch {
	case name != "atc" && name != "cta":
		b.Reason = "holds for atc and cta, not for " + name
	case k.Zeta2 > 0 || k.DeltaA > 0:
		b.Reason = fmt.Sprintf("objectives differ: ζ*² = %.4g", k.Zeta2)
	case s.Sequence.Random != nil:
		b.Reason = "the schedule is random"
	default:
		b.Applicable = true
	}
	if !b.Applicable {
		return []bounds.Bound{b}, nil
	}
	q := max(1-s.Step*k.Mu, s.Step*k.L-1)
	for _, t := range s.At {
		v := k.StartCentroid + k.StartConsensus
		for r := range t {
			for range s.Sequence.Step(r).LocalSteps {
				v = q*q*v + s.Step*s.Step*k.Sigma2
			}
		}
		b.Points = append(b.Points, bounds.Point{T: t, Value: v})
	}
	return []bounds.Bound{b}, nil
}

// A schedule, a problem and a bound of one's own, validated.
func Example_ownBound() {
	pairs := &schedule.Schedule{Name: "pairs", N: 4, Rounds: []schedule.Round{
		{LocalSteps: 2, Cliques: [][]int{{0, 1}, {2, 3}}},
		{LocalSteps: 2, Cliques: [][]int{{0, 2}, {1, 3}}},
	}}
	same, err := gossip.ParseProblem("quadratic:d=5,heterogeneity=0,noise=0.5", 4)
	if err != nil {
		log.Fatal(err)
	}
	v, err := study.Validate(context.Background(),
		[]study.Case{{ScheduleName: "pairs", ProblemName: "same", Schedule: pairs, Problem: same}},
		study.ValidateOptions{Own: []bounds.Method{Alone{}}, At: []int{1, 10, 100}, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("passed:", v.Passed)
	for _, c := range v.Checks {
		if c.Bound == "alone-mse" {
			fmt.Printf("%s with %s: %s\n", c.Bound, c.Algorithm, c.TightnessText())
		}
	}
	// Output:
	// passed: true
	// alone-mse with atc: t=1: 1.37821, t=10: 3.83297, t=100: 7.57561
	// alone-mse with cta: t=1: 1.35016, t=10: 3.39777, t=100: 5.21834
}
