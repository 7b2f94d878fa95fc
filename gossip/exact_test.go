package gossip

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

// reference is a published row: values at round T (0: stationary), in the order mse, centroid, consensus.
type reference struct {
	t                        int
	mse, centroid, consensus float64
}

var exactCases = []struct {
	name      string
	problem   string
	algorithm string
	sequence  func(testing.TB) *mixing.Sequence
	radius    float64 // 0: not tabulated
	points    []reference
}{
	{"C atc", instanceC, "atc", ring4, .985012690, []reference{
		{1, .223897222, .221934028, .001963194}, {2, .200294937, .197530046, .002764891}, {5, .149214003, .145879189, .003334813},
		{10, .104462649, .101076039, .003386610}, {50, .031360026, .027909997, .003450029}, {200, .008043852, .004590616, .003453236},
		{0, .007822810, .004369301, .003453509}}},
	{"C local H=4", instanceC, "atc", ring4local, .941676050, []reference{
		{1, .176434577, .155078046, .021356531}, {2, .138749668, .110722833, .028026835}, {5, .094349830, .063059833, .031289997},
		{10, .067194211, .035701219, .031492992}, {50, .036495377, .004937094, .031558283}, {200, .036477014, .004914391, .031562623},
		{0, .036477045, .004914421, .031562624}}},
	{"C FedAvg H=4", instanceC, "atc", func(t testing.TB) *mixing.Sequence { return complete(t, 4, 4) }, .941482085, []reference{
		{1, .155078046, .155078046, 0}, {2, .109337790, .109337790, 0}, {5, .062932940, .062932940, 0}, {10, .036709756, .036709756, 0},
		{50, .005703551, .005703551, 0}, {200, .005550542, .005550542, 0}, {0, .005550555, .005550555, 0}}},
	{"C matchings", instanceC, "atc", matchings, 0, []reference{
		{1, .222340278, .221934028, .000406250}, {2, .210109808, .197073703, .013036105}, {5, .145643793, .145225256, .000418537},
		{10, .113372635, .100350885, .013021750}, {50, .040884688, .027885443, .012999244}, {200, .017587907, .004589005, .012998902}}},
	{"C cta", instanceC, "cta", ring4, .985012690, []reference{
		{1, .239602778, .221934028, .017668750}, {2, .222414064, .197530046, .024884017}, {5, .175892509, .145879189, .030013320},
		{10, .131555527, .101076039, .030479488}, {50, .058960260, .027909997, .031050264}, {200, .035669742, .004590616, .031079126},
		{0, .035450881, .004369301, .031081580}}},
	{"C dgd", instanceC, "dgd", ring4, .985037498, []reference{
		{1, .239602778, .221934028, .017668750}, {2, .217357892, .196125738, .021232154}, {5, .167626834, .143154262, .024472571},
		{10, .122842221, .098180931, .024661290}, {50, .052891691, .027832259, .025059432}, {200, .029918120, .004832543, .025085578},
		{0, .029764918, .004676928, .025087991}}},
	{"C gradient-tracking", instanceC, "gradient-tracking", ring4, .984999116, []reference{
		{1, .239602778, .221934028, .017668750}, {2, .204007226, .196125738, .007881488}, {5, .147768014, .145058144, .002709870},
		{10, .102597011, .100422413, .002174598}, {50, .030191096, .028039464, .002151632}, {200, .006773824, .004622193, .002151631},
		{0, .006519780, .004368149, .002151631}}},
	{"C delayed tau=1", instanceC, "delayed:tau=1", func(t testing.TB) *mixing.Sequence { return ring(t, 4, 1, .5) }, .985073864, []reference{
		{5, .221036560, .140844046, .080192514}, {10, .172514948, .096391464, .076123484}, {50, .104366755, .027964806, .076401949},
		{0, .081825521, .005319236, .076506285}}},
	{"C delayed tau=2", instanceC, "delayed:tau=2", func(t testing.TB) *mixing.Sequence { return ring(t, 4, 1, .3) }, .985121237, []reference{
		{10, .248736933, .094698870, .154038062}, {200, .162922561, .006224006, .156698554}, {0, .163020667, .006296271, .156724397}}},
	{"C weighted", instanceC + "weights: [0.4, 0.3, 0.2, 0.1]\n", "atc", weightedRing, 0, []reference{
		{1, .453447324, .450817694, .002629630}, {10, .315961309, .305651873, .010309435}, {200, .017872641, .007115026, .010757615}}},
	{"N cta", instanceN, "cta", ring4, .943008147, []reference{
		{1, 1.435366800, 1.419404300, .015962500}, {10, .527849429, .504271558, .023577872}, {50, .024827491, .009078938, .015748554},
		{200, .017148034, .002144629, .015003405}, {0, .017147529, .002144236, .015003293}}},
	{"N dgd", instanceN, "dgd", ring4, .943949689, []reference{
		{1, 1.435366800, 1.419404300, .015962500}, {10, .554568838, .534221109, .020347730}, {50, .032371095, .018404172, .013966924},
		{200, .019381480, .006062351, .013319129}, {0, .019379963, .006060947, .013319016}}},
	{"N gradient-tracking", instanceN, "gradient-tracking", ring4, .94234337, []reference{
		{1, 1.435366800, 1.419404300, .015962500}, {10, .497889213, .495727168, .002162045}, {50, .008136040, .005984398, .002151642},
		{200, .003872670, .001721130, .002151540}}},
	{"scalar Nesterov a=1", scalar(1), "diloco:outer=nesterov,lr=0.7,momentum=0.9", complete4local10, .699762401, []reference{
		{1, .038332313, .038332313, 0}, {5, .033745924, .033745924, 0}, {20, .029411273, .029411273, 0}, {0, .029410298, .029410298, 0}}},
	{"scalar Nesterov a=.1", scalar(.1), "diloco", complete4local10, .916384585, []reference{
		{1, .802294376, .802294376, 0}, {5, .392164529, .392164529, 0}, {20, .593890523, .593890523, 0}, {0, .598470460, .598470460, 0}}},
	{"scalar Nesterov a=.02", scalar(.02), "diloco", complete4local10, .942078976, []reference{
		{1, .991406909, .991406909, 0}, {5, 1.257060381, 1.257060381, 0}, {20, 3.721355154, 3.721355154, 0}, {0, 3.966122083, 3.966122083, 0}}},
	{"scalar heavy ball a=1", scalar(1), "diloco:outer=heavy-ball", complete4local10, .948683298, []reference{
		{1, .301681025, .301681025, 0}, {5, .421452890, .421452890, 0}, {20, .0714980583, .0714980583, 0}, {0, .0705781819, .0705781819, 0}}},
	{"scalar heavy ball a=.1", scalar(.1), "diloco:outer=heavy-ball", complete4local10, .948683298, []reference{
		{1, .881824117, .881824117, 0}, {5, .374486958, .374486958, 0}, {20, .790522790, .790522790, 0}, {0, .852367380, .852367380, 0}}},
	{"scalar FedAvg a=1", scalar(1), "diloco:outer=plain", complete4local10, .348678440, []reference{
		{1, .133134857, .133134857, 0}, {5, .013184107, .013184107, 0}, {20, .013157895, .013157895, 0}, {0, .013157895, .013157895, 0}}},
	{"scalar FedAvg a=.1", scalar(.1), "atc", complete4local10, .904382075, []reference{
		{1, .840782950, .840782950, 0}, {5, .445676520, .445676520, 0}, {20, .141323599, .141323599, 0}, {0, .125628141, .125628141, 0}}},
	{"scalar FedAvg a=.02", scalar(.02), "streaming-diloco:outer=plain", complete4local10, .980179043, []reference{
		{1, .985306164, .985306164, 0}, {5, .932076061, .932076061, 0}, {20, .793708176, .793708176, 0}, {0, .625625626, .625625626, 0}}},
	{"N atc", instanceN, "atc", ring4, .943008147, []reference{
		{1, 1.421177911, 1.419404300, .001773611}, {10, .506891321, .504271558, .002619764}, {50, .010828777, .009078938, .001749839},
		{200, .003811674, .002144629, .001667045}, {0, .003811268, .002144236, .001667033}}},
	{"N local H=4", instanceN, "atc", ring4local, .800493467, []reference{
		{1, 1.054144814, 1.034307921, .019836892}, {10, .084739122, .064769787, .019969334}, {50, .039037430, .020871767, .018165663},
		{200, .039032995, .020867581, .018165414}, {0, .039032995, .020867581, .018165414}}},
	{"N FedAvg H=4", instanceN, "atc", func(t testing.TB) *mixing.Sequence { return complete(t, 4, 4) }, .794487148, []reference{
		{1, 1.034307921, 1.034307921, 0}, {10, .038505231, .038505231, 0}, {50, .008081602, .008081602, 0}, {0, .008079916, .008079916, 0}}},
	{"N matchings", instanceN, "atc", matchings, 0, []reference{
		{1, 1.421941800, 1.419404300, .002537500}, {10, .513713335, .504600352, .009112983}, {50, .015527770, .009244622, .006283148},
		{200, .008213260, .002206839, .006006421}}},
	{"C random edge", instanceC, "atc", randomEdge, 0, []reference{
		{1, .234146528, .221934028, .012212500}, {2, .230323851, .196652550, .033671301}, {5, .230560640, .143075609, .087485031},
		{10, .217135467, .097773474, .119361992}, {50, .155925307, .027975729, .127949578}, {200, .133467807, .005330175, .128137632}}},
	{"N random edge", instanceN, "atc", randomEdge, 0, []reference{
		{1, 1.430966800, 1.419404300, .011562500}, {10, .666860370, .556821028, .110039341}, {50, .115049973, .035364715, .079685257},
		{200, .091599707, .016304526, .075295181}}},
	{"nine, rotating classes", instanceNine, "atc", affinePlane, 0, []reference{
		{1, .001113812, .000417361, .000696451}, {2, .000711588, .000455583, .000256004}, {5, .001214214, .000516161, .000698053},
		{50, .000842068, .000586019, .000256049}, {400, .004512101, .000585626, .003926474}}},
	{"nine, ring", instanceNine, "atc", func(t testing.TB) *mixing.Sequence { return ring(t, 9, 1, 1) }, 0, []reference{
		{10, .030073226, .000592335, .029480891}, {400, .033988397, .000607310, .033381087}}},
	{"nine, complete", instanceNine, "atc", func(t testing.TB) *mixing.Sequence { return complete(t, 9, 1) }, 0, []reference{
		{10, .000559664, .000559664, 0}, {400, .000584795, .000584795, 0}}},
}

