package app

import (
	"context"

	"payrun/ledger"
	"payrun/submitter/bankapi"
	"payrun/validate/ifsc"
)

// BeneficiaryQuery says which beneficiaries are asked for; what is empty filters nothing,
// but the sub-merchant is the configured one. A person names the debit account by its name or id.
type BeneficiaryQuery = bankapi.BeneficiaryQuery

// Beneficiaries lists the beneficiaries that the bank has, all pages, and keeps
// the list in the ledger.
func (a *App) Beneficiaries(ctx context.Context, call Call, q BeneficiaryQuery) (list []ledger.Beneficiary, err error) {
	if q.SubMerchantID, err = a.subMerchant(q.SubMerchantID); err != nil {
		return nil, err
	}
	if q.BankAccountID, err = a.accountIfAny(q.BankAccountID); err != nil {
		return nil, err
	}
	list, err = listed(a, call, "its beneficiaries", func(c *bankapi.Client) ([]ledger.Beneficiary, error) { return c.Beneficiaries(ctx, q) })
	if err == nil {
		a.keepListing(ctx, call, ledger.BankListing{List: ledger.ListOfBeneficiaries, SubMerchantID: q.SubMerchantID, BankAccountID: q.BankAccountID,
			Whole: q.OpenBeneficiaryID+q.Search == "", Beneficiaries: list})
	}
	return list, err
}

// BeneficiaryRequest is a payee that the bank is to add under a debit account, which a person
// names by its name or id; of the configured sub-merchant where it names none.
type BeneficiaryRequest = bankapi.BeneficiaryRequest

// NewBeneficiary is the bank's answer. It is not active yet.
type NewBeneficiary = bankapi.NewBeneficiary

// AddBeneficiary asks the bank to add a beneficiary, once. The bank sends an OTP
// to the registered mobile; the operation that takes it is not shown
// (interface.md, "Initiate beneficiary").
func (a *App) AddBeneficiary(ctx context.Context, call Call, q BeneficiaryRequest) (got NewBeneficiary, err error) {
	named := q.BankAccountID
	if !ifsc.Valid(q.IFSC) {
		why, likely := ifsc.Explain(q.IFSC)
		e := Fail(Usage, "--ifsc %s: not a valid IFSC: %s; nothing was sent", ledger.Plain(q.IFSC), why)
		if likely != "" {
			e.Then(Say("it is probably %s: check it against the payee's cheque or passbook", likely))
		}
		return got, e
	}
	if q.SubMerchantID, err = a.subMerchant(q.SubMerchantID); err != nil {
		return got, err
	}
	if q.BankAccountID, err = a.account(named); err != nil {
		return got, err
	}
	return askOnce(ctx, a, call, byHand{
		what: "add the beneficiary", hide: ledger.NewMasker(q.BankAccountNumber),
		check: Do("beneficiaries", "list", "--account", named).First("do not send it again before you have looked whether it is there"),
	}, func(c *bankapi.Client) (NewBeneficiary, error) { return c.AddBeneficiary(ctx, q) })
}
