package sqlite

import (
	"context"
	"database/sql"
	_ "embed"
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
	"payrun/ledger/sqlite/sqlitetest"
)

// Each step of the schema is taken with rows in place, and a ledger that took
// the steps one by one has the schema of a new one.
func TestEverySchemaGrowsIntoTheLatest(t *testing.T) {
	fresh := newStore(t)
	for from := 1; from < latestVersion(); from++ {
		path := filepath.Join(sqlitetest.Folder(t), "payrun.db")
		oldLedger(t, path, from)
		if s, err := Open(t.Context(), path); err == nil {
			t.Errorf("a view of schema %d was opened", from)
			_ = s.Close()
		}
		s, err := OpenExclusive(t.Context(), path, Claim{})
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
		sheets, err := s.Sheets(t.Context())
		if err != nil || len(sheets) != 1 || sheets[0].ID != "shold" || sheets[0].Content != sheets[0].SHA256 || sheets[0].RefPrefix != "" {
			t.Errorf("the sheet that was loaded before is now %+v, %v", sheets, err)
		}
		if s.Restored() != nil {
			if err := s.AcceptRestored(t.Context(), "asha", "nobody made a mark", t0); err != nil {
				t.Fatal(err)
			}
		}
		problems, err := s.Verify(t.Context())
		if err != nil || from < digestsFrom && slices.ContainsFunc(problems, func(p ledger.Problem) bool { return p.Invariant == 23 }) {
			t.Errorf("from schema %d: %+v, %v", from, problems, err)
		}
		load(t, s, "nov", 3, 2)
		hold(t, s, ledger.BatchID(s.LedgerID(), hash("nov"), accountCIB, 1, 1, nil))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// contentFrom is the schema from which on a sheet says what its ids derive from.
const contentFrom = 14

// oldLedger is a ledger as a program of that schema left it, rows and all.
func oldLedger(t *testing.T, path string, version int) {
	t.Helper()
	db := openAt(t, path, version)
	defer db.Close()
	seal := `UPDATE sheets SET sealed = 1`
	if version >= contentFrom {
		seal += `, content = sha256`
	}
	for _, q := range []string{
		`INSERT INTO ledger (one, id, created_at) VALUES (1, 'abcdefghijklmnopqrstuvwxyz', 1)`,
		`INSERT INTO sheets (sealed, id, name, sha256, rows_hash, format, tab, header_row, row_count, blank_count, has_total, total, accepted_count,
			accepted_total, rejected_count, rejected_total, first_payout, last_payout, loaded_at, loaded_by)
			VALUES (0, 'shold', 'old.csv', '` + hash("old") + `', '` + hash("rows old") + `', 'csv', '', 1, 2, 0, 0, 300, 2, 300, 0, 0, 1, 2, 1, 'asha')`,
		`INSERT INTO routes VALUES (1, 'account', 'sm', 'NEFT')`,
		`INSERT INTO payouts (id, sheet_no, row, route_no, amount, ref, vendor_name, bank_account_number, ifsc)
			VALUES (1, 1, 2, 1, 100, 'old-1', 'v', '1', 'i'), (2, 1, 3, 1, 200, 'old-2', 'v', '2', 'i')`,
		seal,
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

//go:embed testdata/version6.sql
var version6 string

// ledgerOfSchema6 writes a ledger as the program of schema 6 left it, with a
// batch in every state, and then what is given, as no program may.
func ledgerOfSchema6(t testing.TB, further ...string) (path string) {
	t.Helper()
	path = filepath.Join(sqlitetest.Folder(t), "payrun.db")
	db := openAt(t, path, 6)
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	triggers := columnOf(t, conn, `SELECT sql FROM sqlite_schema WHERE type = 'trigger'`)
	drop := columnOf(t, conn, `SELECT 'DROP TRIGGER ' || name FROM sqlite_schema WHERE type = 'trigger'`)
	for _, q := range slices.Concat([]string{`PRAGMA foreign_keys = OFF`, `PRAGMA ignore_check_constraints = ON`}, drop, []string{version6}, further, triggers) {
		if _, err := conn.ExecContext(t.Context(), q); err != nil {
			t.Fatalf("%.80s: %v", q, err)
		}
	}
	var m headMark
	if err := conn.QueryRowContext(t.Context(), `SELECT id, seq, hash FROM ledger, events ORDER BY seq DESC LIMIT 1`).Scan(&m.LedgerID, &m.Length, &m.Hash); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(conn.Close(), db.Close()); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"schema":%q,"ledger_id":%q,"length":%d,"hash":%q}`, markSchema, m.LedgerID, m.Length, m.Hash)
	if err := os.WriteFile(path+markSuffix, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// openAt opens a new ledger, or brings one up to date, at a schema version.
func openAt(t testing.TB, path string, version int) *sql.DB {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", dsn(path, writing))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	if err := migrate(t.Context(), db, version); err != nil {
		t.Fatal(err)
	}
	return db
}

func columnOf(t testing.TB, r reader, query string) (values []string) {
	t.Helper()
	err := each(context.Background(), r, func(rows *sql.Rows) error {
		var v string
		err := rows.Scan(&v)
		values = append(values, v)
		return err
	}, query)
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// rowsOf reads every row of every table there is.
func rowsOf(t testing.TB, r reader) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, table := range columnOf(t, r, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`) {
		columns := columnOf(t, r, fmt.Sprintf(`SELECT 'quote(' || name || ')' FROM pragma_table_info('%s')`, table))
		all[table] = columnOf(t, r, fmt.Sprintf(`SELECT %s AS line FROM %s ORDER BY line`, strings.Join(columns, ` || ',' || `), table))
	}
	return all
}

// namedOf reads the definition of everything in the schema that has a name.
func namedOf(t testing.TB, r reader) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, line := range columnOf(t, r, `SELECT type || ' ' || name || char(9) || ifnull(sql, '') FROM sqlite_schema`) {
		name, definition, _ := strings.Cut(line, "\t")
		all[name] = definition
	}
	return all
}

// The step that makes the table batches anew keeps every row of every table,
// and what refers to a batch still does.
func TestTheRulesComeIntoALedgerAndNoRowChanges(t *testing.T) {
	path := ledgerOfSchema6(t)
	db := openAt(t, path, 6)
	before, schema := rowsOf(t, db), namedOf(t, db)
	states := columnOf(t, db, `SELECT DISTINCT state FROM batches`)
	for _, state := range columnOf(t, db, `SELECT from_state FROM batch_transitions UNION SELECT to_state FROM batch_transitions`) {
		if !slices.Contains(states, state) {
			t.Errorf("no batch is %s", state)
		}
	}
	for table, rows := range before {
		if len(rows) == 0 {
			t.Errorf("%s has no row", table)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openAt(t, path, 7)
	after, changed := rowsOf(t, db), namedOf(t, db)
	for name, was := range schema {
		if changed[name] == was {
			delete(schema, name)
		}
	}
	asks := []string{"table batches", "trigger batches_settle", "trigger further_attempts_permit", "trigger intents_submit"}
	if d := cmp.Diff(asks, slices.Sorted(maps.Keys(schema))); d != "" {
		t.Errorf("the step changed more of the schema than what asks the rules now, or less (-want +got):\n%s", d)
	}
	for _, added := range []string{"partner_bank_rules", "payout_states"} {
		if len(after[added]) == 0 {
			t.Errorf("%s has no row", added)
		}
		delete(after, added)
	}
	if d := cmp.Diff(before, after); d != "" {
		t.Errorf("(-before +after):\n%s", d)
	}
	s, err := OpenExclusive(t.Context(), path, Claim{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	sound(t, s)
	if got, want := schemaOf(t, s), schemaOf(t, newStore(t)); got != want {
		t.Errorf("its schema is\n%s\nwant\n%s", got, want)
	}
}

// A ledger of the time before copies said of themselves that they are is no
// copy, and a copy of it is.
func TestALedgerBroughtUpToDateIsNoCopy(t *testing.T) {
	path := ledgerOfSchema6(t)
	openAt(t, path, 9).Close()
	s, err := OpenExclusive(t.Context(), path, Claim{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Restored(); err != nil {
		t.Errorf("it sends nothing: %v", err)
	}
	sound(t, s)
	copied := filepath.Join(t.TempDir(), "copy.db")
	if _, err := s.Backup(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	c, err := OpenExclusive(t.Context(), copied, Claim{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	onlyBehind(t, c)
}

// A ledger that would not come out of the step whole stays as it was.
func TestALedgerThatIsNotWholeIsNotBroughtUpToDate(t *testing.T) {
	for name, c := range map[string]struct{ spoil, want string }{
		"an attempt in no batch":  {`UPDATE attempts SET batch_no = 99 WHERE batch_no = 2`, "a row of attempts refers to batches that is not there"},
		"an intent of no batch":   {`UPDATE intents SET batch_no = 99 WHERE no = 1`, "a row of intents refers to batches that is not there"},
		"a batch of no sheet":     {`UPDATE batches SET sheet_no = 99 WHERE no = 1`, "a row of batches refers to sheets that is not there"},
		"a batch in no state":     {`UPDATE batches SET state = 'lost' WHERE no = 1`, "0007_rules.sql"},
		"an amount below nothing": {`UPDATE payouts SET amount = -1 WHERE id = 1`, "CHECK constraint failed in payouts"},
	} {
		t.Run(name, func(t *testing.T) {
			path := ledgerOfSchema6(t, c.spoil)
			s, err := OpenExclusive(t.Context(), path, Claim{})
			if err == nil {
				_ = s.Close()
			}
			if !errors.Is(err, ledger.ErrLedgerDamaged) || !strings.Contains(fmt.Sprint(err), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
			db, err := sql.Open("sqlite", dsn(path, reading))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if got := columnOf(t, db, `SELECT user_version || ' ' || (SELECT count(*) FROM batches) FROM pragma_user_version`); got[0] != "6 18" {
				t.Errorf("version and batches are now %s", got)
			}
		})
	}
}
