package schedule

import (
	"fmt"

	"github.com/islandsgd/islands/internal/doc"
	"github.com/islandsgd/islands/internal/text"
)

// The file form, in YAML or JSON:
//
//	schedule: demo
//	nodes: [AMS, BAR, FRA, LAX]        # or n: 4
//	local_steps: 1
//	rounds:                            # one period
//	  - cliques: [[AMS, BAR], [FRA, LAX]]
//	  - edges: [[AMS, FRA, 0.5], [BAR, LAX, 0.5]]
//	  - edges: [[AMS, FRA], [BAR, LAX]]
//	    weights: metropolis
//	    lazy: 0.5
//	    local_steps: 4
//	  - edges: [[AMS, FRA], [FRA, BAR], [BAR, LAX]]
//	    weights: reversible
//	    target: [0.4, 0.3, 0.2, 0.1]   # share of each node, in their order
//	  - matrix: [[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]
//	  - entries: [[AMS, AMS, 1], ...]  # the same, sparse
//
// Instead of rounds, random lists outcomes: rounds with a probability each. family holds a family line, for
// distributions that are too large to list.

// Read reads a schedule from the bytes of a file; name stands in messages. Where Options gives names and the file
// gives the same ones in another order, the schedule is renumbered to the order of Options.
func Read(name string, data []byte, o Options) (*Schedule, error) {
	root, err := doc.Parse(name, data)
	if err != nil {
		return nil, err
	}
	f, err := root.Map("schedule", "nodes", "n", "local_steps", "rounds", "random", "family")
	if err != nil {
		return nil, err
	}
	s := &Schedule{}
	if v, ok := f.Get("schedule"); ok {
		if s.Name, err = v.Text(); err != nil {
			return nil, err
		}
	}
	if err := s.readNodes(root, f, o); err != nil {
		return nil, err
	}
	steps := 1
	if v, ok := f.Get("local_steps"); ok {
		if steps, err = v.Int(1); err != nil {
			return nil, err
		}
	}
	rd := &fileReader{s: s, index: s.index(), steps: steps}
	if rounds, ok := f.Get("rounds"); ok {
		if err := rd.readRounds(rounds); err != nil {
			return nil, err
		}
	}
	random, isRandom := f.Get("random")
	if isRandom {
		if err := rd.readRandom(random); err != nil {
			return nil, err
		}
	}
	if v, ok := f.Get("family"); ok {
		if len(s.Rounds) > 0 || isRandom {
			return nil, v.Errorf("family, rounds and random exclude each other")
		}
		return s.readFamily(v, o)
	}
	if len(s.Rounds) == 0 && !isRandom {
		return nil, root.Errorf(`field "rounds" is missing`)
	}
	if err := s.Validate(); err != nil {
		return nil, root.Errorf("%v", err)
	}
	return s.reorder(root, o)
}

// readNodes sets N and Nodes from "nodes" or "n", or from the options.
func (s *Schedule) readNodes(root doc.Node, f doc.Fields, o Options) error {
	if v, ok := f.Get("nodes"); ok {
		list, err := v.List()
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return v.Errorf("a schedule needs at least one node")
		}
		for _, item := range list {
			name, err := item.Text()
			if err != nil {
				return err
			}
			s.Nodes = append(s.Nodes, name)
		}
		s.N = len(s.Nodes)
		if s.N > MaxNodes {
			return v.Errorf("%d nodes, more than %d", s.N, MaxNodes)
		}
		if err := checkNames(s.Nodes); err != nil {
			return v.Errorf("%v", err)
		}
	}
	if v, ok := f.Get("n"); ok {
		n, err := v.Int(1)
		if err != nil {
			return err
		}
		if n > MaxNodes {
			return v.Errorf("%d nodes, more than %d", n, MaxNodes)
		}
		if s.Nodes != nil && n != s.N {
			return v.Errorf("n is %d, but %d nodes are named", n, s.N)
		}
		s.N = n
	}
	if s.N == 0 {
		s.N = o.size()
		if o.N == 0 && len(o.Nodes) == 0 {
			return root.Errorf(`field "nodes" or "n" is missing`)
		}
	}
	if err := o.fits(s.N); err != nil {
		return root.Errorf("%v", err)
	}
	if s.Nodes == nil && len(o.Nodes) > 0 {
		s.Nodes = o.Nodes
	}
	return nil
}

