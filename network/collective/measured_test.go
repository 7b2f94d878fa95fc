package collective

import (
	"math"
	"strings"
	"testing"
)

// The claims that the documentation makes of the published runs.
func TestMeasured(t *testing.T) {
	m, err := Measured()
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Points) != 16 {
		t.Fatalf("%d points", len(m.Points))
	}
	low, high := math.Inf(1), 0.0
	for _, p := range m.Points {
		// The ring formula: 2 (k-1)/k S/c with k = 4, S = 123.2 MB.
		if want := 1.5 * 8 * 123.2e6 / p.BitPerSecond; !near(p.PredictedSeconds, want, 1e-12) {
			t.Errorf("%g bit/s: predicted %v s, want %v", p.BitPerSecond, p.PredictedSeconds, want)
		}
		if p.LocalSteps == 1 {
			if ratio := *p.RoundSeconds / p.PredictedSeconds; ratio < 1.03 || ratio > 1.29 {
				t.Errorf("%g bit/s: measured %v of the ring formula", p.BitPerSecond, ratio)
			}
		} else if p.RoundSeconds != nil {
			t.Errorf("H = %d has a round time", p.LocalSteps)
		}
		if r := p.PredictedUtilization / p.Utilization; r < 0.7 || r > 1.3 {
			t.Errorf("H = %d, %g bit/s: utilization %v, predicted %v", p.LocalSteps, p.BitPerSecond, p.Utilization, p.PredictedUtilization)
		}
		if p.LocalSteps == 128 {
			r := p.ImpliedSeconds / p.PredictedSeconds
			low, high = min(low, r), max(high, r)
		}
	}
	if low > 0.9 || high < 1.6 {
		t.Errorf("H = 128 implies %v to %v of the ring formula", low, high)
	}
	if m.Overhead < 1.03 || m.Overhead > 1.28 {
		t.Errorf("overhead %v", m.Overhead)
	}
}

func TestReadMeasured(t *testing.T) {
	const head = "link_bits_per_second,h,utilization,round_seconds,nodes,payload_bytes,step_seconds\n"
	m, err := ReadMeasured("mine.csv", []byte(head+"# two nodes, a gigabyte\n1e9,10,0.5,8.8,2,1e9,0.1\n1e9,1,0.1,,,,\n"))
	if err != nil {
		t.Fatal(err)
	}
	// By hand: a ring of two sends 2(k-1)/k = 1 payload of 8e9 bits over each link: 8 s, and 8.8 s were measured.
	p := m.Points[0]
	if math.Abs(p.PredictedSeconds-8) > 1e-9 || math.Abs(m.Overhead-1.1) > 1e-9 || math.Abs(p.ImpliedSeconds-1) > 1e-9 || math.Abs(p.PredictedUtilization-1/9.8) > 1e-9 {
		t.Errorf("%+v, overhead %v", p, m.Overhead)
	}
	for in, want := range map[string]string{
		"":                       "no measurements",
		"h,utilization\n1,0.5\n": `column "link_bits_per_second" is missing`,
		"link_bits_per_second,h,utilisation\n1,1,1\n": `did you mean "utilization"`,
		head + "1e9,1,0,,,,\n":                        `utilization "0" is no number`,
		head + "NaN,1,0.5,,,,\n":                      "measurement 1",
		head + "1e9,1,0.5,,100,,\n":                   `nodes "100"`,
		head + "1e9,1\n":                              "wrong number of fields",
	} {
		if _, err := ReadMeasured("mine.csv", []byte(in)); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "mine.csv: ") {
			t.Errorf("%q: error %v, want one with %q", in, err, want)
		}
	}
}

func FuzzReadMeasured(f *testing.F) {
	f.Add([]byte("link_bits_per_second,h,utilization\n1e9,1,0.5\n"))
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = ReadMeasured("f.csv", data) })
}
