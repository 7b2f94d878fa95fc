package schedule

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// meetings counts how often each pair meets, and fails on a round that is no partition.
func meetings(t interface{ Fatalf(string, ...any) }, n, k int, rounds [][][]int) map[[2]int]int {
	met := map[[2]int]int{}
	for r, cliques := range rounds {
		seen := make([]bool, n)
		for _, c := range cliques {
			if len(c) > k {
				t.Fatalf("n=%d k=%d round %d: a clique of %d", n, k, r, len(c))
			}
			for a, i := range c {
				if i < 0 || i >= n || seen[i] {
					t.Fatalf("n=%d k=%d round %d: node %d twice or out of range", n, k, r, i)
				}
				seen[i] = true
				for _, j := range c[:a] {
					met[[2]int{min(i, j), max(i, j)}]++
				}
			}
		}
	}
	return met
}

// Resolvable designs: every pair meets exactly once, in (n-1)/(k-1) rounds.
func TestDesigns(t *testing.T) {
	for _, c := range []struct{ n, k int }{
		{9, 3}, {16, 4}, {25, 5}, {49, 7}, {64, 8}, {81, 9}, {27, 3}, {81, 3}, {64, 4}, {125, 5}, // affine
		{4, 2}, {10, 2}, {8, 2}, // round robin
		{15, 3}, {21, 3}, {39, 3}, {57, 3}, {75, 3}, {51, 3}, {63, 3}, {87, 3}, {45, 3}, {99 - 12, 3}, {135, 3}, // Kirkman
		{20, 4}, {45 * 5, 5}, {28, 4}, {35, 5},
	} {
		rounds := rotation(c.n, c.k)
		met := meetings(t, c.n, c.k, rounds)
		want := c.n * (c.n - 1) / 2
		most := 0
		for _, v := range met {
			most = max(most, v)
		}
		design := c.k == 2 || c.k == 3 || c.n == c.k*c.k || c.n == 64 || c.n == 125
		if design && (len(rounds) != (c.n-1)/(c.k-1) || most != 1 || len(met) != want) {
			t.Errorf("n=%d k=%d: %d rounds, %d of %d pairs, at most %d times", c.n, c.k, len(rounds), len(met), want, most)
		}
		if len(met) < want*9/10 {
			t.Errorf("n=%d k=%d: only %d of %d pairs meet", c.n, c.k, len(met), want)
		}
	}
}

// The affine plane of order 3, class by class.
func TestAffinePlane(t *testing.T) {
	want := [][][]int{{{0, 3, 6}, {1, 4, 7}, {2, 5, 8}}, {{0, 4, 8}, {1, 5, 6}, {2, 3, 7}}, {{0, 5, 7}, {1, 3, 8}, {2, 4, 6}}, {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}}}
	if d := cmp.Diff(want, affine(3, 2)); d != "" {
		t.Error(d)
	}
}

func TestAnyRotationIsOfPartitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 60).Draw(t, "n")
		k := rapid.IntRange(2, n).Draw(t, "k")
		rounds := rotation(n, k)
		met := meetings(t, n, k, rounds)
		if len(met)*2 < n*(n-1)/2 {
			t.Fatalf("n=%d k=%d: %d of %d pairs meet", n, k, len(met), n*(n-1)/2)
		}
	})
}

func TestTruncated(t *testing.T) {
	for _, c := range []struct{ n, k int }{{130, 6}, {500, 7}, {1001, 10}} {
		met := meetings(t, c.n, c.k, truncated(c.n, c.k))
		for p, v := range met {
			if v > 1 && p[0]%c.k != p[1]%c.k {
				t.Errorf("n=%d k=%d: %v meet %d times", c.n, c.k, p, v)
			}
		}
		if all := c.n * (c.n - 1) / 2; len(met) < all*96/100 {
			t.Errorf("n=%d k=%d: %d of %d pairs", c.n, c.k, len(met), all)
		}
	}
}

