// Package network describes the wide-area network that the islands share: routers, links, islands, and what each
// router can do with traffic that passes through it.
//
// A plain router forwards. A router with multicast copies: one packet in, several out, so a sender's payload crosses
// each link once however many receive it. A router with aggregation (an in-line FPGA) sums: several payloads in, one
// out. Together they turn an all-reduce over k islands from 2(k-1)/k payloads through each access link into one.
//
// Links are full duplex: each is two arcs with their own capacity. An island hangs on one router by an access link
// with an egress and an ingress arc of latency 0. Quantities are bit/s and seconds, sizes bytes.
//
// Load reads a topology by preset name, as a family on one line ("star:n=9"), or from a file; NewGraph compiles it
// into arcs and lowest-latency routes; Capability says which routers take part in what.
package network

import "fmt"

// Topology is a network as it stands in a file: what is connected to what, and who can do what.
type Topology struct {
	Name    string
	Routers []Router
	Links   []Link
	Islands []Island

	// Warnings say what was guessed or changed while reading, with counts; Changes are the same for programs.
	Warnings []string
	Changes  []Change
	// Guessed counts the links whose bandwidth or latency was not in the file.
	Guessed struct{ Bandwidth, Latency int }
}

// Change is one kind of thing that a reader guessed or changed, and how often.
type Change struct {
	Kind  string `json:"kind"` // one of the Changed constants
	Count int    `json:"count"`
}

// Kinds of changes.
const (
	ChangedSpeedFromLabel = "speed-from-label"    // a speed read out of a label such as OC-192
	ChangedSpeedDefault   = "speed-assumed"       // no speed anywhere
	ChangedSpeedUnit      = "speed-unit"          // a speed without a unit
	ChangedLatencyFromMap = "latency-from-map"    // a latency from coordinates or a length
	ChangedLatencyDefault = "latency-assumed"     // neither a latency nor coordinates
	ChangedLatencyUnit    = "latency-unit"        // a latency without a unit
	ChangedParallelLinks  = "parallel-links"      // links merged into one
	ChangedSelfLoops      = "self-loops"          // links dropped
	ChangedOneWayLinks    = "one-way-links"       // directed links taken as full duplex, or unequal directions
	ChangedHyperedges     = "hyperedge-nodes"     // pseudo-nodes kept as routers without island
	ChangedOutsidePeers   = "outside-peers"       // peers kept as routers without island
	ChangedNames          = "names"               // names made usable or unique
	ChangedCharset        = "charset"             // a file that is not UTF-8, read as ISO-8859-1
	ChangedInsideMetro    = "links-inside-metros" // links between devices that became one router
)

// Router is a city's exchange.
type Router struct {
	ID, City    string
	HasPosition bool
	Lat, Lon    float64 // degrees, where HasPosition
	Multicast   bool
	Aggregation *Aggregation // nil: none
	Outside     bool         // a peer beyond the network's own border, which has no island unless the file says so
}

// Aggregation describes an in-line aggregator. A zero field is no limit.
type Aggregation struct {
	Throughput float64 // bit/s, over the merged inputs together
	Contexts   int     // trees that it can merge at once
	Buffer     float64 // bytes
}

// Link connects routers A and B (indices) in both directions.
type Link struct {
	A, B      int
	Bandwidth float64 // bit/s, each way
	Latency   float64 // seconds, one way
}

// Island is a site that trains a replica of its own, attached to a router.
type Island struct {
	ID              string
	Router          int
	Egress, Ingress float64 // bit/s
}

// DefaultAccess is the bandwidth in bit/s of an access link whose file does not give one.
const DefaultAccess = 10e9

// IslandNames returns the islands' names in order: the nodes of every schedule on this network.
func (t *Topology) IslandNames() []string {
	names := make([]string, len(t.Islands))
	for i, s := range t.Islands {
		names[i] = s.ID
	}
	return names
}

// RouterNames returns the routers' names in order.
func (t *Topology) RouterNames() []string {
	names := make([]string, len(t.Routers))
	for i, r := range t.Routers {
		names[i] = r.ID
	}
	return names
}

// WithAccess returns a copy in which every island's egress and ingress are the given bit/s. The copy shares routers
// and links with t.
func (t *Topology) WithAccess(bitPerSecond float64) *Topology {
	c := *t
	c.Islands = make([]Island, len(t.Islands))
	for i, s := range t.Islands {
		s.Egress, s.Ingress = bitPerSecond, bitPerSecond
		c.Islands[i] = s
	}
	return &c
}

// attachIslands gives every router inside the network an island of its name.
func (t *Topology) attachIslands(access float64) {
	for i, r := range t.Routers {
		if !r.Outside {
			t.Islands = append(t.Islands, Island{ID: r.ID, Router: i, Egress: access, Ingress: access})
		}
	}
}

// changed records what a reader guessed or changed, unless it did not.
func (t *Topology) changed(kind string, count int, format string, a ...any) {
	if count > 0 {
		t.Changes = append(t.Changes, Change{kind, count})
		t.Warnings = append(t.Warnings, fmt.Sprintf(format, a...))
	}
}
