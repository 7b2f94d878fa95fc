package network

import (
	"math"

	"github.com/islandsgd/islands/internal/doc"
	"github.com/islandsgd/islands/internal/text"
	"github.com/islandsgd/islands/internal/units"
)

// The native format, YAML or the same in JSON:
//
//	name: three
//	routers:
//	  - {id: AMS, city: Amsterdam, lat: 52.30, lon: 4.94, multicast: true, aggregation: {throughput: 100Gbps}}
//	  - {id: NYC}
//	links:
//	  - {between: [AMS, NYC], bandwidth: 10Gbps, latency: 45.6ms}
//	islands:                       # omitted: one per router, named like it
//	  - {id: ams, router: AMS, egress: 10Gbps, ingress: 10Gbps}

// nativeReader collects a topology and refuses, by place, what Validate would refuse without one.
type nativeReader struct {
	t       *Topology
	routers map[string]int
}

// readNative reads a parsed document in the native format. fallback names the topology where the file does not.
func readNative(root doc.Node, fallback string) (*Topology, error) {
	f, err := root.Map("name", "routers", "links", "islands")
	if err != nil {
		return nil, err
	}
	r := &nativeReader{&Topology{Name: fallback}, map[string]int{}}
	if n, ok := f.Get("name"); ok {
		if r.t.Name, err = n.Text(); err != nil {
			return nil, err
		}
	}
	routers, err := f.Require("routers")
	if err != nil {
		return nil, err
	}
	if err := each(routers, MaxRouters, "routers", r.router); err != nil {
		return nil, err
	}
	if len(r.t.Routers) == 0 {
		return nil, routers.Errorf("the list of routers is empty")
	}
	if links, ok := f.Get("links"); ok {
		pairs := map[[2]int]bool{}
		err := each(links, MaxLinks, "links", func(n doc.Node) error { return r.link(n, pairs) })
		if err != nil {
			return nil, err
		}
	}
	islands, ok := f.Get("islands")
	if !ok {
		r.t.attachIslands(DefaultAccess)
		return r.t, nil
	}
	seen := map[string]bool{}
	err = each(islands, MaxIslands, "islands", func(n doc.Node) error { return r.island(n, seen) })
	return r.t, err
}

func each(list doc.Node, most int, what string, do func(doc.Node) error) error {
	items, err := list.List()
	if err != nil {
		return err
	}
	if len(items) > most {
		return list.Errorf("%d %s, at most %d are read", len(items), what, most)
	}
	for _, n := range items {
		if err := do(n); err != nil {
			return err
		}
	}
	return nil
}

func (r *nativeReader) router(n doc.Node) error {
	f, err := n.Map("id", "city", "lat", "lon", "multicast", "aggregation", "outside")
	if err != nil {
		return err
	}
	id, err := f.Require("id")
	if err != nil {
		return err
	}
	var out Router
	if out.ID, err = name(id); err != nil {
		return err
	}
	if _, twice := r.routers[out.ID]; twice {
		return id.Errorf("router %q stands twice", out.ID)
	}
	if c, ok := f.Get("city"); ok {
		if out.City, err = c.Text(); err != nil {
			return err
		}
	}
	if err := position(n, f, &out); err != nil {
		return err
	}
	if m, ok := f.Get("multicast"); ok {
		if out.Multicast, err = m.Bool(); err != nil {
			return err
		}
	}
	if o, ok := f.Get("outside"); ok {
		if out.Outside, err = o.Bool(); err != nil {
			return err
		}
	}
	if a, ok := f.Get("aggregation"); ok {
		if out.Aggregation, err = aggregation(a); err != nil {
			return err
		}
	}
	r.routers[out.ID] = len(r.t.Routers)
	r.t.Routers = append(r.t.Routers, out)
	return nil
}

func position(n doc.Node, f doc.Fields, out *Router) error {
	lat, hasLat := f.Get("lat")
	lon, hasLon := f.Get("lon")
	if hasLat != hasLon {
		return n.Errorf("router %q has only one of lat and lon: give both or none", out.ID)
	}
	if !hasLat {
		return nil
	}
	var err error
	if out.Lat, err = lat.Float(); err != nil {
		return err
	}
	if out.Lon, err = lon.Float(); err != nil {
		return err
	}
	if math.Abs(out.Lat) > 90 {
		return lat.Errorf("latitude %g is outside -90 to 90", out.Lat)
	}
	if math.Abs(out.Lon) > 180 {
		return lon.Errorf("longitude %g is outside -180 to 180", out.Lon)
	}
	out.HasPosition = true
	return nil
}

