package batcher

import (
	"math/bits"

	"payrun/ledger"
)

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
