package app

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/ledger/storetest"
)

// sent is when its batch is submitted, at noon of a day in the zone of the test.
var sent = time.Date(2025, 11, 5, 6, 30, 0, 0, time.UTC)

// dayOfSent is so many days after that.
func dayOfSent(days int) string { return sent.AddDate(0, 0, days).Format(time.DateOnly) }

// aBatch calls fn with a ledger of ten payouts in one batch.
func aBatch(t *testing.T, fn func(m *month, b ledger.Batch, of []ledger.Attempt)) {
	t.Helper()
	err := newDesk(t).write(t.Context(), Call{Actor: "asha"}, func(o *operation) error {
		m := &month{operation: o, t: t, planned: map[string]ledger.PayoutState{}}
		m.load("nov", 10)
		of, err := m.store.Attempts(t.Context(), m.batches[0].ID)
		if err == nil {
			fn(m, m.batches[0], of)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// fails submits a batch of which every payout fails on the day.
func (m *month) fails(b ledger.Batch, of []ledger.Attempt) {
	for _, a := range of {
		m.planned[a.WireRef] = ledger.PayoutFailed
	}
	m.send(b, sent, sent.Add(time.Hour))
}

// reads takes in a reading of some days.
func (m *month) reads(b ledger.Batch, from, to int, at time.Time, entries ...ledger.StatementEntry) {
	m.t.Helper()
	r := ledger.StatementRead{BankAccountID: b.BankAccountID, Source: ledger.FromInterface, Shape: ledger.ShapeEntries, From: dayOfSent(from), To: dayOfSent(to), At: at, Actor: "asha", Entries: entries}
	if _, err := m.store.RecordStatement(m.t.Context(), r); err != nil {
		m.t.Fatal(err)
	}
}

// debit is an entry so many days after the submit, which leaves so much.
func debit(days int, amount, left ledger.Paise, reference, remarks string) ledger.StatementEntry {
	return ledger.StatementEntry{TransactionID: fmt.Sprint(days, amount, left), Debit: true, Amount: amount, Closing: left, Transacted: dayOfSent(days) + " 12:00:00", Reference: reference, Remarks: remarks}
}

func (m *month) tells(a ledger.Attempt) PayoutStory {
	m.t.Helper()
	s, err := m.payoutStory(m.t.Context(), a.Ref)
	if err != nil || s.Attempts[0].Booked == nil {
		m.t.Fatal(err, "or nothing is said of the statement")
	}
	return s
}

// Somebody may pay again who reads that there is no debit: it is said only where it is
// proven.
func TestNoDebitIsSaidOnlyWhereItIsProven(t *testing.T) {
	later := func(days int) time.Time { return sent.AddDate(0, 0, days) }
	around := []ledger.StatementEntry{debit(-1, 1_00, 900_00, "A", "CHARGES"), debit(3, 1_00, 899_00, "B", "CHARGES")}
	amount := ledger.Paise(0)
	for name, c := range map[string]struct {
		do      func(m *month, b ledger.Batch, of []ledger.Attempt)
		words   string
		covered bool
		unclear int
	}{
		"proven": {func(m *month, b ledger.Batch, of []ledger.Attempt) {
			m.fails(b, of)
			m.reads(b, -1, 3, later(4), around...)
		}, "no line from 2025-11-05 to 2025-11-06 is its own by name or amount, and the balances leave none out", true, 0},
		"the day alone": {func(m *month, b ledger.Batch, of []ledger.Attempt) {
			m.fails(b, of)
			m.reads(b, -1, 0, later(4), around[0])
			m.reads(b, 3, 3, later(4), around[1])
		}, "what is on record of 2025-11-05 was read 2025-11-09 12:00:00 and may lack its debit", false, 0},
		"read before the submit": {func(m *month, b ledger.Batch, of []ledger.Attempt) {
			m.fails(b, of)
			m.reads(b, -1, 3, sent.Add(-time.Hour), around...)
			m.reads(b, 4, 4, later(5))
		}, "was read 2025-11-05 11:00:00 and may lack its debit", false, 0},
		"read before the next day ended": {func(m *month, b ledger.Batch, of []ledger.Attempt) {
			m.fails(b, of)
			m.reads(b, -1, 1, later(1), around[0])
			m.reads(b, 3, 3, later(4), around[1])
		}, "may lack its debit", false, 0},
		"within the grace": {func(m *month, b ledger.Batch, of []ledger.Attempt) {
			m.fails(b, of)
			m.reads(b, -1, 2, later(2), around[0], debit(2, 1_00, 899_00, "B", "CHARGES"))
		}, "may lack its debit", false, 0},
		"nothing later is on record": {func(m *month, b ledger.Batch, of []ledger.Attempt) {
			m.fails(b, of)
			m.reads(b, -1, 3, later(4), around[0])
		}, "may lack its debit", false, 0},
		"nothing earlier is on record": {func(m *month, b ledger.Batch, of []ledger.Attempt) {
			m.fails(b, of)
			m.reads(b, -1, 3, later(4), around[1])
		}, "the balances do not prove that none is missing", false, 0},
		"the balances do not add up": {func(m *month, b ledger.Batch, of []ledger.Attempt) {
			m.fails(b, of)
			m.reads(b, -1, 3, later(4), around[0], debit(3, 1_00, 899_00-amount, "B", "CHARGES"))
		}, "the balances do not prove that none is missing", false, 0},
		"it may still be debited": {func(m *month, b ledger.Batch, _ []ledger.Attempt) {
			m.submits(b)
			m.says(b, ledger.BatchSubmitting, ledger.SubmitAccepted, sent, ledger.StatusPending)
			m.reads(b, -1, 3, later(4), around...)
		}, "may lack its debit", false, 0},
		"no statement": {func(m *month, b ledger.Batch, of []ledger.Attempt) {
			m.fails(b, of)
			m.reads(b, 2, 3, later(4), around[1])
		}, "no statement of 2025-11-05 is on record yet", false, 0},
		"a debit of its amount without a name": {func(m *month, b ledger.Batch, of []ledger.Attempt) {
			m.fails(b, of)
			m.reads(b, -1, 3, later(4), around[0], debit(1, amount, 900_00-amount, "X", "NEFT"), debit(3, 1_00, 899_00-amount, "B", "CHARGES"))
		}, "no line is surely its own; 1 line below may be", false, 1},
		"two debits of the batch's total": {func(m *month, b ledger.Batch, _ []ledger.Attempt) {
			m.submits(b)
			m.says(b, ledger.BatchSubmitting, ledger.SubmitAccepted, sent, ledger.StatusPending)
			m.reads(b, 0, 3, later(4), debit(0, b.Total, -b.Total, "X", "BULK A"), debit(0, b.Total, -2*b.Total, "Y", "BULK B"))
		}, "no line is surely its own; 2 lines below may be", false, 2},
		"a submit in doubt, found three days later": {func(m *month, b ledger.Batch, _ []ledger.Attempt) {
			m.submits(b)
			m.apply(ledger.Step{BatchID: b.ID, From: ledger.BatchSubmitting, Event: ledger.SubmitLost, At: later(3), Outcome: ledger.Unknown})
			m.reads(b, 2, 4, later(6), around[1])
		}, "no statement of 2025-11-05 is on record yet", false, 0},
		"and its debit on the day when it was sent": {func(m *month, b ledger.Batch, _ []ledger.Attempt) {
			m.submits(b)
			m.apply(ledger.Step{BatchID: b.ID, From: ledger.BatchSubmitting, Event: ledger.SubmitLost, At: later(3), Outcome: ledger.Unknown})
			m.reads(b, -1, 4, later(6), debit(0, b.Total, -b.Total, "X", "BULK"))
		}, "no line is surely its own; 1 line below may be", false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			aBatch(t, func(m *month, b ledger.Batch, of []ledger.Attempt) {
				amount = of[0].Amount
				c.do(m, b, of)
				s := m.tells(of[0])
				got := s.Attempts[0].Booked
				if !strings.HasSuffix(got.Words, c.words) || got.Covered != c.covered || len(s.Unclear) != c.unclear || got.Day != "2025-11-05" {
					t.Errorf("%s: %q, covered %v, %d lines may be its own", got.Day, got.Words, got.Covered, len(s.Unclear))
				}
			})
		})
	}
}

// submits brings a batch to its submit.
func (m *month) submits(b ledger.Batch) {
	m.t.Helper()
	m.apply(ledger.Step{BatchID: b.ID, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: sent, PayloadSHA256: storetest.Hash(b.ID), Looks: looks(b.ID)})
	m.says(b, ledger.BatchInitiating, ledger.InitiateAccepted, sent, ledger.StatusRequestInitiated)
	m.apply(ledger.Step{BatchID: b.ID, From: ledger.BatchHeld, Event: ledger.SubmitIntended, At: sent, PayloadSHA256: storetest.Hash("s" + b.ID), Looks: looks(b.ID)})
}

// A bank may write an account number into the reference of an entry, beside a name of
// ours or alone: the story shows it masked, and the names of the payout whole.
func TestTheStoryMasksReferencesToo(t *testing.T) {
	aBatch(t, func(m *month, b ledger.Batch, of []ledger.Attempt) {
		m.send(b, sent, sent.Add(time.Hour))
		m.reads(b, 0, 1, sent.AddDate(0, 0, 3), debit(0, of[0].Amount, 0, of[0].WireRef+"/50100012345678", ""),
			debit(0, of[0].Amount, -of[0].Amount, "50100012345678", utrOf(of[0].WireRef)+" "+utrOf(of[1].WireRef)))
		s := m.tells(of[0])
		if lines := s.Attempts[0].Booked.Lines; len(lines) != 1 || lines[0].Reference != of[0].WireRef+"/XXXXXXXXXX5678" {
			t.Errorf("shown: %+v", lines)
		}
		if len(s.Unclear) != 1 || s.Unclear[0].Reference != "XXXXXXXXXX5678" {
			t.Errorf("perhaps: %+v", s.Unclear)
		}
	})
}

// Where the bank only promises a statement, the newest request is told: it is the one
// that somebody asks the bank about.
func TestTheNewestPromiseIsTold(t *testing.T) {
	aBatch(t, func(m *month, b ledger.Batch, of []ledger.Attempt) {
		m.fails(b, of)
		for i, request := range []string{"REQ-1", "REQ-2"} {
			r := ledger.StatementRead{BankAccountID: b.BankAccountID, Source: ledger.FromInterface, Shape: ledger.ShapePending, From: dayOfSent(0), To: dayOfSent(1),
				RequestIDs: []string{request}, At: sent.AddDate(0, 0, i+1), Actor: "asha"}
			if _, err := m.store.RecordStatement(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		if got := m.tells(of[0]).Attempts[0].Booked.Words; got != "no statement of 2025-11-05 is on record yet: the bank only promises it (HTTP 202), request REQ-2" {
			t.Error(got)
		}
	})
}
