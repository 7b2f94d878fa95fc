package plots

import (
	"slices"
	"testing"

	"github.com/islandsgd/islands/optimize"
)

func TestDeploymentSteps(t *testing.T) {
	rows := []optimize.Deployment{
		{K: 0, Staleness: 3},
		{K: 1, Staleness: 2, MulticastAt: []string{"A"}},
		{K: 2, Staleness: 2, MulticastAt: []string{"A", "B"}},
		{K: 3, Staleness: 1, MulticastAt: []string{"A", "B", "C"}},
		{K: 4, Staleness: 1},
		{K: 5, Staleness: 1},
	}
	want := []string{"0:  3 s,  none", "1:  2 s,  A", "2:  no fresher", "3:  1 s,  A, B, C", "4 to 5:  no fresher"}
	if got := deploymentSteps(rows); !slices.Equal(got, want) {
		t.Errorf("steps %q, want %q", got, want)
	}
}
