// Package spec reads the one-line form in which families are named on the command line:
//
//	name:key=value,key=value,...
//
// Topologies (star:n=9), schedules (ring:n=8,h=4), problems (quadratic:d=20) and algorithms (delayed:tau=1) all use
// it. Each reader asks for the keys that it knows; Finish then refuses any other by name.
package spec

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/islandsgd/islands/internal/text"
)

// Spec is one parsed line. Getters record the first error; Finish returns it.
type Spec struct {
	Name string
	kind string // "schedule", "topology", ...: for messages
	raw  string
	args map[string]string
	used map[string]bool
	err  error
}

// Parse splits "name:key=value,...". kind says what is being read, for messages.
func Parse(kind, s string) (*Spec, error) {
	sp := &Spec{kind: kind, raw: s, args: map[string]string{}, used: map[string]bool{}}
	name, rest, hasArgs := strings.Cut(strings.TrimSpace(s), ":")
	sp.Name = name
	if name == "" {
		return nil, fmt.Errorf("%s %q has no name", kind, s)
	}
	if !hasArgs {
		return sp, nil
	}
	for part := range strings.SplitSeq(rest, ",") {
		key, value, ok := strings.Cut(part, "=")
		key = strings.TrimSpace(key)
		if !ok || key == "" || value == "" {
			return nil, sp.errorf("%q is not key=value", part)
		}
		if _, twice := sp.args[key]; twice {
			return nil, sp.errorf("key %q stands twice", key)
		}
		sp.args[key] = strings.TrimSpace(value)
	}
	return sp, nil
}

func (s *Spec) errorf(format string, a ...any) error {
	return fmt.Errorf("%s %q: %s", s.kind, s.raw, fmt.Sprintf(format, a...))
}

// Errorf returns an error that names the whole line, for what the reader finds wrong beyond single keys.
func (s *Spec) Errorf(format string, a ...any) error { return s.errorf(format, a...) }

// Has reports whether the key was given.
func (s *Spec) Has(key string) bool {
	_, ok := s.args[key]
	return ok
}

// String returns the value of a key, or def where it is not given.
func (s *Spec) String(key, def string) string {
	s.used[key] = true
	if v, ok := s.args[key]; ok {
		return v
	}
	return def
}

// Int returns an integer value in [min, max], or def where it is not given.
func (s *Spec) Int(key string, def, min, max int) int {
	v, ok := s.args[key]
	s.used[key] = true
	if !ok {
		return def
	}
	i, err := strconv.Atoi(v)
	switch {
	case err != nil:
		s.fail("%s=%s is no whole number", key, v)
		return def
	case i < min:
		s.fail("%s=%s is below %d", key, v, min)
		return def
	case i > max:
		s.fail("%s=%s is above %d", key, v, max)
		return def
	}
	return i
}

// Float returns a finite value in [min, max], or def where it is not given.
func (s *Spec) Float(key string, def, min, max float64) float64 {
	v, ok := s.args[key]
	s.used[key] = true
	if !ok {
		return def
	}
	f, err := strconv.ParseFloat(v, 64)
	switch {
	case err != nil || math.IsNaN(f) || math.IsInf(f, 0):
		s.fail("%s=%s is no finite number", key, v)
		return def
	case f < min:
		s.fail("%s=%s is below %g", key, v, min)
		return def
	case f > max:
		s.fail("%s=%s is above %g", key, v, max)
		return def
	}
	return f
}

// Quantity returns a value read by one of the readers of package units, or def where it is not given.
func (s *Spec) Quantity(key string, def float64, read func(string) (float64, error)) float64 {
	v, ok := s.args[key]
	s.used[key] = true
	if !ok {
		return def
	}
	f, err := read(v)
	if err != nil {
		s.fail("%s: %v", key, err)
		return def
	}
	return f
}

// OneOf returns a value out of a fixed set, or def where it is not given.
func (s *Spec) OneOf(key, def string, allowed ...string) string {
	v, ok := s.args[key]
	s.used[key] = true
	if !ok {
		return def
	}
	for _, a := range allowed {
		if v == a {
			return v
		}
	}
	s.fail("%s=%s is unknown%s", key, v, text.DidYouMean(v, allowed))
	return def
}

func (s *Spec) fail(format string, a ...any) {
	if s.err == nil {
		s.err = s.errorf(format, a...)
	}
}

// Finish returns the first error met, or one that names a key nobody asked for.
func (s *Spec) Finish() error {
	if s.err != nil {
		return s.err
	}
	known := make([]string, 0, len(s.used))
	for k := range s.used {
		known = append(known, k)
	}
	unknown := make([]string, 0)
	for k := range s.args {
		if !s.used[k] {
			unknown = append(unknown, k)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	sort.Strings(unknown)
	hint := text.DidYouMean(unknown[0], known)
	if hint == "" {
		hint = " (it takes no keys)"
	}
	return s.errorf("unknown key %q%s", unknown[0], hint)
}
