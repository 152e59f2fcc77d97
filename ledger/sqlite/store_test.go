package sqlite

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	driver "modernc.org/sqlite"
	code "modernc.org/sqlite/lib"

	"payrun/ledger"
	"payrun/ledger/sqlite/sqlitetest"
	"payrun/ledger/storetest"
)

// t0 is when every test's story begins.
var t0 = time.Date(2025, 11, 3, 9, 30, 0, 0, time.UTC)

const (
	accountCIB = "5f9d7a10-0000-4000-8000-000000000012"
	accountOne = "5f9d7a10-0000-4000-8000-000000000001"
)

var exhaustive = flag.Bool("exhaustive", false, "the tests that go through every column and every planted defect")

// ofTheProof skips a test that is only part of the whole proof (.ci/run).
func ofTheProof(t *testing.T) {
	t.Helper()
	if !*exhaustive {
		t.Skip("runs with -exhaustive")
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newStore(t testing.TB) *Store {
	t.Helper()
	s, err := Create(t.Context(), filepath.Join(sqlitetest.Folder(t), "payrun.db"), "asha", t0)
	must(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// sound fails the test when anything in the ledger does not hold.
func sound(t testing.TB, s *Store) {
	t.Helper()
	problems, err := s.Verify(context.Background())
	must(t, err)
	for _, p := range problems {
		t.Errorf("invariant %d, %s: %s", p.Invariant, p.What, p.Detail)
	}
}

// reopen closes the ledger and opens it again for writing.
func reopen(t testing.TB, s *Store) *Store {
	t.Helper()
	return openToWrite(t, closed(t, s).path)
}

// openToWrite opens a ledger until the test ends.
func openToWrite(t testing.TB, path string) *Store {
	t.Helper()
	s, err := OpenExclusive(t.Context(), path, ledger.Claim{})
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func openToRead(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path)
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// The sheets and steps of these tests are those of the suite.
var (
	hash          = storetest.Hash
	samplePayouts = storetest.Payouts
	keyedOf       = storetest.Keyed
	sheetOf       = storetest.SheetOf
	planOf        = storetest.Plan
	looked        = storetest.Looked
	see           = storetest.See
	observe       = storetest.Observe
	hold          = storetest.Hold
	submit        = storetest.Submit
	tryLoad       = storetest.TryLoad
	load          = storetest.Load
)

func apply(t testing.TB, s *Store, step ledger.Step) {
	t.Helper()
	step.Actor = "asha"
	must(t, s.Apply(t.Context(), step))
}

// at gives each step of a story its own minute.
func at(minute int) time.Time { return t0.Add(time.Duration(minute) * time.Minute) }

func attemptsOf(t testing.TB, s *Store, batchID string) []ledger.Attempt {
	t.Helper()
	attempts, err := s.Attempts(t.Context(), batchID)
	must(t, err)
	return attempts
}

func batchOf(t testing.TB, s *Store, id string) ledger.Batch {
	t.Helper()
	b, err := s.Batch(t.Context(), id)
	must(t, err)
	return b
}

func auditHeadOf(t *testing.T, s *Store) ledger.AuditHead {
	t.Helper()
	head, err := s.AuditHead(t.Context())
	must(t, err)
	return head
}

// dump is every row of every table that moves.
func dump(t *testing.T, s *Store) []string {
	t.Helper()
	var all []string
	for _, table := range []string{"batches", "attempts", "observations", "intents", "events", "wire_keys", "looks"} {
		rows, err := s.read.Query(`SELECT * FROM ` + table)
		must(t, err)
		columns, err := rows.Columns()
		must(t, err)
		for rows.Next() {
			values := make([]any, len(columns))
			into := make([]any, len(columns))
			for i := range values {
				into[i] = &values[i]
			}
			must(t, rows.Scan(into...))
			all = append(all, fmt.Sprint(table, values))
		}
		must(t, errors.Join(rows.Err(), rows.Close()))
	}
	return all
}

func isConstraint(err error) bool {
	e, ok := errors.AsType[*driver.Error](err)
	return ok && e.Code()&0xff == code.SQLITE_CONSTRAINT
}

func isTransition(err error) bool { return errors.Is(err, ledger.ErrTransition) }
