package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	driver "modernc.org/sqlite"
	code "modernc.org/sqlite/lib"

	"payrun/ledger"
)

// t0 is when every test's story begins.
var t0 = time.Date(2025, 11, 3, 9, 30, 0, 0, time.UTC)

const (
	accountCIB = "5f9d7a10-0000-4000-8000-000000000012"
	accountOne = "5f9d7a10-0000-4000-8000-000000000001"
)

func newStore(t testing.TB) *Store {
	t.Helper()
	s, err := Create(t.Context(), filepath.Join(t.TempDir(), "payrun.db"), "asha", t0)
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
	return opened(t, s, func() (*Store, error) { return OpenExclusive(t.Context(), s.path, Claim{}) })
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

func hash(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// samplePayouts makes n payouts with references <prefix>-1, <prefix>-2, …
func samplePayouts(prefix string, n int) []ledger.Payout {
	payouts := make([]ledger.Payout, n)
	for i := range payouts {
		payouts[i] = ledger.Payout{
			Row: i + 2, Ref: fmt.Sprintf("%s-%d", prefix, i+1), Amount: ledger.Paise(100_00 + i), VendorName: fmt.Sprintf("Vendor %d", i+1),
			BankAccountNumber: fmt.Sprintf("00112233%04d", i), IFSC: "HDFC0001234", Remarks: "November",
			SubMerchantID: "sm_0001", TransactionTypeID: "NEFT", BankAccountID: accountCIB,
		}
	}
	return payouts
}

func keyedOf(payouts []ledger.Payout) []ledger.KeyedPayout {
	all := make([]ledger.KeyedPayout, len(payouts))
	for i, p := range payouts {
		all[i] = ledger.KeyedPayout{Payout: p, Key: strings.ToLower(p.Ref)}
	}
	return all
}

// sheetOf describes a sheet that has just these payouts.
func sheetOf(name string, payouts []ledger.Payout) ledger.Sheet {
	s := ledger.Sheet{Name: name + ".csv", SHA256: hash(name), RowsHash: hash("rows " + name), Format: "csv", Header: 1, Rows: len(payouts), LoadedAt: t0, LoadedBy: "asha"}
	for _, p := range payouts {
		s.Accepted.Add(p.Amount)
	}
	s.Total = s.Accepted.Total
	return s
}

// planOf puts payouts into batches of at most size, all of partner bank 12 CIB.
func planOf(payouts []ledger.Payout, size int) []ledger.PlannedBatch {
	var batches []ledger.PlannedBatch
	for i, p := range payouts {
		if i%size == 0 {
			batches = append(batches, ledger.PlannedBatch{BankAccountID: p.BankAccountID, PartnerBankID: 12, Kind: ledger.KindCIB,
				SubMerchantID: p.SubMerchantID, TransactionTypeID: p.TransactionTypeID, Reason: "full"})
		}
		b := &batches[len(batches)-1]
		b.Members = append(b.Members, int32(i))
		b.Total += p.Amount
	}
	return batches
}

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

// at gives each step of a story its own minute.
func at(minute int) time.Time { return t0.Add(time.Duration(minute) * time.Minute) }

// hold brings a planned batch to held, as the engine does.
func hold(t testing.TB, s *Store, id string) {
	t.Helper()
	apply(t, s, ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: at(1), PayloadSHA256: hash("initiate " + id)})
	apply(t, s, ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchInitiating, Event: ledger.InitiateAccepted, At: at(2), Outcome: ledger.Accepted,
		HTTPStatus: 200, OpenBatchID: "ob-" + id, Observed: observe(t, s, id, ledger.StatusRequestInitiated, "")})
}

// submit brings a held batch to submitted.
func submit(t testing.TB, s *Store, id string) {
	t.Helper()
	apply(t, s, ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchHeld, Event: ledger.SubmitIntended, At: at(3), PayloadSHA256: hash("submit " + id)})
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

