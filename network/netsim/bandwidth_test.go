package netsim

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadBandwidth(t *testing.T) {
	top := load(t, "nine-city")
	got, err := ReadBandwidth("trace.csv", []byte("# measured\nlink, time, bandwidth\nNYC-LON, 30s, 2.5Gbps\nLON-NYC,0,0\n"), top)
	if err != nil {
		t.Fatal(err)
	}
	l, err := FindLink(top, "LON-NYC")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Change{{30, l, 2.5e9}, {0, l, 0}}, got); d != "" {
		t.Error(d)
	}
	for data, want := range map[string]string{
		"":                                       "trace.csv: the file is empty",
		"time,link\n":                            `trace.csv:1:1: column "bandwidth" is missing`,
		"time,link,bandwith\n":                   `trace.csv:1:11: unknown column "bandwith" (did you mean "bandwidth"?)`,
		"time,link,bandwidth\n1,NYC-LON,1Gbps\n": `trace.csv:2:1: duration "1" has no unit`,
		"time,link,bandwidth\n1s,NYC-LAN,1Gbps\n": `trace.csv:2:4: unknown link "NYC-LAN" (did you mean`,
		"time,link,bandwidth\n1s,NYC-LON,1GB\n":   `trace.csv:2:12: bandwidth "1GB" has unknown unit`,
		"time,link,bandwidth\n1s,NYC-LON\n":       `trace.csv:2:1: wrong number of fields`,
	} {
		if _, err := ReadBandwidth("dir/trace.csv", []byte(data), top); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", data, err, want)
		}
	}
}

func FuzzReadBandwidth(f *testing.F) {
	top := load(f, "nine-city")
	f.Add([]byte("time,link,bandwidth\n0s,NYC-LON,10Gbps\n"))
	f.Add([]byte("bandwidth,time,link\n\"1Gbps\",\"1e3s\",SEO-TYO\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		changes, err := ReadBandwidth("fuzz", data, top)
		if err != nil {
			return
		}
		o := Options{Topology: top, Schedule: cliques(9, nil), Bandwidth: changes}
		if err := o.check(); err != nil {
			t.Errorf("what was read is refused: %v", err)
		}
	})
}
