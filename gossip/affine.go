package gossip

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// affine is a noisy affine map of a state of s numbers, applied to p states at once that differ only in their mean:
//
//	z ← M z + c + noise,   noise with covariance G, independent of z.
type affine struct {
	s, p int
	m    []float64 // s × s
	c    []float64 // s × p
	g    []float64 // s × s
}

// then returns the map "f first, next afterwards".
func (f affine) then(next affine) affine {
	out := affine{f.s, f.p, make([]float64, f.s*f.s), make([]float64, f.s*f.p), make([]float64, f.s*f.s)}
	t := make([]float64, f.s*f.s)
	gemm(out.m, next.m, f.m, f.s, f.s, f.s)
	gemm(out.c, next.m, f.c, f.s, f.s, f.p)
	add(out.c, next.c)
	gemm(t, next.m, f.g, f.s, f.s, f.s)
	gemmTransposed(out.g, t, next.m, f.s)
	add(out.g, next.g)
	return out
}

// power returns the map applied k ≥ 1 times.
func (f affine) power(k int) affine {
	var out affine
	for first := true; ; f = f.then(f) {
		if k&1 == 1 {
			if first {
				out, first = f, false
			} else {
				out = out.then(f)
			}
		}
		if k >>= 1; k == 0 {
			return out
		}
	}
}

// smallProduct is the size below which a plain loop beats the library's blocking.
const smallProduct = 16

// gemm writes A B into dst: A is r × k, B is k × c, all row-major and not overlapping.
func gemm(dst, a, b []float64, r, k, c int) {
	if r <= smallProduct {
		for i := range r {
			out := dst[i*c : (i+1)*c]
			clear(out)
			for j, v := range a[i*k : (i+1)*k] {
				if v != 0 {
					axpy(out, v, b[j*c:(j+1)*c])
				}
			}
		}
		return
	}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, general(r, k, a), general(k, c, b), 0, general(r, c, dst))
}

// gemmTransposed writes A B' into dst, all s × s.
func gemmTransposed(dst, a, b []float64, s int) {
	if s <= smallProduct {
		for i := range s {
			for j := range s {
				dst[i*s+j] = dot(a[i*s:(i+1)*s], b[j*s:(j+1)*s])
			}
		}
		return
	}
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, general(s, s, a), general(s, s, b), 0, general(s, s, dst))
}

func general(r, c int, data []float64) blas64.General {
	return blas64.General{Rows: r, Cols: c, Stride: c, Data: data}
}

func axpy(y []float64, a float64, x []float64) {
	for i, v := range x[:len(y)] {
		y[i] += a * v
	}
}

func dot(x, y []float64) float64 {
	sum := 0.0
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

func add(dst, x []float64) {
	for i, v := range x[:len(dst)] {
		dst[i] += v
	}
}

// transpose writes the transpose of the s × s matrix a into dst.
func transpose(dst, a []float64, s int) {
	for i := range s {
		for j, v := range a[i*s : (i+1)*s] {
			dst[j*s+i] = v
		}
	}
}
