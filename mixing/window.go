package mixing

import "math"

// BestWindow returns the pair (p, τ) of a schedule, in which rates of decentralized SGD are stated (Koloskova et al.
// 2020, Assumption 4): p = 1 - max norm² over the aligned blocks [lτ, (l+1)τ) of the repeated schedule, for the τ of at
// most longest rounds with the least τ/p. norm(start, rounds) is ‖product - J‖ of so many rounds from round start, which
// is below period, on. The shorter τ wins a tie, which is any τ/p that is not smaller by more than 1e-12 of it. The
// result is (0, 0, false) when no block contracts, p ≤ 1e-12.
func BestWindow(period, longest int, norm func(start, rounds int) float64) (p float64, tau int, ok bool) {
	best := math.Inf(1)
	for rounds := 1; rounds <= longest && float64(rounds) < best; rounds++ { // p ≤ 1, so that τ/p ≥ τ
		contraction := 1.0
		for l := range period / gcd(rounds, period) { // then the starts repeat
			v := norm(l*rounds%period, rounds)
			contraction = min(contraction, 1-v*v)
			if !(contraction > contractTol) || float64(rounds)/contraction >= best*(1-tieTol) {
				contraction = 0
				break
			}
		}
		if contraction > 0 {
			best = float64(rounds) / contraction
			p, tau, ok = contraction, rounds, true
		}
	}
	return p, tau, ok
}

const (
	// contractTol is the least p that rounding in a norm of 1 cannot fake.
	contractTol = 1e-12
	// tieTol is the relative difference of τ/p that rounding in norms can fake.
	tieTol = 1e-12
)

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
