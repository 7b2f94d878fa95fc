package bounds

import (
	"context"
	"math"
)

// kernel evaluates the kernel bound for quadratics. With R_t and S_t the roots of the two errors, by Minkowski's
// inequality, step by step (τ counts local steps, ρ and mixings as in products):
//
//	R⁺² ≤ (q R + η δ_A S)² + η² σ²/n,   q = ‖I - ηĀ‖
//	S_τ ≤ ρ S_0 + η Σ_j ρ(τ,j) (L S_j + δ_A R_j + ζ*) + η (Σ_j ρ(τ,j)² σ² (1 - 1/n))^½
//
// δ_A appears because Σ (x_i - x̄) = 0: equal curvatures leave the centroid as if centralized. A second form of the
// consensus line lets the curvature contract too, and pays with one factor ‖W - J‖ for each round in place of the
// product: a part D that is driven and a part V of noise,
//
//	D⁺ ≤ γ_A D + η (δ_A R + ζ*),   V⁺ ≤ γ_A² V + η² σ² (1 - 1/n),   S ≤ D + V^½;   mixing multiplies D by ‖W - J‖, V by its square.
//
// Both hold at every step, so S is the smaller of the two and feeds all three lines. For dgd, x⁺ = Wx - ηg, what a
// mixing step adds is not mixed by that step; only the first form is used.
func (c *setup) kernel(ctx context.Context) (method, error) {
	m := method{id: "kernel", name: "kernel bound for quadratics", values: map[int]pair{},
		source: "Minkowski bound through the norms of the mixing products, for quadratics"}
	m.assume = append(c.common, c.additive(), oneOf(c.Algorithm.String(), "atc", "cta", "dgd"))
	if !m.assume.hold() {
		return m, nil
	}
	k := c.newKernel(c.kernelForms())
	now := 0
	for _, t := range c.at {
		for ; now < t; now++ {
			if now%checkEvery == 0 && ctx.Err() != nil {
				return m, ctx.Err()
			}
			k.round(now)
		}
		s := k.consensus()
		m.values[t] = pair{k.r * k.r, s * s}
	}
	m.vacuous = k.grows()
	return m, nil
}

// kernelForms returns the forms that hold for the algorithm: dgd mixes and steps at once, so its curvature does not
// act between two mixings.
func (c *setup) kernelForms() form {
	if c.Algorithm.String() == "dgd" {
		return productForm
	}
	return productForm | gammaForm
}

// form selects lines of the kernel bound for consensus; with both, the smaller counts.
type form int

const (
	productForm form = 1 << iota
	gammaForm
)

// kernelState walks through the steps. Injections are kept by the mixing that they meet first.
type kernelState struct {
	c     *setup
	forms form
	rho   *products
	q     float64 // ‖I - ηĀ‖
	gamma float64

	r             float64   // R now
	mixed         int       // mixings so far
	driven, noise []float64 // by first mixing u: η Σ (L S + δ_A R + ζ*), with S_0 for the first, and η² Σ σ²(1-1/n)
	carried       float64   // Σ over u < mixed of ρ driven
	carriedNoise  float64   // likewise of ρ² noise
	d, v          float64   // second form
}

// mostDistinct is the number of mixings over which injections are told apart. Older ones move on in blocks of so many, by
// ρ(u, k) ≤ ρ(u, m) ρ(u+m, k-m): a round costs the same however many went before.
const mostDistinct = 4096

func (c *setup) newKernel(forms form) *kernelState {
	k := &kernelState{c: c, forms: forms, gamma: c.Problem.GammaA(c.step)}
	k.q = max(math.Abs(1-c.step*c.constants.MeanMu), math.Abs(1-c.step*c.constants.MeanL))
	horizon := 0
	if len(c.at) > 0 {
		horizon = c.at[len(c.at)-1]
	}
	k.rho = c.newProducts(min(horizon, mostDistinct))
	k.r, k.d = math.Sqrt(c.constants.StartCentroid), math.Sqrt(c.constants.StartConsensus)
	k.driven, k.noise = []float64{k.d}, []float64{0}
	return k
}

func (k *kernelState) round(t int) {
	h := k.c.localSteps(t)
	switch k.c.Algorithm.String() {
	case "cta":
		k.mix(t)
		for range h {
			k.step()
		}
	case "dgd":
		for range h - 1 {
			k.step()
		}
		s, r := k.consensus(), k.r // the gradient is taken before the mixing, its part of the disagreement added after
		k.mix(t)
		k.inject(s, r)
		k.advance(s)
	default:
		for range h {
			k.step()
		}
		k.mix(t)
	}
}

