// Package study puts one question to all the parts of the toolkit: what a round costs under each capability, whether
// bound, exact moments and simulation agree on a schedule, how long each schedule takes to a target.
//
// # Two clocks
//
// It is the only package that knows both clocks. The theory side counts rounds, the network side seconds; a study joins
// them. A round lasts its H local steps plus its communication (Clock), and training in one room (colocated) averages
// exactly after every step at no cost. That is the gold standard: seconds are also given as a multiple of its.
//
// An example with a step of 0.1 s and a communication of 2 s. With H = 1 a round takes 2.1 s, and nearly all of it is
// waiting. With H = 64 it takes 8.4 s for 64 steps, but the islands drift apart meanwhile, so that smaller steps are needed.
// A Tuner finds the H and the step size that reach the target soonest, by exact moments. Two schedules are compared
// fairly only when each has its own best setting.
//
// # Questions
//
//	Price            what each round of a schedule costs, and how stale it leaves the islands
//	Costs            one clique of all, by every collective, under each capability
//	Compare          seconds to the target of many schedules under each capability
//	Gather           bound, exact moments and simulation of one schedule, round by round
//	Validate         whether the three agree on many schedules and problems
//	Robustness       a schedule on networks that differ from the file
//	New              all of them about one network, each answered once: what figures and reports show
//
// Results are plain structs with JSON tags, ready to be printed or drawn.
package study
