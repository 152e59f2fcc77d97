package sqlite

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

// fails has the bank say failed twice of an attempt.
func (m *month) fails(i int) {
	for range 2 {
		m.says(m.attempts()[i], ledger.StatusFailed, "", "")
	}
}

// locks are those of the payout of an attempt; why says also whether a retry may be planned.
func (m *month) locks(i int) ([]ledger.Lock, error) {
	m.Helper()
	a := m.attempts()[i]
	all, err := m.s.Records(m.Context(), []int64{a.ID})
	must(m, err)
	return ledger.Locks(all[a.ID]), ledger.MayFollow(a.Key(), all[a.ID])
}

// A refund under the order number that the customer paid with.
func TestACreditFromBeforeTheSubmitIsNoReturn(t *testing.T) {
	m := newMonth(t)
	m.books(100_00, "NEFT CR ORDER-1 RAO")
	m.day = 3
	id := load(t, m.s, "ORDER", 1, 1)[0].ID
	m.send(id)
	m.books(-100_00, "NEFT ORDER-1")
	m.fails(0)
	m.day = 5
	m.fetch(1, m.day)
	if locks, err := m.locks(0); err == nil {
		t.Errorf("a retry may be planned: %+v; %+v", locks, m.kept())
	}
}

// An id that the bank uses again, and a line of months ago that two people explained.
func TestAnExplainedLineExplainsNoOtherOfItsID(t *testing.T) {
	m := newMonth(t)
	m.books(-100_00, "RENT MARCH")
	m.truth[0].TransactionID = "S100"
	m.day = 2
	m.fetch(1, 2)
	for _, person := range []string{"asha", "ravi"} {
		if _, err := m.s.ExplainEntries(t.Context(), ledger.ExplainRequest{Entries: []ledger.EntryRef{{Reading: 1, Line: 1}}, Reason: "rent", Actor: person, At: m.now()}); err != nil {
			t.Fatal(err)
		}
	}
	m.day = 40
	m.books(1, "INT")
	m.fetch(3, 40)
	m.day = 60
	m.send(load(t, m.s, "NOV", 1, 1)[0].ID)
	m.books(-100_00, "NEFT OUT")
	m.truth[2].TransactionID = "S100"
	m.fetch(59, 60)
	m.fails(0)
	m.day = 62
	m.fetch(59, 62)
	if locks, err := m.locks(0); err == nil {
		t.Errorf("a retry may be planned: %+v; %+v", locks, m.kept().Open)
	}
	if diff := cmp.Diff(m.anew(), m.kept()); diff != "" {
		t.Errorf("rows (-matched at once +kept):\n%s", diff)
	}
}

// A payout that was debited twice and came back without a name weeks later.
func TestMatchesOfAPayoutThatWasDebitedTwice(t *testing.T) {
	m := newMonth(t)
	m.send(load(t, m.s, "NOV", 1, 1)[0].ID)
	m.says(m.attempts()[0], ledger.StatusSuccess, "COMPLETED", "")
	m.books(-100_00, "NEFT NOV-1")
	m.books(-100_00, "NEFT NOV-1")
	m.day = 45
	m.books(100_00, "REVERSAL")
	m.fetch(1, 45)
	m.says(m.attempts()[0], ledger.StatusFailed, ledger.CodeReturned, "")
	if diff := cmp.Diff(m.anew(), m.kept()); diff != "" {
		t.Errorf("rows (-matched at once +kept):\n%s", diff)
	}
	sound(t, m.s)
}

// The same, while the statements come in.
func TestMatchesOfAPayoutThatWasDebitedTwiceAndComesBackLater(t *testing.T) {
	m := newMonth(t)
	m.send(load(t, m.s, "NOV", 1, 1)[0].ID)
	m.says(m.attempts()[0], ledger.StatusSuccess, "COMPLETED", "")
	m.books(-100_00, "NEFT NOV-1")
	m.books(-100_00, "NEFT NOV-1")
	m.day = 3
	m.fetch(1, 3)
	m.day = 45
	m.says(m.attempts()[0], ledger.StatusFailed, ledger.CodeReturned, "")
	m.kept()
	m.books(100_00, "REVERSAL")
	m.fetch(44, 45)
	if diff := cmp.Diff(m.anew(), m.kept()); diff != "" {
		t.Errorf("rows (-matched at once +kept):\n%s", diff)
	}
	sound(t, m.s)
}

