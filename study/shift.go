package study

import (
	"cmp"
	"context"
	"slices"

	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/optimize"
)

// ShiftCell is the best schedule under one capability, access rate and payload.
type ShiftCell struct {
	Capability string  `json:"capability"`
	Access     float64 `json:"access_bps"`
	Payload    float64 `json:"payload_bytes"`
	Staleness  float64 `json:"staleness_seconds"`
	AllReduce  float64 `json:"allreduce_staleness_seconds"`
	Cliques    string  `json:"cliques"`
	Sizes      [][]int `json:"clique_sizes"` // of each round, largest first; islands alone are left out
}

// Shift is how the best schedule changes with what routers can do, the access rate and the payload.
type Shift struct {
	Topology  string      `json:"topology"`
	PeriodMax int         `json:"period_max"` // how deep the search went
	Proven    bool        `json:"proven"`     // whether it was complete
	Accesses  []float64   `json:"accesses_bps"`
	Payloads  []float64   `json:"payloads_bytes"`
	Cells     []ShiftCell `json:"cells"` // capability by capability, access by access, payload by payload
}

// ShiftGrid is the grid of the phase diagram.
var ShiftGrid = struct{ Accesses, Payloads []float64 }{
	Accesses: []float64{2.5e9, 5e9, 10e9, 20e9, 40e9, 100e9},
	Payloads: []float64{10e6, 100e6, 1e9, 10e9},
}

// Shift searches the best schedule of one and two rounds on a grid of access rates and payloads, under each capability.
func (s *Study) Shift(ctx context.Context) (*Shift, error) {
	if s.shift != nil {
		return s.shift, nil
	}
	out := &Shift{Topology: s.o.Topology.Name, PeriodMax: 2, Proven: true, Accesses: ShiftGrid.Accesses, Payloads: ShiftGrid.Payloads}
	o := optimize.Options{PeriodMax: out.PeriodMax, RunnersUp: 1, Jobs: s.o.Jobs}
	for _, level := range s.levels {
		for _, access := range out.Accesses {
			t := s.o.Topology.WithAccess(access)
			p, err := collective.NewPricer(t, level.Capability, collective.Options{Payload: s.o.Payload, Collective: s.o.Collective})
			if err != nil {
				return nil, err
			}
			results, err := optimize.Sweep(ctx, t, p, out.Payloads, o)
			if err != nil {
				return nil, err
			}
			for k, r := range results {
				out.Proven = out.Proven && r.Certificate.Pairs > 0
				out.Cells = append(out.Cells, shiftCell(level.Name, access, out.Payloads[k], r))
			}
		}
	}
	s.shift = out
	return out, nil
}

func shiftCell(capability string, access, payload float64, r *optimize.Result) ShiftCell {
	cell := ShiftCell{
		Capability: capability, Access: access, Payload: payload, Cliques: r.Best.Schedule.CliqueText(),
		Staleness: r.Best.Staleness, AllReduce: r.AllReduce.Staleness,
	}
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
