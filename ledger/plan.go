package ledger

import (
	"errors"
	"fmt"
)

// Route is what the payouts of one batch have in common: the debit account that
// pays, the sub-merchant it pays for, and the transaction type.
type Route struct {
	BankAccountID     string
	SubMerchantID     string
	TransactionTypeID string
}

// Route returns the payout's route.
func (p *Payout) Route() Route {
	return Route{p.BankAccountID, p.SubMerchantID, p.TransactionTypeID}
}

// Route returns the route of the batch's payouts.
func (b *Batch) Route() Route {
	return Route{b.BankAccountID, b.SubMerchantID, b.TransactionTypeID}
}

// Member is what CheckPlan needs to know about one payout.
type Member struct {
	Route   Route
	Amount  Paise
	BeneLEI string // as in the sheet; "" for none
}

// NoLimit is the limit to pass to CheckPlan for no limit.
const NoLimit = 0

// CheckPlan checks a finished plan for n payouts by the rules alone, independently of the code
// that made it. So a fault in packing or planning does not reach the bank as a lost, repeated or
// illegally batched payout. member returns the payout at a position, from 0. The plan is legal if
//
//   - every payout is in exactly one batch, the members of a batch in ascending
//     order and at most limit of them (interface.md has no limit; it is a setting);
//   - the payouts of a batch have its debit account, sub-merchant and
//     transaction type, and their amounts add up to exactly its total;
//   - each batch has one payout if the partner bank takes no bulk
//     (interface.md, "Initiate transfer", rule 1);
//   - a batch has an LEI if and only if its partner bank demands one for its
//     total, and the LEI is valid and each of its payouts has it
//     (interface.md, "Submit transfer", bene_lei).
//
// Otherwise it returns an ErrRule that names the place.
func CheckPlan(batches []PlannedBatch, n, limit int, member func(i int32) Member) error {
	placed, count := make([]bool, n), 0
	for i := range batches {
		b := &batches[i]
		err := checkForm(b, limit)
		if err == nil {
			err = placeMembers(placed, b.Members)
		}
		if err == nil {
			err = checkMembers(b, member)
		}
		if err != nil {
			return fmt.Errorf("planned batch %d: %w: %w", i+1, ErrRule, err)
		}
		count += len(b.Members)
	}
	if count != n {
		return fmt.Errorf("%w: %d of %d payouts are in no batch", ErrRule, n-count, n)
	}
	return nil
}

// checkForm checks a batch without its payouts.
func checkForm(b *PlannedBatch, limit int) error {
	rules := RulesFor(b.PartnerBankID, b.Kind)
	switch size := len(b.Members); {
	case size == 0:
		return errors.New("it has no payouts")
	case limit != NoLimit && size > limit:
		return fmt.Errorf("%d payouts, more than the limit of %d", size, limit)
	case size > 1 && !rules.Bulk:
		return fmt.Errorf("%d payouts, and partner bank %d takes one a batch", size, b.PartnerBankID)
	}
	return checkKind(b.PartnerBankID, b.Kind)
}

// placeMembers marks the members of a batch in placed. Each must be known, in order and not yet placed.
func placeMembers(placed []bool, members []int32) error {
	last := int32(-1)
	for _, i := range members {
		switch {
		case i < 0 || int(i) >= len(placed):
			return fmt.Errorf("payout %d is not one of the %d planned", i, len(placed))
		case placed[i]:
			return fmt.Errorf("payout %d is in two batches, or twice in this one", i)
		case i < last:
			return fmt.Errorf("payout %d is out of order", i)
		}
		placed[i], last = true, i
	}
	return nil
}

// checkMembers checks each payout of a batch, then their total and LEI.
func checkMembers(b *PlannedBatch, member func(i int32) Member) error {
	var total Paise
	for _, i := range b.Members {
		m := member(i)
		switch {
		case m.Route != (Route{b.BankAccountID, b.SubMerchantID, b.TransactionTypeID}):
			return fmt.Errorf("payout %d has another debit account, sub-merchant or transaction type", i)
		case b.BeneLEI != "" && m.BeneLEI != b.BeneLEI:
			return fmt.Errorf("payout %d does not have the batch's beneficiary LEI", i)
		case m.Amount <= 0:
			return fmt.Errorf("payout %d is of %s", i, m.Amount)
		}
		var fits bool
		if total, fits = total.Plus(m.Amount); !fits {
			return fmt.Errorf("the sum at payout %d is out of range", i)
		}
	}
	needs := RulesFor(b.PartnerBankID, b.Kind).NeedsLEI(total)
	switch {
	case total != b.Total:
		return fmt.Errorf("its total is %s, its payouts make %s", b.Total, total)
	case needs && b.BeneLEI == "":
		return fmt.Errorf("a total of %s at partner bank %d needs a beneficiary LEI", total, b.PartnerBankID)
	case !needs && b.BeneLEI != "":
		return fmt.Errorf("a total of %s at partner bank %d takes no beneficiary LEI", total, b.PartnerBankID)
	case b.BeneLEI != "" && !ValidLEI(b.BeneLEI):
		return fmt.Errorf("%q is not a valid LEI", b.BeneLEI)
	}
	return nil
}
