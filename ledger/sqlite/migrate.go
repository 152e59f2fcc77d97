package sqlite

import (
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"payrun/ledger"
	"payrun/ledger/sqlite/internal/connect"
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
		copied := unwatched(temp, reading)
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

// Take runs the migrations after the first have ones, each with script, and records them.
func (m Migrations) Take(ctx context.Context, tx Writer, have int, script func(text string) error) error {
	for i, step := range m[have:] {
		if err := script(step.Text); err != nil {
			return fmt.Errorf("%s: %w", step.Name, err)
		}
		if _, err := tx.Exec(ctx, `INSERT INTO migrations (version, name, sha256) VALUES (?, ?, ?)`, have+i+1, step.Name, step.SHA256()); err != nil {
			return err
		}
	}
	return nil
}

// migrate takes the migrations that the ledger lacks, in one transaction. If the result is not sound, the
// ledger stays unchanged. The transaction is that of a load, without foreign keys: a migration that recreates a
// table drops it first, which would delete each of the rows that refer to it.
func (s *Store) migrate(ctx context.Context, have int) error {
	tx, err := s.db.Load(ctx)
	if err != nil {
		return err
	}
	if have > 0 { // compared in the transaction too
		have, err = taken(ctx, tx)
	}
	if err == nil {
		err = migrations.Take(ctx, tx, have, func(text string) error {
			_, err := tx.Exec(ctx, text)
			if errors.Is(meaning(err), ledger.ErrRule) { // a new table refuses a row, which was never legal
				err = fmt.Errorf("%w: %w", ledger.ErrLedgerDamaged, err)
			}
			return err
		})
	}
	switch {
	case err != nil:
	case have == 0:
		_, err = tx.Exec(ctx, fmt.Sprintf(`PRAGMA application_id = %d`, applicationID))
	default:
		err = checkMigrated(ctx, tx)
	}
	return errors.Join(err, tx.End(err == nil))
}

// checkMigrated looks for what a migration could have broken: a row without the row it refers to, a row that
// its table refuses, and a schema that differs from a new ledger's.
func checkMigrated(ctx context.Context, r Snapshot) error {
	if err := intact(ctx, r); err != nil {
		return err
	}
	empty := connect.Pool(context.Background(), ":memory:", 1)
	defer empty.Close()
	for _, m := range migrations {
		if _, err := empty.ExecContext(ctx, m.Text); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	want, err := schemaOf(ctx, sqlReader{empty})
	if err != nil {
		return err
	}
	got, err := schemaOf(ctx, r)
	for _, name := range slices.Concat(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))) {
		if sql, there := want[name]; err == nil && (!there || got[name] != sql) {
			err = fmt.Errorf("%w: its %s is not that of a new ledger", ledger.ErrLedgerDamaged, name)
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
func intact(ctx context.Context, r Snapshot) error {
	var wrong error
	first := func(_ int, _, detail string) {
		wrong = cmp.Or(wrong, fmt.Errorf("%w: %s", ledger.ErrLedgerDamaged, detail))
	}
	return cmp.Or(errors.Join(relations(ctx, r, first), soundFile(ctx, r, first)), wrong)
}
