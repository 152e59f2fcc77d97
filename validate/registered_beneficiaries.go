package validate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
	"payrun/validate/ifsc"
)

// registered is what the bank listed at the last poll, as far as rows are compared with it. Nothing is polled
// now, so every message gives the age of the list.
type registered struct {
	lists ledger.BankLists
	now   time.Time                     // zero for no age
	said  map[*ledger.DebitAccount]bool // debit accounts with a finding
	of    map[[2]string]*listedFor      // by debit account and sub-merchant
}

// listedFor are the beneficiaries of a debit account.
type listedFor struct {
	whole   time.Time // when the complete list was last read; zero: never
	byID    map[string]*ledger.ListedBeneficiary
	byPayee map[ledger.Account][]*ledger.ListedBeneficiary // by the account's folded form
}

// openAtBank reads the bank's lists from past.
func openAtBank(ctx context.Context, past Past, now time.Time) (*registered, error) {
	b := &registered{now: now, said: map[*ledger.DebitAccount]bool{}, of: map[[2]string]*listedFor{}}
	var err error
	if past != nil {
		b.lists, err = past.BankLists(ctx)
	}
	return b, asking("what the bank listed", err)
}

// seen says when the bank showed it.
func (b *registered) seen(at time.Time) string {
	if b.now.IsZero() {
		return ledger.BankDay(at)
	}
	return at.In(b.now.Location()).Format(time.DateOnly) + ", " + ifsc.AgeWords(b.now.Sub(at))
}

// unusable returns why nothing could be initiated from the debit account at the last poll; "" if it could, if
// the account is unknown, or if a finding already says so.
func (b *registered) unusable(debit *ledger.DebitAccount) string {
	if b.said[debit] {
		return ""
	}
	b.said[debit] = true
	a, listed, known, at := b.lists.Account(debit.BankAccountID)
	switch {
	case !known:
		return ""
	case !listed:
		return fmt.Sprintf("the bank did not list the debit account %s when its accounts were read (%s)", debit.Name, b.seen(at))
	case a.Status != ledger.AccountActive:
		return fmt.Sprintf("the bank listed the debit account %s as %q (%s)", debit.Name, a.Status, b.seen(at))
	case a.PartnerBankID != debit.PartnerBankID:
		return fmt.Sprintf("the bank listed the debit account %s under partner bank %d (%s), and the configuration says %d", debit.Name, a.PartnerBankID, b.seen(at), debit.PartnerBankID)
	}
	return ""
}

// beneficiaries returns the listed beneficiaries of a debit account for a sub-merchant.
func (b *registered) beneficiaries(debit *ledger.DebitAccount, subMerchant string) *listedFor {
	key := [2]string{debit.BankAccountID, subMerchant}
	if l, ok := b.of[key]; ok {
		return l
	}
	l := &listedFor{byID: map[string]*ledger.ListedBeneficiary{}, byPayee: map[ledger.Account][]*ledger.ListedBeneficiary{}}
	var listed []ledger.ListedBeneficiary
	listed, l.whole = b.lists.BeneficiariesOf(debit.BankAccountID, subMerchant)
	for i := range listed {
		n := &listed[i]
		l.byID[strings.ToLower(n.OpenBeneficiaryID)] = n
		if !hiddenNumber(n.BankAccountNumber) {
			to := ledger.Account{BankAccountNumber: n.BankAccountNumber, IFSC: n.IFSC}.Folded()
			l.byPayee[to] = append(l.byPayee[to], n)
		}
	}
	b.of[key] = l
	return l
}

// hiddenNumber reports whether the bank masks the number or does not show it, so that nothing can be compared.
func hiddenNumber(number string) bool {
	return number == "" || strings.ContainsAny(number, "*•") || strings.Contains(strings.ToUpper(number), "XX")
}

// heldAgainstBank compares the current row with what the bank listed.
func (r *rowReader) heldAgainstBank(debit *ledger.DebitAccount) {
	if why := r.registered.unusable(debit); why != "" {
		r.find(colDebitAccount, codeDebitAccountUnusable, debit.Name, why, "")
	}
	if !debit.Rules().NeedsBeneficiaryID || r.refused[colBeneficiary] {
		return
	}
	l := r.registered.beneficiaries(debit, r.payout.SubMerchantID)
	switch id := r.payout.OpenBeneficiaryID; {
	case id != "":
		r.asListed(l, l.byID[strings.ToLower(id)])
	case r.cells[colBeneficiary] == "":
		r.fillBeneficiary(l)
	}
}

