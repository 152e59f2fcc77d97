package ledger_test

import (
	"testing"

	"payrun/ledger"
)

// What cannot be read disputes a payout, and ends that by itself when it is replaced by
// the planned value; whatever else contradicts stays, but for a step back.
func TestWhatCannotBeReadIsDisputedUntilItIsShownAsPlanned(t *testing.T) {
	type seen struct {
		o    ledger.Observation
		want ledger.PayoutState
	}
	as := func(status string, change ...func(*ledger.Observation)) ledger.Observation {
		o := ledger.Observation{WireRef: "A", Amount: 10139, HasAmount: true, OpenTxnID: "tx", Status: status}
		for _, c := range change {
			c(&o)
		}
		return o
	}
	unread := func(f ledger.Fields) func(*ledger.Observation) {
		return func(o *ledger.Observation) {
			o.Unread = f
			if f&ledger.FieldAmount != 0 {
				o.Amount, o.HasAmount = 0, false
			}
			if f&ledger.FieldStatus != 0 {
				o.Status = "7"
			}
		}
	}
	amount, account, status := unread(ledger.FieldAmount), unread(ledger.FieldAccount), unread(ledger.FieldStatus)
	absent := func(o *ledger.Observation) { o.Amount, o.HasAmount = 0, false }
	tenfold := func(o *ledger.Observation) { o.Amount *= 10 }
	numbered := func(number string) func(*ledger.Observation) {
		return func(o *ledger.Observation) { o.BankAccountNumber = number }
	}
	for name, story := range map[string][]seen{
		"an amount":                      {{as("pending", amount), "disputed"}, {as("pending"), "pending"}, {as("success"), "success"}},
		"it goes on meanwhile":           {{as("pending", amount), "disputed"}, {as("initiated", amount), "disputed"}, {as("success", amount), "disputed"}, {as("success"), "success"}},
		"after success":                  {{as("success"), "success"}, {as("success", amount), "disputed"}, {as("success"), "success"}},
		"it fails meanwhile":             {{as("failed", amount), "disputed"}, {as("failed", amount), "disputed"}, {as("failed"), "failed"}},
		"what failed":                    {{as("failed"), "request_initiated"}, {as("failed"), "failed"}, {as("failed", amount), "disputed"}, {as("failed"), "failed"}},
		"no amount takes its place":      {{as("pending", amount), "disputed"}, {as("pending", absent), "disputed"}, {as("pending"), "pending"}},
		"another amount takes its place": {{as("pending", amount), "disputed"}, {as("pending", tenfold), "disputed"}, {as("pending"), "disputed"}},
		"a step back meanwhile":          {{as("success", amount), "disputed"}, {as("pending", amount), "disputed"}, {as("success"), "success"}},
		"disputed before":                {{as("success"), "success"}, {as("pending"), "disputed"}, {as("success", amount), "disputed"}, {as("success"), "success"}},
		"a status":                       {{as("success"), "success"}, {as("success", status), "disputed"}, {as("success"), "success"}},
		"a status, and then another":     {{as("success"), "success"}, {as("success", status), "disputed"}, {as("pending"), "disputed"}, {as("success"), "success"}},
		"an account":                     {{as("pending", account), "disputed"}, {as("pending"), "disputed"}, {as("pending", numbered("XXXX9012")), "pending"}},
		"an account, and then another":   {{as("pending", account), "disputed"}, {as("pending", numbered("XXXX9013")), "disputed"}},
		"a field that no row has":        {{as("pending", unread(ledger.FieldBeneficiaryID)), "pending"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := ledger.Attempt{WireRef: "A", State: ledger.PayoutRequestInitiated, OpenTxnID: "tx", Payout: ledger.Payout{Amount: 10139, BankAccountNumber: "123456789012", IFSC: "HDFC0001234"}}
			for i, s := range story {
				v := ledger.Judge(a, s.o)
				if v.State != s.want || (v.Unread != 0) != (v.Was != "") || (v.Was != "") != (v.Dispute == ledger.DisputeUnread) || v.State == ledger.PayoutDisputed && v.Reason == "" {
					t.Fatalf("answer %d: %+v, want %s", i+1, v, s.want)
				}
				if !a.State.MayBecome(v.State) {
					t.Errorf("answer %d: %s cannot become %s", i+1, a.State, v.State)
				}
				a.State, a.Dispute, a.Was, a.Unread, a.FailedReads, a.Reason, a.Status = v.State, v.Dispute, v.Was, v.Unread, v.FailedReads, v.Reason, s.o.Status
			}
		})
	}
}

// What people closed is disputed again by what cannot be read; what was abandoned and never
// moved is not.
func TestWhatCannotBeReadOfWhatIsOver(t *testing.T) {
	o := ledger.Observation{WireRef: "A", Status: "success", Unread: ledger.FieldAmount}
	closed := ledger.Attempt{State: ledger.PayoutSuccess, Status: "success", Resolved: ledger.ResolutionPaid, Payout: ledger.Payout{Amount: 100}}
	if v := ledger.Judge(closed, o); v.State != ledger.PayoutDisputed {
		t.Errorf("closed: %+v", v)
	}
	for _, state := range []ledger.PayoutState{ledger.PayoutPlanned, ledger.PayoutCancelled} {
		o.Status = ledger.StatusRequestInitiated
		if v := ledger.Judge(ledger.Attempt{State: state}, o); v.State != state {
			t.Errorf("%s: %+v", state, v)
		}
	}
}