// scalar is four islands with the same curvature a, σ² = 1, starting at distance 1.
func scalar(a float64) string {
	return fmt.Sprintf("problem: quadratic\ncurvature: [%[1]g, %[1]g, %[1]g, %[1]g]\noptimum: [[0], [0], [0], [0]]\nnoise: [1, 1, 1, 1]\nstart: [[1], [1], [1], [1]]\n", a)
}

func complete4local10(t testing.TB) *mixing.Sequence { return complete(t, 4, 10) }

// weightedRing is the reversible chain on ring 4 with stationary weights .4, .3, .2, .1: W_ij = min(π_i, π_j) / (3 π_i).
func weightedRing(t testing.TB) *mixing.Sequence {
	t.Helper()
	pi := []float64{.4, .3, .2, .1}
	r := schedule.Round{LocalSteps: 1}
	for i := range 4 {
		own := 1.0
		for _, j := range []int{(i + 1) % 4, (i + 3) % 4} {
			w := min(pi[i], pi[j]) / (3 * pi[i])
			own -= w
			r.Entries = append(r.Entries, schedule.Edge{I: i, J: j, Weight: w})
		}
		r.Entries = append(r.Entries, schedule.Edge{I: i, J: i, Weight: own})
	}
	return sequence(t, 4, r)
}

