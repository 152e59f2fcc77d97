package app

import (
	"testing"

	"payrun/ledger"
)

// A batch is stopped where it goes no further before a person has dealt with it: in no
// other state, and not while it only waits its turn.
func TestWhatIsStopped(t *testing.T) {
	s := Status{refused: map[string]bool{"open": true}}
	for _, state := range ledger.BatchStates {
		for asks, want := range map[ledger.Attention]map[ledger.BatchState]bool{
			ledger.NeedsNothing:    {ledger.BatchQuarantined: true, ledger.BatchRefused: true},
			ledger.FundsShort:      {ledger.BatchQuarantined: true, ledger.BatchRefused: true},
			ledger.OTPLate:         {ledger.BatchQuarantined: true, ledger.BatchRefused: true},
			ledger.OTPSpent:        {ledger.BatchQuarantined: true, ledger.BatchRefused: true, ledger.BatchPlanned: true, ledger.BatchHeld: true},
			ledger.AccountUnusable: {ledger.BatchQuarantined: true, ledger.BatchRefused: true, ledger.BatchPlanned: true, ledger.BatchHeld: true},
		} {
			if got := s.stopped(&ledger.Batch{ID: "open", State: state, Attention: asks}); got != want[state] {
				t.Errorf("%s that asks for %q: %v", state, asks, got)
			}
		}
	}
	if s.stopped(&ledger.Batch{ID: "dealt with", State: ledger.BatchRefused}) {
		t.Error("what is dealt with is stopped")
	}
}
