package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

// What the machine forbids is ErrTransition, a wrong From is ErrConflict, for
// every event against a batch in every station; and nothing is changed.
func TestRefusedStepsChangeNothing(t *testing.T) {
	st := tell(t)
	before := dump(t, st.Store)
	for _, id := range []string{st.planned, st.held, st.submitted, st.settled, st.abandoned, st.quarantined, st.refused, st.unknown} {
		state := batchOf(t, st.Store, id).State
		for _, event := range ledger.BatchEvents {
			for _, from := range ledger.BatchStates {
				want := ledger.ErrConflict
				if from == state {
					if _, err := from.Next(event); err == nil {
						continue // legal: other tests take these steps
					}
					want = ledger.ErrTransition
				}
				err := st.Apply(t.Context(), ledger.Step{Actor: "asha", BatchID: id, From: from, Event: event, At: at(30), PayloadSHA256: hash("x"), Note: "must not be seen"})
				if !errors.Is(err, want) {
					t.Errorf("%s from %s on a batch that is %s: %v", event, from, state, err)
				}
			}
		}
	}
	if d := cmp.Diff(before, dump(t, st.Store)); d != "" {
		t.Errorf("refused steps left something (-before +after):\n%s", d)
	}
}

func TestABatchThatIsNotThere(t *testing.T) {
	s := newStore(t)
	err := s.Apply(t.Context(), ledger.Step{Actor: "asha", BatchID: "prnone", From: ledger.BatchPlanned, Event: ledger.Abandoned, At: at(1)})
	if !errors.Is(err, ledger.ErrNotFound) {
		t.Error(err)
	}
}

func TestOfTwoStepsAtOnceOneHappens(t *testing.T) {
	s := newStore(t)
	id := load(t, s, "nov", 2, 2)[0].ID
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() {
			errs[i] = s.Apply(t.Context(), ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: at(1), PayloadSHA256: hash("x")})
		})
	}
	wg.Wait()
	happened := 0
	for _, err := range errs {
		if err == nil {
			happened++
		} else if !errors.Is(err, ledger.ErrConflict) {
			t.Error(err)
		}
	}
	if happened != 1 {
		t.Errorf("%d of them happened", happened)
	}
	sound(t, s)
}

func TestAnIntentKeepsItsOutcome(t *testing.T) {
	s := newStore(t)
	id := load(t, s, "nov", 1, 1)[0].ID
	words := strings.Repeat("₹", ledger.MessageLimit+10)
	apply(t, s, ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: at(1), PayloadSHA256: hash("body")})
	apply(t, s, ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchInitiating, Event: ledger.InitiateRefused, At: at(2), Outcome: ledger.Rejected,
		HTTPStatus: 400, Code: "SVC_CB_FT_002", Message: words})
	var kind, sha, outcome, bankCode, message string
	var status, began, ended int64
	err := s.read.QueryRow(`SELECT kind, payload_sha256, outcome, http_status, code, message, at, ended_at FROM intents`).
		Scan(&kind, &sha, &outcome, &status, &bankCode, &message, &began, &ended)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(kind, sha, outcome, status, bankCode, len([]rune(message)), began == at(1).UnixMicro(), ended == at(2).UnixMicro())
	if want := fmt.Sprint("initiate", hash("body"), "rejected", 400, "SVC_CB_FT_002", ledger.MessageLimit, true, true); got != want {
		t.Errorf("intent: %s, want %s", got, want)
	}
	for _, a := range attemptsOf(t, s, id) {
		if a.State != ledger.PayoutCancelled {
			t.Errorf("a payout of a refused batch is %s", a.State)
		}
	}
	sound(t, s)
}

func TestAnOutcomeMustFitItsEvent(t *testing.T) {
	s := newStore(t)
	id := load(t, s, "nov", 1, 1)[0].ID
	apply(t, s, ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: at(1), PayloadSHA256: hash("body")})
	for event, outcome := range map[ledger.BatchEvent]ledger.Outcome{
		ledger.InitiateUndone: ledger.Unknown, ledger.InitiateAccepted: ledger.Rejected, ledger.InitiateLost: ledger.NotSent, ledger.InitiateRefused: ledger.Accepted,
	} {
		if err := s.Apply(t.Context(), ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchInitiating, Event: event, At: at(2), Outcome: outcome}); !isTransition(err) {
			t.Errorf("%s with outcome %s: %v", event, outcome, err)
		}
	}
}

