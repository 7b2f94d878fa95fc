package optimize

import (
	"math/bits"
	"slices"
)

// maxExhaustive is the largest number of islands whose partitions are all enumerated: there are 21,147 of nine
// islands, 115,975 of ten, and 4.2 million of twelve, which no longer fit the time a person waits.
const maxExhaustive = 10

// manyExhaustive is the same where many networks are searched in a row.
const manyExhaustive = 9

// partition is a set of disjoint cliques that covers all islands, each clique a bit set; cliques are ordered by their
// least member, so equal partitions are equal slices.
type partition []uint16

// partitions returns all partitions of n islands in the order of their restricted growth strings: the first is the
// one clique of all, the last leaves every island alone.
func partitions(n int) []partition {
	var out []partition
	var p partition
	var place func(i int)
	place = func(i int) {
		if i == n {
			out = append(out, slices.Clone(p))
			return
		}
		for k := range p {
			p[k] |= 1 << i
			place(i + 1)
			p[k] &^= 1 << i
		}
		p = append(p, 1<<i)
		place(i + 1)
		p = p[:len(p)-1]
	}
	place(0)
	return out
}

// cliques lists the members of every clique, ascending.
func (p partition) cliques() [][]int {
	out := make([][]int, len(p))
	for k, set := range p {
		for s := set; s != 0; s &= s - 1 {
			out[k] = append(out[k], bits.TrailingZeros16(s))
		}
	}
	return out
}

// overlap returns tr(W_p W_q) = Σ |a∩b|² / (|a| |b|) over the cliques a of p and b of q: the sum of the squared cosines
// between the spaces of vectors that are constant on the cliques of p, and of q.
func (p partition) overlap(q partition) float64 {
	sum := 0.0
	for _, a := range p {
		inner := 0.0
		for _, b := range q {
			c := bits.OnesCount16(a & b)
			inner += float64(c*c) * inverse[bits.OnesCount16(b)]
		}
		sum += inner * inverse[bits.OnesCount16(a)]
	}
	return sum
}

// inverse[k] = 1/k, because the inner loop of the search divides by nothing else.
var inverse = func() (v [17]float64) {
	for k := 1; k < len(v); k++ {
		v[k] = 1 / float64(k)
	}
	return v
}()

// connected reports whether the cliques of all given partitions together join all n islands.
func connected(n int, ps ...partition) bool {
	reached, all := uint16(1), uint16(1<<n-1)
	for grown := true; grown; {
		grown = false
		for _, p := range ps {
			for _, c := range p {
				if c&reached != 0 && c&^reached != 0 {
					reached |= c
					grown = true
				}
			}
		}
	}
	return reached == all
}
