package gossip

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

// TestSimulationOfEveryAlgorithm compares each with its exact moments on schedules that are not single matrices, with
// local steps, leaping and step by step.
func TestSimulationOfEveryAlgorithm(t *testing.T) {
	mixed := func(t *testing.T) *mixing.Sequence {
		return sequence(t, 4, cliques(4, []int{0, 1, 2}), schedule.Round{LocalSteps: 2, Edges: []schedule.Edge{{I: 0, J: 1, Weight: .3}, {I: 2, J: 3, Weight: .4}, {I: 1, J: 2, Weight: .2}}})
	}
	for _, algorithm := range []string{
		"atc", "cta", "dgd", "gradient-tracking", "delayed:tau=1", "delayed:tau=3", "stale:tau=1", "stale:tau=2", "push-sum",
		"diloco:lr=0.5,momentum=0.5", "diloco:outer=heavy-ball,lr=0.3,momentum=0.6", "factored:outer=plain,mix1=schedule,mix2=exact",
		"factored:mix1=exact,mix2=none,lr=0.6,momentum=0.3", "streaming-diloco:fragments=2,overlap=1,merge=0.5,lr=0.6,momentum=0.4",
		"streaming-diloco:overlap=2,merge=0.25,outer=plain",
	} {
		for _, text := range []string{instanceC, instanceN} {
			if text == instanceN && strings.Contains(algorithm, "fragments=2") {
				continue
			}
			for _, stepwise := range []bool{false, true} {
				agree(t, problem(t, text), mixed(t), algorithm, 0.05, []int{1, 2, 3, 12}, 1500, stepwise)
			}
		}
	}
}

// TestFragmentFixture is the published regression fixture of the fragment-wise outer optimizer in torchft: two
// replicas, two scalar fragments that start at 1, every inner step subtracts 2, outer rate 2, no momentum; the first
// fragment is applied at steps 3, 9, the second at 6, 12. A constant slope is a very flat quadratic with a far optimum.
func TestFragmentFixture(t *testing.T) {
	const flat = 1e-9
	far := 1 - 2/(0.5*flat) // η a (x - b) = 2 at η = 0.5, x = 1
	q, err := NewQuadratic(Quadratic{Diagonal: true, A: [][]float64{{flat, flat}, {flat, flat}}, B: [][]float64{{far, far}, {far, far}}, Start: [][]float64{{1, 1}, {1, 1}}})
	if err != nil {
		t.Fatal(err)
	}
	seq := complete(t, 2, 6)
	for _, c := range []struct {
		keys string
		want [2][2]float64 // values before steps 6 and 12
	}{
		{"overlap=0,merge=0", [2][2]float64{{-17, -23}, {-41, -47}}},
		{"overlap=0,merge=0.5", [2][2]float64{{-14, -17}, {-30.5, -32}}},
		{"overlap=1,merge=0", [2][2]float64{{-13, -19}, {-33, -39}}},
		{"overlap=1,merge=0.5", [2][2]float64{{-12, -15}, {-27.5, -29}}},
	} {
		alg, err := ParseAlgorithm("streaming-diloco:fragments=2,outer=plain,lr=2," + c.keys)
		if err != nil {
			t.Fatal(err)
		}
		s := &simulation{q: q, seq: seq, step: 0.5, alg: alg, weights: q.weights()}
		st := s.newStepper()
		st.reset(0)
		star := q.Constants().XStar
		for round, want := range c.want {
			st.round(round)
			for f, v := range want {
				if got := st.replicas()[f]; math.Abs(got-v) > 1e-5 {
					t.Errorf("%s: simulated fragment %d is %g after round %d, want %g", c.keys, f, got, round+1, v)
				}
			}
			for f, g := range q.groups(Algorithm{Name: "streaming-diloco", Fragments: 2}) {
				m := alg.compile(seq, 0.5, q.weights(), g).begin()
				for range round + 1 {
					m.round()
				}
				if got := m.mean[0] + star[f]; math.Abs(got-want[f]) > 1e-5 {
					t.Errorf("%s: exact fragment %d is %g after round %d, want %g", c.keys, f, got, round+1, want[f])
				}
			}
		}
	}
}

