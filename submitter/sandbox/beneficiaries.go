package sandbox

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// listBeneficiaries answers "List beneficiaries"; sub_merchant_id is required.
func (b *bank) listBeneficiaries(r request) *answer {
	q := r.query
	if q.Get("sub_merchant_id") == "" {
		return r.refuse(http.StatusBadRequest, "sub_merchant_id is required")
	}
	all := []ledger.Beneficiary{}
	for _, n := range b.Beneficiaries {
		if n.SubMerchantID == q.Get("sub_merchant_id") && matches(q.Get("bank_account_id"), n.BankAccountID) &&
			matches(q.Get("open_beneficiary_id"), n.OpenBeneficiaryID) && contains(q.Get("search"), n.VendorName, n.BankAccountNumber, n.IFSC) {
			all = append(all, n.Beneficiary)
		}
	}
	return page(b, r, all, func(shown []ledger.Beneficiary) any { return bankapi.BeneficiaryList{Beneficiaries: shown} })
}

// Forms that the sandbox requires of a beneficiary's account; the interface shows none.
var (
	accountForm = regexp.MustCompile(`^[0-9A-Za-z]{5,34}$`)
	ifscForm    = regexp.MustCompile(`^[A-Z]{4}0[0-9A-Z]{6}$`)
)

// initiateBeneficiary answers "Initiate beneficiary" with HTTP 201. The interface does not show the operation
// that confirms it with the OTP; here settling replaces it.
func (b *bank) initiateBeneficiary(r request) *answer {
	n := &beneficiary{Moves: true}
	if rule, err := b.readBeneficiary(r.body, n); err != nil {
		return b.refuse(r, rule, "%s", err)
	}
	n.OpenBeneficiaryID = b.dice.uuid("beneficiary", n.BankAccountID, n.BankAccountNumber, n.IFSC)
	b.Beneficiaries = append(b.Beneficiaries, n)
	b.send(n.SubMerchantID, SMS{OTP: b.dice.digits(6, "beneficiary otp", n.OpenBeneficiaryID), Beneficiary: n.VendorName})
	a := answered(bankapi.NewBeneficiary{
		SubMerchantID: n.SubMerchantID, BankAccountID: n.BankAccountID, OpenBeneficiaryID: n.OpenBeneficiaryID, BankBeneficiaryID: n.BankBeneficiaryID, Status: n.Status,
	}, nil)
	a.status = http.StatusCreated
	return a
}

// readBeneficiary fills n from the body. On an error, rule names the broken rule.
func (b *bank) readBeneficiary(body []byte, n *beneficiary) (rule string, err error) {
	var in bankapi.BeneficiaryRequest
	if err := read(body, &in, map[string]*string{
		"sub_merchant_id": &in.SubMerchantID, "bank_account_id": &in.BankAccountID, "vendor_name": &in.VendorName,
		"bank_account_number": &in.BankAccountNumber, "ifsc": &in.IFSC,
	}); err != nil {
		return "fields", err
	}
	n.SubMerchantID, n.Beneficiary = in.SubMerchantID, ledger.Beneficiary{
		BankAccountID: in.BankAccountID, VendorName: in.VendorName, BankAccountNumber: in.BankAccountNumber, IFSC: in.IFSC, Status: ledger.BeneficiaryRequested,
	}
	a := b.account(n.BankAccountID)
	switch {
	case a == nil || a.SubMerchantID != n.SubMerchantID:
		return "account", errors.New("bank_account_id is not an account of the sub-merchant")
	case a.Status != ledger.AccountActive:
		return "account", fmt.Errorf("the debit account is %s", a.Status)
	case !accountForm.MatchString(n.BankAccountNumber):
		return "number", errors.New("bank_account_number: want 5 to 34 letters or digits")
	case !ifscForm.MatchString(n.IFSC):
		return "ifsc", errors.New("ifsc: want four letters, a zero and six letters or digits")
	}
	if slices.ContainsFunc(b.Beneficiaries, func(there *beneficiary) bool {
		return there.BankAccountID == n.BankAccountID && there.BankAccountNumber == n.BankAccountNumber && there.IFSC == n.IFSC
	}) {
		return "there", errors.New("the beneficiary is there already")
	}
	return "", nil
}

// verify moves a new beneficiary one step on.
func (b *bank) verify(n *beneficiary) {
	switch {
	case !n.Moves:
	case n.Status == ledger.BeneficiaryRequested && b.reading.SlowBeneficiaries:
		n.Status = ledger.BeneficiaryVerifying
	default:
		n.Status, n.Moves, n.BankBeneficiaryID = ledger.BeneficiaryActive, false, "BB"+b.dice.digits(8, "bank beneficiary", n.OpenBeneficiaryID)
	}
}
