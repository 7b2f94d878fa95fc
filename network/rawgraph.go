package network

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/islandsgd/islands/internal/text"
	"github.com/islandsgd/islands/internal/units"
)

// rawGraph is what GraphML, GML and node-link JSON have in common: nodes and edges with named attributes. Attribute
// names are in lower case.
type rawGraph struct {
	name     string
	directed bool
	latin1   bool // the file was no UTF-8, and read as ISO-8859-1
	nodes    []rawNode
	edges    []rawEdge
}

type rawNode struct {
	key   string // what edges call it
	place string // file:line:column
	attrs map[string]string
}

type rawEdge struct {
	source, target string
	place          string
	attrs          map[string]string
}

// first returns the first of the attributes that is there and not empty.
func first(attrs map[string]string, names ...string) (value, name string) {
	for _, n := range names {
		if v := strings.TrimSpace(attrs[n]); v != "" {
			return v, n
		}
	}
	return "", ""
}

// topology turns the graph into a network, counting whatever it has to guess.
func (g *rawGraph) topology() (*Topology, error) {
	b := newBuilder(g.name)
	b.directed = g.directed
	pseudo, outside := 0, 0
	noIsland := map[int]bool{}
	for _, n := range g.nodes {
		if b.knows(n.key) {
			return nil, fmt.Errorf("%s: node %q stands twice", n.place, n.key)
		}
		label, _ := first(n.attrs, "label", "name")
		r := Router{City: label}
		if err := nodePosition(n, &r); err != nil {
			return nil, err
		}
		at, err := b.router(n.key, label, r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n.place, err)
		}
		if v, _ := first(n.attrs, "hyperedge"); v != "" && v != "0" {
			pseudo++
			noIsland[at] = true
		}
		if v, _ := first(n.attrs, "internal"); v == "0" {
			outside++
			noIsland[at] = true
			b.t.Routers[at].Outside = true
		}
	}
	for _, e := range g.edges {
		l, err := b.rawLink(e)
		if err != nil {
			return nil, err
		}
		if err := b.link(l); err != nil {
			return nil, fmt.Errorf("%s: %w", e.place, err)
		}
	}
	for i, r := range b.t.Routers {
		if !noIsland[i] {
			b.t.Islands = append(b.t.Islands, Island{r.ID, i, DefaultAccess, DefaultAccess})
		}
	}
	b.t.changed(ChangedCharset, count(g.latin1), "the file is not UTF-8: read as ISO-8859-1")
	b.t.changed(ChangedHyperedges, pseudo, "%d hyperedge nodes kept as routers without island", pseudo)
	b.t.changed(ChangedOutsidePeers, outside, "%d outside peers kept as routers without island", outside)
	return b.finish()
}

func nodePosition(n rawNode, r *Router) error {
	lat, latName := first(n.attrs, "latitude", "lat")
	lon, lonName := first(n.attrs, "longitude", "lon", "lng")
	if lat == "" || lon == "" {
		return nil
	}
	var err error
	if r.Lat, err = strconv.ParseFloat(lat, 64); err != nil {
		return fmt.Errorf("%s: node %q has %s %q, want degrees", n.place, n.key, latName, lat)
	}
	if r.Lon, err = strconv.ParseFloat(lon, 64); err != nil {
		return fmt.Errorf("%s: node %q has %s %q, want degrees", n.place, n.key, lonName, lon)
	}
	if !validPosition(r.Lat, r.Lon) {
		return fmt.Errorf("%s: node %q lies at %s, %s: want latitude -90 to 90, longitude -180 to 180", n.place, n.key, lat, lon)
	}
	r.HasPosition = true
	return nil
}

// rawLink reads an edge's attributes.
func (b *builder) rawLink(e rawEdge) (builtLink, error) {
	l := builtLink{latency: unknown}
	var ok bool
	for _, end := range []struct {
		at  *int
		key string
	}{{&l.a, e.source}, {&l.b, e.target}} {
		if *end.at, ok = b.index[end.key]; !ok {
			return l, fmt.Errorf("%s: edge names unknown node %q%s", e.place, end.key, text.DidYouMean(end.key, b.keys))
		}
	}
	if err := b.speed(&l, e); err != nil {
		return l, err
	}
	return l, b.delay(&l, e)
}

// speed finds an edge's bandwidth in the attributes that files use, else in its label.
func (b *builder) speed(l *builtLink, e rawEdge) error {
	v, name := first(e.attrs, "bandwidth", "bandwidth_gbps", "bandwidth_mbps", "capacity", "capacity_gbps", "capacity_mbps", "linkspeedraw")
	if v != "" {
		plain, err := strconv.ParseFloat(v, 64)
		switch {
		case err != nil:
			l.bandwidth, err = units.Bandwidth(v)
		case strings.HasSuffix(name, "_gbps"):
			l.bandwidth = plain * 1e9
		case strings.HasSuffix(name, "_mbps"):
			l.bandwidth = plain * 1e6
		case name == "linkspeedraw":
			l.bandwidth = plain
		default: // no unit: bit/s where the number is large, else Gbps
			if l.bandwidth = plain; plain < bareBits {
				l.bandwidth = plain * 1e9
			}
			b.bareSpeeds++
		}
		if err != nil || !isBandwidth(l.bandwidth) {
			return fmt.Errorf("%s: %s %q is no bandwidth from %g to %g bit/s (for instance 10Gbps)", e.place, name, v, MinBandwidth, MaxBandwidth)
		}
		return nil
	}
	for _, label := range []string{"linklabel", "linktype", "label", "name"} {
		if s, ok := speedOf(e.attrs[label]); ok {
			l.bandwidth, l.fromLabel = s, true
			return nil
		}
	}
	return nil
}

// bareBits is the number from which a speed without a unit is taken as bit/s: no link is a million Gbps.
const bareBits = 1e6

// delay finds an edge's one-way latency, else its length.
func (b *builder) delay(l *builtLink, e rawEdge) error {
	v, name := first(e.attrs, "latency", "latency_ms", "delay", "delay_ms", "rtt_ms")
	if v != "" {
		plain, err := strconv.ParseFloat(v, 64)
		if err != nil {
			l.latency, err = units.Seconds(v)
		} else {
			l.latency = plain / 1e3
			if name == "rtt_ms" {
				l.latency = plain / 2e3
			}
			if !strings.HasSuffix(name, "_ms") {
				b.bareDelays++
			}
		}
		if err != nil || !(l.latency >= 0 && l.latency <= MaxLatency) {
			return fmt.Errorf("%s: %s %q is no latency from 0 to %g s (for instance 10ms)", e.place, name, v, MaxLatency)
		}
		return nil
	}
	if v, name := first(e.attrs, "dist", "length_km", "distance_km"); v != "" {
		km, err := strconv.ParseFloat(v, 64)
		if err != nil || !(km >= 0 && fiberLatency(km) <= MaxLatency) {
			return fmt.Errorf("%s: %s %q is no length in km", e.place, name, v)
		}
		l.latency, l.fromMap = fiberLatency(km), true
	}
	return nil
}
