package study

import (
	"cmp"
	"context"
	"slices"

	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/optimize"
)

// ShiftCell is the best schedule under one capability, access rate, payload and computation before every round.
type ShiftCell struct {
	Capability string  `json:"capability"`
	Access     float64 `json:"access_bps"`
	Payload    float64 `json:"payload_bytes"`
	Compute    float64 `json:"compute_seconds"` // a round lasts this long and its communication
	Staleness  float64 `json:"staleness_seconds"`
	AllReduce  float64 `json:"allreduce_staleness_seconds"`
	Plain      float64 `json:"unicast_staleness_seconds"` // with routers that can do nothing
	Cliques    string  `json:"cliques"`
	Sizes      [][]int `json:"clique_sizes"` // of each round, largest first; islands alone are left out
}

// Useless reports whether routers that can do something keep the agreement no fresher than plain ones, within 1%.
func (c ShiftCell) Useless() bool {
	return c.Capability != network.LevelUnicast && c.Staleness >= 0.99*c.Plain
}

// Shift is how the best schedule changes with what routers can do, the access rate, the payload and the computation
// before every round.
type Shift struct {
	Topology  string      `json:"topology"`
	PeriodMax int         `json:"period_max"` // how deep the search went
	Proven    bool        `json:"proven"`     // whether it was complete
	Accesses  []float64   `json:"accesses_bps"`
	Payloads  []float64   `json:"payloads_bytes"`
	Computes  []float64   `json:"computes_seconds"` // looked at with the highest access rate
	Cells     []ShiftCell `json:"cells"`            // by capability, access, payload, compute
}

// ShiftGrid is the grid of the phase diagram. Access rates go with no computation, and computation with the highest
// access rate.
var ShiftGrid = struct{ Accesses, Payloads, Computes []float64 }{
	Accesses: []float64{2.5e9, 5e9, 10e9, 20e9, 40e9, 100e9},
	Payloads: []float64{10e6, 100e6, 1e9, 10e9},
	Computes: []float64{0, 0.01, 0.1, 0.3, 1, 10},
}

// Shift searches the best schedule of one and two rounds on a grid of access rates and payloads, under each capability.
func (s *Study) Shift(ctx context.Context) (*Shift, error) {
	if s.shift != nil {
		return s.shift, nil
	}
	out := &Shift{Topology: s.o.Topology.Name, PeriodMax: 2, Proven: true, Accesses: ShiftGrid.Accesses, Payloads: ShiftGrid.Payloads, Computes: ShiftGrid.Computes}
	o := optimize.Options{PeriodMax: out.PeriodMax, RunnersUp: 1, Jobs: s.o.Jobs}
	plain := map[[3]float64]float64{} // by access, payload and compute
	for _, level := range s.levels {
		for i, access := range out.Accesses {
			computes := out.Computes[:1]
			if i == len(out.Accesses)-1 {
				computes = out.Computes
			}
			t := s.o.Topology.WithAccess(access)
			p, err := collective.NewPricer(t, level.Capability, collective.Options{Payload: s.o.Payload, Collective: s.o.Collective})
			if err != nil {
				return nil, err
			}
			results, err := optimize.Sweep(ctx, t, p, out.Payloads, computes, o)
			if err != nil {
				return nil, err
			}
			for k, payload := range out.Payloads {
				for j, compute := range computes {
					r, at := results[k][j], [3]float64{access, payload, compute}
					if level.Name == network.LevelUnicast {
						plain[at] = r.Best.Staleness
					}
					cell := shiftCell(r)
					cell.Capability, cell.Access, cell.Payload, cell.Compute, cell.Plain = level.Name, access, payload, compute, plain[at]
					out.Proven = out.Proven && r.Certificate.Pairs > 0
					out.Cells = append(out.Cells, cell)
				}
			}
		}
	}
	s.shift = out
	return out, nil
}

func shiftCell(r *optimize.Result) ShiftCell {
	cell := ShiftCell{Cliques: r.Best.Schedule.CliqueText(), Staleness: r.Best.Staleness, AllReduce: r.AllReduce.Staleness}
	for i := range r.Best.Schedule.Rounds {
		cell.Sizes = append(cell.Sizes, cliqueSizes(r.Best.Schedule.Rounds[i].Cliques))
	}
	return cell
}

// cliqueSizes lists the sizes of the cliques of two and more, largest first.
func cliqueSizes(cliques [][]int) []int {
	var out []int
	for _, c := range cliques {
		if len(c) > 1 {
			out = append(out, len(c))
		}
	}
	slices.SortFunc(out, func(a, b int) int { return cmp.Compare(b, a) })
	return out
}
