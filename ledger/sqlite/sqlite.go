// Package sqlite keeps the ledger in one SQLite file. It implements what the
// submitter, the reports and validation ask of a store, and the loading,
// retrying and viewing that the commands need.
//
// Every exported method that writes is one transaction, durable when it
// returns nil. The schema repeats the domain's rules (migrations/), so that a
// mistake here is refused there. The file is opened only through SQLite:
// opening and closing it by other means in the same process would drop
// SQLite's locks.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"
)

// Store is an open ledger. Its methods may be called from several goroutines;
// writes are one after another, reads see what was last committed.
type Store struct {
	path  string
	file  os.FileInfo // what has that name, when it was opened
	id    string
	write *sql.DB // one connection; nil when opened for reading
	read  *sql.DB
	lock  *runLock // nil when opened for reading
	mark  highWater
	proof string // of whoever holds it, for the events

	frozen bool // read as it lies there: see isFrozen

	closed bool
}

// LedgerID returns the random name that the ledger got when it was created;
// batch ids derive from it.
func (s *Store) LedgerID() string { return s.id }

// Close writes the high-water mark and releases the file and the run lock.
func (s *Store) Close() error {
	var errs []error
	if s.write != nil && s.id != "" && !s.closed {
		errs = append(errs, s.raiseMark(context.Background()))
	}
	if s.id != "" && !s.closed {
		errs = append(errs, s.unchanged())
	}
	s.closed = true
	for _, db := range []*sql.DB{s.read, s.write} {
		if db != nil {
			errs = append(errs, damage("close the ledger", db.Close()))
		}
	}
	if s.lock != nil {
		errs = append(errs, s.lock.release())
	}
	return errors.Join(errs...)
}

// inTx runs fn in one transaction that holds the write lock from its start.
// Either everything fn did is durable when it returns nil, or nothing is.
func (s *Store) inTx(ctx context.Context, doing string, fn func(*sql.Tx) error) error {
	if s.write == nil {
		return fmt.Errorf("%s: the ledger was opened for reading", doing)
	}
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return onDisk(s.path, damage(doing, err))
	}
	defer tx.Rollback() //nolint:errcheck // after Commit it does nothing, before it the error is already told
	if err := fn(tx); err != nil {
		return onDisk(s.path, damage(doing, err))
	}
	return onDisk(s.path, damage(doing, tx.Commit()))
}

// reader is what both a transaction and the pool of readers can do.
type reader interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// atOneMoment has fn read the ledger as it is at one moment.
func (s *Store) atOneMoment(ctx context.Context, fn func(reader) error) error {
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	return fn(tx)
}

// writer is what both a transaction and the connection of a load can do.
type writer interface {
	reader
	execer
}

// each runs a query and calls fn for every row.
func each(ctx context.Context, r reader, fn func(*sql.Rows) error, query string, args ...any) error {
	rows, err := r.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// micros is how a time is stored: UTC Unix microseconds, NULL for the zero time.
func micros(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMicro(), Valid: !t.IsZero()}
}

func fromMicros(n sql.NullInt64) time.Time {
	if !n.Valid {
		return time.Time{}
	}
	return time.UnixMicro(n.Int64).UTC()
}
