package ledger_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
)

// sent is an attempt of 101.39 in a batch of its own, settled or not as its state has it.
func sent(number int, state ledger.PayoutState, batch ledger.BatchState) ledger.AttemptRecord {
	id := "prbatch" + strings.Repeat("x", number-1)
	return ledger.AttemptRecord{
		Attempt: ledger.Attempt{Payout: ledger.Payout{ID: 1, Ref: "INV-1", Amount: 101_39}, Number: number, WireRef: ledger.WireRef("INV-1", number), BatchID: id,
			State: state, Status: string(state), UpdatedAt: t0},
		Batch: ledger.Batch{ID: id, State: batch, BankAccountID: "acct", Total: 300_00, StateSince: t0}, CalledAt: t0,
	}
}

var entry int64 // numbers readings, so that no two lines are one

func line(debit bool, amount ledger.Paise, day string) ledger.StatementLine {
	entry++
	return ledger.StatementLine{Ref: ledger.EntryRef{Reading: entry, Line: 1}, Source: ledger.FromInterface, Day: day, Debit: debit, Amount: amount}
}

func ofFile(l ledger.StatementLine) ledger.StatementLine {
	l.Source = ledger.FromFile
	return l
}

// named has lines that are the attempt's own.
func named(a ledger.AttemptRecord, lines ...ledger.StatementLine) ledger.AttemptRecord {
	for _, l := range lines {
		a.Statement.Matches = append(slices.Clip(a.Statement.Matches), ledger.StatementMatch{StatementLine: l, By: ledger.MatchedByReference, Share: l.Amount})
	}
	return a
}

// possible has debits that could be the attempt's.
func possible(a ledger.AttemptRecord, why ledger.PossibleReason, lines ...ledger.StatementLine) ledger.AttemptRecord {
	for _, l := range lines {
		a.Statement.Possible = append(slices.Clip(a.Statement.Possible), ledger.PossibleDebit{StatementLine: l, Why: why})
	}
	return a
}

// released is how two people left it, seeing the statement as it is.
func released(a ledger.AttemptRecord, as ledger.Resolution) ledger.AttemptRecord {
	a.State, a.Resolved = ledger.PayoutCancelled, as
	a.Released = &ledger.ReleasedEvidence{At: t0.Add(time.Hour), Keys: a.Statement.Keys()}
	return a
}

func restoredAt(a ledger.AttemptRecord, at time.Time) ledger.AttemptRecord {
	a.RestoredAt = at
	return a
}

func plannedAt(a ledger.AttemptRecord, at time.Time) ledger.AttemptRecord {
	a.Batch.CreatedAt = at
	return a
}

func lockWords(locks []ledger.Lock) string {
	var words []string
	for _, l := range locks {
		w := string(l.Kind)
		if l.Out > 0 {
			w += " " + l.Out.String()
		}
		if l.Of.Number > 1 {
			w += " of 2"
		}
		words = append(words, w)
	}
	return strings.Join(words, ", ")
}

