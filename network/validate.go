package network

import (
	"fmt"
	"math"
)

// Limits on what is accepted. They keep a hostile file from exhausting memory and the sums of latencies exact.
const (
	MaxRouters = 2000 // the largest graph of the Internet Topology Zoo has 754
	MaxLinks   = 50000
	MaxIslands = 2000
	MaxLatency = 3600.0 // seconds one way: 2000 hops of it still fit 63 bits of picoseconds

	MinBandwidth = 1.0  // bit/s: slower is a mistake, and much slower makes seconds infinite
	MaxBandwidth = 1e18 // bit/s: a thousand times what a fiber has carried
)

// Validate reports the first thing that makes the topology unusable: no router, names used twice, a link or an
// island that points nowhere, a self-loop, parallel links, a bandwidth that is
// none, a latency that is
// negative. Every topology that Load and Read return has passed it.
func (t *Topology) Validate() error {
	where := "topology"
	if t.Name != "" {
		where = fmt.Sprintf("topology %q", t.Name)
	}
	fail := func(format string, a ...any) error { return fmt.Errorf("%s: %s", where, fmt.Sprintf(format, a...)) }
	switch {
	case len(t.Routers) == 0:
		return fail("has no router")
	case len(t.Routers) > MaxRouters:
		return fail("%d routers, at most %d are read", len(t.Routers), MaxRouters)
	case len(t.Links) > MaxLinks:
		return fail("%d links, at most %d are read", len(t.Links), MaxLinks)
	case len(t.Islands) > MaxIslands:
		return fail("%d islands, at most %d are read", len(t.Islands), MaxIslands)
	}
	seen := make(map[string]bool, len(t.Routers))
	for i, r := range t.Routers {
		if r.ID == "" {
			return fail("router %d has no id", i)
		}
		if seen[r.ID] {
			return fail("router %q stands twice", r.ID)
		}
		seen[r.ID] = true
		if r.HasPosition && !validPosition(r.Lat, r.Lon) {
			return fail("router %q lies at %g, %g: latitude must be in [-90, 90], longitude in [-180, 180]", r.ID, r.Lat, r.Lon)
		}
		if a := r.Aggregation; a != nil && (!isLimit(a.Throughput) || !isLimit(a.Buffer) || a.Contexts < 0) {
			return fail("router %q: aggregation limits must be finite and not negative", r.ID)
		}
	}
	pairs := make(map[[2]int]bool, len(t.Links))
	for i, l := range t.Links {
		if l.A < 0 || l.A >= len(t.Routers) || l.B < 0 || l.B >= len(t.Routers) {
			return fail("link %d names router %d or %d, there are %d", i, l.A, l.B, len(t.Routers))
		}
		name := t.Routers[l.A].ID + "-" + t.Routers[l.B].ID
		pair := [2]int{min(l.A, l.B), max(l.A, l.B)}
		switch {
		case l.A == l.B:
			return fail("link %s joins a router with itself", name)
		case pairs[pair]:
			return fail("link %s stands twice: add the bandwidths up into one link", name)
		case !isBandwidth(l.Bandwidth):
			return fail("link %s: bandwidth %g bit/s, want %g to %g", name, l.Bandwidth, MinBandwidth, MaxBandwidth)
		case !(l.Latency >= 0 && l.Latency <= MaxLatency):
			return fail("link %s: latency %g s, want 0 to %g s", name, l.Latency, MaxLatency)
		}
		pairs[pair] = true
	}
	clear(seen)
	for i, s := range t.Islands {
		switch {
		case s.ID == "":
			return fail("island %d has no id", i)
		case seen[s.ID]:
			return fail("island %q stands twice", s.ID)
		case s.Router < 0 || s.Router >= len(t.Routers):
			return fail("island %q hangs on router %d, there are %d", s.ID, s.Router, len(t.Routers))
		case !isBandwidth(s.Egress) || !isBandwidth(s.Ingress):
			return fail("island %q: access of %g and %g bit/s, want %g to %g", s.ID, s.Egress, s.Ingress, MinBandwidth, MaxBandwidth)
		}
		seen[s.ID] = true
	}
	return nil
}

func isBandwidth(v float64) bool { return v >= MinBandwidth && v <= MaxBandwidth }

func isLimit(v float64) bool { return v >= 0 && !math.IsInf(v, 1) }

func validPosition(lat, lon float64) bool {
	return lat >= -90 && lat <= 90 && lon >= -180 && lon <= 180
}
