// Package notebooks holds Go notebooks that teach decentralized SGD from zero, one idea each, in this order:
//
//	1-averaging           averaging on a graph; what a round of nine cities costs
//	2-spectral-gap        why a ring is slow, and which graphs are not
//	3-time-varying        changing partners; exact averages after finitely many rounds
//	4-decentralized-sgd   bound, exact moments and simulation of the same training
//	5-local-steps         many steps between averagings, and how far islands drift
//	6-routers             what multicast and in-line FPGAs change
//	7-rotating-cliques    what makes a schedule good on a network, and the proof that one is the best
//	8-delays              late averages, stale neighbors, failing rounds, stragglers
//
// They are in the format of GoNB (github.com/janpfeifer/gonb) with their outputs stored, so they read well without being
// run. The tests run every cell without Jupyter and compare; go test ./notebooks -update stores new outputs.
package notebooks
