package collective

import (
	"fmt"
	"slices"
)

// Sweep prices rounds at several payloads at once.
//
// What one plan takes is a line in the payload S, latency + S × slope, and what the best plan takes is the least of all
// lines: a concave function. So between two payloads it is at least the chord, and where a line that is best at one end
// touches the chord it is best there too: no search is needed. Most rounds are carried alike over decades of payloads.
type Sweep struct {
	Pricers  []*Pricer // one for each payload
	payloads []float64
}

// line is what one plan takes as a function of the payload.
type line struct{ latency, slope float64 }

func (l line) at(payload float64) float64 { return l.latency + payload*l.slope }

// NewSweep returns pricers for the given payloads in bytes, positive and ascending, that share with p and with each
// other what does not depend on the payload.
func (p *Pricer) NewSweep(payloads []float64) (*Sweep, error) {
	if len(payloads) == 0 {
		return nil, fmt.Errorf("a sweep needs a payload")
	}
	w := &Sweep{payloads: slices.Clone(payloads)}
	for i, s := range payloads {
		if !(s > 0 && s <= maxPayload) || i > 0 && s <= payloads[i-1] {
			return nil, fmt.Errorf("payloads %g of a sweep: want ascending numbers above 0 and up to %g", payloads, maxPayload)
		}
		w.Pricers = append(w.Pricers, p.withPayload(s))
	}
	return w, nil
}

// withPayload returns a Pricer of the same network for another payload. What small cliques can choose from is shared.
func (p *Pricer) withPayload(bytes float64) *Pricer {
	o := p.options
	o.Payload = bytes
	return newPricer(p.g, p.can, o, newResources(p.g, p.can, o), p.quick, p.ways)
}

// PartitionSeconds sets out[i] to the seconds of a round of the given disjoint cliques at the i-th payload: what
// Pricers[i].PartitionSeconds returns, up to rounding.
func (w *Sweep) PartitionSeconds(cliques [][]int, out []float64) error {
	last := len(w.Pricers) - 1
	if w.Pricers[0].usesProgram() || last == 0 {
		for i, p := range w.Pricers {
			t, err := p.PartitionSeconds(cliques)
			if err != nil {
				return err
			}
			out[i] = t
		}
		return nil
	}
	low, err := w.solve(0, cliques, out)
	if err != nil {
		return err
	}
	high, err := w.solve(last, cliques, out)
	if err != nil {
		return err
	}
	return w.between(0, last, low, high, cliques, out)
}

// solve prices the round at one payload and returns the best plan's line.
func (w *Sweep) solve(i int, cliques [][]int, out []float64) (line, error) {
	p := w.Pricers[i]
	s := p.scratch.Get().(*scratch)
	defer p.scratch.Put(s)
	choice, _, err := p.plan(s, cliques)
	if err != nil || len(choice) == 0 {
		out[i] = 0
		return line{}, err
	}
	busy, latency := p.measure(choice, s.total)
	out[i] = busy + latency
	return line{latency, busy / w.payloads[i]}, nil
}

// between prices the payloads strictly between the i-th and the j-th, whose lines are given.
func (w *Sweep) between(i, j int, low, high line, cliques [][]int, out []float64) error {
	if j-i < 2 {
		return nil
	}
	m := (i + j) / 2
	s := w.payloads[m]
	chord := out[i] + (out[j]-out[i])*(s-w.payloads[i])/(w.payloads[j]-w.payloads[i])
	middle := low
	if high.at(s) < low.at(s) {
		middle = high
	}
	if out[m] = middle.at(s); out[m] > chord*(1+improvement) {
		var err error
		if middle, err = w.solve(m, cliques, out); err != nil {
			return err
		}
	}
	if err := w.between(i, m, low, middle, cliques, out); err != nil {
		return err
	}
	return w.between(m, j, middle, high, cliques, out)
}
