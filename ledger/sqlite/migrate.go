package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"payrun/ledger"
)

// migrations holds one file a schema version, in order of their names.
//
//go:embed migrations/*.sql
var migrations embed.FS

// schema is what all of the migrations come to, in one script: a new ledger is
// made by it. A test holds it against them, and writes it.
//
//go:embed schema.sql
var schema string

func migrationNames() []string {
	names, err := fs.Glob(migrations, "migrations/*.sql") // sorted
	if err != nil {
		panic(err) // the pattern is a constant
	}
	return names
}

// latestVersion is the schema this program works with.
func latestVersion() int { return len(migrationNames()) }

// migrate brings the schema up to the version, all steps in one transaction.
// A ledger that does not come out whole stays as it was.
func migrate(ctx context.Context, db *sql.DB, version int) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var have int
	if err := conn.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&have); err != nil || have >= version {
		return err
	}
	// A table that is made anew is dropped, and with foreign keys each of its
	// rows would be deleted. The pragma has no effect inside a transaction.
	if _, err := conn.ExecContext(ctx, `PRAGMA foreign_keys = OFF`); err != nil {
		return err
	}
	return errors.Join(migrateOn(ctx, conn, version), foreignKeysOn(conn))
}

// foreignKeysOn gives a connection its foreign keys back, or has the pool drop
// it.
func foreignKeysOn(conn *sql.Conn) error {
	_, err := conn.ExecContext(context.Background(), `PRAGMA foreign_keys = ON`)
	if err != nil {
		_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	}
	return err
}

func migrateOn(ctx context.Context, conn *sql.Conn, version int) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after Commit it does nothing, before it the error is already told
	var have int
	if err := tx.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&have); err != nil {
		return err
	}
	if have >= version { // another process was first
		return nil
	}
	first := have == 0 && version == latestVersion()
	if first {
		_, err = tx.ExecContext(ctx, schema)
	} else {
		err = takeSteps(ctx, tx, migrationNames()[have:version])
	}
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d; PRAGMA application_id = %d`, version, applicationID)); err != nil {
		return err
	}
	if first { // there is no row that could be wrong
		return tx.Commit()
	}
	if have < digestsFrom && version == latestVersion() {
		if err := bindRecorded(ctx, conn, tx); err != nil {
			return err
		}
	}
	if have < sievesFrom && version >= sievesFrom {
		if err := sieveEntries(ctx, tx); err != nil {
			return err
		}
	}
	if err := checkMigrated(ctx, tx); err != nil {
		return err
	}
	return tx.Commit()
}

func takeSteps(ctx context.Context, tx *sql.Tx, names []string) error {
	for _, name := range names {
		text, err := migrations.ReadFile(name)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, string(text)); err != nil {
			return fmt.Errorf("%s: %w", name, notTaken(err))
		}
	}
	return nil
}

// notTaken gives a row that a new table refuses its meaning: it was never legal.
func notTaken(err error) error {
	if errors.Is(meaning(err), ledger.ErrRule) {
		return fmt.Errorf("%w: %w", ledger.ErrLedgerDamaged, err)
	}
	return err
}

// checkMigrated looks for what a step of the schema could have broken: a row
// that refers to nothing, or that its table does not take.
func checkMigrated(ctx context.Context, tx *sql.Tx) error {
	var table, parent, found string
	err := tx.QueryRowContext(ctx, `SELECT "table", parent FROM pragma_foreign_key_check LIMIT 1`).Scan(&table, &parent)
	switch {
	case err == nil:
		return fmt.Errorf("%w: a row of %s refers to %s that is not there", ledger.ErrLedgerDamaged, table, parent)
	case !errors.Is(err, sql.ErrNoRows):
		return err
	}
	if err := tx.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&found); err != nil {
		return err
	}
	if found != "ok" {
		return fmt.Errorf("%w: %s", ledger.ErrLedgerDamaged, found)
	}
	return nil
}
