package gossip

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/islandsgd/islands/mixing"
)

// ExactOptions are the settings of Exact. The zero value asks for atc at step 1/(4L), for no points, and so only for
// the radius and the stationary values.
type ExactOptions struct {
	Algorithm Algorithm // default atc
	Step      float64   // η; default (0): 1/(4L)
	At        []int     // rounds to report, in any order; 0 is the start
	Jobs      int       // worker goroutines; default (0): one for each processor

	// Progress, if set, is called after each finished group of coordinates, from one goroutine at a time.
	Progress func(done, total int)
}

// ExactPoint is the exact state after T rounds.
type ExactPoint struct {
	T int
	Moments
	Overflow bool // the values passed the range of floating point; they then read MaxFloat64
}

// MarshalJSON writes t, mse, centroid and consensus; values that overflowed are null.
func (p ExactPoint) MarshalJSON() ([]byte, error) {
	if p.Overflow {
		return json.Marshal(map[string]any{"t": p.T, "mse": nil, "centroid": nil, "consensus": nil})
	}
	return json.Marshal(struct {
		T int `json:"t"`
		Moments
	}{p.T, p.Moments})
}

// ExactResult is what Exact found.
type ExactResult struct {
	Step       float64      `json:"step"`       // η that was used
	Points     []ExactPoint `json:"points"`     // in the order of ExactOptions.At
	Stationary *Moments     `json:"stationary"` // limit at the end of the period; nil: there is none, or it is too large to solve for
	Radius     *float64     `json:"radius"`     // spectral radius of the mean map, per round, without conserved directions; nil: too large to compute
	Stable     bool         `json:"stable"`     // the radius is known and below 1
	Overflow   *int         `json:"overflow"`   // first round after which a value is past the range of floating point
	Warnings   []string     `json:"-"`
}

// maxSolveSize is the largest state whose period map is written out for eigenvalues and stationary values: their cost
// is cubic, some seconds at this size.
const maxSolveSize = 512

// maxExactSize is the largest state whose covariance is followed: a dense square matrix, half a gigabyte at this size, of
// which every worker holds some.
const maxExactSize = 8192

