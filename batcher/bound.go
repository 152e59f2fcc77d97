package batcher

import "payrun/ledger"

// bound returns a lower bound: no plan of the group has fewer batches. It is
// for groups with an LEI line.
//
// Without an LEI the bound is max(⌈count/limit⌉, ⌈total/line⌉). The total of a
// batch with an LEI has no ceiling, so ⌈total/line⌉ is no bound if there may be
// such a batch. Two arguments replace it:
//
//   - By amount. A batch with an LEI holds at most limit payouts of that LEI;
//     k such batches hold at most the k·limit largest. Cut each LEI's payouts,
//     largest first, into chunks of limit. The first k chunks are the most that
//     k batches can take away from the rest, which then needs ⌈rest/line⌉. A
//     chunk that reaches the line costs one batch and saves at least one. Any
//     other chunk saves at most one. So the minimum takes exactly the chunks
//     that reach the line: their number + ⌈rest/line⌉.
//   - By count. A payout at or above the line must be in a batch with its LEI.
//     An LEI with b such payouts has at least ⌈b/limit⌉ batches, each with at
//     most limit of that LEI's payouts and nothing else. Any further batch
//     holds at most limit of the rest: forced + ⌈rest/limit⌉.
//
// The bound is the larger of the two. If no LEI reaches the line, both equal
// the simple ones. ceiling is the divisor of ⌈/⌉: the line for the reported
// bound; the most a batch can hold (line − 1 paisa) for the stronger bound at
// which packing stops.
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

// least returns a lower bound for payouts that must stay under the line. It is stronger
// than the reported bound: besides total and count it uses that two payouts above half
// the line never fit together.
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

// floor is a stronger least: it also uses how many of the smallest payouts fit together.
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
