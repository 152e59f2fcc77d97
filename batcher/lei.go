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
	for _, of := range g.byLEI() {
		for c := range slices.Chunk(of, g.limit) {
			if total := sum(c); total >= line && ledger.ValidLEI(g.leis[c[0].lei]) {
				chunks = append(chunks, chunk{c, total, c[0].amount >= line})
			}
		}
	}
	rank := map[bool]int{true: -1} // of a forced one
	slices.SortStableFunc(chunks, func(a, b chunk) int {
		return cmp.Or(rank[a.forced]-rank[b.forced], cmp.Compare(b.total, a.total), cmp.Compare(len(b.payouts), len(a.payouts)))
	})
	return chunks
}

// byLEI returns the payouts of each LEI, largest first. LEIs are in the order of their first payouts.
func (g *group) byLEI() [][]payout {
	slot := map[int32]int{}
	var leis [][]payout
	for _, p := range g.payouts {
		if p.lei < 0 {
			continue
		}
		i, ok := slot[p.lei]
		if !ok {
			i = len(leis)
			slot[p.lei] = i
			leis = append(leis, nil)
		}
		leis[i] = append(leis[i], p)
	}
	for _, of := range leis {
		largestFirst(of)
	}
	return leis
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