// randomEdge averages one of the four edges of ring 4 a round, uniformly.
func randomEdge(t testing.TB) *mixing.Sequence { return random(t, 1) }

func random(t testing.TB, h int) *mixing.Sequence {
	t.Helper()
	r := &schedule.Random{LocalSteps: h}
	for i := range 4 {
		r.Outcomes = append(r.Outcomes, schedule.Outcome{Probability: .25, Round: cliques(h, []int{i, (i + 1) % 4})})
	}
	seq, err := mixing.New(&schedule.Schedule{Name: "random edge", N: 4, Random: r})
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

func ring4(t testing.TB) *mixing.Sequence      { return ring(t, 4, 1, 1) }
func ring4local(t testing.TB) *mixing.Sequence { return ring(t, 4, 4, 1) }

func TestExactAgainstReference(t *testing.T) {
	for _, c := range exactCases {
		t.Run(c.name, func(t *testing.T) {
			alg, err := ParseAlgorithm(c.algorithm)
			if err != nil {
				t.Fatal(err)
			}
			o := ExactOptions{Algorithm: alg, Step: 0.1}
			for _, p := range c.points {
				if p.t > 0 {
					o.At = append(o.At, p.t)
				}
			}
			r, err := Exact(context.Background(), problem(t, c.problem), c.sequence(t), o)
			if err != nil {
				t.Fatal(err)
			}
			if c.radius > 0 && !near(*r.Radius, c.radius) {
				t.Errorf("radius %.10f, want %.9f", *r.Radius, c.radius)
			}
			for i, want := range c.points {
				var got Moments
				if want.t == 0 {
					if r.Stationary == nil {
						t.Fatal("no stationary values")
					}
					got = *r.Stationary
				} else {
					got = r.Points[i].Moments
				}
				if !near(got.MSE, want.mse) || !near(got.Centroid, want.centroid) || !near(got.Consensus, want.consensus) {
					t.Errorf("t=%d: got %.9f %.9f %.9f, want %.9f %.9f %.9f", want.t, got.MSE, got.Centroid, got.Consensus,
						want.mse, want.centroid, want.consensus)
				}
			}
		})
	}
}

func TestJumpsEqualRounds(t *testing.T) {
	for _, text := range []string{instanceC, instanceN} {
		q := problem(t, text)
		for _, seq := range []*mixing.Sequence{ring4(t), matchings(t)} {
			all := make([]int, 701)
			for i := range all {
				all[i] = i
			}
			stepped, err := Exact(context.Background(), q, seq, ExactOptions{Step: 0.1, At: all})
			if err != nil {
				t.Fatal(err)
			}
			jumped, err := Exact(context.Background(), q, seq, ExactOptions{Step: 0.1, At: []int{333, 700}})
			if err != nil {
				t.Fatal(err)
			}
			for i, at := range []int{333, 700} {
				if a, b := stepped.Points[at].MSE, jumped.Points[i].MSE; math.Abs(a-b) > 1e-12*a {
					t.Errorf("round %d: stepped %.17g, jumped %.17g", at, a, b)
				}
			}
		}
	}
}

func TestDivergenceIsReported(t *testing.T) {
	q := family(t, "quadratic:d=2,L=1,mu=1", 3)
	r, err := Exact(context.Background(), q, complete(t, 3, 1), ExactOptions{Step: 4, At: []int{1, 5000, 100000}})
	if err != nil {
		t.Fatal(err)
	}
	// |1 - ηa| = 3, so E e² grows by 9 a round and passes 1.8e308 after 308.25 / log10(9) = 323 rounds.
	if r.Stable || r.Stationary != nil || r.Overflow == nil || *r.Overflow < 320 || *r.Overflow > 324 {
		t.Errorf("stable %v, stationary %v, overflow %v", r.Stable, r.Stationary, r.Overflow)
	}
	if r.Points[0].Overflow || !r.Points[1].Overflow || !r.Points[2].Overflow || len(r.Warnings) == 0 {
		t.Errorf("points %+v, warnings %v", r.Points, r.Warnings)
	}
	if text, err := r.Points[2].MarshalJSON(); err != nil || string(text) != `{"centroid":null,"consensus":null,"mse":null,"t":100000}` {
		t.Errorf("%s, %v", text, err)
	}
}

func TestExactSizeLimit(t *testing.T) {
	if _, err := Exact(context.Background(), family(t, "quadratic:d=1", maxExactSize+1), ring(t, maxExactSize+1, 1, 1), ExactOptions{At: []int{1}}); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("error %v", err)
	}
}

