package collective

import (
	"errors"
	"math"
)

// The master problem shares a payload out over given plans so that the busiest arc is as little busy as possible:
//
//	minimize θ   subject to   Σ_p A_ap x_p - θ + s_a = 0   for each arc a     (A: seconds of plan p on arc a)
//	                          Σ_{p of q} x_p = d_q         for each job q: a share of a clique's payload
//	                          x, s ≥ 0
//
// Its dual gives each arc a price π_a ≥ 0 with Σ π_a = 1, and θ ≥ Σ_q d_q (cheapest plan of q at these prices) for any
// such prices: a bound that anyone can check without trusting this solver.
//
// It is solved by the revised simplex method with an explicit inverse of the basis, rebuilt now and then from the
// columns. Most basic variables are slacks, so a rebuild costs little. Dantzig's rule picks the entering variable;
// after a run of degenerate steps Bland's rule takes over until θ falls, which cannot cycle.
type master struct {
	arcs    int
	demand  []float64 // of each job
	scale   []float64 // of each arc's row: slow arcs have large entries
	columns []masterColumn
	byArc   [][]entry // of the columns, set by index

	basis   []int // variable in each row: a slack by its arc, θ, or arcs+1+column
	inverse [][]float64
	value   []float64 // of the basic variables
	steps   int       // since the last rebuild

	alpha   []float64 // scratch
	reduced []float64 // scratch: cost of each column
	nonzero []int     // scratch of pivot
}

// masterColumn is a plan's entries in the rows of its arcs.
type masterColumn struct {
	job    int
	rows   []int
	values []float64
}

// entry is a column's value in an arc's row.
type entry struct {
	column int
	value  float64
}

const (
	// pivotFloor is the smallest entry to pivot on. Entries are of order 1 by scaling.
	pivotFloor = 1e-9
	// priceFloor is how far below zero a reduced cost must be to enter: rounding of sums of order 1, with room.
	priceFloor = 1e-12
	// rebuildEvery bounds the growth of rounding in the inverse.
	rebuildEvery = 60
	// degenerateRun is how many steps without progress Dantzig's rule is allowed.
	degenerateRun = 40
	// maxSteps ends a run that makes no progress; the callers then use what there is, with its true gap.
	maxSteps = 50_000
)

var errMaster = errors.New("the linear program lost its basis to rounding")

// newMaster takes the seconds of one payload on each arc, about 1 where they matter. Rows of slower arcs are scaled
// down to that.
func newMaster(unit, demand []float64) *master {
	arcs := len(unit)
	n := arcs + len(demand)
	scale := make([]float64, arcs)
	for a, u := range unit {
		scale[a] = 1 / max(1, u)
	}
	m := &master{scale: scale, byArc: make([][]entry, arcs), arcs: arcs, demand: demand, basis: make([]int, n), value: make([]float64, n), alpha: make([]float64, n),
		inverse: make([][]float64, n)}
	space := make([]float64, n*n)
	for i := range n {
		m.inverse[i], space = space[:n:n], space[n:]
	}
	return m
}

func (m *master) theta() int { return m.arcs }

// add appends a column; entries are seconds on arcs. It keeps the slices and scales the values.
func (m *master) add(job int, rows []int, values []float64) int {
	for i, r := range rows {
		values[i] *= m.scale[r]
	}
	m.columns = append(m.columns, masterColumn{job, rows, values})
	return len(m.columns) - 1
}

// index lists the columns' entries by arc, for reduce.
func (m *master) index() {
	m.reduced = make([]float64, len(m.columns))
	count := make([]int, m.arcs)
	total := 0
	for _, c := range m.columns {
		total += len(c.rows)
		for _, r := range c.rows {
			count[r]++
		}
	}
	space := make([]entry, total)
	for a, n := range count {
		m.byArc[a], space = space[:0:n], space[n:]
	}
	for j, c := range m.columns {
		for i, r := range c.rows {
			m.byArc[r] = append(m.byArc[r], entry{j, c.values[i]})
		}
	}
}

// start sets the basis in which each job uses the given column: θ is the load of the busiest arc.
func (m *master) start(columns []int) error {
	load := make([]float64, m.arcs)
	for _, c := range columns {
		for i, r := range m.columns[c].rows {
			load[r] += m.demand[m.columns[c].job] * m.columns[c].values[i] / m.scale[r]
		}
	}
	busiest := 0
	for a := range load {
		if load[a] > load[busiest] {
			busiest = a
		}
	}
	for a := range m.arcs {
		m.basis[a] = a
	}
	m.basis[busiest] = m.theta()
	for q, c := range columns {
		m.basis[m.arcs+q] = m.arcs + 1 + c
	}
	return m.rebuild()
}

// times sets alpha to inverse · column of a variable.
func (m *master) times(variable int) {
	switch {
	case variable < m.arcs:
		for i, row := range m.inverse {
			m.alpha[i] = row[variable]
		}
	case variable == m.theta():
		for i, row := range m.inverse {
			sum := 0.0
			for a, v := range row[:m.arcs] {
				sum -= v * m.scale[a]
			}
			m.alpha[i] = sum
		}
	default:
		c := &m.columns[variable-m.arcs-1]
		for i, row := range m.inverse {
			sum := row[m.arcs+c.job]
			for k, r := range c.rows {
				sum += row[r] * c.values[k]
			}
			m.alpha[i] = sum
		}
	}
}

// pivot makes alpha the unit vector of a row.
func (m *master) pivot(row int) {
	p := m.inverse[row]
	scale := 1 / m.alpha[row]
	m.nonzero = m.nonzero[:0]
	for k := range p {
		if p[k] *= scale; p[k] != 0 {
			m.nonzero = append(m.nonzero, k)
		}
	}
	for i, r := range m.inverse {
		f := m.alpha[i]
		if i == row || f == 0 {
			continue
		}
		for _, k := range m.nonzero {
			r[k] -= f * p[k]
		}
	}
}

