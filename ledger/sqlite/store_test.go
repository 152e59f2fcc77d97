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

func newStore(t testing.TB) *Store {
	t.Helper()
	s, err := Create(t.Context(), filepath.Join(sqlitetest.Folder(t), "payrun.db"), "asha", t0)
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("invariant %d, %s: %s", p.Invariant, p.What, p.Detail)
	}
}

// reopen closes the ledger and opens it again for writing.
func reopen(t testing.TB, s *Store) *Store {
	t.Helper()
	return opened(t, s, func() (*Store, error) { return OpenExclusive(t.Context(), s.path, ledger.Claim{}) })
}

func reopenToRead(t testing.TB, s *Store) *Store {
	t.Helper()
	return opened(t, s, func() (*Store, error) { return Open(t.Context(), s.path) })
}

func opened(t testing.TB, s *Store, open func() (*Store, error)) *Store {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = again.Close() })
	return again
}

// The sheets of these tests are those of the suite.
var (
	hash          = storetest.Hash
	samplePayouts = storetest.Payouts
	keyedOf       = storetest.Keyed
	sheetOf       = storetest.SheetOf
	planOf        = storetest.Plan
)

func tryLoad(s *Store, name string, payouts []ledger.Payout, batches []ledger.PlannedBatch) ([]ledger.Batch, error) {
	l, err := s.BeginLoad(context.Background())
	if err != nil {
		return nil, err
	}
	if err := l.Add(keyedOf(payouts)); err != nil {
		return nil, errors.Join(err, l.Rollback())
	}
	return l.Commit(sheetOf(name, payouts), batches)
}

// load records a sheet of n payouts in batches of size.
func load(t testing.TB, s *Store, name string, n, size int) []ledger.Batch {
	t.Helper()
	payouts := samplePayouts(name, n)
	batches, err := tryLoad(s, name, payouts, planOf(payouts, size))
	if err != nil {
		t.Fatal(err)
	}
	return batches
}

func apply(t testing.TB, s *Store, step ledger.Step) {
	t.Helper()
	step.Actor = "asha"
	if err := s.Apply(t.Context(), step); err != nil {
		t.Fatal(err)
	}
}

// looked are looks at batches that the bank does not know, in its own word.
func looked(ids ...string) []ledger.StatusCheck {
	looks := make([]ledger.StatusCheck, len(ids))
	for i, id := range ids {
		looks[i] = ledger.StatusCheck{BatchID: id, At: t0, Answer: ledger.LookNotKnown, NotFoundReply: ledger.NotFoundReply{HTTPStatus: 404, Code: "SVC_CB_FT_014"}}
	}
	return looks
}

// at gives each step of a story its own minute.
func at(minute int) time.Time { return t0.Add(time.Duration(minute) * time.Minute) }

// hold brings a planned batch to held, as the engine does.
func hold(t testing.TB, s *Store, id string) {
	t.Helper()
	apply(t, s, ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: at(1), PayloadSHA256: hash("initiate " + id), Looks: looked(id)})
	apply(t, s, ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchInitiating, Event: ledger.InitiateAccepted, At: at(2), Outcome: ledger.Accepted,
		HTTPStatus: 200, OpenBatchID: "ob-" + id, Observed: observe(t, s, id, ledger.StatusRequestInitiated, "")})
}

// submit brings a held batch to submitted.
func submit(t testing.TB, s *Store, id string) {
	t.Helper()
	apply(t, s, ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchHeld, Event: ledger.SubmitIntended, At: at(3), PayloadSHA256: hash("submit " + id), Looks: looked(id)})
	apply(t, s, ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchSubmitting, Event: ledger.SubmitAccepted, At: at(4), Outcome: ledger.Accepted,
		HTTPStatus: 200, Observed: observe(t, s, id, ledger.StatusPending, "INITIATED")})
}

// observe is one answer that says the same of every payout of a batch.
func observe(t testing.TB, s *Store, batchID, status, code string) []ledger.Observed {
	t.Helper()
	var observed []ledger.Observed
	for _, a := range attemptsOf(t, s, batchID) {
		observed = append(observed, see(a, status, code))
	}
	return observed
}

// see judges one answer about one attempt.
func see(a ledger.Attempt, status, code string) ledger.Observed {
	o := ledger.Observation{WireRef: a.WireRef, Status: status, BankStatusCode: code, Amount: a.Amount, HasAmount: true,
		OpenTxnID: "tx-" + a.WireRef, BankAccountNumber: a.BankAccountNumber}
	if status == ledger.StatusSuccess {
		o.BankTxnRefID = "UTR-" + a.WireRef
	}
	return ledger.Observed{PayoutID: a.ID, Number: a.Number, Observation: o, Verdict: ledger.Judge(a, o)}
}

func attemptsOf(t testing.TB, s *Store, batchID string) []ledger.Attempt {
	t.Helper()
	attempts, err := s.Attempts(t.Context(), batchID)
	if err != nil {
		t.Fatal(err)
	}
	return attempts
}

func batchOf(t testing.TB, s *Store, id string) ledger.Batch {
	t.Helper()
	b, err := s.Batch(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func auditHeadOf(t *testing.T, s *Store) ledger.AuditHead {
	t.Helper()
	head, err := s.AuditHead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return head
}

// dump is every row of every table that moves.
func dump(t *testing.T, s *Store) []string {
	t.Helper()
	var all []string
	for _, table := range []string{"batches", "attempts", "observations", "intents", "events", "wire_keys", "further_attempts", "looks"} {
		rows, err := s.read.Query(`SELECT * FROM ` + table)
		if err != nil {
			t.Fatal(err)
		}
		columns, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			values := make([]any, len(columns))
			into := make([]any, len(columns))
			for i := range values {
				into[i] = &values[i]
			}
			if err := rows.Scan(into...); err != nil {
				t.Fatal(err)
			}
			all = append(all, fmt.Sprint(table, values))
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func isConstraint(err error) bool {
	e, ok := errors.AsType[*driver.Error](err)
	return ok && e.Code()&0xff == code.SQLITE_CONSTRAINT
}

func isTransition(err error) bool { return errors.Is(err, ledger.ErrTransition) }