func TestAWrongOTPCountsAndLeavesTheBatchHeld(t *testing.T) {
	s := newStore(t)
	id := load(t, s, "nov", 1, 1)[0].ID
	hold(t, s, id)
	for i, end := range []ledger.Step{
		{Event: ledger.SubmitRejected, Outcome: ledger.Rejected, HTTPStatus: 400},
		{Event: ledger.SubmitUndone, Outcome: ledger.NotSent},
		{Event: ledger.SubmitUndone, Outcome: ledger.Rejected, HTTPStatus: 401},
		{Event: ledger.SubmitRejected, Outcome: ledger.Rejected, HTTPStatus: 400, Attention: ledger.StatusDiffers, Note: "two OTPs were rejected"},
	} {
		apply(t, s, ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchHeld, Event: ledger.SubmitIntended, At: at(10 + i), PayloadSHA256: hash("s")})
		end.BatchID, end.From, end.At = id, ledger.BatchSubmitting, at(20+i)
		apply(t, s, end)
	}
	b := batchOf(t, s, id)
	if b.OTPTries != 2 || b.State != ledger.BatchHeld || !b.HeldAt.Equal(at(2)) || !b.StateSince.Equal(at(23)) || b.Attention != ledger.StatusDiffers || b.Note != "two OTPs were rejected" {
		t.Errorf("after two wrong OTPs: %+v", b)
	}
	submit(t, s, id)
	sound(t, s)
}

func TestOnlyNewsIsRecorded(t *testing.T) {
	s := newStore(t)
	id := load(t, s, "nov", 2, 2)[0].ID
	hold(t, s, id)
	submit(t, s, id)
	rows := func() (n int) {
		if err := s.read.QueryRow(`SELECT count(*) FROM observations`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	poll := func(minute int, status, code string) {
		apply(t, s, ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchSubmitted, At: at(minute), Observed: observe(t, s, id, status, code)})
	}
	head, had := auditHeadOf(t, s), rows()
	poll(5, ledger.StatusPending, "INITIATED")
	if rows() != had || auditHeadOf(t, s) != head || !batchOf(t, s, id).UpdatedAt.Equal(at(4)) {
		t.Error("the same answer again was recorded as news")
	}
	poll(6, ledger.StatusPending, "IN_PROCESS")
	if rows() != had+2 || auditHeadOf(t, s).Length != head.Length+1 {
		t.Error("another bank code is news")
	}
	poll(7, ledger.StatusFailed, "")
	poll(8, ledger.StatusFailed, "") // the same words, and yet they count: the second read confirms
	for _, a := range attemptsOf(t, s, id) {
		if a.State != ledger.PayoutFailed || a.FailedReads != 2 {
			t.Errorf("after two reads: %+v", a)
		}
	}
	poll(9, ledger.StatusFailed, "")
	if rows() != had+6 {
		t.Errorf("%d observations, want %d", rows(), had+6)
	}
	sound(t, s)
}

func auditHeadOf(t *testing.T, s *Store) ledger.AuditHead {
	t.Helper()
	head, err := s.AuditHead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return head
}

func TestWhatOneAnswerLeavesOutIsNotForgotten(t *testing.T) {
	s := newStore(t)
	id := load(t, s, "nov", 1, 1)[0].ID
	hold(t, s, id)
	submit(t, s, id)
	apply(t, s, ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchSubmitted, At: at(5), Observed: observe(t, s, id, ledger.StatusSuccess, "")})
	a := attemptsOf(t, s, id)[0]
	bare := ledger.Observation{WireRef: a.WireRef, Status: ledger.StatusSuccess, BankStatusCode: "COMPLETED"}
	apply(t, s, ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchSubmitted, At: at(6),
		Observed: []ledger.Observed{{PayoutID: a.ID, Number: 1, Observation: bare, Verdict: ledger.Judge(a, bare)}}})
	if a := attemptsOf(t, s, id)[0]; a.OpenTxnID != "tx-nov-1" || a.BankTxnRefID != "UTR-nov-1" || a.BankStatusCode != "COMPLETED" {
		t.Errorf("attempt: %+v", a)
	}
}

func TestAnUnlistedStatusIsKeptRaw(t *testing.T) {
	s := newStore(t)
	id := load(t, s, "nov", 1, 1)[0].ID
	hold(t, s, id)
	submit(t, s, id)
	apply(t, s, ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchSubmitted, At: at(5), Observed: observe(t, s, id, "on_hold", "XYZ")})
	if a := attemptsOf(t, s, id)[0]; a.State != ledger.PayoutPending || a.Status != "on_hold" || a.BankStatusCode != "XYZ" || a.Reason == "" {
		t.Errorf("attempt: %+v", a)
	}
	err := s.Apply(t.Context(), ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchSubmitted, Event: ledger.AllFinal, At: at(6)})
	if !isTransition(err) {
		t.Errorf("settled with a payout open: %v", err)
	}
}

