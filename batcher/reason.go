package batcher

import (
	"fmt"

	"payrun/ledger"
)

// explain sets the reason of each batch of a group: why it ends there, for the person who enters
// its OTP.
func (g *group) explain(batches []ledger.PlannedBatch, items []Item) {
	for i := range batches {
		b := &batches[i]
		switch last := i == len(batches)-1; {
		case !g.rules.Bulk:
			b.Reason = fmt.Sprintf("one payout: partner bank %d takes no bulk", g.PartnerBankID)
		case b.BeneLEI != "" && len(b.Members) == g.limit:
			b.Reason = g.withLEI(b) + "; " + g.full()
		case b.BeneLEI != "":
			b.Reason = g.withLEI(b)
		case len(b.Members) == g.limit:
			b.Reason = g.full()
		case last:
			b.Reason = "remaining payouts"
		case g.rules.NeedsLEI(b.Total + items[batches[i+1].Members[0]].Amount):
			b.Reason = "full: the next payout would reach " + crore(g.rules.LEILine)
		default:
			b.Reason = fmt.Sprintf("packed under %s to need few OTPs, %d for its account", crore(g.rules.LEILine), len(batches))
		}
	}
}

func (g *group) full() string {
	return fmt.Sprintf("full: %d payouts (limits.payouts_per_batch)", g.limit)
}

func (g *group) withLEI(b *ledger.PlannedBatch) string {
	return fmt.Sprintf("%s or more: one beneficiary LEI %s", crore(g.rules.LEILine), b.BeneLEI)
}

// crore returns a multiple of a crore as ₹50 crore, and other amounts in full.
func crore(p ledger.Paise) string {
	const one = 1_00_00_000_00
	if p%one != 0 {
		return "₹" + p.Indian()
	}
	return fmt.Sprintf("₹%d crore", p/one)
}
