package app

import (
	"context"

	"payrun/ledger"
	"payrun/submitter/bankapi"
	"payrun/validate/ifsc"
)

// BeneficiaryFilter says which beneficiaries are asked for; what is empty
// filters nothing, but the sub-merchant is the configured one.
type BeneficiaryFilter struct {
	SubMerchantID     string
	Account           string // a debit account by its name or id
	OpenBeneficiaryID string
	Search            string // in payee, account number, IFSC
}

// Beneficiaries lists the beneficiaries that the bank has, all pages, and keeps
// the list in the ledger.
func (a *App) Beneficiaries(ctx context.Context, call Call, f BeneficiaryFilter) (list []ledger.Beneficiary, err error) {
	q := bankapi.BeneficiaryQuery{OpenBeneficiaryID: f.OpenBeneficiaryID, Search: f.Search}
	if q.SubMerchantID, err = a.subMerchant(f.SubMerchantID); err != nil {
		return nil, err
	}
	if q.BankAccountID, err = a.accountIfAny(f.Account); err != nil {
		return nil, err
	}
	list, err = listed(a, call, "its beneficiaries", func(c *bankapi.Client) ([]ledger.Beneficiary, error) { return c.Beneficiaries(ctx, q) })
	if err == nil {
		a.keepListing(ctx, call, ledger.BankListing{List: ledger.ListOfBeneficiaries, SubMerchantID: q.SubMerchantID, BankAccountID: q.BankAccountID,
			Whole: q.OpenBeneficiaryID+q.Search == "", Beneficiaries: list})
	}
	return list, err
}

// AddBeneficiaryRequest is a payee that the bank is to add under a debit account.
type AddBeneficiaryRequest struct {
	SubMerchantID     string // "" for the configured one
	Account           string // the debit account, by its name or id
	VendorName        string
	BankAccountNumber string
	IFSC              string
}

// NewBeneficiary is the bank's answer. It is not active yet.
type NewBeneficiary = bankapi.NewBeneficiary

// AddBeneficiary asks the bank to add a beneficiary, once. The bank sends an OTP
// to the registered mobile; the operation that takes it is not shown
// (interface.md, "Initiate beneficiary").
func (a *App) AddBeneficiary(ctx context.Context, call Call, r AddBeneficiaryRequest) (got NewBeneficiary, err error) {
	q := bankapi.BeneficiaryRequest{VendorName: r.VendorName, BankAccountNumber: r.BankAccountNumber, IFSC: r.IFSC}
	if !ifsc.Valid(r.IFSC) {
		why, likely := ifsc.Explain(r.IFSC)
		e := Fail(Usage, "--ifsc %s: not a valid IFSC: %s; nothing was sent", ledger.Plain(r.IFSC), why)
		if likely != "" {
			e.Then(Say("it is probably %s: check it against the payee's cheque or passbook", likely))
		}
		return got, e
	}
	if q.SubMerchantID, err = a.subMerchant(r.SubMerchantID); err != nil {
		return got, err
	}
	if q.BankAccountID, err = a.account(r.Account); err != nil {
		return got, err
	}
	return askOnce(ctx, a, call, byHand{
		what: "add the beneficiary", hide: ledger.NewMasker(r.BankAccountNumber),
		check: Do("beneficiaries", "list", "--account", r.Account).First("do not send it again before you have looked whether it is there"),
	}, func(c *bankapi.Client) (NewBeneficiary, error) { return c.AddBeneficiary(ctx, q) })
}
