package schedule

// greedyNodes bounds the greedy rotation, which looks at all pairs in each round.
const greedyNodes = 120

// greedyRotation adds partitions until all pairs have met, or up to twice the (n-1)/(k-1) that a design would take.
// It builds one clique after another: each takes the free node that has met the members so far the least often, the
// smallest number among equals. Then pairs of nodes change places while that lowers the number of repeated meetings.
func greedyRotation(n, k int) [][][]int {
	met := make([][]int, n)
	for i := range met {
		met[i] = make([]int, n)
	}
	var rounds [][][]int
	for left := n * (n - 1); left > 0 && len(rounds) < 2*((n-1+k-2)/(k-1)); {
		round := greedyPartition(met, n, k)
		improve(met, round)
		for _, c := range round {
			for _, i := range c {
				for _, j := range c {
					if i != j {
						if met[i][j] == 0 {
							left--
						}
						met[i][j]++
					}
				}
			}
		}
		rounds = append(rounds, round)
	}
	return rounds
}

// repeats is what meeting once more costs a pair that has met m times: repeating an old pair is worse than a new one.
func repeats(m int) int { return m * m }

func greedyPartition(met [][]int, n, k int) [][]int {
	free := make([]bool, n)
	for i := range free {
		free[i] = true
	}
	var out [][]int
	groups := (n + k - 1) / k
	for g := range groups {
		size := n / groups
		if g < n%groups {
			size++
		}
		var c []int
		for len(c) < size {
			best, least := -1, 0
			for j := range n {
				if !free[j] {
					continue
				}
				cost := 0
				for _, i := range c {
					cost += repeats(met[i][j])
				}
				if best < 0 || cost < least {
					best, least = j, cost
				}
			}
			c = append(c, best)
			free[best] = false
		}
		out = append(out, c)
	}
	return out
}

// improve exchanges members of different cliques until no exchange helps.
func improve(met [][]int, cliques [][]int) {
	cost := func(i int, c []int, without int) int {
		sum := 0
		for _, j := range c {
			if j != without && j != i {
				sum += repeats(met[i][j])
			}
		}
		return sum
	}
	for again, sweeps := true, 0; again && sweeps < 50; sweeps++ {
		again = false
		for a := range cliques {
			for b := a + 1; b < len(cliques); b++ {
				for x, i := range cliques[a] {
					for y, j := range cliques[b] {
						now := cost(i, cliques[a], i) + cost(j, cliques[b], j)
						then := cost(i, cliques[b], j) + cost(j, cliques[a], i)
						if then < now {
							cliques[a][x], cliques[b][y] = j, i
							i = j
							again = true
						}
					}
				}
			}
		}
	}
}
