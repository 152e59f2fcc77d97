package sqlite

import (
	"context"

	"payrun/ledger"
)

// KeepListing records what the bank listed, with its event, or nothing.
func (s *Tables) KeepListing(ctx context.Context, b ledger.BankListing) error {
	return s.inTx(ctx, "keep what the bank listed", func(tx Writer) error {
		before, err := listedOf(ctx, tx)
		if err != nil {
			return err
		}
		after := before.With(b)
		if err := bankLists.replace(ctx, tx, []ledger.BankLists{after}); err != nil {
			return err
		}
		return s.appendEvent(ctx, tx, b.Event(after.Digest()))
	})
}

// bankLists is what the bank listed: one row, read and replaced as a whole.
var bankLists = table[ledger.BankLists]{"bank_lists", "one, listed", func(l *ledger.BankLists) []any {
	one := 1
	return []any{&one, inJSON{l}}
}}

// BankLists returns what the bank last listed. It returns ledger.ErrTampered if the row was changed since: a
// beneficiary's id decides where money goes.
func (s *Tables) BankLists(ctx context.Context) (l ledger.BankLists, err error) {
	var digest string
	err = s.db.Moment(ctx, func(r Snapshot) (err error) {
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
	err = r.QueryRow(ctx, `SELECT listed FROM bank_lists`).Scan(inJSON{&l})
	return l, orNone(err)
}
