package batcher

import (
	"sort"

	"payrun/ledger"
)

// nextFit fills one batch after another and never goes back: the payouts of a
// batch are consecutive in the order given.
func (g *group) nextFit(payouts []payout) assignment {
	a := assignment{of: make([]int32, len(g.payouts))}
	var total ledger.Paise
	count := g.limit
	for _, p := range payouts {
		if count == g.limit || g.rules.NeedsLEI(total+p.amount) {
			a.batches++
			total, count = 0, 0
		}
		total += p.amount
		count++
		a.of[p.at] = int32(a.batches - 1)
	}
	return a
}

// firstFit puts each payout, in the order given, into the first batch that has
// room for it. It returns false if that takes more than most batches.
func (g *group) firstFit(payouts []payout, most int) (assignment, bool) {
	return g.fit(payouts, most, func(_ *rooms, amount ledger.Paise) ledger.Paise { return amount })
}

// spread puts the payouts, largest first, into n batches: each into the batch
// with the least total that still has a place (worst-fit decreasing). n is at
// most len(sorted), so no batch stays empty. Large and small payouts share
// batches, so a batch does not run out of room or of places alone, which is the
// weakness of first fit.
func (g *group) spread(sorted []payout, n int) (assignment, bool) {
	return g.fit(sorted, n, (*rooms).widest)
}

// fit puts each payout, in the order given, into the first of at most `most` batches that has the
// room it is to have. It returns false if no batch has room for a payout.
func (g *group) fit(payouts []payout, most int, room func(r *rooms, amount ledger.Paise) ledger.Paise) (assignment, bool) {
	a := assignment{of: make([]int32, len(g.payouts))}
	rooms := newRooms(most, g.rules.LEILine-1, g.limit)
	for _, p := range payouts {
		b, ok := rooms.take(room(rooms, p.amount), p.amount)
		if !ok {
			return assignment{}, false
		}
		a.of[p.at] = int32(b)
		a.batches = max(a.batches, b+1)
	}
	return a, true
}

// rooms finds the first batch with a room, in O(log n). It is a complete binary tree; each node has
// the largest room below it.
type rooms struct {
	most   []ledger.Paise // node i has children 2i and 2i+1; the leaves are the second half
	counts []int
	limit  int
}

const noRoom ledger.Paise = -1

func newRooms(batches int, room ledger.Paise, limit int) *rooms {
	leaves := 1
	for leaves < batches {
		leaves *= 2
	}
	r := &rooms{most: make([]ledger.Paise, 2*leaves), counts: make([]int, batches), limit: limit}
	for i := range leaves {
		r.most[leaves+i] = noRoom
		if i < batches {
			r.most[leaves+i] = room
		}
	}
	for i := leaves - 1; i > 0; i-- {
		r.most[i] = max(r.most[2*i], r.most[2*i+1])
	}
	return r
}

// widest returns the largest room of a batch, if the amount fits there.
func (r *rooms) widest(amount ledger.Paise) ledger.Paise { return max(r.most[1], amount) }

// take takes room for the amount in the first batch that has at least this room.
func (r *rooms) take(room, amount ledger.Paise) (batch int, ok bool) {
	if r.most[1] < room {
		return 0, false
	}
	leaves, i := len(r.most)/2, 1
	for i < leaves {
		i *= 2
		if r.most[i] < room {
			i++
		}
	}
	batch = i - leaves
	r.most[i] -= amount
	if r.counts[batch]++; r.counts[batch] == r.limit {
		r.most[i] = noRoom
	}
	for i /= 2; i > 0; i /= 2 {
		r.most[i] = max(r.most[2*i], r.most[2*i+1])
	}
	return batch, true
}

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