func (s *Schedule) readFamily(v doc.Node, o Options) (*Schedule, error) {
	line, err := v.Text()
	if err != nil {
		return nil, err
	}
	of := o
	of.N = s.N
	if s.Nodes != nil {
		of.Nodes = s.Nodes
	}
	out, err := loadFamilyLine(line, of)
	if err != nil {
		return nil, v.Errorf("%v", err)
	}
	if out.N != s.N {
		return nil, v.Errorf("the family has %d nodes, the file %d", out.N, s.N)
	}
	if s.Name != "" {
		out.Name = s.Name
	}
	return out.reorder(v, o)
}

// reorder renumbers the nodes to the order of the options' names.
func (s *Schedule) reorder(at doc.Node, o Options) (*Schedule, error) {
	if len(o.Nodes) == 0 || s.Nodes == nil {
		return s, nil
	}
	want := (&Schedule{N: len(o.Nodes), Nodes: o.Nodes}).index()
	to := make([]int, s.N)
	same := true
	for i, name := range s.Nodes {
		j, ok := want.byName[name]
		if !ok {
			return nil, at.Errorf("node %q is no island%s", name, text.DidYouMean(name, o.Nodes))
		}
		to[i] = j
		same = same && i == j
	}
	if same {
		return s, nil
	}
	if s.Random != nil && s.Random.draw != nil && s.Random.Outcomes == nil && !s.Random.Exchangeable {
		return nil, at.Errorf("the nodes stand in another order than the islands, which a family line cannot follow")
	}
	s.Nodes = o.Nodes
	for i := range s.Rounds {
		s.Rounds[i].renumber(to)
	}
	if s.Random != nil {
		for i := range s.Random.Outcomes {
			s.Random.Outcomes[i].Round.renumber(to)
		}
		for _, m := range s.Random.Matchings {
			for k := range m {
				m[k].I, m[k].J = to[m[k].I], to[m[k].J]
			}
		}
	}
	return s, nil
}

func (r *Round) renumber(to []int) {
	if r.Target != nil {
		target := make([]float64, len(to))
		for i, v := range r.Target {
			target[to[i]] = v
		}
		r.Target = target
	}
	for _, c := range r.Cliques {
		for k := range c {
			c[k] = to[c[k]]
		}
	}
	for _, list := range [][]Edge{r.Edges, r.Entries} {
		for k := range list {
			list[k].I, list[k].J = to[list[k].I], to[list[k].J]
		}
	}
}

// fileReader reads rounds with the place of each mistake.
type fileReader struct {
	s     *Schedule
	index nodeIndex
	steps int // local steps of a round that does not say
	terms int
}

func (rd *fileReader) readRounds(v doc.Node) error {
	list, err := v.List()
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return v.Errorf("a schedule needs at least one round")
	}
	for _, item := range list {
		r, _, err := rd.round(item)
		if err != nil {
			return err
		}
		rd.s.Rounds = append(rd.s.Rounds, r)
	}
	return nil
}

func (rd *fileReader) readRandom(v doc.Node) error {
	if len(rd.s.Rounds) > 0 {
		return v.Errorf("rounds and random exclude each other")
	}
	list, err := v.List()
	if err != nil {
		return err
	}
	if len(list) == 0 || len(list) > MaxOutcomes {
		return v.Errorf("%d outcomes, want 1 to %d", len(list), MaxOutcomes)
	}
	rd.s.Random = &Random{LocalSteps: rd.steps}
	for _, item := range list {
		r, p, err := rd.round(item, "probability")
		if err != nil {
			return err
		}
		rd.s.Random.Outcomes = append(rd.s.Random.Outcomes, Outcome{p, r})
	}
	return nil
}

// round reads one round, and its probability where that is allowed and then required.
func (rd *fileReader) round(v doc.Node, extra ...string) (Round, float64, error) {
	r := Round{LocalSteps: rd.steps}
	f, err := v.Map(append(extra, "cliques", "edges", "matrix", "entries", "weights", "target", "lazy", "local_steps")...)
	if err != nil {
		return r, 0, err
	}
	probability := 0.0
	if len(extra) > 0 {
		p, err := f.Require("probability")
		if err != nil {
			return r, 0, err
		}
		if probability, err = p.Float(); err != nil {
			return r, 0, err
		}
		if probability < 0 || probability > 1 {
			return r, 0, p.Errorf("probability %v is outside [0, 1]", probability)
		}
	}
	if w, ok := f.Get("weights"); ok {
		if r.Rule, err = w.Text(); err != nil {
			return r, 0, err
		}
		if err := checkRule(r.Rule); err != nil {
			return r, 0, w.Errorf("%v", err)
		}
	}
	if v, ok := f.Get("target"); ok {
		if r.Target, err = v.Floats(); err != nil {
			return r, 0, err
		}
	}
	kinds := 0
	for _, kind := range []struct {
		key  string
		read func(doc.Node, *Round) error
	}{{"cliques", rd.cliques}, {"edges", rd.edges}, {"matrix", rd.matrix}, {"entries", rd.entries}} {
		k, ok := f.Get(kind.key)
		if !ok {
			continue
		}
		if kinds++; kinds > 1 {
			return r, 0, k.Errorf("a round has one of cliques, edges, matrix and entries")
		}
		if err := kind.read(k, &r); err != nil {
			return r, 0, err
		}
	}
	if kinds == 0 {
		return r, 0, v.Errorf("the round has none of cliques, edges, matrix and entries (an idle round has cliques: [])")
	}
	if h, ok := f.Get("local_steps"); ok {
		if r.LocalSteps, err = h.Int(1); err != nil {
			return r, 0, err
		}
	}
	if l, ok := f.Get("lazy"); ok {
		if r.Lazy, err = l.Float(); err != nil {
			return r, 0, err
		}
		if !(r.Lazy > 0 && r.Lazy <= 1) {
			return r, 0, l.Errorf("lazy %v is outside (0, 1]", r.Lazy)
		}
	}
	if err := rd.s.validateRound(&r); err != nil {
		return r, 0, v.Errorf("%v", err)
	}
	return r, probability, nil
}

