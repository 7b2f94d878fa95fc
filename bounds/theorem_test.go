package bounds

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

// outside is one assumption: the number that its reason must name, a change of the base that stays just inside, and one
// that is just outside of this assumption and of no other.
type outside struct {
	reason  string
	in, out func(*Numbers)
}

func algorithm(want string) outside {
	return outside{want + ", not for", func(*Numbers) {}, func(n *Numbers) { n.Algorithm = "gradient-tracking" }}
}

// Common conditions.
var (
	oneStep      = outside{"local steps of every round 2 ≠ 1", func(*Numbers) {}, func(n *Numbers) { n.H = 2 }}
	sameSteps    = outside{"local steps of every round (0: they differ) 0 < 1", func(*Numbers) {}, func(n *Numbers) { n.H = 0 }}
	symmetricW   = outside{"symmetric doubly stochastic W", func(*Numbers) {}, func(n *Numbers) { n.Symmetric = false }}
	doublyW      = outside{"doubly stochastic W", func(*Numbers) {}, func(n *Numbers) { n.Doubly = false }}
	gapW         = outside{"‖W-J‖ 1 ≥ 1", func(n *Numbers) { n.Lambda = min(n.Lambda, 0.9) }, func(n *Numbers) { n.Lambda = 1 }}
	startsEqual  = outside{"consensus error at the start 0.001 ≠ 0", func(*Numbers) {}, func(n *Numbers) { n.StartConsensus = 0.001 }}
	uniform      = outside{"‖∇f_i - ∇f‖² = ∞", func(n *Numbers) { n.Uniform2 = 0 }, func(n *Numbers) { n.Uniform2 = math.Inf(1) }}
	gradients    = outside{"G² = sup E‖gradient‖² = ∞", func(n *Numbers) {}, func(n *Numbers) { n.Bound2 = math.Inf(1) }}
	sameData     = outside{"identical objectives", func(*Numbers) {}, func(n *Numbers) { n.Identical = false }}
	averagesAll  = outside{"every round averages exactly", func(*Numbers) {}, func(n *Numbers) { n.Exact = false }}
	convexMu     = outside{"μ 0 ≤ 0", func(*Numbers) {}, func(n *Numbers) { n.Mu = 0 }}
	blocks       = outside{"p 0 ≤ 0", func(n *Numbers) { n.P = 0.01 }, func(n *Numbers) { n.P = 0 }}
	columns      = outside{"column sums 1", func(*Numbers) {}, func(n *Numbers) { n.Column = false }}
	connectedW   = outside{"connected over every period", func(*Numbers) {}, func(n *Numbers) { n.Connected = false }}
	sameW        = outside{"the same W in every round", func(*Numbers) {}, func(n *Numbers) { n.Fixed = false }}
	noNoise      = outside{"σ² 0.5 ≠ 0", func(*Numbers) {}, func(n *Numbers) { n.Sigma2 = 0.5 }}
	connectedLap = outside{"λ_2/λ_max of the Laplacian 0 ≤ 0", func(n *Numbers) { n.Eigengap = 0.01 }, func(n *Numbers) { n.Eigengap = 0 }}
	compresses   = outside{"ω of the compressor (0: not known) 0 ≤ 0", func(*Numbers) {}, func(n *Numbers) { n.Omega, n.Gamma = 0, 0 }}
	chocoGammaIs = outside{"γ 0.1 ≠", func(*Numbers) {}, func(n *Numbers) { n.Gamma = 0.1 }}
)