// Each kind of lock, when it holds and when it ends: the table of safety.md, "Locks".
func TestLocks(t *testing.T) {
	const day, next, later = "2025-11-03", "2025-11-04", "2025-11-05"
	debit := func() ledger.StatementLine { return line(true, 101_39, day) }
	credit := func(amount ledger.Paise) ledger.StatementLine { return line(false, amount, next) }
	failed := sent(1, "failed", ledger.BatchSettled)
	returned := sent(1, "returned", ledger.BatchSettled)
	stepBack := sent(1, "disputed", ledger.BatchSettled)
	stepBack.Dispute = ledger.DisputeStepBack
	paidTwice := named(sent(1, "success", ledger.BatchSettled), debit(), debit())
	d1, c1 := debit(), credit(101_39)
	gone := released(named(failed, d1, c1), ledger.ResolutionNotPaid)
	gone.Statement.Matches = gone.Statement.Matches[:1]
	odd := debit()
	odd.TransactionID = "a credit of old"
	debitGone := released(named(failed, odd), ledger.ResolutionNotPaid)
	debitGone.Statement.Matches = nil
	shared := named(failed, line(true, 300_00, day))
	shared.Statement.Matches[0].Share = 101_39

	for _, c := range []struct {
		name string
		all  []ledger.AttemptRecord
		want string
	}{
		{"nothing", nil, ""},
		{"failed", []ledger.AttemptRecord{failed}, ""},
		{"refused", []ledger.AttemptRecord{sent(1, "cancelled", ledger.BatchRefused)}, ""},
		{"abandoned", []ledger.AttemptRecord{sent(1, "cancelled", ledger.BatchAbandoned)}, ""},
		{"paid", []ledger.AttemptRecord{sent(1, "success", ledger.BatchSettled)}, ""},

		{"planned", []ledger.AttemptRecord{sent(1, "planned", ledger.BatchPlanned)}, "in_flight"},
		{"held", []ledger.AttemptRecord{sent(1, "request_initiated", ledger.BatchHeld)}, "in_flight"},
		{"quarantined", []ledger.AttemptRecord{sent(1, "planned", ledger.BatchQuarantined)}, "in_flight"},
		{"not final", []ledger.AttemptRecord{sent(1, "pending", ledger.BatchSubmitted)}, "in_flight"},
		{"a retry that is planned", []ledger.AttemptRecord{failed, sent(2, "planned", ledger.BatchPlanned)}, "in_flight of 2"},

		{"a submit without an answer", []ledger.AttemptRecord{sent(1, "request_initiated", ledger.BatchSubmitUnknown)}, "in_doubt"},
		{"one of the batch moved", []ledger.AttemptRecord{sent(1, "request_initiated", ledger.BatchSubmitted)}, "in_flight"},
		{"set aside", []ledger.AttemptRecord{sent(1, "cancelled", ledger.BatchSetAside)}, ""},

		{"disputed", []ledger.AttemptRecord{sent(1, "disputed", ledger.BatchSubmitUnknown)}, "contradicted"},
		{"a step back", []ledger.AttemptRecord{stepBack}, "contradicted"},

		{"debited", []ledger.AttemptRecord{named(failed, debit())}, "debited 101.39"},
		{"debited, by a file", []ledger.AttemptRecord{named(failed, ofFile(debit()))}, "debited 101.39"},
		{"its part of one debit", []ledger.AttemptRecord{shared}, "debited 101.39"},
		{"and it came back", []ledger.AttemptRecord{named(failed, debit(), credit(101_39))}, ""},
		{"a part of it came back", []ledger.AttemptRecord{named(failed, debit(), credit(2_36))}, "debited 99.03"}, // A1
		{"two parts of it came back", []ledger.AttemptRecord{named(failed, debit(), credit(2_36), credit(99_03))}, ""},
		{"it came back in a file", []ledger.AttemptRecord{named(failed, debit(), ofFile(credit(101_39)))}, "debited 101.39"}, // A3
		{"a second debit", []ledger.AttemptRecord{named(failed, debit(), credit(101_39), debit())}, "debited 101.39"},        // A2
		{"the other attempt's debit came back", []ledger.AttemptRecord{named(failed, debit()), named(sent(2, "failed", ledger.BatchSettled), debit(), credit(101_39), credit(101_39))}, "debited 101.39"},
		{"returned", []ledger.AttemptRecord{named(returned, debit())}, ""},
		{"returned, and debited twice", []ledger.AttemptRecord{named(returned, debit(), debit())}, "debited 101.39"}, // A5
		{"returned, debited twice, and one came back", []ledger.AttemptRecord{named(returned, debit(), debit(), credit(101_39))}, "debited 101.39"},
		{"returned, debited twice, and both came back", []ledger.AttemptRecord{named(returned, debit(), debit(), credit(101_39), credit(101_39))}, ""},
		{"returned, and less came back", []ledger.AttemptRecord{named(returned, debit(), credit(2_36))}, ""},
		{"returned, and its credit carries the first one's reference", []ledger.AttemptRecord{named(failed, debit(), credit(101_39)), named(sent(2, "returned", ledger.BatchSettled), debit())}, "debited 101.39 of 2"},
		{"paid, with its debit", []ledger.AttemptRecord{named(sent(1, "success", ledger.BatchSettled), debit())}, ""},
		{"paid twice", []ledger.AttemptRecord{paidTwice}, "debited 101.39"},
		{"paid by another attempt", []ledger.AttemptRecord{named(failed, debit()), named(sent(2, "success", ledger.BatchSettled), debit())}, "debited 101.39"},

		{"a nameless debit", []ledger.AttemptRecord{possible(failed, ledger.PossibleAmount, debit())}, "possible_debit"}, // A6
		{"a break of the balances", []ledger.AttemptRecord{possible(returned, ledger.PossibleBreak, debit())}, "possible_debit"},
		{"a nameless debit, and it is paid", []ledger.AttemptRecord{possible(failed, ledger.PossibleAmount, debit()), sent(2, "success", ledger.BatchSettled)}, ""},
		{"a nameless debit, and it was returned since", []ledger.AttemptRecord{possible(failed, ledger.PossibleAmount, debit()), sent(2, "returned", ledger.BatchSettled)}, "possible_debit"},

		{"restored", []ledger.AttemptRecord{restoredAt(failed, t0)}, "restored"},
		{"restored, and paid", []ledger.AttemptRecord{restoredAt(sent(1, "success", ledger.BatchSettled), t0)}, "restored"},
		{"restored, and released since", []ledger.AttemptRecord{released(restoredAt(failed, t0), ledger.ResolutionNotPaid)}, ""},
		{"restored, released and retried", []ledger.AttemptRecord{released(restoredAt(failed, t0), ledger.ResolutionNotPaid), restoredAt(plannedAt(sent(2, "failed", ledger.BatchSettled), t0.Add(2*time.Hour)), t0)}, ""},
		{"restored, and an earlier attempt released", []ledger.AttemptRecord{released(restoredAt(failed, t0), ledger.ResolutionNotPaid), restoredAt(sent(2, "failed", ledger.BatchSettled), t0)}, "restored of 2"},
		{"released, and restored since", []ledger.AttemptRecord{restoredAt(released(failed, ledger.ResolutionNotPaid), t0.Add(2*time.Hour))}, "restored"},

		{"released as it is", []ledger.AttemptRecord{released(possible(named(failed, debit(), line(false, 99_03, next)), ledger.PossibleShare, debit()), ledger.ResolutionNotPaid)}, ""},
		{"released, and a debit since", []ledger.AttemptRecord{named(released(named(failed, d1), ledger.ResolutionNotPaid), line(true, 101_39, later))}, "contradicted"},
		{"released, and a second debit that looks the same", []ledger.AttemptRecord{named(released(named(failed, d1), ledger.ResolutionNotPaid), debit())}, "contradicted"},
		{"released, and a nameless debit since", []ledger.AttemptRecord{possible(released(failed, ledger.ResolutionGone), ledger.PossibleFile, debit())}, "contradicted"},
		{"released, debited since, and another attempt paid", []ledger.AttemptRecord{named(released(failed, ledger.ResolutionGone), debit()), sent(2, "success", ledger.BatchSettled)}, "contradicted"},
		{"released, and the credit that was seen is gone", []ledger.AttemptRecord{gone}, "contradicted"},
		{"released, and a debit that was seen is gone", []ledger.AttemptRecord{debitGone}, ""},
		{"released, and its batch moves", []ledger.AttemptRecord{func() ledger.AttemptRecord {
			a := released(failed, ledger.ResolutionGone)
			a.State = ledger.PayoutDisputed
			return a
		}()}, "contradicted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			locks := ledger.Locks(c.all)
			if got := lockWords(locks); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			for _, l := range locks {
				if l.Saw() == "" || l.Ends() == "" || l.Why() == "" || l.Since.IsZero() || (len(l.Legal()) > 0) != (l.Kind != ledger.LockInFlight && l.Kind != ledger.LockInDoubt) {
					t.Errorf("%s: %q since %s, %q, %q", l.Kind, l.Saw(), l.Since, l.Why(), l.Ends())
				}
			}
			if err := ledger.MayFollow(ledger.AttemptKey{PayoutID: 1, Number: len(c.all)}, c.all); c.want != "" && !errors.Is(err, ledger.ErrPayoutLocked) {
				t.Errorf("it may be retried: %v", err)
			}
		})
	}
}

