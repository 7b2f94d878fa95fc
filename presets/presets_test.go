package presets

import (
	"context"
	"fmt"
	"testing"
)

func TestAllRun(t *testing.T) {
	for _, name := range List() {
		p, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if p.Name != name || p.About == "" || p.LeavesOut == "" {
			t.Errorf("%s: name %q, about %q, leaves out %q", name, p.Name, p.About, p.LeavesOut)
		}
		r, err := Run(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range r.Rows {
			published := "-"
			if row.Published != nil {
				published = fmt.Sprint(*row.Published)
			}
			t.Logf("%s: %s = %.6g %s (published %s)", name, row.Label, row.Predicted, row.Unit, published)
		}
	}
}
