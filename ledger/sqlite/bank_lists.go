package sqlite

import (
	"context"

	"payrun/ledger"
)

// KeepListing records what the bank listed, with its event, or nothing.
func (s *Tables) KeepListing(ctx context.Context, b ledger.BankListing) error {
	if err := b.Check(); err != nil {
		return err
	}
	return s.inTx(ctx, "keep what the bank listed", func(tx Writer) error {
		before, err := listedOf(ctx, tx)
		if err != nil {
			return err
		}
		after := before.With(b)
		if err := replaceListed(ctx, tx, b.List, after); err != nil {
			return err
		}
		return s.appendEvent(ctx, tx, b.Event(after.Digest()))
	})
}

var (
	listedWhole = table[ledger.ListedWhole]{"bank_lists", "list, sub_merchant_id, bank_account_id, at", func(w *ledger.ListedWhole) []any {
		return []any{&w.List, &w.SubMerchantID, &w.BankAccountID, moment{&w.At}}
	}}
	listedAccounts = table[ledger.ListedAccount]{"bank_accounts", "bank_account_id, partner_bank_id, status, account_number, ifsc, account_name, identifier, at",
		func(a *ledger.ListedAccount) []any {
			return []any{&a.BankAccountID, &a.PartnerBankID, &a.Status, &a.AccountNumber, &a.IFSC, &a.AccountName, &a.Identifier, moment{&a.At}}
		}}
	listedBeneficiaries = table[ledger.ListedBeneficiary]{"bank_beneficiaries", `bank_account_id, open_beneficiary_id, bank_beneficiary_id, vendor_name,
		bank_account_number, ifsc, status, sub_merchant_id, at`,
		func(b *ledger.ListedBeneficiary) []any {
			return []any{&b.BankAccountID, &b.OpenBeneficiaryID, &b.BankBeneficiaryID, &b.VendorName, &b.BankAccountNumber, &b.IFSC, &b.Status, &b.SubMerchantID, moment{&b.At}}
		}}
)

// replaceListed replaces the rows of a list.
func replaceListed(ctx context.Context, tx Writer, list string, l ledger.BankLists) error {
	if err := listedWhole.replace(ctx, tx, l.Lists); err != nil {
		return err
	}
	if list == ledger.ListOfAccounts {
		return listedAccounts.replace(ctx, tx, l.Accounts)
	}
	return listedBeneficiaries.replace(ctx, tx, l.Beneficiaries)
}

// BankLists returns what the bank last listed. ledger.ErrTampered if it was changed since: a
// beneficiary's id says where money goes.
func (s *Tables) BankLists(ctx context.Context) (l ledger.BankLists, err error) {
	var digest string
	err = s.db.Moment(ctx, func(r Reader) (err error) {
		if l, err = listedOf(ctx, r); err != nil {
			return err
		}
		return r.QueryRow(ctx, `SELECT ifnull((SELECT digest FROM events WHERE kind = 'bank_listed' ORDER BY seq DESC LIMIT 1), '')`).Scan(&digest)
	})
	if err != nil {
		return l, damage("read what the bank listed", err)
	}
	return l, l.VerifyDigests(digest)
}

func listedOf(ctx context.Context, r Reader) (l ledger.BankLists, err error) {
	if l.Lists, err = listedWhole.list(ctx, r, `true ORDER BY 1, 2, 3`); err != nil {
		return l, err
	}
	if l.Accounts, err = listedAccounts.list(ctx, r, `true ORDER BY 1`); err != nil {
		return l, err
	}
	l.Beneficiaries, err = listedBeneficiaries.list(ctx, r, `true ORDER BY 1, 2`)
	return l, err
}
