package network

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Tables of links. A table has a header; these columns are understood, others are left alone:
//
//	ends        device1,device2  device_a,device_z  metro_a,metro_z  region_a,region_b  city1,city2  source,target  from,to  a,b
//	latency     measured_mean_rtt_ms and committed_rtt_ms, rtt_ms (half of it is taken), latency_ms, delay_ms, latency (ms)
//	bandwidth   bandwidth_gbps, bandwidth_mbps, bandwidth (Gbps)
//
// A directory holds such a table (private_links.csv or links.csv) beside a devices.csv whose columns are device,
// metro (else the device's name without its digits) and edge (access in Gbps). Devices of one metro become one router
// with one island; metros are sorted. A table of public links beside them is the internet, not this network.

var endColumns = [][2]string{
	{"device1", "device2"}, {"device_a", "device_z"}, {"metro_a", "metro_z"}, {"region_a", "region_b"},
	{"city1", "city2"}, {"source", "target"}, {"from", "to"}, {"a", "b"},
}

// table is a CSV file with a header.
type table struct {
	file   string
	column map[string]int
	rows   [][]string
	lines  []int
}

// readTable reads a table; every row must have as many fields as the header.
func readTable(name string, data []byte) (*table, error) {
	t := &table{file: filepath.Base(name), column: map[string]int{}}
	r := csv.NewReader(bytes.NewReader(data))
	r.Comment = '#'
	r.TrimLeadingSpace = true
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		var p *csv.ParseError
		if errors.As(err, &p) {
			return nil, fmt.Errorf("%s:%d:%d: %s", t.file, p.Line, p.Column, strings.ReplaceAll(p.Err.Error(), `"`, "quote"))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.file, err)
		}
		if len(t.column) == 0 {
			for i, c := range row {
				c = strings.ToLower(strings.TrimSpace(c))
				if _, twice := t.column[c]; twice {
					return nil, fmt.Errorf("%s:1: column %q stands twice", t.file, c)
				}
				t.column[c] = i
			}
			continue
		}
		if len(t.rows) == MaxLinks {
			return nil, fmt.Errorf("%s: more than %d rows", t.file, MaxLinks)
		}
		line, _ := r.FieldPos(0)
		t.rows, t.lines = append(t.rows, row), append(t.lines, line)
	}
	if len(t.column) == 0 {
		return nil, fmt.Errorf("%s: the file is empty", t.file)
	}
	return t, nil
}

// get returns a cell, "" where the table has no such column. NA and a dash stand for nothing.
func (t *table) get(row int, column string) string {
	i, ok := t.column[column]
	if !ok {
		return ""
	}
	v := strings.TrimSpace(t.rows[row][i])
	if v == "NA" || v == "-" {
		return ""
	}
	return v
}

func (t *table) errorf(row int, format string, a ...any) error {
	return fmt.Errorf("%s:%d: %s", t.file, t.lines[row], fmt.Sprintf(format, a...))
}

// number returns the first of the columns that has a value.
func (t *table) number(row int, columns ...string) (v float64, column string, err error) {
	for _, c := range columns {
		s := t.get(row, c)
		if s == "" {
			continue
		}
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || !isLimit(v) {
			return 0, "", t.errorf(row, "%s %q is no number from 0", c, s)
		}
		return v, c, nil
	}
	return 0, "", nil
}

func (t *table) ends() (a, b string, ok bool) {
	for _, c := range endColumns {
		_, one := t.column[c[0]]
		_, two := t.column[c[1]]
		if one && two {
			return c[0], c[1], true
		}
	}
	return "", "", false
}

// devices maps a device to its metro, and a metro to its access in bit/s.
type devices struct {
	metro  map[string]string
	access map[string]float64
	known  []string // metros
}

var trailingDigits = regexp.MustCompile(`[0-9]+$`)

func metroOfLabel(device string) string {
	if m := trailingDigits.ReplaceAllString(device, ""); m != "" {
		return m
	}
	return device
}

func readDevices(t *table) (*devices, error) {
	if _, ok := t.column["device"]; !ok {
		return nil, fmt.Errorf("%s:1: no column device", t.file)
	}
	d := &devices{map[string]string{}, map[string]float64{}, nil}
	for i := range t.rows {
		device := t.get(i, "device")
		if device == "" {
			return nil, t.errorf(i, "row without device")
		}
		if _, twice := d.metro[device]; twice {
			return nil, t.errorf(i, "device %q stands twice", device)
		}
		metro := t.get(i, "metro")
		if metro == "" {
			metro = metroOfLabel(device)
		}
		edge, _, err := t.number(i, "edge")
		if err != nil {
			return nil, err
		}
		if edge > 0 && !isBandwidth(edge*1e9) {
			return nil, t.errorf(i, "edge is %g Gbps, want %g to %g bit/s", edge, MinBandwidth, MaxBandwidth)
		}
		d.metro[device] = metro
		d.known = append(d.known, metro)
		d.access[metro] = max(d.access[metro], edge*1e9)
	}
	return d, nil
}

