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
// # Orders
//
// A published rate whose constants are not derived here is of kind order. It shows a shape, and nothing is tested
// against it.
//
// # Honesty
//
// A bound whose assumptions fail is reported as not applicable, with the reason and its numbers, and is not evaluated.
// One that holds but grows without limit says that it is vacuous.
package bounds
