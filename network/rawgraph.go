package network

import (
	"fmt"
	"math"
	"slices"
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
		if err != nil || !isPositive(l.bandwidth) {
			return fmt.Errorf("%s: %s %q is no bandwidth above 0 (for instance 10Gbps)", e.place, name, v)
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

// unknown marks a latency that is still to be found.
const unknown = -1

// builtLink is a link in the making; bandwidth 0 and latency unknown are still to be found.
type builtLink struct {
	a, b               int
	bandwidth, latency float64
	fromLabel          bool // bandwidth
	fromMap, assumed   bool // latency
	assumedSpeed       bool
}

// builder gathers routers and links of a file that may repeat, omit and contradict itself.
type builder struct {
	t        *Topology
	directed bool
	index    map[string]int // router by the file's key
	keys     []string
	names    map[string]bool
	links    []builtLink

	renamed, loops, bareSpeeds, bareDelays int
}

func newBuilder(name string) *builder {
	return &builder{t: &Topology{Name: name}, index: map[string]int{}, names: map[string]bool{}}
}

func (b *builder) knows(key string) bool {
	_, ok := b.index[key]
	return ok
}

// router adds a router under the file's key, named by its label, or by the key when it has none.
func (b *builder) router(key, label string, r Router) (int, error) {
	if len(b.t.Routers) == MaxRouters {
		return 0, fmt.Errorf("more than %d nodes", MaxRouters)
	}
	switch label {
	case "":
		label = key
	case "None": // how the Topology Zoo writes that there is none
		label = "node " + key
	}
	name := usableName(label)
	base := name
	for n := 2; b.names[name]; n++ {
		name = base + " " + strconv.Itoa(n)
	}
	if name != label {
		b.renamed++
	}
	b.names[name] = true
	r.ID = name
	at := len(b.t.Routers)
	b.index[key] = at
	b.keys = append(b.keys, key)
	b.t.Routers = append(b.t.Routers, r)
	return at, nil
}

// usableName makes a label fit for lists of names on the command line.
func usableName(label string) string {
	name := strings.Map(func(r rune) rune {
		if r == ',' || r == '|' || r < ' ' || r == 0x7f || r == '\uFFFD' || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(label, " "))
	name = strings.Join(strings.Fields(name), " ")
	for len(name) > 190 { // whole runes, and room for a number
		name = strings.TrimSpace(name[:strings.LastIndexFunc(name, func(rune) bool { return true })])
	}
	if name == "" {
		return "unnamed"
	}
	return name
}

func (b *builder) link(l builtLink) error {
	if len(b.links) == MaxLinks {
		return fmt.Errorf("more than %d links", MaxLinks)
	}
	if l.a == l.b {
		b.loops++
		return nil
	}
	b.links = append(b.links, l)
	return nil
}

// finish fills what is missing, merges parallel links and validates.
func (b *builder) finish() (*Topology, error) {
	b.fillLatencies()
	for i := range b.links {
		if b.links[i].bandwidth == 0 {
			b.links[i].bandwidth, b.links[i].assumedSpeed = assumedSpeed, true
		}
	}
	merged, oneWay := b.merge()
	labels, fromMap, assumedDelays := 0, 0, 0
	for _, l := range b.links {
		b.t.Links = append(b.t.Links, Link{l.a, l.b, l.bandwidth, l.latency})
		labels += count(l.fromLabel)
		fromMap += count(l.fromMap)
		assumedDelays += count(l.assumed)
		b.t.Guessed.Bandwidth += count(l.assumedSpeed)
		b.t.Guessed.Latency += count(l.fromMap || l.assumed)
	}
	b.t.changed(ChangedSpeedFromLabel, labels, "speed of %d links read from their labels", labels)
	b.t.changed(ChangedSpeedDefault, b.t.Guessed.Bandwidth, "speed of %d links is not in the file: 10 Gbps assumed", b.t.Guessed.Bandwidth)
	b.t.changed(ChangedSpeedUnit, b.bareSpeeds, "speed of %d links has no unit: taken as bit/s from 1000000 on, as Gbps below", b.bareSpeeds)
	b.t.changed(ChangedLatencyFromMap, fromMap, "latency of %d links taken from coordinates or lengths: km / (204 km/ms) × 1.4", fromMap)
	if assumedDelays > 0 {
		b.t.changed(ChangedLatencyDefault, assumedDelays, "latency of %d links can not be known: %s assumed", assumedDelays,
			units.FormatSeconds(b.medianLatency()))
	}
	b.t.changed(ChangedLatencyUnit, b.bareDelays, "latency of %d links has no unit: taken as ms", b.bareDelays)
	b.t.changed(ChangedParallelLinks, merged, "%d parallel links merged: bandwidths added up, least latency kept", merged)
	b.t.changed(ChangedOneWayLinks, oneWay, "%d directed links taken as full duplex, the slower direction where they differ", oneWay)
	b.t.changed(ChangedSelfLoops, b.loops, "%d links from a router to itself dropped", b.loops)
	b.t.changed(ChangedNames, b.renamed, "%d names changed to be unique and free of commas", b.renamed)
	return b.t, b.t.Validate()
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

const (
	assumedSpeed   = 10e9  // bit/s of a link that does not say
	assumedLatency = 10e-3 // seconds, in a file where no latency is known at all
)

func (b *builder) fillLatencies() {
	for i := range b.links {
		l := &b.links[i]
		x, y := b.t.Routers[l.a], b.t.Routers[l.b]
		if l.latency == unknown && x.HasPosition && y.HasPosition {
			l.latency, l.fromMap = fiberLatency(greatCircle(x, y)), true
		}
	}
	typical := b.medianLatency()
	for i := range b.links {
		if l := &b.links[i]; l.latency == unknown {
			l.latency, l.assumed = typical, true
		}
	}
}

// medianLatency returns the lower median of the latencies that are known.
func (b *builder) medianLatency() float64 {
	var known []float64
	for _, l := range b.links {
		if l.latency != unknown && !l.assumed {
			known = append(known, l.latency)
		}
	}
	if len(known) == 0 {
		return assumedLatency
	}
	slices.Sort(known)
	return known[(len(known)-1)/2]
}

// merge joins parallel links, in the order in which pairs first appear: bandwidths add up, the least latency stays.
// In a directed graph the two directions are one full-duplex link of the slower one's bandwidth.
func (b *builder) merge() (merged, oneWay int) {
	type pair struct{ low, high int }
	type both struct {
		link    builtLink
		forward float64 // bandwidth from low to high
		back    float64
	}
	at := map[pair]int{}
	var list []both
	for _, l := range b.links {
		key := pair{min(l.a, l.b), max(l.a, l.b)}
		i, known := at[key]
		if !known {
			i = len(list)
			at[key] = i
			list = append(list, both{link: l})
		}
		m := &list[i]
		way := &m.forward
		if b.directed && l.a != key.low {
			way = &m.back
		}
		if *way > 0 {
			merged++
		}
		*way += l.bandwidth
		if known {
			if l.latency < m.link.latency {
				m.link.latency, m.link.fromMap, m.link.assumed = l.latency, l.fromMap, l.assumed
			}
			m.link.fromLabel = m.link.fromLabel || l.fromLabel
			m.link.assumedSpeed = m.link.assumedSpeed || l.assumedSpeed
		}
	}
	b.links = b.links[:0]
	for _, m := range list {
		m.link.bandwidth = m.forward
		if b.directed {
			oneWay += count(m.forward != m.back)
			m.link.bandwidth = m.forward
			if m.back > 0 && (m.back < m.forward || m.forward == 0) {
				m.link.bandwidth = m.back
			}
		}
		m.link.bandwidth = min(m.link.bandwidth, math.MaxFloat64)
		b.links = append(b.links, m.link)
	}
	return merged, oneWay
}