func TestExactProgress(t *testing.T) {
	last := 0
	_, err := Exact(context.Background(), family(t, "quadratic:d=7", 4), ring(t, 4, 1, 1), ExactOptions{At: []int{1}, Progress: func(done, total int) {
		if done != last+1 || total != 7 {
			t.Errorf("%d of %d after %d", done, total, last)
		}
		last = done
	}})
	if err != nil || last != 7 {
		t.Errorf("%d groups, error %v", last, err)
	}
}

// TestFlatDirections: without curvature in some direction the average walks at random there: the radius is 1, whatever
// rounding makes of it, and there is no limit.
func TestFlatDirections(t *testing.T) {
	const diagonal = `
problem: quadratic
curvature: [[0, 1], [0, 1]]
optimum: [[1, 0], [0, 2]]
start: [[5, 0], [5, 0]]
noise: [0.1, 0.1]
`
	// The same in another basis, where rounding leaves no exact 0.
	const leaning = `
problem: quadratic
curvature: [[[0.64, 0.48], [0.48, 0.36]], [[1.28, 0.96], [0.96, 0.72]]]
optimum: [[1, 0], [0, 2]]
noise: [0.1, 0.1]
`
	for _, text := range []string{diagonal, leaning} {
		q := problem(t, text)
		for _, line := range []string{"atc", "dgd", "gradient-tracking", "diloco", "delayed:tau=1"} {
			alg, err := ParseAlgorithm(line)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Exact(context.Background(), q, sequence(t, 2, both()), ExactOptions{Algorithm: alg, Step: 0.1, At: []int{1, 1000}})
			if err != nil {
				t.Fatal(err)
			}
			if r.Stable || r.Stationary != nil || r.Radius == nil || *r.Radius < 1 || len(r.Warnings) == 0 {
				t.Errorf("%s: stable %v, limit %v, radius %v, warnings %q", line, r.Stable, r.Stationary, r.Radius, r.Warnings)
			}
		}
	}
}

