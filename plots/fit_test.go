package plots

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/islandsgd/islands/study"
)

func TestNamesAreShortenedToTheirRoom(t *testing.T) {
	sty := theme{FontSize}.text(ink)
	const name = "a-rather-long-name, 東京"
	for room := vg.Length(10); room < sty.Width(name); room += 7 {
		got := shortened(sty, name, room)
		if sty.Width(got) > room || !strings.HasSuffix(got, ellipsis) || !strings.HasPrefix(name, strings.TrimSuffix(got, ellipsis)) {
			t.Errorf("%q in %g points, of %g", got, sty.Width(got), room)
		}
	}
	if got := shortened(sty, name, sty.Width(name)); got != name {
		t.Errorf("%q was shortened without need to %q", name, got)
	}
	if got := shortened(sty, name, 0); got != ellipsis {
		t.Errorf("without room: %q", got)
	}
}

func TestSentencesAreWrapped(t *testing.T) {
	sty := theme{FontSize}.text(ink)
	const sentence = "consensus error (mean square, parameter units²)"
	lines := wrapped(sty, sentence, 80)
	if strings.Join(lines, " ") != sentence || len(lines) != 3 {
		t.Errorf("%q", lines)
	}
	for _, l := range lines {
		if sty.Width(l) > 80 {
			t.Errorf("%q takes %g points", l, sty.Width(l))
		}
	}
	if lines := wrapped(sty, "", 80); !slices.Equal(lines, []string{""}) {
		t.Errorf("no words: %q", lines)
	}
	if w := shrunk(sty, sentence, 80).Width(sentence); w > 80.01 || w < 79 {
		t.Errorf("shrunk to %g points, want 80", w)
	}
}

// Labels of an axis that would touch are left out, powers of ten last.
func TestLabelsOfAnAxisStayApart(t *testing.T) {
	labels := func(length vg.Length, lo, hi float64, logarithmic bool) (out []string) {
		p := plot.New()
		p.Y.Min, p.Y.Max, p.Y.Tick.Marker = lo, hi, plot.TickerFunc(roundNumbers)
		if logarithmic {
			logScale(&p.Y, lo, hi)
		}
		for _, tick := range spaced(&p.Y, length, func(string) vg.Length { return 10 }).Ticks(p.Y.Min, p.Y.Max) {
			if tick.Label != "" {
				out = append(out, tick.Label)
			}
		}
		return out
	}
	for _, c := range []struct {
		length vg.Length
		log    bool
		want   string
	}{
		{200, true, "0.05 0.1 0.2 0.5 1"},
		{20, true, "0.1 1"},
		{200, false, "0.2 0.4 0.6 0.8 1"},
		{25, false, "0.2 0.6 1"},
	} {
		if got := strings.Join(labels(c.length, 0.05, 1, c.log), " "); got != c.want {
			t.Errorf("%g points, logarithmic %v: %s, want %s", c.length, c.log, got, c.want)
		}
	}
}

// The table of curves fits beside the plot, or below it, whatever the schedules are called.
func TestCurveTableFollowsFromItsTexts(t *testing.T) {
	seconds := 1234.0
	table := func(n int, kind string) *study.Convergence {
		v := &study.Convergence{Target: 0.01}
		for k := range n {
			v.Curves = append(v.Curves, study.Curve{Capability: "aggregation", Kind: fmt.Sprint(kind, k), H: 64, SecondsToTarget: &seconds, OverColocated: &seconds})
		}
		v.Curves[0].SecondsToTarget = nil
		return v
	}
	for _, c := range []struct {
		kind   string
		n      int
		width  vg.Length
		points float64
		beside bool
	}{
		{"ring", 9, FullWidth, FontSize, true},
		{"ring", 40, FullWidth, FontSize, true},
		{"ring", 9, FullWidth, 14, false},
		{strings.Repeat("long-name-", 8), 9, FullWidth, FontSize, false},
		{strings.Repeat("long-name-", 20), 9, 88 * vg.Millimeter, FontSize, false},
		{strings.Repeat("long-name-", 20), 9, 88 * vg.Millimeter, 14, false},
	} {
		v := table(c.n, c.kind)
		if _, beside := layCurveTable(theme{c.points}, v, c.width); beside != c.beside {
			t.Errorf("%.20s at %g points: beside the plot: %v, want %v", c.kind, c.points, beside, c.beside)
		}
		list, size := texts(t, Convergence(v), c.width, theme{c.points})
		rows := 0
		for i, w := range list {
			if strings.HasPrefix(w.text, "aggregation") {
				rows++
			}
			if w.box.Min.X < 0 || w.box.Max.X > size.X || w.box.Min.Y < 0 || w.box.Max.Y > size.Y {
				t.Errorf("%q leaves the canvas of %.0f: %.0f", w.text, size, w.box)
			}
			for _, o := range list[:i] {
				if overlap(o.box, w.box) {
					t.Errorf("%q touches %q", w.text, o.text)
				}
			}
		}
		if rows != c.n {
			t.Errorf("%d rows, want %d", rows, c.n)
		}
	}
}

// Without any error a panel says so, instead of showing an axis of nothing.
func TestNoErrorIsSaid(t *testing.T) {
	one, zero := 1.0, 0.0
	count := func(bound *float64, consensus float64) int {
		e := &study.Evidence{}
		for k := range 3 {
			e.Points = append(e.Points, study.EvidencePoint{T: k, BoundConsensus: bound, ExactConsensus: consensus, BoundCentroid: &one, ExactCentroid: 0.5})
		}
		n := 0
		list, _ := texts(t, Consensus(e), FullWidth, theme{FontSize})
		for _, w := range list {
			if strings.HasPrefix(w.text, "no error") {
				n++
			}
		}
		return min(n, 1) // with its halo a label is written several times
	}
	if count(&zero, 0) != 1 || count(nil, 0) != 1 || count(&one, 0) != 1 || count(&one, 0.1) != 0 {
		t.Error("the note stands where there is an error, or is missing where there is none")
	}
}

// Numbers of bars are turned where they are wider than a bar, and left out where that has no room either.
func TestNumbersOfBars(t *testing.T) {
	b := costBars{
		t: &study.CostTable{Rows: []study.Cost{{Collective: "ring", Capability: "unicast", Seconds: 6.56}}}, th: theme{FontSize},
		collectives: []string{"exchange", "ring"}, capabilities: []string{"unicast", "both"},
	}
	for width, want := range map[vg.Length]numbers{100: flatNumbers, 40: turnedNumbers, 20: noNumbers} {
		if b.fit(width); b.numbers != want {
			t.Errorf("%g points: %d, want %d", width, b.numbers, want)
		}
	}
	sty := b.nameStyle(theme{FontSize}.small(ink), 40)
	if w := sty.Width("exchange"); w > 20 {
		t.Errorf("a name of %g points under bars of 20", w)
	}
}
