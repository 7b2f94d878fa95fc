package schedule

// Partitions of n nodes into cliques of k such that pairs meet as evenly as possible: resolvable designs, in which
// every pair meets exactly once, where a construction is known here:
//
//	k = 2            round robin, any n
//	n = q^d, k = q   affine geometry over the field of q elements, q a prime power
//	k = 3            Kirkman triple systems: n = 15; n = 3v from v; n = 3q and n = 2q+1 with q = 1 mod 6 a prime power
//	n = k m          transversal designs, all prime powers of m at least k, then the groups of m themselves
//
// and otherwise a greedy rotation.

// rotation returns the partitions, one a round.
func rotation(n, k int) [][][]int {
	switch k {
	case 1:
		return [][][]int{nil}
	case n:
		return [][][]int{{span(0, n)}}
	case 2:
		return circle(n)
	}
	if _, _, ok := primePower(k); ok {
		d, power := 1, k
		for ; power < n; power *= k {
			d++
		}
		if power == n {
			return affine(k, d)
		}
	}
	if k == 3 {
		if classes := kirkman(n); classes != nil {
			return classes
		}
	}
	if m := n / k; n%k == 0 && m >= k && leastFactor(m) >= k {
		return transversal(k, m)
	}
	if n > greedyNodes {
		return truncated(n, k)
	}
	return greedyRotation(n, k)
}

// affine returns the parallel classes of lines of the affine geometry AG(d,q). In the plane (d = 2) point (x, y) has
// number q x + y; class m < q holds the lines y = m x + c and the last one the lines x = c; any two classes average
// exactly. In higher dimensions the points are the field of q^d elements with primitive element α, and class i holds
// the lines of direction α^i: any d classes in a row have independent directions and average exactly.
func affine(q, d int) [][][]int {
	if d == 2 {
		f := newGalois(q)
		classes := make([][][]int, q+1)
		for m := range q + 1 {
			for c := range q {
				line := make([]int, q)
				for t := range q {
					if m < q {
						line[t] = q*t + f.add(f.mul(m, t), c)
					} else {
						line[t] = q*c + t
					}
				}
				classes[m] = append(classes[m], line)
			}
		}
		return classes
	}
	n := 1
	for range d {
		n *= q
	}
	f := newGalois(n)
	step := (n - 1) / (q - 1) // the powers of α^step are the q-1 elements of the subfield but 0
	classes := make([][][]int, step)
	for i := range classes {
		seen := make([]bool, n)
		for x := range n {
			if seen[x] {
				continue
			}
			line := []int{x}
			for s := range q - 1 {
				line = append(line, f.add(x, f.power(i+s*step)))
			}
			for _, v := range line {
				seen[v] = true
			}
			classes[i] = append(classes[i], line)
		}
	}
	return classes
}

// kirkman returns a Kirkman triple system, (n-1)/2 partitions into triples in which all pairs meet once, or nil where
// none of the constructions applies. Ray-Chaudhuri and Wilson 1971.
func kirkman(n int) [][][]int {
	switch {
	case n%6 != 3:
		return nil
	case n == 3:
		return [][][]int{{{0, 1, 2}}}
	case n == 15:
		return kirkman15()
	}
	if q := n / 3; q%6 == 1 {
		if _, _, ok := primePower(q); ok {
			return kirkman3q(q)
		}
	}
	if q := n / 2; q%6 == 1 {
		if _, _, ok := primePower(q); ok {
			return kirkman2q1(q)
		}
	}
	if inner := kirkman(n / 3); inner != nil {
		return triple(inner, n/3)
	}
	return nil
}

// kirkman15 is the classical system of the fifteen schoolgirls.
func kirkman15() [][][]int {
	return [][][]int{
		{{0, 1, 2}, {3, 7, 11}, {4, 9, 14}, {5, 10, 12}, {6, 8, 13}},
		{{0, 3, 4}, {1, 7, 9}, {2, 12, 13}, {5, 8, 14}, {6, 10, 11}},
		{{0, 5, 6}, {1, 8, 10}, {2, 11, 14}, {3, 9, 13}, {4, 7, 12}},
		{{0, 7, 8}, {1, 11, 13}, {2, 4, 5}, {3, 10, 14}, {6, 9, 12}},
		{{0, 9, 10}, {1, 12, 14}, {2, 3, 6}, {4, 8, 11}, {5, 7, 13}},
		{{0, 11, 12}, {1, 3, 5}, {2, 8, 9}, {4, 10, 13}, {6, 7, 14}},
		{{0, 13, 14}, {1, 4, 6}, {2, 7, 10}, {3, 8, 12}, {5, 9, 11}},
	}
}

// kirkman3q builds a system on GF(q) × {0,1,2}, q = 6t+1; point (x, j) has number 3x + j. With α primitive, one class
// holds {(0,0), (0,1), (0,2)}, the triples α^i, α^(i+2t), α^(i+4t) (i < t) within each level and, for t ≤ i < 2t, the
// same triples across the levels in all three rotations; its translates by the field are q classes. Each of the other
// triples across, i < t, makes a class of its own with its translates.
func kirkman3q(q int) [][][]int {
	f, t := newGalois(q), (q-1)/6
	point := func(x, j int) int { return 3*x + j%3 }
	across := func(i, rotation, shift int) []int {
		c := make([]int, 3)
		for s := range 3 {
			c[s] = point(f.add(f.power(i+2*t*s), shift), s+rotation)
		}
		return c
	}
	var classes [][][]int
	for shift := range q {
		class := [][]int{{point(shift, 0), point(shift, 1), point(shift, 2)}}
		for i := range 2 * t {
			for j := range 3 {
				if i >= t {
					class = append(class, across(i, j, shift))
					continue
				}
				c := make([]int, 3)
				for s := range 3 {
					c[s] = point(f.add(f.power(i+2*t*s), shift), j)
				}
				class = append(class, c)
			}
		}
		classes = append(classes, class)
	}
	for i := range t {
		for j := range 3 {
			var class [][]int
			for shift := range q {
				class = append(class, across(i, j, shift))
			}
			classes = append(classes, class)
		}
	}
	return classes
}

