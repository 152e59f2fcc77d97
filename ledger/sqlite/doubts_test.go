package sqlite

import (
	"errors"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
)

// fails has the bank say failed twice of an attempt: it counts when two reads agree.
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

func (m *month) saysTwo(entry ledger.EntryRef, ref string) error {
	for _, person := range []string{"asha", "ravi"} {
		if _, err := m.s.DecideStatement(m.Context(), ledger.StatementDecision{Entries: []ledger.EntryRef{entry}, Ref: ref, Reason: "r", Actor: person, At: m.now()}); err != nil {
			return err
		}
	}
	return nil
}

// explainsRent has two people explain a line, whose id the bank may use again on day 60.
func (m *month) explainsRent() {
	m.Helper()
	m.books(-100_00, "RENT MARCH")
	m.truth[0].TransactionID = "S100"
	m.day = 2
	m.fetch(1, 2)
	must(m, m.saysTwo(ledger.EntryRef{Reading: 1, Line: 1}, ""))
	m.day = 40
	m.books(1, "INT")
	m.fetch(3, 40)
	m.day = 60
}

// release is what two people come to who say that an attempt was not paid.
func (m *month) release(a ledger.Attempt, whole bool) (err error) {
	for i, person := range []string{"asha", "ravi"} {
		account, err := m.s.AccountEvidence(m.Context(), accountCIB, m.name(1), m.name(m.day))
		must(m, err)
		when := m.now().Add(time.Duration(i) * 2 * time.Hour)
		step := ledger.Step{BatchID: a.BatchID, Actor: person, From: ledger.BatchSubmitted, At: when, Release: &ledger.ReleaseRequest{As: ledger.ReleaseNotPaid, Of: a.Key(), Reason: "r", Ticket: "mail",
			Check:     ledger.StatusCheck{BatchID: a.BatchID, At: when, BankTime: when, Answer: ledger.LookShown, Closed: true, Complete: true},
			Statement: ledger.StatementFromBank, Account: account, Waits: ledger.Waits{Wait: 48 * time.Hour, Between: time.Hour}}}
		for _, o := range attemptsOf(m, m.s, a.BatchID) {
			step.Release.Check.Payouts = append(step.Release.Check.Payouts, ledger.Observation{WireRef: o.WireRef, Status: o.Status, BankStatusCode: o.BankStatusCode})
		}
		if whole {
			step.Release.Of = ledger.AttemptKey{}
		}
		if err := m.s.Apply(m.Context(), step); err != nil {
			return err
		}
	}
	return nil
}

// breakAtSubmit has a break of the balances on the day of the submit, and our clock so many days off.
func breakAtSubmit(off int) func(m *month) {
	return func(m *month) {
		m.day = 10 // by the bank
		m.bank = m.now()
		id := load(m, m.s, "NOV", 1, 1)[0].ID
		m.books(5_00, "INT")
		m.day += off // ours
		m.send(id)
		m.fails(0)
		m.day = 10
		m.balance -= 100_00 // a debit that the statement leaves out
		m.day = 11
		m.books(5_00, "INT")
		m.day = 13
		m.fetch(1, 13)
	}
}

// clockAhead has a payout that was debited and fails, and our clock was days ahead at the submit.
func clockAhead(readBefore bool, words string, amount ledger.Paise) func(m *month) {
	return func(m *month) {
		m.day = 3
		id := load(m, m.s, "NOV", 1, 1)[0].ID
		m.day = 7
		m.send(id)
		m.day = 3
		m.books(-amount, words)
		if readBefore {
			m.fetch(1, m.day)
		}
		m.fails(0)
		if m.day = 5; !readBefore {
			m.fetch(1, m.day)
		}
	}
}

// breakAfter has a break of the balances. The newest day before it has a line, or only one that
// the bank took back.
func breakAfter(withdrawn bool) func(m *month) {
	return func(m *month) {
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
		m.send(load(m, m.s, "NOV", 1, 1)[0].ID)
		m.fails(0)
		m.balance -= 100_00 // its debit, which the statement leaves out
		m.day = 31
		m.books(5_00, "INT")
		m.truth[len(m.truth)-1].TransactionID = "T9"
		m.day = 33
		m.fetch(28, 33)
	}
}

