package schedule

import "github.com/islandsgd/islands/internal/doc"

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
