// Package network describes the wide-area network that the islands share: routers, links, islands, and what each
// router can do with traffic that passes through it.
//
// A plain router forwards. A router with multicast copies: one packet in, several out, so a sender's payload crosses
// each link once however many receive it. A router with aggregation (an in-line FPGA) sums: several payloads in, one
// out. Together they turn an all-reduce over k islands from 2(k-1)/k payloads through each access link into one.
//
// Links are full duplex: each is two arcs with their own capacity. An island hangs on one router by an access link
// with an egress and an ingress arc of latency 0. Quantities are bit/s and seconds, sizes bytes.
package network

// Topology is a network as it stands in a file: what is connected to what, and who can do what.
type Topology struct {
	Name    string
	Routers []Router
	Links   []Link
	Islands []Island

	// Warnings say what was guessed or changed while reading, with counts.
	Warnings []string
	// Guessed counts the links whose bandwidth or latency was not in the file.
	Guessed struct{ Bandwidth, Latency int }
}

// Router is a city's exchange.
type Router struct {
	ID, City    string
	HasPosition bool
	Lat, Lon    float64 // degrees, where HasPosition
	Multicast   bool
	Aggregation *Aggregation // nil: none
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

// Capability says which routers replicate and which sum: one entry per router.
type Capability struct {
	Multicast, Aggregation []bool
}
