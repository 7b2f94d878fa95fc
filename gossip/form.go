package gossip

import (
	"fmt"
	"strconv"
	"strings"
)

// Text writes the problem in the form of a file: what ReadProblem reads back to the same numbers, bit by bit.
func (q *Quadratic) Text() string {
	var b strings.Builder
	if q.LeastSquares {
		b.WriteString("problem: least-squares\n")
	} else {
		b.WriteString("problem: quadratic\n")
		writeMatrices(&b, "curvature", q.A, q.D)
	}
	writeVectors(&b, "optimum", q.B)
	if q.LeastSquares {
		noise := make([]float64, q.N)
		for i := range noise {
			noise[i] = q.Noise[i][0]
		}
		fmt.Fprintf(&b, "noise: %s\n", vectorText(noise))
	} else {
		writeMatrices(&b, "noise", q.Noise, q.D)
	}
	writeVectors(&b, "start", q.Start)
	if q.Weights != nil {
		fmt.Fprintf(&b, "weights: %s\n", vectorText(q.Weights))
	}
	return b.String()
}

// writeMatrices writes one matrix for each island: its diagonal where d values are kept.
func writeMatrices(b *strings.Builder, key string, all [][]float64, d int) {
	fmt.Fprintf(b, "%s:\n", key)
	for _, m := range all {
		if len(m) == d {
			fmt.Fprintf(b, "  - %s\n", vectorText(m))
			continue
		}
		rows := make([]string, d)
		for k := range rows {
			rows[k] = vectorText(m[k*d : (k+1)*d])
		}
		fmt.Fprintf(b, "  - [%s]\n", strings.Join(rows, ", "))
	}
}

func writeVectors(b *strings.Builder, key string, all [][]float64) {
	fmt.Fprintf(b, "%s:\n", key)
	for _, v := range all {
		fmt.Fprintf(b, "  - %s\n", vectorText(v))
	}
}

func vectorText(v []float64) string {
	out := make([]string, len(v))
	for i, x := range v {
		out[i] = strconv.FormatFloat(x, 'g', -1, 64)
	}
	return "[" + strings.Join(out, ", ") + "]"
}
