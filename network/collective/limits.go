package collective

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/islandsgd/islands/network"
)

// Limits are what real routers, transports and encodings add to the model. Everything is off at its zero value.
//
// Aggregators: a router in the topology may state a throughput, contexts and a buffer of its own, which hold where the
// capability makes it sum; the fields here hold for every other one.
type Limits struct {
	// Ingest is the rate in bit/s at which an aggregator can take in what it merges, all inputs together.
	Ingest float64
	// Contexts is the number of reduce trees that an aggregator can merge in one round.
	Contexts int
	// Buffer is an aggregator's memory in bytes. Inputs wait for the latest one: each needs its rate times the skew of
	// its merge, plus the time of recovering a loss.
	Buffer float64
	// Paced senders start so that inputs arrive together: the skew is then Jitter instead of the difference of delays.
	Paced bool
	// Jitter is the skew in seconds of paced inputs.
	Jitter float64
	// Recovery is the round trip in seconds that a lost packet adds to the wait.
	Recovery float64

	// Window is a TCP connection's window in bytes: its rate is at most Window / RTT.
	Window float64
	// MSS (bytes) and Loss (probability) bound a TCP connection's rate by 1.22 MSS / (RTT √Loss) (Mathis, Semke,
	// Mahdavi, Ott, CCR 27(3), 1997).
	MSS, Loss float64
	// Connections is the number of TCP connections between two ends; 0 means 1.
	Connections int

	// FECPackets n and FECRepair r: of n packets of a multicast, r are repair, so it carries n/(n-r) of the payload.
	FECPackets, FECRepair int
	// Header is the overhead in bytes of every packet, and Packet the payload bytes in it; Packet 0 means 1460.
	Header, Packet float64
	// Chunk is the size in bytes of the pieces that are pipelined: every hop forwards whole ones, which adds
	// Chunk / capacity to the latency.
	Chunk float64
	// IntegerBits is the width of integer payloads: a sum of m of them needs ceil(log2 m) bits more. 0 means floats,
	// whose sums are as wide as they are.
	IntegerBits int
}

const (
	defaultPacket = 1460  // bytes: Ethernet's 1500 less IPv4 and TCP headers
	mathis        = 1.22  // √(3/2), the constant of the loss formula
	maxLimit      = 1e30  // keeps products finite
	maxChunk      = 1e12  // bytes
	maxWait       = 3600. // seconds of jitter or recovery
)

func (l *Limits) check() error {
	for _, f := range []struct {
		name  string
		value float64
		most  float64
	}{
		{"ingest", l.Ingest, maxLimit}, {"contexts", float64(l.Contexts), maxLimit}, {"buffer", l.Buffer, maxLimit},
		{"jitter", l.Jitter, maxWait}, {"recovery", l.Recovery, maxWait}, {"window", l.Window, maxLimit},
		{"mss", l.MSS, maxLimit}, {"loss", l.Loss, 1}, {"connections", float64(l.Connections), maxLimit},
		{"header", l.Header, maxLimit}, {"packet", l.Packet, maxLimit}, {"chunk", l.Chunk, maxChunk},
		{"integer bits", float64(l.IntegerBits), 1024},
	} {
		if !(f.value >= 0 && f.value <= f.most) {
			return fmt.Errorf("limit %s of %g, want 0 to %g", f.name, f.value, f.most)
		}
	}
	if (l.MSS > 0) != (l.Loss > 0) {
		return fmt.Errorf("limits mss and loss go together: mss %g, loss %g", l.MSS, l.Loss)
	}
	if l.FECRepair < 0 || l.FECPackets < 0 || l.FECPackets > 0 && l.FECRepair >= l.FECPackets || l.FECPackets == 0 && l.FECRepair > 0 {
		return fmt.Errorf("limit fec %d,%d: want n packets of which r < n are repair", l.FECPackets, l.FECRepair)
	}
	return nil
}

// resources are limits compiled for a topology. A load vector has a row for each arc, and further rows for aggregators.
type resources struct {
	limits  Limits
	payload float64
	rows    int
	ingest  []int     // each router's row of merged inputs, -1 without a limit; nil when no router has one
	buffer  []int     // merged inputs times their wait
	trees   []int     // reduce trees merged
	most    []int     // contexts of each router with a row in trees
	rate    []float64 // bit/s of each router with a row in ingest
	extra   []extraRow

	scale []float64 // seconds that one unit of load takes in each row; 0 for trees, which are a hard limit
	wire  float64   // bytes on the wire for each byte of payload
	flow  float64   // seconds that each trip of a connection takes; 0 without a limit
	fec   float64   // what a multicast carries for each payload

	chunk  []int64 // picoseconds of one chunk on each arc; nil without
	delays []lazyDelay
}

type lazyDelay struct {
	once  sync.Once
	picos []int64
}

// extraRow is what a row beyond the arcs stands for.
type extraRow struct {
	router int
	hard   bool // a count of trees, not a quantity that can be shared out over time
}

