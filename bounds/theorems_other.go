package bounds

import "math"

// directed are rates of push-sum on directed graphs.
func directed() []Theorem {
	common := func(n Numbers) []Assumption {
		return []Assumption{oneOf(n.Algorithm, "push-sum"), is("nonnegative W with column sums 1", n.Column, "not met: nonnegative W with column sums 1"),
			is("connected over every period (B rounds)", n.Connected, "not met: connected over every period")}
	}
	return []Theorem{{
		ID: "nedic-rate", Name: "push-sum: factor per round, any graph", Source: "Nedić, Olshevsky 2015 (arXiv 1303.2314); as recalled", Quantity: Rate,
		Assume: common,
		Value: func(n Numbers) float64 {
			nb := float64(n.N * n.Period)
			return math.Exp(math.Log1p(-math.Pow(float64(n.N), -nb)) / nb)
		},
	}, {
		ID: "nedic-regular-rate", Name: "push-sum: factor per round, doubly stochastic W", Source: "Nedić, Olshevsky 2015 (arXiv 1303.2314); as recalled", Quantity: Rate,
		Assume: func(n Numbers) []Assumption { return append(common(n), doubly(n)) },
		Value: func(n Numbers) float64 {
			nodes := float64(n.N)
			return min(math.Pow(1-1/(4*nodes*nodes*nodes), 1/float64(n.Period)), n.Lambda)
		},
	}, {
		ID: "sgp-gradient", Name: "stochastic gradient push, tuned", Source: "Assran et al. 2019 (arXiv 1811.10792); leading term, constant 1", Quantity: Gradient, Tuned: true,
		Assume: func(n Numbers) []Assumption {
			return append(common(n), equalSteps(n), finite("ς² = sup average ‖∇f_i - ∇f‖²", n.Uniform2))
		},
		At: func(n Numbers, k float64) float64 { return sqrt(n.L * n.Gap * n.Sigma2 / (float64(n.N) * k)) },
	}}
}

// delays is the stability of averaging that arrives τ rounds late, x⁺ = x + (W - I) x(t-τ): a mode λ has the equation
// z^(τ+1) - z^τ + (1-λ) = 0, with all roots inside the unit circle if and only if 0 < 1-λ < 2 sin(π/(2(2τ+1))).
func delays() []Theorem {
	return []Theorem{{
		ID: "delayed-threshold", Name: "averaging that arrives late: largest stable 1-λ, without gradients", Quantity: Threshold,
		Source: "roots of z^(τ+1) - z^τ + (1-λ), a known scalar delay result",
		Assume: func(n Numbers) []Assumption {
			return []Assumption{oneOf(n.Algorithm, "delayed"), fixedSymmetric(n), below("‖W-J‖", n.Lambda, "", 1),
				below("1-λ_min", 1-n.Least, "2 sin(π/(2(2τ+1)))", DelayThreshold(n.Delay))}
		},
		Value: func(n Numbers) float64 { return DelayThreshold(n.Delay) },
	}}
}

// DelayThreshold returns 2 sin(π/(2(2τ+1))): delayed averaging, and likewise SGD with gradients τ steps old, is stable
// on a mode if and only if 1 - λ (or ηa) lies strictly between 0 and it.
func DelayThreshold(tau int) float64 { return 2 * math.Sin(math.Pi/(2*float64(2*tau+1))) }

