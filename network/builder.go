package network

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/islandsgd/islands/internal/units"
)

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
