package netsim

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"

	"github.com/islandsgd/islands/network"
)

// Chrome writes spans and loads in the Trace Event Format of Chrome (the JSON array form), which trace viewers such as
// Perfetto and chrome://tracing open: a thread for each island, a counter for each direction of a link that carries
// anything. It keeps nothing in memory. Times are in microseconds, as the format asks.
type Chrome struct {
	w   *bufio.Writer
	t   *network.Topology
	n   int // events written
	err error
}

// The two processes of a trace.
const (
	pidIslands = 1
	pidLinks   = 2
)

// NewChrome begins a trace. Close ends it.
func NewChrome(w io.Writer, t *network.Topology) *Chrome {
	c := &Chrome{w: bufio.NewWriter(w), t: t}
	c.name("process_name", pidIslands, 0, "islands")
	c.name("process_name", pidLinks, 0, "links (bit/s)")
	for i, x := range t.Islands {
		c.name("thread_name", pidIslands, i, x.ID)
	}
	return c
}

// chromeEvent is one event of the format.
type chromeEvent struct {
	Name     string         `json:"name"`
	Phase    string         `json:"ph"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	Start    json.Number    `json:"ts,omitempty"`
	Duration json.Number    `json:"dur,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

func micros(seconds float64) json.Number {
	return json.Number(strconv.FormatFloat(seconds*1e6, 'f', 3, 64))
}

func (c *Chrome) name(kind string, process, thread int, name string) {
	c.write(chromeEvent{Name: kind, Phase: "M", Process: process, Thread: thread, Args: map[string]any{"name": name}})
}

// Span implements Tracer.
func (c *Chrome) Span(island int, kind string, round int, from, to float64) {
	c.write(chromeEvent{Name: kind, Phase: "X", Process: pidIslands, Thread: island, Start: micros(from), Duration: micros(to - from),
		Args: map[string]any{"round": round}})
}

// Load implements Tracer.
func (c *Chrome) Load(arc int, seconds, bitPerSecond float64) {
	l := c.t.Links[arc/2]
	a, b := c.t.Routers[l.A].ID, c.t.Routers[l.B].ID
	if arc%2 == 1 {
		a, b = b, a
	}
	c.write(chromeEvent{Name: a + " to " + b, Phase: "C", Process: pidLinks, Start: micros(seconds), Args: map[string]any{"bit/s": bitPerSecond}})
}

func (c *Chrome) write(e chromeEvent) {
	if c.err != nil {
		return
	}
	data, err := json.Marshal(e)
	if err != nil {
		c.err = err
		return
	}
	begin := ",\n"
	if c.n == 0 {
		begin = "[\n"
	}
	c.n++
	if _, err := c.w.WriteString(begin); err != nil {
		c.err = err
		return
	}
	_, c.err = c.w.Write(data)
}

// Close ends the trace and returns the first error of writing it. The underlying writer stays open.
func (c *Chrome) Close() error {
	if c.err == nil {
		_, c.err = c.w.WriteString("\n]\n")
	}
	if c.err != nil {
		return c.err
	}
	return c.w.Flush()
}
