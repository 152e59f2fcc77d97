package batcher

import (
	"cmp"
	"slices"

	"payrun/ledger"
)

// pack assigns the payouts of a group that has an LEI line: it decides which
// chunks become batches with an LEI and packs the rest under the line.
func pack(g *group, chunks []chunk) assignment {
	a := g.packAround(chunks[:g.worthTaking(chunks)])
	if len(g.payouts) <= exactUpTo && a.batches > g.bound(g.rules.LEILine-1, chunks) {
		return exact(g, a)
	}
	return a
}

// packAround makes each of the chunks a batch with an LEI and packs the rest
// under the line.
func (g *group) packAround(chunks []chunk) assignment {
	if len(chunks) == 0 {
		return g.packUnder(g.payouts)
	}
	taken := make([]bool, len(g.payouts))
	for _, c := range chunks {
		for _, p := range c.payouts {
			taken[p.at] = true
		}
	}
	a := g.packUnder(ledger.Where(g.payouts, func(p payout) bool { return !taken[p.at] }))
	for _, c := range chunks {
		for _, p := range c.payouts {
			a.of[p.at] = int32(a.batches)
		}
		a.batches++
	}
	return a
}

// packUnder packs the payouts so that every batch stays under the line and
// within the limit. It tries the ways of packing in turn, keeps one only if it
// needs fewer batches, and stops at the floor. So batches follow the order of the
// sheet as closely as few OTPs allow.
func (g *group) packUnder(payouts []payout) assignment {
	best := g.nextFit(payouts)
	if best.batches <= g.least(payouts) {
		return best // nearly always so if the limit ends the batches; saves the sort
	}
	sorted := slices.Clone(payouts)
	largestFirst(sorted)
	least := g.floor(sorted)
	ways := []func(most int) (assignment, bool){
		func(most int) (assignment, bool) { return g.firstFit(payouts, most) },
		func(most int) (assignment, bool) { return g.firstFit(sorted, most) },
		func(most int) (assignment, bool) { return g.spreadOverFewest(sorted, least, most) },
	}
	for _, way := range ways {
		if best.batches == least {
			break
		}
		if a, ok := way(best.batches - 1); ok {
			best = a
		}
	}
	return best
}

// largestFirst sorts by amount, and among equals by the order of loading.
func largestFirst(payouts []payout) {
	slices.SortFunc(payouts, func(a, b payout) int { return cmp.Or(cmp.Compare(b.amount, a.amount), cmp.Compare(a.at, b.at)) })
}