// Exact computes the exact moments of an algorithm on a quadratic under a schedule: at the rounds asked for, in the
// limit, and the spectral radius that decides whether there is one. The error is a wrong input or the end of ctx; a
// system that diverges is a result.
func Exact(ctx context.Context, q *Quadratic, seq *mixing.Sequence, o ExactOptions) (*ExactResult, error) {
	if o.Algorithm.simulatedOnly() {
		return nil, fmt.Errorf("%s has no exact moments: simulate it", o.Algorithm)
	}
	step, warnings, err := prepare(q, seq, o.Algorithm, o.Step, o.At)
	if err != nil {
		return nil, err
	}
	if err := keepsExact(q, seq, o.Algorithm); err != nil {
		return nil, err
	}
	groups := q.groups(o.Algorithm)
	if slices.ContainsFunc(groups, (*group).flat) {
		warnings = append(warnings, "the average curvature is 0 in some direction: there the optimum is not unique, errors count from the one nearest to 0, and nothing converges")
	}
	for _, g := range groups {
		if size := q.N * g.m; size > maxExactSize {
			return nil, fmt.Errorf("exact moments follow the covariance of %d islands × %d coupled parameters, and %d × %d is too large: at most %d (simulate has no such limit)", q.N, g.m, size, size, maxExactSize)
		}
	}
	at := slices.Clone(o.At)
	slices.Sort(at)
	at = slices.Compact(at)

	// Groups are summed within chunks that do not depend on Jobs, then the chunks in order: equal bits for any Jobs.
	chunks := min(len(groups), 64)
	parts := make([]exactPart, chunks)
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(jobs(o.Jobs))
	var lock sync.Mutex
	finished := 0
	for c := range chunks {
		work.Go(func() error {
			parts[c].init(len(at))
			weights := q.weights()
			for k := c * len(groups) / chunks; k < (c+1)*len(groups)/chunks; k++ {
				if err := parts[c].group(ctx, q, seq, o.Algorithm, step, weights, groups[k], at); err != nil {
					return err
				}
				if o.Progress != nil {
					lock.Lock()
					finished++
					o.Progress(finished, len(groups))
					lock.Unlock()
				}
			}
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	total := parts[0]
	for _, part := range parts[1:] {
		total.add(part)
	}
	return total.result(step, at, o.At, warnings), nil
}

func jobs(n int) int {
	if n < 1 {
		return runtime.GOMAXPROCS(0)
	}
	return n
}

// exactPart is the sum over some groups of a problem.
type exactPart struct {
	points     []Moments
	overflow   int // first round past the range; 0: none
	radius     float64
	noRadius   bool // a group was too large
	stationary Moments
}

// group adds one group, by second moments where a mean and a covariance are not enough.
func (e *exactPart) group(ctx context.Context, q *Quadratic, seq *mixing.Sequence, a Algorithm, step float64, weights []float64, g *group, at []int) error {
	if needsSecond(q, seq, a) {
		p, err := a.compileSecond(q, seq, step, weights, g)
		if err != nil {
			return err
		}
		return e.runSecond(ctx, p, weights, at)
	}
	return e.run(ctx, a.compile(seq, step, weights, g), weights, at)
}

func (e *exactPart) init(points int) { e.points = make([]Moments, points) }

func (m *Moments) add(o Moments) {
	m.MSE += o.MSE
	m.Centroid += o.Centroid
	m.Consensus += o.Consensus
}

func (e *exactPart) add(o exactPart) {
	for i := range e.points {
		e.points[i].add(o.points[i])
	}
	if o.overflow > 0 && (e.overflow == 0 || o.overflow < e.overflow) {
		e.overflow = o.overflow
	}
	e.radius = max(e.radius, o.radius)
	e.noRadius = e.noRadius || o.noRadius
	e.stationary.add(o.stationary)
}

// run adds one group.
func (e *exactPart) run(ctx context.Context, p *program, weights []float64, at []int) error {
	j := jumper{p: p}
	s := p.begin()
	own := exactPart{points: make([]Moments, len(at))}
	for i, t := range at {
		before := s.t
		if err := j.advance(ctx, s, t); err != nil {
			return err
		}
		own.points[i] = s.measure(weights)
		if !own.points[i].finite() {
			first, err := j.firstOverflow(ctx, weights, before, t)
			if err != nil {
				return err
			}
			own.overflow = first
			break
		}
	}
	if p.size() > maxSolveSize {
		own.noRadius = true
	} else {
		f := j.periodMap()
		radius, ok := spectralRadius(f.m, f.s)
		radius = p.group.told(radius)
		own.noRadius = !ok
		own.radius = math.Pow(radius, 1/float64(len(p.rounds)))
		if ok && own.radius < 1 {
			settled, ok := p.settle(f)
			own.noRadius = !ok
			if ok {
				own.stationary = settled.measure(weights)
			}
		}
	}
	e.add(own)
	return nil
}

func (e *exactPart) result(step float64, sorted, asked []int, warnings []string) *ExactResult {
	r := &ExactResult{Step: step, Points: make([]ExactPoint, len(asked)), Warnings: warnings}
	for i, t := range asked {
		k, _ := slices.BinarySearch(sorted, t)
		p := ExactPoint{T: t, Moments: e.points[k]}
		if e.overflow > 0 && t >= e.overflow || !p.finite() {
			p.Moments, p.Overflow = Moments{math.MaxFloat64, math.MaxFloat64, math.MaxFloat64}, true
		}
		r.Points[i] = p
	}
	if e.overflow > 0 {
		r.Overflow = &e.overflow
		r.Warnings = append(r.Warnings, fmt.Sprintf("diverges: passes the range of floating point at round %d", e.overflow))
	}
	if e.noRadius {
		r.Warnings = append(r.Warnings, "radius and stationary values are not computed: the state that does not decouple is too large")
		return r
	}
	r.Radius = &e.radius
	if r.Stable = e.radius < 1; r.Stable && e.stationary.finite() {
		r.Stationary = &e.stationary
	}
	return r
}
