package desk

import (
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
	"payrun/submitter/sandbox"
)

// paid submits a held batch as at a terminal, has the bank end it, and asks twice.
func (h *house) paid(id string, outcomes map[string]string) {
	h.Helper()
	fine(h, h.bank.SetOutcomes(outcomes))
	otp, _ := h.otp(id)
	h.enters(id, otp)
	for range 7 {
		h.bank.Settle()
	}
	h.polls(time.Minute)
	h.polls(time.Minute)
}

// polls has the desk ask the bank, a while later.
func (h *house) polls(later time.Duration) {
	h.at = h.at.Add(later)
	h.poller.byItself(h.Context(), true)
}

// rounds has the bank go on so often, and the desk ask it each time.
func (h *house) rounds(n int, later time.Duration) {
	for range n {
		h.bank.Settle()
		h.polls(later)
	}
}

// The desk asks again soon after something moved, as poll --wait does.
func TestARoundWithNewsIsToldFromOneWithout(t *testing.T) {
	h, id := held(t)
	otp, _ := h.otp(id)
	h.enters(id, otp)
	for range 7 {
		h.bank.Settle()
	}
	for i, want := range []bool{true, false} { // settled; nothing more
		before := h.poller.events(h.Context())
		h.polls(time.Minute)
		if got := h.poller.moved(h.Context(), before, h.poller.events(h.Context())); got != want {
			t.Errorf("round %d: news %t, want %t", i+1, got, want)
		}
	}
}

// Each that needs a person is there with its age and its legal next steps, and only those.
func TestWhatNeedsAPersonIsListed(t *testing.T) {
	h, id := held(t)
	h.loadFor("pb4", "INV/2")
	b := h.adminWho("view")
	h.at = h.at.Add(25 * time.Minute)
	row := ledger.OTPWaiting.Row()
	is(t, b.get("/attention"), 200, row.Title, "25 minutes</time>", `<a href="/otp/`+id+`">Enter the OTP</a>`)
	isNot(t, b.get("/attention"), "#retry", "#abandon", "Decide")
	for _, path := range []string{"/batches/" + id, "/attention"} {
		isNot(t, b.get(path), "/abandon\"", `name="reason"`) // who may only look gets no form
	}
	is(t, b.post("/login", "name", "ravi", "password", password), 303)
	is(t, b.decide("/batches/"+id+"/abandon", "reason", "x"), 403, "needs the role pay")
	is(t, b.decide("/batches/"+id+"/retry", "total", "100"), 403, "needs the role load")
	is(t, b.decide("/batches/"+id+"/resolve", "as", "submitted", "reason", "x"), 403, "needs the role approve or pay")
	is(t, b.decide("/sheets/"+h.batch().SheetID+"/retry.xlsx"), 403, "needs the role load")
}

// A batch is abandoned with a reason, once it is as it was shown and the bank does not
// show it moving; then its payouts are planned again, by who may load.
func TestABatchIsGivenUpAndPlannedAgain(t *testing.T) {
	h, id := held(t)
	h.admin()
	pays, loads := h.invite("ravi", "pay"), h.invite("lila", "load")
	path := "/batches/" + id + "/abandon"
	old := pays.bound("/batches/"+id, path)
	is(t, pays.decide(path, append(old, "reason", " ")...), 422, "Say why")
	is(t, pays.decide(path, append(old, "reason", strings.Repeat("क", 501))...), 422, "too long")
	right, _ := h.otp(id)
	pays.submit(id, wrongOTP(right))
	is(t, pays.decide(path, append(old, "reason", strings.Repeat("क", 500))...), 409, "no longer what the page showed", "by ravi") // characters count, not bytes
	is(t, pays.decide(path, append(pays.bound("/batches/"+id, path), "reason", "no OTP came")...), 303)
	h.inState(id, ledger.BatchAbandoned)
	eventSays(t, h.last(), " by ravi\n", "no OTP came", "\nproof: at the desk")
	again := "/batches/" + id + "/retry"
	is(t, loads.get("/batches/"+id), 200, `action="`+again+`"`, "Plan again: 1 payout")
	shown := loads.bound("/batches/"+id, again)
	is(t, loads.decide(again, "total", "100"), 409, "no longer what the page showed")
	is(t, loads.decide(again, append(shown, "total", "99")...), 422, "You did not type the total of 1 payout, ₹100.00. Nothing was planned.")
	for _, none := range []string{"", "0", "all"} {
		is(t, loads.decide(again, append(shown, "total", none)...), 422, "Nothing was planned")
	}
	is(t, loads.decide(again, append(shown, "total", "100", "ref", "INV/9")...), 409, "has no payout &#34;INV/9&#34;; nothing was planned")
	is(t, loads.decide(again, append(shown, "total", "100", "ref", "INV/1")...), 303)
	is(t, loads.decide(again, "total", "100"), 409, "no longer what the page showed")
	same(t, "planned", len(h.planned()), 1)
}

