package mixing_test

import (
	"context"
	"fmt"

	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

// A ring halves nothing: how much disagreement does a round leave, and what is the best that any weights can do?
func ExampleAnalyze() {
	for _, line := range []string{"ring:n=6", "ring:n=6,weights=fdla", "rotating-cliques:k=3,n=9"} {
		s, err := schedule.Load(line, schedule.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		seq, err := mixing.New(s)
		if err != nil {
			fmt.Println(err)
			return
		}
		r, err := mixing.Analyze(context.Background(), seq, mixing.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: after two rounds at most %.4f of the disagreement is left\n", line, r.PrefixNorms[1])
	}
	// Output:
	// ring:n=6: after two rounds at most 0.4444 of the disagreement is left
	// ring:n=6,weights=fdla: after two rounds at most 0.3600 of the disagreement is left
	// rotating-cliques:k=3,n=9: after two rounds at most 0.0000 of the disagreement is left
}

// Exact averaging of all islands every two seconds leaves them one second out of date on average. Averaging triples
// that rotate may take less time per round, and then be fresher.
func ExampleStaleness() {
	for _, c := range []struct {
		line    string
		seconds float64
	}{{"allreduce:n=9", 2}, {"rotating-cliques:k=3,n=9", 0.9}} {
		s, err := schedule.Load(c.line, schedule.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		seq, err := mixing.New(s)
		if err != nil {
			fmt.Println(err)
			return
		}
		seconds := make([]float64, seq.Period())
		for i := range seconds {
			seconds[i] = c.seconds
		}
		staleness, _ := mixing.Staleness(seq, seconds)
		fmt.Printf("%s, %.1f s a round: %.3f s\n", c.line, c.seconds, staleness)
	}
	// Output:
	// allreduce:n=9, 2.0 s a round: 1.000 s
	// rotating-cliques:k=3,n=9, 0.9 s a round: 0.675 s
}
