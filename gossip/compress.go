package gossip

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/mixing"
)

// compressor is a lossy operator Q on vectors of d numbers. It allocates when it is made and never after.
type compressor struct {
	kind    string
	k       int       // top-k, rand-k
	levels  int       // qsgd
	order   []int     // rand-k: a permutation under way
	largest []float64 // top-k: magnitudes
}

// compressKinds are the operators, with their contraction ω in E ‖Q(x) - x‖² ≤ (1-ω) ‖x‖²:
//
//	top-k   the k largest entries                              ω = k/d, reached when all are equally large
//	rand-k  k entries at random                                ω = k/d, exactly
//	qsgd    signs and levels of |x|/‖x‖, rounded at random     ω = 1/τ, τ = 1 + min(d/s², √d/s), with the output divided by τ
//	sign    mean |x| times the signs                           ω ≥ 1/d
//	int8    rounded to multiples of max |x| / 127              ω ≥ 1 - d / (4·127²)
var compressKinds = []string{"top-k", "rand-k", "qsgd", "sign", "int8"}

func newCompressor(a Algorithm, d int) *compressor {
	c := &compressor{kind: a.Compress, k: min(a.K, d), levels: a.Levels}
	switch c.kind {
	case "rand-k":
		c.order = make([]int, d)
		for i := range c.order {
			c.order[i] = i
		}
	case "top-k":
		c.largest = make([]float64, d)
	}
	return c
}

// omega returns the contraction that holds for every vector of d numbers.
func (c *compressor) omega(d int) float64 {
	switch c.kind {
	case "top-k", "rand-k":
		return float64(c.k) / float64(d)
	case "qsgd":
		return 1 / c.spread(d)
	case "sign":
		return 1 / float64(d)
	case "int8":
		return max(0, 1-float64(d)/(4*127*127))
	default:
		return 1
	}
}

// Omega returns the contraction ω of the algorithm's compressor, E ‖Q(x) - x‖² ≤ (1-ω) ‖x‖² for every vector x of d
// numbers; 0 where it compresses nothing.
func (a Algorithm) Omega(d int) float64 {
	if a.Compress == "" {
		return 0
	}
	return newCompressor(a, d).omega(d)
}

// spread is τ of qsgd: E ‖Q(x)‖² ≤ τ ‖x‖² before the division (Alistarh et al. 2017).
func (c *compressor) spread(d int) float64 {
	s := float64(c.levels)
	return 1 + min(float64(d)/(s*s), math.Sqrt(float64(d))/s)
}

// restart forgets what earlier runs left, so that a run depends on its own random numbers alone.
func (c *compressor) restart() {
	for i := range c.order {
		c.order[i] = i
	}
}

// apply writes Q(x) into dst, which may be x. qsgd is contractive (divided by τ) or else unbiased.
func (c *compressor) apply(dst, x []float64, r *source, contractive bool) {
	d := len(x)
	switch c.kind {
	case "top-k":
		threshold, equal := c.threshold(x)
		for i, v := range x {
			m := math.Abs(v)
			keep := m > threshold
			if m == threshold && equal > 0 { // as many of the ties as fit, lowest index first
				keep = true
				equal--
			}
			dst[i] = 0
			if keep {
				dst[i] = v
			}
		}
	case "rand-k":
		for i := range c.k { // the first k places of a random permutation
			j := i + r.below(d-i)
			c.order[i], c.order[j] = c.order[j], c.order[i]
		}
		copy(dst, x)
		for _, i := range c.order[c.k:] {
			dst[i] = 0
		}
	case "qsgd":
		norm := math.Sqrt(dot(x, x))
		if norm == 0 {
			clear(dst)
			return
		}
		s := float64(c.levels)
		scale := norm / s
		if contractive {
			scale /= c.spread(d)
		}
		for i, v := range x {
			dst[i] = math.Copysign(scale*math.Floor(s*math.Abs(v)/norm+r.float()), v)
		}
	case "sign":
		mean := 0.0
		for _, v := range x {
			mean += math.Abs(v)
		}
		mean /= float64(d)
		for i, v := range x {
			dst[i] = math.Copysign(mean, v)
		}
	case "int8":
		largest := 0.0
		for _, v := range x {
			largest = max(largest, math.Abs(v))
		}
		scale := largest / 127
		for i, v := range x {
			if dst[i] = v; scale > 0 {
				dst[i] = scale * math.Round(v/scale)
			}
		}
	default:
		copy(dst, x)
	}
}

