package mixing

import "math"

// StalenessSolver evaluates the staleness of clique schedules without allocating, for searches that try millions.
//
// After a round of g cliques all members of a clique hold the same value, so the covariance V has rank g: the solver
// keeps M, its g × g values per clique. From the cliques b of one round to the cliques a of the next, which ends T
// seconds later, with shares Q_ab = |a ∩ b|/|a|,
//
//	M ← Q M Q' + T (diag(1/|a|) - 11'/n)
//
// A solver serves one goroutine at a time.
type StalenessSolver struct {
	n, period int
	groups    []int       // number of cliques of each round
	sizes     [][]float64 // their sizes
	shares    [][]float64 // Q of each round, from the round before it
	m, a      []float64   // covariance; product of shares
	t1, t2    []float64   // scratch
	reach     []uint16    // scratch of connected
}

// NewStalenessSolver returns a solver for schedules of up to period rounds over n nodes.
func NewStalenessSolver(n, period int) *StalenessSolver {
	x := &StalenessSolver{n: n, groups: make([]int, period), reach: make([]uint16, n)}
	for range period {
		x.sizes = append(x.sizes, make([]float64, n))
		x.shares = append(x.shares, make([]float64, n*n))
	}
	for _, p := range []*[]float64{&x.m, &x.a, &x.t1, &x.t2} {
		*p = make([]float64, n*n)
	}
	return x
}

// Labels returns the number of each node's clique, counted from 0; nodes in none get cliques of their own.
func Labels(n int, cliques [][]int) []uint16 {
	const none = math.MaxUint16
	labels := make([]uint16, n)
	for i := range labels {
		labels[i] = none
	}
	next := uint16(0)
	for _, c := range cliques {
		for _, i := range c {
			labels[i] = next
		}
		next++
	}
	for i, l := range labels {
		if l == none {
			labels[i] = next
			next++
		}
	}
	return labels
}

// partitions labels the nodes of each round by clique, when all rounds are plain clique averagings.
func (s *Sequence) partitions() ([][]uint16, bool) {
	out := make([][]uint16, len(s.Steps))
	for t := range s.Steps {
		cliques, ok := s.Steps[t].W.Cliques()
		if !ok || s.N >= math.MaxUint16 {
			return nil, false
		}
		out[t] = Labels(s.N, cliques)
	}
	return out, true
}

// Solve returns the staleness, as the function Staleness does. labels[r][i] is the clique of node i in round r,
// numbered from 0 without gaps (see Labels); seconds[r] is what round r takes.
func (x *StalenessSolver) Solve(labels [][]uint16, seconds []float64) (float64, bool) {
	x.period = len(labels)
	total, ok := totalSeconds(seconds[:x.period])
	if !ok || !x.connected(labels) {
		return 0, false
	}
	if x.n == 1 {
		return 0, true
	}
	first := x.prepare(labels)
	// One period from M = 0, and the product A of its shares, less the limit 1 w' of its powers: w holds |b|/n.
	g := x.groups[first]
	clear(x.m[:g*g])
	for i := range g {
		for j := range g {
			x.a[i*g+j] = -x.sizes[first][j] / float64(x.n)
		}
		x.a[i*g+i]++
	}
	for k := 1; k <= x.period; k++ {
		r := (first + k) % x.period
		x.advance(r, seconds[r])
		multiply(x.t1, x.shares[r], x.a, x.groups[r], x.groups[x.before(r)], g)
		x.a, x.t1 = x.t1, x.a
	}
	if !x.sumPowers(g) {
		return 0, false
	}
	sum := 0.0
	for k := 1; k <= x.period; k++ {
		r := (first + k) % x.period
		t := seconds[r]
		sum += t * (x.spread(x.before(r))/float64(x.n-1) + t/2)
		x.advance(r, t)
	}
	return sum / total, true
}

// totalSeconds adds durations; it refuses a sum that is 0, and anything that is no finite duration.
func totalSeconds(seconds []float64) (float64, bool) {
	total := 0.0
	for _, t := range seconds {
		if !(t >= 0) {
			return 0, false
		}
		total += t
	}
	return total, total > 0 && !math.IsInf(total, 0)
}

