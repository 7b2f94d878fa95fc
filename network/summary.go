package network

import (
	"cmp"
	"slices"
)

// Summary is a topology at a glance.
type Summary struct {
	Name            string      `json:"name"`
	Routers         int         `json:"routers"`
	Links           int         `json:"links"`
	Islands         int         `json:"islands"`
	Connected       bool        `json:"connected"`
	Components      int         `json:"components"`
	DiameterSeconds *float64    `json:"diameter_seconds"` // largest one-way latency between routers; nil when disconnected
	Bridges         [][2]string `json:"bridges"`          // links whose loss disconnects, in router order
	Guessed         Guessed     `json:"guessed"`
}

// Guessed counts links with a value that the file did not give.
type Guessed struct {
	Bandwidth int `json:"bandwidth"`
	Latency   int `json:"latency"`
}

// Summary describes the topology.
func (t *Topology) Summary() Summary {
	s := Summary{
		Name: t.Name, Routers: len(t.Routers), Links: len(t.Links), Islands: len(t.Islands),
		Guessed: Guessed{t.Guessed.Bandwidth, t.Guessed.Latency},
		Bridges: [][2]string{},
	}
	for _, c := range t.components() {
		s.Components = max(s.Components, c+1)
	}
	s.Connected = s.Components == 1
	if s.Connected {
		g := NewGraph(t)
		var longest int64
		for v := range t.Routers {
			longest = max(longest, slices.Max(g.Tree(v).Picos))
		}
		d := Seconds(longest)
		s.DiameterSeconds = &d
	}
	for _, l := range t.Bridges() {
		a, b := t.Links[l].A, t.Links[l].B
		s.Bridges = append(s.Bridges, [2]string{t.Routers[min(a, b)].ID, t.Routers[max(a, b)].ID})
	}
	return s
}

// neighbors lists, for each router, the links that touch it.
func (t *Topology) neighbors() [][]int {
	at := make([][]int, len(t.Routers))
	for i, l := range t.Links {
		at[l.A] = append(at[l.A], i)
		at[l.B] = append(at[l.B], i)
	}
	return at
}

// other returns the end of link l that is not v.
func (t *Topology) other(l, v int) int { return t.Links[l].A + t.Links[l].B - v }

// components numbers the connected components in router order and returns each router's.
func (t *Topology) components() []int {
	at := t.neighbors()
	c := make([]int, len(t.Routers))
	for i := range c {
		c[i] = -1
	}
	count := 0
	for r := range c {
		if c[r] >= 0 {
			continue
		}
		c[r] = count
		for stack := []int{r}; len(stack) > 0; {
			v := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, l := range at[v] {
				if w := t.other(l, v); c[w] < 0 {
					c[w] = count
					stack = append(stack, w)
				}
			}
		}
		count++
	}
	return c
}

// Bridges returns the links whose loss disconnects two routers, in router order of their ends. It is Tarjan's
// depth-first search (Information Processing Letters 2(6), 1974) without recursion: a tree link is a bridge when
// nothing below it reaches back above it.
func (t *Topology) Bridges() []int {
	n := len(t.Routers)
	at := t.neighbors()
	entered, low, next := make([]int, n), make([]int, n), make([]int, n)
	via := make([]int, n) // link by which a router was entered
	var bridges []int
	clock := 0
	for root := range n {
		if entered[root] != 0 {
			continue
		}
		via[root] = -1
		clock++
		entered[root], low[root] = clock, clock
		for stack := []int{root}; len(stack) > 0; {
			v := stack[len(stack)-1]
			if next[v] < len(at[v]) {
				l := at[v][next[v]]
				next[v]++
				w := t.other(l, v)
				switch {
				case l == via[v]:
				case entered[w] != 0:
					low[v] = min(low[v], entered[w])
				default:
					via[w] = l
					clock++
					entered[w], low[w] = clock, clock
					stack = append(stack, w)
				}
				continue
			}
			stack = stack[:len(stack)-1]
			if via[v] < 0 {
				continue
			}
			up := t.other(via[v], v)
			low[up] = min(low[up], low[v])
			if low[v] > entered[up] {
				bridges = append(bridges, via[v])
			}
		}
	}
	slices.SortFunc(bridges, func(x, y int) int {
		a, b := t.Links[x], t.Links[y]
		return cmp.Or(min(a.A, a.B)-min(b.A, b.B), max(a.A, a.B)-max(b.A, b.B))
	})
	return bridges
}
