package optimize

import (
	"fmt"
	"math"
	"math/bits"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/internal/text"
	"github.com/islandsgd/islands/mixing"
)

// Names of what a search minimizes.
const (
	// Staleness is how old the agreement between islands is, on average, in seconds (the default).
	Staleness = "staleness"
	// Contraction is the seconds in which disagreement shrinks by a factor e, in the long run. Exact averaging shrinks it
	// by any factor; it counts as a factor of a thousand.
	Contraction = "contraction"
	// Exchange is the seconds per pair of islands that meets within a period.
	Exchange = "exchange"
	// TimeToTarget is the seconds until SGD reaches its target, by a function that the caller gives (Options.Rank).
	TimeToTarget = "time-to-target"
)

// Objectives returns the names of all objectives.
func Objectives() []string { return []string{Staleness, TimeToTarget, Contraction, Exchange} }

// objective values schedules of cliques; less is better, +Inf is useless. Its two bounds never exceed the value of a
// pair, and plainBound grows with tb ≥ ta for given numbers of cliques, which lets a sorted scan stop.
type objective interface {
	single(n int, p partition, t float64) float64
	plainBound(n int, ca, cb int, ta, tb float64) float64
	overlapBound(n int, a, b partition, ta, tb float64) float64
	pair(n int, a, b partition, ta, tb float64) float64
	// longer values a schedule of any length: the clique of each node in each round, and the rounds' seconds.
	longer(n int, solver *mixing.StalenessSolver, labels [][]uint16, seconds []float64) float64
}

func newObjective(name string) (objective, error) {
	switch name {
	case "", Staleness, TimeToTarget: // time to target re-ranks the least stale schedules
		return staleness{}, nil
	case Contraction:
		return contraction{}, nil
	case Exchange:
		return exchange{}, nil
	}
	return nil, fmt.Errorf("unknown objective %q%s", name, text.DidYouMean(name, Objectives()))
}

// staleness, for pairs, is the closed form of pair.go.
type staleness struct{}

func (staleness) single(_ int, p partition, t float64) float64 { return single(p, t) }

func (staleness) plainBound(n int, ca, cb int, ta, tb float64) float64 {
	return plainBound(n, ca, cb, ta, tb)
}

func (staleness) overlapBound(n int, a, b partition, ta, tb float64) float64 {
	return overlapBound(n, a, b, ta, tb)
}

func (staleness) pair(n int, a, b partition, ta, tb float64) float64 {
	return pairStaleness(n, a, b, ta, tb)
}

func (staleness) longer(_ int, solver *mixing.StalenessSolver, labels [][]uint16, seconds []float64) float64 {
	if v, ok := solver.Solve(labels, seconds); ok {
		return v
	}
	return math.Inf(1)
}

// exactly is the factor on disagreement from which averaging counts as exact.
const exactly = 1e-3

// contraction, for pairs, is (T_A + T_B) / -ln(largest squared cosine): the spectral radius of W_B W_A off consensus.
type contraction struct{}

func secondsPerFold(t, radius float64) float64 {
	if radius >= untouched || t <= 0 {
		return math.Inf(1)
	}
	return t / -math.Log(max(radius, exactly))
}

func (contraction) single(n int, p partition, t float64) float64 {
	if len(p) > 1 || n < 2 {
		return math.Inf(1)
	}
	return secondsPerFold(t, 0)
}

func (contraction) plainBound(_, _, _ int, ta, tb float64) float64 {
	return (ta + tb) / -math.Log(exactly)
}

func (contraction) overlapBound(_ int, a, b partition, ta, tb float64) float64 {
	planes := min(len(a), len(b)) - 1
	if planes == 0 {
		return secondsPerFold(ta+tb, 0)
	}
	return secondsPerFold(ta+tb, max(0, a.overlap(b)-1)/float64(planes)) // the mean is at most the largest
}

func (contraction) pair(n int, a, b partition, ta, tb float64) float64 {
	if !connected(n, a, b) {
		return math.Inf(1)
	}
	return secondsPerFold(ta+tb, pairRadius(a, b))
}

func (contraction) longer(n int, _ *mixing.StalenessSolver, labels [][]uint16, seconds []float64) float64 {
	total := 0.0
	for _, t := range seconds {
		total += t
	}
	return secondsPerFold(total, radius(n, labels))
}

// pairRadius is the spectral radius of W_B W_A off consensus.
func pairRadius(a, b partition) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) == 1 {
		return 0
	}
	var cosines [maxExhaustive]float64
	squaredCosines(cosines[:len(a)], a, b)
	return cosines[len(a)-2]
}

// radius is the spectral radius of the product of a period off consensus; 1 where the eigenvalues cannot be had.
func radius(n int, labels [][]uint16) float64 {
	phi := mat.NewDense(n, n, nil)
	for i := range n {
		phi.Set(i, i, 1)
	}
	for _, l := range labels {
		groups := map[uint16][]int{}
		for i, g := range l {
			groups[g] = append(groups[g], i)
		}
		for _, members := range groups {
			for j := range n {
				sum := 0.0
				for _, i := range members {
					sum += phi.At(i, j)
				}
				for _, i := range members {
					phi.Set(i, j, sum/float64(len(members)))
				}
			}
		}
	}
	for i := range n {
		for j := range n {
			phi.Set(i, j, phi.At(i, j)-1/float64(n))
		}
	}
	if r, ok := mixing.SpectralRadius(phi); ok {
		return r
	}
	return 1
}

// exchange, for pairs, is (T_A + T_B) / number of pairs of islands that share a clique in A or B.
type exchange struct{}

func pairsWithin(p partition) int {
	sum := 0
	for _, c := range p {
		k := bits.OnesCount16(c)
		sum += k * (k - 1) / 2
	}
	return sum
}

func (exchange) single(n int, p partition, t float64) float64 {
	if len(p) > 1 || n < 2 || t <= 0 {
		return math.Inf(1)
	}
	return t / float64(n*(n-1)/2)
}

func (exchange) plainBound(n int, ca, cb int, ta, tb float64) float64 {
	most := func(c int) int { return (n - c + 1) * (n - c) / 2 } // one large clique, the others alone
	return (ta + tb) / float64(max(1, min(n*(n-1)/2, most(ca)+most(cb))))
}

func (e exchange) overlapBound(_ int, a, b partition, ta, tb float64) float64 {
	return e.met(a, b, ta, tb)
}

func (exchange) met(a, b partition, ta, tb float64) float64 {
	both := 0
	for _, p := range a {
		for _, q := range b {
			k := bits.OnesCount16(p & q)
			both += k * (k - 1) / 2
		}
	}
	return (ta + tb) / float64(max(1, pairsWithin(a)+pairsWithin(b)-both))
}

func (e exchange) pair(n int, a, b partition, ta, tb float64) float64 {
	if ta+tb <= 0 || !connected(n, a, b) {
		return math.Inf(1)
	}
	return e.met(a, b, ta, tb)
}

func (exchange) longer(n int, solver *mixing.StalenessSolver, labels [][]uint16, seconds []float64) float64 {
	if _, ok := solver.Solve(labels, seconds); !ok { // not connected over the period
		return math.Inf(1)
	}
	total, met := 0.0, 0
	for _, t := range seconds {
		total += t
	}
	for i := range n {
		for j := range i {
			for _, l := range labels {
				if l[i] == l[j] {
					met++
					break
				}
			}
		}
	}
	return total / float64(met)
}