// threshold returns the k-th largest magnitude, and how many entries of just that magnitude belong to the k largest.
// It is a quickselect with the middle element as pivot: the same for the same input.
func (c *compressor) threshold(x []float64) (t float64, equal int) {
	a := c.largest
	for i, v := range x {
		a[i] = math.Abs(v)
	}
	lo, hi, want := 0, len(a)-1, c.k-1
	for lo < hi {
		pivot := a[lo+(hi-lo)/2]
		i, j := lo, hi
		for i <= j {
			for a[i] > pivot {
				i++
			}
			for a[j] < pivot {
				j--
			}
			if i <= j {
				a[i], a[j] = a[j], a[i]
				i++
				j--
			}
		}
		switch {
		case want <= j:
			hi = j
		case want >= i:
			lo = i
		default:
			lo, hi = want, want
		}
	}
	t, equal = a[want], c.k
	for _, v := range x {
		if math.Abs(v) > t {
			equal--
		}
	}
	return t, equal
}

// chocoGamma returns the consensus step that theory guarantees for CHOCO on one symmetric W (Koloskova, Stich, Jaggi
// 2019): γ = δ²ω / (16δ + δ² + 4β² + 2δβ² - 8δω), with δ the spectral gap and β = ‖I - W‖₂. Steps tuned by hand are
// often a hundred times larger.
func chocoGamma(seq *mixing.Sequence, omega float64) (float64, error) {
	if seq.Random != nil || seq.Period() != 1 || !seq.Steps[0].W.Symmetric() || seq.N > maxEigenSize {
		return 0, fmt.Errorf("choco: the schedule is not one symmetric matrix, for which theory has a step: give gamma=")
	}
	values, ok := eigenvalues(mat.NewSymDense(seq.N, seq.Steps[0].W.Dense().RawMatrix().Data))
	if !ok {
		return 0, fmt.Errorf("choco: the eigenvalues of the mixing matrix did not converge: give gamma=")
	}
	second := math.Abs(values[0])
	if seq.N == 1 {
		return 1, nil
	}
	second = max(second, math.Abs(values[seq.N-2]))
	delta, beta := 1-second, 1-values[0]
	if delta <= sumTol {
		return 0, fmt.Errorf("choco: the mixing matrix has no spectral gap: give gamma=")
	}
	return delta * delta * omega / (16*delta + delta*delta + 4*beta*beta + 2*delta*beta*beta - 8*delta*omega), nil
}

// chocoStepper is CHOCO-SGD: H local steps, then every island sends q = Q(x - x̂), all add it to their copy x̂ of the
// sender, and x ← x + γ Σ_j W_ij (x̂_j - x̂_i).
type chocoStepper struct {
	*atcStepper
	gamma    float64
	public   []float64 // x̂
	message  []float64 // d
	compress *compressor
	drawing  []source // one for each island
}

func newChocoStepper(a *atcStepper) *chocoStepper {
	s := &chocoStepper{atcStepper: a, gamma: a.s.alg.Gamma, public: make([]float64, len(a.x)), message: make([]float64, a.s.q.D),
		compress: newCompressor(a.s.alg, a.s.q.D), drawing: make([]source, a.s.q.N)}
	if s.gamma == 0 {
		s.gamma, _ = chocoGamma(a.s.seq, s.compress.omega(a.s.q.D)) // prepare has checked it
	}
	return s
}

func (s *chocoStepper) reset(run int) {
	s.atcStepper.reset(run)
	s.compress.restart()
	clear(s.public)
	for i := range s.drawing {
		s.drawing[i] = *newSource(s.s.seed, uint64(run), uint64(i), "messages")
	}
}

func (s *chocoStepper) round(t int) {
	s.steps(s.localSteps(t))
	for i := range s.drawing {
		x, public := s.row(s.x, i), s.row(s.public, i)
		for k, v := range x {
			s.message[k] = v - public[k]
		}
		s.compress.apply(s.message, s.message, &s.drawing[i], true)
		add(public, s.message)
	}
	s.matrix(t).apply(s.mixed, s.public, s.s.q.D)
	for k, v := range s.mixed {
		s.x[k] += s.gamma * (v - s.public[k])
	}
}
