package sqlite

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"payrun/ledger"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Migration is one step of a schema. The ledger records the steps it has taken.
type Migration struct{ Name, Text string }

// SHA256 returns the hash of the text, in hex.
func (m Migration) SHA256() string {
	sum := sha256.Sum256([]byte(m.Text))
	return hex.EncodeToString(sum[:])
}

// Migrations are a program's steps, in order. The first creates the schema of version 1.
type Migrations []Migration

var migrations = ReadMigrations(migrationFiles)

// ReadMigrations reads the embedded files of the folder migrations.
func ReadMigrations(files embed.FS) (list Migrations) {
	entries, err := files.ReadDir("migrations") // sorted
	if err != nil {
		panic(err)
	}
	for _, entry := range entries {
		text, err := files.ReadFile("migrations/" + entry.Name())
		if err != nil {
			panic(err)
		}
		list = append(list, Migration{entry.Name(), string(text)})
	}
	return list
}

// Taken counts the migrations that a ledger has. It refuses a ledger of a newer program and one with other
// migrations.
func (m Migrations) Taken(ctx context.Context, r Reader) (have int, err error) {
	err = each(ctx, r, func(rows Rows) error {
		var version int
		var name, sum string
		if err := rows.Scan(&version, &name, &sum); err != nil {
			return err
		}
		have++
		switch {
		case have > len(m):
			return fmt.Errorf("%w: its schema is %s, this program's is %s; use the newer program", ledger.ErrOtherProgram, name, m[len(m)-1].Name)
		case version != have || name != m[have-1].Name || sum != m[have-1].SHA256():
			return fmt.Errorf("%w: its migration %d is %s (sha256 %s), and this program's is %s (sha256 %s)",
				ledger.ErrOtherProgram, version, name, sum, m[have-1].Name, m[have-1].SHA256())
		}
		return nil
	}, `SELECT version, name, sha256 FROM migrations ORDER BY version`)
	return have, err
}

// taken counts the migrations of a ledger file. It refuses a file without any.
func taken(ctx context.Context, r Reader) (have int, err error) {
	have, err = migrations.Taken(ctx, r)
	if err == nil && have == 0 {
		err = fmt.Errorf("%w: it records no migration", ledger.ErrLedgerDamaged)
	}
	return have, err
}

// copyBefore writes a copy of the ledger next to it before its first migration, and checks each page and row of
// the copy. Its name has the next migration and the length of the audit trail. If the name exists, it is a copy
// of the same ledger from an earlier try that failed.
func (s *Store) copyBefore(ctx context.Context, have int) (path string, err error) {
	head, err := s.AuditHead(ctx)
	if err != nil {
		return "", err
	}
	path = fmt.Sprintf("%s.before-%s-%d", s.path, strings.TrimSuffix(migrations[have].Name, ".sql"), head.Length)
	err = s.copyAs(ctx, path, func(temp string) error {
		copied, err := sql.Open("sqlite", dsn(temp, reading))
		if err != nil {
			return err
		}
		got, err := taken(ctx, sqlReader{copied})
		if err == nil && got != have {
			err = fmt.Errorf("%w: the copy has %d migrations", ledger.ErrLedgerDamaged, got)
		}
		return errors.Join(err, intact(ctx, sqlReader{copied}), copied.Close())
	})
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return path, fmt.Errorf("copy the ledger before %s: %w", migrations[have].Name, err)
	}
	return path, nil
}

// migrate takes the migrations that the ledger lacks, in one transaction. If the result is not sound, the
// ledger stays unchanged.
func migrate(ctx context.Context, db *sql.DB, have int) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	// A migration that recreates a table drops it first. With foreign keys on, that would delete each of its
	// rows. The pragma has no effect inside a transaction.
	if _, err := conn.ExecContext(ctx, `PRAGMA foreign_keys = OFF`); err != nil {
		return err
	}
	return errors.Join(migrateOn(ctx, conn, have), foreignKeysOn(conn))
}

// foreignKeysOn turns a connection's foreign keys on again. If that fails, the pool drops the connection.
func foreignKeysOn(conn *sql.Conn) error {
	_, err := conn.ExecContext(context.Background(), `PRAGMA foreign_keys = ON`)
	if err != nil {
		_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	}
	return err
}

func migrateOn(ctx context.Context, conn *sql.Conn, have int) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after Commit it does nothing, before it the error is already returned
	founding := have == 0
	if !founding { // only one process writes the ledger, so it was not migrated meanwhile
		if have, err = taken(ctx, sqlReader{tx}); err != nil {
			return err
		}
	}
	for i, m := range migrations[have:] {
		if _, err := tx.ExecContext(ctx, m.Text); err != nil {
			return fmt.Errorf("%s: %w", m.Name, notTaken(err))
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO migrations (version, name, sha256) VALUES (?, ?, ?)`, have+i+1, m.Name, m.SHA256()); err != nil {
			return err
		}
	}
	if founding {
		_, err = tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA application_id = %d`, applicationID))
	} else {
		err = checkMigrated(ctx, tx)
	}
	if err != nil {
		return err
	}
	return tx.Commit()
}

// notTaken translates the error if a new table refuses a row: such a row was never legal.
func notTaken(err error) error {
	if errors.Is(meaning(err), ledger.ErrRule) {
		return fmt.Errorf("%w: %w", ledger.ErrLedgerDamaged, err)
	}
	return err
}

// checkMigrated looks for what a migration could have broken: a row without the row it refers to, a row that
// its table refuses, and a schema that differs from a new ledger's.
func checkMigrated(ctx context.Context, tx *sql.Tx) error {
	if err := intact(ctx, sqlReader{tx}); err != nil {
		return err
	}
	empty, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return err
	}
	defer empty.Close()
	empty.SetMaxOpenConns(1)
	for _, m := range migrations {
		if _, err := empty.ExecContext(ctx, m.Text); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	want, err := schemaOf(ctx, sqlReader{empty})
	if err != nil {
		return err
	}
	got, err := schemaOf(ctx, sqlReader{tx})
	for name, sql := range want {
		if err == nil && got[name] != sql {
			err = fmt.Errorf("%w: its %s is not that of a new ledger", ledger.ErrLedgerDamaged, name)
		}
		delete(got, name)
	}
	for name := range got {
		if err == nil {
			err = fmt.Errorf("%w: a new ledger has no %s", ledger.ErrLedgerDamaged, name)
		}
	}
	return err
}

// schemaOf returns the tables, indexes and triggers of a database, by kind and name.
func schemaOf(ctx context.Context, r Reader) (map[string]string, error) {
	return pairs[string, string](ctx, r, `SELECT type || ' ' || name, ifnull(sql, '') FROM sqlite_schema`)
}

// intact returns an error for a row without the row it refers to, a row that its table refuses, or a damaged
// page.
func intact(ctx context.Context, r Reader) error {
	var wrong error
	first := func(_ int, _, detail string) {
		wrong = cmp.Or(wrong, fmt.Errorf("%w: %s", ledger.ErrLedgerDamaged, detail))
	}
	return cmp.Or(errors.Join(relations(ctx, r, first), soundFile(ctx, r, first)), wrong)
}
