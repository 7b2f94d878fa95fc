package netsim

// Result is what a simulation found.
type Result struct {
	Seconds float64 `json:"seconds"` // when the last round that counts was over
	Rounds  int     `json:"rounds"`  // that all islands ended

	Utilization Utilization     `json:"utilization"`
	Islands     []IslandTime    `json:"islands"`
	Waits       []WaitedFor     `json:"waits"` // longest first
	Links       []LinkUse       `json:"links"`
	Routers     []Passage       `json:"routers"`
	Events      []Event         `json:"events"`
	Omitted     int             `json:"events_omitted"` // ordinary events beyond the first MaxEvents
	Disturbed   DisturbedRounds `json:"disturbed"`
	Warnings    []string        `json:"-"`
}

// Utilization is how much of the time what could work did.
type Utilization struct {
	Compute float64 `json:"compute"` // of the islands, on average
	Network float64 `json:"network"` // bits over links, of what all links could have carried
}

// IslandTime is how one island spent its time, in seconds. With overlap, computing and communicating go on at once and
// both count in full.
type IslandTime struct {
	Island      string  `json:"island"`
	Compute     float64 `json:"compute_seconds"`
	Wait        float64 `json:"wait_seconds"`
	Communicate float64 `json:"communicate_seconds"`
	Rounds      int     `json:"rounds"`  // ended
	Skipped     int     `json:"skipped"` // in which it should have averaged and did not
}

// WaitedFor is how long one island waited for another.
type WaitedFor struct {
	Island  string  `json:"island"`
	For     string  `json:"for"`
	Seconds float64 `json:"seconds"`
}

// LinkUse is what one arc carried.
type LinkUse struct {
	From        string  `json:"from"`
	To          string  `json:"to"`
	Kind        string  `json:"kind"`
	Bytes       float64 `json:"bytes"`
	Utilization float64 `json:"utilization"` // over all seconds, of the capacity that it had
}

// Passage is what one router did with the bytes of finished transfers:
//
//	in + copied = out + merged + dropped
type Passage struct {
	Router  string  `json:"router"`
	In      float64 `json:"in_bytes"`
	Out     float64 `json:"out_bytes"`
	Copied  float64 `json:"copied_bytes"`  // sent on beyond what came in: by multicast, and again after losses
	Merged  float64 `json:"merged_bytes"`  // summed into others
	Dropped float64 `json:"dropped_bytes"` // lost on the link that they came by

	index int
}

// Event is something that happened.
type Event struct {
	Seconds float64  `json:"seconds"`
	Kind    string   `json:"kind"`
	Round   int      `json:"round,omitempty"`   // from 1
	Islands []string `json:"islands,omitempty"` // whom it concerns
	Link    string   `json:"link,omitempty"`
	Note    string   `json:"note,omitempty"`
}

// Kinds of events. The first three are ordinary, the others are kept even when there are many events.
const (
	EventSend   = "send"      // a clique begins to exchange
	EventArrive = "arrive"    // a clique has its average
	EventRound  = "round-end" // all islands have ended a round

	EventFail      = "link-down"
	EventRepair    = "link-up"
	EventBandwidth = "bandwidth"
	EventReroute   = "reroute"   // what was under way goes on along other routes
	EventCutOff    = "cut-off"   // members of a clique do not reach one another
	EventSkip      = "skip"      // a clique gives up its average
	EventReform    = "re-form"   // the parts of a clique average on their own
	EventLate      = "left-late" // a clique goes on without members that are not ready
)

// MaxEvents bounds the ordinary events of a result, and the others, one by one.
const MaxEvents = 1000

// DisturbedRounds counts what did not go as scheduled.
type DisturbedRounds struct {
	Rerouted int `json:"rerouted"`
	Skipped  int `json:"skipped"`
	Reformed int `json:"reformed"`
	Late     int `json:"late"`
}