// kirkman2q1 builds a system on GF(q) × {0,1} and one more point, q = 6t+1; point (x, j) has number 2x + j. With
// 2α^m = α^t + 1, one class holds {(0,0), (0,1), ∞}, the triples (α^i, 0), (α^(i+t), 0), (α^(i+m), 1) for i mod 2t < t
// and (α^(i+m+t), 1), (α^(i+m+3t), 1), (α^(i+m+5t), 1) for i < t; the others are its translates.
func kirkman2q1(q int) [][][]int {
	f, t := newGalois(q), (q-1)/6
	half := f.power(q - 1 - f.log[f.add(1, 1)]) // 1/2; q is odd
	m := f.log[f.mul(f.add(f.power(t), 1), half)]
	classes := make([][][]int, q)
	for shift := range classes {
		point := func(e, j int) int { return 2*f.add(f.power(e), shift) + j }
		class := [][]int{{2 * shift, 2*shift + 1, 2 * q}}
		for i := range t {
			for s := range 3 {
				e := i + 2*t*s
				class = append(class, []int{point(e, 0), point(e+t, 0), point(e+m, 1)})
			}
			class = append(class, []int{point(i+m+t, 1), point(i+m+3*t, 1), point(i+m+5*t, 1)})
		}
		classes[shift] = class
	}
	return classes
}

// triple builds a system on three copies of v points (v odd) from one on v: point x of copy j has number j v + x. The
// classes of the small system run in all copies at once; then the triples (x, x+c, 2x+c) across the copies, one class
// for each c.
func triple(inner [][][]int, v int) [][][]int {
	var classes [][][]int
	for c := range v {
		var class [][]int
		for x := range v {
			class = append(class, []int{x, v + (x+c)%v, 2*v + (2*x+c)%v})
		}
		classes = append(classes, class)
	}
	for _, small := range inner {
		classes = append(classes, inCopies(small, 3, v))
	}
	return classes
}

// inCopies runs a partition of v points on consecutive copies.
func inCopies(partition [][]int, copies, v int) [][]int {
	var out [][]int
	for j := range copies {
		for _, c := range partition {
			moved := make([]int, len(c))
			for i, x := range c {
				moved[i] = j*v + x
			}
			out = append(out, moved)
		}
	}
	return out
}

// transversal partitions k groups of m points into cliques that take one point of each group: point x of group j has
// number j m + x, and class c holds the cliques {x + c β_j}, in a ring of m elements in which all differences of the
// β_j can be inverted. Two points of different groups meet exactly once. The groups themselves follow, by a rotation
// of their own; class 0 comes last, so that groups which have become equal within end in agreement.
func transversal(k, m int) [][][]int {
	classes := crossing(k, m)
	first := classes[0]
	classes = classes[1:]
	for _, small := range rotation(m, k) {
		classes = append(classes, inCopies(small, k, m))
	}
	return append(classes, first)
}

func crossing(k, m int) [][][]int {
	r := newRing(m)
	classes := make([][][]int, m)
	for c := range classes {
		for x := range m {
			clique := make([]int, k)
			for j := range clique {
				clique[j] = j*m + r.shift(x, c, j)
			}
			classes[c] = append(classes[c], clique)
		}
	}
	return classes
}

// ring is the product of the fields whose sizes are the prime powers of m (MacNeish 1922).
type ring []*galois

func newRing(m int) ring {
	var r ring
	for p := 2; m > 1; p++ {
		q := 1
		for ; m%p == 0; m /= p {
			q *= p
		}
		if q > 1 {
			r = append(r, newGalois(q))
		}
	}
	return r
}

// shift returns x + c β_j, where β_j has the j-th element in each field.
func (r ring) shift(x, c, j int) int {
	sum, unit := 0, 1
	for _, f := range r {
		sum += unit * f.add(x%f.q, f.mul(c%f.q, j))
		x, c, unit = x/f.q, c/f.q, unit*f.q
	}
	return sum
}

// leastFactor returns the smallest prime power of m.
func leastFactor(m int) int {
	least := m
	for _, f := range newRing(m) {
		least = min(least, f.q)
	}
	return least
}

// truncated is the transversal design on the next larger size that has one, without its surplus points, followed by
// rotations within the groups: cliques have k or fewer members, pairs of different groups meet once. Node v is point
// v / k of group v mod k.
func truncated(n, k int) [][][]int {
	size := (n + k - 1) / k
	m := max(k, size)
	for leastFactor(m) < k {
		m++
	}
	var classes [][][]int
	keep := func(partition [][]int, node func(v int) int) {
		var kept [][]int
		for _, c := range partition {
			var short []int
			for _, v := range c {
				if p := node(v); p < n {
					short = append(short, p)
				}
			}
			if len(short) > 0 {
				kept = append(kept, short)
			}
		}
		classes = append(classes, kept)
	}
	crossing := crossing(k, m)
	across := func(v int) int { return v%m*k + v/m }
	for _, class := range crossing[1:] {
		keep(class, across)
	}
	if size >= k {
		for _, small := range rotation(size, k) {
			keep(inCopies(small, k, size), func(v int) int { return v%size*k + v/size })
		}
	}
	keep(crossing[0], across)
	return classes
}
