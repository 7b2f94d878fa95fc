package mixing

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strings"
)

// Exact averaging is proven, not observed: weights that are fractions are taken as fractions, and their product is
// formed in the arithmetic of several prime fields. An entry of Φ - J is an integer over n D, where D multiplies the
// denominators of all rounds; an integer below the product of the primes that vanishes modulo each of them is 0.
//
// A weight counts as the fraction p/q, q ≤ 100 000, when it is within 1e-14 of it: what is proven is proven of these
// fractions. Weights that are none (optimized ones, decimals cut short) are judged by tolerance, max |Φ - J| ≤ 1e-9.

const (
	maxDenominator = 100_000
	fractionTol    = 1e-14
	// exactTol is the largest entry of Φ-J at which a product counts as exact where nothing can be proven.
	exactTol = 1e-9
	// exactWork bounds the additions of the search for an exact prefix.
	exactWork = 4e9
	// maxPrimes bounds the proof; it covers denominators of 31 × 400 bits.
	maxPrimes = 400
)

// exactness is the answer to "after how many rounds is every island's value the mean?".
type exactness struct {
	after  int    // 0: never within the search
	how    string // rational, within, or how far short of a proof
	reason string // why it never happens, or what was searched
}

const rational, within = "rational arithmetic", "within 1e-9"

// exactPrefix finds the first exact prefix within the given number of rounds.
func exactPrefix(ctx context.Context, seq *Sequence, rounds int) exactness {
	n := seq.N
	steps, denominators, fractions := seq.fractions()
	if fractions {
		if p := obstruction(n, denominators); p > 0 {
			return exactness{reason: fmt.Sprintf("never: %d divides n = %d but no denominator of a weight (%s), so that no product has entries 1/%d",
				p, n, strings.Join(primesOf(denominators), ", "), n)}
		}
	}
	if work := float64(seq.terms()) / float64(len(seq.Steps)) * float64(n) * float64(rounds); work > exactWork {
		return exactness{reason: fmt.Sprintf("not searched: %d rounds of %d nodes", rounds, n)}
	}
	if fractions {
		k := firstMod(ctx, n, steps, rounds, 0, primes(1)[0])
		for k > 0 {
			need := primesFor(n, steps, k)
			if len(need) > maxPrimes {
				return exactness{after: k, how: fmt.Sprintf("arithmetic modulo %d, short of a proof", need[0])}
			}
			proven := true
			for _, p := range need[1:] {
				if !productIsJ(n, steps, k, p) { // one field took it for 0, another does not: not exact
					proven = false
					break
				}
			}
			if proven {
				return exactness{after: k, how: rational}
			}
			k = firstMod(ctx, n, steps, rounds, k, need[0])
		}
		return exactness{reason: fmt.Sprintf("not within %d rounds, in rational arithmetic", rounds)}
	}
	phi, next := identity(n), identity(n)
	for t := 0; t < rounds && ctx.Err() == nil; t++ {
		seq.Step(t).W.LeftMul(next, phi)
		phi, next = next, phi
		worst := 0.0
		for _, v := range phi.RawMatrix().Data {
			worst = math.Max(worst, math.Abs(v-1/float64(n)))
		}
		if worst <= exactTol {
			return exactness{after: t + 1, how: within}
		}
	}
	return exactness{reason: fmt.Sprintf("not within %d rounds and 1e-9", rounds)}
}

// fraction is one matrix entry num/den in column j.
type fraction struct {
	j        int
	num, den int64
}

// fractionRound is one round: cliques to be averaged, or rows of fractions.
type fractionRound struct {
	cliques [][]int
	rows    [][]fraction
	lcm     *big.Int // of all denominators
}

// fractions reads every weight as a fraction, or reports false; denominators lists the different ones.
func (s *Sequence) fractions() (steps []fractionRound, denominators []int64, ok bool) {
	seen := map[int64]bool{}
	for t := range s.Steps {
		w := s.Steps[t].W
		r := fractionRound{lcm: big.NewInt(1)}
		add := func(den int64) {
			seen[den] = true
			d := big.NewInt(den)
			g := new(big.Int).GCD(nil, nil, r.lcm, d)
			r.lcm.Mul(r.lcm, d.Div(d, g))
		}
		if cliques, plain := w.Cliques(); plain {
			r.cliques = cliques
			for _, c := range cliques {
				add(int64(len(c)))
			}
		} else {
			r.rows = make([][]fraction, w.n)
			for i, row := range w.Rows() {
				for _, term := range row {
					num, den, ok := asFraction(term.Weight)
					if !ok {
						return nil, nil, false
					}
					add(den)
					r.rows[i] = append(r.rows[i], fraction{term.J, num, den})
				}
			}
		}
		steps = append(steps, r)
	}
	for d := range seen {
		denominators = append(denominators, d)
	}
	slices.Sort(denominators)
	return steps, denominators, true
}

// asFraction expands v into a continued fraction until it is met.
func asFraction(v float64) (num, den int64, ok bool) {
	if !(math.Abs(v) < 1e6) {
		return 0, 0, false
	}
	p0, q0, p1, q1 := int64(0), int64(1), int64(1), int64(0)
	x := v
	for range 40 {
		a := math.Floor(x)
		if a > maxDenominator*10 || a < -1e7 {
			break
		}
		p0, q0, p1, q1 = p1, q1, int64(a)*p1+p0, int64(a)*q1+q0
		if q1 > maxDenominator {
			break
		}
		if math.Abs(float64(p1)/float64(q1)-v) <= fractionTol {
			return p1, q1, true
		}
		x = 1 / (x - a)
	}
	return 0, 0, false
}

