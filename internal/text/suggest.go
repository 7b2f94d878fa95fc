// Package text holds the small helpers with which every package words its messages.
package text

import (
	"slices"
	"strings"
)

// DidYouMean returns ` (did you mean "x"?)` for the candidate closest to name, or, when none is close,
// ` (known: a, b, c)`. It returns "" when there are no candidates.
func DidYouMean(name string, candidates []string) string {
	if len(candidates) == 0 {
		return ""
	}
	if best, ok := Closest(name, candidates); ok {
		return ` (did you mean "` + best + `"?)`
	}
	known := slices.Clone(candidates)
	slices.Sort(known)
	return " (known: " + strings.Join(known, ", ") + ")"
}

// Closest returns the candidate with the least edit distance to name, if that distance is small enough for a
// slip of the fingers: at most two edits, or a third of the longer word.
func Closest(name string, candidates []string) (string, bool) {
	best, bestDistance := "", 1<<30
	for _, c := range candidates {
		if d := editDistance(strings.ToLower(name), strings.ToLower(c)); d < bestDistance || d == bestDistance && c < best {
			best, bestDistance = c, d
		}
	}
	longer := max(len(name), len(best))
	if bestDistance >= longer { // nothing in common
		return "", false
	}
	return best, bestDistance <= max(2, longer/3)
}

// editDistance is the Damerau-Levenshtein distance (optimal string alignment): insertions, deletions,
// substitutions and swaps of neighbors count one each.
func editDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	d := make([][]int, len(x)+1)
	for i := range d {
		d[i] = make([]int, len(y)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(x)][len(y)]
}
