package schedule_test

import (
	"encoding/json"
	"fmt"

	"github.com/islandsgd/islands/schedule"
)

func ExampleLoad() {
	s, err := schedule.Load("rotating-cliques:k=3,n=9", schedule.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for t := range s.Period() {
		fmt.Println(s.Round(t).Cliques)
	}
	_, err = schedule.Load("rign:n=9", schedule.Options{})
	fmt.Println(err)
	// Output:
	// [[0 3 6] [1 4 7] [2 5 8]]
	// [[0 4 8] [1 5 6] [2 3 7]]
	// [[0 5 7] [1 3 8] [2 4 6]]
	// [[0 1 2] [3 4 5] [6 7 8]]
	// unknown schedule "rign" (did you mean "ring"?)
}

func ExampleParseCliques() {
	s, err := schedule.ParseCliques("AMS,FRA|NYC,LAX", schedule.Options{Nodes: []string{"AMS", "FRA", "LAX", "NYC", "TYO"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	data, err := json.Marshal(s.Form())
	fmt.Println(string(data), err)
	// Output:
	// {"schedule":"cliques","nodes":["AMS","FRA","LAX","NYC","TYO"],"local_steps":1,"rounds":[{"cliques":[["AMS","FRA"],["NYC","LAX"]]}]} <nil>
}
