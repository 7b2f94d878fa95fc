package study

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

// Spectrum is how one schedule contracts: in the long run, by its eigenvalues, and from the first round on.
type Spectrum struct {
	Schedule string `json:"schedule"`
	Period   int    `json:"period"`
	// Eigenvalues of W_T … W_1 - J without the one that belongs to consensus, as (real, imaginary), largest first.
	Eigenvalues [][2]float64 `json:"eigenvalues"`
	// Prefix[t-1] is ‖W_t … W_1 - J‖₂.
	Prefix []float64 `json:"prefix_norms"`
}

// maxSpectrum is the largest number of nodes whose dense eigenvalues are computed for a figure.
const maxSpectrum = 400

// SpectrumOf computes the eigenvalues of a period of a periodic schedule, and the norms of the first rounds.
func SpectrumOf(s *schedule.Schedule, rounds int) (*Spectrum, error) {
	if s.Random != nil || s.N > maxSpectrum {
		return nil, fmt.Errorf("schedule %s: a spectrum is drawn of periodic schedules of at most %d nodes", s.Name, maxSpectrum)
	}
	seq, err := mixing.New(s)
	if err != nil {
		return nil, err
	}
	out := &Spectrum{Schedule: s.Name, Period: s.Period()}
	product := mat.NewDense(s.N, s.N, nil)
	next := mat.NewDense(s.N, s.N, nil)
	for i := range s.N {
		product.Set(i, i, 1)
	}
	for t := range max(rounds, s.Period()) {
		seq.Step(t).W.LeftMul(next, product)
		product, next = next, product
		if t < rounds {
			out.Prefix = append(out.Prefix, mixing.DisagreementNorm(product))
		}
		if t+1 == s.Period() {
			if out.Eigenvalues, err = disagreementEigenvalues(product); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// disagreementEigenvalues returns the eigenvalues of Φ - J, one of which (a 0) stands for consensus and is left out.
func disagreementEigenvalues(phi *mat.Dense) ([][2]float64, error) {
	n, _ := phi.Dims()
	d := mat.DenseCopyOf(phi)
	for i := range n {
		for j := range n {
			d.Set(i, j, d.At(i, j)-1/float64(n))
		}
	}
	values, ok := mixing.Eigenvalues(d)
	if !ok {
		return nil, fmt.Errorf("the eigenvalues of a %d × %d product did not converge", n, n)
	}
	slices.SortFunc(values, func(a, b complex128) int {
		return cmp.Or(cmp.Compare(size(b), size(a)), cmp.Compare(real(b), real(a)), cmp.Compare(imag(b), imag(a)))
	})
	out := make([][2]float64, 0, n)
	for _, v := range values[:max(0, n-1)] {
		out = append(out, [2]float64{real(v), imag(v)})
	}
	return out, nil
}

// size is the modulus, rounded so that conjugates and repeated eigenvalues keep a fixed order.
func size(v complex128) float64 {
	const digits = 1e10
	return math.Round(math.Hypot(real(v), imag(v))*digits) / digits
}

// Spectra compares how the schedules that were chosen contract, or else a handful of well-known ones and the best
// rotation under unicast.
func (s *Study) Spectra(ctx context.Context) ([]Spectrum, error) {
	list := s.o.Schedules
	if len(list) == 0 {
		for _, line := range []string{"ring", "exponential", "one-peer-exponential", "base:k=2"} {
			if known, err := schedule.Load(line, schedule.Options{Nodes: s.o.Topology.IslandNames()}); err == nil {
				list = append(list, known)
			}
		}
		t, err := s.Timeline(ctx)
		if err != nil {
			return nil, err
		}
		list = append(list, t.Schedule)
	}
	var out []Spectrum
	const rounds = 24
	for _, sched := range list {
		one, err := SpectrumOf(sched, rounds)
		if err != nil {
			return nil, err
		}
		out = append(out, *one)
	}
	return out, nil
}