func TestGalois(t *testing.T) {
	for _, q := range []int{2, 3, 4, 5, 7, 8, 9, 16, 25, 27, 32, 49, 64, 81, 121, 125, 128, 243, 256, 729} {
		f := newGalois(q)
		for a := range min(q, 40) {
			for b := range min(q, 40) {
				for _, c := range []int{0, 1, q - 1, q / 2} {
					if f.mul(a, f.add(b, c)) != f.add(f.mul(a, b), f.mul(a, c)) || f.mul(a, b) != f.mul(b, a) {
						t.Fatalf("GF(%d): %d (%d + %d)", q, a, b, c)
					}
				}
			}
		}
	}
}

// An edge coloring has matchings alone, at most one more than the largest degree, and as many where that is easy.
func TestColorEdges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 14).Draw(t, "n")
		density := rapid.IntRange(1, 9).Draw(t, "density")
		var edges []Edge
		degree := make([]int, n)
		for i := range n {
			for j := i + 1; j < n; j++ {
				if rapid.IntRange(0, 9).Draw(t, "edge") < density {
					edges = append(edges, Edge{I: i, J: j})
					degree[i]++
					degree[j]++
				}
			}
		}
		largest := 0
		for _, d := range degree {
			largest = max(largest, d)
		}
		check := func(color []int, colors int) {
			at := map[[2]int]bool{}
			for k, e := range edges {
				if color[k] < 0 || color[k] >= colors {
					t.Fatalf("color %d of %d", color[k], colors)
				}
				for _, v := range []int{e.I, e.J} {
					if at[[2]int{v, color[k]}] {
						t.Fatalf("node %d has color %d twice", v, color[k])
					}
					at[[2]int{v, color[k]}] = true
				}
			}
		}
		check(misraGries(n, edges, largest+1), largest+1)
		if color, ok := colorExactly(n, edges, largest); ok {
			check(color, largest)
		}
	})
	if m := colorEdges(6, []Edge{{0, 1, 0}, {1, 2, 0}, {2, 3, 0}, {3, 4, 0}, {4, 5, 0}, {0, 5, 0}}); len(m) != 2 {
		t.Errorf("ring of 6 in %d matchings", len(m))
	}
	if m := colorEdges(6, []Edge{{0, 1, 0}, {0, 2, 0}, {1, 2, 0}, {2, 3, 0}, {3, 4, 0}, {3, 5, 0}, {4, 5, 0}}); len(m) != 3 {
		t.Errorf("two triangles and a bridge in %d matchings", len(m))
	}
}

// Every family loads at awkward sizes, or says which sizes it takes.
func TestFamiliesAtAwkwardSizes(t *testing.T) {
	for _, f := range Families() {
		for _, n := range []int{1, 2, 3, 7, 8, 9, 13, 16} {
			line := fmt.Sprintf("%s:n=%d", f.Name, n)
			if f.Name == "graph" || f.Name == "digraph" {
				continue
			}
			s, err := Load(line, Options{})
			if err != nil {
				continue
			}
			if err := s.Validate(); err != nil || s.N != n {
				t.Errorf("%s: %d nodes, %v", line, s.N, err)
			}
		}
		if f.Name != "graph" && f.Name != "digraph" {
			if _, err := Load(f.Name+":n=8", Options{}); err != nil && f.Name != "hierarchical" {
				t.Error(err)
			}
		}
	}
}

// The list of partitions is as long as the count says, without repetition.
func TestPartitions(t *testing.T) {
	for _, c := range []struct{ n, k, want int }{{6, 3, 10}, {9, 3, 280}, {8, 2, 105}, {7, 2, 105}, {7, 3, 70}, {5, 5, 1}, {5, 4, 5}, {3, 1, 1}, {10, 2, 945}} {
		all, ok := partitions(c.n, c.k)
		seen := map[string]bool{}
		for _, p := range all {
			meetings(t, c.n, c.k, [][][]int{p})
			seen[canonical(&Round{Cliques: p})] = true
		}
		if !ok || len(all) != c.want || len(seen) != c.want {
			t.Errorf("n=%d k=%d: %d partitions, %d different, want %d", c.n, c.k, len(all), len(seen), c.want)
		}
	}
	for _, c := range [][2]int{{16, 2}, {1 << 20, 3}, {15, 3}, {1 << 20, 1<<20 - 1}} {
		if all, ok := partitions(c[0], c[1]); ok {
			t.Errorf("n=%d k=%d: %d partitions listed", c[0], c[1], len(all))
		}
	}
}
