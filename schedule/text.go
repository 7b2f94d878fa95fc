package schedule

import "strings"

// CliqueText writes the cliques of a periodic schedule on one line: members by commas, cliques by bars, rounds by
// slashes. One clique of all nodes is "all", a round without cliques "none"; nodes that are alone are left out. A round
// that is no round of cliques is "weights".
func (s *Schedule) CliqueText() string {
	rounds := make([]string, len(s.Rounds))
	for r := range s.Rounds {
		rounds[r] = s.roundText(&s.Rounds[r])
	}
	return strings.Join(rounds, " / ")
}

func (s *Schedule) roundText(r *Round) string {
	if !r.IsCliques() {
		return "weights"
	}
	var cliques []string
	for _, c := range r.Cliques {
		if len(c) == s.N && s.N > 1 {
			return "all"
		}
		if len(c) < 2 {
			continue
		}
		names := make([]string, len(c))
		for k, i := range c {
			names[k] = s.NodeName(i)
		}
		cliques = append(cliques, strings.Join(names, ","))
	}
	if len(cliques) == 0 {
		return "none"
	}
	return strings.Join(cliques, "|")
}