// creditTakenBack has a debit come back. Two people release it where they have to, and the bank
// takes the credit back.
func creditTakenBack(words string) func(m *month) {
	return func(m *month) {
		m.send(load(m, m.s, "NOV", 1, 1)[0].ID)
		m.books(-100_00, "NEFT NOV-1")
		m.fails(0)
		m.day = 3
		m.books(100_00, words)
		m.day = 9
		m.fetch(1, 9)
		err := m.release(m.attempts()[0], false)
		if why, ok := errors.AsType[*ledger.Refusal](err); !ok || why.Rule != ledger.RuleNothing || words == "REVERSAL" { // it came back by name
			must(m, err)
		}
		m.truth = m.truth[:1]
		m.day = 12
		m.fetch(1, 12)
	}
}

// Each went out and did not come back.
func TestNoRetryOfWhatWentOut(t *testing.T) {
	for name, play := range map[string]func(m *month){
		"the customer paid in the morning of the day of the refund": func(m *month) {
			m.day = 3
			m.books(100_00, "NEFT CR ORDER-1 RAO")
			m.send(load(m, m.s, "ORDER", 1, 1)[0].ID)
			m.books(-100_00, "NEFT ORDER-1")
			m.fails(0)
			m.day = 5
			m.fetch(1, m.day)
		},
		"the customer paid the day before, debited in the batch's total": func(m *month) {
			m.day = 2
			m.books(100_00, "NEFT CR ORDER-1 RAO")
			m.day = 3
			m.send(load(m, m.s, "ORDER", 2, 2)[0].ID)
			m.books(-200_01, "BULK")
			m.says(m.attempts()[1], ledger.StatusSuccess, "COMPLETED", "")
			m.fails(0)
			m.day = 5
			m.fetch(1, m.day)
		},
		"two people say that it is its debit, less a fee; the bank dates it again": func(m *month) {
			m.day = 3
			m.send(load(m, m.s, "NOV", 1, 1)[0].ID)
			m.books(-99_00, "NEFT OUT")
			m.fails(0)
			m.day = 5
			m.fetch(1, m.day)
			must(m, m.saysTwo(ledger.EntryRef{Reading: 1, Line: 1}, "NOV-1"))
			if locks, err := m.locks(0); err == nil {
				m.Fatalf("not locked before: %+v", locks)
			}
			m.truth[0].Posted, m.truth[0].Transacted = m.name(4), m.name(4)
			m.day = 6
			m.fetch(1, m.day)
		},
		"a return under the UTR of all, before its status says so": func(m *month) {
			m.day = 3
			ps := samplePayouts("NOV", 2)
			ps[0].Amount, ps[1].Amount = 100_00, 100_00
			bs, err := tryLoad(m.s, "nov", ps, planOf(ps, 2))
			must(m, err)
			m.send(bs[0].ID)
			m.says(m.attempts()[1], ledger.StatusSuccess, "COMPLETED", "UTR-SHARED")
			for range 2 {
				m.says(m.attempts()[0], ledger.StatusFailed, "", "UTR-SHARED")
			}
			m.books(-200_00, "BULK UTR-SHARED")
			m.day = 5
			m.books(100_00, "RETURN UTR-SHARED")
			m.fetch(1, m.day)
		},
		"a refund under the order number that the customer paid with": func(m *month) {
			m.books(100_00, "NEFT CR ORDER-1 RAO")
			m.day = 3
			m.send(load(m, m.s, "ORDER", 1, 1)[0].ID)
			m.books(-100_00, "NEFT ORDER-1")
			m.fails(0)
			m.day = 5
			m.fetch(1, m.day)
		},
		"the customer paid later on the day of the submit, and two people try to release it": func(m *month) {
			m.send(load(m, m.s, "ORDER", 1, 1)[0].ID)
			m.books(100_00, "NEFT CR ORDER-1 RAO")
			m.day = 2
			m.books(-100_00, "NEFT ORDER-1")
			m.fails(0)
			m.day = 9
			m.fetch(1, 9)
			if _, err := m.locks(0); err == nil {
				m.Fatal("not even locked")
			}
			m.Log(m.release(m.attempts()[0], false))
		},
		"an id that the bank uses again, and a line of months ago that two people explained": func(m *month) {
			m.explainsRent()
			m.send(load(m, m.s, "NOV", 1, 1)[0].ID)
			m.books(-100_00, "NEFT OUT")
			m.truth[2].TransactionID = "S100"
			m.fetch(59, 60)
			m.fails(0)
			m.day = 62
			m.fetch(59, 62)
		},
		"a debit with the UTR that it had at first, failed under another": func(m *month) {
			m.send(load(m, m.s, "NOV", 1, 1)[0].ID)
			m.send(load(m, m.s, "DEC", 1, 1)[0].ID)
			for _, said := range [][2]string{{ledger.StatusPending, "HDFCN52031111000001"}, {ledger.StatusPending, "HDFCN52031111000002"},
				{ledger.StatusFailed, "HDFCN52031111000002"}, {ledger.StatusFailed, "HDFCN52031111000002"}} {
				m.says(m.attempts()[0], said[0], "", said[1])
			}
			m.says(m.attempts()[1], ledger.StatusSuccess, "", "HDFCN52031111000003")
			m.books(-100_00, "NEFT HDFCN52031111000001 RAO")
			m.day = 3
			m.fetch(1, m.day)
		},
		"a batch that someone sent at the bank's portal, seen to move days after its debit": func(m *month) {
			id := load(m, m.s, "NOV", 1, 1)[0].ID
			m.initiate(id)
			m.day = 2
			m.books(-100_00, "NEFT OUT")
			m.day = 6
			apply(m, m.s, ledger.Step{BatchID: id, At: m.now(), From: ledger.BatchHeld, Event: ledger.SeenMoving, Observed: m.all(id, ledger.StatusPending, "INITIATED")})
			m.fails(0)
			m.day = 8
			m.fetch(1, m.day)
		},
		"a break on the day of the submit":                                             breakAtSubmit(0),
		"a break on the day of the submit, and our clock was behind":                   breakAtSubmit(-4),
		"our clock was days ahead at the submit, and the bank gave no time":            clockAhead(false, "OUT", 100_00),
		"our clock was days ahead, and the statement was read before it failed":        clockAhead(true, "OUT", 100_00),
		"our clock was days ahead, and a debit of more than the payout names it":       clockAhead(false, "NOV-1", 150_00),
		"our clock was days ahead, and such a debit was read before the payout failed": clockAhead(true, "NOV-1", 150_00),
		"a break after a line":                                                breakAfter(false),
		"a break after a line that the bank took back":                        breakAfter(true),
		"a credit by name that the bank takes back":                           creditTakenBack("REVERSAL NOV-1"),
		"a credit without a name that a release used and the bank takes back": creditTakenBack("REVERSAL"),
	} {
		t.Run(name, func(t *testing.T) {
			m := newMonth(t)
			play(m)
			if locks, err := m.locks(0); err == nil {
				t.Errorf("a retry may be planned: %+v; %+v", locks, m.kept())
			}
			m.agrees()
		})
	}
}

// A payout that was debited twice is locked, although it is paid and its batch is settled.
func TestARowLikeAPayoutThatWasDebitedTwiceIsShown(t *testing.T) {
	for debits, want := range []int{0, 0, 1} {
		m := newMonth(t)
		id := load(m, m.s, "NOV", 1, 1)[0].ID
		m.send(id)
		m.says(m.attempts()[0], ledger.StatusSuccess, "COMPLETED", "HDFCN52031030112345678")
		apply(m, m.s, ledger.Step{BatchID: id, At: m.now(), From: ledger.BatchSubmitted, Event: ledger.AllFinal})
		for range debits {
			m.day++
			m.books(-100_00, "NEFT HDFCN52031030112345678")
		}
		m.fetch(1, 5)
		found, err := m.s.Payees(strings.ToLower).LockedLike(t.Context(), []ledger.Payee{m.attempts()[0].Payee()})
		if err != nil || len(found) != want {
			t.Errorf("%d debits: %v, %v", debits, found, err)
		}
	}
}
