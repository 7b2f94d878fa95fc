package schedule

// colorEdges splits the edges of a graph into matchings: as many as the largest degree where a short search finds
// that, at most one more in any case (Misra and Gries 1992).
func colorEdges(n int, edges []Edge) [][]Edge {
	largest := 0
	degree := make([]int, n)
	for _, e := range edges {
		degree[e.I]++
		degree[e.J]++
		largest = max(largest, degree[e.I], degree[e.J])
	}
	color, ok := colorExactly(n, edges, largest)
	if !ok {
		color = misraGries(n, edges, largest+1)
	}
	var matchings [][]Edge
	for k, c := range color {
		for len(matchings) <= c {
			matchings = append(matchings, nil)
		}
		matchings[c] = append(matchings[c], edges[k])
	}
	out := matchings[:0]
	for _, m := range matchings {
		if len(m) > 0 {
			out = append(out, m)
		}
	}
	return out
}

// searchSteps bounds the search for a coloring with as few colors as the largest degree: enough for graphs of some
// tens of edges, where it matters that the optimum is met.
const searchSteps = 200_000

// colorExactly colors with the given number of colors by backtracking on the edge with the fewest colors left.
func colorExactly(n int, edges []Edge, colors int) ([]int, bool) {
	if colors > 64 {
		return nil, false
	}
	used := make([]uint64, n) // colors at each node, as bits
	color := make([]int, len(edges))
	for k := range color {
		color[k] = -1
	}
	steps := 0
	var place func(done, highest int) bool
	place = func(done, highest int) bool {
		if done == len(edges) {
			return true
		}
		if steps++; steps > searchSteps/max(1, len(edges)/16) {
			return false
		}
		best, fewest := -1, colors+1
		for k, e := range edges {
			if color[k] < 0 {
				taken := used[e.I] | used[e.J]
				left := 0
				for c := range colors {
					if taken>>c&1 == 0 {
						left++
					}
				}
				if left < fewest {
					best, fewest = k, left
				}
			}
		}
		e := edges[best]
		taken := used[e.I] | used[e.J]
		for c := range min(colors, highest+1) { // colors that are not yet in use are all alike: try one of them
			if taken>>c&1 != 0 {
				continue
			}
			color[best] = c
			used[e.I] |= 1 << c
			used[e.J] |= 1 << c
			if place(done+1, max(highest, c+1)) {
				return true
			}
			color[best] = -1
			used[e.I] &^= 1 << c
			used[e.J] &^= 1 << c
		}
		return false
	}
	return color, place(0, 0)
}

// misraGries colors every edge with one of max degree + 1 colors.
func misraGries(n int, edges []Edge, colors int) []int {
	color := make([]int, len(edges))
	at := make([][]int, n) // at[v][c]: edge of color c at v, or -1
	for v := range at {
		at[v] = make([]int, colors)
		for c := range at[v] {
			at[v][c] = -1
		}
	}
	for k := range color {
		color[k] = -1
	}
	free := func(v int) int {
		for c, k := range at[v] {
			if k < 0 {
				return c
			}
		}
		return -1
	}
	other := func(k, v int) int { return edges[k].I + edges[k].J - v }
	set := func(k, c int) {
		for _, v := range []int{edges[k].I, edges[k].J} {
			at[v][c] = k
		}
		color[k] = c
	}
	unset := func(k int) {
		for _, v := range []int{edges[k].I, edges[k].J} {
			at[v][color[k]] = -1
		}
		color[k] = -1
	}
	for k0 := range edges {
		u := edges[k0].I
		// A maximal fan: edges at u, each with a color that is free at the leaf before it.
		fan := []int{k0}
		inFan := map[int]bool{k0: true}
		for grown := true; grown; {
			grown = false
			last := other(fan[len(fan)-1], u)
			for c := range colors {
				if k := at[u][c]; k >= 0 && !inFan[k] && at[last][c] < 0 {
					fan, inFan[k], grown = append(fan, k), true, true
					break
				}
			}
		}
		c, d := free(u), free(other(fan[len(fan)-1], u))
		// Swap c and d along the path of these colors that starts at u with d.
		var path []int
		for v, want := u, d; at[v][want] >= 0; want = c + d - want {
			k := at[v][want]
			path = append(path, k)
			v = other(k, v)
		}
		was := make([]int, len(path))
		for i, k := range path {
			was[i] = color[k]
			unset(k)
		}
		for i, k := range path {
			set(k, c+d-was[i])
		}
		// The longest prefix of the fan that is still a fan and ends in a leaf where d is free.
		end := 0
		for i := range fan {
			if i > 0 && at[other(fan[i-1], u)][color[fan[i]]] >= 0 {
				break
			}
			if at[other(fan[i], u)][d] < 0 {
				end = i
				break
			}
		}
		shifted := make([]int, end)
		for i := range end {
			shifted[i] = color[fan[i+1]]
		}
		for i := range end {
			unset(fan[i+1])
		}
		for i := range end {
			set(fan[i], shifted[i])
		}
		set(fan[end], d)
	}
	return color
}
