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
//	sharded   each member is the root for its k-th part of the payload (reduce-scatter, then all-gather)
//	ring      the payload goes round in k parts, 2(k-1)/k of it over every hop, in the best order of the members
//	best      whichever of these, for each clique of the round, makes the round shortest
//
// A Pricer answers for one topology, capability and payload. Round explains a round in full. PartitionSeconds only
// returns the seconds, bit for bit the same, remembers every clique it has seen and may be called from several
// goroutines: it is meant for searches over many rounds.
package collective
