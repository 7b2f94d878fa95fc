package gossip

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

// naive carries mean and covariance of the whole stacked state with dense block matrices, straight from the table
// m ← M m + c, C ← C M M' + B Q B', without decoupling, local maps or jumps. It is the independent check of Exact.
type naive struct {
	q       *Quadratic
	m       *mat.VecDense
	c       *mat.Dense
	d, big  *mat.Dense // D = blockdiag(A_i), Q = blockdiag(N_i)
	db      *mat.VecDense
	eta     float64
	tracked bool
}

func newNaive(q *Quadratic, eta float64, tracked bool) *naive {
	size := q.N * q.D
	s := &naive{q: q, eta: eta, tracked: tracked, d: mat.NewDense(size, size, nil), big: mat.NewDense(size, size, nil), db: mat.NewVecDense(size, nil)}
	state := size
	if tracked {
		state *= 2
	}
	s.m, s.c = mat.NewVecDense(state, nil), mat.NewDense(state, state, nil)
	for i := range q.N {
		a, n := q.dense(q.A[i]), q.dense(q.Noise[i])
		for r := range q.D {
			s.m.SetVec(i*q.D+r, q.Start[i][r])
			for k := range q.D {
				s.d.Set(i*q.D+r, i*q.D+k, a[r*q.D+k])
				s.big.Set(i*q.D+r, i*q.D+k, n[r*q.D+k])
				s.db.SetVec(i*q.D+r, s.db.AtVec(i*q.D+r)+a[r*q.D+k]*q.B[i][k])
			}
		}
	}
	return s
}

// apply performs m ← M m + c, C ← M C M' + B Q B'.
func (s *naive) apply(m mat.Matrix, c mat.Vector, b mat.Matrix) {
	var mean mat.VecDense
	mean.MulVec(m, s.m)
	mean.AddVec(&mean, c)
	s.m = &mean
	var t, u, v, w mat.Dense
	t.Mul(m, s.c)
	u.Mul(&t, m.T())
	v.Mul(b, s.big)
	w.Mul(&v, b.T())
	u.Add(&u, &w)
	s.c = &u
}

func (s *naive) round(algorithm string, step *mixing.Step) {
	size := s.q.N * s.q.D
	eye := mat.NewDense(size, size, nil)
	for k := range size {
		eye.Set(k, k, 1)
	}
	wk := mat.NewDense(size, size, nil)
	for i, row := range step.W.Rows() {
		for _, term := range row {
			for k := range s.q.D {
				wk.Set(i*s.q.D+k, term.J*s.q.D+k, term.Weight)
			}
		}
	}
	var f, etaD, minusEta mat.Dense
	etaD.Scale(s.eta, s.d)
	f.Sub(eye, &etaD)
	minusEta.Scale(-s.eta, eye)
	var pull mat.VecDense
	pull.ScaleVec(s.eta, s.db)
	zero := mat.NewVecDense(size, nil)
	none := mat.NewDense(size, size, nil)
	local := func(h int) {
		for range h {
			s.apply(&f, &pull, &minusEta)
		}
	}
	switch algorithm {
	case "atc":
		local(step.LocalSteps)
		s.apply(wk, zero, none)
	case "cta":
		s.apply(wk, zero, none)
		local(step.LocalSteps)
	case "dgd":
		local(step.LocalSteps - 1)
		var m mat.Dense
		m.Sub(wk, &etaD)
		s.apply(&m, &pull, &minusEta)
	case "gradient-tracking":
		for h := range step.LocalSteps {
			w := eye
			if h == step.LocalSteps-1 {
				w = wk
			}
			s.track(w, eye)
		}
	}
}

// track is one step of gradient tracking in x and v = y - g.
func (s *naive) track(w, eye *mat.Dense) {
	size := s.q.N * s.q.D
	m, b, c := mat.NewDense(2*size, 2*size, nil), mat.NewDense(2*size, size, nil), mat.NewVecDense(2*size, nil)
	var off, offD mat.Dense
	off.Sub(w, eye)
	offD.Mul(&off, s.d)
	var offDB mat.VecDense
	offDB.MulVec(&off, s.db)
	for r := range size {
		for k := range size {
			m.Set(r, k, w.At(r, k)-s.eta*s.d.At(r, k))
			m.Set(r, size+k, -s.eta*eye.At(r, k))
			m.Set(size+r, k, offD.At(r, k))
			m.Set(size+r, size+k, w.At(r, k))
			b.Set(r, k, -s.eta*eye.At(r, k))
			b.Set(size+r, k, off.At(r, k))
		}
		c.SetVec(r, s.eta*s.db.AtVec(r))
		c.SetVec(size+r, -offDB.AtVec(r))
	}
	s.apply(m, c, b)
}

func (s *naive) measure() Moments {
	q := s.q
	star := q.Constants().XStar
	second := func(i, j, k int) float64 {
		r, c := i*q.D+k, j*q.D+k
		return s.c.At(r, c) + (s.m.AtVec(r)-star[k])*(s.m.AtVec(c)-star[k])
	}
	var m Moments
	for k := range q.D {
		for i := range q.N {
			m.MSE += second(i, i, k) / float64(q.N)
			for j := range q.N {
				m.Centroid += second(i, j, k) / float64(q.N*q.N)
			}
		}
	}
	m.Consensus = m.MSE - m.Centroid
	return m
}

