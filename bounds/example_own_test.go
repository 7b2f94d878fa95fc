package bounds_test

import (
	"context"
	"fmt"
	"math"

	"github.com/islandsgd/islands/bounds"
	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

// shared is a bound of one's own: where all islands have the same curvature, the centroid is plain SGD on the average
// objective with a σ²/n of noise, whatever the schedule is, and R² ← q² R² + η² σ²/n is exact up to q = ‖I - ηA‖.
type shared struct{}

func (shared) Bounds(_ context.Context, s bounds.Setting) ([]bounds.Bound, error) {
	c := s.Problem.Constants()
	b := bounds.Bound{
		ID: "shared-centroid", Name: "one curvature", Source: "own", Kind: bounds.Guarantee, Quantity: bounds.Centroid,
		Applicable: c.DeltaA == 0, Points: []bounds.Point{},
	}
	if !b.Applicable {
		b.Reason = fmt.Sprintf("curvatures differ: δ_A = %.4g", c.DeltaA)
		return []bounds.Bound{b}, nil
	}
	q := max(math.Abs(1-s.Step*c.MeanMu), math.Abs(1-s.Step*c.MeanL))
	for _, t := range s.At {
		r := c.StartCentroid
		for range t {
			r = q*q*r + s.Step*s.Step*c.MeanNoise
		}
		b.Points = append(b.Points, bounds.Point{T: t, Value: r})
	}
	return []bounds.Bound{b}, nil
}

// A bound of one's own takes part in everything: it is checked like the built-in ones.
func ExampleMethod() {
	s, err := schedule.Load("ring:n=6", schedule.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	seq, err := mixing.New(s)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, line := range []string{"quadratic:d=4", "quadratic:d=4,spread=0.5"} {
		problem, err := gossip.ParseProblem(line, 6)
		if err != nil {
			fmt.Println(err)
			return
		}
		all, err := bounds.Evaluate(context.Background(), bounds.Setting{Problem: problem, Sequence: seq, At: []int{20}, Own: []bounds.Method{shared{}}})
		if err != nil {
			fmt.Println(err)
			return
		}
		exact, err := gossip.Exact(context.Background(), problem, seq, gossip.ExactOptions{At: []int{20}})
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, b := range all {
			if b.ID != "shared-centroid" {
				continue
			}
			if !b.Applicable {
				fmt.Printf("%s: does not apply, %s\n", line, b.Reason)
				continue
			}
			fmt.Printf("%s: %.4f is at least the exact %.4f\n", line, b.Points[0].Value, exact.Points[0].Centroid)
		}
	}
	// Output:
	// quadratic:d=4: 0.4976 is at least the exact 0.1934
	// quadratic:d=4,spread=0.5: does not apply, curvatures differ: δ_A = 0.2127
}
