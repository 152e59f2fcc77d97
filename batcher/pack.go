package batcher

import (
	"cmp"
	"math/bits"
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

// exactUpTo is the size of the largest group that is searched completely: 3^10 / 2
// steps, about 30 µs, and only if packing did not reach the bound.
const exactUpTo = 10

// exact returns an assignment with the fewest possible batches; best, if it has
// as few. For each set of payouts it tries every legal batch with the first of
// them, and adds the fewest batches for the rest of the set.
func exact(g *group, best assignment) assignment {
	n := len(g.payouts)
	all := 1<<n - 1
	legal := make([]bool, all+1)
	for set := range legal {
		legal[set] = g.legal(set)
	}
	fewest := make([]int, all+1)
	with := make([]int, all+1) // the batch that holds the first of the set
	for set := 1; set <= all; set++ {
		first := set & -set
		others := set ^ first
		fewest[set] = n + 1
		for more := others; ; more = (more - 1) & others {
			if batch := first | more; legal[batch] && fewest[set^batch]+1 < fewest[set] {
				fewest[set], with[set] = fewest[set^batch]+1, batch
			}
			if more == 0 {
				break
			}
		}
	}
	if fewest[all] >= best.batches {
		return best
	}
	a := assignment{of: make([]int32, n), batches: fewest[all]}
	for set, b := all, int32(0); set != 0; set, b = set^with[set], b+1 {
		for batch := with[set]; batch != 0; batch &= batch - 1 {
			a.of[bits.TrailingZeros(uint(batch))] = b
		}
	}
	return a
}

// legal reports whether the set of payouts may be one batch.
func (g *group) legal(set int) bool {
	if bits.OnesCount(uint(set)) > g.limit {
		return false
	}
	var total ledger.Paise
	oneLEI, lei := true, int32(-1)
	for ; set != 0; set &= set - 1 {
		p := g.payouts[bits.TrailingZeros(uint(set))]
		total += p.amount
		oneLEI = oneLEI && p.lei >= 0 && (lei < 0 || p.lei == lei) && ledger.ValidLEI(g.leis[p.lei])
		lei = p.lei
	}
	return oneLEI || !g.rules.NeedsLEI(total)
}
