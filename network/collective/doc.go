// Package collective prices one round of synchronization on a network: how each clique's average is carried, which
// links that loads, and how many seconds it takes.
//
// # The model
//
// Every island of a clique holds a payload of S bytes and must end with the clique's average. A collective says how.
// It puts loads on arcs (the two directions of a link, and each island's egress and ingress), in multiples of S, and
// it has a latency term, the time for the first byte to be done. Bytes are pipelined, so a round takes
//
//	seconds = max over arcs (load × 8 S / capacity) + max over cliques (latency)
//
// where load is the sum over the cliques of the round: they run together and share the links.
//
// # Trees
//
// A broadcast tree follows the lowest-latency routes from its root. Copies are counted from the leaves: the arc into
// router v carries the copies that v hands on plus one for each member at v, but at most one if v replicates
// (multicast). A reduce tree is the mirror image: all arcs turned round, summing (aggregation) in place of copying.
// With neither ability a tree degenerates into separate unicast streams.
//
// # Collectives of a clique of k
//
//	exchange  every payload goes to every other member: by broadcast trees whose arrivals are summed at the receiver,
//	          or by reduce trees whose departures are copied at the sender, whichever costs less
//	hub       one reduce tree to a root, one broadcast tree from it; a member or a router that can do both is the root
//	sharded   each member is the root for its k-th part of the payload (reduce-scatter, then all-gather);
//	          sharded:optimal chooses the parts by linear programming
//	ring      the payload goes round in k parts, 2(k-1)/k of it over every hop, in the best order of the members
//	best      whichever of exchange, hub, sharded and ring, for each clique of the round, makes the round shortest
//	packed    the least bandwidth seconds there are: the payload split over pairs of a reduce and a broadcast tree with
//	          any roots and routes, and a proof that no other packing is faster
//
// An example of what these do: on a star of k islands with access c and plain routers, a hub takes (k-1) S/c, sharded,
// ring and packed 2(k-1)/k S/c. With both abilities in the middle every one of hub, sharded and packed takes S/c, which
// is also the cut bound.
//
// # Proofs
//
// LowerBound holds seconds that no way of carrying the round can beat. The cut bound needs only capacities. The packing
// bound comes with arc prices as a certificate: whatever the prices, a round takes at least what its cheapest trees
// cost at them, and a reader can recompute that without trusting the solver.
//
// # Use
//
// A Pricer answers for one topology, capability and payload. Round explains a round in full. PartitionSeconds only
// returns the seconds, bit for bit the same, remembers every clique it has seen and may be called from several
// goroutines: it is meant for searches over many rounds. Limits adds what real aggregators, transports and encodings
// cost; Measured puts published measurements beside predictions.
package collective
