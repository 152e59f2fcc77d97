package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// statements reads the bank's own statement for the engine: it fetches and records it, as
// any other reading.
type statements struct{ *operation }

// ReadStatement is submitter.Statements'. A bank that ever gave entries of the account, on
// record or in a part of this answer, gives a statement: then one without entries is none.
func (s statements) ReadStatement(ctx context.Context, account string, since time.Time) error {
	reads, err := s.fetchStatement(ctx, account, bankDay(since), bankDay(s.env.Now()))
	if err != nil {
		return err
	}
	without := slices.IndexFunc(reads, func(r ledger.StatementRead) bool { return r.Shape != ledger.ShapeEntries })
	if without < 0 {
		return nil
	}
	kept, err := s.store.Statements(ctx, account)
	if err != nil {
		return err
	}
	gives := slices.ContainsFunc(kept, func(k ledger.KeptStatement) bool {
		return k.Source == ledger.FromInterface && k.Shape == ledger.ShapeEntries
	})
	what := withoutEntries(reads[without])
	if gives {
		return errors.New(what)
	}
	return fmt.Errorf("%w: %s", submitter.ErrNoStatement, what)
}

// withoutEntries says what came in place of a statement.
func withoutEntries(r ledger.StatementRead) string {
	what := "the bank only promises it (HTTP 202)"
	if r.Shape == ledger.ShapeOther {
		what = "the bank answers with payouts in place of entries"
	}
	if len(r.RequestIDs) > 0 {
		what += ", request " + strings.Join(r.RequestIDs, ", ")
	}
	return what
}
