package presets

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// Row is one number of a preset that was run.
type Row struct {
	Label     string   `json:"label"`
	Quantity  string   `json:"quantity"`
	Unit      string   `json:"unit"`
	Predicted *float64 `json:"predicted"` // nil: there is none, for Reason
	Published *float64 `json:"published"`
	Status    string   `json:"status"` // "read", "recalled" or ""
	Ratio     *float64 `json:"ratio"`  // predicted / published; nil where nothing is published, or the prediction rests on a fit
	Fitted    bool     `json:"fitted"`
	Reason    string   `json:"reason,omitempty"` // why there is no prediction
}

// Result is a preset that was run.
type Result struct {
	Preset    string   `json:"preset"`
	Paper     string   `json:"paper"`
	About     string   `json:"about"`
	Setting   Settings `json:"setting"`
	Rows      []Row    `json:"rows"`
	Inferred  []string `json:"inferred"`
	Fitted    []string `json:"fitted"`
	LeavesOut string   `json:"leaves_out"`
}

// Run computes every number of a preset. A number that does not exist under the settings, such as the bandwidth that
// reaches what none reaches, is left out for a reason; the others are computed all the same.
func Run(ctx context.Context, p *Preset) (*Result, error) {
	out := &Result{Preset: p.Name, Paper: p.Paper, About: p.About, Setting: p.Setting, Rows: []Row{},
		Inferred: append([]string{}, p.Inferred...), Fitted: append([]string{}, p.Fitted...), LeavesOut: p.LeavesOut}
	for _, n := range p.Numbers {
		r := &reader{s: merged(p.Setting, n.With)}
		v := quantities[n.Quantity].compute(ctx, r)
		if r.err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
			r.missing("the prediction is no finite number")
		}
		row := Row{Label: n.Label, Quantity: n.Quantity, Unit: n.Unit, Published: n.Published, Status: n.Status, Fitted: n.Fitted}
		var none noValue
		switch {
		case errors.As(r.err, &none):
			row.Reason = none.reason
			out.Rows = append(out.Rows, row)
			continue
		case r.err != nil:
			return nil, fmt.Errorf("%s, %s: %w", p.Name, n.Label, r.err)
		}
		row.Predicted = &v
		if n.Published != nil && !n.Fitted && *n.Published != 0 {
			ratio := v / *n.Published
			row.Ratio = &ratio
		}
		out.Rows = append(out.Rows, row)
	}
	return out, nil
}

// WorstRatio is the ratio that is farthest from 1, in factors, or nil when there is none.
func WorstRatio(r *Result) *float64 {
	var worst *float64
	for i := range r.Rows {
		if v := r.Rows[i].Ratio; v != nil && *v > 0 && (worst == nil || math.Abs(math.Log(*v)) > math.Abs(math.Log(*worst))) {
			worst = v
		}
	}
	return worst
}
