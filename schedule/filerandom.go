package schedule

import "github.com/islandsgd/islands/internal/doc"

func (rd *fileReader) readRandom(v doc.Node) error {
	if len(rd.s.Rounds) > 0 {
		return v.Errorf("rounds and random exclude each other")
	}
	if v.IsMap() {
		return rd.distribution(v)
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

// distribution reads a distribution by its structure.
func (rd *fileReader) distribution(v doc.Node) error {
	f, err := v.Map("cliques_of", "one_of", "matchings", "budget", "lazy")
	if err != nil {
		return err
	}
	r := &Random{LocalSteps: rd.steps}
	if k, ok := f.Get("cliques_of"); ok {
		r.Exchangeable, r.N = true, rd.s.N
		if r.CliqueSize, err = k.Int(1); err != nil {
			return err
		}
	}
	if list, ok := f.Get("one_of"); ok {
		if r.Edges, err = rd.pairs(list); err != nil {
			return err
		}
	}
	if list, ok := f.Get("matchings"); ok {
		matchings, err := list.List()
		if err != nil {
			return err
		}
		for _, m := range matchings {
			edges, err := rd.pairs(m)
			if err != nil {
				return err
			}
			r.Matchings = append(r.Matchings, edges)
		}
		budget, err := f.Require("budget")
		if err != nil {
			return err
		}
		if r.Budget, err = budget.Float(); err != nil {
			return err
		}
	} else if budget, ok := f.Get("budget"); ok {
		return budget.Errorf("a budget is for matchings")
	}
	if l, ok := f.Get("lazy"); ok {
		if r.Lazy, err = l.Float(); err != nil {
			return err
		}
	}
	rd.s.Random = r
	if err := rd.s.Validate(); err != nil {
		return v.Errorf("%v", err)
	}
	r.list()
	return nil
}

func (rd *fileReader) pairs(v doc.Node) ([]Edge, error) {
	list, err := v.List()
	if err != nil {
		return nil, err
	}
	return rd.triples(list, 2, "[node, node]")
}
