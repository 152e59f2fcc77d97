package sqlite

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
)

// releasing is one person's word that the story's submit in doubt was not paid.
func releasing(t testing.TB, s *Store, actor, id string, when time.Time) ledger.Step {
	t.Helper()
	l := ledger.StatusCheck{BatchID: id, At: when, BankTime: when, Answer: ledger.LookShown, Closed: true, Complete: true}
	for _, a := range attemptsOf(t, s, id) {
		l.Payouts = append(l.Payouts, ledger.Observation{WireRef: a.WireRef, Status: ledger.StatusRequestInitiated})
	}
	return ledger.Step{BatchID: id, Actor: actor, From: ledger.BatchSubmitUnknown, At: when, Release: &ledger.ReleaseRequest{As: ledger.ReleaseNotPaid,
		Reason: "it never came", Ticket: "mail; 4711", Check: l, Statement: ledger.StatementFromBank, Waits: ledger.Waits{Wait: 10 * time.Second, Between: time.Second}}}
}

// says has a person say so of the story's doubt.
func says(t testing.TB, st story, actor string, when time.Time) {
	t.Helper()
	must(t, st.Apply(t.Context(), releasing(t, st.Store, actor, st.unknown, when)))
}

// oneSaid leaves a submit in doubt with the statement of one person.
func oneSaid(t testing.TB, st story) {
	t.Helper()
	says(t, st, "asha", at(20).Add(-2*time.Second))
}

// setAside has two people set the story's doubt aside.
func setAside(t testing.TB, st story) {
	t.Helper()
	oneSaid(t, st)
	says(t, st, "ravi", at(20))
}

// A word of a release names a person, the bank's written confirmation and the evidence. What
// people decided never changes.
func TestTheSchemaKeepsWhatPeopleSaidInAReleaseWhole(t *testing.T) {
	st := tell(t)
	must(t, st.Approve(t.Context(), ledger.Approving{Approval: approval("ravi", st.planned, hash("x"))}))
	oneSaid(t, st)
	no, moment := st.no(t, st.unknown), micros(at(20)).Int64
	insert := func(actor, ticket, evidence, as string, seconds string) string {
		return fmt.Sprintf(`INSERT INTO proposals (batch_no, outcome, reason, ticket, evidence, actor, at, carried, seconds)
			SELECT %d, '%s', 'r', '%s', %s, '%s', %d, %s IS NOT NULL, %s FROM proposals WHERE no = 1;`, no, as, ticket, evidence, actor, moment, seconds, seconds)
	}
	refuses(t, st.Store, map[string]string{
		"nobody's word before":                insert("ravi", "mail", "evidence", "not-paid", "7"),
		"a release of nobody":                 insert(" ", "mail", "evidence", "not-paid", "NULL"),
		"without the bank's word":             insert("ravi", " ", "evidence", "not-paid", "NULL"),
		"without evidence":                    insert("ravi", "mail", "'[]'", "not-paid", "NULL"),
		"a third outcome":                     insert("ravi", "mail", "evidence", "disputed", "NULL"),
		"of an attempt that is not there":     `INSERT INTO proposals (batch_no, payout_id, number, outcome, reason, ticket, evidence, actor, at) SELECT batch_no, 99, 1, outcome, reason, ticket, evidence, 'ravi', at FROM proposals`,
		"carried without a first":             `INSERT INTO proposals (batch_no, outcome, reason, ticket, evidence, actor, at, carried) SELECT batch_no, outcome, reason, ticket, evidence, 'ravi', at, 1 FROM proposals`,
		"a word changed":                      `UPDATE proposals SET carried = 1`,
		"a word deleted":                      `DELETE FROM proposals`,
		"abandoned although it may have paid": fmt.Sprintf(`UPDATE batches SET state = 'abandoned' WHERE no = %d`, no),
		"the outcome changed":                 `UPDATE proposals SET outcome = 'paid'`,
	})
	says(t, st, "ravi", at(20))
	sound(t, st.Store)
}

// An accepted older copy locks what it knew; a release since ends it. A statement is read
// before any submit from then on, also of what is loaded later.
func TestAnAcceptedCopyLocksWhatItKnew(t *testing.T) {
	st := tell(t)
	accept(t, st.Store, at(30))
	later, err := st.BatchRecord(t.Context(), load(t, st.Store, "dec", 2, 2)[0].ID)
	if err != nil || later.RestoredSince.IsZero() {
		t.Errorf("of a sheet loaded later: restored since %s, %v", later.RestoredSince, err)
	}
	for minute, waits := range map[int]bool{40: true, 90: false} {
		intent := ledger.Step{Actor: "asha", BatchID: later.Batch.ID, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: at(minute), AfterRestore: time.Hour}
		if _, got := errors.AsType[*ledger.RestoredError](st.Apply(t.Context(), intent)); got != waits {
			t.Errorf("initiate at minute %d after a copy was accepted at minute 30: waits %t, want %t", minute, got, waits)
		}
	}
	locks := func(id string) (kinds []ledger.LockKind) {
		t.Helper()
		k, err := st.BatchRecord(t.Context(), id)
		must(t, err)
		for _, l := range ledger.Locks(k.Attempts[0].Records) {
			kinds = append(kinds, l.Kind)
		}
		return kinds
	}
	if got := locks(st.unknown); !slices.Equal(got, []ledger.LockKind{ledger.LockInDoubt, ledger.LockRestored}) {
		t.Errorf("before it is released: %v", got)
	}
	says(t, st, "asha", at(40))
	says(t, st, "ravi", at(41))
	if got := locks(st.unknown); len(got) > 0 {
		t.Errorf("after it was released: %v", got)
	}
}

// All that an older copy knew is locked, paid or not, until it is released; also for a
// sheet that is being loaded, and an account with many payouts.
func TestARestoredPayoutIsToldWhileASheetIsLoaded(t *testing.T) {
	s := newStore(t)
	payouts := samplePayouts("nov", 150)
	for i := range payouts {
		payouts[i].BankAccountNumber = payouts[0].BankAccountNumber
		payouts[i].IFSC = payouts[0].IFSC
	}
	if _, err := tryLoad(s, "nov", payouts, planOf(payouts, len(payouts))); err != nil {
		t.Fatal(err)
	}
	first := ledger.Payee{Account: payouts[0].AccountOf(), Amount: payouts[0].Amount}
	other := ledger.Payee{Account: first.Account, Amount: 1}
	ask := func() map[ledger.Payee][]ledger.Lock {
		t.Helper()
		found, err := s.Payees(strings.ToLower).LockedLike(t.Context(), []ledger.Payee{other, first})
		must(t, err)
		return found
	}
	if found := ask(); len(found) > 0 {
		t.Errorf("before the older copy: %v", found)
	}
	accept(t, s, at(1))
	l, err := s.BeginLoad(t.Context())
	must(t, err)
	defer l.Rollback() //nolint:errcheck // nothing was written
	if found := ask(); len(found) != 1 || len(found[first]) != 1 || found[first][0].Kind != ledger.LockRestored || found[first][0].Ref != payouts[0].Ref {
		t.Errorf("%+v", found)
	}
}

// accept has a person accept the ledger as an older copy.
func accept(t *testing.T, s *Store, when time.Time) {
	t.Helper()
	s.mark.behind = ledger.ErrRestored
	must(t, s.AcceptRestored(t.Context(), "asha", "the disk died", when))
}