// Every published statement: one value of its right side, and each of its assumptions from just inside and just
// outside. Values marked by hand follow from the round numbers of the base with a pocket calculator.
func TestTheorems(t *testing.T) {
	ring8 := 0.804737854124365 // ‖W-J‖ of ring 8 with metropolis weights, (1+√2)/3
	lian := Numbers{Algorithm: "dgd", N: 8, H: 1, Step: 2.81251713e-3, Steps: 1e6, L: 1, Sigma2: 1, Uniform2: 0.25, Gap: 1, Lambda: ring8, Symmetric: true, Doubly: true}
	tuned := lian
	tuned.Steps = 1e9
	koloskova := Numbers{Algorithm: "atc", N: 2, H: 1, Target: 0.25, L: 4, Mu: 1, Sigma2: 4, Zeta2: 9, Uniform2: 9, P: 0.25, Tau: 4, Gap: 1, Distance2: 2, Gradient2: 1, Doubly: true}
	fedavg := Numbers{Algorithm: "atc", N: 4, H: 2, Step: 0.05, L: 1, Mu: 0.5, Sigma2: 1, Zeta2: 3, Uniform2: 1, Bound2: 1, Distance2: 1, Identical: true, Exact: true, Doubly: true}
	choco := Numbers{Algorithm: "choco", N: 8, H: 1, L: 2, Mu: 1, Sigma2: 1, Bound2: 1, Lambda: ring8, Omega: 1, Beta: 4. / 3, Symmetric: true, Doubly: true}
	choco.Gamma = ChocoGamma(1-ring8, 1, 4./3)
	halves := choco
	halves.N, halves.Lambda, halves.Omega, halves.Beta = 4, 0.5, 0.5, 1
	halves.Gamma = ChocoGamma(0.5, 0.5, 1)
	push := Numbers{Algorithm: "push-sum", N: 2, H: 1, Period: 1, L: 2, Gap: 2, Sigma2: 1, Lambda: 0.9, Column: true, Doubly: true, Connected: true}
	lower := Numbers{Algorithm: "atc", N: 4, H: 1, Target: 1 / math.E, L: 4, Mu: 1, Eigengap: 0.146446609406726, Fixed: true} // ring 8: (1-cos 45°)/2
	for _, c := range []struct {
		id    string
		base  Numbers
		at    int // rounds; 0: the one value
		want  float64
		tol   float64
		edges []outside
	}{
		{"lian-gradient", lian, 1e6, 9.42194984e-3, 1e-7, []outside{algorithm("dgd"), oneStep, symmetricW, gapW, startsEqual, uniform, // published example
			{"step 1.001 > 1/L = 1", func(n *Numbers) { n.Step, n.N, n.Lambda, n.L = 0.999, 0, 0, 1 }, func(n *Numbers) { n.Step, n.N, n.Lambda = 1.001, 0, 0 }}, // no islands: D1, D2 stay
			{"D2 -", func(n *Numbers) { n.Step = 0.011 }, func(n *Numbers) { n.Step = 0.0165 }},
			{"D1 -", func(n *Numbers) { n.Step = 0.0114 }, func(n *Numbers) { n.Step = 0.0116 }}}}, // at n γ²L²/(1-λ)² = 1/36: γ = .011506
		{"lian-tuned-gradient", tuned, 1e9, 4.24264069e-4/math.Sqrt(10) + 8e-9, 1e-7, []outside{algorithm("dgd"), oneStep, symmetricW, gapW, startsEqual, uniform, // 8/K + 12/√(8K), by hand
			{"K 1.25e+08 < first threshold = 1.25354e+08", func(n *Numbers) { n.Steps = 1.254e8 }, func(n *Numbers) { n.Steps = 1.25e8 }},
			{"K 900000 < second threshold", func(n *Numbers) { n.Gap, n.Sigma2, n.Uniform2, n.Lambda, n.N, n.Steps = 1e6, 1, 0, 0.98, 5, 4.51e6 },
				func(n *Numbers) { n.Gap, n.Sigma2, n.Uniform2, n.Lambda, n.N, n.Steps = 1e6, 1, 0, 0.98, 5, 9e5 }},
			{"σ² 0 ≤ 0", func(*Numbers) {}, func(n *Numbers) { n.Sigma2 = 0 }}}},
		{"koloskova-step", Numbers{Algorithm: "atc", Doubly: true, P: 8. / 9, Tau: 1, L: 1.5}, 0, 2.52005118e-3, 1e-8, []outside{algorithm("atc"), doublyW, blocks}}, // independent computation
		{"koloskova-strongly-convex-steps", koloskova, 0, 8 + 224 + 64*math.Log(4), 1e-12, []outside{algorithm("atc"), doublyW, blocks, convexMu}},                   // by hand
		{"koloskova-convex-steps", koloskova, 0, 2368, 1e-12, []outside{algorithm("atc"), doublyW, blocks}},                                                          // by hand: (32 + 896 + 256) 2
		{"koloskova-non-convex-steps", koloskova, 0, 4 * (480 + 64*math.Sqrt2), 1e-12, []outside{algorithm("atc"), doublyW, blocks, uniform}},                        // by hand: (32 + 448 + 4√2/.0625) 4
		{"matcha-gradient", Numbers{Algorithm: "atc", N: 4, H: 1, Step: 0.1, L: 1, Lambda: 0.5, Gap: 1, Sigma2: 1, Uniform2: 1, Random: true, Doubly: true}, 100, 0.2708333333, 1e-9, // by hand: (.2 + .025 + .005·8/3)/.88
			[]outside{algorithm("atc"), oneStep, doublyW, startsEqual, uniform,
				{"independent random W", func(*Numbers) {}, func(n *Numbers) { n.Random = false }},
				{"ρ 1 ≥ 1", func(n *Numbers) { n.Lambda, n.Step = 0.9, 0.02 }, func(n *Numbers) { n.Lambda, n.Step = 1, 0 }},
				{"ηL 0.2501 > min{1, (1/√ρ-1)/4} = 0.25", func(n *Numbers) { n.Step = 0.2499 }, func(n *Numbers) { n.Step = 0.2501 }}}},
		{"transient-homogeneous-steps", Numbers{N: 16, Doubly: true, Fixed: true, Lambda: 1 - .0507469783}, 0, 1.5905216e6, 1e-7, []outside{doublyW, // published table, ring 16
			{"gap 1-‖W-J‖, or p/τ where W varies 0 ≤ 0", func(n *Numbers) { n.Lambda = 0.99 }, func(n *Numbers) { n.Lambda = 1 }},
			{"ζ*² 0.01 ≠ 0", func(*Numbers) {}, func(n *Numbers) { n.Zeta2 = 0.01 }}}},
		{"transient-heterogeneous-steps", Numbers{N: 16, Doubly: true, Fixed: true, Lambda: 1 - .0507469783}, 0, 6.17616937e8, 1e-7, []outside{doublyW, // the same
			{"gap 1-‖W-J‖, or p/τ where W varies 0 ≤ 0", func(n *Numbers) { n.Lambda = 0.99 }, func(n *Numbers) { n.Lambda = 1 }}}},
		{"stich-gap", fedavg, 5, 16384./26810 + 2960./26810 + 10240./3351.25, 1e-12, []outside{algorithm("atc"), averagesAll, sameSteps, startsEqual, sameData, convexMu, gradients}}, // by hand: T = 10, a = 32, S = 13405
		{"khaled-centroid", Numbers{Algorithm: "atc", N: 4, H: 5, Step: 0.1, L: 0.5, Mu: 0.5, Sigma2: 1, Distance2: 1, Identical: true, Exact: true}, 2, .728736939, 1e-8, // independent computation
			[]outside{algorithm("atc"), averagesAll, sameSteps, startsEqual, sameData, convexMu,
				{"step 0.501 > cap 1/(4L) = 0.5", func(n *Numbers) { n.Step = 0.499 }, func(n *Numbers) { n.Step = 0.501 }}}},
		{"khaled-gap", fedavg, 4, 11.16, 1e-12, []outside{algorithm("atc"), averagesAll, sameSteps, startsEqual, // by hand: 10 + 1 + .16
			{"step 0.251 > cap 1/(4L) = 0.25", func(n *Numbers) { n.H, n.Step = 1, 0.249 }, func(n *Numbers) { n.H, n.Step = 1, 0.251 }},
			{"step 0.126 > cap 1/(8L(H-1)) = 0.125", func(n *Numbers) { n.Step = 0.124 }, func(n *Numbers) { n.Step = 0.126 }}}},
		{"woodworth-gap", Numbers{Algorithm: "atc", N: 4, H: 2, L: 2, Distance2: 1, Sigma2: 4, Identical: true, Exact: true}, 8, 0.375 + math.Cbrt(1./16), 1e-12, // by hand
			[]outside{algorithm("atc"), averagesAll, sameSteps, startsEqual, sameData}},
		{"woodworth-heterogeneous-gap", Numbers{Algorithm: "atc", N: 4, H: 2, L: 2, Distance2: 1, Sigma2: 4, Uniform2: 1, Exact: true}, 8, 0.375 + math.Cbrt(1./16) + math.Cbrt(1./32), 1e-12, // by hand
			[]outside{algorithm("atc"), averagesAll, sameSteps, startsEqual, uniform}},
		{"hierarchical-gradient", Numbers{Algorithm: "atc", N: 4, H: 1, Step: 0.1, L: 1, Gap: 1, Sigma2: 4, Groups: Groups{Count: 2, Inner: 1, Outer: 3, Between2: 2, Within2: 1}}, 100, 0.44, 1e-12, // by hand: .1 + .1 + .01 (5 + 19)
			[]outside{algorithm("atc"), sameSteps, startsEqual,
				{"groups of the schedule 0 ≤ 0", func(*Numbers) {}, func(n *Numbers) { n.Groups.Count = 0 }},
				{"between groups", func(*Numbers) {}, func(n *Numbers) { n.Groups.Between2 = math.Inf(1) }},
				{"within groups", func(*Numbers) {}, func(n *Numbers) { n.Groups.Within2 = math.Inf(1) }},
				{"step 0.334 > cap 1/(GL) = 0.333333", func(n *Numbers) { n.Step = 0.333 }, func(n *Numbers) { n.Step = 0.334 }}}},
		{"choco-rate", choco, 0, .999535033, 1e-9, []outside{algorithm("choco"), symmetricW, {"‖W-J‖ 1 ≥ 1", func(*Numbers) {}, func(n *Numbers) { n.Lambda, n.Gamma = 1, 0 }}, compresses, chocoGammaIs}},                             // ring 8, k = d = 16
		{"choco-gap", halves, 8, 3.03125, 1e-12, []outside{algorithm("choco"), symmetricW, {"‖W-J‖ 1 ≥ 1", func(*Numbers) {}, func(n *Numbers) { n.Lambda, n.Gamma = 1, 0 }}, compresses, chocoGammaIs, oneStep, convexMu, gradients}}, // by hand
		{"nedic-rate", push, 0, math.Sqrt(0.75), 1e-12, []outside{algorithm("push-sum"), columns, connectedW}},                                                                                                                         // by hand: nB = 2
		{"nedic-regular-rate", push, 0, 0.9, 1e-12, []outside{algorithm("push-sum"), columns, connectedW, doublyW}},                                                                                                                    // by hand: min(31/32, .9)
		{"sgp-gradient", Numbers{Algorithm: "push-sum", N: 4, H: 1, L: 2, Gap: 2, Sigma2: 1, Column: true, Connected: true}, 100, 0.1, 1e-12, []outside{algorithm("push-sum"), columns, connectedW, sameSteps, uniform}},               // by hand
		{"delayed-threshold", Numbers{Algorithm: "delayed", Delay: 1, Least: 0.2, Lambda: 0.8, Symmetric: true, Doubly: true}, 0, 1, 1e-15, []outside{algorithm("delayed"), symmetricW, gapW, // closed form, 2 sin 30°
			{"1-λ_min 1.01 ≥ 2 sin(π/(2(2τ+1))) = 1", func(n *Numbers) { n.Least = 0.01 }, func(n *Numbers) { n.Least = -0.01 }}}},
		{"scaman-rounds", lower, 0, 2 * 2.61312593, 1e-8, []outside{sameW, connectedLap, convexMu, noNoise}}, // 1/√γ of ring 8
		{"kovalev-rounds", lower, 0, 2 / .146446609, 1e-8, []outside{connectedLap, convexMu, noNoise}},       // by hand
		{"lu-de-sa-steps", Numbers{N: 4, Target: 0.1, L: 1, Gap: 1, Sigma2: 1, Gradient2: 1, Diameter: 4}, 0, 65, 1e-12, []outside{ // by hand: 25 + 40
			{"diameter (0: not connected) 0 < 1", func(n *Numbers) { n.Diameter = 1 }, func(n *Numbers) { n.Diameter = 0 }},
			{"‖∇f(x̄_0)‖² 0 ≤ 0", func(*Numbers) {}, func(n *Numbers) { n.Gradient2 = 0 }}}},
		{"yuan-gradient", Numbers{N: 4, H: 1, L: 1, Gap: 1, Sigma2: 1, Lambda: 0.75, Fixed: true}, 100, 0.07, 1e-12, []outside{sameW, gapW, sameSteps}}, // by hand
		{"huang-gradient", Numbers{N: 4, H: 1, L: 1, Gap: 1, Sigma2: 1, P: 0.5, Tau: 2}, 100, 0.09, 1e-12, []outside{blocks, sameSteps}},                // by hand
		{"colla-gap", Numbers{Algorithm: "dgd", N: 2, H: 1, Lambda: 0.5, Distance2: 1, Bound2: 1, Symmetric: true, Doubly: true}, 3, 2.886751, 1e-6, []outside{algorithm("dgd"), oneStep, symmetricW, gapW, startsEqual, noNoise, // published comparison
			{"R² = sup ‖subgradient‖² = ∞", func(*Numbers) {}, func(n *Numbers) { n.Bound2 = math.Inf(1) }}}},
	} {
		th := theorem(t, c.id)
		b := th.Bound(c.base, []int{c.at})
		switch {
		case !b.Applicable || b.Kind != Order:
			t.Errorf("%s does not apply to its own example: %s", c.id, b.Reason)
			continue
		case c.at == 0 && (b.Value == nil || math.Abs(*b.Value-c.want) > c.tol*c.want):
			t.Errorf("%s: %v, want %.10g", c.id, b.Value, c.want)
		case c.at > 0 && (len(b.Points) != 1 || math.Abs(b.Points[0].Value-c.want) > c.tol*c.want):
			t.Errorf("%s: %v, want %.10g", c.id, b.Points, c.want)
		}
		tested := 0
		for _, e := range c.edges {
			in, out := c.base, c.base
			e.in(&in)
			e.out(&out)
			if b := th.Bound(in, nil); !b.Applicable {
				t.Errorf("%s, just inside of %q: %s", c.id, e.reason, b.Reason)
			}
			b := th.Bound(out, []int{c.at})
			failed := 0
			for _, a := range b.Assumptions {
				if !a.Holds {
					failed++
				}
			}
			if b.Applicable || !strings.Contains(b.Reason, e.reason) || len(b.Points) > 0 || b.Value != nil || failed > 1 && !strings.Contains(e.reason, "ω") {
				t.Errorf("%s, just outside: reason %q (%d assumptions fail), want %q", c.id, b.Reason, failed, e.reason)
			}
			tested++
		}
		if all := len(th.Bound(c.base, nil).Assumptions); tested < all {
			t.Errorf("%s: %d of %d assumptions tested", c.id, tested, all)
		}
	}
}

