package bounds

import "math"

// localSGD are rates of local SGD (federated averaging), with exact averaging after every H steps, and of its
// hierarchical form.
func localSGD() []Theorem {
	fedavg := func(n Numbers) []Assumption {
		return []Assumption{oneOf(n.Algorithm, "atc"), is("every round averages exactly, W = J", n.Exact, "not met: every round averages exactly"), equalSteps(n), commonStart(n)}
	}
	identical := func(n Numbers) Assumption {
		return is("identical objectives", n.Identical, "not met: identical objectives")
	}
	return []Theorem{{
		ID: "stich-gap", Name: "local SGD with steps 4/(μ(a+t)), a = max{16κ, H}", Source: "Stich 2018 (arXiv 1805.09767); constants as recalled", Quantity: Gap, Tuned: true,
		Assume: func(n Numbers) []Assumption {
			return append(fedavg(n), identical(n), above("μ", n.Mu, "", 0), finite("G² = sup E‖gradient‖²", n.Bound2))
		},
		At: func(n Numbers, t float64) float64 {
			a, h := max(16*n.L/n.Mu, float64(n.H)), float64(n.H)
			sum := t * (6*a*a + 6*a*(t-1) + (t-1)*(2*t-1)) / 6 // Σ_{s<t} (a+s)²
			return n.Mu*a*a*a/(2*sum)*n.Distance2 + 4*t*(t+2*a)/(n.Mu*float64(n.N)*sum)*n.Sigma2 + 256*t/(n.Mu*n.Mu*sum)*n.Bound2*h*h*n.L
		},
	}, {
		ID: "khaled-centroid", Name: "local SGD on identical data", Source: "Khaled et al. 2020 (arXiv 1909.04746); constants as recalled", Quantity: Centroid,
		Assume: func(n Numbers) []Assumption {
			return append(fedavg(n), identical(n), above("μ", n.Mu, "", 0), atMost("step", n.Step, "cap 1/(4L)", 1/(4*n.L)))
		},
		At: func(n Numbers, t float64) float64 {
			return math.Pow(1-n.Step*n.Mu, t)*n.Distance2 + n.Step*n.Sigma2/(n.Mu*float64(n.N)) + 2*n.L*n.Step*n.Step*float64(n.H-1)*n.Sigma2/n.Mu
		},
	}, {
		ID: "khaled-gap", Name: "local SGD on heterogeneous data", Source: "Khaled et al. 2020 (arXiv 1909.04746); constants as recalled", Quantity: Gap,
		Assume: func(n Numbers) []Assumption {
			a := append(fedavg(n), atMost("step", n.Step, "cap 1/(4L)", 1/(4*n.L)))
			if n.H > 1 {
				a = append(a, atMost("step", n.Step, "cap 1/(8L(H-1))", 1/(8*n.L*float64(n.H-1))))
			}
			return a
		},
		At: func(n Numbers, t float64) float64 {
			different := n.Sigma2 + n.Zeta2 // average E‖∇f_i(x*, ξ)‖²: noise plus heterogeneity
			return 4*n.Distance2/(n.Step*t) + 20*n.Step*different/float64(n.N) + 16*n.Step*n.Step*n.L*square(float64(n.H-1))*different
		},
	}, {
		ID: "woodworth-gap", Name: "local SGD on identical data, tuned", Source: "Woodworth et al. 2020 (arXiv 2002.07839); constants 1", Quantity: Gap, Tuned: true,
		Assume: func(n Numbers) []Assumption { return append(fedavg(n), identical(n)) },
		At:     func(n Numbers, t float64) float64 { return woodworth(n, t) },
	}, {
		ID: "woodworth-heterogeneous-gap", Name: "local SGD on heterogeneous data, tuned", Source: "Woodworth et al. 2020 (arXiv 2006.04735); constants 1", Quantity: Gap, Tuned: true,
		Assume: func(n Numbers) []Assumption {
			return append(fedavg(n), finite("ς² = sup average ‖∇f_i - ∇f‖²", n.Uniform2))
		},
		At: func(n Numbers, t float64) float64 {
			r := t / float64(n.H)
			return woodworth(n, t) + math.Cbrt(n.L*n.Uniform2*square(n.Distance2)/(r*r))
		},
	}, {
		ID: "hierarchical-gradient", Name: "local SGD in groups and over all", Source: "Wang et al. 2020 (arXiv 2010.12998); up to constants, as recalled", Quantity: Gradient,
		Assume: func(n Numbers) []Assumption {
			return []Assumption{oneOf(n.Algorithm, "atc"), equalSteps(n), above("groups of the schedule", float64(n.Groups.Count), "", 0), commonStart(n),
				finite("between groups: sup average ‖∇f_g - ∇f‖²", n.Groups.Between2), finite("within groups: sup average ‖∇f_i - ∇f_g‖²", n.Groups.Within2),
				atMost("step", n.Step, "cap 1/(GL)", 1/(n.Groups.Outer*n.L))}
		},
		At: func(n Numbers, t float64) float64 {
			g, nodes, count := n.Groups, float64(n.N), float64(n.Groups.Count)
			drift := n.Sigma2*(g.Outer*(count-1)/nodes+g.Inner*(1-count/nodes)) + square(g.Outer)*g.Between2 + square(g.Inner)*g.Within2
			return n.Gap/(n.Step*t) + n.Step*n.L*n.Sigma2/nodes + square(n.Step*n.L)*drift
		},
	}}
}

