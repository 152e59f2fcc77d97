package sqlite

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write schema.sql anew")

// A new ledger is made by one script, an older one takes the migrations: both
// have one schema, in one order (that of triggers is the order in which they
// fire), and the same rows.
func TestTheSchemaIsWhatTheMigrationsComeTo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "payrun.db")
	if err := openAt(t, path, 1).Close(); err != nil {
		t.Fatal(err)
	}
	migrated := openAt(t, path, latestVersion())
	want := scriptOf(t, migrated)
	if *update {
		if err := os.WriteFile("schema.sql", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(want, schema); d != "" {
		t.Errorf("go test ./ledger/sqlite -run TestTheSchemaIs -update writes schema.sql anew (-want +got):\n%s", d)
	}
	founded := openAt(t, filepath.Join(t.TempDir(), "payrun.db"), latestVersion())
	if d := cmp.Diff(want, scriptOf(t, founded)); d != "" {
		t.Errorf("a new ledger (-want +got):\n%s", d)
	}
	if d := cmp.Diff(rowsOf(t, migrated), rowsOf(t, founded)); d != "" {
		t.Errorf("its rows (-want +got):\n%s", d)
	}
	const header = `SELECT application_id || ' ' || user_version || ' ' || page_size FROM pragma_application_id, pragma_user_version, pragma_page_size`
	s := newStore(t)
	if got, want := columnOf(t, s.read, header)[0], fmt.Sprint(applicationID, latestVersion(), pageSize); got != want {
		t.Errorf("the header of a new ledger says %s, want %s", got, want)
	}
}

// scriptOf tells a schema and what is in its tables as the statements that make it.
func scriptOf(t *testing.T, r reader) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("-- What migrations/ come to, where it is said why. Written by: go test ./ledger/sqlite -run TestTheSchemaIs -update\n")
	rows := rowsOf(t, r)
	for _, named := range columnOf(t, r, `SELECT type || ' ' || name || char(9) || sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid`) {
		name, statement, _ := strings.Cut(named, "\t")
		b.WriteString("\n" + statement + ";\n")
		// Before the triggers that forbid it.
		if table, ok := strings.CutPrefix(name, "table "); ok && len(rows[table]) > 0 {
			fmt.Fprintf(&b, "INSERT INTO %s VALUES\n\t(%s);\n", table, strings.Join(rows[table], "),\n\t("))
		}
	}
	return b.String()
}
