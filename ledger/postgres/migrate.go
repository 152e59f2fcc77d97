package postgres

import (
	"context"
	"embed"
	"fmt"

	"payrun/ledger"
	"payrun/ledger/sqlite"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

var migrations = sqlite.ReadMigrations(migrationFiles)

// newest is the name of the migration that this program needs.
func newest() string { return migrations[len(migrations)-1].Name }

// outdated is the error of a ledger that lacks migrations.
func outdated(last string) error {
	return fmt.Errorf("%w (its schema is %s, this program's is %s)", ledger.ErrUnmigrated, last, newest())
}

// sameMigrations refuses a ledger whose schema differs from this program's.
func sameMigrations(ctx context.Context, r sqlite.Reader) error {
	have, err := migrations.Taken(ctx, r)
	if err == nil && have < len(migrations) {
		err = outdated(append(sqlite.Migrations{{Name: "none"}}, migrations...)[have].Name)
	}
	return err
}

// stillSame refuses a ledger that was migrated since this program opened it. last is its newest migration, read
// under the ledger's lock.
func stillSame(last string) error {
	switch {
	case last > newest():
		return fmt.Errorf("%w: its schema is %s now, this program's is %s; use the newer program", ledger.ErrOtherProgram, last, newest())
	case last < newest():
		return outdated(last)
	}
	return nil
}

// take runs the migrations after the first have ones.
func (tx *transaction) take(ctx context.Context, have int) error {
	return migrations.Take(ctx, tx, have, func(text string) error { return tx.script(ctx, text) })
}

// Migrate takes the migrations that the ledger lacks, all or none, and returns how many. Only the owner of the
// tables may do this (ledger.ErrNoRight), and only while no run works (a *ledger.LockedError names one).
func (s *Server) Migrate(ctx context.Context) (taken int, err error) {
	e := &engine{pool: s.pool, writable: true}
	_, err = e.write(ctx, func(w sqlite.Writer) (err error) {
		taken, err = w.(*transaction).migrate(ctx)
		return err
	})
	return taken, sqlite.Damage("bring the ledger up to date", err)
}

func (tx *transaction) migrate(ctx context.Context) (taken int, err error) {
	if _, err := present(ctx, tx, true); err != nil {
		return 0, err
	}
	var owns bool
	var owner string
	err = tx.QueryRow(ctx, `SELECT pg_has_role(relowner, 'USAGE'), pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'payrun.ledger'::regclass`).Scan(&owns, &owner)
	if err == nil && !owns {
		err = fmt.Errorf("%w: only %s, the owner of its tables, may do this", ledger.ErrNoRight, owner)
	}
	if err != nil {
		return 0, err
	}
	// No run can begin until this is over.
	if err := tx.script(ctx, `SELECT one FROM loads FOR UPDATE; `+lockLedger+`; LOCK TABLE runs IN SHARE ROW EXCLUSIVE MODE`); err != nil {
		return 0, err
	}
	h, held, err := holder(ctx, tx, live)
	if held {
		return 0, &ledger.LockedError{Holder: h}
	}
	if err != nil {
		return 0, err
	}
	have, err := migrations.Taken(ctx, tx)
	if err != nil {
		return 0, err
	}
	return len(migrations) - have, tx.take(ctx, have)
}
