package batcher

import "sort"

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
