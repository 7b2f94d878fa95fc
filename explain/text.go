package explain

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text writes the explanation as a page of plain text.
func (e *Explanation) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s: n = %d islands, d = %d, step η = %s, each round: local steps, then x ← W x\n", e.Schedule, e.Problem, e.Islands, e.Size, num(e.Step))
	section := ""
	for i, s := range e.Steps {
		if s.Section != section {
			section = s.Section
			fmt.Fprintf(&b, "\n%s\n", strings.ToUpper(section))
		}
		fmt.Fprintf(&b, "\n%d. %s\n", i+1, s.Title)
		if s.Formula != "" {
			for line := range strings.Lines(s.Formula) {
				fmt.Fprintf(&b, "   %s\n", strings.TrimSuffix(line, "\n"))
			}
			b.WriteString("\n")
		}
		for _, item := range s.Items {
			item.write(&b)
		}
	}
	return b.String()
}

func (i Item) write(b *strings.Builder) {
	head := "   "
	if i.Name != "" {
		head += i.Name + " = "
	}
	if i.Work != "" && (i.Number != nil || i.Vector != nil) {
		head += i.Work + " = "
	}
	switch {
	case i.Matrix != nil:
		pad := strings.Repeat(" ", utf8.RuneCountInString(head))
		for k, line := range block(i.Matrix) {
			if k == 0 {
				b.WriteString(head + line + "\n")
			} else {
				b.WriteString(pad + line + "\n")
			}
		}
	case i.Vector != nil:
		b.WriteString(head + tuple(i.Vector) + "\n")
	case i.Number != nil:
		b.WriteString(head + num(*i.Number))
		if i.Note != "" {
			b.WriteString("   (" + i.Note + ")")
		}
		b.WriteString("\n")
	default:
		b.WriteString(head + i.Work + "\n")
	}
}

// num writes a number with six significant digits; what is zero but for rounding beside numbers of order one is 0.
func num(v float64) string {
	const rounding = 1e-14
	if math.Abs(v) < rounding {
		return "0"
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

func tuple(v []float64) string {
	out := make([]string, len(v))
	for i, x := range v {
		out[i] = num(x)
	}
	return "(" + strings.Join(out, ", ") + ")"
}

// block writes a matrix in aligned columns: as fractions where all entries are, which shows where they come from.
func block(m [][]float64) []string {
	write := num
	if allFractions(m) {
		write = fraction
	}
	cells := make([][]string, len(m))
	width := 0
	for i, row := range m {
		for _, v := range row {
			c := write(v)
			cells[i] = append(cells[i], c)
			width = max(width, utf8.RuneCountInString(c))
		}
	}
	out := make([]string, len(m))
	for i, row := range cells {
		var b strings.Builder
		b.WriteString("[")
		for _, c := range row {
			fmt.Fprintf(&b, " %*s", width, c)
		}
		b.WriteString(" ]")
		out[i] = b.String()
	}
	return out
}

// largestDenominator is that of fractions which are easier to read than decimals.
const largestDenominator = 36

func allFractions(m [][]float64) bool {
	for _, row := range m {
		for _, v := range row {
			if fraction(v) == "" {
				return false
			}
		}
	}
	return true
}

// fraction writes v as a fraction, or "" when it is none with a small denominator.
func fraction(v float64) string {
	const rounding = 1e-12
	for q := 1; q <= largestDenominator; q++ {
		p := math.Round(v * float64(q))
		if math.Abs(v*float64(q)-p) > rounding {
			continue
		}
		if q == 1 {
			return strconv.FormatFloat(p+0, 'f', -1, 64)
		}
		return fmt.Sprintf("%.0f/%d", p, q)
	}
	return ""
}

// products writes a sum of products: "1/4·0.2 + 1/4·0.3".
func products(weights, values []float64) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = short(weights[i]) + "·" + signed(v)
	}
	return strings.Join(out, " + ")
}

func short(v float64) string {
	if f := fraction(v); f != "" {
		return f
	}
	return num(v)
}

// signed puts a negative number in parentheses, to stand behind an operator.
func signed(v float64) string {
	if s := num(v); strings.HasPrefix(s, "-") {
		return "(" + s + ")"
	} else {
		return s
	}
}

func squares(values []float64) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = signed(v) + "²"
	}
	return strings.Join(out, " + ")
}
