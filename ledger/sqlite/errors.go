package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	driver "modernc.org/sqlite"
	code "modernc.org/sqlite/lib"

	"payrun/ledger"
)

// EngineError is an error of an engine, with its meaning for the ledger: a sentinel, or nil. Text is for
// people.
type EngineError struct {
	Means error
	Text  string
	Err   error
}

func (e *EngineError) Error() string { return e.Text }
func (e *EngineError) Unwrap() error { return e.Err }

// Damage exports damage for other engines.
func Damage(doing string, err error) error { return damage(doing, err) }

// damage adds the action to a driver's error, and translates it into the ledger's meaning and into words for
// people, by its code and never by its text.
func damage(doing string, err error) error {
	if err == nil {
		return nil
	}
	err = inWords(err)
	if lacks := lacking(err); lacks != nil {
		err = fmt.Errorf("%w: %w", err, lacks)
	}
	if sentinel := meaning(err); sentinel != nil && !errors.Is(err, sentinel) && !errors.Is(err, ledger.ErrRule) {
		return fmt.Errorf("%s: %w: %w", doing, sentinel, err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// lacking returns the system's reason if the machine lacked a resource, or nil.
func lacking(err error) error {
	e, ok := errors.AsType[*driver.Error](err)
	if !ok {
		return nil
	}
	switch e.Code() {
	case code.SQLITE_FULL, code.SQLITE_IOERR_SHMSIZE:
		return syscall.ENOSPC
	case code.SQLITE_CANTOPEN: // the driver does not say why
		if fewFiles() {
			return syscall.EMFILE
		}
		f, err := os.Open(os.DevNull)
		if err == nil {
			return f.Close()
		}
		for _, many := range []error{syscall.EMFILE, syscall.ENFILE} {
			if errors.Is(err, many) {
				return many
			}
		}
	}
	return nil
}

// onDisk adds the file to an error that is the machine's fault and not the file's.
func onDisk(path string, err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err
	}
	for _, lacks := range []error{syscall.ENOSPC, syscall.EMFILE, syscall.ENFILE} {
		if errors.Is(err, lacks) {
			return &fs.PathError{Op: "use", Path: path, Err: err}
		}
	}
	return err
}

// meaning returns the sentinel for an error of the driver, or nil.
func meaning(err error) error {
	if e, ok := errors.AsType[*EngineError](err); ok {
		return e.Means
	}
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
	case code.SQLITE_CONSTRAINT: // CHECK, NOT NULL, FOREIGN KEY, a value of another type
		return ledger.ErrRule
	case code.SQLITE_FULL, code.SQLITE_IOERR, code.SQLITE_CORRUPT, code.SQLITE_NOTADB, code.SQLITE_READONLY,
		code.SQLITE_CANTOPEN, code.SQLITE_PERM, code.SQLITE_FORMAT, code.SQLITE_NOLFS, code.SQLITE_PROTOCOL:
		return ledger.ErrLedgerDamaged
	case code.SQLITE_BUSY, code.SQLITE_LOCKED:
		return ledger.ErrLocked
	}
	return nil
}

// inWords replaces the driver's text with what a constraint refused. It changes only that text.
func inWords(err error) error {
	e, ok := errors.AsType[*driver.Error](err)
	if !ok || e.Code()&0xff != code.SQLITE_CONSTRAINT {
		return err
	}
	return &EngineError{Means: meaning(err), Text: strings.ReplaceAll(err.Error(), e.Error(), refusal(e)), Err: err}
}

// refusal says what a constraint refused. A trigger already has its own text.
func refusal(e *driver.Error) string {
	said := strings.TrimSuffix(strings.TrimPrefix(e.Error(), "constraint failed: "), fmt.Sprintf(" (%d)", e.Code()))
	_, what, _ := strings.Cut(said, " constraint failed: ")
	switch e.Code() {
	case code.SQLITE_CONSTRAINT_CHECK:
		return what + " does not hold"
	case code.SQLITE_CONSTRAINT_NOTNULL:
		return what + " is missing"
	case code.SQLITE_CONSTRAINT_FOREIGNKEY:
		return "it refers to what is not there"
	case code.SQLITE_CONSTRAINT_UNIQUE, code.SQLITE_CONSTRAINT_PRIMARYKEY, code.SQLITE_CONSTRAINT_ROWID:
		return "another row has the same " + what
	}
	return said
}

// orNone turns "no row" into no error.
func orNone(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return err
}

// orNotFound turns "no row" into ledger.ErrNotFound.
func orNotFound(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ledger.ErrNotFound
	}
	return err
}
