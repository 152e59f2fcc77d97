package app

import (
	"fmt"
	"strings"
	"testing"

	"payrun/ledger"
	"payrun/submitter/sandbox"
)

// Each payout is in one part of its sheet: one that the bank shows with another
// amount, in a batch whose submit had no answer, too.
func TestEachPayoutStandsInOnePart(t *testing.T) {
	d, ctx, asha := newDesk(t), t.Context(), Call{Actor: "asha"}
	named := d.load("asha", "INV-1", "INV-2", "INV-3", "INV-4")
	_, err := d.Initiate(ctx, asha, InitiateRequest{Batches: named[:1]})
	wantCode(t, "initiate", err, NeedsPerson)
	stand := func(want string) {
		t.Helper()
		all, err := d.Overview(ctx, Call{})
		must(t, err)
		var words []string
		for _, p := range all.Sheets[0].Parts {
			words = append(words, fmt.Sprintf("%d %s", p.Count, p.Words))
		}
		if got := strings.Join(words, ", "); got != want || all.Sheets[0].All != (ledger.Tally{Count: 4, Total: 400_00}) {
			t.Errorf("%s of %+v; want %s", got, all.Sheets[0].All, want)
		}
	}
	stand("2 waiting for OTP, 2 not sent")
	must(t, d.bank.SetFaults([]sandbox.Fault{{Op: "submit", Nth: []int{1}, Kind: "drop_before"}}))
	_, err = d.Submit(ctx, asha, SubmitRequest{OTPs: func() ([]OTP, error) { return []OTP{d.otp(named[0])}, nil }})
	wantCode(t, "submit without an answer", err, OutcomeUnknown)
	stand("2 in doubt, 2 not sent")
	must(t, d.write(ctx, asha, func(o *operation) error {
		attempts, err := o.store.Attempts(ctx, named[0])
		must(t, err)
		other := ledger.Observation{WireRef: attempts[0].WireRef, Status: ledger.StatusRequestInitiated, Amount: 1, HasAmount: true}
		return o.store.Apply(ctx, ledger.Step{BatchID: named[0], From: ledger.BatchSubmitUnknown, Actor: "asha", At: o.env.Now(), Observed: []ledger.Observed{
			{PayoutID: attempts[0].ID, Number: 1, Observation: other, Verdict: ledger.Judge(attempts[0], other)}}})
	}))
	stand("1 locked, 1 in doubt, 2 not sent")
}
