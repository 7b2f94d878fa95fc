// Package explain works a small instance of decentralized SGD by hand, for the blackboard: every matrix, eigenvalue,
// moment and bound with its formula and the numbers put in.
//
// Take three islands on a ring, one parameter each, and two rounds. The explanation writes down W, finds its eigenvalues,
// locates the optimum x*, follows the mean and the covariance of the replicas through both rounds,
//
//	m ← W (m - η A (m - b)),   C ← W (F C F' + η² N) W',   F = I - η A,
//
// splits the error into that of the centroid and that of consensus, solves for the limit, and evaluates the recursion,
// window and kernel bounds term by term.
//
// The arithmetic here is plain and its own: nothing is taken over from packages gossip and bounds but the constants of a
// problem's definition. In the end the results are compared with theirs, and an explanation that disagreed would be an
// error and not a result. So it is a third, slow and readable implementation of the same mathematics.
//
// What does not fit a blackboard is refused, with the reason: more than MaxIslands islands, MaxParameters parameters,
// MaxRounds rounds, or an algorithm, schedule or noise for which the recursion above does not hold.
package explain

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/gossip"
	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

// What fits a blackboard.
const (
	MaxIslands    = 6
	MaxParameters = 3
	MaxRounds     = 12 // to follow, and of a period
	MaxSteps      = 48 // local steps in all
)

// Instance is what to explain.
type Instance struct {
	Schedule  *schedule.Schedule
	Problem   *gossip.Quadratic
	About     string           // what the problem is called
	Algorithm gossip.Algorithm // only atc, the default, is worked by hand
	Step      float64          // η; default (0): 1/(4L)
	Rounds    int              // rounds to follow, 0 to MaxRounds
}

// Explanation is an instance worked by hand.
type Explanation struct {
	Schedule string  `json:"schedule"`
	Problem  string  `json:"problem"`
	Islands  int     `json:"n"`
	Size     int     `json:"d"`
	Step     float64 `json:"step"`
	Rounds   int     `json:"rounds"`
	Steps    []Step  `json:"steps"`
}

// Step is one step of the work.
type Step struct {
	Section string `json:"section"` // "mixing", "problem", "moments", "limit" or "bounds"
	Title   string `json:"title"`
	Formula string `json:"formula,omitempty"`
	Items   []Item `json:"items"`
}

// Item is one thing worked out: a number, a vector or a matrix, or a remark alone.
type Item struct {
	Name   string      `json:"name,omitempty"`
	Work   string      `json:"work,omitempty"` // the formula with the numbers put in, or the remark
	Number *float64    `json:"number,omitempty"`
	Vector []float64   `json:"vector,omitempty"`
	Matrix [][]float64 `json:"matrix,omitempty"`
	Note   string      `json:"note,omitempty"`
}

// Explain works an instance by hand. The error is an instance that does not fit, or the end of ctx.
func Explain(ctx context.Context, in Instance) (*Explanation, error) {
	if err := in.fits(); err != nil {
		return nil, err
	}
	w, err := newWork(ctx, in)
	if err != nil {
		return nil, err
	}
	w.mixing()
	w.problem()
	w.moments()
	w.limit()
	if err := w.bounds(ctx); err != nil {
		return nil, err
	}
	if err := w.check(ctx); err != nil {
		return nil, err
	}
	return &Explanation{Schedule: in.Schedule.Name, Problem: in.About, Islands: w.n, Size: w.d, Step: w.eta, Rounds: in.Rounds, Steps: w.steps}, nil
}

