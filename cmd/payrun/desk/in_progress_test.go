package desk

import (
	"runtime"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter/sandbox"
)

// While a submit is on its way, others see that it is in progress, and no doubt.
func TestASlowSubmitIsNoDoubt(t *testing.T) {
	h, id := held(t)
	fine(t, h.bank.SetFaults([]sandbox.Fault{{Op: "submit", Kind: "slow", Seconds: 2}}))
	b := h.adminWho("pay")
	other := h.invite("vera", "view")
	path := "/batches/" + id + "/submit"
	otp, _ := h.otp(id)
	is(t, b.decide(path, append(b.bound("/otp", path), "otp", otp)...), 202)
	for until := time.Now().Add(10 * time.Second); h.state(id) != ledger.BatchSubmitting && time.Now().Before(until); {
		runtime.Gosched()
	}
	h.inState(id, ledger.BatchSubmitting)
	for _, page := range []string{"/", "/batches/" + id, "/sheets/" + h.batch().SheetID, "/payouts?q=inv/1", "/attention"} {
		isNot(t, other.get(page), "In doubt", "in doubt")
	}
	is(t, other.get("/batches/"+id), 200, "In progress")
	h.jobs.wait()
	h.inState(id, ledger.BatchSubmitted)
}
