package collective

// Names of the collectives.
const (
	Exchange = "exchange"
	Hub      = "hub"
	Sharded  = "sharded"
	Ring     = "ring"
	Best     = "best"
)

// Collectives returns the names that Options.Collective accepts.
func Collectives() []string {
	return []string{Best, Exchange, Hub, Sharded, Ring, Packed, ShardedOptimal}
}

// The two carriages of an exchange.
const (
	ByBroadcast = "broadcast" // one broadcast tree per sender
	ByReduce    = "reduce"    // one reduce tree per receiver
)

// Price is what a round costs, and why.
type Price struct {
	Cliques     [][]string   `json:"cliques"`     // by island name, as the round lists them; empty for other rounds
	Collectives []Collective `json:"collectives"` // one per clique
	// Carriage is how a round that is not made of cliques is carried; nil for rounds that are.
	Carriage *string `json:"carriage,omitempty"`

	Seconds          float64 `json:"seconds"` // the sum of the next two
	BandwidthSeconds float64 `json:"bandwidth_seconds"`
	LatencySeconds   float64 `json:"latency_seconds"`

	Packing *Packing `json:"packing,omitempty"` // packed and sharded:optimal

	LowerBound LowerBound  `json:"lower_bound"`
	Bottleneck *Bottleneck `json:"bottleneck"` // nil when nothing is sent
	Links      []LinkLoad  `json:"links"`      // every arc that carries something, access arcs included

	// Warnings say what could not be proven.
	Warnings []string `json:"-"`
}

// Collective is how one clique is averaged.
type Collective struct {
	Name     *string  `json:"name"`      // nil for a clique of one, which has nothing to do
	Root     *string  `json:"root"`      // hub: the island or router
	RootKind *string  `json:"root_kind"` // hub: "island" or "router"
	Order    []string `json:"order"`     // ring: the islands in sending order
	Carriage *string  `json:"carriage"`  // exchange: "broadcast" or "reduce"
}

// LowerBound holds seconds that no way of carrying the round can beat, latency left aside. A nil bound was not
// computed.
type LowerBound struct {
	Cut       *float64 `json:"cut_seconds"`
	Partition *float64 `json:"partition_seconds"`
	Egress    *float64 `json:"egress_seconds"`
	Packing   *float64 `json:"packing_seconds"`
}

// Bottleneck is what decides the bandwidth seconds: an arc, or under Limits an aggregator (From and To are its router)
// or the transport of some pair of ends (no names).
type Bottleneck struct {
	From string `json:"from"`
	To   string `json:"to"`
	Kind string `json:"kind"` // "link", "egress", "ingress", "aggregator" or "connection"
}

// Kinds of bottlenecks beside the kinds of arcs.
const (
	KindAggregator = "aggregator"
	KindConnection = "connection"
)

// LinkLoad is what one arc carries in a round. Utilization is relative to the bandwidth seconds: the bottleneck has 1.
type LinkLoad struct {
	From        string  `json:"from"`
	To          string  `json:"to"`
	Kind        string  `json:"kind"`
	Bytes       float64 `json:"bytes"`
	Utilization float64 `json:"utilization"`
}
