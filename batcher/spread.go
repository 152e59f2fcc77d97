package batcher

import (
	"sort"

	"payrun/ledger"
)

// spreadOverFewest looks for the fewest batches, from least to most, over which
// the payouts can be spread. The least nearly always works; else it halves the range.
func (g *group) spreadOverFewest(sorted []payout, least, most int) (best assignment, ok bool) {
	works := func(more int) bool {
		a, ok := g.spread(sorted, least+more)
		if ok {
			best = a
		}
		return ok
	}
	if least <= most && works(0) {
		return best, true
	}
	n := sort.Search(most-least+1, works)
	return best, n <= most-least
}

// spread puts the payouts, largest first, into n batches: each into the batch
// with the least total that still has a place (worst-fit decreasing). n is at
// most len(sorted), so no batch stays empty. Large and small payouts share
// batches, so a batch does not run out of room or of places alone, which is the
// weakness of first fit.
func (g *group) spread(sorted []payout, n int) (assignment, bool) {
	a := assignment{of: make([]int32, len(g.payouts)), batches: n}
	loads := newLoads(n)
	counts := make([]int, n)
	for _, p := range sorted {
		if len(loads) == 0 {
			return assignment{}, false
		}
		least := &loads[0]
		if g.rules.NeedsLEI(least.total + p.amount) {
			return assignment{}, false
		}
		a.of[p.at] = least.batch
		least.total += p.amount
		if counts[least.batch]++; counts[least.batch] == g.limit {
			loads[0] = loads[len(loads)-1]
			loads = loads[:len(loads)-1]
		}
		loads.settle()
	}
	return a, true
}

// loads is a heap of batches that still have a place. The one with the least
// total is first; among equals the one with the lowest number.
type loads []load

type load struct {
	total ledger.Paise
	batch int32
}

func newLoads(n int) loads {
	l := make(loads, n)
	for i := range l {
		l[i].batch = int32(i)
	}
	return l
}

func (l loads) less(i, j int) bool {
	return l[i].total < l[j].total || l[i].total == l[j].total && l[i].batch < l[j].batch
}

// settle moves the first element down to its place in the heap.
func (l loads) settle() {
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(l); c++ {
			if l.less(c, least) {
				least = c
			}
		}
		if least == i {
			return
		}
		l[i], l[least] = l[least], l[i]
		i = least
	}
}
