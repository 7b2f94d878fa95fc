package gossip

import (
	"context"
	"math"
	"testing"

	"github.com/islandsgd/islands/mixing"
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
	{"nine, rotating classes", instanceNine, "atc", affinePlane, 0, []reference{
		{1, .001113812, .000417361, .000696451}, {2, .000711588, .000455583, .000256004}, {5, .001214214, .000516161, .000698053},
		{50, .000842068, .000586019, .000256049}, {400, .004512101, .000585626, .003926474}}},
	{"nine, ring", instanceNine, "atc", func(t testing.TB) *mixing.Sequence { return ring(t, 9, 1, 1) }, 0, []reference{
		{10, .030073226, .000592335, .029480891}, {400, .033988397, .000607310, .033381087}}},
	{"nine, complete", instanceNine, "atc", func(t testing.TB) *mixing.Sequence { return complete(t, 9, 1) }, 0, []reference{
		{10, .000559664, .000559664, 0}, {400, .000584795, .000584795, 0}}},
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
