package mixing

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/islandsgd/islands/schedule"
)

// bruteStaleness iterates the definition until it stands still.
func bruteStaleness(seq *Sequence, seconds []float64) float64 {
	n := seq.N
	v, tmp := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	total, last := 0.0, 0.0
	for _, t := range seconds {
		total += t
	}
	for range 100_000 {
		sum := 0.0
		for r := range seq.Steps {
			t := seconds[r]
			sum += t * (disagreement(v)/float64(n-1) + t/2)
			addDrift(v, t)
			w := seq.Steps[r].W.Dense()
			tmp.Mul(w, v)
			v.Mul(tmp, w.T())
		}
		if math.Abs(sum-last) <= 1e-13*sum {
			break
		}
		last = sum
	}
	return last / total
}

func drawPartition(t *rapid.T, n int) [][]int {
	labels := rapid.SliceOfN(rapid.IntRange(0, 3), n, n).Draw(t, "labels")
	cliques := make([][]int, 4)
	for i, l := range labels {
		cliques[l] = append(cliques[l], i)
	}
	var out [][]int
	for _, c := range cliques {
		if len(c) > 0 {
			out = append(out, c)
		}
	}
	return out
}

func TestStalenessIsTheSteadyState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 9).Draw(t, "n")
		period := rapid.IntRange(1, 4).Draw(t, "period")
		s := &schedule.Schedule{N: n}
		seconds := make([]float64, period)
		for r := range period {
			s.Rounds = append(s.Rounds, schedule.Round{LocalSteps: 1, Cliques: drawPartition(t, n)})
			seconds[r] = rapid.Float64Range(0.1, 3).Draw(t, "seconds")
		}
		seq, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := Staleness(seq, seconds)
		if ok != seq.connected() {
			t.Fatalf("finite %v, connected %v", ok, seq.connected())
		}
		if !ok {
			return
		}
		if want := bruteStaleness(seq, seconds); math.Abs(got-want) > 1e-9*want {
			t.Fatalf("got %v, want %v", got, want)
		}
		// The same matrices as matrices, not as cliques, take the dense way.
		dense := &Sequence{N: n}
		for _, st := range seq.Steps {
			dense.Steps = append(dense.Steps, Step{1, &Matrix{n: n, rows: st.W.Rows(), theta: 1}})
		}
		if again, ok := Staleness(dense, seconds); !ok || math.Abs(got-again) > 1e-9*got {
			t.Fatalf("cliques %v, dense %v", got, again)
		}
	})
}

func TestStalenessRefuses(t *testing.T) {
	s := &schedule.Schedule{N: 2, Rounds: []schedule.Round{{LocalSteps: 1, Cliques: [][]int{{0, 1}}}}}
	seq, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, seconds := range [][]float64{{0}, {math.NaN()}, {math.Inf(1)}, {-1}, {1, 1}} {
		if v, ok := Staleness(seq, seconds); ok {
			t.Errorf("%v: got %v", seconds, v)
		}
	}
	if v, ok := Staleness(seq, []float64{3}); !ok || v != 1.5 {
		t.Errorf("got %v, want 1.5", v)
	}
}

// Two rotations of the nine cities with the seconds of their rounds: 1 GB by hubs at 100 Gbps access, and by rings and
// shards at 10 Gbps. The values were computed independently.
func TestStalenessOfNineCities(t *testing.T) {
	for _, c := range []struct {
		rounds  [2]string
		seconds []float64
		want    float64
	}{
		{[2]string{"0,2,4|1,3,5|6,7,8", "0,2,7|1,4,5|3,6,8"}, []float64{0.91064, 0.91524}, 0.798824},
		{[2]string{"0,1,4|2,7,8|3,5,6", "0,2,4,6,7|1,3,5,8"}, []float64{1.2714066667, 1.69828}, 1.051389},
	} {
		s := &schedule.Schedule{N: 9}
		for _, text := range c.rounds {
			one, err := schedule.ParseCliques(text, schedule.Options{N: 9})
			if err != nil {
				t.Fatal(err)
			}
			s.Rounds = append(s.Rounds, one.Rounds...)
		}
		if got, ok := Staleness(sequence(t, s), c.seconds); !ok || math.Abs(got-c.want) > 5e-7 {
			t.Errorf("%v: %v, want %v", c.rounds, got, c.want)
		}
	}
}