// readLinkTable builds the network of a table of links. With devices, or where the ends are devices, they collapse
// into metros; else the ends are the routers, in order of appearance.
func readLinkTable(name string, t *table, d *devices) (*Topology, error) {
	one, two, ok := t.ends()
	if !ok {
		return nil, fmt.Errorf("%s:1: no two columns for the ends of a link (for instance a and b, or device1 and device2)", t.file)
	}
	b := newBuilder(name)
	collapse := strings.HasPrefix(one, "device")
	var order []string
	seen := map[string]bool{}
	add := func(metro string) {
		if !seen[metro] {
			seen[metro] = true
			order = append(order, metro)
		}
	}
	if d != nil {
		for _, m := range d.known {
			add(m)
		}
	}
	ends := make([][2]string, len(t.rows))
	for i := range t.rows {
		for e, column := range []string{one, two} {
			v := t.get(i, column)
			if v == "" {
				return nil, t.errorf(i, "row without %s", column)
			}
			metro, err := metroOf(t, i, v, column, d, collapse)
			if err != nil {
				return nil, err
			}
			ends[i][e] = metro
			add(metro)
		}
	}
	if collapse {
		slices.Sort(order)
	}
	for _, metro := range order {
		if _, err := b.router(metro, metro, Router{}); err != nil {
			return nil, fmt.Errorf("%s: %w", t.file, err)
		}
	}
	inside := 0
	for i := range t.rows {
		l := builtLink{a: b.index[ends[i][0]], b: b.index[ends[i][1]]}
		if err := t.values(i, &l); err != nil {
			return nil, err
		}
		if collapse && l.a == l.b {
			inside++
			continue
		}
		if err := b.link(l); err != nil {
			return nil, t.errorf(i, "%v", err)
		}
	}
	for i, metro := range order {
		access := float64(DefaultAccess)
		if d != nil && d.access[metro] > 0 {
			access = d.access[metro]
		}
		b.t.Islands = append(b.t.Islands, Island{b.t.Routers[i].ID, i, access, access})
	}
	b.t.changed(ChangedInsideMetro, inside, "%d links inside a metro dropped: its devices are one router", inside)
	return withFile(t.file)(b.finish())
}

// metroOf returns the metro of a device: by devices.csv, the row's own metro column, or the device's label.
func metroOf(t *table, row int, end, column string, d *devices, collapse bool) (string, error) {
	if !collapse {
		return end, nil
	}
	if d != nil {
		metro, ok := d.metro[end]
		if !ok {
			return "", t.errorf(row, "device %q is not in devices.csv", end)
		}
		return metro, nil
	}
	if metro := t.get(row, strings.Replace(column, "device", "metro", 1)); metro != "" {
		return metro, nil
	}
	return metroOfLabel(end), nil
}

// values reads latency and bandwidth of a row.
func (t *table) values(row int, l *builtLink) error {
	v, column, err := t.number(row, "measured_mean_rtt_ms", "committed_rtt_ms", "rtt_ms", "latency_ms", "delay_ms", "latency")
	if err != nil {
		return err
	}
	l.latency = v / 1e3
	if strings.HasSuffix(column, "rtt_ms") {
		l.latency = v / 2e3
	}
	if column == "" {
		l.latency = unknown
	}
	if l.latency > MaxLatency {
		return t.errorf(row, "%s %g is above %g s", column, v, MaxLatency)
	}
	v, column, err = t.number(row, "bandwidth_gbps", "bandwidth_mbps", "bandwidth")
	if err != nil {
		return err
	}
	l.bandwidth = v * 1e9
	if column == "bandwidth_mbps" {
		l.bandwidth = v * 1e6
	}
	if column != "" && !isBandwidth(l.bandwidth) {
		return t.errorf(row, "%s is %g, want %g to %g bit/s", column, v, MinBandwidth, MaxBandwidth)
	}
	return nil
}

// loadDirectory reads a directory of tables.
func loadDirectory(dir string) (*Topology, error) {
	open := func(name string) (*table, error) {
		data, err := readFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		return readTable(name, data)
	}
	links := ""
	for _, name := range []string{"private_links.csv", "links.csv"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			links = name
			break
		}
	}
	if links == "" {
		return nil, fmt.Errorf("topology directory %q has no private_links.csv or links.csv", dir)
	}
	t, err := open(links)
	if err != nil {
		return nil, err
	}
	table, err := open("devices.csv")
	if err != nil {
		return nil, err
	}
	d, err := readDevices(table)
	if err != nil {
		return nil, err
	}
	return readLinkTable(filepath.Base(filepath.Clean(dir)), t, d)
}
