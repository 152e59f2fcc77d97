package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// statements reads the bank's own statement for the engine: it fetches and records it, as
// any other reading.
type statements struct{ *operation }

// ReadStatement is submitter.Statements'.
func (s statements) ReadStatement(ctx context.Context, account string, since time.Time) error {
	reads, err := s.fetchStatement(ctx, account, s.day(since), s.day(s.env.Now()))
	if err != nil {
		return err
	}
	for _, r := range reads {
		if r.Shape != ledger.ShapeEntries {
			return fmt.Errorf("%w: %s", submitter.ErrNoStatement, withoutEntries(r))
		}
	}
	return nil
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
