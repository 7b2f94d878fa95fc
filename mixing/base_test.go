package mixing

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/islandsgd/islands/schedule"
)

// Lengths of Base-(k+1) graphs for n = 2, 3, ..., 25: those of the construction published with Takezawa et al. 2023.
func TestBaseLengths(t *testing.T) {
	for k, lengths := range map[int][]int{
		1: {1, 3, 2, 5, 4, 5, 3, 7, 6, 7, 5, 7, 6, 7, 4, 9, 8, 9, 7, 9, 8, 9, 6, 9},
		2: {1, 1, 2, 3, 2, 4, 3, 2, 4, 5, 3, 5, 5, 4, 4, 5, 3, 6, 5, 5, 6, 6, 4, 6},
		3: {1, 1, 1, 3, 2, 3, 2, 2, 4, 4, 2, 4, 4, 4, 2, 5, 3, 5, 4, 4, 5, 5, 3, 5},
	} {
		for i, want := range lengths {
			line := fmt.Sprintf("base:k=%d,n=%d", k, i+2)
			r := analyze(t, line)
			if r.Period != want || r.ExactAfter == nil || *r.ExactAfter != want || !r.DoublyStochastic || !r.Symmetric || !r.Nonnegative {
				t.Errorf("%s: period %d, exact after %v, want %d", line, r.Period, r.ExactAfter, want)
			}
		}
	}
}

// The products of the published construction for n = 25, computed independently.
func TestBasePrefixes(t *testing.T) {
	r := analyze(t, "base:k=1,n=25")
	for i, want := range map[int]float64{3: 1, 4: .7343023, 7: .4682947, 8: 0} {
		if math.Abs(r.PrefixNorms[i]-want) > 1e-7 {
			t.Errorf("prefix %d: %v, want %v", i+1, r.PrefixNorms[i], want)
		}
	}
}

// Any n averages exactly, with at most k neighbors, within 2 log_{k+1} n + 2 rounds.
func TestBaseIsExact(t *testing.T) {
	for n := 1; n <= 130; n++ {
		for k := 1; k <= 5; k++ {
			s, err := schedule.Load(fmt.Sprintf("base:k=%d,n=%d", k, n), schedule.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if bound := 2*math.Log(float64(n))/math.Log(float64(k+1)) + 2; float64(s.Period()) > bound+1e-9 {
				t.Errorf("k=%d n=%d: %d rounds, more than %v", k, n, s.Period(), bound)
			}
			seq, err := New(s)
			if err != nil {
				t.Fatal(err)
			}
			for _, st := range seq.Steps {
				for i, row := range st.W.Rows() {
					if len(row) > k+1 {
						t.Fatalf("k=%d n=%d: node %d has %d neighbors", k, n, i, len(row)-1)
					}
				}
			}
			if x := exactPrefix(context.Background(), seq, s.Period()); n > 1 && (x.after != s.Period() || x.how != "rational arithmetic") {
				t.Errorf("k=%d n=%d: %+v, want exact after %d", k, n, x, s.Period())
			}
		}
	}
}

func BenchmarkBase500(b *testing.B) {
	for b.Loop() {
		if _, err := schedule.Load("base:k=1,n=500", schedule.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
