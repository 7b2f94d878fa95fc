package gossip

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/islandsgd/islands/internal/spec"
	"github.com/islandsgd/islands/internal/text"
)

// Algorithm names an algorithm and its settings. The zero value is atc. Writing H for the local steps of a round, W
// for its mixing matrix and g for stochastic gradients, a round is
//
//	atc                adapt then combine: H local steps, then x ← W x (Koloskova et al. 2020)
//	cta                combine then adapt: x ← W x, then H local steps
//	dgd                x ← W x - η g(x), after H-1 local steps (Lian et al. 2017, Algorithm 1)
//	gradient-tracking  x ← W x - η y, y ← W y + g_new - g_old, after H-1 such steps with W = I (DIGing, Nedić et al. 2017)
//	delayed            H local steps, then + (W - I) x of Delay rounds ago: averaging that arrives late, as a correction
//	stale              H local steps, then x_i ← W_ii x_i + Σ_j W_ij y_j, with y_j the neighbor's value Delay rounds ago
//	push-sum           H local steps, then x ← A x and w ← A w; the replica is x/w; A need only have column sums 1
//	sparse             H local steps, then x ← W x, but each coordinate of a message is sent with probability Keep,
//	                   scaled by 1/Keep, and is 0 otherwise: unbiased compression
//	choco              H local steps, then x ← x + Gamma Σ_j W_ij (x̂_j - x̂_i), after each x̂ took in a compressed x - x̂
//	                   (CHOCO-SGD, Koloskova, Stich, Jaggi 2019); simulation only
//	dgc                H gradients at x through a local momentum; the K largest accumulated entries are stepped and
//	                   averaged, the rest is kept (deep gradient compression, Lin et al. 2018); simulation only
//	powersgd           H gradients at x, averaged through factors of rank Rank with error feedback (Vogels et al. 2019);
//	                   every round must average all islands; simulation only
//	async              a server takes displacements as they arrive, with delayed Nesterov; simulation only
//	halos              the same with local servers of Groups and a global one; simulation only
//	diloco             H local steps give Δ = θ - x; Δ and θ are mixed by W, and an outer optimizer takes Δ as gradient
//	factored           the same with a mixing of its own for θ and for Δ (Mix1, Mix2)
//	streaming-diloco   diloco with the parameters in Fragments that synchronize one after the other, Overlap local
//	                   steps after they were sent; the island keeps the share Merge of its own value
type Algorithm struct {
	Name string

	Delay int // rounds; delayed and stale

	Keep float64 // sparse: probability; set by ParseAlgorithm: 0.5

	// Compress is the compressor: of differences in choco (top-k, rand-k, qsgd, sign, int8; default top-k), of
	// pseudo-gradients in diloco and factored (int8, qsgd; default "": none), which then can be simulated only.
	Compress string
	K        int     // entries that top-k, rand-k and dgc keep; set by ParseAlgorithm: 1
	Levels   int     // levels of qsgd; set by ParseAlgorithm: 4
	Rank     int     // powersgd; set by ParseAlgorithm: 1
	Gamma    float64 // choco: consensus step; default (0): what theory guarantees on one symmetric matrix

	Outer    string  // plain, heavy-ball or nesterov; the diloco family; default nesterov
	Rate     float64 // ν, the outer learning rate; set by ParseAlgorithm: 0.7, or 1 for plain
	Momentum float64 // β, also of dgc; set by ParseAlgorithm: 0.9, or 0 for plain

	Mix1, Mix2 string // factored: schedule, exact (J) or none (I); default schedule

	Fragments int     // streaming-diloco; default (0): 1
	Overlap   int     // streaming-diloco: local steps between sending and applying
	Merge     float64 // streaming-diloco: share of the local value that is kept; halos: share of the global one that is taken

	// Of async and halos. Rate and Momentum are those of the (global) server.
	Slow          float64 // pace of the last island over that of the first, linear between; default (0): 1, all alike
	Dynamic       bool    // slow islands take fewer local steps, in proportion (DyLU)
	Groups        int     // halos: local servers; default (0): 1
	Every         int     // halos: updates of a local server between pushes; default (0): 1
	LocalRate     float64 // halos: ν_l; set by ParseAlgorithm: 0.2
	LocalMomentum float64 // halos: β_l; set by ParseAlgorithm: 0.9
}

