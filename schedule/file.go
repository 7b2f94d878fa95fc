package schedule

import (
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
// Instead of rounds, random describes independent draws: a list of rounds with a probability each, or one of
//
//	random: {cliques_of: 3, lazy: 0.5}                           # a uniformly random partition
//	random: {one_of: [[AMS, BAR], [BAR, FRA]]}                   # one of these pairs averages
//	random: {matchings: [[[AMS, BAR], [FRA, LAX]], [[BAR, FRA]]], budget: 0.5}   # MATCHA

// Read reads a schedule from the bytes of a file; name stands in messages. Where Options gives names and the file
// gives the same ones in another order, the schedule is renumbered to the order of Options.
func Read(name string, data []byte, o Options) (*Schedule, error) {
	root, err := doc.Parse(name, data)
	if err != nil {
		return nil, err
	}
	f, err := root.Map("schedule", "nodes", "n", "local_steps", "rounds", "random")
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
	s.Nodes = o.Nodes
	for i := range s.Rounds {
		s.Rounds[i].renumber(to)
	}
	if s.Random != nil {
		for i := range s.Random.Outcomes {
			s.Random.Outcomes[i].Round.renumber(to)
		}
		for _, m := range append(s.Random.Matchings, s.Random.Edges) {
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
