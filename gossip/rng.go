package gossip

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/bits"
)

// source is xoshiro256** 1.0 (Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47,
// 2021): 256 bits of state, period 2²⁵⁶ - 1. It is a concrete type so that its step is inlined where numbers are drawn.
type source struct{ s0, s1, s2, s3 uint64 }

// newSource derives the generator of one run, island and purpose from the master seed. The state is
//
//	SHA-256("islands/gossip" ‖ seed ‖ run ‖ island ‖ purpose)
//
// read as four little-endian words, where seed, run and island are 8 bytes each, little-endian. Hashing makes the
// streams of neighboring runs and seeds unrelated, which adding small numbers to a seed would not.
func newSource(seed, run, island uint64, purpose string) *source {
	b := []byte("islands/gossip")
	b = binary.LittleEndian.AppendUint64(b, seed)
	b = binary.LittleEndian.AppendUint64(b, run)
	b = binary.LittleEndian.AppendUint64(b, island)
	b = append(b, purpose...)
	h := sha256.Sum256(b)
	word := func(k int) uint64 { return binary.LittleEndian.Uint64(h[8*k:]) }
	r := &source{word(0), word(1), word(2), word(3)}
	if r.s0|r.s1|r.s2|r.s3 == 0 { // the one state that xoshiro may not have
		r.s0 = 1
	}
	return r
}

// next returns 64 random bits.
func (r *source) next() uint64 {
	out := bits.RotateLeft64(r.s1*5, 7) * 9
	t := r.s1 << 17
	r.s2 ^= r.s0
	r.s3 ^= r.s1
	r.s1 ^= r.s2
	r.s0 ^= r.s3
	r.s2 ^= t
	r.s3 = bits.RotateLeft64(r.s3, 45)
	return out
}

// Uint64 makes a source of math/rand/v2 out of the generator.
func (r *source) Uint64() uint64 { return r.next() }

// float returns a number in [0, 1), a multiple of 2⁻⁵³.
func (r *source) float() float64 { return float64(r.next()>>11) * 0x1p-53 }

// below returns a whole number in [0, n), without bias (Lemire's method).
func (r *source) below(n int) int {
	hi, lo := bits.Mul64(r.next(), uint64(n))
	if lo < uint64(n) {
		for threshold := -uint64(n) % uint64(n); lo < threshold; {
			hi, lo = bits.Mul64(r.next(), uint64(n))
		}
	}
	return int(hi)
}

// The ziggurat (Marsaglia and Tsang 2000, in the form of Doornik 2005) covers the density exp(-x²/2), x ≥ 0, by layers
// of equal area, numbered from the bottom: layer 0 is a rectangle of the width that gives it the area including the
// tail beyond zigX[1], layer i > 0 the rectangle [0, zigX[i]] × [f(zigX[i]), f(zigX[i+1])]. A point of a layer that
// lies left of the next narrower layer is under the curve without further tests, which happens 997 times in 1000.
const (
	zigLayers = 1024
	zigTail   = 4.038849846109505 // R, where the tail begins: with 1024 layers this R makes the last one end at f = 1
)

var (
	zigX [zigLayers + 1]float64 // right edges; zigX[0] is the virtual width of the base
	zigF [zigLayers + 1]float64 // f(zigX[i])

	// zig has what the common case needs, side by side.
	zig [zigLayers]struct {
		inner uint64  // positions below this lie under the next layer
		scale float64 // zigX[i] / 2⁵²: a signed 53-bit position scales to the layer
	}
)

func init() {
	f := func(x float64) float64 { return math.Exp(-x * x / 2) }
	area := zigTail*f(zigTail) + math.Sqrt(math.Pi/2)*math.Erfc(zigTail/math.Sqrt2) // of each layer
	zigX[0], zigX[1] = area/f(zigTail), zigTail
	for i := 2; i < zigLayers; i++ {
		zigX[i] = math.Sqrt(-2 * math.Log(area/zigX[i-1]+f(zigX[i-1])))
	}
	zigX[zigLayers] = 0
	for i := range zigX {
		zigF[i] = f(zigX[i])
	}
	for i := range zigLayers {
		zig[i].inner = uint64(zigX[i+1] / zigX[i] * 0x1p52)
		zig[i].scale = zigX[i] * 0x1p-52
	}
}

// normals fills dst with independent standard normal numbers. One 64-bit word gives the layer (low 10 bits) and a
// signed 53-bit position in it (high bits): the two do not overlap, the flaw that early ziggurats had. The generator is
// written out so that its state stays in registers.
func (r *source) normals(dst []float64) {
	s0, s1, s2, s3 := r.s0, r.s1, r.s2, r.s3
	for k := range dst {
		u := bits.RotateLeft64(s1*5, 7) * 9
		t := s1 << 17
		s2 ^= s0
		s3 ^= s1
		s1 ^= s2
		s0 ^= s3
		s2 ^= t
		s3 = bits.RotateLeft64(s3, 45)

		layer := &zig[u&(zigLayers-1)]
		position := int64(u) >> 11
		z := float64(position) * layer.scale
		if uint64(position^(position>>63)) >= layer.inner {
			r.s0, r.s1, r.s2, r.s3 = s0, s1, s2, s3
			z = r.edge(u)
			s0, s1, s2, s3 = r.s0, r.s1, r.s2, r.s3
		}
		dst[k] = z
	}
	r.s0, r.s1, r.s2, r.s3 = s0, s1, s2, s3
}

// stir is x ← p x + q + s ξ, coordinate by coordinate, with the ξ that normals would give: a noisy step in one pass
// over memory.
func (r *source) stir(x, p, q, s []float64) {
	s0, s1, s2, s3 := r.s0, r.s1, r.s2, r.s3
	p, q, s = p[:len(x)], q[:len(x)], s[:len(x)]
	for k := range x {
		u := bits.RotateLeft64(s1*5, 7) * 9
		t := s1 << 17
		s2 ^= s0
		s3 ^= s1
		s1 ^= s2
		s0 ^= s3
		s2 ^= t
		s3 = bits.RotateLeft64(s3, 45)

		layer := &zig[u&(zigLayers-1)]
		position := int64(u) >> 11
		z := float64(position) * layer.scale
		if uint64(position^(position>>63)) >= layer.inner {
			r.s0, r.s1, r.s2, r.s3 = s0, s1, s2, s3
			z = r.edge(u)
			s0, s1, s2, s3 = r.s0, r.s1, r.s2, r.s3
		}
		x[k] = p[k]*x[k] + q[k] + s[k]*z
	}
	r.s0, r.s1, r.s2, r.s3 = s0, s1, s2, s3
}

// edge finishes the draw of a word that fell outside the inner part of its layer: in the tail, or in the wedge beside
// the curve, where a second number decides; a rejected draw starts over.
func (r *source) edge(u uint64) float64 {
	for {
		layer := u & (zigLayers - 1)
		position := int64(u) >> 11
		x := float64(position) * zig[layer].scale
		if uint64(position^(position>>63)) < zig[layer].inner {
			return x
		}
		if layer == 0 { // Marsaglia's tail method: exact beyond R
			for {
				e := -math.Log(1-r.float()) / zigTail
				if y := -math.Log(1 - r.float()); y+y > e*e {
					return math.Copysign(zigTail+e, x)
				}
			}
		}
		if zigF[layer]+r.float()*(zigF[layer+1]-zigF[layer]) < math.Exp(-x*x/2) {
			return x
		}
		u = r.next()
	}
}

// normal returns one standard normal number.
func (r *source) normal() float64 {
	var one [1]float64
	r.normals(one[:])
	return one[0]
}
