package sqlite

import (
	"database/sql"
	"errors"
	"fmt"

	driver "modernc.org/sqlite"
	code "modernc.org/sqlite/lib"

	"payrun/ledger"
)

// damage says what was being done and gives a driver's error the ledger's
// meaning, by its code and never by its text.
func damage(doing string, err error) error {
	if err == nil {
		return nil
	}
	if sentinel := meaning(err); sentinel != nil && !errors.Is(err, sentinel) {
		return fmt.Errorf("%s: %w: %w", doing, sentinel, err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// meaning returns the sentinel for an error of the driver, or nil.
func meaning(err error) error {
	e, ok := errors.AsType[*driver.Error](err)
	if !ok {
		return nil
	}
	switch e.Code() {
	case code.SQLITE_CONSTRAINT_UNIQUE, code.SQLITE_CONSTRAINT_PRIMARYKEY, code.SQLITE_CONSTRAINT_ROWID:
		return ledger.ErrDuplicate
	case code.SQLITE_CONSTRAINT_TRIGGER:
		return ledger.ErrTransition
	}
	switch e.Code() & 0xff { // the primary code; the rest is detail
	case code.SQLITE_FULL, code.SQLITE_IOERR, code.SQLITE_CORRUPT, code.SQLITE_NOTADB, code.SQLITE_READONLY,
		code.SQLITE_CANTOPEN, code.SQLITE_PERM, code.SQLITE_FORMAT, code.SQLITE_NOLFS, code.SQLITE_PROTOCOL:
		return ledger.ErrLedgerDamaged
	case code.SQLITE_BUSY, code.SQLITE_LOCKED:
		return ledger.ErrLocked
	}
	return nil
}

// orNotFound makes "no row" the ledger's word for it.
func orNotFound(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ledger.ErrNotFound
	}
	return err
}
