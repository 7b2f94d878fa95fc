package schedule

// rotation returns partitions of n nodes into cliques of k (one smaller where k does not divide n).
func rotation(n, k int) [][][]int {
	switch {
	case k == 1:
		return [][][]int{nil}
	case k == n:
		return [][][]int{{span(0, n)}}
	case k*k == n && isPrime(k):
		return affinePlane(k)
	}
	return greedyRotation(n, k)
}

func isPrime(n int) bool {
	for d := 2; d*d <= n; d++ {
		if n%d == 0 {
			return false
		}
	}
	return n > 1
}

// affinePlane returns the q+1 parallel classes of AG(2,q), q prime: point (x, y) is number q x + y; class m < q holds
// the lines y = m x + c, the last class the lines x = c. Any two classes share exactly one point per pair of lines.
func affinePlane(q int) [][][]int {
	classes := make([][][]int, q+1)
	for m := range q + 1 {
		for c := range q {
			line := make([]int, q)
			for t := range q {
				if m < q {
					line[t] = q*t + (m*t+c)%q
				} else {
					line[t] = q*c + t
				}
			}
			classes[m] = append(classes[m], line)
		}
	}
	return classes
}

// greedyRotation builds (n-1)/(k-1) partitions, rounded up, one clique after another: each takes the free node that
// has met the members so far the least often, the smallest number among equals.
func greedyRotation(n, k int) [][][]int {
	met := make([][]int, n)
	for i := range met {
		met[i] = make([]int, n)
	}
	rounds := make([][][]int, (n-1+k-2)/(k-1))
	for t := range rounds {
		free := make([]bool, n)
		for i := range free {
			free[i] = true
		}
		groups := (n + k - 1) / k
		for g := range groups {
			size := n / groups
			if g < n%groups {
				size++
			}
			var c []int
			for len(c) < size {
				best, bestCost := -1, 0
				for j := range n {
					if !free[j] {
						continue
					}
					cost := 0
					for _, i := range c {
						cost += 1 << min(met[i][j], 20)
						if met[i][j] == 0 {
							cost--
						}
					}
					if best < 0 || cost < bestCost {
						best, bestCost = j, cost
					}
				}
				c = append(c, best)
				free[best] = false
			}
			for _, i := range c {
				for _, j := range c {
					met[i][j]++
				}
			}
			rounds[t] = append(rounds[t], c)
		}
	}
	return rounds
}
