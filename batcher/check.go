package batcher

import (
	"fmt"

	"payrun/ledger"
)

// checkLEIs refuses a payout that reaches the LEI line of its partner bank without a valid beneficiary LEI.
// It cannot be split, and no batch may hold it (interface.md, "Submit transfer", bene_lei).
func checkLEIs(in Input) error {
	for i, it := range in.Items {
		g, valid := in.Groups[it.Group], it.LEI >= 0 && ledger.ValidLEI(in.LEIs[it.LEI])
		if !valid && ledger.RulesFor(g.PartnerBankID, g.Kind).NeedsLEI(it.Amount) {
			return fmt.Errorf("payout %d of %s reaches the LEI line and has no valid beneficiary LEI", i, it.Amount)
		}
	}
	return nil
}

// checkPlan checks the finished plan by the rules, and the partner bank of its
// batches by the groups: ledger does not know which bank a debit account is at.
func checkPlan(in Input, plan Plan) error {
	err := ledger.CheckPlan(plan.Batches, len(in.Items), in.Limit, func(i int32) ledger.Member {
		it := &in.Items[i]
		m := ledger.Member{Route: in.Groups[it.Group].Route, Amount: it.Amount}
		if it.LEI >= 0 {
			m.BeneLEI = in.LEIs[it.LEI]
		}
		return m
	})
	if err != nil {
		return err
	}
	for i, b := range plan.Batches {
		g := in.Groups[in.Items[b.Members[0]].Group] // all members have one route, so one group
		if g.PartnerBankID != b.PartnerBankID || g.Kind != b.Kind {
			return fmt.Errorf("planned batch %d is of partner bank %d %s, its payouts of %d %s", i+1, b.PartnerBankID, b.Kind, g.PartnerBankID, g.Kind)
		}
	}
	return nil
}