func TestObservationsBelongToTheirBatch(t *testing.T) {
	s := newStore(t)
	batches := load(t, s, "nov", 4, 2)
	hold(t, s, batches[0].ID)
	other := attemptsOf(t, s, batches[1].ID)[0]
	err := s.Apply(t.Context(), ledger.Step{Actor: "asha", BatchID: batches[0].ID, From: ledger.BatchHeld, At: at(3), Note: "x",
		Observed: []ledger.Observed{see(other, ledger.StatusPending, "")}})
	if !errors.Is(err, ledger.ErrNotFound) || batchOf(t, s, batches[0].ID).Note != "" {
		t.Errorf("another batch's payout: %v", err)
	}
	o := see(attemptsOf(t, s, batches[0].ID)[0], ledger.StatusPending, "")
	o.Verdict.State = "paid"
	err = s.Apply(t.Context(), ledger.Step{Actor: "asha", BatchID: batches[0].ID, From: ledger.BatchHeld, At: at(3), Observed: []ledger.Observed{o}})
	if !isTransition(err) {
		t.Errorf("a state of no name: %v", err)
	}
}

// A quarantined batch may be given up, and its disputed payouts with it; but
// not while a payout of it moves, and not one that an answer showed moving.
func TestGivingUpABatchInDispute(t *testing.T) {
	quarantine := func(t *testing.T, status string, amount ledger.Paise) (*Store, string) {
		s := newStore(t)
		id := load(t, s, "nov", 2, 2)[0].ID
		hold(t, s, id)
		o := observe(t, s, id, status, "")
		o[0].Amount += amount
		o[0].Verdict = ledger.Judge(attemptsOf(t, s, id)[0], o[0].Observation)
		apply(t, s, ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchHeld, Event: ledger.EchoDiffers, At: at(3), Attention: ledger.StatusDiffers, Observed: o[:1]})
		return s, id
	}
	for name, c := range map[string]struct {
		status string
		amount ledger.Paise
		want   ledger.PayoutState
		err    error
	}{
		"another amount, nothing moved": {ledger.StatusRequestInitiated, 1, ledger.PayoutCancelled, nil},
		"another amount, and paid":      {ledger.StatusSuccess, 1, ledger.PayoutDisputed, nil},
		"paid without a submit":         {ledger.StatusSuccess, 0, ledger.PayoutSuccess, ledger.ErrTransition},
		"on its way without a submit":   {ledger.StatusPending, 0, ledger.PayoutPending, ledger.ErrTransition},
	} {
		s, id := quarantine(t, c.status, c.amount)
		err := s.Apply(t.Context(), ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchQuarantined, Event: ledger.Abandoned, At: at(4), Person: "the bank confirmed by mail"})
		if !errors.Is(err, c.err) {
			t.Errorf("%s: %v", name, err)
		}
		if a := attemptsOf(t, s, id)[0]; a.State != c.want {
			t.Errorf("%s: the payout is %s, want %s", name, a.State, c.want)
		}
		sound(t, s)
	}
}

func TestOnlyExpiredDoubtHasASuccessor(t *testing.T) {
	s := newStore(t)
	id := load(t, s, "nov", 1, 1)[0].ID
	err := s.Apply(t.Context(), ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchPlanned, Event: ledger.Abandoned, At: at(1), Successor: true})
	if !isTransition(err) {
		t.Error(err)
	}
}

func TestAStepThatFailsHalfWayLeavesNothing(t *testing.T) {
	s := newStore(t)
	id := load(t, s, "nov", 2, 2)[0].ID
	hold(t, s, id)
	before := dump(t, s)
	apply(t, s, ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchHeld, At: at(3)}) // no news at all
	if d := cmp.Diff(before, dump(t, s)); d != "" {
		t.Errorf("a step without news (-before +after):\n%s", d)
	}
	// the events table refuses: everything before it in the step must go too
	if _, err := s.write.Exec(`CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'full'); END`); err != nil {
		t.Fatal(err)
	}
	err := s.Apply(t.Context(), ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchHeld, Event: ledger.SeenMoving, At: at(4), Note: "x", Observed: observe(t, s, id, ledger.StatusPending, "")})
	if err == nil {
		t.Fatal("it went through")
	}
	if d := cmp.Diff(before, dump(t, s)); d != "" {
		t.Errorf("a step that failed (-before +after):\n%s", d)
	}
}

// dump is every row of every table that moves.
func dump(t *testing.T, s *Store) []string {
	t.Helper()
	var all []string
	for _, table := range []string{"batches", "attempts", "observations", "intents", "events", "wire_keys", "further_attempts"} {
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

// Account numbers are in payouts, and nowhere else.
func TestNoAccountNumberOutsideThePayouts(t *testing.T) {
	st := tell(t)
	var n int
	err := st.read.QueryRow(`SELECT count(*) FROM payouts p JOIN events e ON instr(e.detail, p.bank_account_number)`).Scan(&n)
	if err != nil || n != 0 {
		t.Errorf("in %d events, %v", n, err)
	}
	var columns sql.NullString
	if err := st.read.QueryRow(`SELECT group_concat(name) FROM pragma_table_info('observations')`).Scan(&columns); err != nil || strings.Contains(columns.String, "account") {
		t.Errorf("observations keep %s, %v", columns.String, err)
	}
}
