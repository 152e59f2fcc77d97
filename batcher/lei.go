package batcher

import (
	"cmp"
	"slices"

	"payrun/ledger"
)

// chunk is up to limit payouts of one LEI that together reach the line. They
// can be one batch with an LEI.
type chunk struct {
	payouts []payout
	total   ledger.Paise
	forced  bool // one of them reaches the line alone and fits nowhere else
}

// leiChunks cuts each LEI's payouts, largest first, into chunks and returns those
// of a valid LEI that reach the line: forced ones first, then the largest total first.
func (g *group) leiChunks() []chunk {
	line := g.rules.LEILine
	var chunks []chunk
	sorted := ledger.Where(g.payouts, func(p payout) bool { return p.lei >= 0 })
	largestFirst(sorted)
	slices.SortStableFunc(sorted, func(a, b payout) int { return cmp.Compare(a.lei, b.lei) })
	for len(sorted) > 0 {
		lei, n := sorted[0].lei, 1
		for n < min(len(sorted), g.limit) && sorted[n].lei == lei {
			n++
		}
		c := sorted[:n]
		if total := sum(c); total >= line && ledger.ValidLEI(g.leis[lei]) {
			chunks = append(chunks, chunk{c, total, c[0].amount >= line})
		}
		sorted = sorted[n:]
	}
	rank := map[bool]int{true: -1} // of a forced one
	slices.SortStableFunc(chunks, func(a, b chunk) int {
		return cmp.Or(rank[a.forced]-rank[b.forced], cmp.Compare(b.total, a.total), cmp.Compare(len(b.payouts), len(a.payouts)))
	})
	return chunks
}

// worthTaking returns how many of the chunks become batches with an LEI: the
// number for which the bounds give the fewest batches; among equals the largest,
// because the rest is then easier to pack. If the total decides the bound, taking
// a chunk saves the room of a whole batch. If the count decides it, the chunk's
// payouts fit into other batches at no cost.
func (g *group) worthTaking(chunks []chunk) int {
	rest, count := sum(g.payouts), len(g.payouts)
	best, fewest := 0, len(g.payouts)+1
	for taken := 0; ; taken++ {
		must := taken < len(chunks) && chunks[taken].forced
		if n := taken + max(ceil(count, g.limit), int(ceil(rest, g.rules.LEILine-1))); !must && n <= fewest {
			best, fewest = taken, n
		}
		if taken == len(chunks) {
			return best
		}
		rest -= chunks[taken].total
		count -= len(chunks[taken].payouts)
	}
}
