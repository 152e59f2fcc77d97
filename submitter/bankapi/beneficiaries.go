package bankapi

import (
	"context"

	"payrun/ledger"
)

// BeneficiaryQuery filters Beneficiaries. SubMerchantID is required; empty fields filter nothing.
type BeneficiaryQuery struct {
	SubMerchantID     string
	BankAccountID     string // the debit account
	OpenBeneficiaryID string
	Search            string // in payee, account number, IFSC
}

// Beneficiaries lists the beneficiaries of a sub-merchant, from all pages (interface.md, "List beneficiaries").
// Every error is a *ledger.CallError; then nothing is returned.
func (c *Client) Beneficiaries(ctx context.Context, q BeneficiaryQuery) ([]ledger.Beneficiary, error) {
	if err := require(field{"sub_merchant_id", q.SubMerchantID}); err != nil {
		return nil, notSent(opBeneficiaries, err)
	}
	query := filters(field{"sub_merchant_id", q.SubMerchantID}, field{"bank_account_id", q.BankAccountID},
		field{"open_beneficiary_id", q.OpenBeneficiaryID}, field{"search", q.Search})
	of := func(page BeneficiaryList) ([]ledger.Beneficiary, error) { return page.Beneficiaries, nil }
	return listed(ctx, c, list{op: opBeneficiaries, path: PathBeneficiaries, query: query}, of)
}

// AddBeneficiary asks the bank to add a beneficiary, once. The bank sends an OTP to the registered mobile
// (interface.md, "Initiate beneficiary"). The interface does not show the operation that confirms it with the
// OTP, so this client has none. Every error is a *ledger.CallError.
func (c *Client) AddBeneficiary(ctx context.Context, r BeneficiaryRequest) (NewBeneficiary, error) {
	return postFields[NewBeneficiary](ctx, c, opBeneficiaryInitiate, c.set.BaseURL+PathBeneficiaryInitiate,
		field{"sub_merchant_id", r.SubMerchantID}, field{"bank_account_id", r.BankAccountID},
		field{"vendor_name", r.VendorName}, field{"bank_account_number", r.BankAccountNumber}, field{"ifsc", r.IFSC})
}
