package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// printJSON writes one object: the fields that every result has, then those of the result. A NaN or an infinity in a
// result is a fault of ours and fails here rather than reaching a reader.
func (s *session) printJSON(result any) error {
	head := struct {
		Command  string   `json:"command"`
		Version  string   `json:"version"`
		Seed     uint64   `json:"seed"`
		Warnings []string `json:"warnings"`
	}{s.command, version(), s.seed, s.warnings}
	if head.Warnings == nil {
		head.Warnings = []string{}
	}
	a, err := json.Marshal(head)
	if err != nil {
		return err
	}
	b, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("%s: the result cannot be printed: %w", s.command, err)
	}
	if joined := bytes.TrimPrefix(b, []byte("{")); len(joined) > 1 {
		a = append(append(a[:len(a)-1], ','), joined...)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, a, "", "  "); err != nil {
		return err
	}
	out.WriteByte('\n')
	_, err = s.stdout.Write(out.Bytes())
	return err
}

// printText writes a document of another language: as it is, or with --json as the text of one object.
func (s *session) printText(text string) error {
	if s.json {
		return s.printJSON(map[string]string{"text": text})
	}
	_, err := io.WriteString(s.stdout, text)
	return err
}

// table prints rows with aligned columns: numbers to the right, everything else to the left.
type table struct {
	head []string
	rows [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) write(w io.Writer) {
	width := make([]int, len(t.head))
	numeric := make([]bool, len(t.head))
	for c := range t.head {
		width[c] = utf8.RuneCountInString(t.head[c])
		numeric[c] = len(t.rows) > 0
		for _, r := range t.rows {
			width[c] = max(width[c], utf8.RuneCountInString(r[c]))
			numeric[c] = numeric[c] && looksNumeric(r[c])
		}
	}
	line := func(cells []string) {
		var b strings.Builder
		for c, cell := range cells {
			pad := strings.Repeat(" ", width[c]-utf8.RuneCountInString(cell))
			if c > 0 {
				b.WriteString("  ")
			}
			if numeric[c] {
				b.WriteString(pad + cell)
			} else {
				b.WriteString(cell + pad)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
	line(t.head)
	for _, r := range t.rows {
		line(r)
	}
}

func looksNumeric(s string) bool {
	return s == "" || s == "–" || strings.IndexByte("0123456789-+.", s[0]) >= 0 || s == "∞"
}

// number prints a value with six significant digits, the way tables show it.
func number(v float64) string {
	if math.IsInf(v, 1) {
		return "∞"
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// optional prints a value that may not exist.
func optional(v *float64) string {
	if v == nil {
		return "–"
	}
	return number(*v)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