// obstruction returns a prime factor of n that divides no denominator, or 0.
func obstruction(n int, denominators []int64) int {
	for p := 2; n > 1; p++ {
		if p*p > n {
			p = n
		}
		if n%p != 0 {
			continue
		}
		for n%p == 0 {
			n /= p
		}
		divides := false
		for _, d := range denominators {
			divides = divides || d%int64(p) == 0
		}
		if !divides {
			return p
		}
	}
	return 0
}

// primesOf names the primes of the denominators.
func primesOf(denominators []int64) []string {
	var found []int64
	for _, d := range denominators {
		for p := int64(2); d > 1; p++ {
			if p*p > d {
				p = d
			}
			if d%p == 0 {
				found = append(found, p)
				for d%p == 0 {
					d /= p
				}
			}
		}
	}
	slices.Sort(found)
	names := []string{}
	for _, p := range slices.Compact(found) {
		names = append(names, fmt.Sprint(p))
	}
	if len(names) == 0 {
		return []string{"all are whole"}
	}
	return names
}

// primes returns the count largest primes below 2^31, all far above any denominator.
func primes(count int) []uint64 {
	var out []uint64
	for p := uint64(1<<31 - 1); len(out) < count; p -= 2 {
		if new(big.Int).SetUint64(p).ProbablyPrime(0) { // exact below 2^64
			out = append(out, p)
		}
	}
	return out
}

// primesFor returns primes whose product exceeds every numerator of n D (Φ - J) after k rounds.
func primesFor(n int, steps []fractionRound, k int) []uint64 {
	total := bits.Len(uint(n))
	growth := 0.0 // log2 of a bound on |Φ_ij|: the product of the largest row sums of |W|
	for t := range k {
		r := &steps[t%len(steps)]
		total += r.lcm.BitLen()
		largest := 1.0
		for _, row := range r.rows {
			sum := 0.0
			for _, f := range row {
				sum += math.Abs(float64(f.num)) / float64(f.den)
			}
			largest = math.Max(largest, sum)
		}
		growth += math.Log2(largest)
	}
	return primes((total+int(growth)+2)/30 + 1)
}

// firstMod returns the first number of rounds above after at which Φ = J modulo p, or 0.
func firstMod(ctx context.Context, n int, steps []fractionRound, rounds, after int, p uint64) int {
	f := newField(n, steps, p)
	for t := 0; t < rounds && ctx.Err() == nil; t++ {
		f.apply(t % len(steps))
		if t >= after && f.isJ() {
			return t + 1
		}
	}
	return 0
}

func productIsJ(n int, steps []fractionRound, k int, p uint64) bool {
	f := newField(n, steps, p)
	for t := range k {
		f.apply(t % len(steps))
	}
	return f.isJ()
}

// field holds Φ modulo a prime.
type field struct {
	n, p      uint64
	phi, next []uint64
	steps     []fractionRound
	rows      [][][]modTerm // of each round: entries modulo p
}

type modTerm struct {
	j int
	w uint64
}

func newField(n int, steps []fractionRound, p uint64) *field {
	f := &field{n: uint64(n), p: p, phi: make([]uint64, n*n), next: make([]uint64, n*n), steps: steps, rows: make([][][]modTerm, len(steps))}
	for i := range n {
		f.phi[i*n+i] = 1
	}
	for t := range steps {
		for _, row := range steps[t].rows {
			terms := make([]modTerm, len(row))
			for k, x := range row {
				num := x.num % int64(p)
				if num < 0 {
					num += int64(p)
				}
				terms[k] = modTerm{x.j, uint64(num) * f.inverse(uint64(x.den)) % p}
			}
			f.rows[t] = append(f.rows[t], terms)
		}
	}
	return f
}

// inverse is x^(p-2) (Fermat).
func (f *field) inverse(x uint64) uint64 {
	r := uint64(1)
	for e := f.p - 2; e > 0; e >>= 1 {
		if e&1 == 1 {
			r = r * x % f.p
		}
		x = x * x % f.p
	}
	return r
}

func (f *field) apply(t int) {
	n := int(f.n)
	if f.steps[t].rows == nil {
		for _, c := range f.steps[t].cliques {
			inverse := f.inverse(uint64(len(c)))
			mean := f.next[:n]
			clear(mean)
			for _, i := range c {
				for k, v := range f.phi[i*n : (i+1)*n] {
					mean[k] += v
				}
			}
			for k := range mean {
				mean[k] = mean[k] % f.p * inverse % f.p
			}
			for _, i := range c {
				copy(f.phi[i*n:(i+1)*n], mean)
			}
		}
		return
	}
	for i, row := range f.rows[t] {
		out := f.next[i*n : (i+1)*n]
		clear(out)
		for _, term := range row {
			for k, v := range f.phi[term.j*n : (term.j+1)*n] {
				out[k] = (out[k] + term.w*v) % f.p
			}
		}
	}
	f.phi, f.next = f.next, f.phi
}

func (f *field) isJ() bool {
	want := f.inverse(f.n)
	for _, v := range f.phi {
		if v != want {
			return false
		}
	}
	return true
}