// Our clock was days behind when the bank said failed; a break of the balances on the day of the submit.
func TestABreakLocksAlsoWhereOurClockWasBehind(t *testing.T) {
	for _, off := range []int{0, -4} {
		m := newMonth(t)
		m.day = 10 // by the bank
		id := load(t, m.s, "NOV", 1, 1)[0].ID
		m.books(5_00, "INT")
		m.day += off // ours
		for _, step := range []ledger.Step{
			{From: ledger.BatchPlanned, Event: ledger.InitiateIntended, PayloadSHA256: hash("initiate " + id), Looks: looked(id)},
			{From: ledger.BatchInitiating, Event: ledger.InitiateAccepted, Outcome: ledger.Accepted, HTTPStatus: 200, OpenBatchID: "ob-" + id, Observed: m.all(id, ledger.StatusRequestInitiated, "")},
			{From: ledger.BatchHeld, Event: ledger.SubmitIntended, PayloadSHA256: hash("submit " + id), Looks: looked(id)},
			{From: ledger.BatchSubmitting, Event: ledger.SubmitAccepted, Outcome: ledger.Accepted, HTTPStatus: 200, Observed: m.all(id, ledger.StatusPending, "INITIATED")},
		} {
			step.BatchID, step.At, step.Actor = id, m.now(), "asha"
			if len(step.Looks) > 0 {
				step.Looks[0].BankTime = t0.AddDate(0, 0, 10)
			}
			if step.Event == ledger.SubmitAccepted {
				step.Observed = m.all(id, ledger.StatusPending, "INITIATED")
			}
			apply(t, m.s, step)
		}
		m.fails(0)
		m.day = 10
		m.balance -= 100_00 // a debit that the statement leaves out
		m.day = 11
		m.books(5_00, "INT")
		m.day = 13
		m.fetch(1, 13)
		if locks, err := m.locks(0); err == nil {
			t.Errorf("%d days: a retry may be planned: %+v; %+v", off, locks, m.kept().Breaks)
		}
	}
}

// Two people release it seeing that its debit came back in a credit without a name; the
// bank takes that credit back.
func TestACreditThatAReleaseUsedMustStay(t *testing.T) {
	for _, name := range []string{"REVERSAL NOV-1", "REVERSAL"} {
		m := newMonth(t)
		id := load(t, m.s, "NOV", 1, 1)[0].ID
		m.send(id)
		m.books(-100_00, "NEFT NOV-1")
		m.fails(0)
		m.day = 3
		m.books(100_00, name)
		m.day = 9
		m.fetch(1, 9)
		for i, person := range []string{"asha", "ravi"} {
			a := m.first(id)
			account, err := m.s.AccountEvidence(t.Context(), accountCIB, m.name(1), m.name(9))
			must(t, err)
			when := m.now().Add(time.Duration(i) * 2 * time.Hour)
			step := ledger.Step{BatchID: id, Actor: person, From: ledger.BatchSubmitted, At: when, Release: &ledger.ReleaseRequest{As: ledger.ReleaseNotPaid, Of: a.Key(), Reason: "r", Ticket: "mail",
				Check:     ledger.StatusCheck{BatchID: id, At: when, BankTime: when, Answer: ledger.LookShown, Closed: true, Complete: true, Payouts: []ledger.Observation{{WireRef: a.WireRef, Status: ledger.StatusFailed}}},
				Statement: ledger.StatementFromBank, Account: account, Waits: ledger.Waits{Wait: 48 * time.Hour, Between: time.Hour}}}
			err = m.s.Apply(t.Context(), step)
			if why, ok := errors.AsType[*ledger.Refusal](err); ok && why.Rule == ledger.RuleNothing && name != "REVERSAL" {
				t.Log("needs no release: it came back by name")
			} else if err != nil {
				t.Fatal(err)
			}
		}
		m.truth = m.truth[:1] // the bank takes the credit back
		m.day = 12
		m.fetch(1, 12)
		if locks, err := m.locks(0); err == nil {
			t.Errorf("%s: a retry may be planned: %+v %+v; %+v", name, locks, m.evidence(m.s), m.kept().Open)
		}
	}
}