// lowerBounds are what no method of a class can beat.
func lowerBounds() []Theorem {
	connected := func(n Numbers) Assumption {
		return above("λ_2/λ_max of the Laplacian", n.Eigengap, "", 0)
	}
	return []Theorem{{
		ID: "scaman-rounds", Name: "rounds that any method needs on a fixed graph, strongly convex and without noise", Lower: true, Quantity: Rounds, Tuned: true,
		Source: "Scaman et al. 2017 (arXiv 1702.08704); constant 1",
		Assume: func(n Numbers) []Assumption {
			return []Assumption{is("the same W in every round", n.Fixed, "not met: the same W in every round"), connected(n), above("μ", n.Mu, "", 0), equal("σ²", n.Sigma2, "", 0)}
		},
		Value: func(n Numbers) float64 { return sqrt(n.L/n.Mu/n.Eigengap) * math.Log(1/n.Target) },
	}, {
		ID: "kovalev-rounds", Name: "rounds that any method needs on graphs that vary, strongly convex and without noise", Lower: true, Quantity: Rounds, Tuned: true,
		Source: "Kovalev et al. 2021 (arXiv 2106.04469), with χ of the union graph; constant 1",
		Assume: func(n Numbers) []Assumption {
			return []Assumption{connected(n), above("μ", n.Mu, "", 0), equal("σ²", n.Sigma2, "", 0)}
		},
		Value: func(n Numbers) float64 { return sqrt(n.L/n.Mu) / n.Eigengap * math.Log(1/n.Target) },
	}, {
		ID: "lu-de-sa-steps", Name: "steps that any method needs until E‖∇f‖ (not its square) is at √target of its start", Lower: true, Quantity: Steps, Tuned: true,
		Source: "Lu, De Sa 2021 (arXiv 2006.08085) with batch 1; constants 1",
		Assume: func(n Numbers) []Assumption {
			return []Assumption{atLeast("diameter (0: not connected)", float64(n.Diameter), "", 1), above("‖∇f(x̄_0)‖²", n.Gradient2, "", 0)}
		},
		Value: func(n Numbers) float64 {
			eps2 := n.Target * n.Gradient2
			return n.Gap*n.L*n.Sigma2/(float64(n.N)*eps2*eps2) + n.Gap*n.L*float64(n.Diameter)/eps2
		},
	}, {
		ID: "yuan-gradient", Name: "average ‖∇f‖² that any gossip method is left with, fixed W", Lower: true, Quantity: Gradient, Tuned: true,
		Source: "Yuan et al. 2022 (arXiv 2210.07863); constants 1",
		Assume: func(n Numbers) []Assumption {
			return []Assumption{is("the same W in every round", n.Fixed, "not met: the same W in every round"), below("‖W-J‖", n.Lambda, "", 1), equalSteps(n)}
		},
		At: func(n Numbers, t float64) float64 {
			return sqrt(n.Sigma2*n.L*n.Gap/(float64(n.N)*t)) + n.L*n.Gap/(t*sqrt(1-n.Lambda))
		},
	}, {
		ID: "huang-gradient", Name: "average ‖∇f‖² that any gossip method is left with, W that vary", Lower: true, Quantity: Gradient, Tuned: true,
		Source: "Huang, Yuan 2022 (arXiv 2211.00533); constants 1, with p/τ for 1-λ",
		Assume: func(n Numbers) []Assumption { return []Assumption{above("p", n.P, "", 0), equalSteps(n)} },
		At: func(n Numbers, t float64) float64 {
			return sqrt(n.Sigma2*n.L*n.Gap/(float64(n.N)*t)) + n.L*n.Gap*n.Tau/(t*n.P)
		},
	}}
}

// subgradients is the guarantee for convex functions with bounded subgradients against which worst cases by
// performance estimation are compared: dgd, K steps of 1/√K, the mean over islands and k = 0, ..., K.
func subgradients() []Theorem {
	return []Theorem{{
		ID: "colla-gap", Name: "subgradient method at the step 1/√K, f(mean iterate) - f*", Quantity: Gap, Tuned: true,
		Source: "compared with in Colla, Hendrickx 2021 (arXiv 2103.14396), Theorem 5",
		Assume: func(n Numbers) []Assumption {
			return []Assumption{oneOf(n.Algorithm, "dgd"), equal("local steps of every round", float64(n.H), "", 1), fixedSymmetric(n), below("‖W-J‖", n.Lambda, "", 1),
				commonStart(n), equal("σ²", n.Sigma2, "", 0), finite("R² = sup ‖subgradient‖²", n.Bound2)}
		},
		At: func(n Numbers, k float64) float64 {
			return (n.Distance2+n.Bound2)/(2*sqrt(k)) + 2*n.Bound2/(sqrt(k)*(1-n.Lambda))
		},
	}}
}