// TestFactoredDisagreement has the closed form of one disagreement mode on equal curvatures: factor λ₁ - ν λ₂ q with
// q = 1-(1-ηa)^H, stationary variance ν² λ₂² v / (1 - factor²); values for η=.1, H=10, ν=.7, σ²=1.
func TestFactoredDisagreement(t *testing.T) {
	for _, c := range []struct {
		a          float64
		mix1, mix2 string
		variance   float64
	}{
		{1, "schedule", "schedule", .00260272533}, {1, "schedule", "none", .0229997327}, {1, "exact", "none", .0285988533}, {1, "none", "none", .0321798851},
		{.1, "schedule", "schedule", .00551542146}, {.1, "schedule", "none", .0482621177}, {.1, "none", "none", .346538938},
	} {
		// Two islands with W = [[2/3, 1/3], [1/3, 2/3]]: one mode of eigenvalue 1/3; consensus error is half its variance.
		q, err := NewQuadratic(Quadratic{Diagonal: true, A: [][]float64{{c.a}, {c.a}}, B: [][]float64{{0}, {0}}, Noise: [][]float64{{1}, {1}}})
		if err != nil {
			t.Fatal(err)
		}
		seq := sequence(t, 2, schedule.Round{LocalSteps: 10, Edges: []schedule.Edge{{I: 0, J: 1, Weight: 1. / 3}}})
		alg := Algorithm{Name: "factored", Outer: "plain", Rate: 0.7, Mix1: c.mix1, Mix2: c.mix2}
		r, err := Exact(context.Background(), q, seq, ExactOptions{Algorithm: alg, Step: 0.1})
		if err != nil {
			t.Fatal(err)
		}
		if r.Stationary == nil || math.Abs(2*r.Stationary.Consensus-c.variance) > 1e-9 {
			t.Errorf("a=%g mix1=%s mix2=%s: %+v, want variance %g", c.a, c.mix1, c.mix2, r.Stationary, c.variance)
		}
	}
}

// TestMergeModel has the closed form of merging on a quadratic mode for η=.05, a=1, H=20, overlap 5, n=4, σ²=1: the
// mean shrinks by F = ρ^(H-τ) (αρ^τ + 1-α) a round, and disagreement after the merge settles at v.
func TestMergeModel(t *testing.T) {
	for _, c := range []struct{ alpha, f, v float64 }{
		{0, .463291230, 0}, {.25, .437089903, .00105594269}, {.5, .410888576, .00432892528}, {.75, .384687249, .0101617237},
	} {
		q := problem(t, scalar(1))
		alg := Algorithm{Name: "streaming-diloco", Outer: "plain", Rate: 1, Overlap: 5, Merge: c.alpha}
		r, err := Exact(context.Background(), q, complete(t, 4, 20), ExactOptions{Algorithm: alg, Step: 0.05, At: []int{400}})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(*r.Radius-c.f) > 1e-9 && c.alpha < 0.5 { // for larger α a disagreement mode may dominate
			t.Errorf("α=%g: radius %.9f, want %.9f", c.alpha, *r.Radius, c.f)
		}
		if got := r.Points[0].Consensus; math.Abs(got-c.v) > 1e-10 {
			t.Errorf("α=%g: consensus %.9g, want %.9g", c.alpha, got, c.v)
		}
	}
}

// TestPushSum follows z = x/w without gradients on the directed graph 0→{0,1,2}, 1→{1,2}, 2→{2,3}, 3→{3,0}, out-degree
// split, from 1, 2, 3, 6 (mean 3).
func TestPushSum(t *testing.T) {
	seq := sequence(t, 4, directed())
	q, err := NewQuadratic(Quadratic{Diagonal: true, A: [][]float64{{0}, {0}, {0}, {0}}, B: [][]float64{{0}, {0}, {0}, {0}}, Start: [][]float64{{1}, {2}, {3}, {6}}})
	if err != nil {
		t.Fatal(err)
	}
	m := Algorithm{Name: "push-sum"}.compile(seq, 0.1, q.weights(), q.groups(Algorithm{})[0]).begin()
	for t1, want := range map[int][]float64{1: {4, 1.6, 2.125, 4.5}, 2: {4.321428571, 2.56, 2.346938776, 3.142857143}} {
		m.t, m.mean = 0, append([]float64(nil), 1, 2, 3, 6)
		for range t1 {
			m.round()
		}
		for i, v := range want {
			if math.Abs(m.mean[i]-v) > 1e-9 {
				t.Errorf("z_%d is %.9f after round %d, want %.9f", i, m.mean[i], t1, v)
			}
		}
	}
	m.t, m.mean = 0, []float64{1, 2, 3, 6}
	for now := 1; now <= 20; now++ {
		m.round()
		worst := 0.0
		for _, z := range m.mean {
			worst = max(worst, math.Abs(z-3))
		}
		if want, ok := map[int]float64{5: .177064846, 10: .00873965486, 20: 4.31481408e-5}[now]; ok && math.Abs(worst-want) > 1e-9 {
			t.Errorf("largest error %.9g after round %d, want %.9g", worst, now, want)
		}
	}
	agree(t, problem(t, instanceC), seq, "push-sum", 0.05, []int{1, 5, 30}, 3000, true)
}

