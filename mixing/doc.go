// Package mixing turns schedules into mixing matrices and says how fast they bring the islands together.
//
// A round of averaging is x ← W x, where x holds one value per island (or one row of parameters). If the rows of W
// sum to 1, islands that agree stay as they are; if its columns do, the mean of all islands is kept. With both, W is
// doubly stochastic, and everything about agreement is in W - J, where J = 11'/n averages all islands at once:
//
//	W x - J x = (W - J)(x - J x)
//
// # One matrix
//
// sigma2 = ‖W-J‖₂ is the worst factor by which one round shrinks the disagreement ‖x - Jx‖; SLEM, the spectral radius
// of W-J, is the factor per round in the long run. They are equal for symmetric W. The second largest eigenvalue alone
// is neither: an eigenvalue -1 (a bipartite graph with too large weights) never dies.
//
// # Many rounds
//
// A schedule with period T multiplies Φ = W_T ... W_1. Single rounds need not contract at all (one matching has
// ‖W-J‖ = 1) while their product does, so only products count: ‖Φ-J‖₂ for each phase of the period, the spectral
// radius, which no phase changes, and p = 1 - ‖Φ-J‖² over τ rounds, the pair in which convergence rates are stated.
// When Φ = J after finitely many rounds the schedule is exact.
//
// # Random rounds
//
// Independent random W contract by E[W'W] in one round and by the spectral radius of S → E[W S W'] in the long run.
// The average matrix E[W] alone tells neither: its square is below E[W'W].
//
// # Use
//
//	s, err := schedule.Load("ring:n=8", schedule.Options{})
//	seq, err := mixing.New(s)
//	report, err := mixing.Analyze(ctx, seq, mixing.Options{})
//
// Staleness puts seconds on the rounds: it is the figure of merit by which schedules are compared on a network.
package mixing