// rebuild computes the inverse and the values from the columns of the basis. Slacks stay in their own rows; every
// other variable takes the free row in which it is largest.
func (m *master) rebuild() error {
	n := len(m.basis)
	free := make([]bool, n)
	for i := range free {
		free[i] = true
	}
	var others []int
	for _, v := range m.basis {
		if v < m.arcs {
			free[v] = false
		} else {
			others = append(others, v)
		}
	}
	for i, row := range m.inverse {
		clear(row)
		row[i] = 1
		if !free[i] {
			m.basis[i] = i
		}
	}
	for _, v := range others {
		m.times(v)
		at, largest := -1, pivotFloor/1000
		for i := range n {
			if free[i] && math.Abs(m.alpha[i]) > largest {
				at, largest = i, math.Abs(m.alpha[i])
			}
		}
		if at < 0 {
			return errMaster
		}
		m.pivot(at)
		free[at], m.basis[at] = false, v
	}
	for i, row := range m.inverse { // right-hand side: 0 for arcs, the demand for jobs
		m.value[i] = 0
		for q, v := range row[m.arcs:] {
			m.value[i] += v * m.demand[q]
		}
		if m.value[i] < 0 {
			m.value[i] = 0 // rounding: the simplex keeps values from falling below
		}
	}
	m.steps = 0
	return nil
}

// dual returns the row of the inverse that belongs to θ: minus the arcs' prices, then the cliques' costs.
func (m *master) dual() []float64 {
	for i, v := range m.basis {
		if v == m.theta() {
			return m.inverse[i]
		}
	}
	return nil // θ is positive and never leaves
}

// solve runs the simplex method from the current basis to an optimum over the columns there are.
func (m *master) solve() error {
	m.index()
	still, best := 0, math.Inf(1)
	for range maxSteps {
		if m.steps >= rebuildEvery {
			if err := m.rebuild(); err != nil {
				return err
			}
		}
		y := m.dual()
		if y == nil {
			return errMaster
		}
		enter := m.entering(y, still > degenerateRun)
		if enter < 0 {
			if m.steps == 0 {
				return nil
			}
			m.steps = rebuildEvery // confirm on a fresh inverse
			continue
		}
		m.times(enter)
		leave := m.leaving(still > degenerateRun)
		if leave < 0 {
			return errMaster // θ ≥ 0 cannot be unbounded
		}
		m.step(enter, leave)
		if theta := m.objective(); theta < best*(1-1e-13) {
			best, still = theta, 0
		} else {
			still++
		}
	}
	return nil
}

func (m *master) objective() float64 {
	for i, v := range m.basis {
		if v == m.theta() {
			return m.value[i]
		}
	}
	return math.Inf(1)
}

// entering picks a variable whose reduced cost is negative: the most negative, or by Bland's rule the first.
func (m *master) entering(y []float64, bland bool) int {
	enter, least := -1, -priceFloor
	for a := range m.arcs {
		if d := -y[a]; d < least {
			enter, least = a, d
			if bland {
				return enter
			}
		}
	}
	m.reduce(y)
	for j, d := range m.reduced {
		if d < least {
			enter, least = m.arcs+1+j, d
			if bland {
				return enter
			}
		}
	}
	return enter
}

// reduce sets the columns' reduced costs. It goes by arcs, since most have no price.
func (m *master) reduce(y []float64) {
	for j := range m.columns {
		m.reduced[j] = -y[m.arcs+m.columns[j].job]
	}
	for a, price := range y[:m.arcs] {
		if price == 0 {
			continue
		}
		for _, e := range m.byArc[a] {
			m.reduced[e.column] -= price * e.value
		}
	}
}

// leaving is the ratio test; of equal ratios the largest pivot, or by Bland's rule the first variable.
func (m *master) leaving(bland bool) int {
	leave, ratio := -1, math.Inf(1)
	for i, a := range m.alpha {
		if a <= pivotFloor || m.basis[i] == m.theta() {
			continue
		}
		r := m.value[i] / a
		switch {
		case leave < 0 || r < ratio-1e-14:
			leave, ratio = i, r
		case r <= ratio+1e-14:
			if bland && m.basis[i] < m.basis[leave] || !bland && a > m.alpha[leave] {
				leave, ratio = i, min(r, ratio)
			}
		}
	}
	return leave
}

func (m *master) step(enter, leave int) {
	amount := m.value[leave] / m.alpha[leave]
	for i, a := range m.alpha {
		m.value[i] = max(0, m.value[i]-amount*a)
	}
	m.value[leave] = amount
	m.pivot(leave)
	m.basis[leave] = enter
	m.steps++
}

// shares returns how each job is divided among its columns: not negative, sum 1.
func (m *master) shares() []float64 {
	x := make([]float64, len(m.columns))
	sum := make([]float64, len(m.demand))
	for i, v := range m.basis {
		if j := v - m.arcs - 1; j >= 0 {
			x[j] = m.value[i]
			sum[m.columns[j].job] += x[j]
		}
	}
	for j := range x {
		if s := sum[m.columns[j].job]; s > 0 {
			x[j] /= s // rounding must not lose a part of the payload
		}
	}
	return x
}

// prices returns the arcs' prices: not negative, sum 1.
func (m *master) prices() []float64 {
	y := m.dual()
	out := make([]float64, m.arcs)
	for a := range out {
		out[a] = max(0, -y[a]*m.scale[a])
	}
	return out
}