// fits says why an instance cannot be worked by hand.
func (in Instance) fits() error {
	q, s := in.Problem, in.Schedule
	steps := 0
	if s.Random == nil {
		for t := range in.Rounds {
			steps += s.Round(t).LocalSteps
		}
	}
	switch {
	case q.N != s.N:
		return fmt.Errorf("the problem has %d islands, the schedule has %d nodes", q.N, s.N)
	case q.N > MaxIslands:
		return fmt.Errorf("%d islands are too many to work by hand: at most %d, for instance n=4 (analyze exact takes any number)", q.N, MaxIslands)
	case q.D > MaxParameters:
		return fmt.Errorf("%d parameters are too many to work by hand: at most %d, for instance quadratic:d=1 (analyze exact takes any number)", q.D, MaxParameters)
	case s.Random != nil:
		return fmt.Errorf("schedule %s is random: there is no sequence of matrices to follow (analyze mixing gives its mean contraction)", s.Name)
	case s.Period() > MaxRounds:
		return fmt.Errorf("schedule %s repeats after %d rounds: at most %d can be worked by hand", s.Name, s.Period(), MaxRounds)
	case in.Rounds < 0 || in.Rounds > MaxRounds:
		return fmt.Errorf("round %d: between 0 and %d rounds can be worked by hand (analyze exact takes any number)", in.Rounds, MaxRounds)
	case steps > MaxSteps:
		return fmt.Errorf("%d rounds take %d local steps: at most %d can be worked by hand (fewer rounds or a smaller h)", in.Rounds, steps, MaxSteps)
	case q.LeastSquares:
		return fmt.Errorf("the noise of least squares grows with the error: the recursion of mean and covariance that is worked here does not hold (analyze exact works with second moments)")
	case in.Algorithm.String() != "atc":
		return fmt.Errorf("algorithm %s is not worked by hand, only atc (analyze exact knows the others)", in.Algorithm)
	}
	return gossip.CheckStep(q, in.Step)
}

// work is an explanation being written.
type work struct {
	in      Instance
	seq     *mixing.Sequence
	report  *mixing.Report
	n, d    int
	eta     float64
	weights []float64        // of the islands, sum 1
	w       []*mat.Dense     // of each round of a period
	norms   []float64        // ‖W_t-J‖ of each round of a period
	c       gossip.Constants // worked out
	mean    *mat.Dense       // Ā
	section string
	steps   []Step

	points []gossip.Moments   // worked out, by round
	final  *gossip.Moments    // worked out; nil: there is no limit
	values map[string]float64 // bounds worked out, by id
}

func newWork(ctx context.Context, in Instance) (*work, error) {
	seq, err := mixing.New(in.Schedule)
	if err != nil {
		return nil, err
	}
	w := &work{in: in, seq: seq, n: in.Problem.N, d: in.Problem.D, eta: in.Step, values: map[string]float64{}}
	if w.eta == 0 {
		if w.eta, err = in.Problem.DefaultStep(); err != nil {
			return nil, err
		}
	}
	if w.report, err = mixing.Analyze(ctx, seq, mixing.Options{}); err != nil {
		return nil, err
	}
	w.weights = in.Problem.Weights
	if w.weights == nil {
		for range w.n {
			w.weights = append(w.weights, 1/float64(w.n))
		}
	}
	for t := range seq.Steps {
		w.w = append(w.w, seq.Steps[t].W.Dense())
		w.norms = append(w.norms, w.disagreement(w.w[t]))
	}
	return w, nil
}

// step begins a step; the functions below add items to it.
func (w *work) step(title, formula string) {
	w.steps = append(w.steps, Step{Section: w.section, Title: title, Formula: formula, Items: []Item{}})
}

func (w *work) item(i Item) {
	s := &w.steps[len(w.steps)-1]
	s.Items = append(s.Items, i)
}

func (w *work) number(name, working string, v float64) {
	w.item(Item{Name: name, Work: working, Number: &v})
}
func (w *work) vector(name, working string, v []float64) {
	w.item(Item{Name: name, Work: working, Vector: v})
}
func (w *work) matrix(name string, m mat.Matrix) { w.item(Item{Name: name, Matrix: rows(m)}) }
func (w *work) remark(format string, a ...any)   { w.item(Item{Work: fmt.Sprintf(format, a...)}) }

func rows(m mat.Matrix) [][]float64 {
	r, _ := m.Dims()
	out := make([][]float64, r)
	for i := range out {
		out[i] = mat.Row(nil, i, m)
	}
	return out
}