func newResources(g *network.Graph, can network.Capability, o Options) *resources {
	l := o.Limits
	r := &resources{limits: l, payload: o.Payload, rows: len(g.Arcs), wire: 1, fec: 1}
	if l.Header > 0 {
		packet := l.Packet
		if packet == 0 {
			packet = defaultPacket
		}
		r.wire = 1 + l.Header/packet
	}
	if l.FECRepair > 0 {
		r.fec = float64(l.FECPackets) / float64(l.FECPackets-l.FECRepair)
	}
	for _, arc := range g.Arcs {
		r.scale = append(r.scale, 8*o.Payload*r.wire/arc.Capacity)
	}
	window := math.Inf(1)
	if l.Window > 0 {
		window = l.Window
	}
	if l.Loss > 0 {
		window = min(window, mathis*l.MSS/math.Sqrt(l.Loss))
	}
	if !math.IsInf(window, 1) {
		r.flow = o.Payload * r.wire / (window * float64(max(1, l.Connections)))
	}
	if l.Chunk > 0 {
		r.chunk = make([]int64, len(g.Arcs))
		for a, arc := range g.Arcs {
			r.chunk[a] = int64(math.Round(min(8*l.Chunk/arc.Capacity, network.MaxLatency) * 1e12))
		}
		r.delays = make([]lazyDelay, len(g.Topology.Routers))
	}
	r.aggregators(g.Topology, can, o.Payload)
	return r
}

// aggregators adds the rows of routers that sum and have limits.
func (r *resources) aggregators(t *network.Topology, can network.Capability, payload float64) {
	n := len(t.Routers)
	rows := func() []int {
		x := make([]int, n)
		for i := range x {
			x[i] = -1
		}
		return x
	}
	ingest, buffer, trees := rows(), rows(), rows()
	r.most, r.rate = make([]int, n), make([]float64, n)
	add := func(row []int, router int, scale float64, hard bool) {
		row[router] = r.rows
		r.rows++
		r.extra = append(r.extra, extraRow{router, hard})
		r.scale = append(r.scale, scale)
	}
	for v, router := range t.Routers {
		if !can.Aggregation[v] {
			continue
		}
		a := network.Aggregation{Throughput: r.limits.Ingest, Contexts: r.limits.Contexts, Buffer: r.limits.Buffer}
		if own := router.Aggregation; own != nil {
			if own.Throughput > 0 {
				a.Throughput = own.Throughput
			}
			if own.Contexts > 0 {
				a.Contexts = own.Contexts
			}
			if own.Buffer > 0 {
				a.Buffer = own.Buffer
			}
		}
		if a.Throughput > 0 {
			r.rate[v] = a.Throughput
			add(ingest, v, 8*payload*r.wire/a.Throughput, false)
		}
		if a.Buffer > 0 {
			add(buffer, v, payload*r.wire/a.Buffer, false)
		}
		if a.Contexts > 0 {
			add(trees, v, 0, true)
			r.most[v] = a.Contexts
		}
	}
	if len(r.extra) > 0 {
		r.ingest, r.buffer, r.trees = ingest, buffer, trees
	}
}

// limited reports whether any aggregator has a limit.
func (r *resources) limited() bool { return r.ingest != nil }

// plain reports whether trees need no accounting beyond copies.
func (r *resources) plain() bool { return r.ingest == nil && r.fec == 1 && r.limits.IntegerBits == 0 }

// width is the size of a sum of m payloads, relative to one.
func (r *resources) width(m int) float64 {
	if r.limits.IntegerBits == 0 || m <= 1 {
		return 1
	}
	return 1 + float64(bits.Len(uint(m-1)))/float64(r.limits.IntegerBits)
}

// countsTrees reports whether a row counts trees.
func (r *resources) countsTrees(row int) bool {
	arcs := r.rows - len(r.extra)
	return row >= arcs && r.extra[row-arcs].hard
}

// over reports whether an aggregator has more trees than contexts, all loads together.
func (r *resources) over(loads ...[]float64) bool {
	for v, row := range r.trees {
		if row < 0 {
			continue
		}
		trees := 0.0
		for _, load := range loads {
			trees += load[row]
		}
		if trees > float64(r.most[v]) {
			return true
		}
	}
	return false
}

// delay returns each router's distance from a root in picoseconds, with a chunk's time on every link.
func (r *resources) delay(g *network.Graph, root int) []int64 {
	tree := g.Tree(root)
	if r.chunk == nil {
		return tree.Picos
	}
	d := &r.delays[root]
	d.once.Do(func() {
		d.picos = make([]int64, len(tree.Picos))
		for _, v := range tree.Order[1:] {
			arc := tree.Into[v]
			d.picos[v] = d.picos[g.Arcs[arc].Tail] + g.Picos(arc) + r.chunk[arc]
		}
	})
	return d.picos
}

// access returns a chunk's time on an access arc.
func (r *resources) access(arc int) int64 {
	if r.chunk == nil {
		return 0
	}
	return r.chunk[arc]
}

// bypasses returns loaders for the choices of which capable routers to use. In-line aggregators that must take every
// byte may be slower than none, so trees may pass them by: all sum, none sums, and every single one is left out or used
// alone. A multicast with repair packets may be slower than plain copies from the sender, so each of these comes with
// multicast and without. Where nothing has a limit using all is never worse.
func (l *loader) bypasses() []*loader {
	all := l.can.Aggregation
	sums := [][]bool{all}
	if l.res.limited() {
		with := func(use func(v int) bool) {
			some := make([]bool, len(all))
			for v, can := range all {
				some[v] = can && use(v)
			}
			sums = append(sums, some)
		}
		with(func(int) bool { return false })
		for v, can := range all {
			if can {
				with(func(w int) bool { return w != v })
				with(func(w int) bool { return w == v })
			}
		}
	}
	copies := [][]bool{l.can.Multicast}
	if l.res.fec != 1 && slices.Contains(l.can.Multicast, true) {
		copies = append(copies, make([]bool, len(l.can.Multicast)))
	}
	var out []*loader
	for _, c := range copies {
		for _, s := range sums {
			out = append(out, newLoader(l.g, network.Capability{Multicast: c, Aggregation: s}, l.res))
		}
	}
	out[0] = l // its scratch
	return out
}
