package gossip

import (
	"context"
	"math"
	"testing"

	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

// TestFold: outcomes written out as one map move the moments as the outcomes one by one do, on groups of one coordinate
// and of several.
func TestFold(t *testing.T) {
	s, err := schedule.Load("random-matching:n=4,lazy=0.7", schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	seq, err := mixing.New(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{instanceC, instanceN} {
		q := problem(t, text)
		for _, name := range []string{"atc", "cta", "dgd"} {
			for _, g := range q.groups(Algorithm{}) {
				p, err := Algorithm{Name: name}.compileSecond(q, seq, 0.1, q.weights(), g)
				if err != nil {
					t.Fatal(err)
				}
				plain, err := Algorithm{Name: name}.compileSecond(q, seq, 0.1, q.weights(), g)
				if err != nil {
					t.Fatal(err)
				}
				for k := range p.rounds[0] {
					if o := p.rounds[0][k]; o.outcomes != nil {
						p.rounds[0][k].folded = mustFold(t, o.outcomes, p.b.used)
					}
					plain.rounds[0][k].folded = nil
				}
				a, b := p.begin(), plain.begin()
				for range 20 {
					p.round(a, 0, false)
					plain.round(b, 0, false)
				}
				for k := range a.cov {
					if math.Abs(a.cov[k]-b.cov[k]) > 1e-13*(1+math.Abs(b.cov[k])) {
						t.Errorf("%s, size %d: covariance %d is %.15g, outcome by outcome %.15g", name, p.b.used, k, a.cov[k], b.cov[k])
					}
				}
				for k := range a.mean {
					if math.Abs(a.mean[k]-b.mean[k]) > 1e-13 {
						t.Errorf("%s, size %d: mean %d is %.15g, outcome by outcome %.15g", name, p.b.used, k, a.mean[k], b.mean[k])
					}
				}
			}
		}
	}
}

// mustFold folds outcomes however few they are.
func mustFold(t *testing.T, outcomes []weightedOp, used int) *folded {
	t.Helper()
	var many []weightedOp
	copies := used*used/8/len(outcomes) + 1
	for _, o := range outcomes {
		for range copies {
			many = append(many, weightedOp{o.probability / float64(copies), o.linear})
		}
	}
	f := fold(many, used)
	if f == nil {
		t.Fatal("not folded")
	}
	return f
}

// TestRandomKeepsDigits: a random schedule of one outcome is a periodic one, to the last digits of errors that are small
// beside what the islands disagree on between rounds.
func TestRandomKeepsDigits(t *testing.T) {
	all := schedule.Round{LocalSteps: 1, Cliques: [][]int{{0, 1, 2, 3}}}
	certain, err := mixing.New(&schedule.Schedule{N: 4, Random: &schedule.Random{LocalSteps: 1, Outcomes: []schedule.Outcome{{Probability: 1, Round: all}}}})
	if err != nil {
		t.Fatal(err)
	}
	q := family(t, "quadratic:heterogeneity=10000,noise=0,mu=0.5,d=2", 4)
	o := ExactOptions{Step: 1, At: []int{10, 20}} // the mean, about 1e4 at first, keeps 1e-12 by itself
	got, err := Exact(context.Background(), q, certain, o)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Exact(context.Background(), q, sequence(t, 4, all), o)
	if err != nil {
		t.Fatal(err)
	}
	for k, w := range want.Points {
		if g := got.Points[k]; math.Abs(g.MSE-w.MSE) > 1e-5*w.MSE {
			t.Errorf("round %d: mse %g, periodic %g", w.T, g.MSE, w.MSE)
		}
	}
}
