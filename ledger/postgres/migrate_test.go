package postgres

import (
	"slices"
	"testing"

	"payrun/ledger"
	"payrun/ledger/postgres/pgtest"
	"payrun/ledger/sqlite"
	"payrun/ledger/storetest"
)

// newer makes this program one with another migration, until the test ends or back is called.
func newer(t *testing.T, text string) (back func()) {
	was := migrations
	back = func() { migrations = was }
	t.Cleanup(back)
	migrations = append(slices.Clone(was), sqlite.Migration{Name: "0002_more.sql", Text: text})
	return back
}

// The owner migrates, all or nothing, and not while a run works. What the older program does
// then is refused behind the lock, also where it had the ledger open.
func TestTheOwnerMigrates(t *testing.T) {
	url, b := planned(t, 2)
	role(t, url, "migrates_not")
	owner, other := connect(t, url), connect(t, as("migrates_not", url))
	_, err := owner.Give(t.Context(), "migrates_not")
	must(t, err)
	s := opened(t, other)
	if taken, err := owner.Migrate(t.Context()); taken != 0 {
		t.Errorf("nothing to migrate: %d, %v", taken, err)
	}

	old := newer(t, `CREATE TABLE more (a bigint)`)
	_, err = owner.Open(t.Context())
	says(t, err, ledger.ErrUnmigrated)
	says(t, err, "its schema is 0001_schema.sql, this program's is 0002_more.sql")
	_, err = owner.Migrate(t.Context())
	says(t, err, "another run holds the ledger: initiate by asha process 1 on desk")
	pgtest.Exec(t, url, lapse) // it is stopped, and will go on
	_, err = other.Migrate(t.Context())
	says(t, err, ledger.ErrNoRight)
	says(t, err, "only postgres, the owner of its tables")
	if taken, err := owner.Migrate(t.Context()); taken != 1 || err != nil {
		t.Errorf("%d, %v", taken, err)
	}
	_, err = other.Open(t.Context())
	says(t, err, "GRANT SELECT ON payrun.more TO migrates_not")
	_, err = owner.Give(t.Context(), "migrates_not")
	must(t, err)
	must(t, opened(t, other).Close())

	old()
	says(t, s.Apply(t.Context(), storetest.Intent(b[0].ID)), ledger.ErrOtherProgram)
	says(t, s.RecordLogin(t.Context(), ledger.Login{Name: "ravi", At: t0, Kind: ledger.LoginKinds[0]}), "its schema is 0002_more.sql now, this program's is 0001_schema.sql")
	_, err = owner.Open(t.Context())
	says(t, err, "its schema is 0002_more.sql, this program's is 0001_schema.sql")
	_, err = owner.Migrate(t.Context())
	says(t, err, ledger.ErrOtherProgram)
}

func TestAMigrationThatFailsChangesNothing(t *testing.T) {
	url, _ := planned(t, 1)
	newer(t, `CREATE TABLE more (a bigint); ALTER TABLE payouts ADD CHECK (amount < 0)`)
	server := connect(t, url)
	_, err := server.Migrate(t.Context())
	says(t, err, ledger.ErrRule)
	says(t, err, "0002_more.sql")
	_, err = server.Open(t.Context())
	says(t, err, ledger.ErrUnmigrated)
	pgtest.Exec(t, url, `CREATE TABLE payrun.more (a bigint)`)
}
