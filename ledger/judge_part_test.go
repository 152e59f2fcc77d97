package ledger_test

import (
	"testing"

	"payrun/ledger"
)

// A read that broke off adds what contradicts, and ends no dispute.
func TestAReadThatBrokeOffEndsNoDispute(t *testing.T) {
	said := func(status string, amount ledger.Paise, unread ledger.Fields) ledger.Observation {
		return ledger.Observation{WireRef: "A", Status: status, Amount: amount, HasAmount: unread == 0, Unread: unread}
	}
	submitted := ledger.Attempt{WireRef: "A", Number: 1, State: ledger.PayoutRequestInitiated, Payout: ledger.Payout{Amount: 100}}
	after := func(a ledger.Attempt, v ledger.Verdict) ledger.Attempt {
		a.State, a.Dispute, a.Was, a.Unread, a.FailedReads, a.Reason = v.State, v.Dispute, v.Was, v.Unread, v.FailedReads, v.Reason
		return a
	}
	unread := after(submitted, ledger.JudgePart(submitted, said("pending", 0, ledger.FieldAmount)))
	if unread.Dispute != ledger.DisputeUnread || unread.Was != ledger.PayoutPending {
		t.Fatalf("what cannot be read: %+v", unread)
	}
	paid := after(unread, ledger.JudgePart(unread, said("success", 100, 0)))
	if paid.State != ledger.PayoutDisputed || paid.Was != ledger.PayoutSuccess || paid.Unread != ledger.FieldAmount {
		t.Errorf("success in a read that broke off: %+v", paid)
	}
	if v := ledger.Judge(paid, said("pending", 100, 0)); v.Dispute != ledger.DisputeStepBack {
		t.Errorf("and then pending: %+v", v)
	}
	other := after(paid, ledger.JudgePart(paid, said("success", 1000, 0)))
	if other.Dispute != ledger.DisputeAmount || other.Was != "" {
		t.Errorf("another amount: %+v", other)
	}
	for _, o := range []ledger.Observation{said("success", 0, ledger.FieldAmount), said("success", 100, 0)} {
		if v := ledger.Judge(other, o); v.Dispute != ledger.DisputeAmount {
			t.Errorf("after another amount %+v: %+v", o, v)
		}
	}
	back := after(submitted, ledger.Verdict{State: ledger.PayoutDisputed, Dispute: ledger.DisputeStepBack})
	if v := ledger.JudgePart(back, said("success", 100, 0)); v.Dispute != ledger.DisputeStepBack {
		t.Errorf("success again after a step back: %+v", v)
	}
}
