package sqlite

import (
	"context"
	"fmt"
	"strings"

	"payrun/ledger"
)

// stepRows is how many rows of a step a statement writes, the most first. A statement
// with triggers has to be able to undo itself, for which it copies each page before it
// first writes to it: the fewer statements, the fewer copies. The text of the most is
// short enough for a connection to keep it compiled.
var stepRows = [...]int{100, 10, 1}

// rowsText is a statement that writes rows, for each of stepRows.
type rowsText [len(stepRows)]string

// textOf puts rows of so many values between the two.
func textOf(before string, values int, after string) (texts rowsText) {
	row := "(?" + strings.Repeat(",?", values-1) + ")"
	for i, rows := range stepRows {
		texts[i] = before + row + strings.Repeat(","+row, rows-1) + after
	}
	return texts
}

var (
	insertObservations = textOf(observations.into(""), 11, "")
	updateAttempts     = textOf(`UPDATE attempts SET (`+attempts.columns+`) = (v.column4, v.column5, v.column6, v.column7, v.column8, v.column9, v.column10, v.column11,
		v.column12, v.column13, v.column14, v.column15) FROM (VALUES `, 15, `) v WHERE attempts.payout_id = v.column1 AND attempts.number = v.column2 AND attempts.state = v.column3`)
)

func writeObservations(ctx context.Context, tx Writer, list []ledger.NewObservation) error {
	return insertObservations.exec(ctx, tx, len(list), func(args []any, i int) (ledger.AttemptKey, []any) {
		return list[i].AttemptKey, append(args, observations.fields(&list[i])...)
	})
}

// writeAttempts changes each attempt that is still in the state that its change is
// from. A later change of the same attempt is another statement's.
func writeAttempts(ctx context.Context, tx Writer, list []ledger.AttemptChange) error {
	for len(list) > 0 {
		n := ascending(list)
		err := updateAttempts.exec(ctx, tx, n, func(args []any, i int) (ledger.AttemptKey, []any) {
			a := &list[i]
			return a.Key(), append(append(args, a.ID, a.Number, a.From), attempts.fields(&a.Attempt)...)
		})
		if err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// ascending is how many of the list are each of a later attempt than the one before.
func ascending(list []ledger.AttemptChange) int {
	for i := 1; i < len(list); i++ {
		if a, b := &list[i-1], &list[i]; b.ID < a.ID || b.ID == a.ID && b.Number <= a.Number {
			return i
		}
	}
	return len(list)
}

// exec writes n rows, by the fewest statements. values adds those of a row to args, and
// says which attempt it is of.
func (texts *rowsText) exec(ctx context.Context, tx Writer, n int, values func(args []any, i int) (ledger.AttemptKey, []any)) error {
	var args []any
	done := 0
	for at, rows := range stepRows {
		for ; n-done >= rows; done += rows {
			var first, last ledger.AttemptKey
			first, args = values(args[:0], done)
			last = first
			for i := done + 1; i < done+rows; i++ {
				last, args = values(args, i)
			}
			err := wrote(rows)(tx.Exec(ctx, texts[at], args...))
			switch {
			case err != nil && first == last:
				return fmt.Errorf("attempt %d of payout %d: %w", first.Number, first.PayoutID, err)
			case err != nil:
				return fmt.Errorf("attempts of payouts %d to %d: %w", first.PayoutID, last.PayoutID, err)
			}
		}
	}
	return nil
}

// wrote holds a statement to the rows that it is about.
func wrote(rows int) func(int64, error) error {
	return func(n int64, err error) error {
		if err == nil && n != int64(rows) {
			err = fmt.Errorf("%w: %d rows where %d were to be changed", ledger.ErrConflict, n, rows)
		}
		return err
	}
}