func (x *StalenessSolver) before(r int) int { return (r + x.period - 1) % x.period }

// prepare computes sizes and shares, and returns the round with the fewest cliques, where M is smallest.
func (x *StalenessSolver) prepare(labels [][]uint16) (first int) {
	for r := range x.period {
		g := 0
		clear(x.sizes[r])
		for _, k := range labels[r] {
			x.sizes[r][k]++
			g = max(g, int(k)+1)
		}
		x.groups[r] = g
		if g < x.groups[first] {
			first = r
		}
	}
	for r := range x.period {
		prev := labels[x.before(r)]
		h := x.groups[x.before(r)]
		q := x.shares[r][:x.groups[r]*h]
		clear(q)
		for i, k := range labels[r] {
			q[int(k)*h+int(prev[i])] += 1 / x.sizes[r][k]
		}
	}
	return first
}

// advance carries M from the round before r to the end of round r, which takes t seconds.
func (x *StalenessSolver) advance(r int, t float64) {
	g, h := x.groups[r], x.groups[x.before(r)]
	multiply(x.t1, x.shares[r], x.m, g, h, h)
	multiplyT(x.m, x.t1, x.shares[r], g, h, g)
	for i := range g * g {
		x.m[i] -= t / float64(x.n)
	}
	for i := range g {
		x.m[i*g+i] += t / x.sizes[r][i]
	}
}

// spread returns tr(P V) at the end of round r.
func (x *StalenessSolver) spread(r int) float64 {
	g := x.groups[r]
	trace, sum := 0.0, 0.0
	for i := range g {
		trace += x.sizes[r][i] * x.m[i*g+i]
		for j := range g {
			sum += x.sizes[r][i] * x.sizes[r][j] * x.m[i*g+j]
		}
	}
	return trace - sum/float64(x.n)
}

// sumPowers replaces M by Σ_k A^k M A'^k, doubling the number of terms at each step.
func (x *StalenessSolver) sumPowers(g int) bool {
	for range maxDoublings {
		multiply(x.t1, x.a, x.m, g, g, g)
		multiplyT(x.t2, x.t1, x.a, g, g, g)
		for i := range g * g {
			x.m[i] += x.t2[i]
		}
		multiply(x.t1, x.a, x.a, g, g, g)
		x.a, x.t1 = x.t1, x.a
		size := 0.0
		for _, v := range x.a[:g*g] {
			size += v * v
		}
		if size <= restTol*restTol {
			return true
		}
	}
	return false
}

// connected reports whether the cliques of all rounds together join all nodes. For clique averaging that is
// equivalent to contraction over the period.
func (x *StalenessSolver) connected(labels [][]uint16) bool {
	// Label propagation: reach[i] is the smallest node known to be joined to i.
	for i := range x.reach {
		x.reach[i] = uint16(i)
	}
	least := x.t1[:x.n]
	for changed := true; changed; {
		changed = false
		for _, l := range labels {
			for k := range least {
				least[k] = float64(x.n)
			}
			for i, k := range l {
				least[k] = min(least[k], float64(x.reach[i]))
			}
			for i, k := range l {
				if least[k] < float64(x.reach[i]) {
					x.reach[i] = uint16(least[k])
					changed = true
				}
			}
		}
	}
	for _, v := range x.reach {
		if v != 0 {
			return false
		}
	}
	return true
}

// multiply writes A B into dst: A is r × c, B is c × d, all row-major.
func multiply(dst, a, b []float64, r, c, d int) {
	for i := range r {
		out := dst[i*d : (i+1)*d]
		clear(out)
		for k, v := range a[i*c : (i+1)*c] {
			if v == 0 {
				continue
			}
			for j, w := range b[k*d : (k+1)*d] {
				out[j] += v * w
			}
		}
	}
}

// multiplyT writes A B' into dst: A is r × c, B is d × c.
func multiplyT(dst, a, b []float64, r, c, d int) {
	for i := range r {
		row := a[i*c : (i+1)*c]
		for j := range d {
			sum := 0.0
			for k, w := range b[j*c : (j+1)*c] {
				sum += row[k] * w
			}
			dst[i*d+j] = sum
		}
	}
}
