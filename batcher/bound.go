package batcher

import "payrun/ledger"

// bound returns a number of batches below which no plan of the group can go,
// for a group with an LEI line.
//
// Without an LEI it is max(⌈count/limit⌉, ⌈total/line⌉). A batch with an LEI
// has no such ceiling on its total, so ⌈total/line⌉ is not a bound once one is
// in play. Two arguments replace it:
//
//   - By amount. A batch with an LEI holds at most limit payouts of that LEI;
//     k of them hold at most the k·limit largest. Cut each LEI's payouts,
//     largest first, into chunks of limit: the first k chunks are the most that
//     k batches can take away from the rest, which then needs ⌈rest/line⌉. A
//     chunk that reaches the line costs one batch and saves at least one; a
//     chunk that does not saves at most one. So taking exactly those that reach
//     the line is the least: their number + ⌈rest/line⌉.
//   - By count. A payout at or above the line must be in a batch with its LEI,
//     so an LEI with b such payouts has at least ⌈b/limit⌉ batches, which hold
//     at most limit each of that LEI's payouts and nothing else. Any further
//     batch holds at most limit of the rest: forced + ⌈rest/limit⌉.
//
// The bound is the larger. With no LEI that reaches the line, both are the
// plain ones. ceiling is what ⌈/⌉ divides by: the line for the bound that is
// reported, the most a batch can hold (line − 1 paisa) for the stronger one
// that packing stops at.
func (g *group) bound(ceiling ledger.Paise, chunks []chunk) int {
	rest, count, forced := sum(g.payouts), len(g.payouts), 0
	for _, c := range chunks {
		rest -= c.total
		if c.forced {
			forced++
			count -= len(c.payouts)
		}
	}
	return max(len(chunks)+int(ceil(rest, ceiling)), forced+ceil(count, g.limit))
}

// least returns a number of batches below which payouts that must stay under the line
// cannot go. It is stronger than the bound that is reported: besides total and count it
// knows that two payouts above half the line never fit together.
func (g *group) least(payouts []payout) int {
	var total ledger.Paise
	alone := 0
	for _, p := range payouts {
		total += p.amount
		if p.amount > (g.rules.LEILine-1)/2 {
			alone++
		}
	}
	return max(alone, ceil(len(payouts), g.limit), int(ceil(total, g.rules.LEILine-1)))
}

// floor is least, and knows how many of the smallest fit together.
func (g *group) floor(sorted []payout) int {
	if len(sorted) == 0 {
		return 0
	}
	var smallest ledger.Paise
	most := 0
	for i := len(sorted) - 1; i >= 0 && most < g.limit && smallest+sorted[i].amount < g.rules.LEILine; i-- {
		smallest += sorted[i].amount
		most++
	}
	return max(g.least(sorted), ceil(len(sorted), most))
}

func sum(payouts []payout) ledger.Paise {
	var s ledger.Paise
	for _, p := range payouts {
		s += p.amount
	}
	return s
}
