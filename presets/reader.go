package presets

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/islandsgd/islands/internal/units"
)

// reader reads settings and keeps the first error, so that a quantity reads like its formula.
type reader struct {
	s   Settings
	err error
}

func (r *reader) fail(format string, a ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, a...)
	}
}

// missing says why a quantity has no value under these settings, which are no mistake.
func (r *reader) missing(format string, a ...any) {
	if r.err == nil {
		r.err = noValue{fmt.Sprintf(format, a...)}
	}
}

// noValue is the error of a quantity that has no value.
type noValue struct{ reason string }

func (e noValue) Error() string { return e.reason }

// check keeps an error of an engine.
func (r *reader) check(err error) {
	if err != nil {
		r.fail("%w", err)
	}
}

func (r *reader) has(key string) bool { _, ok := r.s[key]; return ok }

// text returns a setting that must be there.
func (r *reader) text(key string) string {
	v, ok := r.s[key]
	if !ok {
		r.fail("setting %q is missing", key)
	}
	return v
}

// or returns a setting or a default.
func (r *reader) or(key, def string) string {
	if v, ok := r.s[key]; ok {
		return v
	}
	return def
}

func (r *reader) quantity(key string, read func(string) (float64, error)) float64 {
	v := r.text(key)
	if r.err != nil {
		return math.NaN()
	}
	x, err := read(v)
	if err != nil {
		r.fail("setting %s: %w", key, err)
	}
	return x
}

func (r *reader) bytes(key string) float64   { return r.quantity(key, units.Bytes) }
func (r *reader) seconds(key string) float64 { return r.quantity(key, units.Seconds) }
func (r *reader) rate(key string) float64    { return r.quantity(key, units.Bandwidth) }

func (r *reader) number(key string) float64 {
	return r.quantity(key, func(s string) (float64, error) {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, fmt.Errorf("%q is no finite number", s)
		}
		return v, nil
	})
}

func (r *reader) int(key string) int {
	v := r.number(key)
	if r.err == nil && v != math.Trunc(v) {
		r.fail("setting %s: %g is no whole number", key, v)
	}
	return int(v)
}

// list splits a setting at blanks.
func (r *reader) list(key string) []string { return strings.Fields(r.text(key)) }

// merged returns settings with changes applied.
func merged(s, changes Settings) Settings {
	out := Settings{}
	for k, v := range s {
		out[k] = v
	}
	for k, v := range changes {
		out[k] = v
	}
	return out
}