// asListed compares a row that names its beneficiary with the bank's list. n is the beneficiary in the list
// with that id, nil for none.
func (r *rowReader) asListed(l *listedFor, n *ledger.ListedBeneficiary) {
	id := r.payout.OpenBeneficiaryID
	switch {
	case n == nil && l.whole.IsZero():
		return
	case n == nil:
		r.find(colBeneficiary, codeBeneficiaryUnlisted, id, fmt.Sprintf("the bank's list of this debit account's beneficiaries (%s) does not have it", r.registered.seen(l.whole)), "")
		return
	case n.Status != ledger.BeneficiaryActive:
		r.find(colBeneficiary, codeBeneficiaryInactive, id, fmt.Sprintf("the bank listed the beneficiary as %q (%s)", n.Status, r.registered.seen(n.At)), "")
	}
	number, code := r.payout.BankAccountNumber, r.payout.IFSC
	if number != "" && !hiddenNumber(n.BankAccountNumber) && !ledger.SameAccountNumber(number, n.BankAccountNumber) {
		r.find(colAccount, codeBeneficiaryDiffers, ledger.Mask(number),
			fmt.Sprintf("the bank has this beneficiary with the account %s (%s), and that is where the money would go", ledger.Mask(n.BankAccountNumber), r.registered.seen(n.At)), "")
	}
	if code != "" && n.IFSC != "" && !strings.EqualFold(code, n.IFSC) {
		r.find(colIFSC, codeBeneficiaryDiffers, code,
			fmt.Sprintf("the bank has this beneficiary at %s (%s), and that is where the money would go", n.IFSC, r.registered.seen(n.At)), "")
	}
	r.namedAsListed(n)
}

func (r *rowReader) namedAsListed(n *ledger.ListedBeneficiary) {
	if name := r.payout.VendorName; name != "" && n.VendorName != "" && FoldName(name) != FoldName(n.VendorName) {
		r.find(colName, codeBeneficiaryNamed, name, fmt.Sprintf("the bank has this beneficiary as %q (%s)", n.VendorName, r.registered.seen(n.At)), "")
	}
}

// fillBeneficiary finds the id for a row without one by account and IFSC, if exactly one active beneficiary of
// the debit account has both.
func (r *rowReader) fillBeneficiary(l *listedFor) {
	var same []*ledger.ListedBeneficiary
	if r.payout.BankAccountNumber != "" && r.payout.IFSC != "" {
		same = l.byPayee[ledger.Account{BankAccountNumber: r.payout.BankAccountNumber, IFSC: r.payout.IFSC}.Folded()]
	}
	active := slices.DeleteFunc(slices.Clone(same), func(n *ledger.ListedBeneficiary) bool { return n.Status != ledger.BeneficiaryActive })
	switch {
	case len(active) == 1:
		n := active[0]
		r.payout.OpenBeneficiaryID = n.OpenBeneficiaryID
		r.find(colBeneficiary, codeBeneficiaryFilled, n.OpenBeneficiaryID,
			fmt.Sprintf("the bank has %q with this account and IFSC, active (%s); it is paid by this id", n.VendorName, r.registered.seen(n.At)), "")
		r.namedAsListed(n)
	case len(active) > 1:
		r.find(colBeneficiary, codeBeneficiaryMissing, "",
			fmt.Sprintf("the bank has %d active beneficiaries with this account and IFSC, and payrun does not guess which one is right", len(active)), "Write the right id into open_beneficiary_id. `payrun beneficiaries list` shows them.")
	case len(same) > 0:
		r.find(colBeneficiary, codeBeneficiaryInactive, "",
			fmt.Sprintf("the bank listed the beneficiary with this account and IFSC as %q (%s)", same[0].Status, r.registered.seen(same[0].At)), "")
	default:
		r.find(colBeneficiary, codeBeneficiaryMissing, "", "a RIB account pays by open_beneficiary_id, the row has none, and payrun knows none with its account and IFSC", "")
	}
}
