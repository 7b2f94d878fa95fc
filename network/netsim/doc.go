// Package netsim trains over a simulated network, event by event: islands compute, wait for one another, and send; the
// result is what finished when, which links were busy, and who waited for whom.
//
// # Fluid
//
// Bytes are a fluid. A flow is a set of arcs with one rate: a path, a broadcast tree, a reduction tree, or a whole
// pipeline of them. It puts its rate on every arc, once for each branch of its trees that crosses the arc. Rates change
// only at events (a flow starts or ends, a link changes), and between two events everything moves along straight
// lines, so a simulation jumps from event to event and is exact at each.
//
// Rates come from progressive filling (Bertsekas and Gallager, Data Networks, section 6.5): all flows grow alike until an
// arc is full; the flows on it keep their rate, the others grow on. What comes out is max-min fair. A flow is a stream
// of the plan (SharingFair: streams get equal bytes per second), or all that starts together (SharingCommon: they get
// equal shares of their sizes per second, and finish together).
//
// Two flows of 1 GB on an arc of 8 Gbps, the second a second late: the first sends 1 GB/s for 1 s and is done; the
// second then needs a second of its own. Were the first of 2 GB, both would have 0.5 GB/s from then on and end at 3 s.
//
// # Relation to the price
//
// Package collective prices a round in closed form: the busiest arc plus the longest path. netsim takes only trees and
// bytes from it, never seconds or loads. Where the assumptions of the price hold (everybody starts at once and finishes
// together, no link changes) the two agree to rounding; where they do not, only the simulation is right.
//
// Latency is that of the price: the first byte takes the longest way through all stages, everything behind it follows
// at the rate of the slowest arc, and a chunk delays every hop by its own duration. A flow holds all its arcs from its
// first byte to its last; what is still under way when the last byte leaves is the latency at the end. For stages that
// follow one another over the same arcs, such as the hops of a ring, this is cautious: with Options.Pieces a stage holds
// its arcs for its own pieces only, and the latency of one passes behind the bytes of another.
//
// # Training
//
// An island takes its local steps, is ready, meets its clique, and goes on when the average has arrived. BarrierRound
// lets everybody wait for everybody, as the clock of package study does; BarrierClique lets a clique start when its own
// members are ready. With Options.Delay an island sends at the beginning of a round and computes on, and an average may
// arrive rounds later; with Options.SendAhead members that are ready fill the buffers of aggregators before their
// clique is complete. Islands may be slow or jitter, links may fail and be repaired, bandwidth may follow a trace. A
// clique that is cut off waits, skips its average or re-forms; a deadline leaves late members behind. Whatever happens,
// the Learner is told which rounds were averaged by whom, so that the error belongs to what took place.
package netsim
