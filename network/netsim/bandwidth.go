package netsim

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/islandsgd/islands/internal/text"
	"github.com/islandsgd/islands/internal/units"
	"github.com/islandsgd/islands/network"
)

// maxChanges bounds the lines of a bandwidth trace: a year in minutes, for one link.
const maxChanges = 1 << 20

// ReadBandwidth reads a trace of bandwidths, a CSV table whose first line names its columns:
//
//	time,link,bandwidth
//	0s,NYC-LON,10Gbps
//	30s,NYC-LON,2.5Gbps
//
// From each time on the link has that bandwidth in both directions. Lines may stand in any order; of two for one link
// and time the later counts. name is the file's, for messages.
func ReadBandwidth(name string, data []byte, t *network.Topology) ([]Change, error) {
	file := filepath.Base(name)
	r := csv.NewReader(bytes.NewReader(data))
	r.TrimLeadingSpace, r.Comment = true, '#'
	columns := []string{"time", "link", "bandwidth"}
	head, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: the file is empty, want a table of %s", file, strings.Join(columns, ", "))
	}
	if err != nil {
		return nil, csvError(file, err)
	}
	at := map[string]int{}
	for i, h := range head {
		line, column := r.FieldPos(i)
		h = strings.TrimSpace(h)
		if h != "time" && h != "link" && h != "bandwidth" {
			return nil, fmt.Errorf("%s:%d:%d: unknown column %q%s", file, line, column, h, text.DidYouMean(h, columns))
		}
		if _, twice := at[h]; twice {
			return nil, fmt.Errorf("%s:%d:%d: column %q stands twice", file, line, column, h)
		}
		at[h] = i
	}
	for _, c := range columns {
		if _, ok := at[c]; !ok {
			return nil, fmt.Errorf("%s:1:1: column %q is missing", file, c)
		}
	}
	var out []Change
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, csvError(file, err)
		}
		if len(out) == maxChanges {
			return nil, fmt.Errorf("%s: more than %d lines", file, maxChanges)
		}
		var c Change
		wrong := func(column string, err error) error {
			line, pos := r.FieldPos(at[column])
			return fmt.Errorf("%s:%d:%d: %w", file, line, pos, err)
		}
		if c.At, err = units.Seconds(row[at["time"]]); err == nil && c.At > maxSeconds {
			err = fmt.Errorf("time %s is beyond %g s", row[at["time"]], maxSeconds)
		}
		if err != nil {
			return nil, wrong("time", err)
		}
		if c.Link, err = FindLink(t, strings.TrimSpace(row[at["link"]])); err != nil {
			return nil, wrong("link", err)
		}
		if c.BitPerSecond, err = units.Bandwidth(row[at["bandwidth"]]); err == nil && c.BitPerSecond > 1e30 {
			err = fmt.Errorf("bandwidth %s is too large", row[at["bandwidth"]])
		}
		if err != nil {
			return nil, wrong("bandwidth", err)
		}
		out = append(out, c)
	}
}

func csvError(file string, err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return fmt.Errorf("%s:%d:%d: %w", file, p.Line, p.Column, p.Err)
	}
	return fmt.Errorf("%s: %w", file, err)
}
