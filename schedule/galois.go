package schedule

// galois is the field of q = p^m elements, numbered 0 to q-1 by the base-p digits of their polynomials: addition is
// digit by digit, multiplication goes through logarithms.
type galois struct {
	p, q     int
	exp, log []int
}

// primePower writes q as p^m.
func primePower(q int) (p, m int, ok bool) {
	for p = 2; p*p <= q && q%p != 0; p++ {
	}
	if q < 2 {
		return 0, 0, false
	}
	if q%p != 0 {
		p = q
	}
	for ; q%p == 0; q /= p {
		m++
	}
	return p, m, q == 1
}

// newGalois returns the field of q elements, q a prime power. The multiplication by the class of x is tried for
// polynomials x^m - c(x) in turn until its powers run through all elements but 0.
func newGalois(q int) *galois {
	p, m, _ := primePower(q)
	f := &galois{p: p, q: q, log: make([]int, q)}
	if m == 1 {
		for g := 1; len(f.exp) != q-1; g++ {
			f.powers(func(v int) int { return v * g % p })
		}
		return f
	}
	top := q / p // p^(m-1)
	for c := 1; len(f.exp) != q-1; c++ {
		f.powers(func(v int) int {
			lead, rest := v/top, v%top*p
			for range lead {
				rest = f.add(rest, c)
			}
			return rest
		})
	}
	return f
}

// powers lists 1, g, g², ... until 1 returns, where times multiplies by g.
func (f *galois) powers(times func(int) int) {
	f.exp = f.exp[:0]
	for v := 1; len(f.exp) < f.q-1; {
		f.log[v] = len(f.exp)
		f.exp = append(f.exp, v)
		if v = times(v); v <= 1 {
			break
		}
	}
	if len(f.exp) == f.q-1 && times(f.exp[f.q-2]) != 1 {
		f.exp = f.exp[:0]
	}
}

func (f *galois) add(a, b int) int {
	if f.p == f.q {
		return (a + b) % f.p
	}
	sum := 0
	for unit := 1; a > 0 || b > 0; unit *= f.p {
		sum += (a%f.p + b%f.p) % f.p * unit
		a, b = a/f.p, b/f.p
	}
	return sum
}

func (f *galois) mul(a, b int) int {
	if a == 0 || b == 0 {
		return 0
	}
	return f.exp[(f.log[a]+f.log[b])%(f.q-1)]
}

// power returns the primitive element to the power e ≥ 0.
func (f *galois) power(e int) int { return f.exp[e%(f.q-1)] }