func theorem(t *testing.T, id string) Theorem {
	t.Helper()
	all := Theorems()
	i := slices.IndexFunc(all, func(th Theorem) bool { return th.ID == id })
	if i < 0 {
		t.Fatalf("no theorem %q", id)
	}
	return all[i]
}

// Lian et al. with L = σ = 1, ς = .5, f(0)-f* = 1 on ring 8: the pieces of Theorem 1 and the thresholds of Corollary 2,
// from an independent computation.
func TestLianPieces(t *testing.T) {
	n := Numbers{N: 8, H: 1, Step: 2.81251713e-3, L: 1, Sigma2: 1, Uniform2: 0.25, Gap: 1, Lambda: 0.804737854124365}
	d1, d2 := lianD(n)
	first, second := LianThresholds(n)
	later := n
	later.Step = 2.82682803e-4
	d1Later, _ := lianD(later)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"D1", d1, .484602178}, {"D2", d2, .970124394}, {"right side", LianRight(n, 1e6), 4.56589741e-3},
		{"first threshold", first, 1.25353606e8}, {"second threshold", second, 1.20858265e5},
		{"D1 at K=1e8", d1Later, .499849052}, {"bound at K=1e8", LianRight(later, 1e8) / d1Later, 1.85245016e-4},
	} {
		if math.Abs(c.got-c.want) > 1e-8*c.want*10 {
			t.Errorf("%s: %.10g, want %.10g", c.name, c.got, c.want)
		}
	}
}

