package collective

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A sweep prices what pricers of each payload price, whatever the network, the limits and the collective.
func TestSweepIsEveryPrice(t *testing.T) {
	payloads := []float64{1e4, 1e6, 1e8, 3e8, 1e10}
	rapid.Check(t, func(t *rapid.T) {
		top := drawNetwork(t, 6, false)
		can := drawCapability(t, len(top.Routers))
		o := Options{Payload: 1, Collective: rapid.SampledFrom([]string{Best, Exchange, Hub, Sharded, Ring, Packed}).Draw(t, "collective")}
		if o.Collective == Best && rapid.Bool().Draw(t, "limited") {
			o.Limits = Limits{Ingest: 1e9, Window: 1 << 20, Header: 40, Chunk: 1e5, FECPackets: 20, FECRepair: 2, IntegerBits: 8}
		}
		w, err := drawn(t, top, can, o).NewSweep(payloads)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float64, len(payloads))
		for range 3 {
			cliques := drawCliques(t, len(top.Islands), 6)
			if err := w.PartitionSeconds(cliques, got); err != nil {
				t.Fatal(err)
			}
			for i, s := range payloads {
				o.Payload = s
				want, err := drawn(t, top, can, o).PartitionSeconds(cliques)
				if err != nil {
					t.Fatal(err)
				}
				if math.Abs(got[i]-want) > 1e-11*want {
					t.Fatalf("%v at %g bytes: %v, want %v", cliques, s, got[i], want)
				}
			}
		}
	})
}

// Where one plan is best at both ends, nothing is searched between them: the lone pricers of the middle stay empty.
func TestSweepSearchesNothingTwice(t *testing.T) {
	w, err := pricer(t, load(t, "star:n=6,latency=1ns,bandwidth=1Gbps"), "unicast", Options{}).NewSweep([]float64{1e8, 1e9, 1e10})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.PartitionSeconds([][]int{{0, 1, 2}, {3, 4, 5}}, make([]float64, 3)); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{2, 0, 2} {
		if got := len(w.Pricers[i].memo); got != want {
			t.Errorf("payload %d: %d cliques looked up, want %d", i, got, want)
		}
	}
	if len(w.Pricers[0].ways.memo) != 2 {
		t.Errorf("%d cliques listed, want 2", len(w.Pricers[0].ways.memo))
	}
}

func TestSweepRefuses(t *testing.T) {
	p := pricer(t, load(t, "star:n=3"), "unicast", Options{})
	for _, payloads := range [][]float64{nil, {0}, {2, 1}, {1, 1}, {math.NaN()}, {math.Inf(1)}} {
		if _, err := p.NewSweep(payloads); err == nil || !strings.Contains(err.Error(), "sweep") {
			t.Errorf("payloads %v: %v", payloads, err)
		}
	}
}
