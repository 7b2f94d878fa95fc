package gossip

import "github.com/islandsgd/islands/mixing"

// rowMixer is W X for the step loop of the simulation: rows of up to four terms take one pass over memory. The order of
// additions is that of Matrix.Apply, so the bits are the same.
type rowMixer struct {
	w    *mixing.Matrix
	rows [][]mixing.Term // nil: cliques, which Apply does best
}

func newRowMixer(w *mixing.Matrix) rowMixer {
	m := rowMixer{w: w}
	if _, ok := w.Cliques(); !ok {
		m.rows = w.Rows()
	}
	return m
}

// apply writes W X into dst, both n × d.
func (m *rowMixer) apply(dst, x []float64, d int) {
	if m.rows == nil {
		m.w.Apply(dst, x, d)
		return
	}
	in := func(t mixing.Term) []float64 { return x[t.J*d:][:d] }
	for i, row := range m.rows {
		out := dst[i*d:][:d]
		if len(row) == 0 {
			clear(out)
			continue
		}
		switch min(len(row), 4) {
		case 1:
			a, wa := in(row[0]), row[0].Weight
			for k, v := range a {
				out[k] = wa * v
			}
		case 2:
			a, b, wa, wb := in(row[0]), in(row[1]), row[0].Weight, row[1].Weight
			for k, v := range a {
				out[k] = wa*v + wb*b[k]
			}
		case 3:
			a, b, c, wa, wb, wc := in(row[0]), in(row[1]), in(row[2]), row[0].Weight, row[1].Weight, row[2].Weight
			for k, v := range a {
				out[k] = wa*v + wb*b[k] + wc*c[k]
			}
		case 4:
			a, b, c, e := in(row[0]), in(row[1]), in(row[2]), in(row[3])
			wa, wb, wc, we := row[0].Weight, row[1].Weight, row[2].Weight, row[3].Weight
			for k, v := range a {
				out[k] = wa*v + wb*b[k] + wc*c[k] + we*e[k]
			}
		}
		for _, t := range row[min(len(row), 4):] {
			axpy(out, t.Weight, in(t))
		}
	}
}
