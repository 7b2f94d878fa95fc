package network

import (
	"fmt"
	"slices"

	"github.com/islandsgd/islands/internal/text"
)

// The levels of capability: nothing, one of the two abilities at every router, both, or what the file says.
const (
	LevelUnicast     = "unicast"
	LevelMulticast   = "multicast"
	LevelAggregation = "aggregation"
	LevelBoth        = "both"
	LevelTopology    = "topology"
)

// Capability says which routers replicate and which sum: one entry per router.
type Capability struct {
	Multicast, Aggregation []bool
}

// CapabilityLevels returns the uniform levels from least to most, then "topology".
func CapabilityLevels() []string {
	return []string{LevelUnicast, LevelMulticast, LevelAggregation, LevelBoth, LevelTopology}
}

// Capability returns what the routers can do at a level: all alike, or with "topology" as the file says.
func (t *Topology) Capability(level string) (Capability, error) {
	n := len(t.Routers)
	c := Capability{make([]bool, n), make([]bool, n)}
	if !slices.Contains(CapabilityLevels(), level) {
		return Capability{}, fmt.Errorf("unknown capability %q%s", level, text.DidYouMean(level, CapabilityLevels()))
	}
	for i, r := range t.Routers {
		c.Multicast[i] = level == LevelMulticast || level == LevelBoth || level == LevelTopology && r.Multicast
		c.Aggregation[i] = level == LevelAggregation || level == LevelBoth || level == LevelTopology && r.Aggregation != nil
	}
	return c, nil
}

// CapabilityAt returns the capability in which exactly the named routers replicate and sum.
func (t *Topology) CapabilityAt(multicastAt, aggregationAt []string) (Capability, error) {
	n := len(t.Routers)
	c := Capability{make([]bool, n), make([]bool, n)}
	index := make(map[string]int, n)
	for i, r := range t.Routers {
		index[r.ID] = i
	}
	mark := func(at []bool, names []string) error {
		for _, name := range names {
			i, ok := index[name]
			if !ok {
				return fmt.Errorf("unknown router %q%s", name, text.DidYouMean(name, t.RouterNames()))
			}
			at[i] = true
		}
		return nil
	}
	if err := mark(c.Multicast, multicastAt); err != nil {
		return Capability{}, err
	}
	if err := mark(c.Aggregation, aggregationAt); err != nil {
		return Capability{}, err
	}
	return c, nil
}

// HasCapableRouter reports whether the file names a router that can copy or sum.
func (t *Topology) HasCapableRouter() bool {
	return slices.ContainsFunc(t.Routers, func(r Router) bool { return r.Multicast || r.Aggregation != nil })
}
