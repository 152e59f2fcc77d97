package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"payrun/ledger"
	"payrun/ledger/sqlite"
)

// meant gives an error of the server or of the way to it the ledger's meaning, by its code
// and never by its text, and words for people.
func meant(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return &sqlite.EngineError{Means: ledger.ErrUnreachable, Text: err.Error(), Err: err}
	}
	means, text := meaning(e)
	return &sqlite.EngineError{Means: means, Text: text, Err: err}
}

func meaning(e *pgconn.PgError) (means error, text string) {
	switch e.Code {
	case "PR001": // no_step of the schema
		return ledger.ErrTransition, e.Message
	case "23505":
		return ledger.ErrDuplicate, fmt.Sprintf("another row has the same %s", e.ConstraintName)
	case "23514":
		return ledger.ErrRule, fmt.Sprintf("%s of %s does not hold", e.ConstraintName, e.TableName)
	case "23502":
		return ledger.ErrRule, fmt.Sprintf("%s.%s is missing", e.TableName, e.ColumnName)
	case "23503":
		return ledger.ErrRule, "it refers to what is not there"
	case "55P03":
		return ledger.ErrLocked, "the lock was not given in time"
	case "42501":
		return ledger.ErrNoRight, e.Message
	case "3D000", "28P01", "28000":
		return ledger.ErrLedgerDamaged, e.Message
	case "57P01", "57P02", "57P03", "53300":
		return ledger.ErrUnreachable, e.Message
	}
	switch e.Code[:2] {
	case "22", "23":
		return ledger.ErrRule, e.Message
	case "08":
		return ledger.ErrUnreachable, e.Message
	case "40":
		return ledger.ErrConflict, e.Message
	}
	return ledger.ErrLedgerDamaged, e.Message + " (" + e.Code + ")"
}
