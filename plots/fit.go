package plots

import (
	"math"
	"sort"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// What is done with text that is wider than its room: names are shortened, sentences wrapped, headings shrunk, and
// numbers on an axis left out. Readers choose width and font size, so that each of these happens.

const ellipsis = "…"

// shortened cuts a name to a width and ends it with an ellipsis.
func shortened(sty text.Style, s string, room vg.Length) string {
	if sty.Width(s) <= room {
		return s
	}
	runes := []rune(s)
	cut := func(n int) string { return strings.TrimRight(string(runes[:n]), " ,-") + ellipsis }
	n := sort.Search(len(runes), func(n int) bool { return sty.Width(cut(n)) > room }) // the first that is too wide
	return cut(max(0, n-1))
}

// wrapped breaks a sentence at spaces into lines of a width; a longer word is shortened.
func wrapped(sty text.Style, s string, room vg.Length) []string {
	var lines []string
	line := ""
	for i, word := range strings.Split(s, " ") {
		if longer := line + " " + word; i > 0 && sty.Width(longer) <= room {
			line = longer
			continue
		}
		if i > 0 {
			lines = append(lines, line)
		}
		line = word
	}
	lines = append(lines, line)
	for i, l := range lines {
		lines[i] = shortened(sty, strings.TrimSpace(l), room)
	}
	return lines
}

// shrunk makes text small enough for a width.
func shrunk(sty text.Style, s string, room vg.Length) text.Style {
	if w := sty.Width(s); w > room {
		sty.Font.Size *= font.Length(max(0, room) / w)
	}
	return sty
}

// taller is what a height for text of FontSize lacks where so many lines of text are larger.
func (th theme) taller(lines int) vg.Length {
	return vg.Length(lines) * max(0, th.line()-theme{FontSize}.line())
}

// spaced takes the labels off an axis of a length that would touch others. On a logarithmic axis powers of ten stay
// first. The extent of a label is what it takes of the axis.
func spaced(a *plot.Axis, length vg.Length, extent func(label string) vg.Length) plot.Ticker {
	marker := a.Tick.Marker
	_, logarithmic := a.Scale.(plot.LogScale)
	return plot.TickerFunc(func(lo, hi float64) []plot.Tick {
		ticks := marker.Ticks(lo, hi)
		var taken [][2]vg.Length
		place := func(t *plot.Tick) {
			at, half := vg.Length(a.Norm(t.Value))*length, extent(t.Label)/2
			for _, o := range taken {
				if at-half < o[1] && o[0] < at+half {
					t.Label = ""
					return
				}
			}
			taken = append(taken, [2]vg.Length{at - half, at + half})
		}
		for _, first := range []bool{true, false} {
			for i := range ticks {
				if ticks[i].Label != "" && first == (!logarithmic || isPowerOfTen(ticks[i].Value)) {
					place(&ticks[i])
				}
			}
		}
		return ticks
	})
}

func isPowerOfTen(v float64) bool {
	e := math.Log10(v)
	return math.Abs(e-math.Round(e)) < 1e-9
}
