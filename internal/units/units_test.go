package units

import (
	"math"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		read func(string) (float64, error)
		in   string
		want float64
	}{
		{Bytes, "1GB", 1e9}, {Bytes, "2GiB", 2 << 30}, {Bytes, "500 MB", 5e8}, {Bytes, "1.5e3kB", 1.5e6}, {Bytes, "0", 0},
		{Bandwidth, "10Gbps", 1e10}, {Bandwidth, "50Mbit/s", 5e7},
		{Seconds, "1.45ms", 1.45e-3}, {Seconds, "2m", 120}, {Seconds, "1h", 3600}, {Seconds, "3e-2s", 0.03},
	} {
		got, err := c.read(c.in)
		if err != nil || got != c.want {
			t.Errorf("%q: got %v, %v, want %v", c.in, got, err, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct {
		read func(string) (float64, error)
		in   string
		want string // part of the message
	}{
		{Bytes, "1Gb", `unknown unit "Gb" (did you mean "GB"?)`}, {Bytes, "1", "no unit"}, {Bytes, "GB", "no number"},
		{Bytes, "-1GB", "negative"}, {Bytes, "1e400B", "no number"}, {Bytes, "NaNB", "no number"},
		{Bandwidth, "10GB", "unknown unit"}, {Seconds, "5", "no unit"}, {Bytes, "1e300TB", "too large"},
	} {
		if _, err := c.read(c.in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want one with %q", c.in, err, c.want)
		}
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{FormatBytes(1.25e9), "1.25 GB"}, {FormatBandwidth(1e10), "10 Gbps"}, {FormatSeconds(0.00145), "1.45 ms"},
		{FormatSeconds(0), "0 s"}, {FormatSeconds(2.117682), "2.118 s"}, {FormatBytes(0), "0 B"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("1GB")
	f.Fuzz(func(t *testing.T, s string) {
		for _, read := range []func(string) (float64, error){Bytes, Bandwidth, Seconds} {
			if v, err := read(s); err == nil && !(v >= 0 && v <= math.MaxFloat64) {
				t.Fatalf("%q read as %v", s, v)
			}
		}
	})
}
