package mixing

import (
	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/schedule"
)

// setExchangeable uses the symmetry of uniformly random partitions into g cliques: E[W] and E[W'W] are combinations
// of I and J, fixed by their traces, and so is the leading eigenmatrix P of S → E[W S W'] (it may be averaged over
// all renamings, and the cone of positive semidefinite matrices keeps it from vanishing). W = (1-θ) I + θ A with a
// projection A of rank g, so that tr W'W - 1 = (g-1) + (1-θ)² (n-g).
func (r *Random) setExchangeable(k int, lazy float64) {
	theta := lazy
	if theta == 0 {
		theta = 1
	}
	n, g := float64(r.n), float64((r.n+k-1)/k)
	r.exchangeable, r.joins, r.cliqueSize, r.theta = true, k > 1 || r.n == 1, k, theta
	rest := r.n % k
	r.pairsMean = float64(r.n/k)*float64(k)*float64(k-1)/2 + float64(rest)*float64(rest-1)/2
	if k > 1 {
		r.pairsMet = r.n * (r.n - 1) / 2
	}
	if r.n > 1 {
		r.kept = (g - 1 + (1-theta)*(1-theta)*(n-g)) / (n - 1)
	}
	if r.n > DenseLimit {
		return
	}
	round := schedule.Round{}
	for i := range r.n {
		for j := range r.n {
			w := theta * (1 - g/n) / max(1, n-1)
			if i == j {
				w = 1 - theta + theta*g/n
			}
			round.Entries = append(round.Entries, schedule.Edge{I: i, J: j, Weight: w})
		}
	}
	r.Mean = fromRound(r.n, &round)
}

// partitionMoment writes E[W S W'] of a uniformly random partition into dst. W = (1-θ) I + θ A, and an entry of A S A is
// the mean of S over the clique of i times the clique of j. Given where i and j are, their companions are uniformly
// random among the other nodes, so that every entry is a combination of S_ii, S_ij and sums over rows and over all of
// S: n² operations, whatever the number of partitions.
func (r *Random) partitionMoment(dst, s *mat.Dense) {
	n, k, theta := r.n, r.cliqueSize, r.theta
	in, out := s.RawMatrix().Data, dst.RawMatrix().Data
	trace, total, rows := 0.0, 0.0, make([]float64, n)
	for i := range n {
		trace += in[i*n+i]
		for _, v := range in[i*n : (i+1)*n] {
			rows[i] += v
		}
		total += rows[i]
	}
	mean := func(sum float64, count int) float64 { // of nothing is never used but with a factor 0
		if count == 0 {
			return 0
		}
		return sum / float64(count)
	}
	// Cliques by size, with how many there are: the last one may be smaller.
	type kind struct{ size, count float64 }
	kinds := []kind{{float64(k), float64(n / k)}}
	if n%k > 0 {
		kinds = append(kinds, kind{float64(n % k), 1})
	}
	all := float64(n)
	g := float64((n + k - 1) / k)
	own, other := g/all, (1-g/all)/max(1, all-1) // E[A] on and off the diagonal
	for i := range n {
		sii := in[i*n+i]
		for j := i; j < n; j++ {
			sij, sjj := in[i*n+j], in[j*n+j]
			v := 0.0
			if i == j {
				diagonal := mean(trace-sii, n-1)
				cross := mean(rows[i]-sii, n-1)
				rest := mean(total-trace-2*(rows[i]-sii), (n-1)*(n-2))
				for _, c := range kinds {
					probability := c.count * c.size / all
					v += probability / (c.size * c.size) * (sii + (c.size-1)*(diagonal+2*cross+(c.size-2)*rest))
				}
			} else {
				diagonal := mean(trace-sii-sjj, n-2)
				besideI := mean(rows[i]-sii-sij, n-2)
				besideJ := mean(rows[j]-sjj-sij, n-2)
				rest := mean(total-trace-2*(rows[i]-sii)-2*(rows[j]-sjj)+2*sij, (n-2)*(n-3))
				pairs := all * (all - 1)
				for _, c := range kinds {
					same := c.count * c.size * (c.size - 1) / pairs
					v += same / (c.size * c.size) * (sii + sjj + 2*sij + (c.size-2)*(diagonal+2*(besideI+besideJ)+(c.size-3)*rest))
					for _, d := range kinds {
						apart := c.count * d.count
						if c == d {
							apart = c.count * (c.count - 1)
						}
						apart *= c.size * d.size / pairs
						v += apart / (c.size * d.size) * (sij + (c.size-1)*besideJ + (d.size-1)*besideI + (c.size-1)*(d.size-1)*rest)
					}
				}
			}
			if theta != 1 { // E[A S + S A] from E[A]
				left := own*sij + other*(rows[j]-sij)
				right := own*sij + other*(rows[i]-sij)
				v = (1-theta)*(1-theta)*sij + theta*(1-theta)*(left+right) + theta*theta*v
			}
			out[i*n+j], out[j*n+i] = v, v
		}
	}
}