// TestExactRefusesWhatItCannotFollow: matrices that leak leave x* behind, and gradient tracking needs the average kept.
func TestExactRefusesWhatItCannotFollow(t *testing.T) {
	q := family(t, "quadratic:d=2", 2)
	leak := schedule.Round{LocalSteps: 1, Entries: []schedule.Edge{{I: 0, J: 0, Weight: 0.5}, {I: 0, J: 1, Weight: 0.4}, {I: 1, J: 0, Weight: 0.4}, {I: 1, J: 1, Weight: 0.5}}}
	oneWay := schedule.Round{LocalSteps: 1, Entries: []schedule.Edge{{I: 0, J: 0, Weight: 1}, {I: 1, J: 0, Weight: 0.5}, {I: 1, J: 1, Weight: 0.5}}}
	for _, c := range []struct {
		round     schedule.Round
		algorithm string
		want      string
	}{
		{leak, "atc", "row 0 of the mixing matrix of round 1 sums to 0.9"},
		{leak, "gradient-tracking", "row 0"},
		{oneWay, "gradient-tracking", "column 0 of the mixing matrix of round 1 sums to 1.5"},
		{oneWay, "atc", ""},
	} {
		_, err := Exact(context.Background(), q, sequence(t, 2, c.round), ExactOptions{Algorithm: Algorithm{Name: c.algorithm}, At: []int{1}})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.algorithm, err, c.want)
		}
	}
}

// TestFaintCurvature: however flat a coordinate, its optimum is where the islands' is.
func TestFaintCurvature(t *testing.T) {
	q := problem(t, `
problem: quadratic
curvature: [[1, 1e-15], [1, 1e-15]]
optimum: [[0, 1e9], [0, 1e9]]
noise: [0, 0]
`)
	if x := q.Constants().XStar; x[0] != 0 || math.Abs(x[1]-1e9) > 1e-3 {
		t.Errorf("optimum %v, want 0, 1e9", x)
	}
}
