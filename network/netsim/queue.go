package netsim

import "container/heap"

// queue holds what is to happen, by time and then by the order in which it was asked for: a simulation has no ties that
// a run could break otherwise.
type queue struct {
	heap eventHeap
	next int
}

type event struct {
	at    float64
	order int
	run   func()
}

type eventHeap []event

func (h eventHeap) Len() int { return len(h) }
func (h eventHeap) Less(i, j int) bool {
	if h[i].at != h[j].at {
		return h[i].at < h[j].at
	}
	return h[i].order < h[j].order
}
func (h eventHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *eventHeap) Push(x any)   { *h = append(*h, x.(event)) }
func (h *eventHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	old[len(old)-1] = event{}
	*h = old[:len(old)-1]
	return x
}

func (q *queue) at(t float64, run func()) {
	heap.Push(&q.heap, event{t, q.next, run})
	q.next++
}

func (q *queue) empty() bool { return len(q.heap) == 0 }

// first returns the time of the next event.
func (q *queue) first() float64 { return q.heap[0].at }

func (q *queue) pop() event { return heap.Pop(&q.heap).(event) }
