package mixing

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/islandsgd/islands/schedule"
)

// Whatever a file holds, its analysis ends and is valid JSON: no NaN, no infinity, no panic.
func FuzzAnalyze(f *testing.F) {
	f.Add([]byte("n: 3\nrounds:\n  - matrix: [[0.5,0.5,0],[0.25,0.5,0.25],[0.25,0,0.75]]\n"))
	f.Add([]byte("n: 2\nrounds:\n  - matrix: [[1e300,1e300],[-1e300,1]]\n"))
	f.Add([]byte("n: 4\nrounds:\n  - cliques: [[0,1],[2,3]]\n  - edges: [[0,2,1e-300],[1,3,0.5]]\n    lazy: 0.5\n"))
	f.Add([]byte("n: 3\nrandom:\n  - {probability: 0.5, matrix: [[2,0,0],[0,2,0],[0,0,2]]}\n  - {probability: 0.5, cliques: [[0,1]]}\n"))
	f.Add([]byte("n: 4\nrandom: {matchings: [[[0,1]],[[1,2]],[[2,3]]], budget: 0.5}\n"))
	f.Add([]byte("n: 3\nrounds:\n  - edges: [[0,1],[1,2]]\n    weights: fdla\n  - edges: [[0,1],[1,2]]\n    weights: reversible\n    target: [0.5,0.25,0.25]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := schedule.Read("f", data, schedule.Options{})
		if err != nil || s.N > 12 || s.Period() > 6 || s.Random != nil && len(s.Random.Outcomes) > 20 {
			return
		}
		seq, err := New(s)
		if err != nil {
			return
		}
		r, err := Analyze(context.Background(), seq, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Fatalf("%v in %s", err, data)
		}
		if seq.Random == nil {
			seconds := make([]float64, len(seq.Steps))
			for i := range seconds {
				seconds[i] = 1
			}
			if v, ok := Staleness(seq, seconds); ok && !(v >= 0) {
				t.Fatalf("staleness %v of %s", v, data)
			}
		}
	})
}