// consensus returns the bound on S now.
func (k *kernelState) consensus() float64 {
	s := math.Inf(1)
	if k.forms&productForm != 0 {
		s = k.carried + k.driven[k.mixed] + math.Sqrt(k.carriedNoise+k.noise[k.mixed])
	}
	if k.forms&gammaForm != 0 {
		s = min(s, k.d+math.Sqrt(k.v))
	}
	return s
}

// step is one local step of all islands.
func (k *kernelState) step() {
	s := k.consensus()
	k.inject(s, k.r)
	k.advance(s)
}

// inject adds to the disagreement what a gradient step from S = s and R = r adds.
func (k *kernelState) inject(s, r float64) {
	c, eta := k.c, k.c.step
	delta, zeta := c.constants.DeltaA, math.Sqrt(c.constants.Zeta2)
	k.driven[k.mixed] += eta * (c.constants.L*s + delta*r + zeta)
	k.noise[k.mixed] += eta * eta * c.spread
	k.d = k.gamma*k.d + eta*(delta*r+zeta)
	k.v = k.gamma*k.gamma*k.v + eta*eta*c.spread
	if c.Problem.N == 1 {
		k.driven[k.mixed], k.d = 0, 0
	}
}

// advance is a gradient step of the centroid, from S = s.
func (k *kernelState) advance(s float64) {
	drift := k.q*k.r + k.c.step*k.c.constants.DeltaA*s
	k.r = math.Sqrt(drift*drift + k.c.step*k.c.step*k.c.constants.MeanNoise)
}

// mix is mixing t.
func (k *kernelState) mix(t int) {
	lambda := k.c.contract[t%len(k.c.contract)]
	k.d *= lambda
	k.v *= lambda * lambda
	k.mixed++
	k.driven, k.noise = append(k.driven, 0), append(k.noise, 0)
	if k.forms&productForm == 0 {
		return
	}
	length := k.rho.length()
	first := k.mixed - length + 1
	if u := k.mixed - length; u >= 0 {
		rho := k.rho.at(u, length)
		k.driven[k.mixed] += rho * k.driven[u]
		k.noise[k.mixed] += rho * rho * k.noise[u]
	}
	k.carried, k.carriedNoise = 0, 0
	for u := max(0, first); u < k.mixed; u++ {
		rho := k.rho.at(u, k.mixed-u)
		k.carried += rho * k.driven[u]
		k.carriedNoise += rho * rho * k.noise[u]
	}
}

// grows reports whether neither form settles. The second form is linear in (R, D) with nonnegative coefficients: its
// period must contract. In the first, disagreement must return less than it takes: R ≤ η δ_A S / (1 - q) in the long
// run, and S feeds back η (L S + δ_A R) times the sum of all ρ.
func (k *kernelState) grows() bool {
	c, eta := k.c, k.c.step
	drift := eta * c.constants.DeltaA
	period := identityMap()
	for t, lambda := range c.contract {
		for range c.localSteps(t) {
			period = twoByTwo{a: k.q, b: drift, c: drift, d: k.gamma}.after(period)
		}
		period = twoByTwo{a: 1, d: lambda}.after(period)
	}
	if k.forms&gammaForm != 0 && period.radius() < 1 {
		return false
	}
	last := k.rho.largest(k.rho.length())
	if k.q >= 1 || last >= 1 { // R grows, or the sum of all ρ is not known to be finite
		return true
	}
	// What is injected before mixing u: the local steps of round u, or for cta those of the round before. A step of
	// dgd's falls after its mixing, so its rounds count as the longer of two neighbors.
	rounds := len(c.contract)
	injected := func(u int) float64 {
		u = (u%rounds + rounds) % rounds
		before := (u + rounds - 1) % rounds
		switch c.Algorithm.String() {
		case "cta":
			u = before
		case "dgd":
			return float64(max(c.localSteps(u), c.localSteps(before)))
		}
		return float64(c.localSteps(u))
	}
	sum := 0.0
	for v := range rounds { // the phase in which the sum is taken: v mixings are done
		own := injected(v)
		for u := 1; u <= k.rho.length(); u++ {
			first := ((v-u)%rounds + rounds) % rounds
			own += injected(first) * k.rho.at(first, u)
		}
		sum = max(sum, own)
	}
	sum /= 1 - last // what lies beyond the table repeats it, smaller by the last factor each time
	return eta*sum*(c.constants.L+drift*c.constants.DeltaA/(1-k.q)) >= 1
}
