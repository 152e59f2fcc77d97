package reports

import (
	"testing"

	"payrun/ledger"
)

// TestClassify tries every state of a payout in every state of a batch. The
// table is the reference: what stands in it is what a report says.
func TestClassify(t *testing.T) {
	byPayout := map[ledger.PayoutState]kind{
		ledger.PayoutSuccess: kindNone, ledger.PayoutFailed: kindFailed, ledger.PayoutReturned: kindReturned,
		ledger.PayoutDisputed: kindDisputed, ledger.PayoutCancelled: kindCancelled,
	}
	byBatch := map[ledger.BatchState]kind{
		ledger.BatchPlanned: kindPlanned, ledger.BatchInitiating: kindInitiateUnknown, ledger.BatchInitiateUnknown: kindInitiateUnknown,
		ledger.BatchHeld: kindHeld, ledger.BatchSubmitting: kindSubmitUnknown, ledger.BatchSubmitUnknown: kindSubmitUnknown,
		ledger.BatchSubmitted: kindOpen, ledger.BatchSettled: kindOpen, ledger.BatchRefused: kindOpen,
		ledger.BatchQuarantined: kindQuarantined, ledger.BatchAbandoned: kindOpen,
	}
	for _, p := range ledger.PayoutStates {
		for _, b := range ledger.BatchStates {
			want, decided := byPayout[p]
			if !decided {
				want = byBatch[b]
			}
			if got := classify(ledger.Attempt{State: p}, ledger.Batch{State: b}); got != want {
				t.Errorf("payout %s in batch %s is %q, want %q", p, b, got, want)
			}
		}
	}
}

func TestClassifyOpenPayout(t *testing.T) {
	for name, c := range map[string]struct {
		status string
		found  ledger.Attention
		want   kind
	}{
		"the bank works on it":             {"pending", "", kindOpen},
		"nothing observed yet":             {"", "", kindOpen},
		"a status that is not listed":      {"ON_HOLD", "", kindUnknownStatus},
		"marked for a person":              {"pending", ledger.Overdue, kindOverdue},
		"marked, and a status of its own":  {"ON_HOLD", ledger.Overdue, kindOverdue},
		"a listed status in other letters": {"SUCCESS", "", kindUnknownStatus},
	} {
		a := ledger.Attempt{State: ledger.PayoutPending, Status: c.status}
		if got := classify(a, ledger.Batch{State: ledger.BatchSubmitted, Attention: c.found}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestMoneyThatMayHaveMovedIsInDoubt(t *testing.T) {
	want := map[kind]bucket{
		kindNone: paid, kindDisputed: inDoubt, kindSubmitUnknown: inDoubt, kindReturned: notPaid, kindFailed: notPaid, kindCancelled: notPaid,
	}
	for _, k := range append([]kind{kindNone}, allKinds()...) {
		w, ok := want[k]
		if !ok {
			w = open
		}
		if got := k.where(); got != w {
			t.Errorf("%q is %s, want %s", k, got, w)
		}
	}
}

func allKinds() []kind {
	var all []kind
	for _, k := range kinds {
		all = append(all, k.kind)
	}
	return all
}

func TestReasonIsNeverEmpty(t *testing.T) {
	for _, k := range allKinds() {
		if got := k.reason(ledger.Attempt{}, ledger.Batch{}); got == "" {
			t.Errorf("%s: no reason", k)
		}
	}
	a, b := ledger.Attempt{Reason: "the payout's"}, ledger.Batch{Note: "the batch's"}
	if got := kindOverdue.reason(a, b); got != "the batch's; the payout's" {
		t.Errorf("overdue: %q, want both", got)
	}
	if got := kindFailed.reason(ledger.Attempt{}, b); got == b.Note {
		t.Error("a failed payout is told by its batch's note")
	}
}