func (h *house) planned() []ledger.Batch {
	h.Helper()
	return slices.DeleteFunc(h.batches(), func(b ledger.Batch) bool { return b.State != ledger.BatchPlanned })
}

// What failed is written to a sheet, to be corrected; and planned again as it is.
func TestWhatFailedIsCorrectedOrPlannedAgain(t *testing.T) {
	h := build(t, "INV/1", "INV/2", "INV/3")
	id := h.initiate()
	h.paid(id, map[string]string{"INV/1": "failed", "INV/2": "returned"})
	b := h.adminWho("load")
	sheet := "/sheets/" + h.batch().SheetID
	is(t, b.get("/attention"), 200, "Failed or came back <small>2 payouts, ₹200.00", `<a href="`+sheet+`#retry">nov.csv</a>`)
	is(t, b.get(sheet), 200, "Plan again: 2 payouts", `name="ref" value="INV/1"`, `action="`+sheet+`/retry.xlsx"`)
	isNot(t, b.get(sheet), `value="INV/3"`)
	row := ledger.PayoutCameBack.Row() // the page of the batch says the same as the other pages
	is(t, b.get("/batches/"+id), 200, row.Title, row.Do)
	shown := b.bound(sheet, sheet+"/retry")
	is(t, b.decide("/batches/"+id+"/retry.xlsx"), 200)
	n := len(h.events())
	p := b.decide(sheet + "/retry.xlsx")
	is(t, p, 200)
	h.recorded(n, ledger.EventNumbersGiven)
	eventSays(t, h.last(), " by ravi\n", h.batch().SheetID+", payouts to correct", "\nproof: at the desk, from 127.0.0.1, password")
	is(t, b.get(sheet+"/retry.xlsx"), 405) // nothing with account numbers in full comes by its address
	is(t, b.get(sheet+"/rejected"), 405)
	h.at = h.at.Add(6 * time.Minute)
	is(t, b.decide(sheet+"/retry.xlsx"), 403, "password")
	is(t, b.post("/proof", "form", b.form(), "password", password), 303)
	if !strings.HasPrefix(p.body, "PK") || !strings.HasPrefix(p.Header.Get("Content-Disposition"), "attachment;") {
		t.Errorf("it comes as %q", p.Header.Get("Content-Disposition"))
	}
	is(t, b.decide(sheet+"/retry", append(shown, "ref", "INV/2", "total", "100.00")...), 303)
	is(t, b.decide(sheet+"/retry", append(shown, "total", "100.00")...), 409, "no longer what the page showed") // another one of as much
	is(t, b.get(sheet), 200, "Plan again: 1 payout")
	for _, one := range h.planned() {
		same(t, "planned", one.Total, 100_00)
	}
}

// A submit in doubt: what the rules do not allow yet is 409 with the rule.
func TestADecisionTheRulesForbidIsRefused(t *testing.T) {
	h, b, id := heldFor(t, "pay")
	fine(t, h.bank.SetFaults([]sandbox.Fault{{Op: "submit", Kind: "drop_before"}}))
	otp, _ := h.otp(id)
	b.submit(id, otp)
	h.inState(id, ledger.BatchSubmitUnknown)
	is(t, b.get("/batches/"+id), 200, "Ask the bank now")
	isNot(t, b.get("/batches/"+id), "/resolve\"") // not legal yet
	path := "/batches/" + id + "/resolve"
	story := need(h.app.Bound(t.Context(), app.Call{}, id))(t)
	bound := []string{"payload_sha256", story.Payload, "state_sequence", string(story.Sequence), "reason", "they say so", "bank_ticket", "mail"}
	is(t, b.decide(path, append(bound, "as", "not-paid")...), 409, "less than 48h0m0s old")
	is(t, b.decide(path, append(bound, "as", "not-paid", "bank_ticket", strings.Repeat("क", 200))...), 409, "less than 48h0m0s old")
	is(t, b.decide(path, append(bound, "as", "not-paid", "bank_ticket", strings.Repeat("क", 201))...), 422, "too long")
	is(t, b.decide(path, "as", "not-paid", "reason", "they say so", "bank_ticket", "mail"), 409, "no longer what the page showed")
	is(t, b.decide(path, append(bound, "as", "submitted")...), 422, "no release")
	is(t, b.decide(path, append(bound, "as", "paid")...), 409, "by its reference, not by its batch")
	h.inState(id, ledger.BatchSubmitUnknown)
}

