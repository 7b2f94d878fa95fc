package schedule_test

import (
	"fmt"

	"github.com/islandsgd/islands/schedule"
)

// A schedule of one's own: cliques, weighted edges or a whole matrix, round by round.
func ExampleRead() {
	s, err := schedule.Read("mine.yaml", []byte(`
schedule: mine
nodes: [AMS, BAR, FRA, LAX]
rounds:
  - cliques: [[AMS, FRA], [BAR, LAX]]
  - {edges: [[AMS, BAR, 0.5], [FRA, LAX, 0.5]], local_steps: 4}
`), schedule.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for t := range s.Period() {
		r := s.Round(t)
		fmt.Printf("round %d: %d local steps, cliques %v, edges %v\n", t+1, r.LocalSteps, r.Cliques, r.Edges)
	}
	_, err = schedule.Read("mine.yaml", []byte("n: 4\nrounds:\n  - cliques: [[0, 1], [1, 2]]\n"), schedule.Options{})
	fmt.Println(err)
	// Output:
	// round 1: 1 local steps, cliques [[0 2] [1 3]], edges []
	// round 2: 4 local steps, cliques [], edges [{0 1 0.5} {2 3 0.5}]
	// mine.yaml:3:24: node 1 is in two cliques
}