func directed() schedule.Round {
	r := schedule.Round{LocalSteps: 1}
	for from, to := range [][]int{{0, 1, 2}, {1, 2}, {2, 3}, {3, 0}} {
		for _, i := range to {
			r.Entries = append(r.Entries, schedule.Edge{I: i, J: from, Weight: 1 / float64(len(to))})
		}
	}
	return r
}

// TestUndampedDelayDiverges: ring 4 has 1 - λ_min = 4/3, above the limits 1 and 0.618 of τ = 1 and 2. A Lyapunov solver
// would return numbers here.
func TestUndampedDelayDiverges(t *testing.T) {
	for tau, radius := range map[int]float64{1: 1.154678888, 2: 1.250979840} {
		r, err := Exact(context.Background(), problem(t, instanceC), ring4(t), ExactOptions{Algorithm: Algorithm{Name: "delayed", Delay: tau}, Step: 0.1, At: []int{5}})
		if err != nil {
			t.Fatal(err)
		}
		if !near(*r.Radius, radius) || r.Stable || r.Stationary != nil || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "1.333") {
			t.Errorf("tau=%d: radius %.9f, stable %v, stationary %v, warnings %q", tau, *r.Radius, r.Stable, r.Stationary, r.Warnings)
		}
	}
}

// TestLimits: what algorithms become in the corners.
func TestLimits(t *testing.T) {
	points := func(q *Quadratic, seq *mixing.Sequence, algorithm string, step float64) []ExactPoint {
		alg, err := ParseAlgorithm(algorithm)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Exact(context.Background(), q, seq, ExactOptions{Algorithm: alg, Step: step, At: []int{0, 1, 2, 7, 30}})
		if err != nil {
			t.Fatal(err)
		}
		return r.Points
	}
	same := func(name string, a, b []ExactPoint) {
		t.Helper()
		for i := range a {
			if math.Abs(a[i].MSE-b[i].MSE) > 1e-12 || math.Abs(a[i].Consensus-b[i].Consensus) > 1e-12 {
				t.Errorf("%s: %+v and %+v", name, a[i], b[i])
			}
		}
	}
	for _, text := range []string{instanceC, instanceN} {
		q := problem(t, text)
		atc := points(q, ring4local(t), "atc", 0.1)
		same("diloco with plain outer steps is atc", points(q, ring4local(t), "diloco:outer=plain,lr=1", 0.1), atc)
		same("streaming with one fragment is diloco", points(q, complete(t, 4, 4), "streaming-diloco:lr=0.5,momentum=0.3", 0.1), points(q, complete(t, 4, 4), "diloco:lr=0.5,momentum=0.3", 0.1))
		same("no delay is dgd", points(q, ring4(t), "delayed:tau=0", 0.1), points(q, ring4(t), "dgd", 0.1))
		same("fresh neighbors are atc", points(q, ring4local(t), "stale:tau=0", 0.1), atc)
		same("push-sum on a doubly stochastic matrix is atc", points(q, ring4local(t), "push-sum", 0.1), atc)
		same("merging all of the local value is not mixing", points(q, ring4local(t), "streaming-diloco:outer=plain,lr=1,merge=1", 0.1), points(q, sequence(t, 4, schedule.Round{LocalSteps: 4}), "atc", 0.1))
		small := points(q, ring4(t), "atc", 1e-12)
		if math.Abs(small[4].MSE-small[0].MSE) > 1e-9 {
			t.Errorf("a tiny step moves: %g to %g", small[0].MSE, small[4].MSE)
		}
	}
	// Many local steps between exact averagings end at the plain mean of the own optima (0.5 for these), not at x*.
	q, err := NewQuadratic(Quadratic{Diagonal: true, A: [][]float64{{1}, {.5}, {1.5}, {1}}, B: [][]float64{{1}, {0}, {-1}, {2}}})
	if err != nil {
		t.Fatal(err)
	}
	for h, fixed := range map[int]float64{1: .375, 4: .409761986, 10: .459044474, 100: .500727905} { // FedAvg fixed points
		r, err := Exact(context.Background(), q, complete(t, 4, h), ExactOptions{Step: 0.1})
		if err != nil {
			t.Fatal(err)
		}
		if e := fixed - .375; math.Abs(r.Stationary.Centroid-e*e) > 1e-9 {
			t.Errorf("H=%d: stationary centroid error %.10f, want %.10f", h, r.Stationary.Centroid, e*e)
		}
	}
	// One island is plain SGD: E e² ← (1-ηa)² E e² + η² s.
	one, err := NewQuadratic(Quadratic{Diagonal: true, A: [][]float64{{.8}}, B: [][]float64{{2}}, Noise: [][]float64{{.3}}})
	if err != nil {
		t.Fatal(err)
	}
	want := 4.0
	for range 7 {
		want = .92*.92*want + .01*.3
	}
	for _, algorithm := range []string{"atc", "cta", "dgd", "gradient-tracking", "delayed:tau=2", "stale:tau=2", "push-sum", "diloco:outer=plain,lr=1"} {
		if p := points(one, sequence(t, 1, schedule.Round{LocalSteps: 1}), algorithm, 0.1)[3]; math.Abs(p.MSE-want) > 1e-12 || p.Consensus != 0 {
			t.Errorf("%s of one island: %+v, want %g", algorithm, p, want)
		}
	}
}

