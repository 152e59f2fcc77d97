package batcher

import (
	"errors"
	"fmt"
	"math"

	"payrun/ledger"
)

// ErrInput is wrapped by every error about an input that no sheet can produce.
var ErrInput = errors.New("batcher: not a plan that can be made")

// NeedsLEIError is a payout that reaches the LEI line of its partner bank without a valid beneficiary
// LEI. It cannot be split and no batch may hold it (interface.md, "Submit transfer", bene_lei).
type NeedsLEIError struct {
	Item   int // position in Input.Items
	Amount ledger.Paise
}

func (e *NeedsLEIError) Error() string {
	return fmt.Sprintf("payout %d of %s reaches the LEI line and has no valid beneficiary LEI", e.Item, e.Amount)
}

func checkInput(in Input) error {
	if in.Limit < 1 {
		return fmt.Errorf("%w: the limit is %d payouts a batch", ErrInput, in.Limit)
	}
	if len(in.Items) > math.MaxInt32 {
		return fmt.Errorf("%w: %d payouts are more than can be numbered", ErrInput, len(in.Items))
	}
	routes := make(map[ledger.Route]bool, len(in.Groups))
	for i, g := range in.Groups {
		if routes[g.route()] {
			return fmt.Errorf("%w: group %d has the debit account, sub-merchant and transaction type of another", ErrInput, i)
		}
		routes[g.route()] = true
	}
	var total ledger.Paise
	for i, it := range in.Items {
		switch {
		case it.Group < 0 || int(it.Group) >= len(in.Groups):
			return fmt.Errorf("%w: payout %d has group %d of %d", ErrInput, i, it.Group, len(in.Groups))
		case it.LEI < -1 || int(it.LEI) >= len(in.LEIs):
			return fmt.Errorf("%w: payout %d has LEI %d of %d", ErrInput, i, it.LEI, len(in.LEIs))
		case it.Amount <= 0:
			return fmt.Errorf("%w: payout %d has amount %s", ErrInput, i, it.Amount)
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

// checkPlan holds the finished plan against the rules, and its batches against
// the groups: ledger does not know which partner bank a debit account is at.
func checkPlan(in Input, plan Plan) error {
	err := ledger.CheckPlan(plan.Batches, len(in.Items), in.Limit, func(i int32) ledger.Member {
		it := &in.Items[i]
		m := ledger.Member{Route: in.Groups[it.Group].route(), Amount: it.Amount}
		if it.LEI >= 0 {
			m.BeneLEI = in.LEIs[it.LEI]
		}
		return m
	})
	if err != nil {
		return err
	}
	for i, b := range plan.Batches {
		g := in.Groups[in.Items[b.Members[0]].Group] // of one route, and so of one group
		if g.PartnerBankID != b.PartnerBankID || g.Kind != b.Kind {
			return fmt.Errorf("planned batch %d is of partner bank %d %s, its payouts of %d %s", i+1, b.PartnerBankID, b.Kind, g.PartnerBankID, g.Kind)
		}
	}
	return nil
}
