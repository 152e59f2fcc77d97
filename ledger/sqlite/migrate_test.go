package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

// A migration that was released never changes: every ledger has its SHA-256, and is
// refused by a program that has another text for it.
func TestMigrationsArePinned(t *testing.T) {
	var got []string
	for _, m := range migrations {
		got = append(got, m.Name+" "+m.SHA256())
	}
	want := []string{
		"0001_schema.sql 6a4e287cb5a2175e2ec334c11016d294f0f684ed9fe0e61c47d8d8426701b8c9",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	s := newStore(t)
	if d := cmp.Diff(want, columnOf(t, s.db, `SELECT name || ' ' || sha256 FROM migrations ORDER BY version`)); d != "" {
		t.Errorf("a new ledger records (-want +got):\n%s", d)
	}
	const header = `SELECT application_id || ' ' || page_size FROM pragma_application_id, pragma_page_size`
	if got, want := columnOf(t, s.db, header)[0], fmt.Sprint(applicationID, pageSize); got != want {
		t.Errorf("the header of a new ledger says %s, want %s", got, want)
	}
}

// knowing is a program that knows these migrations as well.
func knowing(t *testing.T, more ...Migration) (forget func()) {
	t.Helper()
	before := migrations
	migrations = append(slices.Clone(before), more...)
	forget = func() { migrations = before }
	t.Cleanup(forget)
	return forget
}

// routesAgain makes a table again that others refer to, with a column more.
var routesAgain = Migration{"0002_routes.sql", `
CREATE TABLE routes_before AS SELECT * FROM routes;
DROP TABLE routes; -- with its triggers
CREATE TABLE routes (
	no                  INTEGER PRIMARY KEY,
	bank_account_id     TEXT NOT NULL CHECK (bank_account_id <> ''),
	sub_merchant_id     TEXT NOT NULL,
	transaction_type_id TEXT NOT NULL,
	note                TEXT NOT NULL DEFAULT '',
	UNIQUE (bank_account_id, sub_merchant_id, transaction_type_id)
) STRICT;
INSERT INTO routes (no, bank_account_id, sub_merchant_id, transaction_type_id) SELECT * FROM routes_before;
DROP TABLE routes_before;`}

func TestAMigrationIsTakenWithRowsInPlace(t *testing.T) {
	path, want := everyState(t)
	forget := knowing(t, routesAgain)
	if s, err := Open(t.Context(), path); !errors.Is(err, ledger.ErrOutdated) {
		t.Errorf("a view of a ledger that lacks a migration: %v", err)
		_ = s.Close()
	}
	if s, err := OpenExclusive(t.Context(), path, ledger.Claim{}); !errors.Is(err, ledger.ErrOutdated) {
		t.Errorf("by nobody who could be told: %v", err)
		_ = s.Close()
	}
	var told []string
	s, err := OpenExclusive(t.Context(), path, ledger.Claim{Migrated: func(from, to, copied string) { told = []string{from, to, copied} }})
	must(t, err)
	sound(t, s)
	copied := path + ".before-0002_routes-" + columnOf(t, s.db, `SELECT CAST(max(seq) AS TEXT) FROM events`)[0]
	if d := cmp.Diff([]string{"0001_schema.sql", routesAgain.Name, copied}, told); d != "" {
		t.Errorf("announced (-want +got):\n%s", d)
	}
	before := maps.Clone(want)
	for i := range want["routes"] {
		want["routes"][i] += ",''"
	}
	want["migrations"] = append(want["migrations"], fmt.Sprintf("2,'%s','%s'", routesAgain.Name, routesAgain.SHA256()))
	if d := cmp.Diff(want, rowsOf(t, s.db)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	load(t, s, "next", 3, 2)
	must(t, s.Close())
	if s, err = Open(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	must(t, s.Close())
	forget()
	refused(t, path, routesAgain.Name)

	old := openToRead(t, copied)
	before["routes"], before["copied"] = rowsOf(t, old.db)["routes"], rowsOf(t, old.db)["copied"]
	if d := cmp.Diff(before, rowsOf(t, old.db)); d != "" || len(before["copied"]) != 1 {
		t.Errorf("the copy from before, for the older program (-want +got):\n%s", d)
	}
}

// A ledger whose schema someone changed is not brought to a newer one.
func TestAChangedSchemaIsNotMigrated(t *testing.T) {
	made := newStore(t)
	must(t, made.Close())
	knowing(t, Migration{"0002_new.sql", `CREATE TABLE new (a TEXT) STRICT;`})
	for edit, names := range map[string]string{
		`DROP TRIGGER payouts_kept`:         "trigger payouts_kept",
		`CREATE TABLE mine (a TEXT) STRICT`: "table mine",
		`DROP TRIGGER payouts_kept; CREATE TRIGGER payouts_kept BEFORE DELETE ON payouts BEGIN SELECT 1; END`: "trigger payouts_kept",
	} {
		path := filepath.Join(t.TempDir(), "payrun.db")
		whole, err := os.ReadFile(made.path)
		must(t, err)
		write(t, path, whole)
		edited(t, path, edit)
		s, err := OpenExclusive(t.Context(), path, ledger.Claim{Migrated: func(string, string, string) {}})
		if err == nil {
			_ = s.Close()
		}
		if !errors.Is(err, ledger.ErrLedgerDamaged) || !strings.Contains(err.Error(), names) {
			t.Errorf("%s: %v, want %s", edit, err, names)
		}
	}
}

// refused holds that no one opens the ledger, and that what is wrong is named.
func refused(t *testing.T, path, names string) {
	t.Helper()
	for way, open := range waysToOpen {
		s, err := open(t.Context(), path)
		if err == nil {
			_ = s.Close()
		}
		if !errors.Is(err, ledger.ErrLedgerDamaged) || !strings.Contains(fmt.Sprint(err), names) {
			t.Errorf("%s: %v, want %s", way, err, names)
		}
	}
}

// A ledger that would not come out of a migration whole stays as it was.
func TestALedgerThatDoesNotComeOutWholeStaysAsItWas(t *testing.T) {
	path, want := everyState(t)
	for name, c := range map[string]struct{ text, says string }{
		"a route that is gone":       {`DELETE FROM routes;`, "that is not there"},
		"a row that was never legal": {`CREATE TABLE few (state TEXT CHECK (state = 'held')) STRICT; INSERT INTO few SELECT state FROM batches;`, "0002_wrong.sql"},
		"text that is no SQL":        {`CREATE TABEL few (x);`, "0002_wrong.sql"},
	} {
		t.Run(name, func(t *testing.T) {
			forget := knowing(t, Migration{"0002_wrong.sql", c.text})
			s, err := OpenExclusive(t.Context(), path, ledger.Claim{Migrated: func(string, string, string) {}})
			if err == nil {
				_ = s.Close()
			}
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %s", err, c.says)
			}
			forget()
			if s, err = Open(t.Context(), path); err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if d := cmp.Diff(want, rowsOf(t, s.db)); d != "" {
				t.Errorf("(-before +after):\n%s", d)
			}
		})
	}
}

// A ledger that was made by another schema than this program's is not opened.
func TestALedgerOfOtherMigrationsIsRefused(t *testing.T) {
	made := newStore(t)
	must(t, made.Close())
	whole, err := os.ReadFile(made.path)
	must(t, err)
	for edit, names := range map[string]string{
		`UPDATE migrations SET sha256 = 'x'`:                  "0001_schema.sql (sha256 x)",
		`UPDATE migrations SET name = '0001_other.sql'`:       "0001_other.sql",
		`UPDATE migrations SET version = 2`:                   "its migration 2 is 0001_schema.sql",
		`INSERT INTO migrations VALUES (2, '0002_new', 'x')`:  "its schema is 0002_new, this program's is 0001_schema.sql; use the newer program",
		`DELETE FROM migrations`:                              "it records no migration",
		`DROP TABLE migrations; CREATE TABLE migration (one)`: "it is not a payrun ledger",
	} {
		path := made.path
		write(t, path, whole)
		edited(t, path, edit)
		refused(t, path, names)
	}
}

// edited changes a ledger's file as another program would.
func edited(t *testing.T, path, query string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	_, err = db.Exec(query)
	must(t, errors.Join(err, db.Close()))
}

func columnOf(t testing.TB, r Reader, query string, args ...any) (values []string) {
	t.Helper()
	err := each(context.Background(), r, func(rows Rows) error {
		var v string
		err := rows.Scan(&v)
		values = append(values, v)
		return err
	}, query, args...)
	must(t, err)
	return values
}

// queryPlan is how SQLite walks a query, a step each.
func queryPlan(t testing.TB, s *Store, query string, args ...any) (steps []string) {
	t.Helper()
	err := each(t.Context(), s.db, func(rows Rows) error {
		var id, parent, unused int
		var step string
		err := rows.Scan(&id, &parent, &unused, &step)
		steps = append(steps, step)
		return err
	}, `EXPLAIN QUERY PLAN `+query, args...)
	must(t, err)
	return steps
}

// rowsOf reads every row of every table there is.
func rowsOf(t testing.TB, r Reader) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, table := range columnOf(t, r, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`) {
		columns := columnOf(t, r, fmt.Sprintf(`SELECT 'quote(' || name || ')' FROM pragma_table_info('%s')`, table))
		all[table] = columnOf(t, r, fmt.Sprintf(`SELECT %s AS line FROM %s ORDER BY line`, strings.Join(columns, ` || ',' || `), table))
	}
	return all
}
