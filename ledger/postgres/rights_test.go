package postgres

import (
	"errors"
	"strings"
	"testing"

	"payrun/ledger"
	"payrun/ledger/postgres/pgtest"
	"payrun/ledger/sqlite"
	"payrun/ledger/storetest"
)

// as is the URL with another role.
func as(role, url string) string { return strings.Replace(url, "postgres@", role+"@", 1) }

// role makes a role that lasts as long as the test.
func role(t *testing.T, url, name string) {
	t.Helper()
	pgtest.Exec(t, url, `CREATE ROLE `+name+` LOGIN`)
	t.Cleanup(func() { pgtest.Exec(t, url, `DROP OWNED BY `+name+` CASCADE`, `DROP ROLE `+name) })
}

// worker opens the ledger to write as a role that has what payrun needs, and no more.
func worker(t *testing.T, url, name string) *Store {
	t.Helper()
	role(t, url, name)
	_, err := connect(t, url).Give(t.Context(), name)
	must(t, err)
	return machine(t, as(name, url))
}

// A role needs no more than it is given, and may do nothing else. TestStore shows that it is
// enough.
func TestAnOrdinaryRole(t *testing.T) {
	url, b := planned(t, 1)
	s := worker(t, url, "ordinary")
	must(t, s.Apply(t.Context(), storetest.Intent(b[0].ID)))
	must(t, s.MaySend(t.Context(), b[0].ID))
	for _, query := range []string{`DELETE FROM payrun.events`, `DELETE FROM payrun.payouts`, `UPDATE payrun.payouts SET amount = 1`, `TRUNCATE payrun.looks`,
		`ALTER TABLE payrun.batches DISABLE TRIGGER USER`, `INSERT INTO payrun.batch_transitions SELECT * FROM payrun.batch_transitions`, `CREATE TABLE payrun.mine (a int)`} {
		err := s.engine.Write(t.Context(), func(w sqlite.Writer) error { _, err := w.Exec(t.Context(), query); return err })
		if err = sqlite.Damage("do it", err); !errors.Is(err, ledger.ErrNoRight) {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// Whatever right is missing, nothing is written, and the error is the statement that gives it.
func TestAMissingRightIsNamed(t *testing.T) {
	ofTheProof(t)
	url, _ := planned(t, 1)
	role(t, url, "lacking")
	all := connect(t, url)
	granted, err := all.Give(t.Context(), "lacking")
	must(t, err)
	if granted, err := all.Give(t.Context(), "lacking"); err != nil || len(granted) > 0 {
		t.Errorf("given again: %q, %v", granted, err)
	}
	server := connect(t, as("lacking", url))
	for _, right := range append(eachRight(t, url), `USAGE ON SCHEMA payrun`, `pg_read_all_stats`) {
		pgtest.Exec(t, url, `REVOKE `+right+` FROM lacking`)
		want := `GRANT ` + right + ` TO lacking`
		_, err := server.OpenToWrite(t.Context(), ledger.Claim{})
		says(t, err, ledger.ErrNoRight)
		says(t, err, "a right: "+want)
		s, err := server.Open(t.Context())
		if reads := strings.HasPrefix(right, "SELECT") || strings.HasPrefix(right, "USAGE"); (err != nil) != reads {
			t.Errorf("reading without %s: %v, %v", right, s, err)
		}
		pgtest.Exec(t, url, want)
	}
	must(t, opened(t, server).Close())
	if len(granted) != 6 {
		t.Errorf("%q", granted)
	}
}

// each is every right that a role needs on a table.
func eachRight(t *testing.T, url string) (list []string) {
	s, err := connect(t, url).Open(t.Context())
	must(t, err)
	rows, err := s.engine.Query(t.Context(), `SELECT relname FROM pg_class WHERE relnamespace = 'payrun'::regnamespace AND relkind IN ('r', 'v')`)
	must(t, err)
	tables := map[string]bool{}
	for rows.Next() {
		var table string
		must(t, rows.Scan(&table))
		tables[table] = true
		list = append(list, `SELECT ON payrun.`+table)
	}
	for _, r := range rights {
		for table := range strings.FieldsSeq(r.tables) {
			list = append(list, r.privilege+` ON payrun.`+table)
			if !tables[table] {
				t.Errorf("there is no table %s", table)
			}
		}
	}
	return list
}

// The owner gives what is the owner's, and names what is not. Others give nothing.
func TestWhoMayGive(t *testing.T) {
	name, url := pgtest.Database(t, "")
	for _, name := range []string{"owner", "worker", "other"} {
		role(t, url, name)
	}
	owner := connect(t, as("owner", url))
	_, err := owner.Create(t.Context(), "asha", t0)
	says(t, err, ledger.ErrNoRight)
	says(t, err, `GRANT CREATE ON DATABASE `+name+` TO owner`)
	pgtest.Exec(t, url, `GRANT CREATE ON DATABASE `+name+` TO owner`)
	_, err = owner.Create(t.Context(), "asha", t0)
	must(t, err)

	_, err = owner.Give(t.Context(), "nobody")
	says(t, err, ErrNoRole)
	given, err := owner.Give(t.Context(), "worker")
	says(t, err, "a right: GRANT pg_read_all_stats TO worker")
	if len(given) != 5 {
		t.Errorf("the owner gave %q", given)
	}
	pgtest.Exec(t, url, `GRANT pg_read_all_stats TO worker`)
	worker := connect(t, as("worker", url))
	must(t, opened(t, worker).Close())
	given, err = worker.Give(t.Context(), "other")
	says(t, err, "a right: GRANT USAGE ON SCHEMA payrun TO other; GRANT ")
	if len(given) > 0 {
		t.Errorf("the worker gave %q", given)
	}
	pgtest.Exec(t, url, `REVOKE CONNECT ON DATABASE `+name+` FROM PUBLIC`)
	_, err = connect(t, as("other", url)).Open(t.Context())
	says(t, err, `GRANT CONNECT ON DATABASE `+name+` TO other`)
}
