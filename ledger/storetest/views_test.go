package storetest

import (
	"testing"

	"payrun/ledger"
)

// The sum of what was or may have been paid never falls, because a release by people stays recorded.
func TestWhatIsPerhapsDebitedStaysSo(t *testing.T) {
	for _, from := range ledger.PayoutStates {
		for _, to := range ledger.PayoutStates {
			was, is := ledger.Attempt{State: from}, ledger.Attempt{State: to}
			switch {
			case to == ledger.PayoutCancelled: // two people released it
				is.Resolved = ledger.ResolutionNotPaid
			case from == ledger.PayoutDisputed:
				was.Was = to // an unreadable value is replaced by the planned one
			}
			if from.MayBecome(to) && perhapsDebited(was) && !perhapsDebited(is) {
				t.Errorf("%s → %s", from, to)
			}
		}
	}
	for _, s := range []ledger.BatchState{ledger.BatchSubmitted, ledger.BatchSettled} {
		for _, e := range ledger.BatchEvents {
			if to, err := s.Next(e); err == nil && to != ledger.BatchSettled {
				t.Errorf("%s: %s → %s", e, s, to)
			}
		}
	}
}