// TestBiasOrders: the consensus bias is c η² and the centroid bias c η⁴ in squares, the latter zero for equal
// curvatures; values divided by η² at η = .04, .02, .01 (instances C and N) and equal curvatures diag(1, .1).
func TestBiasOrders(t *testing.T) {
	equal := strings.Replace(instanceC, "[[[1.0, 0.0], [0.0, 0.1]], [[0.5, 0.0], [0.0, 0.1]], [[1.5, 0.0], [0.0, 0.2]], [[1.0, 0.0], [0.0, 0.2]]]", "[[1, .1], [1, .1], [1, .1], [1, .1]]", 1)
	for _, c := range []struct {
		text                string
		step                float64
		centroid, consensus float64
	}{
		{equal, .04, 0, .259347}, {equal, .01, 0, .266344}, {instanceC, .04, 4.80282e-4, .354711}, {instanceC, .01, 4.44272e-4, .364256},
		{instanceN, .04, .0430934, .164356}, {instanceN, .02, .0437364, .166451}, {instanceN, .01, .0440634, .167519},
	} {
		q := problem(t, strings.Replace(c.text, "noise: [0.04, 0.01, 0.09, 0.04]\n", "", 1))
		r, err := Exact(context.Background(), q, ring4(t), ExactOptions{Step: c.step})
		if err != nil {
			t.Fatal(err)
		}
		s := c.step * c.step
		if math.Abs(r.Stationary.Centroid/s-c.centroid) > 1e-5*c.centroid+1e-12 || math.Abs(r.Stationary.Consensus/s-c.consensus) > 2e-6 {
			t.Errorf("step %g: centroid %.6g, consensus %.6g, want %.6g, %.6g", c.step, r.Stationary.Centroid/s, r.Stationary.Consensus/s, c.centroid, c.consensus)
		}
	}
	r, err := Exact(context.Background(), problem(t, equal), ring4(t), ExactOptions{Step: .1})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(r.Stationary.MSE-.00879154228) > 1e-10 || math.Abs(r.Stationary.Centroid-.00624537159) > 1e-10 { // closed form
		t.Errorf("equal curvatures: %+v", r.Stationary)
	}
}

func TestAlgorithmLines(t *testing.T) {
	for _, line := range []string{
		"atc", "cta", "dgd", "gradient-tracking", "push-sum", "delayed:tau=3", "stale:tau=1", "sparse:keep=0.25", "choco:compress=top-k,k=3", "dgc:k=5,momentum=0.5", "powersgd:rank=2", "async:slow=2,dylu=on,lr=0.5,momentum=0.9",
		"halos:slow=1,dylu=off,lr=1,momentum=0.5,local-lr=0.2,local-momentum=0.9,groups=2,every=4,merge=0.25", "choco:compress=qsgd,levels=8,gamma=0.1", "diloco:outer=plain,lr=1,compress=int8", "diloco:outer=nesterov,lr=0.7,momentum=0.9",
		"diloco:outer=plain,lr=1", "factored:outer=heavy-ball,lr=0.5,momentum=0.2,mix1=exact,mix2=none",
		"streaming-diloco:outer=nesterov,lr=0.7,momentum=0.9,fragments=4,overlap=2,merge=0.5",
	} {
		a, err := ParseAlgorithm(line)
		if err != nil || a.String() != line {
			t.Errorf("%q reads as %q, %v", line, a.String(), err)
		}
	}
	for _, c := range []struct{ line, want string }{
		{"act", `did you mean "atc"?`}, {"atc:tau=1", "takes no keys"}, {"delayed:tau=-1", "below 0"}, {"diloco:outer=adam", "outer=adam is unknown"},
		{"diloco:momentum=1", "above"}, {"diloco:outer=plain,momentum=0.5", "unknown key"}, {"streaming-diloco:merge=2", "above 1"}, {"factored:mix1=half", "unknown"},
	} {
		if _, err := ParseAlgorithm(c.line); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.line, err, c.want)
		}
	}
}

