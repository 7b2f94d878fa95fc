package mixing

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"testing"

	"github.com/islandsgd/islands/schedule"
)

// Every JSON block of the document states fields of the report on the YAML schedule before it.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../docs/mixing.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```\n\n```json\n(.*?)```").FindAllSubmatch(text, -1)
	if len(blocks) < 7 {
		t.Fatalf("%d examples in the document", len(blocks))
	}
	for _, b := range blocks {
		s, err := schedule.Read("mixing.md", b[1], schedule.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Analyze(context.Background(), sequence(t, s), Options{})
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var got, want map[string]any
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b[2], &want); err != nil {
			t.Fatalf("%v in %s", err, b[2])
		}
		compare(t, s.Name, got, want)
	}
}

// compare checks that everything in want is in got: numbers to the digits that a page shows.
func compare(t *testing.T, at string, got, want any) {
	t.Helper()
	switch w := want.(type) {
	case map[string]any:
		g, _ := got.(map[string]any)
		for k, v := range w {
			if _, there := g[k]; !there {
				t.Errorf("%s has no %s", at, k)
				continue
			}
			compare(t, at+"."+k, g[k], v)
		}
	case []any:
		g, _ := got.([]any)
		if len(g) != len(w) {
			t.Errorf("%s: %v, the document says %v", at, got, want)
			return
		}
		for i := range w {
			compare(t, fmt.Sprintf("%s[%d]", at, i), g[i], w[i])
		}
	case float64:
		if g, ok := got.(float64); !ok || math.Abs(g-w) > 1e-7 {
			t.Errorf("%s: %v, the document says %v", at, got, want)
		}
	default:
		if got != want {
			t.Errorf("%s: %v, the document says %v", at, got, want)
		}
	}
}
