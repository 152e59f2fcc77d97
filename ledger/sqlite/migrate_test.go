package sqlite

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"payrun/ledger"
)

// Each step of the schema is taken with rows in place, and a ledger that took
// the steps one by one has the schema of a new one.
func TestEverySchemaGrowsIntoTheLatest(t *testing.T) {
	fresh := newStore(t)
	for from := 1; from < latestVersion(); from++ {
		path := filepath.Join(t.TempDir(), "payrun.db")
		oldLedger(t, path, from)
		if s, err := Open(t.Context(), path, ReadOnly, "asha"); err == nil {
			t.Errorf("a view of schema %d was opened", from)
			_ = s.Close()
		}
		s, err := Open(t.Context(), path, Exclusive, "asha")
		if err != nil {
			t.Fatal(err)
		}
		if got, want := schemaOf(t, s), schemaOf(t, fresh); got != want {
			t.Errorf("from schema %d:\n%s\nwant\n%s", from, got, want)
		}
		if s.LedgerID() != "abcdefghijklmnopqrstuvwxyz" {
			t.Errorf("the ledger is now %s", s.LedgerID())
		}
		var refs string
		if err := s.read.QueryRow(`SELECT group_concat(ref) FROM payouts`).Scan(&refs); err != nil || refs != "old-1,old-2" {
			t.Errorf("payouts %s, %v", refs, err)
		}
		load(t, s, "nov", 3, 2)
		hold(t, s, ledger.BatchID(s.LedgerID(), hash("nov"), accountCIB, 1, 1))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// oldLedger is a ledger as a program of that schema left it, rows and all.
func oldLedger(t *testing.T, path string, version int) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", dsn(path, writing))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if err := migrate(t.Context(), db, version); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{
		`INSERT INTO ledger VALUES (1, 'abcdefghijklmnopqrstuvwxyz', 1)`,
		`INSERT INTO sheets (sealed, id, name, sha256, rows_hash, format, tab, header_row, row_count, blank_count, has_total, total, accepted_count,
			accepted_total, rejected_count, rejected_total, first_payout, last_payout, loaded_at, loaded_by)
			VALUES (0, 'shold', 'old.csv', '` + hash("old") + `', '` + hash("rows old") + `', 'csv', '', 1, 2, 0, 0, 300, 2, 300, 0, 0, 1, 2, 1, 'asha')`,
		`INSERT INTO routes VALUES (1, 'account', 'sm', 'NEFT')`,
		`INSERT INTO payouts (id, sheet_no, row, route_no, amount, ref, vendor_name, bank_account_number, ifsc)
			VALUES (1, 1, 2, 1, 100, 'old-1', 'v', '1', 'i'), (2, 1, 3, 1, 200, 'old-2', 'v', '2', 'i')`,
		`UPDATE sheets SET sealed = 1`,
		`INSERT INTO wire_keys VALUES ('old-1', 1, 1), ('old-2', 2, 1)`,
		`INSERT INTO batches (no, id, sheet_no, sequence, attempt, route_no, partner_bank_id, kind, bene_lei, count, total, reason, created_at, updated_at, state_since, made, members)
			VALUES (1, 'prold', 1, 1, 1, 1, 3, '', '', 2, 300, '', 1, 1, 1, 0, '[1,2]')`,
	} {
		if _, err := db.Exec(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
}

func schemaOf(t *testing.T, s *Store) string {
	t.Helper()
	var lines []string
	rows, err := s.read.Query(`SELECT type || ' ' || name || ' ' || ifnull(sql, '') FROM sqlite_schema ORDER BY type, name`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}
