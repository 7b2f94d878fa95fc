// Package study puts one question to all the parts of the toolkit: what a round costs under each capability, whether
// bound, exact moments and simulation agree on a schedule, how long each schedule takes to a target.
//
// It is the only package that knows both clocks. The theory side counts rounds, the network side seconds; a study
// joins them: a round lasts its H local steps plus its communication, and training in one room (colocated) averages
// exactly after every step at no cost. Results are plain structs with JSON tags, ready to be printed or drawn.
package study
