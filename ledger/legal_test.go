package ledger_test

import (
	"slices"
	"testing"
	"time"

	"payrun/ledger"
)

// evidence is each way in which a decision about a batch can be shown to be right.
var evidence = []func(*ledger.Deciding){
	func(*ledger.Deciding) {}, // the books, and a status that does not know it
	func(d *ledger.Deciding) {
		d.Look = shown("prbatch", true, said("INV-1", "request_initiated"), said("INV-2", "request_initiated"))
	},
	func(d *ledger.Deciding) { d.Books, d.Ticket = nil, "mail" },
	func(d *ledger.Deciding) { d.Ticket = "mail" }, // and the books
	func(d *ledger.Deciding) {
		d.Ticket, d.Look = "mail", shown("prbatch", true, said("INV-1", "request_initiated"), said("INV-2", "request_initiated"))
	},
	func(d *ledger.Deciding) {
		d.Books, d.Ticket, d.Look = nil, "mail", shown("prbatch", true, said("INV-1", "ON_HOLD"), said("INV-2", "ON_HOLD"))
	},
}

// What is said to be legal of a batch is what the step takes where the evidence is
// there, and what it never takes is not. What the bank holds is the exception: it is
// abandoned as long as nothing was found about it.
func TestWhatIsLegalIsWhatTheStepTakes(t *testing.T) {
	found := []ledger.Attention{ledger.NeedsNothing, ledger.OTPLate, ledger.LookForbids, ledger.StatusUnlisted, ledger.EchoUnlisted, ledger.StatusDiffers}
	for _, state := range ledger.BatchStates {
		atBank, kept := state == ledger.BatchSubmitted || state == ledger.BatchSubmitUnknown, state == ledger.BatchHeld || state == ledger.BatchPlanned
		for _, attention := range found {
			for mask := range 8 {
				listed, moved, old := mask&1 != 0, mask&2 != 0, mask&4 != 0
				k := lostSubmit()
				k.Batch.State, k.Batch.Attention, k.Batch.HeldAt, k.Batch.UpdatedAt = state, attention, submitAt, booksAt.Add(-240*time.Hour)
				if listed {
					k.Batch.Listed = ledger.ListingYes
				}
				if !atBank {
					k.Intents = k.Intents[:1]
				}
				if atBank && !old {
					k.Batch.StateSince, k.Intents[1].At = booksAt.Add(-23*time.Hour), booksAt.Add(-23*time.Hour)
				}
				if moved && state == ledger.BatchSubmitted {
					k.Attempts[0].State = ledger.PayoutSuccess
				}
				if moved && kept {
					k.RestoredAt, k.BeforeRestore = submitAt, submitAt
				}
				legal := map[ledger.Decision]bool{}
				for _, n := range k.Legal(inLaw.Overdue, booksAt) {
					legal[n.Decides()] = true
				}
				for _, as := range []ledger.Decision{ledger.DecidedNotSubmitted, ledger.DecidedDisputed} {
					takes := slices.ContainsFunc(evidence, func(shows func(*ledger.Deciding)) bool {
						s := decides(as, "ravi")
						shows(s.Deciding)
						k := k
						k.Proposals, s.From, s.Deciding.Look.SaidAt = []ledger.Proposal{by("asha", as)}, state, booksAt
						_, err := s.Change(told(k))
						return err == nil
					})
					waits := state == ledger.BatchHeld && (attention == ledger.NeedsNothing || attention != ledger.StatusUnlisted && !listed) ||
						state == ledger.BatchQuarantined && attention != ledger.EchoUnlisted
					if legal[as] != takes && (legal[as] || !waits) {
						t.Errorf("%s, %q, listed %t, moved or copied %t, old %t: %s is said to be legal: %t, and taken: %t", state, attention, listed, moved, old, as, legal[as], takes)
					}
				}
				if legal[ledger.DecidedSubmitted] != (state == ledger.BatchSubmitUnknown && old) {
					t.Errorf("%s, old %t: that it was submitted is said to be legal: %t", state, old, legal[ledger.DecidedSubmitted])
				}
			}
		}
	}
}

// Of every state a step that the machine allows to a person is among the legal ones,
// and an abandon that it does not allow is not.
func TestWhatMayBeGivenUpIsLegal(t *testing.T) {
	for _, state := range ledger.BatchStates {
		b := ledger.Batch{State: state}
		_, err := state.Next(ledger.Abandoned)
		want := err == nil || state == ledger.BatchRefused
		has := slices.ContainsFunc(ledger.Known{Batch: b}.Legal(inLaw.Overdue, booksAt), func(n ledger.Next) bool { return n.Verb == "abandon" })
		if b.Abandonable() != want || has != want {
			t.Errorf("%s: it may be given up: %t, is among the legal steps: %t, want %t", state, b.Abandonable(), has, want)
		}
		for _, found := range []ledger.Attention{ledger.StatusUnlisted, ledger.EchoUnlisted, ledger.DealtWith} {
			if b.Attention = found; b.Abandonable() && (found != ledger.DealtWith || state == ledger.BatchRefused) {
				t.Errorf("%s, %s: it may be given up", state, found)
			}
		}
	}
}

// What people may decide about an attempt is what the step takes of them.
func TestWhatIsLegalOfAnAttempt(t *testing.T) {
	const watch = 168 * time.Hour
	for name, c := range map[string]struct {
		a    ledger.Attempt
		want []ledger.Decision
	}{
		"disputed":                  {ledger.Attempt{State: ledger.PayoutDisputed}, []ledger.Decision{ledger.DecidedPaid, ledger.DecidedNotPaid}},
		"failed yesterday":          {ledger.Attempt{State: ledger.PayoutFailed, UpdatedAt: booksAt.Add(-24 * time.Hour)}, []ledger.Decision{ledger.DecidedNotPaid}},
		"failed long ago":           {ledger.Attempt{State: ledger.PayoutFailed, UpdatedAt: booksAt.Add(-watch)}, []ledger.Decision{ledger.DecidedNotPaid}},
		"failed, decided yesterday": {ledger.Attempt{State: ledger.PayoutFailed, Resolved: ledger.ResolutionNotPaid, UpdatedAt: booksAt.Add(-24 * time.Hour)}, nil},
		"failed, decided long ago":  {ledger.Attempt{State: ledger.PayoutFailed, Resolved: ledger.ResolutionNotPaid}, []ledger.Decision{ledger.DecidedNotPaid}},
		"returned yesterday":        {ledger.Attempt{State: ledger.PayoutReturned, UpdatedAt: booksAt.Add(-24 * time.Hour)}, nil},
		"returned long ago":         {ledger.Attempt{State: ledger.PayoutReturned}, []ledger.Decision{ledger.DecidedNotPaid}},
		"gone":                      {ledger.Attempt{State: ledger.PayoutFailed, Resolved: ledger.ResolutionGone}, nil},
		"paid":                      {ledger.Attempt{State: ledger.PayoutSuccess}, nil},
		"given up":                  {ledger.Attempt{State: ledger.PayoutCancelled}, nil},
		"open":                      {ledger.Attempt{State: ledger.PayoutPending}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []ledger.Decision
			for _, n := range c.a.Legal(watch, booksAt) {
				got = append(got, n.Decides())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
