package app

import (
	"errors"
	"testing"

	"payrun/ledger"
)

// Every state of a batch and of a payout, by what the command spoke about.
func TestWhatWaitsByState(t *testing.T) {
	batch := map[ledger.BatchState][3]Code{ // code when: elsewhere, within the scope, acted on
		ledger.BatchPlanned:         {},
		ledger.BatchInitiating:      {"", OutcomeUnknown, OutcomeUnknown},
		ledger.BatchInitiateUnknown: {"", OutcomeUnknown, OutcomeUnknown},
		ledger.BatchHeld:            {"", NeedsPerson, NeedsPerson},
		ledger.BatchSubmitting:      {"", OutcomeUnknown, OutcomeUnknown},
		ledger.BatchSubmitUnknown:   {"", OutcomeUnknown, OutcomeUnknown},
		ledger.BatchSubmitted:       {"", PayoutsOpen, PayoutsOpen},
		ledger.BatchSettled:         {},
		ledger.BatchRefused:         {"", "", PayoutsFailed},
		ledger.BatchQuarantined:     {Mismatch, Mismatch, Mismatch},
		ledger.BatchAbandoned:       {},
	}
	for _, state := range ledger.BatchStates {
		want, ok := batch[state]
		if !ok {
			t.Errorf("no row for %s", state)
		}
		for i, how := range []struct{ within, acted bool }{{false, false}, {true, false}, {true, true}} {
			var w waits
			w.add(ledger.Batch{State: state}, how.within, how.acted)
			if got := worstOf(w.errors()); got != want[i] {
				t.Errorf("%s, within %t, acted %t: %q, want %q", state, how.within, how.acted, got, want[i])
			}
		}
	}
	var w waits
	w.add(ledger.Batch{State: ledger.BatchSubmitted, Attention: ledger.Overdue}, true, true)
	if got := worstOf(w.errors()); got != NeedsPerson {
		t.Errorf("an open batch in need of a person: %q, want %q", got, NeedsPerson)
	}

	payout := map[ledger.PayoutState]Code{
		ledger.PayoutFailed: PayoutsFailed, ledger.PayoutReturned: PayoutsFailed, ledger.PayoutDisputed: Mismatch,
	}
	for _, state := range ledger.PayoutStates {
		tallies := map[ledger.PayoutState]ledger.Tally{state: {Count: 1, Total: 100}}
		if got := worstOf(payoutErrors(tallies)); got != payout[state] {
			t.Errorf("a payout %s: %q, want %q", state, got, payout[state])
		}
	}
}

func worstOf(errs []error) Code {
	if e := Worst(errors.Join(errs...)); e != nil {
		return e.Code
	}
	return ""
}
