package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"payrun/ledger"
	"payrun/ledger/sqlite"
)

// meant turns an error of the server or the connection into one of the ledger, with words for people. It uses
// the code, never the text.
func meant(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	text, means := err.Error(), ledger.ErrUnreachable
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		text, means = meaning(e)
	}
	err = &sqlite.EngineError{Means: means, Text: text, Err: err}
	switch means {
	case ledger.ErrTransition, ledger.ErrDuplicate, ledger.ErrRule: // the query knows what these mean for its row
		return err
	}
	return fmt.Errorf("%w: %w", means, err) // even if a caller passes the error on unchanged
}

// meanings are those of codes and of classes of codes whose message is for people.
var meanings = map[string]error{
	"PR001": ledger.ErrTransition, // no_step of the schema
	"42501": ledger.ErrNoRight,
	"3D000": ledger.ErrUnfit, "28P01": ledger.ErrUnfit, "28000": ledger.ErrUnfit, "25006": ledger.ErrUnfit, // no such database, password, role; a standby
	"57P01": ledger.ErrUnreachable, "57P02": ledger.ErrUnreachable, "57P03": ledger.ErrUnreachable, "53300": ledger.ErrUnreachable,
	"22": ledger.ErrRule, "23": ledger.ErrRule, "08": ledger.ErrUnreachable, "40": ledger.ErrConflict,
}

func meaning(e *pgconn.PgError) (text string, means error) {
	switch e.Code {
	case "23505":
		return fmt.Sprintf("another row has the same %s", e.ConstraintName), ledger.ErrDuplicate
	case "23514":
		return fmt.Sprintf("%s of %s does not hold", e.ConstraintName, e.TableName), ledger.ErrRule
	case "23502":
		return fmt.Sprintf("%s.%s is missing", e.TableName, e.ColumnName), ledger.ErrRule
	case "23503":
		return "it refers to what is not there", ledger.ErrRule
	case "55P03":
		return "the lock was not given in time", ledger.ErrLocked
	}
	if means := cmp.Or(meanings[e.Code], meanings[e.Code[:2]]); means != nil {
		return e.Message, means
	}
	return e.Message + " (" + e.Code + ")", ledger.ErrLedgerDamaged
}

// means reports whether an error of the engine has this meaning.
func means(err, what error) bool {
	e, ok := errors.AsType[*sqlite.EngineError](err)
	return ok && e.Means == what
}
