// Package gossip answers how fast decentralized SGD converges on problems that can be solved exactly, in two
// independent ways.
//
// # The question
//
// n islands each hold a replica x_i of d parameters. In a round every island takes H stochastic gradient steps on its
// own objective f_i, then the islands average with whom the schedule tells them to: x_i ← Σ_j W_ij x_j. Three numbers
// describe the state after t rounds, x* being the minimum of the average objective and x̄ the average replica:
//
//	centroid  = E ‖x̄ - x*‖²                 has the average learned?
//	consensus = E (1/n) Σ_i ‖x_i - x̄‖²      do the islands agree?
//	mse       = E (1/n) Σ_i ‖x_i - x*‖²     = centroid + consensus
//
// # Exact moments
//
// On a quadratic objective a round is an affine map of the stacked replicas plus noise, z ← M z + c + B ξ, so the mean
// and the covariance obey
//
//	m ← M m + c,   C ← M C M' + B Q B'
//
// and the three numbers follow without any sampling. Exact computes them, together with the spectral radius of M and,
// where that is below 1, the values in the limit of many rounds. Curvatures that commute decouple into one small
// system per coordinate; coordinates that are alike are solved once.
//
// Where randomness multiplies the state (random schedules, least squares, sparse messages), the second moment takes the
// place of the covariance, and the radius is that of its map, by the square root.
//
// # Simulation
//
// Simulate runs the algorithm itself, many times, and reports means with standard errors. Its steps
// share no code with the recursions of Exact, which is the point: the two must agree, and the tests say so.
//
// Between two exchanges the local steps of a diagonal quadratic are one Gaussian draw, exact in distribution, unless
// SimulateOptions.Stepwise asks for every step (that draw uses the closed form that Exact uses; stepping does not). Algorithms that are not linear, and logistic regression, have no exact
// moments and are only simulated.
//
// All randomness comes from one seed. Run r of island i draws from a xoshiro256** generator of its own, whose state is
// the SHA-256 of the seed, r, i and a purpose; results are the same bits for any number of workers.
package gossip
