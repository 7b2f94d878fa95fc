// Package units reads and prints quantities. Inside the program every quantity is a float64 in bytes, bits per
// second or seconds; units exist only at the edges. Decimal prefixes are powers of 1000, binary ones (KiB, MiB,
// GiB, TiB) powers of 1024. A lower-case b is a bit and an upper-case B a byte: mixing them up is refused, never
// guessed.
package units

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/islandsgd/islands/internal/text"
)

type unit struct {
	name  string
	scale float64
}

var (
	byteUnits = []unit{
		{"B", 1}, {"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
		{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	}
	rateUnits = []unit{
		{"bps", 1}, {"kbps", 1e3}, {"Kbps", 1e3}, {"Mbps", 1e6}, {"Gbps", 1e9}, {"Tbps", 1e12},
		{"bit/s", 1}, {"kbit/s", 1e3}, {"Mbit/s", 1e6}, {"Gbit/s", 1e9}, {"Tbit/s", 1e12},
	}
	timeUnits = []unit{
		{"ns", 1e-9}, {"us", 1e-6}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"m", 60}, {"h", 3600},
	}
)

// Bytes reads a size such as "1GB" or "2GiB" and returns bytes.
func Bytes(s string) (float64, error) { return parse(s, "size", "1GB", byteUnits) }

// Bandwidth reads a rate such as "10Gbps" and returns bits per second.
func Bandwidth(s string) (float64, error) { return parse(s, "bandwidth", "10Gbps", rateUnits) }

// Seconds reads a duration such as "1.45ms" and returns seconds.
func Seconds(s string) (float64, error) { return parse(s, "duration", "100ms", timeUnits) }

// parse reads a non-negative finite number followed by one of the units. A zero may stand without one.
func parse(s, what, example string, units []unit) (float64, error) {
	s = strings.TrimSpace(s)
	end := 0
	for end < len(s) && strings.IndexByte("0123456789.+-", s[end]) >= 0 ||
		end > 0 && end+1 < len(s) && (s[end] == 'e' || s[end] == 'E') && strings.IndexByte("0123456789+-", s[end+1]) >= 0 {
		end++
	}
	number, name := s[:end], strings.TrimSpace(s[end:])
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, fmt.Errorf("%s %q is no number with a unit (for instance %s)", what, s, example)
	}
	if v < 0 {
		return 0, fmt.Errorf("%s %q is negative", what, s)
	}
	if name == "" && v == 0 {
		return 0, nil
	}
	names := make([]string, len(units))
	for i, u := range units {
		names[i] = u.name
		if u.name == name {
			if v *= u.scale; math.IsInf(v, 0) || math.IsNaN(v) {
				return 0, fmt.Errorf("%s %q is too large", what, s)
			}
			return v, nil
		}
	}
	if name == "" {
		return 0, fmt.Errorf("%s %q has no unit (for instance %s)", what, s, example)
	}
	return 0, fmt.Errorf("%s %q has unknown unit %q%s", what, s, name, text.DidYouMean(name, names))
}

// FormatBytes prints a size in the largest decimal unit that keeps it at 1 or above: 1.25e9 is "1.25 GB".
func FormatBytes(v float64) string {
	return format(v, []unit{{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1}})
}

// FormatBandwidth prints a rate in bits per second: 1e10 is "10 Gbps".
func FormatBandwidth(v float64) string {
	return format(v, []unit{{"Tbps", 1e12}, {"Gbps", 1e9}, {"Mbps", 1e6}, {"kbps", 1e3}, {"bps", 1}})
}

// FormatSeconds prints a duration: 0.00145 is "1.45 ms".
func FormatSeconds(v float64) string {
	return format(v, []unit{{"s", 1}, {"ms", 1e-3}, {"µs", 1e-6}, {"ns", 1e-9}})
}

func format(v float64, units []unit) string {
	for _, u := range units {
		if math.Abs(v) >= u.scale {
			return strconv.FormatFloat(v/u.scale, 'g', 4, 64) + " " + u.name
		}
	}
	last := units[len(units)-1]
	if v == 0 {
		for _, u := range units {
			if u.scale == 1 {
				return "0 " + u.name
			}
		}
	}
	return strconv.FormatFloat(v/last.scale, 'g', 4, 64) + " " + last.name
}