var algorithmNames = []string{"atc", "cta", "dgd", "gradient-tracking", "delayed", "stale", "push-sum", "sparse", "choco", "dgc", "powersgd", "async", "halos", "diloco", "factored", "streaming-diloco"}

// maxDelay bounds delays and fragments: each round of delay is one more copy of the state.
const maxDelay = 1000

// ParseAlgorithm reads an algorithm line:
//
//	atc | cta | dgd | gradient-tracking | push-sum | delayed:tau=1 | stale:tau=1 | sparse:keep=0.5
//	diloco:outer=nesterov,lr=0.7,momentum=0.9
//	factored:outer=plain,mix1=schedule,mix2=exact
//	choco:compress=top-k,k=1,gamma=0.1 | dgc:k=1,momentum=0.9 | powersgd:rank=1 | diloco:compress=int8
//	async:slow=3,dylu=on,lr=0.7,momentum=0.9 | halos:groups=2,every=4,merge=0.25,lr=1,momentum=0.5,local-lr=0.2,local-momentum=0.9
//	streaming-diloco:fragments=4,overlap=2,merge=0.5,outer=nesterov,lr=0.7,momentum=0.9
func ParseAlgorithm(line string) (Algorithm, error) {
	if line == "" {
		return Algorithm{}, nil
	}
	s, err := spec.Parse("algorithm", line)
	if err != nil {
		return Algorithm{}, err
	}
	a := Algorithm{Name: s.Name}
	switch s.Name {
	case "delayed", "stale":
		a.Delay = s.Int("tau", 1, 0, maxDelay)
	case "sparse":
		a.Keep = s.Float("keep", 0.5, 1e-6, 1)
	case "choco":
		a.Compress = s.OneOf("compress", "top-k", compressKinds...)
		a.readCompressor(s)
		a.Gamma = s.Float("gamma", 0, 0, 1)
	case "dgc":
		a.K = s.Int("k", 1, 1, math.MaxInt32)
		a.Momentum = s.Float("momentum", 0.9, 0, math.Nextafter(1, 0))
	case "powersgd":
		a.Rank = s.Int("rank", 1, 1, math.MaxInt32)
	case "async", "halos":
		a.Slow = s.Float("slow", 1, 1, 1e3)
		a.Dynamic = s.OneOf("dylu", "off", "off", "on") == "on"
		if s.Name == "async" {
			a.Rate, a.Momentum = s.Float("lr", 0.7, 0, 1e6), s.Float("momentum", 0.9, 0, math.Nextafter(1, 0))
			break
		}
		a.Rate, a.Momentum = s.Float("lr", 1, 0, 1e6), s.Float("momentum", 0.5, 0, math.Nextafter(1, 0))
		a.LocalRate, a.LocalMomentum = s.Float("local-lr", 0.2, 0, 1e6), s.Float("local-momentum", 0.9, 0, math.Nextafter(1, 0))
		a.Groups, a.Every = s.Int("groups", 2, 1, math.MaxInt32), s.Int("every", 4, 1, math.MaxInt32)
		a.Merge = s.Float("merge", 0.25, 0, 1)
	case "diloco", "factored", "streaming-diloco":
		a.Outer = s.OneOf("outer", "nesterov", "plain", "heavy-ball", "nesterov")
		rate, momentum := 0.7, 0.9
		if a.Outer == "plain" {
			rate, momentum = 1, 0
		}
		a.Rate = s.Float("lr", rate, 0, 1e6)
		if a.Outer != "plain" {
			a.Momentum = s.Float("momentum", momentum, 0, math.Nextafter(1, 0))
		}
		if s.Name != "streaming-diloco" && s.Has("compress") {
			a.Compress = s.OneOf("compress", "int8", "int8", "qsgd")
			a.readCompressor(s)
		}
		if s.Name == "factored" {
			a.Mix1 = s.OneOf("mix1", "schedule", mixKinds...)
			a.Mix2 = s.OneOf("mix2", "schedule", mixKinds...)
		}
		if s.Name == "streaming-diloco" {
			a.Fragments = s.Int("fragments", 1, 1, maxDelay)
			a.Overlap = s.Int("overlap", 0, 0, math.MaxInt32)
			a.Merge = s.Float("merge", 0, 0, 1)
		}
	}
	if err := a.check(); err != nil {
		return Algorithm{}, err
	}
	return a, s.Finish()
}