func TestALoadedSheetReadsBackAsItWas(t *testing.T) {
	s := newStore(t)
	payouts := samplePayouts("NOV", 5)
	payouts[3].Remarks, payouts[3].OpenBeneficiaryID = "", "b2c9"
	batches, err := tryLoad(s, "nov", payouts, planOf(payouts, 2))
	if err != nil {
		t.Fatal(err)
	}
	s = reopenToRead(t, s)

	sheets, err := s.Sheets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := sheetOf("nov", payouts)
	want.ID, want.LoadedBy = ledger.SheetID(want.SHA256), "asha"
	if d := cmp.Diff([]ledger.Sheet{want}, sheets); d != "" {
		t.Errorf("sheets (-want +got):\n%s", d)
	}

	if len(batches) != 3 || batches[2].Count != 1 || batches[0].Total != 200_01 {
		t.Errorf("batches: %+v", batches)
	}
	if b := batches[1]; b.ID != ledger.BatchID(s.LedgerID(), want.SHA256, accountCIB, 2, 1) || b.State != ledger.BatchPlanned || b.Sequence != 2 || !b.CreatedAt.Equal(t0) {
		t.Errorf("second batch: %+v", b)
	}

	var got []ledger.Payout
	err = s.EachPayout(t.Context(), ledger.Filter{}, func(a ledger.Attempt) error {
		got = append(got, a.Payout)
		if a.Number != 1 || a.WireRef != a.Ref || a.State != ledger.PayoutPlanned || a.BatchID != batches[(a.ID-1)/2].ID || !a.UpdatedAt.Equal(t0) {
			t.Errorf("attempt: %+v", a)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range payouts {
		payouts[i].ID, payouts[i].SheetID = int64(i+1), want.ID
	}
	if d := cmp.Diff(payouts, got); d != "" {
		t.Errorf("payouts (-want +got):\n%s", d)
	}
	sound(t, s)
}

func TestABatchFromPlanToSettled(t *testing.T) {
	s := newStore(t)
	id := load(t, s, "nov", 3, 3)[0].ID
	hold(t, s, id)
	if b := batchOf(t, s, id); b.State != ledger.BatchHeld || !b.HeldAt.Equal(at(2)) || b.OpenBatchID != "ob-"+id {
		t.Errorf("held: %+v", b)
	}
	submit(t, s, id)
	if b := batchOf(t, s, id); b.State != ledger.BatchSubmitted || !b.SubmittedAt.Equal(at(4)) || !b.StateSince.Equal(at(4)) || !b.HeldAt.Equal(at(2)) {
		t.Errorf("submitted: %+v", b)
	}
	for _, a := range attemptsOf(t, s, id) {
		if a.State != ledger.PayoutPending || a.Status != "pending" || a.BankStatusCode != "INITIATED" || a.OpenTxnID != "tx-"+a.Ref || !a.UpdatedAt.Equal(at(4)) {
			t.Errorf("attempt: %+v", a)
		}
	}
	apply(t, s, ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchSubmitted, At: at(5), Observed: observe(t, s, id, ledger.StatusSuccess, "COMPLETED")})
	apply(t, s, ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchSubmitted, Event: ledger.AllFinal, At: at(6)})

	for since, want := range map[time.Time]int{at(4): 1, at(5): 0} {
		watched, err := s.Watched(t.Context(), since)
		if err != nil || len(watched) != want {
			t.Errorf("watched since %v: %d, %v", since, len(watched), err)
		}
	}
	tallies, err := s.Tallies(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[ledger.PayoutState]ledger.Tally{ledger.PayoutSuccess: {Count: 3, Total: 300_03}}, tallies); d != "" {
		t.Errorf("tallies (-want +got):\n%s", d)
	}
	kinds := []string{}
	if err := s.Events(t.Context(), func(e ledger.Event) error { kinds = append(kinds, e.Kind); return nil }); err != nil {
		t.Fatal(err)
	}
	want := []string{"ledger_created", "sheet_loaded", "batch_planned", "initiate_intended", "initiate_accepted", "submit_intended", "submit_accepted", "observed", "all_final"}
	if d := cmp.Diff(want, kinds); d != "" {
		t.Errorf("events (-want +got):\n%s", d)
	}
	sound(t, s)
}

func TestRecoverPutsWhatWasCutShortInDoubt(t *testing.T) {
	s := newStore(t)
	batches := load(t, s, "nov", 4, 2)
	first, second := batches[0].ID, batches[1].ID
	apply(t, s, ledger.Step{Actor: "asha", BatchID: first, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: at(1), PayloadSHA256: hash("x")})
	hold(t, s, second)
	apply(t, s, ledger.Step{Actor: "asha", BatchID: second, From: ledger.BatchHeld, Event: ledger.SubmitIntended, At: at(3), PayloadSHA256: hash("y")})

	s = reopen(t, s)
	ids, err := s.Recover(t.Context(), "asha", at(9))
	if d := cmp.Diff([]string{first, second}, ids); err != nil || d != "" {
		t.Fatalf("recovered (-want +got):\n%s%v", d, err)
	}
	if a, b := batchOf(t, s, first), batchOf(t, s, second); a.State != ledger.BatchInitiateUnknown || b.State != ledger.BatchSubmitUnknown || a.Note == "" {
		t.Errorf("after recovery: %+v and %+v", a, b)
	}
	again, err := s.Recover(t.Context(), "asha", at(10))
	if err != nil || len(again) != 0 {
		t.Errorf("a second recovery: %v, %v", again, err)
	}
	sound(t, s)
}

func TestExpiredDoubtPlansThePayoutsAnew(t *testing.T) {
	s := newStore(t)
	old := load(t, s, "nov", 3, 3)[0]
	apply(t, s, ledger.Step{Actor: "asha", BatchID: old.ID, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: at(1), PayloadSHA256: hash("x")})
	apply(t, s, ledger.Step{Actor: "asha", BatchID: old.ID, From: ledger.BatchInitiating, Event: ledger.InitiateLost, At: at(2), Outcome: ledger.Unknown})
	apply(t, s, ledger.Step{Actor: "asha", BatchID: old.ID, From: ledger.BatchInitiateUnknown, Event: ledger.DoubtExpired, At: at(20), Successor: true})

	planned, err := s.BatchesIn(t.Context(), ledger.BatchPlanned)
	if err != nil || len(planned) != 1 {
		t.Fatalf("planned: %v, %v", planned, err)
	}
	b := planned[0]
	if b.ID == old.ID || b.ID != ledger.BatchID(s.LedgerID(), hash("nov"), accountCIB, 1, 2) || b.Attempt != 2 || b.Sequence != 1 || b.Total != old.Total || b.Count != 3 {
		t.Errorf("successor: %+v", b)
	}
	for i, a := range attemptsOf(t, s, b.ID) {
		if a.Number != 2 || a.WireRef != fmt.Sprintf("nov-%d-R2", i+1) || a.State != ledger.PayoutPlanned {
			t.Errorf("attempt: %+v", a)
		}
	}
	for _, a := range attemptsOf(t, s, old.ID) {
		if a.State != ledger.PayoutCancelled {
			t.Errorf("old attempt: %+v", a)
		}
	}
	sound(t, s)
}

func isConstraint(err error) bool {
	e, ok := errors.AsType[*driver.Error](err)
	return ok && e.Code()&0xff == code.SQLITE_CONSTRAINT
}

func isTransition(err error) bool { return errors.Is(err, ledger.ErrTransition) }
