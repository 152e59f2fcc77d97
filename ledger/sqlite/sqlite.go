// Package sqlite keeps the ledger in one SQLite file. It implements what the submitter, the reports and
// validation need of a store, and the loading, retrying and viewing for the commands.
//
// Every exported method that writes is one transaction, durable when it returns nil. The schema repeats the
// domain's rules (migrations/), so it refuses a mistake of this package. Open the file only through SQLite:
// opening and closing it by other means in the same process would drop SQLite's locks.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"time"
)

// Store is an open ledger in a file.
type Store struct {
	*Tables
	path  string
	file  os.FileInfo // the file of that name when it was opened
	write *sql.DB     // one connection; nil when opened for reading
	read  *sql.DB
	lock  *runLock // nil when opened for reading
	mark  highWaterMark

	reads access // reading or frozen; see readsAs

	closed bool
}

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

// micros returns a time as it is stored: UTC Unix microseconds, NULL for the zero time.
func micros(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMicro(), Valid: !t.IsZero()}
}
