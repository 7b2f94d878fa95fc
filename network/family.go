package network

import (
	"slices"
	"strconv"

	"github.com/islandsgd/islands/internal/spec"
	"github.com/islandsgd/islands/internal/units"
)

// families build a topology's routers and links from a line's own keys; the common ones are read by buildFamily.
// Islands are numbered in order, as are the routers that carry them.
var families = map[string]func(*spec.Spec, *Topology, Link){
	"star":     star,
	"ring":     ring,
	"mesh":     mesh,
	"path":     path,
	"dumbbell": dumbbell,
}

// Families returns the names of the topology families, sorted.
func Families() []string {
	var names []string
	for name := range families {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func buildFamily(sp *spec.Spec) (*Topology, error) {
	link := Link{
		Bandwidth: sp.Quantity("bandwidth", 10e9, units.Bandwidth),
		Latency:   sp.Quantity("latency", 10e-3, units.Seconds),
	}
	access := sp.Quantity("access", link.Bandwidth, units.Bandwidth)
	t := &Topology{Name: sp.Name}
	families[sp.Name](sp, t, link)
	if err := sp.Finish(); err != nil {
		return nil, err
	}
	switch {
	case link.Bandwidth == 0:
		return nil, sp.Errorf("bandwidth is 0, want more")
	case access == 0:
		return nil, sp.Errorf("access is 0, want more")
	case !isBandwidth(link.Bandwidth):
		return nil, sp.Errorf("bandwidth of %g bit/s, want %g to %g", link.Bandwidth, MinBandwidth, MaxBandwidth)
	case !isBandwidth(access):
		return nil, sp.Errorf("access of %g bit/s, want %g to %g", access, MinBandwidth, MaxBandwidth)
	case link.Latency > MaxLatency:
		return nil, sp.Errorf("latency is above %g s", MaxLatency)
	case len(t.Links) > MaxLinks:
		return nil, sp.Errorf("%d links, at most %d are built", len(t.Links), MaxLinks)
	}
	for i := range t.Islands {
		t.Islands[i].Egress, t.Islands[i].Ingress = access, access
	}
	return t, t.Validate()
}

// numbered adds n routers with an island each and returns how many routers there were before.
func (t *Topology) numbered(n int) int {
	first := len(t.Routers)
	for i := range n {
		name := strconv.Itoa(first + i)
		t.Routers = append(t.Routers, Router{ID: name})
		t.Islands = append(t.Islands, Island{ID: name, Router: first + i})
	}
	return first
}

func (t *Topology) join(a, b int, like Link) {
	like.A, like.B = a, b
	t.Links = append(t.Links, like)
}

// maxMesh keeps a mesh within MaxLinks.
const maxMesh = 300

// star: n leaf routers with an island each around one router without.
func star(sp *spec.Spec, t *Topology, link Link) {
	n := sp.Int("n", 9, 1, MaxRouters-1)
	t.numbered(n)
	t.Routers = append(t.Routers, Router{ID: "hub"})
	for i := range n {
		t.join(i, n, link)
	}
}

func ring(sp *spec.Spec, t *Topology, link Link) {
	n := sp.Int("n", 9, 1, MaxRouters)
	chain(t, n, link)
	if n > 2 {
		t.join(n-1, 0, link)
	}
}

func path(sp *spec.Spec, t *Topology, link Link) {
	chain(t, sp.Int("n", 9, 1, MaxRouters), link)
}

func chain(t *Topology, n int, link Link) {
	t.numbered(n)
	for i := range n - 1 {
		t.join(i, i+1, link)
	}
}

// mesh: every pair of routers linked.
func mesh(sp *spec.Spec, t *Topology, link Link) {
	n := sp.Int("n", 9, 1, maxMesh)
	t.numbered(n)
	for i := range n {
		for j := i + 1; j < n; j++ {
			t.join(i, j, link)
		}
	}
}

// dumbbell: two routers, each with its islands, and one trunk between them.
func dumbbell(sp *spec.Spec, t *Topology, link Link) {
	left := sp.Int("left", 2, 1, MaxIslands/2)
	right := sp.Int("right", 2, 1, MaxIslands/2)
	t.Routers = []Router{{ID: "left"}, {ID: "right"}}
	t.join(0, 1, link)
	for i := range left + right {
		at := 0
		if i >= left {
			at = 1
		}
		t.Islands = append(t.Islands, Island{ID: strconv.Itoa(i), Router: at})
	}
}