func TestPreconditions(t *testing.T) {
	c := problem(t, instanceC)
	for _, x := range []struct {
		name string
		q    *Quadratic
		seq  *mixing.Sequence
		line string
		step float64
		want string
	}{
		{"sizes", c, ring(t, 5, 1, 1), "atc", 0, "4 islands, the schedule has 5 nodes"},
		{"step", c, ring4(t), "atc", -1, "step -1"},
		{"fragments of a dense problem", problem(t, instanceN), ring4local(t), "streaming-diloco:fragments=2", 0, "needs a diagonal problem"},
		{"more fragments than parameters", c, ring4local(t), "streaming-diloco:fragments=3", 0, "3 fragments of 2 parameters"},
		{"overlap", c, ring4local(t), "streaming-diloco:fragments=2,overlap=3", 0, "overlap=3 is longer than the 2 local steps"},
		{"weights", problem(t, instanceC+"weights: [0.4, 0.3, 0.2, 0.1]\n"), ring4(t), "atc", 0, "does not preserve the island weights"},
		{"flat", problem(t, "problem: quadratic\ncurvature: [0]\noptimum: [[0]]\n"), sequence(t, 1, schedule.Round{LocalSteps: 1}), "atc", 0, "give a step"},
	} {
		alg, err := ParseAlgorithm(x.line)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Exact(context.Background(), x.q, x.seq, ExactOptions{Algorithm: alg, Step: x.step}); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: exact says %v, want %q", x.name, err, x.want)
		}
		if _, err := Simulate(context.Background(), x.q, x.seq, SimulateOptions{Algorithm: alg, Step: x.step}); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: simulate says %v, want %q", x.name, err, x.want)
		}
	}
}

// TestRowMixerIsApply: the mixing of the step loop gives the bits of Matrix.Apply.
func TestRowMixerIsApply(t *testing.T) {
	draw := newSource(1, 0, 0, "test")
	for terms := 1; terms <= 6; terms++ {
		r := schedule.Round{LocalSteps: 1}
		for i := range 8 {
			for j := range terms {
				r.Entries = append(r.Entries, schedule.Edge{I: i, J: (i + j) % 8, Weight: draw.normal()})
			}
		}
		w := sequence(t, 8, r).Steps[0].W
		x, want, got := make([]float64, 8*5), make([]float64, 8*5), make([]float64, 8*5)
		draw.normals(x)
		w.Apply(want, x, 5)
		m := newRowMixer(w)
		m.apply(got, x, 5)
		for k := range want {
			if got[k] != want[k] {
				t.Fatalf("%d terms: %g, Apply gives %g", terms, got[k], want[k])
			}
		}
	}
}

func BenchmarkExact(b *testing.B) {
	q := family(b, "quadratic:d=1000,spread=0.3", 9)
	all := make([]int, 10001)
	for t := range all {
		all[t] = t
	}
	for _, c := range []struct {
		name string
		at   []int
	}{{"last round", []int{10000}}, {"every round", all}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Exact(context.Background(), q, affinePlane(b), ExactOptions{At: c.at}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// FuzzParseAlgorithm: what is read is valid, and reads back from what it prints.
func FuzzParseAlgorithm(f *testing.F) {
	for _, line := range []string{"atc", "delayed:tau=3", "streaming-diloco:fragments=4,overlap=2,merge=0.5", "choco:compress=qsgd,levels=8,gamma=0.1", "halos:groups=2", "factored:mix1=none"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		a, err := ParseAlgorithm(line)
		if err != nil {
			return
		}
		if b, err := ParseAlgorithm(a.String()); err != nil || a.name() != "atc" && b != a {
			t.Errorf("%q reads as %+v, prints %q, which reads as %+v, %v", line, a, a.String(), b, err)
		}
	})
}

func FuzzParseLogistic(f *testing.F) {
	f.Add("logistic:d=2,samples=5,heterogeneity=1,ridge=0.1,seed=3")
	f.Fuzz(func(t *testing.T, line string) {
		if len(line) > 60 {
			return // large sizes only cost time
		}
		if strings.Contains(line, "d=") || strings.Contains(line, "samples=") {
			return
		}
		if l, err := ParseLogistic(line, 2); err == nil && (len(l.constants.XStar) != l.D || math.IsNaN(l.constants.Zeta2)) {
			t.Errorf("%q: %+v", line, l.constants)
		}
	})
}
