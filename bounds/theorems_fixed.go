package bounds

import "math"

// lian is Lian et al. 2017 (arXiv 1705.09056) on D-PSGD, x⁺ = Wx - ηg, with one symmetric W. The paper's factor n in
// the last two terms is kept.
func lian() []Theorem {
	const source = "Lian et al. 2017 (arXiv 1705.09056)"
	common := func(n Numbers) []Assumption {
		return []Assumption{oneOf(n.Algorithm, "dgd"), equal("local steps of every round", float64(n.H), "", 1), fixedSymmetric(n),
			below("‖W-J‖", n.Lambda, "", 1), commonStart(n), finite("ς² = sup average ‖∇f_i - ∇f‖²", n.Uniform2)}
	}
	return []Theorem{{
		ID: "lian-gradient", Name: "D-PSGD at a constant step", Source: source + ", Theorem 1; constants as recalled", Quantity: Gradient,
		Assume: func(n Numbers) []Assumption {
			a := common(n)
			if assumptions(a).hold() {
				d1, d2 := lianD(n)
				a = append(a, atMost("step", n.Step, "1/L", 1/n.L), above("D2", d2, "", 0), above("D1", d1, "", 0))
			}
			return a
		},
		At: func(n Numbers, k float64) float64 {
			d1, _ := lianD(n)
			return LianRight(n, k) / d1
		},
	}, {
		ID: "lian-tuned-gradient", Name: "D-PSGD at the step 1/(2L + σ√(K/n))", Source: source + ", Corollary 2; constants as recalled", Quantity: Gradient, Tuned: true,
		Assume: func(n Numbers) []Assumption {
			a := append(common(n), above("σ²", n.Sigma2, "", 0))
			if assumptions(a).hold() {
				first, second := LianThresholds(n)
				a = append(a, atLeast("K", n.Steps, "first threshold", first), atLeast("K", n.Steps, "second threshold", second))
			}
			return a
		},
		From: func(n Numbers) float64 { return math.Max(LianThresholds(n)) },
		At: func(n Numbers, k float64) float64 {
			return 8*n.Gap*n.L/k + (8*n.Gap+4*n.L)*sqrt(n.Sigma2)/sqrt(k*float64(n.N))
		},
	}}
}

// lianD returns the constants D1 and D2 of Theorem 1.
func lianD(n Numbers) (d1, d2 float64) {
	x := square(n.Step*n.L) * float64(n.N) / square(1-n.Lambda)
	d2 = 1 - 18*x
	return 0.5 - 9*x/d2, d2
}

// LianRight is the right side of Lian et al. 2017, Theorem 1, after K steps, before it is divided by D1.
func LianRight(n Numbers, k float64) float64 {
	_, d2 := lianD(n)
	x := square(n.Step*n.L) * float64(n.N) / d2
	return n.Gap/(n.Step*k) + n.Step*n.L*n.Sigma2/(2*float64(n.N)) + x*n.Sigma2/(1-square(n.Lambda)) + 9*x*n.Uniform2/square(1-n.Lambda)
}

// LianThresholds are the numbers of steps from which Corollary 2 speaks.
func LianThresholds(n Numbers) (first, second float64) {
	nodes := float64(n.N)
	mixed := n.Sigma2/(1-square(n.Lambda)) + 9*n.Uniform2/square(1-n.Lambda)
	first = 4 * math.Pow(n.L, 4) * math.Pow(nodes, 5) / (math.Pow(n.Sigma2, 3) * square(n.Gap+n.L)) * mixed * mixed
	return first, 72 * square(n.L) * nodes * nodes / (n.Sigma2 * square(1-n.Lambda))
}

