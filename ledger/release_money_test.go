package ledger_test

import (
	"testing"

	"payrun/ledger"
)

// Rule 5: the same amount has to come back afterwards.
func TestACreditBeforeTheDebitGivesNothingBack(t *testing.T) {
	line := func(n int, day string, debit bool, amount ledger.Paise) ledger.StatementLine {
		return ledger.StatementLine{Ref: ledger.EntryRef{Reading: 1, Line: n}, Source: ledger.FromInterface, Day: day, Debit: debit, Amount: amount}
	}
	for name, q := range map[string]*asking{
		"the day before the debit": doubted().only(0).has(0, line(1, submitDay, false, 100_00), line(2, later1, true, 100_00)),
		"its day, before it":       doubted().only(0).has(0, line(1, later1, false, 100_00), line(2, later1, true, 100_00)),
	} {
		q = q.later(72 * 3600e9)
		if got := q.judged(); got != "debit 15" && got != "debit 16" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Returned and planned again on the same day; its OTP was wrong, and is entered again.
func TestAWrongOTPOfTheRetryLocksNothing(t *testing.T) {
	debit := ledger.StatementMatch{StatementLine: ledger.StatementLine{Ref: ledger.EntryRef{Reading: 1, Line: 1}, Source: ledger.FromInterface, Day: ledger.BankDay(t0), Debit: true, Amount: 100_00},
		By: ledger.MatchedByUTR, Share: 100_00}
	for _, outcome := range []ledger.Outcome{"none", ledger.Rejected, ledger.NotSent, ledger.Accepted} {
		first := ledger.AttemptRecord{Submit: &ledger.Intent{At: t0}}
		first.ID, first.Number, first.Amount, first.State = 1, 1, 100_00, ledger.PayoutReturned
		first.Statement.Matches = []ledger.StatementMatch{debit}
		second := ledger.AttemptRecord{}
		second.ID, second.Number, second.Amount, second.State = 1, 2, 100_00, ledger.PayoutRequestInitiated
		if outcome == ledger.Accepted {
			second.State = ledger.PayoutSuccess
		}
		if outcome != "none" {
			second.Submit = &ledger.Intent{Kind: ledger.CallSubmit, At: t0.Add(3600e9), Outcome: outcome}
		}
		if locks := ledger.LocksAgainst([]ledger.AttemptRecord{first, second}, second.Key()); len(locks) > 0 {
			t.Errorf("%s: %s %s", outcome, locks[0].Kind, locks[0].Out)
		}
	}
}

// A debit of which nothing came back is no charge, whatever came back of another.
func TestAWholeDebitIsNoCharge(t *testing.T) {
	line := func(n int, debit bool, amount ledger.Paise) ledger.StatementLine {
		return ledger.StatementLine{Ref: ledger.EntryRef{Reading: 1, Line: n}, Source: ledger.FromInterface, Day: submitDay, Debit: debit, Amount: amount}
	}
	q := doubted().has(0, line(1, true, 100_00)).has(1, line(2, true, 200_00), line(3, false, 200_00)).later(72 * 3600e9)
	q.r.Charges = 100_00
	if got := q.judged(); got == "first" || got == "second" {
		t.Error(got)
	}
}

// Charges are what is kept back of what came back, and no more than half.
func TestChargesAreNoWayAroundARelease(t *testing.T) {
	line := func(n int, debit bool, amount ledger.Paise) ledger.StatementLine {
		return ledger.StatementLine{Ref: ledger.EntryRef{Reading: 1, Line: n}, Place: n, Source: ledger.FromInterface, Day: submitDay, Debit: debit, Amount: amount}
	}
	for name, play := range map[string]func() *asking{
		"two halves, nothing came back, charges 100": func() *asking {
			q := doubted().only(0).has(0, line(1, true, 50_00), line(2, true, 50_00))
			q.r.Charges = 100_00
			return q
		},
		"a stranger's credit of 1, charges 99": func() *asking {
			q := doubted().only(0).has(0, line(1, true, 100_00)).nameless(line(2, false, 1_00))
			q.r.Charges = 99_00
			return q
		},
		"nothing came back, charges 100": func() *asking {
			q := doubted().only(0).has(0, line(1, true, 100_00))
			q.r.Charges = 100_00
			return q
		},
	} {
		q := play().later(72 * 3600e9)
		if got := q.judged(); got == "first" || got == "second" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A submit that was rejected here may have been made at the bank's portal.
func TestARejectedSubmitMayHaveBeenSentElsewhere(t *testing.T) {
	for _, outcome := range []ledger.Outcome{ledger.Rejected, ledger.Accepted} {
		first := ledger.AttemptRecord{Submit: &ledger.Intent{At: t0, Outcome: ledger.Accepted}}
		first.ID, first.Number, first.Amount, first.State = 1, 1, 100_00, ledger.PayoutReturned
		first.Batch.State = ledger.BatchSettled
		first.Statement.Matches = []ledger.StatementMatch{{StatementLine: ledger.StatementLine{Ref: ledger.EntryRef{Reading: 1, Line: 1}, Place: 1, Source: ledger.FromInterface, Day: ledger.BankDay(t0.Add(30 * 3600e9)), Debit: true, Amount: 100_00},
			By: ledger.MatchedByReference, Share: 100_00}}
		second := ledger.AttemptRecord{Submit: &ledger.Intent{Kind: ledger.CallSubmit, At: t0.Add(28 * 3600e9), Outcome: outcome}}
		second.ID, second.Number, second.Amount, second.State = 1, 2, 100_00, ledger.PayoutFailed
		second.Batch.State = ledger.BatchSettled
		if locks := ledger.Locks([]ledger.AttemptRecord{first, second}); len(locks) == 0 {
			t.Errorf("%s: nothing locks it", outcome)
		}
	}
}
