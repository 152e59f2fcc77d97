package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"payrun/ledger"
)

// KeepListing records what the bank listed, with its event, or nothing.
func (s *Store) KeepListing(ctx context.Context, b ledger.BankListing) error {
	if err := b.Check(); err != nil {
		return err
	}
	return s.inTx(ctx, "keep what the bank listed", func(tx *sql.Tx) error {
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

// replaceListed writes the rows of a list anew.
func replaceListed(ctx context.Context, tx *sql.Tx, list string, l ledger.BankLists) error {
	tables := []string{`DELETE FROM bank_lists`}
	if list == ledger.ListOfAccounts {
		tables = append(tables, `DELETE FROM bank_accounts`)
	} else {
		tables = append(tables, `DELETE FROM bank_beneficiaries`)
	}
	for _, q := range tables {
		if _, err := tx.ExecContext(ctx, q); err != nil {
			return err
		}
	}
	for _, w := range l.Lists {
		if _, err := tx.ExecContext(ctx, `INSERT INTO bank_lists (list, sub_merchant_id, bank_account_id, at) VALUES (?, ?, ?, ?)`,
			w.List, w.SubMerchantID, w.BankAccountID, micros(w.At)); err != nil {
			return err
		}
	}
	if list == ledger.ListOfAccounts {
		return insertAccounts(ctx, tx, l.Accounts)
	}
	return insertBeneficiaries(ctx, tx, l.Beneficiaries)
}

func insertAccounts(ctx context.Context, tx *sql.Tx, list []ledger.ListedAccount) error {
	for _, a := range list {
		if _, err := tx.ExecContext(ctx, `INSERT INTO bank_accounts (bank_account_id, partner_bank_id, status, account_number, ifsc, account_name, identifier, at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, a.BankAccountID, a.PartnerBankID, a.Status, a.AccountNumber, a.IFSC, a.AccountName, a.Identifier, micros(a.At)); err != nil {
			return err
		}
	}
	return nil
}

func insertBeneficiaries(ctx context.Context, tx *sql.Tx, list []ledger.ListedBeneficiary) error {
	insert, err := tx.PrepareContext(ctx, `INSERT INTO bank_beneficiaries (bank_account_id, open_beneficiary_id, bank_beneficiary_id, vendor_name,
		bank_account_number, ifsc, status, sub_merchant_id, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	defer insert.Close()
	for _, b := range list {
		if _, err := insert.ExecContext(ctx, b.BankAccountID, b.OpenBeneficiaryID, b.BankBeneficiaryID, b.VendorName, b.BankAccountNumber,
			b.IFSC, b.Status, b.SubMerchantID, micros(b.At)); err != nil {
			return err
		}
	}
	return nil
}

// BankLists returns what the bank listed when it was last asked. ledger.ErrTampered
// where somebody changed it since: a beneficiary's id says where money goes.
func (s *Store) BankLists(ctx context.Context) (l ledger.BankLists, err error) {
	const doing = "read what the bank listed"
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}) // one moment of the ledger
	if err != nil {
		return l, damage(doing, err)
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	if l, err = listedOf(ctx, tx); err != nil {
		return l, damage(doing, err)
	}
	var told string
	err = tx.QueryRowContext(ctx, `SELECT digest FROM events WHERE kind = 'bank_listed' ORDER BY seq DESC LIMIT 1`).Scan(&told)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return l, damage(doing, err)
	}
	return l, l.VerifyDigests(told)
}

func listedOf(ctx context.Context, r reader) (l ledger.BankLists, err error) {
	var at sql.NullInt64
	err = each(ctx, r, func(rows *sql.Rows) error {
		var w ledger.ListedWhole
		err := rows.Scan(&w.List, &w.SubMerchantID, &w.BankAccountID, &at)
		w.At = fromMicros(at)
		l.Lists = append(l.Lists, w)
		return err
	}, `SELECT list, sub_merchant_id, bank_account_id, at FROM bank_lists ORDER BY 1, 2, 3`)
	if err != nil {
		return l, err
	}
	err = each(ctx, r, func(rows *sql.Rows) error {
		var a ledger.ListedAccount
		err := rows.Scan(&a.BankAccountID, &a.PartnerBankID, &a.Status, &a.AccountNumber, &a.IFSC, &a.AccountName, &a.Identifier, &at)
		a.At = fromMicros(at)
		l.Accounts = append(l.Accounts, a)
		return err
	}, `SELECT bank_account_id, partner_bank_id, status, account_number, ifsc, account_name, identifier, at FROM bank_accounts ORDER BY 1`)
	if err != nil {
		return l, err
	}
	err = each(ctx, r, func(rows *sql.Rows) error {
		var b ledger.ListedBeneficiary
		err := rows.Scan(&b.BankAccountID, &b.OpenBeneficiaryID, &b.BankBeneficiaryID, &b.VendorName, &b.BankAccountNumber, &b.IFSC, &b.Status, &b.SubMerchantID, &at)
		b.At = fromMicros(at)
		l.Beneficiaries = append(l.Beneficiaries, b)
		return err
	}, `SELECT bank_account_id, open_beneficiary_id, bank_beneficiary_id, vendor_name, bank_account_number, ifsc, status, sub_merchant_id, at
		FROM bank_beneficiaries ORDER BY 1, 2`)
	return l, err
}

func (s *Store) exportListed(ctx context.Context, out ledger.Export) error {
	if out.BankLists == nil {
		return nil
	}
	l, err := listedOf(ctx, s.read)
	if err != nil {
		return err
	}
	return out.BankLists(l)
}