// TestNumbers: what a setting says to the theorems. Ring 8 has λ_2/λ_max = .146446609 and diameter 4; instance C on
// ring 4 has L = 1.5, σ² = .09, ζ*² = 1.85952257 and no uniform bound on heterogeneity.
func TestNumbers(t *testing.T) {
	n, err := Setting{Problem: problem(t, instanceC), Sequence: ring(t, 4, 3), Step: 0.1, At: []int{7, 2}}.Numbers(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if n.H != 3 || n.Steps != 21 || n.Tau != 3 || !close(n.Zeta2, 1.85952257) || !close(n.Sigma2, .045*2) || !math.IsInf(n.Uniform2, 1) || n.Diameter != 2 || !n.Symmetric || !close(n.Least, -1./3) || n.Groups.Count != 0 {
		t.Errorf("%+v", n)
	}
	line := func(s, p string, a gossip.Algorithm) Numbers {
		t.Helper()
		sch, err := schedule.Load(s, schedule.Options{})
		if err != nil {
			t.Fatal(err)
		}
		seq, err := mixing.New(sch)
		if err != nil {
			t.Fatal(err)
		}
		q, err := gossip.ParseProblem(p, sch.N)
		if err != nil {
			t.Fatal(err)
		}
		n, err := Setting{Problem: q, Sequence: seq, Algorithm: a}.Numbers(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := line("ring:n=8", "quadratic:d=3", gossip.Algorithm{}); !close(n.Eigengap, .146446609406726) || n.Diameter != 4 || !close(n.Uniform2, 1) || !n.Connected {
		t.Errorf("ring 8: %+v", n)
	}
	// Two groups of two, inner 2 rounds, then all: heterogeneity splits into its two parts.
	if n := line("hierarchical:n=4,groups=2,inner=2,outer=1", "quadratic:d=3", gossip.Algorithm{}); n.Groups.Count != 2 || n.Groups.Inner != 1 || n.Groups.Outer != 3 || !close(n.Groups.Between2+n.Groups.Within2, 1) {
		t.Errorf("hierarchical: %+v", n.Groups)
	}
	if n := line("ring:n=8", "quadratic:d=16", gossip.Algorithm{Name: "choco", Compress: "top-k", K: 4}); !close(n.Gamma, .000901169492) || !close(n.Beta, 4./3) || n.Omega != .25 {
		t.Errorf("choco: %+v", n)
	}
	if n := line("local:n=3", "quadratic:d=2", gossip.Algorithm{}); n.P != 0 || n.Diameter != 0 || n.Eigengap != 0 || n.Connected {
		t.Errorf("local: %+v", n)
	}
}