// koloskovaRates are the rates of Koloskova et al. 2020 (arXiv 2003.10422), Theorem 2, and the step cap of its
// consensus lemma. The rates hold at a step tuned to the target and say nothing at a given one.
func koloskovaRates() []Theorem {
	const source = "Koloskova et al. 2020 (arXiv 2003.10422)"
	common := func(n Numbers) []Assumption {
		return []Assumption{oneOf(n.Algorithm, "atc"), doubly(n), above("p", n.P, "", 0)}
	}
	mixed := func(n Numbers, noise float64) float64 { return (sqrt(n.Zeta2)*n.Tau + noise*sqrt(n.P*n.Tau)) / n.P }
	return []Theorem{{
		ID: "koloskova-step", Name: "largest step of the published lemma", Source: source + ", step cap; as recalled", Quantity: StepSize,
		Assume: common,
		Value:  func(n Numbers) float64 { return koloskovaCap(n.P, n.Tau, n.L) },
	}, {
		ID: "koloskova-strongly-convex-steps", Name: "steps until f - f* and μ‖x̄ - x*‖² are at the target share of f(x̄_0) - f*", Quantity: Steps, Tuned: true,
		Source: source + ", Theorem 2, strongly convex; constants 1",
		Assume: func(n Numbers) []Assumption { return append(common(n), above("μ", n.Mu, "", 0)) },
		Value: func(n Numbers) float64 {
			eps := n.Target * n.Gap
			return n.Sigma2/(n.Mu*float64(n.N)*eps) + sqrt(n.L)*mixed(n, sqrt(n.Sigma2))/(n.Mu*sqrt(eps)) + n.L*n.Tau/(n.Mu*n.P)*math.Log(1/n.Target)
		},
	}, {
		ID: "koloskova-convex-steps", Name: "steps until f - f* is at the target share of its start", Quantity: Steps, Tuned: true,
		Source: source + ", Theorem 2, convex; constants 1", Assume: common,
		Value: func(n Numbers) float64 {
			eps := n.Target * n.Gap
			return (n.Sigma2/(float64(n.N)*eps*eps) + sqrt(n.L)*mixed(n, sqrt(n.Sigma2))/math.Pow(eps, 1.5) + n.L*n.Tau/(n.P*eps)) * n.Distance2
		},
	}, {
		ID: "koloskova-non-convex-steps", Name: "steps until the average of ‖∇f‖² is at the target share of its start", Quantity: Steps, Tuned: true,
		Source: source + ", Theorem 2, non-convex with M = 0, P = 1; constants 1",
		Assume: func(n Numbers) []Assumption {
			return append(common(n), finite("ς² = sup average ‖∇f_i - ∇f‖²", n.Uniform2))
		},
		Value: func(n Numbers) float64 {
			eps := n.Target * n.Gradient2
			uniform := n
			uniform.Zeta2 = n.Uniform2
			return (n.Sigma2/(float64(n.N)*eps*eps) + mixed(uniform, sqrt(n.Sigma2))/math.Pow(eps, 1.5) + n.Tau*math.Sqrt2/(n.P*eps)) * n.L * n.Gap
		},
	}}
}

// matcha is Wang et al. 2019 (arXiv 1905.09435): random matchings, ρ = ‖E[W'W] - J‖.
func matcha() []Theorem {
	return []Theorem{{
		ID: "matcha-gradient", Name: "MATCHA at a constant step", Source: "Wang et al. 2019 (arXiv 1905.09435); constant of the last term 1, as recalled", Quantity: Gradient,
		Assume: func(n Numbers) []Assumption {
			rho := square(n.Lambda)
			return []Assumption{oneOf(n.Algorithm, "atc"), equal("local steps of every round", float64(n.H), "", 1), is("independent random W", n.Random, "not met: independent random W"),
				doubly(n), below("ρ", rho, "", 1), commonStart(n), finite("ς² = sup average ‖∇f_i - ∇f‖²", n.Uniform2),
				atMost("ηL", n.Step*n.L, "min{1, (1/√ρ-1)/4}", min(1, (1/n.Lambda-1)/4))}
		},
		At: func(n Numbers, k float64) float64 {
			rho, x := square(n.Lambda), square(n.Step*n.L)
			d := 6 * x * rho / square(1-n.Lambda)
			return (2*n.Gap/(n.Step*k) + n.Step*n.L*n.Sigma2/float64(n.N) +
				x*rho/(1-n.Lambda)*(n.Sigma2/(1+n.Lambda)+n.Uniform2/(1-n.Lambda))) / (1 - 2*d)
		},
	}}
}

// transients count the steps after which the noise term σ/√(nT), that of averaging in one room, dominates.
func transients() []Theorem {
	const source = "from the rate for non-convex functions; exponential graphs: Ying et al. 2021 (arXiv 2110.13363)"
	common := func(n Numbers) []Assumption {
		return []Assumption{doubly(n), above("gap 1-‖W-J‖, or p/τ where W varies", slowness(n), "", 0)}
	}
	return []Theorem{{
		ID: "transient-homogeneous-steps", Name: "transient steps, n³/gap²", Source: source, Quantity: Steps, Tuned: true,
		Assume: func(n Numbers) []Assumption { return append(common(n), equal("ζ*²", n.Zeta2, "", 0)) },
		Value:  func(n Numbers) float64 { return TransientSteps(float64(n.N), slowness(n), false) },
	}, {
		ID: "transient-heterogeneous-steps", Name: "transient steps, n³/gap⁴", Source: source, Quantity: Steps, Tuned: true,
		Assume: common,
		Value:  func(n Numbers) float64 { return TransientSteps(float64(n.N), slowness(n), true) },
	}}
}

// TransientSteps returns n³/gap², or n³/gap⁴ on heterogeneous data: up to constants, the number of steps after which
// decentralized SGD with a tuned step is as fast as with exact averaging.
func TransientSteps(n, gap float64, heterogeneous bool) float64 {
	if heterogeneous {
		return n * n * n / square(gap*gap)
	}
	return n * n * n / square(gap)
}

func slowness(n Numbers) float64 {
	if n.Fixed && n.Lambda < 1-minContraction {
		return 1 - n.Lambda
	}
	if n.Tau == 0 {
		return 0
	}
	return n.P / n.Tau
}