// aggregation reads true, false, or the limits of an aggregator.
func aggregation(n doc.Node) (*Aggregation, error) {
	if !n.IsMap() {
		on, err := n.Bool()
		if err != nil {
			return nil, n.Errorf("aggregation is true, false, or a map with throughput, contexts, buffer")
		}
		if !on {
			return nil, nil
		}
		return &Aggregation{}, nil
	}
	f, err := n.Map("throughput", "contexts", "buffer")
	if err != nil {
		return nil, err
	}
	var a Aggregation
	if v, ok := f.Get("throughput"); ok {
		if a.Throughput, err = speed(v, "throughput"); err != nil {
			return nil, err
		}
	}
	if v, ok := f.Get("contexts"); ok {
		if a.Contexts, err = v.Int(1); err != nil {
			return nil, err
		}
	}
	if v, ok := f.Get("buffer"); ok {
		if a.Buffer, err = positive(v, "buffer", units.Bytes); err != nil {
			return nil, err
		}
	}
	return &a, nil
}

func (r *nativeReader) link(n doc.Node, pairs map[[2]int]bool) error {
	f, err := n.Map("between", "bandwidth", "latency")
	if err != nil {
		return err
	}
	between, err := f.Require("between")
	if err != nil {
		return err
	}
	ends, err := between.List()
	if err != nil {
		return err
	}
	if len(ends) != 2 {
		return between.Errorf("a link is between two routers, here are %d", len(ends))
	}
	var l Link
	if l.A, err = r.find(ends[0]); err != nil {
		return err
	}
	if l.B, err = r.find(ends[1]); err != nil {
		return err
	}
	if l.A == l.B {
		return between.Errorf("link joins router %q with itself", r.t.Routers[l.A].ID)
	}
	pair := [2]int{min(l.A, l.B), max(l.A, l.B)}
	if pairs[pair] {
		return between.Errorf("link between %s and %s stands twice: add the bandwidths up into one link",
			r.t.Routers[l.A].ID, r.t.Routers[l.B].ID)
	}
	pairs[pair] = true
	bandwidth, err := f.Require("bandwidth")
	if err != nil {
		return err
	}
	if l.Bandwidth, err = speed(bandwidth, "bandwidth"); err != nil {
		return err
	}
	latency, err := f.Require("latency")
	if err != nil {
		return err
	}
	if l.Latency, err = latency.Quantity(units.Seconds); err != nil {
		return err
	}
	if l.Latency > MaxLatency {
		return latency.Errorf("latency of %g s, at most %g s are read", l.Latency, MaxLatency)
	}
	r.t.Links = append(r.t.Links, l)
	return nil
}

func (r *nativeReader) island(n doc.Node, seen map[string]bool) error {
	f, err := n.Map("id", "router", "egress", "ingress")
	if err != nil {
		return err
	}
	id, err := f.Require("id")
	if err != nil {
		return err
	}
	s := Island{Egress: DefaultAccess, Ingress: DefaultAccess}
	if s.ID, err = name(id); err != nil {
		return err
	}
	if seen[s.ID] {
		return id.Errorf("island %q stands twice", s.ID)
	}
	seen[s.ID] = true
	at, err := f.Require("router")
	if err != nil {
		return err
	}
	if s.Router, err = r.find(at); err != nil {
		return err
	}
	if v, ok := f.Get("egress"); ok {
		if s.Egress, err = speed(v, "egress"); err != nil {
			return err
		}
	}
	if v, ok := f.Get("ingress"); ok {
		if s.Ingress, err = speed(v, "ingress"); err != nil {
			return err
		}
	}
	r.t.Islands = append(r.t.Islands, s)
	return nil
}

func (r *nativeReader) find(n doc.Node) (int, error) {
	id, err := n.Text()
	if err != nil {
		return 0, err
	}
	i, ok := r.routers[id]
	if !ok {
		return 0, n.Errorf("unknown router %q%s", id, text.DidYouMean(id, r.t.RouterNames()))
	}
	return i, nil
}

// name reads an identifier. Commas and bars separate cliques on the command line, so no name may hold one.
func name(n doc.Node) (string, error) {
	s, err := n.Text()
	if err != nil {
		return "", err
	}
	if why := badName(s); why != "" {
		return "", n.Errorf("name %q %s", s, why)
	}
	return s, nil
}

// positive reads a quantity above zero.
func positive(n doc.Node, what string, read func(string) (float64, error)) (float64, error) {
	v, err := n.Quantity(read)
	if err != nil {
		return 0, err
	}
	if v <= 0 {
		return 0, n.Errorf("%s is 0, want more (leave the link or the limit out)", what)
	}
	return v, nil
}

// speed reads a bandwidth within the limits.
func speed(n doc.Node, what string) (float64, error) {
	v, err := positive(n, what, units.Bandwidth)
	if err == nil && !isBandwidth(v) {
		err = n.Errorf("%s of %g bit/s, want %g to %g", what, v, MinBandwidth, MaxBandwidth)
	}
	return v, err
}
