// Package bounds evaluates what theory promises about decentralized SGD, for a given problem, schedule and step size.
//
// # Guarantees
//
// A guarantee holds on every instance that meets its assumptions: it lies above the exact moments of package gossip at
// every round, which is how the tests check it. All need a few constants of the problem: L, μ, ζ*² = average
// ‖∇f_i(x*)‖² and the noise σ². They follow R² = E ‖x̄ - x*‖² and S² = E average ‖x_i - x̄‖² together, each bounding the
// other, and differ in what they know of the schedule.
//
// The recursion needs one number of each mixing matrix, p = 1 - ‖W - J‖², and goes one step at a time. The window is
// content with contraction over a block of rounds. The kernel knows the whole sequence: what step j adds to the
// disagreement has shrunk by ρ(t,j) = ‖W_{t-1}…W_j - J‖ at time t. Rounds that only contract together, like alternating
// matchings, are invisible to p, costly for a window and plain to ρ.
//
// Two more know something special. Local SGD on identical objectives drifts apart by noise alone. And with one symmetric
// W and one curvature for all islands everything decouples into scalars, so that the worst quadratic of the class can be
// found exactly: class is the least that anybody can promise from these constants. best is the least of all.
//
// Averaging alone, without gradients, has guarantees of its own (contraction, range), and so has the factor per round on
// random isotropic least squares (vogels-rate).
//
// # Orders
//
// A published rate whose constants are not derived here is of kind order. It shows a shape, and nothing is tested
// against it. Each is a Theorem: a right side as a function of Numbers, with every assumption as a check. Tuned ones
// choose their own step; lower bounds say what cannot be beaten. T in them counts local steps.
//
// # Honesty
//
// A bound whose assumptions fail is reported as not applicable, with the number that fails ("step 0.1 > cap 0.00252"),
// and is not evaluated. One that holds but grows without limit says that it is vacuous. Compare divides every guarantee
// by the truth.
//
// # Choosing
//
// RoundsToTarget, LargestSteps, BestStep and CompareTopologies turn bounds and exact moments into the numbers that a
// run is planned with.
package bounds
