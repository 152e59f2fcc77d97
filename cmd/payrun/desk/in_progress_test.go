package desk

import (
	"runtime"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter/sandbox"
)

// What is in progress is listed by bank, the slowest batch first, and with the words of the
// bank that its interface does not list; it moves with the ledger.
func TestWhatIsUnderWayIsTold(t *testing.T) {
	h := build(t)
	b := h.adminWho("pay")
	is(t, b.get("/underway"), 200, "Nothing was planned yet")
	h.load("INV/1", "INV/2", "INV/3")
	h.loadFor("pb4", "INV/4")
	is(t, b.get("/underway"), 200, `data-label="Planned"><data value="300.00">`, "No batch is at the bank", "partner bank 4")
	id := h.initiate()
	is(t, b.get("/underway"), 200, `data-label="Waiting for OTP"><data value="300.00">`)
	fine(t, h.bank.SetOutcomes(map[string]string{"INV/2": "unknown:ON HOLD <b>"}))
	otp, _ := h.otp(id)
	b.submit(id, otp)
	is(t, b.get("/underway"), 200, `data-label="Open at the bank"><data value="300.00">`, `data-batch="`+id+`"`, `data-label="Open">3</td>`)
	isNot(t, b.get("/underway"), "does not list")
	h.rounds(8, time.Minute)
	h.at = h.at.Add(3 * time.Hour)
	is(t, b.post("/login", "name", "ravi", "password", password), 303)
	p := b.get("/underway")
	is(t, p, 200, `data-label="Open at the bank"><data value="100.00">`, `data-label="Of batches submitted"><data value="300.00">`, `data-label="Open">1</td>`,
		"3 hours</time>", "does not list", "<code>ON HOLD &lt;b&gt;</code>", `<a href="/payouts?ref=INV%2F2">INV/2</a>`)
}

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
