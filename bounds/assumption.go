package bounds

import (
	"fmt"
	"math"
)

// assumptions are the checked conditions of a bound, in the order in which they are to be read.
type assumptions []Assumption

// hold reports whether all hold.
func (a assumptions) hold() bool { return a.reason() == "" }

// reason returns what fails first, or "".
func (a assumptions) reason() string {
	for _, x := range a {
		if !x.Holds {
			return x.Found
		}
	}
	return ""
}

// apply enters the assumptions into a bound.
func (b *Bound) apply(a assumptions) {
	b.Assumptions = append([]Assumption{}, a...)
	b.Reason = a.reason()
	b.Applicable = b.Reason == ""
}

// edge is how far a number may be past its limit by rounding, relatively: a step of exactly 1/(2L) is admitted.
const edge = 1e-12

// is is a condition that is no comparison of numbers; otherwise says what was found if it fails.
func is(text string, holds bool, otherwise string, a ...any) Assumption {
	if holds {
		return met(text, "met")
	}
	return Assumption{text, false, fmt.Sprintf(otherwise, a...)}
}

// met is a condition that holds, with what was found.
func met(text, found string, a ...any) Assumption {
	return Assumption{text, true, fmt.Sprintf(found, a...)}
}

// atMost is name ≤ limit, where limitName may say what the limit is ("cap 1/(2L)").
func atMost(name string, v float64, limitName string, limit float64) Assumption {
	return compare(name, v, limitName, limit, v <= limit+edge*math.Abs(limit), "≤", ">")
}

// atLeast is name ≥ limit.
func atLeast(name string, v float64, limitName string, limit float64) Assumption {
	return compare(name, v, limitName, limit, v >= limit-edge*math.Abs(limit), "≥", "<")
}

// below is name < limit, strictly.
func below(name string, v float64, limitName string, limit float64) Assumption {
	return compare(name, v, limitName, limit, v < limit-edge*math.Abs(limit), "<", "≥")
}

// above is name > limit, strictly.
func above(name string, v float64, limitName string, limit float64) Assumption {
	return compare(name, v, limitName, limit, v > limit+edge*math.Abs(limit), ">", "≤")
}

// equal is name = want.
func equal(name string, v float64, wantName string, want float64) Assumption {
	return compare(name, v, wantName, want, v == want || math.Abs(v-want) <= edge*math.Max(math.Abs(v), math.Abs(want)), "=", "≠")
}

func compare(name string, v float64, limitName string, limit float64, holds bool, relation, otherwise string) Assumption {
	a := Assumption{Holds: holds}
	sign := relation
	if !holds {
		sign = otherwise
	}
	if limitName == "" {
		a.Text = fmt.Sprintf("%s %s %s", name, relation, short(limit))
		a.Found = fmt.Sprintf("%s %s %s %s", name, short(v), sign, short(limit))
		return a
	}
	a.Text = fmt.Sprintf("%s %s %s", name, relation, limitName)
	a.Found = fmt.Sprintf("%s %s %s %s = %s", name, short(v), sign, limitName, short(limit))
	return a
}

// short prints a number of a reason: enough digits to see on which side of the limit it is.
func short(v float64) string {
	if math.IsInf(v, 1) {
		return "∞"
	}
	return fmt.Sprintf("%.6g", v)
}

// oneOf asks for one of the named algorithms.
func oneOf(got string, names ...string) Assumption {
	text := names[0]
	for i, name := range names[1:] {
		if i == len(names)-2 {
			text += " and " + name
		} else {
			text += ", " + name
		}
	}
	for _, name := range names {
		if got == name {
			return met("algorithm "+text, "algorithm %s", got)
		}
	}
	return is("algorithm "+text, false, "holds for %s, not for %s", text, got)
}
