package sqlite

import (
	"context"
	"fmt"

	"payrun/ledger"
)

func writeObservations(ctx context.Context, tx Writer, list []ledger.NewObservation) error {
	if err := observations.insertAll(ctx, tx, list); err != nil {
		return fmt.Errorf("what was observed of payouts %d to %d: %w", list[0].PayoutID, list[len(list)-1].PayoutID, err)
	}
	return nil
}

// writeAttempts updates each attempt if it is still in the From state of its change. A later change of the same
// attempt goes into another statement.
func writeAttempts(ctx context.Context, tx Writer, list []ledger.AttemptChange) error {
	update := `UPDATE attempts SET (` + attempts.columns + `) = (v.column4, v.column5, v.column6, v.column7, v.column8, v.column9, v.column10, v.column11,
		v.column12, v.column13, v.column14, v.column15) FROM (VALUES `
	const these = `) v WHERE attempts.payout_id = v.column1 AND attempts.number = v.column2 AND attempts.state = v.column3`
	for len(list) > 0 {
		n := ascending(list)
		err := wrote(n)(writeMany(ctx, tx, update, these, list[:n], func(a *ledger.AttemptChange) []any {
			return append([]any{a.ID, a.Number, a.From}, attempts.fields(&a.Attempt)...)
		}))
		if err != nil {
			return fmt.Errorf("attempts of payouts %d to %d: %w", list[0].ID, list[n-1].ID, err)
		}
		list = list[n:]
	}
	return nil
}

// ascending returns how many changes at the start of the list are each of a later attempt than the one before.
func ascending(list []ledger.AttemptChange) int {
	for i := 1; i < len(list); i++ {
		if list[i].Key().Compare(list[i-1].Key()) <= 0 {
			return i
		}
	}
	return len(list)
}

// wrote returns ledger.ErrConflict unless a statement changed exactly this many rows.
func wrote(rows int) func(int64, error) error {
	return func(n int64, err error) error {
		if err == nil && n != int64(rows) {
			err = fmt.Errorf("%w: %d rows where %d were to be changed", ledger.ErrConflict, n, rows)
		}
		return err
	}
}
