package batcher

import (
	"fmt"
	"slices"

	"payrun/ledger"
)

// illegal says what is wrong with a plan, by the words of the specification
// alone and sharing no code with checkPlan; "" when nothing is.
func illegal(in Input, plan Plan) string {
	batchOf := map[int32]int{}
	for i, b := range plan.Batches {
		var total ledger.Paise
		leis := map[string]bool{}
		for _, m := range b.Members {
			if other, ok := batchOf[m]; ok {
				return fmt.Sprintf("payout %d is in batches %d and %d", m, other, i)
			}
			batchOf[m] = i
			it := in.Items[m]
			total += it.Amount
			if it.LEI < 0 {
				leis[""] = true
			} else {
				leis[in.LEIs[it.LEI]] = true
			}
			g := in.Groups[it.Group]
			if g.BankAccountID != b.BankAccountID || g.PartnerBankID != b.PartnerBankID || g.Kind != b.Kind ||
				g.SubMerchantID != b.SubMerchantID || g.TransactionTypeID != b.TransactionTypeID {
				return fmt.Sprintf("payout %d of %+v is in batch %d of %+v", m, g, i, b)
			}
		}
		switch bulk := slices.Contains([]int{1, 3, 12}, b.PartnerBankID); {
		case len(b.Members) == 0:
			return fmt.Sprintf("batch %d is empty", i)
		case len(b.Members) > in.Limit || !bulk && len(b.Members) > 1:
			return fmt.Sprintf("batch %d of partner bank %d has %d payouts", i, b.PartnerBankID, len(b.Members))
		case !slices.IsSorted(b.Members):
			return fmt.Sprintf("batch %d: members %v", i, b.Members)
		case total != b.Total:
			return fmt.Sprintf("batch %d: total %s, payouts make %s", i, b.Total, total)
		case b.Reason == "":
			return fmt.Sprintf("batch %d has no reason", i)
		}
		if over := b.PartnerBankID == 1 && total >= 500_000_000_00; over {
			if b.BeneLEI == "" || len(leis) != 1 || !leis[b.BeneLEI] {
				return fmt.Sprintf("batch %d of %s: LEI %q, its payouts' %v", i, total, b.BeneLEI, leis)
			}
		} else if b.BeneLEI != "" {
			return fmt.Sprintf("batch %d of %s has LEI %q", i, total, b.BeneLEI)
		}
	}
	if len(batchOf) != len(in.Items) {
		return fmt.Sprintf("%d of %d payouts are in a batch", len(batchOf), len(in.Items))
	}
	if plan.LowerBound > len(plan.Batches) {
		return fmt.Sprintf("lower bound %d, batches %d", plan.LowerBound, len(plan.Batches))
	}
	return ""
}

// fewestBatches tries every way of putting payouts of partner bank 1 into
// batches.
func fewestBatches(items []Item, limit int) int {
	type batch struct {
		count  int
		total  ledger.Paise
		lei    int32
		shared bool
	}
	fewest := len(items)
	var place func(i int, batches []batch)
	place = func(i int, batches []batch) {
		if i == len(items) {
			for _, b := range batches {
				if b.total >= line && (!b.shared || b.lei < 0) {
					return
				}
			}
			fewest = min(fewest, len(batches))
			return
		}
		it := items[i]
		for k, b := range batches {
			if b.count < limit {
				batches[k] = batch{b.count + 1, b.total + it.Amount, b.lei, b.shared && b.lei == it.LEI}
				place(i+1, batches)
				batches[k] = b
			}
		}
		place(i+1, append(batches, batch{1, it.Amount, it.LEI, true}))
	}
	place(0, nil)
	return fewest
}