// Asking the bank is a form; it is asked next to the answer, in the name of who wants it.
func TestTheBankIsAsked(t *testing.T) {
	h, id := held(t)
	h.paid(id, nil)
	b := h.adminWho("view")
	n := len(h.events())
	is(t, b.get("/attention"), 200)
	h.recorded(n) // no page asks the bank
	is(t, b.post("/poll", "form", b.form(), "batch", "nosuch"), 404)
	is(t, b.post("/poll", "form", b.form(), "batch", id), 303)
	h.jobs.wait()
	is(t, b.get("/attention"), 200, "The bank was asked at "+h.set.TimeOfDay(h.at))
}

// A round is abandoned as soon as a person wants something.
func TestARoundGivesWay(t *testing.T) {
	h, id := held(t)
	otp, _ := h.otp(id)
	b := h.adminWho("pay")
	fields := append(b.bound("/otp", "/batches/"+id+"/submit"), "otp", otp)
	fine(t, h.bank.SetFaults([]sandbox.Fault{{Op: "status", Nth: []int{1}, Kind: "slow", Seconds: 5}}))
	done := make(chan bool)
	go func() { done <- h.poller.byItself(t.Context(), true) }()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for who := (ledger.Holder{}); who.Person != pollerName; <-tick.C { // until the round has the ledger
		who, _ = h.app.HeldBy(t.Context())
	}
	is(t, b.decide("/batches/"+id+"/submit", fields...), 202)
	if <-done {
		t.Error("the round was not ended")
	}
	h.jobs.wait()
	h.inState(id, ledger.BatchSubmitted)
}

// A dispute is closed on the page of its payout, by people who type what it is about;
// as what the bank still contradicts it is not.
func TestADisputeIsClosedByPeople(t *testing.T) {
	h, b, id := heldFor(t, "approve")
	fine(t, h.bank.SetOutcomes(map[string]string{"INV/1": "failed-then-success"}))
	otp, _ := h.otp(id)
	h.enters(id, otp)
	isDisputed := func() {
		t.Helper()
		same(t, "INV/1", need(h.app.Payout(t.Context(), app.Call{}, "INV/1"))(t).Attempts[0].State, ledger.PayoutDisputed)
	}
	h.rounds(9, 10*time.Second)
	isDisputed()
	row := ledger.PayoutContradicted.Row()
	is(t, b.get("/attention"), 200, row.Title, `<a href="/batches/`+id+`">Its locked payouts</a>`, `<a href="/payouts?ref=INV%2F1">INV/1</a>`)
	isNot(t, b.get("/attention"), "Failed or came back")
	is(t, b.get("/"), 200, `">Disputed</span>`)
	page, path := "/payouts?ref=INV%2F1", "/payouts/INV%2F1/resolve"
	is(t, b.get(page), 200, `action="`+path+`"`, "It was paid", "It was not paid")
	is(t, b.releases(page, path, id, "100", "as", "not-paid", "reason", "they say so", "bank_ticket", "mail"), 409, "as paid")
	is(t, b.releases(page, path, id, "99", "as", "paid", "reason", "they say so"), 422, "did not type the amount and the end")
	is(t, b.releases(page, path, id, "100", "as", "submitted", "reason", "they say so"), 422, "no release")
	isDisputed()
}

// Giving up asks the bank first. Where the bank refuses to answer nothing is abandoned,
// and that is said.
func TestWhatCouldNotBeGivenUpIsSaid(t *testing.T) {
	h := build(t, "INV/1")
	id := h.initiate()
	pays := h.adminWho("pay")
	path := "/batches/" + id + "/abandon"
	fields := append(pays.bound("/batches/"+id, path), "reason", "no OTP came")
	h.keys["PAYRUN_SECRET_KEY"] = "sk_OF_ANOTHER_BANK"
	n := len(h.events())
	is(t, pays.decide(path, fields...), 502, "keys for the bank are missing, or the bank refused them. Nothing more was done.", "payrun doctor")
	same(t, "it is on record", slices.Contains(h.kinds(n), ledger.EventNotDecided), true)
	h.inState(id, ledger.BatchHeld)
	delete(h.keys, "PAYRUN_SECRET_KEY")
	is(t, pays.decide("/batches/"+id+"/submit", append(pays.bound("/batches/"+id, path), "otp", "123456")...), 202)
	h.jobs.wait()
	is(t, pays.get("/batches/"+id), 200, "keys for the bank are missing", "payrun doctor")
}
