package sqlite

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"payrun/ledger"
)

// seek gives the references of the entries of acc that carry a name.
func seek(t *testing.T, s *Store, name string) (refs []string) {
	t.Helper()
	var sought ledger.SoughtEntries
	sought.Names(name)
	if err := s.EachEntryOf(t.Context(), "acc", &sought, func(e ledger.KeptEntry) error { refs = append(refs, e.Reference); return nil }); err != nil {
		t.Fatal(err)
	}
	return refs
}

// Entries that an older program recorded are found, too.
func TestEntriesOfBeforeAreFound(t *testing.T) {
	s := newStore(t)
	if sievesFrom > latestVersion() || !strings.HasSuffix(migrationNames()[sievesFrom-1], "_sieves.sql") {
		t.Fatalf("the sieves did not come with schema %d", sievesFrom)
	}
	statementOf(t, s)
	path := s.path
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(fmt.Sprintf(`DROP TABLE statement_sieves; DROP INDEX batches_by_submit; PRAGMA user_version = %d`, sievesFrom-1))
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = OpenExclusive(t.Context(), path, Claim{}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := seek(t, s, "d"); len(got) != 1 || got[0] != "R" {
		t.Errorf("found %v", got)
	}
	sound(t, s)
}

// An entry that is hidden by its sieve is found out.
func TestVerifyFindsASieveThatIsGone(t *testing.T) {
	for _, q := range []string{`DELETE FROM statement_sieves`, `UPDATE statement_sieves SET signs = zeroblob(length(signs))`,
		`INSERT INTO statement_sieves SELECT read_no, part + 1, newest, signs FROM statement_sieves`} {
		s := newStore(t)
		statementOf(t, s)
		path := s.path
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		tamper(t, path, q)
		s, err := Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		problems, err := s.Verify(t.Context())
		if err != nil || len(problems) != 1 || problems[0].Invariant != 23 {
			t.Errorf("%s: %v, %v", q, problems, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