// woodworth is the convex rate with M workers, K = H local steps and R rounds.
func woodworth(n Numbers, t float64) float64 {
	k := float64(n.H)
	r, b2 := t/k, n.Distance2
	return n.L*b2/(k*r) + sqrt(n.Sigma2*b2/(float64(n.N)*k*r)) + math.Cbrt(n.L*n.Sigma2*b2*b2/(k*r*r))
}

// compressed are CHOCO-Gossip and CHOCO-SGD with one symmetric W, δ = 1 - ‖W-J‖ and a compressor with
// E‖Q(x)-x‖² ≤ (1-ω)‖x‖².
func compressed() []Theorem {
	common := func(n Numbers) []Assumption {
		return []Assumption{oneOf(n.Algorithm, "choco"), fixedSymmetric(n), below("‖W-J‖", n.Lambda, "", 1), above("ω of the compressor (0: not known)", n.Omega, "", 0)}
	}
	return []Theorem{{
		ID: "choco-rate", Name: "CHOCO-Gossip: factor per round on the consensus error and its memory", Quantity: Rate,
		Source: "Koloskova, Stich, Jaggi 2019 (arXiv 1902.00340); the constant 82 as recalled",
		Assume: func(n Numbers) []Assumption {
			return append(common(n), equal("γ", n.Gamma, "δ²ω/(16δ+δ²+4β²+2δβ²-8δω)", ChocoGamma(1-n.Lambda, n.Omega, n.Beta)))
		},
		Value: func(n Numbers) float64 { return 1 - square(1-n.Lambda)*n.Omega/82 },
	}, {
		ID: "choco-gap", Name: "CHOCO-SGD with steps 4/(μ(a+t))", Source: "Koloskova, Stich, Jaggi 2019 (arXiv 1902.00340); constants 1, as recalled", Quantity: Gap, Tuned: true,
		Assume: func(n Numbers) []Assumption {
			return append(common(n), equal("local steps of every round", float64(n.H), "", 1), above("μ", n.Mu, "", 0), finite("G² = sup E‖gradient‖²", n.Bound2),
				equal("γ", n.Gamma, "δ²ω/(16δ+δ²+4β²+2δβ²-8δω)", ChocoGamma(1-n.Lambda, n.Omega, n.Beta)))
		},
		At: func(n Numbers, t float64) float64 {
			delta := 1 - n.Lambda
			x := n.Omega * square(delta)
			return n.Sigma2/(n.Mu*float64(n.N)*t) + n.L/n.Mu*n.Bound2/(n.Mu*square(x*t)) + n.Bound2/(x*x*x*t*t*t)
		},
	}}
}

// ChocoGamma is the consensus step for which CHOCO-Gossip is stated: δ = 1 - ‖W-J‖, ω of the compressor, β = ‖I-W‖.
// It is 0 where W does not contract.
func ChocoGamma(delta, omega, beta float64) float64 {
	if delta == 0 {
		return 0
	}
	return delta * delta * omega / (16*delta + delta*delta + 4*beta*beta + 2*delta*beta*beta - 8*delta*omega)
}
