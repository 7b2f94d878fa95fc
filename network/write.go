package network

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/islandsgd/islands/internal/units"
)

// Write returns the topology in the native YAML format. Reading it back gives the same topology to the last bit, but
// for Changes and Guessed: what was guessed is a fact of the new file, and Warnings become comments at its head.
func Write(t *Topology) ([]byte, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	if err := t.writable(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for _, w := range t.Warnings {
		fmt.Fprintf(&b, "# %s\n", oneLine(w))
	}
	fmt.Fprintf(&b, "name: %s\nrouters:\n", quote(t.Name))
	for _, r := range t.Routers {
		fmt.Fprintf(&b, "  - {id: %s", quote(r.ID))
		if r.City != "" && r.City != r.ID {
			fmt.Fprintf(&b, ", city: %s", quote(r.City))
		}
		if r.HasPosition {
			fmt.Fprintf(&b, ", lat: %s, lon: %s", number(r.Lat), number(r.Lon))
		}
		if r.Multicast {
			b.WriteString(", multicast: true")
		}
		if r.Aggregation != nil {
			fmt.Fprintf(&b, ", aggregation: %s", writeAggregation(r.Aggregation))
		}
		if r.Outside {
			b.WriteString(", outside: true")
		}
		b.WriteString("}\n")
	}
	if len(t.Links) > 0 {
		b.WriteString("links:\n")
	}
	for _, l := range t.Links {
		fmt.Fprintf(&b, "  - {between: [%s, %s], bandwidth: %s, latency: %s}\n", quote(t.Routers[l.A].ID),
			quote(t.Routers[l.B].ID), bandwidth(l.Bandwidth), latency(l.Latency))
	}
	if !t.defaultIslands() {
		b.WriteString("islands:")
		if len(t.Islands) == 0 {
			b.WriteString(" []")
		}
		b.WriteByte('\n')
		for _, s := range t.Islands {
			fmt.Fprintf(&b, "  - {id: %s, router: %s, egress: %s, ingress: %s}\n", quote(s.ID), quote(t.Routers[s.Router].ID),
				bandwidth(s.Egress), bandwidth(s.Ingress))
		}
	}
	return b.Bytes(), nil
}

// writable refuses names that a file could not hold.
func (t *Topology) writable() error {
	for _, name := range slices.Concat(t.RouterNames(), t.IslandNames()) {
		if why := badName(name); why != "" {
			return fmt.Errorf("topology %q: name %q %s", t.Name, name, why)
		}
	}
	return nil
}

// defaultIslands reports whether the islands are those that a file without any has.
func (t *Topology) defaultIslands() bool {
	d := Topology{Routers: t.Routers}
	d.attachIslands(DefaultAccess)
	return slices.Equal(d.Islands, t.Islands)
}

func writeAggregation(a *Aggregation) string {
	var parts []string
	if a.Throughput > 0 {
		parts = append(parts, "throughput: "+bandwidth(a.Throughput))
	}
	if a.Contexts > 0 {
		parts = append(parts, "contexts: "+strconv.Itoa(a.Contexts))
	}
	if a.Buffer > 0 {
		parts = append(parts, "buffer: "+exactly(a.Buffer, units.Bytes, writtenUnit{"GB", 1e9}, writtenUnit{"MB", 1e6}, writtenUnit{"B", 1}))
	}
	if len(parts) == 0 {
		return "true"
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// plainName is what YAML reads as a text without quotes.
var plainName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// quote quotes a text where YAML would read something else: NO is Norway, not false.
func quote(s string) string {
	reserved := []string{"true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf"}
	if plainName.MatchString(s) && !slices.Contains(reserved, strings.ToLower(s)) {
		return s
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a string can always be encoded
	}
	return strings.TrimSpace(b.String())
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func bandwidth(v float64) string {
	return exactly(v, units.Bandwidth, writtenUnit{"Gbps", 1e9}, writtenUnit{"Mbps", 1e6}, writtenUnit{"bps", 1})
}

func latency(v float64) string {
	return exactly(v, units.Seconds, writtenUnit{"ms", 1e-3}, writtenUnit{"us", 1e-6}, writtenUnit{"s", 1})
}

type writtenUnit struct {
	name  string
	scale float64
}

// exactly writes v in the first of the units in which a short number reads back as the same bits, else in the last,
// the base unit, with all its digits.
func exactly(v float64, read func(string) (float64, error), candidates ...writtenUnit) string {
	for _, u := range candidates {
		s := strconv.FormatFloat(v/u.scale, 'g', shortDigits, 64)
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			s = number(f) + u.name // without trailing zeros
		}
		if back, err := read(s); err == nil && back == v {
			return s
		}
	}
	return number(v) + candidates[len(candidates)-1].name
}

// shortDigits hides the rounding of a division by the unit, the 16th digit, and is more than any file gives.
const shortDigits = 12