func twoTriples() ([][]uint16, []float64) {
	return [][]uint16{Labels(9, [][]int{{0, 2, 4}, {1, 3, 5}, {6, 7, 8}}), Labels(9, [][]int{{0, 2, 7}, {1, 4, 5}, {3, 6, 8}})}, []float64{1, 1.5}
}

func TestSolverAllocatesNothing(t *testing.T) {
	labels, seconds := twoTriples()
	x := NewStalenessSolver(9, 2)
	if n := testing.AllocsPerRun(10, func() { x.Solve(labels, seconds) }); n != 0 {
		t.Errorf("%v allocations per call", n)
	}
}

func BenchmarkStalenessSolver(b *testing.B) {
	labels, seconds := twoTriples()
	x := NewStalenessSolver(9, 2)
	for b.Loop() {
		x.Solve(labels, seconds)
	}
}

// A random schedule of one outcome is periodic, and a mixture of equal outcomes too; sampling agrees within its error.
func TestRandomStaleness(t *testing.T) {
	s := load(t, "random-cliques:k=3,n=6")
	seq := sequence(t, s)
	all := seq.Random.Outcomes
	seconds := make([]float64, len(all))
	for k := range seconds {
		seconds[k] = 1 + 0.1*float64(k)
	}
	want, ok := RandomStaleness(all, seconds)
	if !ok {
		t.Fatal("no steady state")
	}
	rng := rand.New(rand.NewPCG(4, 2))
	got, standardError, ok := SampleStaleness(6, 40_000, func(rng *rand.Rand) (*Matrix, float64) {
		k := rng.IntN(len(all))
		return all[k].W, seconds[k]
	}, rng)
	if !ok || math.Abs(got-want) > 4*standardError || standardError > 0.01*want {
		t.Errorf("sampled %v ± %v, exact %v", got, standardError, want)
	}
	// Uniform seconds: V = a P with a = kept (a + T), so that s = kept T/(1-kept).
	for k := range seconds {
		seconds[k] = 2
	}
	got, ok = RandomStaleness(all, seconds)
	kept := seq.Random.kept
	if want := 2*kept/(1-kept) + 1; !ok || math.Abs(got-want) > 1e-10 {
		t.Errorf("got %v, want %v", got, want)
	}
	one := sequence(t, load(t, "one-way-ring:n=5"))
	got, ok = RandomStaleness([]Outcome{{1, one.Steps[0].W}}, []float64{1.5})
	if want, _ := Staleness(one, []float64{1.5}); !ok || math.Abs(got-want) > 1e-9 {
		t.Errorf("one outcome: %v, periodic %v", got, want)
	}
	idle := sequence(t, load(t, "local:n=3"))
	if v, ok := RandomStaleness([]Outcome{{1, idle.Steps[0].W}}, []float64{1}); ok {
		t.Errorf("never connected: %v", v)
	}
}

// Weights past the square root of the range of floating point leave no staleness, and no NaN.
func TestStalenessOfHugeWeights(t *testing.T) {
	huge := schedule.Round{LocalSteps: 1, Edges: []schedule.Edge{{I: 0, J: 1, Weight: 1e155}}}
	all := schedule.Round{LocalSteps: 1, Cliques: [][]int{{0, 1}}}
	for _, rounds := range [][]schedule.Round{{huge, all}, {all, huge}, {huge}} {
		if v, ok := Staleness(sequence(t, &schedule.Schedule{N: 2, Rounds: rounds}), make([]float64, len(rounds))); ok {
			t.Errorf("no time passes: %v", v)
		}
		seconds := []float64{1, 2}[:len(rounds)]
		if v, ok := Staleness(sequence(t, &schedule.Schedule{N: 2, Rounds: rounds}), seconds); ok {
			t.Errorf("staleness %v", v)
		}
	}
}