// readCompressor reads the keys of the compressor.
func (a *Algorithm) readCompressor(s *spec.Spec) {
	switch a.Compress {
	case "top-k", "rand-k":
		a.K = s.Int("k", 1, 1, math.MaxInt32)
	case "qsgd":
		a.Levels = s.Int("levels", 4, 1, math.MaxInt32)
	}
}

// compressorKeys writes them.
func (a Algorithm) compressorKeys() string {
	switch a.Compress {
	case "top-k", "rand-k":
		return fmt.Sprintf("compress=%s,k=%d", a.Compress, a.K)
	case "qsgd":
		return fmt.Sprintf("compress=%s,levels=%d", a.Compress, a.Levels)
	default:
		return "compress=" + a.Compress
	}
}

var mixKinds = []string{"schedule", "exact", "none"}

// String returns a line that ParseAlgorithm reads back.
func (a Algorithm) String() string {
	switch name := a.name(); name {
	case "delayed", "stale":
		return fmt.Sprintf("%s:tau=%d", name, a.Delay)
	case "sparse":
		return fmt.Sprintf("sparse:keep=%g", a.Keep)
	case "choco":
		if a.Gamma == 0 {
			return "choco:" + a.compressorKeys()
		}
		return fmt.Sprintf("choco:%s,gamma=%g", a.compressorKeys(), a.Gamma)
	case "dgc":
		return fmt.Sprintf("dgc:k=%d,momentum=%g", a.K, a.Momentum)
	case "powersgd":
		return fmt.Sprintf("powersgd:rank=%d", a.Rank)
	case "async", "halos":
		dynamic := "off"
		if a.Dynamic {
			dynamic = "on"
		}
		line := fmt.Sprintf("%s:slow=%g,dylu=%s,lr=%g,momentum=%g", name, max(1, a.Slow), dynamic, a.Rate, a.Momentum)
		if name == "halos" {
			line += fmt.Sprintf(",local-lr=%g,local-momentum=%g,groups=%d,every=%d,merge=%g", a.LocalRate, a.LocalMomentum, max(1, a.Groups), max(1, a.Every), a.Merge)
		}
		return line
	case "diloco", "factored", "streaming-diloco":
		keys := []string{"outer=" + a.outer(), fmt.Sprintf("lr=%g", a.Rate)}
		if a.outer() != "plain" {
			keys = append(keys, fmt.Sprintf("momentum=%g", a.Momentum))
		}
		if a.Compress != "" {
			keys = append(keys, a.compressorKeys())
		}
		if name == "factored" {
			keys = append(keys, "mix1="+mixKind(a.Mix1), "mix2="+mixKind(a.Mix2))
		}
		if name == "streaming-diloco" {
			keys = append(keys, fmt.Sprintf("fragments=%d,overlap=%d,merge=%g", a.fragments(), a.Overlap, a.Merge))
		}
		return name + ":" + strings.Join(keys, ",")
	default:
		return name
	}
}

func (a Algorithm) name() string {
	if a.Name == "" {
		return "atc"
	}
	return a.Name
}

func (a Algorithm) outer() string {
	if a.Outer == "" {
		return "nesterov"
	}
	return a.Outer
}

func mixKind(s string) string {
	if s == "" {
		return "schedule"
	}
	return s
}