// Of all states of an attempt and its batch: what may be retried has no lock, and what
// has none and may not be is paid.
func TestWhatIsNotOverIsLocked(t *testing.T) {
	for _, state := range ledger.PayoutStates {
		for _, batch := range ledger.BatchStates {
			all := []ledger.AttemptRecord{sent(1, state, batch)}
			err := ledger.MayFollow(ledger.AttemptKey{PayoutID: 1, Number: 1}, all)
			switch free := len(ledger.Locks(all)) == 0; {
			case free != state.Final():
				t.Errorf("%s in a batch that is %s: %q", state, batch, lockWords(ledger.Locks(all)))
			case (err == nil) != state.Retryable(), errors.Is(err, ledger.ErrPayoutLocked) == free:
				t.Errorf("%s in a batch that is %s may be followed: %v", state, batch, err)
			}
		}
	}
	two := []ledger.AttemptRecord{sent(1, "failed", ledger.BatchSettled), sent(2, "failed", ledger.BatchSettled)}
	if err := ledger.MayFollow(two[0].Key(), two); !errors.Is(err, ledger.ErrConflict) {
		t.Errorf("after an attempt that is not the last: %v", err)
	}
}

// The gravest comes first; the attempt that is about to be sent is no lock of its own.
func TestLocksAgainstASubmit(t *testing.T) {
	d := line(true, 101_39, "2025-11-03")
	all := []ledger.AttemptRecord{possible(named(sent(1, "failed", ledger.BatchSettled), d), ledger.PossibleAmount, d), restoredAt(sent(2, "request_initiated", ledger.BatchHeld), t0)}
	if got := lockWords(ledger.Locks(all)); got != "debited 101.39, possible_debit, restored of 2, in_flight of 2" {
		t.Errorf("%q", got)
	}
	if got := lockWords(ledger.LocksAgainst(all, all[1].Key())); got != "debited 101.39, possible_debit, restored of 2" {
		t.Errorf("against its submit: %q", got)
	}
	if got := lockWords(ledger.Grave(ledger.Locks(all))); got != "debited 101.39, possible_debit, restored of 2" {
		t.Errorf("grave: %q", got)
	}
	held := []ledger.AttemptRecord{sent(1, "request_initiated", ledger.BatchHeld), sent(2, "request_initiated", ledger.BatchHeld)}
	if got := lockWords(ledger.LocksAgainst(held, held[1].Key())); got != "in_flight" {
		t.Errorf("next to another attempt that is on its way: %q", got)
	}

	k := standing(ledger.BatchHeld)
	k.Attempts[1].Records = all
	k.Attempts[1].Number = 2
	_, err := change(step(ledger.BatchHeld, ledger.SubmitIntended), k)
	why, ok := errors.AsType[*ledger.PayoutLockedError](err)
	if !ok || !errors.Is(err, ledger.ErrPayoutLocked) || why.Locks[0].Kind != ledger.LockDebited {
		t.Errorf("its submit: %v", err)
	}
}

func TestAnEntryIsReadAsItIsWritten(t *testing.T) {
	for _, s := range []string{"R3.17", "R3.17.2", "r12.1"} {
		if r, ok := ledger.ParseEntryRef(s); !ok || !strings.EqualFold(r.String(), s) {
			t.Errorf("%s: %v, %t", s, r, ok)
		}
	}
	for _, s := range []string{"", "R", "R3", "R3.0", "R0.1", "R3.1.0", "R3.1.2.3", "3.1", "R3.+1", "R03.1", "R3.x"} {
		if r, ok := ledger.ParseEntryRef(s); ok {
			t.Errorf("%s is read as %v", s, r)
		}
	}
}