// The same without a payout.
func TestMatchesOfAnIDThatIsUsedAgain(t *testing.T) {
	m := newMonth(t)
	m.books(-100_00, "RENT MARCH")
	m.truth[0].TransactionID = "S100"
	m.day = 2
	m.fetch(1, 2)
	for _, person := range []string{"asha", "ravi"} {
		if _, err := m.s.ExplainEntries(t.Context(), ledger.ExplainRequest{Entries: []ledger.EntryRef{{Reading: 1, Line: 1}}, Reason: "rent", Actor: person, At: m.now()}); err != nil {
			t.Fatal(err)
		}
	}
	m.day = 40
	m.books(1, "INT")
	m.fetch(3, 40)
	m.day = 60
	m.books(-100_00, "NEFT OUT")
	m.truth[2].TransactionID = "S100"
	m.fetch(59, 60)
	sound(t, m.s)
}

// The newest day before a break has only a line that the bank took back.
func TestABreakAfterAWithdrawnLine(t *testing.T) {
	for _, withdrawn := range []bool{false, true} {
		m := newMonth(t)
		m.day = 1
		m.books(5_00, "INT")
		m.day = 10
		if withdrawn {
			m.books(-7_00, "CHEQUE")
			m.fetch(1, 10)
			m.truth, m.balance = m.truth[:1], m.balance+7_00
		}
		m.day = 12
		m.fetch(1, 12)
		m.day = 27
		m.fetch(13, 27)
		m.day = 30
		m.send(load(t, m.s, "NOV", 1, 1)[0].ID)
		m.fails(0)
		m.balance -= 100_00 // its debit, which the statement leaves out
		m.day = 31
		m.books(5_00, "INT")
		m.truth[len(m.truth)-1].TransactionID = "T9"
		m.day = 33
		m.fetch(28, 33)
		if _, err := m.locks(0); err == nil {
			t.Errorf("withdrawn %t: a retry may be planned; all at once it has %+v", withdrawn, m.anew().Breaks)
		}
		sound(t, m.s)
	}
}

// A batch that someone sent at the bank's portal is seen to move days later: its debit is
// older than that.
func TestADebitOfABatchThatWasSentElsewhereIsOlderThanItsFirstSign(t *testing.T) {
	m := newMonth(t)
	id := load(t, m.s, "NOV", 1, 1)[0].ID
	for _, step := range []ledger.Step{
		{From: ledger.BatchPlanned, Event: ledger.InitiateIntended, PayloadSHA256: hash("initiate " + id), Looks: looked(id)},
		{From: ledger.BatchInitiating, Event: ledger.InitiateAccepted, Outcome: ledger.Accepted, HTTPStatus: 200, OpenBatchID: "ob-" + id, Observed: m.all(id, ledger.StatusRequestInitiated, "")},
	} {
		step.BatchID, step.At, step.Actor = id, m.now(), "asha"
		apply(t, m.s, step)
	}
	m.day = 2
	m.books(-100_00, "NEFT OUT")
	m.day = 6
	apply(t, m.s, ledger.Step{BatchID: id, Actor: "asha", At: m.now(), From: ledger.BatchHeld, Event: ledger.SeenMoving, Observed: m.all(id, ledger.StatusPending, "INITIATED")})
	m.fails(0)
	m.day = 8
	m.fetch(1, m.day)
	if locks, err := m.locks(0); err == nil {
		t.Errorf("a retry may be planned: %+v; %+v", locks, m.kept())
	}
	sound(t, m.s)
}