func (rd *fileReader) node(v doc.Node) (int, error) {
	name, err := v.Text()
	if err != nil {
		return 0, err
	}
	i, err := rd.index.lookup(name)
	if err != nil {
		return 0, v.Errorf("%v", err)
	}
	return i, nil
}

func (rd *fileReader) cliques(v doc.Node, r *Round) error {
	list, err := v.List()
	if err != nil {
		return err
	}
	seen := make(map[int]bool)
	for _, item := range list {
		members, err := item.List()
		if err != nil {
			return err
		}
		if len(members) == 0 {
			return item.Errorf("a clique is empty")
		}
		c := make([]int, len(members))
		for k, m := range members {
			if c[k], err = rd.node(m); err != nil {
				return err
			}
			if seen[c[k]] {
				return m.Errorf("node %s is in two cliques", rd.s.NodeName(c[k]))
			}
			seen[c[k]] = true
		}
		r.Cliques = append(r.Cliques, c)
	}
	return nil
}

// edges reads [a, b, weight], or [a, b] under a rule.
func (rd *fileReader) edges(v doc.Node, r *Round) error {
	list, err := v.List()
	if err != nil {
		return err
	}
	want, form := 3, "[node, node, weight]"
	if r.Rule != "" {
		want, form = 2, "[node, node], its weight being given by weights: "+r.Rule
	}
	r.Edges, err = rd.triples(list, want, form)
	return err
}

func (rd *fileReader) entries(v doc.Node, r *Round) error {
	list, err := v.List()
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return v.Errorf("the matrix has no entry")
	}
	r.Entries, err = rd.triples(list, 3, "[row, column, value]")
	return err
}

func (rd *fileReader) triples(list []doc.Node, want int, form string) ([]Edge, error) {
	edges := make([]Edge, len(list))
	for k, item := range list {
		parts, err := item.List()
		if err != nil {
			return nil, err
		}
		if len(parts) != want {
			return nil, item.Errorf("%d values where %s is expected", len(parts), form)
		}
		e := &edges[k]
		if e.I, err = rd.node(parts[0]); err != nil {
			return nil, err
		}
		if e.J, err = rd.node(parts[1]); err != nil {
			return nil, err
		}
		if want == 3 {
			if e.Weight, err = parts[2].Float(); err != nil {
				return nil, err
			}
		}
	}
	return edges, nil
}

func (rd *fileReader) matrix(v doc.Node, r *Round) error {
	rows, err := v.List()
	if err != nil {
		return err
	}
	if len(rows) != rd.s.N {
		return v.Errorf("the matrix has %d rows for %d nodes", len(rows), rd.s.N)
	}
	for i, row := range rows {
		values, err := row.Floats()
		if err != nil {
			return err
		}
		if len(values) != rd.s.N {
			return row.Errorf("row %d has %d values for %d nodes", i, len(values), rd.s.N)
		}
		for j, w := range values {
			if w != 0 {
				r.Entries = append(r.Entries, Edge{i, j, w})
			}
		}
	}
	if len(r.Entries) == 0 { // would be taken for an idle round, which is the identity
		return v.Errorf("the matrix is zero")
	}
	return nil
}

func loadFamilyLine(line string, o Options) (*Schedule, error) {
	name := familyName(line)
	f, ok := family(name)
	if !ok {
		return nil, fmt.Errorf("unknown schedule %q%s", name, text.DidYouMean(name, familyNames()))
	}
	return f.load(line, o)
}
