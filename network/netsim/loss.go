package netsim

import (
	"slices"

	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
)

// A link that loses packets carries them all and delivers fewer. What is lost on a branch is sent again from where the
// branch begins, so that the arcs nearer to its beginning carry more; a router that copies or sums has what it needs to
// answer for its own branches. A multicast with forward error correction sends no packet twice: as long as every member
// still gets as many packets as the payload has, its repair packets are all it costs.

// branchBytes is what a branch carries: on each of its arcs, in the order of the branch, and what arrives at its end.
type branchBytes struct {
	on     []float64
	end    float64
	reduce bool
}

// begin is what the branch takes where its traffic begins.
func (b *branchBytes) begin() float64 {
	switch {
	case len(b.on) == 0:
		return b.end
	case b.reduce:
		return b.on[len(b.on)-1]
	}
	return b.on[0]
}

// lost is the share of packets that an arc loses. Access links are lossless.
func (c *carrier) lost(arc int) float64 {
	if c.g.Arcs[arc].Kind == network.KindLink {
		return c.o.Loss
	}
	return 0
}

// bytes returns what the branches of a tree carry, for every byte of its stream.
func (n *counting) bytes(t *collective.Tree) []branchBytes {
	covered := n.covered(t)
	out := make([]branchBytes, len(t.Branches))
	for i, b := range t.Branches {
		x := branchBytes{make([]float64, len(b.Arcs)), b.Size * t.Repair, t.Reduce}
		if covered {
			if b.Parent >= 0 {
				x.end = out[b.Parent].end
			}
			for k, a := range b.Arcs {
				x.on[k] = x.end
				x.end *= 1 - n.lost(n.arcs(a))
			}
			out[i] = x
			continue
		}
		need := x.end
		against := slices.Clone(b.Arcs)
		if !t.Reduce {
			slices.Reverse(against)
		}
		for k, a := range against {
			need /= 1 - n.lost(n.arcs(a))
			if !t.Reduce {
				k = len(against) - 1 - k
			}
			x.on[k] = need
		}
		out[i] = x
	}
	return out
}

// covered reports whether forward error correction makes up for all that a tree loses.
func (n *counting) covered(t *collective.Tree) bool {
	l := &n.o.Collective.Limits
	if n.o.Loss == 0 || l.FECRepair == 0 || t.Reduce || len(t.Branches) < 2 {
		return false
	}
	left := make([]float64, len(t.Branches))
	for i, b := range t.Branches {
		left[i] = 1
		if b.Parent >= 0 {
			left[i] = left[b.Parent]
		}
		for _, a := range b.Arcs {
			left[i] *= 1 - n.lost(n.arcs(a))
		}
		if left[i] < 1-float64(l.FECRepair)/float64(l.FECPackets) {
			return false
		}
	}
	return true
}