// simulatedOnly reports whether there are no exact moments: the algorithm is not linear, or has no rounds.
func (a Algorithm) simulatedOnly() bool {
	name := a.name()
	return name == "choco" || name == "dgc" || name == "powersgd" || name == "async" || name == "halos" || a.Compress != ""
}

func (a Algorithm) fragments() int { return max(1, a.Fragments) }

// coordinatewise reports whether the algorithm tells coordinates apart, so that it does something else in another basis:
// it drops, rounds or ranks single entries, reads the parameters as a matrix, or sends them in parts.
func (a Algorithm) coordinatewise() bool {
	name := a.name()
	return name == "sparse" || name == "dgc" || name == "powersgd" || a.Compress != "" || a.fragments() > 1
}

func (a Algorithm) check() error {
	known := false
	for _, name := range algorithmNames {
		known = known || a.name() == name
	}
	switch {
	case !known:
		return fmt.Errorf("algorithm %q is unknown%s", a.Name, text.DidYouMean(a.Name, algorithmNames))
	case a.Delay < 0 || a.Delay > maxDelay:
		return fmt.Errorf("algorithm %s: a delay of %d rounds is outside 0 to %d", a.name(), a.Delay, maxDelay)
	case a.name() == "sparse" && !(a.Keep > 0 && a.Keep <= 1):
		return fmt.Errorf("algorithm sparse: keep=%g is outside 0 to 1", a.Keep)
	case a.name() == "choco" && (!slices.Contains(compressKinds, a.Compress) || !(a.Gamma >= 0 && a.Gamma <= 1)):
		return fmt.Errorf("algorithm choco: compress=%q, gamma=%g (want a compressor of %s and a step up to 1)", a.Compress, a.Gamma, strings.Join(compressKinds, ", "))
	case a.name() == "dgc" && a.K < 1 || a.name() == "powersgd" && a.Rank < 1:
		return fmt.Errorf("algorithm %s: needs k or rank of at least 1", a.name())
	case (a.Compress == "top-k" || a.Compress == "rand-k") && a.K < 1 || a.Compress == "qsgd" && a.Levels < 1:
		return fmt.Errorf("algorithm %s: %s needs k or levels of at least 1", a.name(), a.Compress)
	case !(a.Merge >= 0 && a.Merge <= 1):
		return fmt.Errorf("algorithm %s: merge=%g is outside 0 to 1", a.name(), a.Merge)
	case math.IsNaN(a.Rate) || math.IsInf(a.Rate, 0) || !(a.Momentum >= 0 && a.Momentum < 1):
		return fmt.Errorf("algorithm %s: outer rate %g with momentum %g (want a finite rate and 0 ≤ momentum < 1)", a.name(), a.Rate, a.Momentum)
	case math.IsNaN(a.LocalRate) || math.IsInf(a.LocalRate, 0) || !(a.LocalMomentum >= 0 && a.LocalMomentum < 1) || !(a.Slow >= 0 && a.Slow <= 1e3) || a.Groups < 0 || a.Every < 0:
		return fmt.Errorf("algorithm %s: local rate %g, local momentum %g, slow=%g, groups=%d, every=%d (want a finite rate, 0 ≤ momentum < 1, slow from 1 to 1000 and positive counts)", a.name(), a.LocalRate, a.LocalMomentum, a.Slow, a.Groups, a.Every)
	case a.Overlap < 0 || a.Fragments < 0:
		return fmt.Errorf("algorithm %s: fragments=%d, overlap=%d must not be negative", a.name(), a.Fragments, a.Overlap)
	}
	return nil
}

// outerStep returns the coefficients of the outer optimizer, of which Δ is the gradient:
//
//	m ← β m + Δ,   θ ← θ - ν (a Δ + b m)
//
// with the new m. Nesterov is the form of PyTorch: Δ + β m; heavy ball is m; plain is Δ.
func (a Algorithm) outerStep() (a1, b float64) {
	switch a.outer() {
	case "plain":
		return 1, 0
	case "heavy-ball":
		return 0, 1
	default:
		return 1, a.Momentum
	}
}