func TestExactIsTheBlockRecursion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, d := rapid.IntRange(1, 5).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "d")
		q := drawProblem(t, n, d)
		seq := drawSequence(t, n)
		algorithm := rapid.SampledFrom([]string{"atc", "cta", "dgd", "gradient-tracking"}).Draw(t, "algorithm")
		step := rapid.Float64Range(0.01, 0.5).Draw(t, "step")
		at := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 60}
		r, err := Exact(context.Background(), q, seq, ExactOptions{Algorithm: Algorithm{Name: algorithm}, Step: step, At: at, Jobs: rapid.IntRange(1, 3).Draw(t, "jobs")})
		if err != nil {
			t.Fatal(err)
		}
		s, now := newNaive(q, step, algorithm == "gradient-tracking"), 0
		for i, want := range at {
			for ; now < want; now++ {
				s.round(algorithm, seq.Step(now))
			}
			a, b := r.Points[i].Moments, s.measure()
			if tol := 1e-10 * (1 + b.MSE); math.Abs(a.MSE-b.MSE) > tol || math.Abs(a.Centroid-b.Centroid) > tol || math.Abs(a.Consensus-b.Consensus) > tol {
				t.Fatalf("round %d: %+v, block recursion %+v", want, a, b)
			}
		}
	})
}

func drawProblem(t *rapid.T, n, d int) *Quadratic {
	number := rapid.Float64Range(-1, 1)
	kind := rapid.SampledFrom([]string{"diagonal", "alike", "commuting", "general"}).Draw(t, "kind")
	var q Quadratic
	basis := mat.NewDense(d, d, nil) // of a commuting problem: any orthogonal matrix
	var qr mat.QR
	random := mat.NewDense(d, d, nil)
	random.Apply(func(_, _ int, _ float64) float64 { return number.Draw(t, "basis") }, random)
	qr.Factorize(random)
	qr.QTo(basis)
	for range n {
		a, noise, b, start := mat.NewDense(d, d, nil), make([]float64, d*d), make([]float64, d), make([]float64, d)
		for k := range d {
			b[k], start[k] = number.Draw(t, "b"), number.Draw(t, "start")
			curvature := 0.7
			if kind != "alike" {
				curvature = rapid.Float64Range(0.05, 1.5).Draw(t, "a")
			}
			a.Set(k, k, curvature)
			noise[k*d+k] = 0.1
			if kind != "alike" {
				noise[k*d+k] = rapid.Float64Range(0, 0.2).Draw(t, "noise")
			}
		}
		switch kind {
		case "commuting":
			var u, v mat.Dense
			u.Mul(basis, a)
			v.Mul(&u, basis.T())
			a = &v
		case "general":
			v := mat.NewVecDense(d, nil)
			for k := range d {
				v.SetVec(k, number.Draw(t, "v"))
			}
			a.RankOne(a, 1, v, v)
		}
		q.A, q.Noise, q.B, q.Start = append(q.A, a.RawMatrix().Data), append(q.Noise, noise), append(q.B, b), append(q.Start, start)
	}
	out, err := NewQuadratic(q)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// drawSequence draws doubly stochastic rounds, some of them not symmetric.
func drawSequence(t *rapid.T, n int) *mixing.Sequence {
	s := &schedule.Schedule{Name: "drawn", N: n}
	for range rapid.IntRange(1, 3).Draw(t, "period") {
		r := schedule.Round{LocalSteps: rapid.IntRange(1, 3).Draw(t, "h")}
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		order = rapid.Permutation(order).Draw(t, "order")
		switch {
		case n > 1 && rapid.Bool().Draw(t, "shift"):
			w := rapid.Float64Range(0, 1).Draw(t, "w")
			for i := range n {
				r.Entries = append(r.Entries, schedule.Edge{I: order[i], J: order[i], Weight: w}, schedule.Edge{I: order[i], J: order[(i+1)%n], Weight: 1 - w})
			}
		default:
			cut := rapid.IntRange(1, n).Draw(t, "cut")
			r.Cliques = [][]int{order[:cut]}
			if cut < n {
				r.Cliques = append(r.Cliques, order[cut:])
			}
		}
		s.Rounds = append(s.Rounds, r)
	}
	seq, err := mixing.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

// TestExactDoesNotDependOnJobs: the same bits for any number of workers.
func TestExactDoesNotDependOnJobs(t *testing.T) {
	q := family(t, "quadratic:d=100,spread=0.3", 5)
	var results [2]*ExactResult
	for k, jobs := range []int{1, 3} {
		r, err := Exact(context.Background(), q, ring(t, 5, 1, 1), ExactOptions{At: []int{7, 300}, Jobs: jobs})
		if err != nil {
			t.Fatal(err)
		}
		results[k] = r
	}
	for i := range results[0].Points {
		if results[0].Points[i] != results[1].Points[i] {
			t.Errorf("%+v with one worker, %+v with three", results[0].Points[i], results[1].Points[i])
		}
	}
	if *results[0].Stationary != *results[1].Stationary || *results[0].Radius != *results[1].Radius {
		t.Error("stationary values or radius depend on the workers")
	}
}
