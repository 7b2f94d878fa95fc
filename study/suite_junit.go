package study

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// JUnit is a verdict in the XML that continuous integration reads: one suite for each schedule and problem, one case
// for each bound and algorithm.
type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitFailure `xml:"failure"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes the verdict as JUnit XML. It carries no clock, so equal verdicts give equal bytes.
func (v *Verdict) WriteJUnit(w io.Writer) error {
	out := junitSuites{Name: "analyze validate"}
	for _, c := range v.Checks {
		name := c.Schedule + " on " + c.Problem
		if k := len(out.Suites); k == 0 || out.Suites[k-1].Name != name {
			out.Suites = append(out.Suites, junitSuite{Name: name})
		}
		suite := &out.Suites[len(out.Suites)-1]
		test := junitCase{Class: c.Bound, Name: c.Algorithm}
		if message := c.Failure(v.ZLimit); message != "" {
			test.Failure = &junitFailure{message, c.TightnessText()}
			suite.Failures++
			out.Failures++
		}
		suite.Tests++
		out.Tests++
		suite.Cases = append(suite.Cases, test)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// Failure says in one line what is wrong with a check, or "" when nothing is.
func (c Check) Failure(zLimit float64) string {
	var out []string
	if !c.BoundHolds {
		out = append(out, "the bound is below the exact value")
	}
	if !c.SimulationAgrees {
		out = append(out, fmt.Sprintf("the simulation is %.3g standard errors off, more than %.3g", c.WorstZ, zLimit))
	}
	return strings.Join(out, "; ")
}

// TightnessText writes bound/exact at each round.
func (c Check) TightnessText() string {
	var out []string
	for _, t := range c.Tightness {
		text := "exact is 0 or past the range of numbers"
		if t.BoundOverExact != nil {
			text = fmt.Sprintf("%.6g", *t.BoundOverExact)
		}
		out = append(out, fmt.Sprintf("t=%d: %s", t.T, text))
	}
	return strings.Join(out, ", ")
}
