package bounds

import (
	"context"
	"fmt"
	"math"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

// Topology is one line of a comparison of schedules by what rates depend on.
type Topology struct {
	Schedule      string   `json:"schedule"`
	N             int      `json:"n"`
	Peers         int      `json:"peers"` // most islands that one listens to in a round
	Period        int      `json:"period"`
	Lambda        *float64 `json:"lambda"` // ‖W-J‖ of a single W; of random rounds √‖E[W'W]-J‖
	P             *float64 `json:"p"`      // contraction of a block ...
	Tau           *int     `json:"tau"`    // ... of so many rounds
	ExactAfter    *int     `json:"exact_after_rounds"`
	Diameter      *int     `json:"diameter"`                // of the graph of all exchanges, in hops
	Homogeneous   *float64 `json:"transient_homogeneous"`   // n³/gap², steps, up to constants
	Heterogeneous *float64 `json:"transient_heterogeneous"` // n³/gap⁴
	LowerBound    *float64 `json:"lower_bound"`             // 1/√(1-λ), or τ/p where W varies or λ = 1: the network's factor in rates that no method beats
}

// CompareTopologies returns the numbers of each schedule.
func CompareTopologies(ctx context.Context, all []*schedule.Schedule) ([]Topology, error) {
	var out []Topology
	for _, s := range all {
		seq, err := mixing.New(s)
		if err != nil {
			return nil, err
		}
		row, err := compareOne(ctx, s.Name, seq)
		if err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, nil
}

func compareOne(ctx context.Context, name string, seq *mixing.Sequence) (Topology, error) {
	row := Topology{Schedule: name, N: seq.N, Period: seq.Period()}
	report, err := mixing.Analyze(ctx, seq, mixing.Options{})
	if err != nil {
		return row, err
	}
	row.Lambda, row.P, row.Tau, row.ExactAfter = report.Sigma2, report.P, report.Tau, report.ExactAfter
	if report.Expected != nil && report.Expected.P != nil {
		l := math.Sqrt(max(0, 1-*report.Expected.P))
		row.Lambda = &l
	}
	if row.Lambda != nil {
		l := clean(*row.Lambda)
		row.Lambda = &l
	}
	// One-dimensional objectives: the numbers asked for do not depend on them.
	zero := make([][]float64, seq.N)
	for i := range zero {
		zero[i] = []float64{0}
	}
	one := make([][]float64, seq.N)
	for i := range one {
		one[i] = []float64{1}
	}
	q, err := gossip.NewQuadratic(gossip.Quadratic{Diagonal: true, A: one, B: zero})
	if err != nil {
		return row, err
	}
	n, err := Setting{Problem: q, Sequence: seq}.Numbers(ctx)
	if err != nil {
		return row, err
	}
	if n.Diameter > 0 {
		row.Diameter = &n.Diameter
	}
	if n.H > 0 {
		n.Tau /= float64(n.H) // rounds: the comparison is about the schedule's averaging
	}
	if n.Lambda > 1-minContraction { // a single round does not contract: what decides is p/τ
		n.Lambda = 1
	}
	if gap := slowness(n); gap > 0 {
		a, b := TransientSteps(float64(n.N), gap, false), TransientSteps(float64(n.N), gap, true)
		lower := n.Tau / n.P
		if n.Fixed && n.Lambda < 1 {
			lower = 1 / math.Sqrt(1-n.Lambda)
		}
		row.Homogeneous, row.Heterogeneous, row.LowerBound = &a, &b, &lower
	}
	row.Peers = peers(seq)
	return row, nil
}

// peers returns the most islands that one listens to in a round.
func peers(seq *mixing.Sequence) int {
	most := 0
	count := func(w *mixing.Matrix) {
		if cliques, ok := w.Cliques(); ok {
			for _, c := range cliques {
				most = max(most, len(c)-1)
			}
			return
		}
		for i, row := range w.Rows() {
			others := 0
			for _, term := range row {
				if term.J != i && term.Weight != 0 {
					others++
				}
			}
			most = max(most, others)
		}
	}
	for t := range seq.Steps {
		count(seq.Steps[t].W)
	}
	if r := seq.Random; r != nil {
		for _, o := range r.Outcomes {
			count(o.W)
		}
	}
	return most
}

// StandardTopologies are the schedules that rates are usually compared on, as far as they exist for n islands.
func StandardTopologies(n int) ([]*schedule.Schedule, error) {
	lines := []string{"path", "ring", "star"}
	if rows, columns := sides(n); rows > 1 {
		lines = append(lines, fmt.Sprintf("grid:rows=%d,columns=%d", rows, columns))
		if rows > 2 {
			lines = append(lines, fmt.Sprintf("torus:rows=%d,columns=%d", rows, columns))
		}
	}
	if n > 1 && n&(n-1) == 0 {
		lines = append(lines, "hypercube")
	}
	lines = append(lines, "exponential", "one-peer-exponential", "base:k=1", "complete")
	var out []*schedule.Schedule
	for _, line := range lines {
		s, err := schedule.Load(line, schedule.Options{N: n})
		if err != nil {
			return nil, err
		}
		s.Name = line
		out = append(out, s)
	}
	return out, nil
}

// sides returns the factors of n nearest to its root, the smaller first.
func sides(n int) (rows, columns int) {
	for r := int(math.Sqrt(float64(n))); r > 1; r-- {
		if n%r == 0 {
			return r, n / r
		}
	}
	return 1, n
}
