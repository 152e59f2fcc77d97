package batcher

import (
	"errors"
	"fmt"
	"math"

	"payrun/ledger"
)

// ErrInput is wrapped by every error for an input that no sheet can produce.
var ErrInput = errors.New("batcher: not a plan that can be made")

// NeedsLEIError tells of a payout that reaches the LEI line of its partner
// bank without a valid beneficiary LEI. It cannot be split and no batch may
// hold it (interface.md, "Submit transfer", bene_lei).
type NeedsLEIError struct {
	Item   int // position in Input.Items
	Amount ledger.Paise
}

func (e *NeedsLEIError) Error() string {
	return fmt.Sprintf("payout %d of %s reaches the LEI line and has no valid beneficiary LEI", e.Item, e.Amount)
}

func checkInput(in Input) error {
	if in.Limit < 1 {
		return fmt.Errorf("%w: a limit of %d payouts a batch", ErrInput, in.Limit)
	}
	if len(in.Items) > math.MaxInt32 {
		return fmt.Errorf("%w: %d payouts are more than can be numbered", ErrInput, len(in.Items))
	}
	groups := make(map[Group]bool, len(in.Groups))
	for i, g := range in.Groups {
		if groups[g] {
			return fmt.Errorf("%w: group %d is there twice", ErrInput, i)
		}
		groups[g] = true
	}
	var total ledger.Paise
	for i, it := range in.Items {
		switch {
		case it.Group < 0 || int(it.Group) >= len(in.Groups):
			return fmt.Errorf("%w: payout %d is of group %d of %d", ErrInput, i, it.Group, len(in.Groups))
		case it.LEI < -1 || int(it.LEI) >= len(in.LEIs):
			return fmt.Errorf("%w: payout %d has LEI %d of %d", ErrInput, i, it.LEI, len(in.LEIs))
		case it.Amount <= 0:
			return fmt.Errorf("%w: payout %d is of %s", ErrInput, i, it.Amount)
		}
		var fits bool
		if total, fits = total.Plus(it.Amount); !fits {
			return fmt.Errorf("%w: the sum at payout %d is out of range", ErrInput, i)
		}
		g := in.Groups[it.Group]
		if ledger.RulesFor(g.PartnerBankID, g.Kind).NeedsLEI(it.Amount) && !hasLEI(in, it) {
			return &NeedsLEIError{Item: i, Amount: it.Amount}
		}
	}
	return nil
}

func hasLEI(in Input, it Item) bool { return it.LEI >= 0 && ledger.ValidLEI(in.LEIs[it.LEI]) }

// checkPlan looks at the finished plan with fresh eyes, by the rules alone. It
// costs one pass, and no fault in the packing above it can reach the bank as a
// lost, repeated or illegally batched payout.
func checkPlan(in Input, plan Plan) error {
	seen := make([]bool, len(in.Items))
	placed := 0
	for i, b := range plan.Batches {
		if err := checkBatch(in, b, seen); err != nil {
			return fmt.Errorf("planned batch %d: %w", i, err)
		}
		placed += len(b.Members)
	}
	if placed != len(in.Items) {
		return fmt.Errorf("%d of %d payouts are in a batch", placed, len(in.Items))
	}
	return nil
}

func checkBatch(in Input, b ledger.PlannedBatch, seen []bool) error {
	rules := ledger.RulesFor(b.PartnerBankID, b.Kind)
	n := len(b.Members)
	if n == 0 || n > in.Limit || (n > 1 && !rules.Bulk) {
		return fmt.Errorf("%d payouts", n)
	}
	want := Group{b.BankAccountID, b.PartnerBankID, b.Kind, b.SubMerchantID, b.TransactionTypeID}
	var total ledger.Paise
	for k, m := range b.Members {
		it := in.Items[m]
		switch {
		case seen[m]:
			return fmt.Errorf("payout %d is in two batches", m)
		case k > 0 && m <= b.Members[k-1]:
			return fmt.Errorf("payout %d is out of order", m)
		case in.Groups[it.Group] != want:
			return fmt.Errorf("payout %d is of another group", m)
		case b.BeneLEI != "" && (!hasLEI(in, it) || in.LEIs[it.LEI] != b.BeneLEI):
			return fmt.Errorf("payout %d does not carry the batch's LEI", m)
		}
		seen[m] = true
		total += it.Amount
	}
	if total != b.Total {
		return fmt.Errorf("total is %s, its payouts make %s", b.Total, total)
	}
	if rules.NeedsLEI(total) != (b.BeneLEI != "") {
		return fmt.Errorf("total %s with LEI %q", total, b.BeneLEI)
	}
	return nil
}
