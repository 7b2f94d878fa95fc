package schedule

import (
	"fmt"
	"strings"
)

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

// ShortText is CliqueText for a table: a round whose members would take more than a line is told by its clique sizes.
func (s *Schedule) ShortText() string {
	const line = 80 // characters
	rounds := make([]string, len(s.Rounds))
	for r := range s.Rounds {
		rounds[r] = s.roundText(&s.Rounds[r])
		if len(rounds[r]) > line {
			rounds[r] = sizesText(s.Rounds[r].Cliques)
		}
	}
	return strings.Join(rounds, " / ")
}

func sizesText(cliques [][]int) string {
	count, least, most := 0, 0, 0
	for _, c := range cliques {
		if len(c) < 2 {
			continue
		}
		if count == 0 || len(c) < least {
			least = len(c)
		}
		count, most = count+1, max(most, len(c))
	}
	sizes := fmt.Sprint(least)
	if most > least {
		sizes += fmt.Sprintf(" to %d", most)
	}
	if count == 1 {
		return "a clique of " + sizes
	}
	return fmt.Sprintf("%d cliques of %s", count, sizes)
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
