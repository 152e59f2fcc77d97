package desk

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/ledger"
	"payrun/submitter/sandbox"
)

// held makes a desk over a ledger with a batch of one payout that waits for its OTP.
func held(t *testing.T) (h *house, id string) {
	t.Helper()
	h = build(t, "INV/1")
	return h, h.initiate()
}

// heldFor is held, and the browser of someone with these roles.
func heldFor(t *testing.T, may ...string) (h *house, b *browser, id string) {
	t.Helper()
	h, id = held(t)
	return h, h.adminWho(may...), id
}

// initiate has the first planned batch held, as someone at a terminal does.
func (h *house) initiate() (id string) {
	h.Helper()
	id = need(h.app.OTPs(h.Context(), app.Call{}))(h).Next[0].ID
	if _, err := h.app.Initiate(h.Context(), app.Call{Actor: "asha"}, app.InitiateRequest{Batches: []string{id}}); err == nil || h.state(id) != ledger.BatchHeld {
		h.Fatalf("initiate: %v, it is %s", err, h.state(id))
	}
	return id
}

func (h *house) state(id string) ledger.BatchState {
	h.Helper()
	return need(h.app.Batch(h.Context(), app.Call{}, id))(h).Batch.State
}

// otp is what the bank sent for a batch.
func (h *house) otp(id string) (otp, token string) {
	h.Helper()
	otp, token, ok := h.bank.OTP(id)
	if !ok {
		h.Fatalf("no OTP was sent for %s", id)
	}
	return otp, token
}

// boundTo are the names of the fields that say what was shown.
const boundTo = "payload_sha256|state_sequence|plan|from|shown"

// bound are the fields of a form on a page that say what was shown of a batch.
func (b *browser) bound(page, path string) (fields []string) {
	b.Helper()
	return fieldsOf(b, b.get(page).body, path, boundTo)
}

// fieldsOf are the fields with such names in the form of a page, each with its value behind it.
func fieldsOf(t testing.TB, body, path, names string) (fields []string) {
	t.Helper()
	_, form, found := strings.Cut(body, `action="`+path+`"`)
	if !found {
		t.Fatalf("there is no form of %s\n%s", path, body)
	}
	form, _, _ = strings.Cut(form, "</form>")
	for _, m := range regexp.MustCompile(`name="(`+names+`)" value="([^"]*)"`).FindAllStringSubmatch(form, -1) {
		fields = append(fields, m[1], m[2])
	}
	return fields
}

// submit enters an OTP on the page of OTPs, and waits until the bank has answered.
func (b *browser) submit(id, otp string, more ...string) page {
	b.Helper()
	path := "/batches/" + id + "/submit"
	p := b.decide(path, append(append(b.bound("/otp/"+id, path), "otp", otp), more...)...)
	b.jobs.wait()
	return p
}

// What the OTP is for is shown; it is entered once, and its result is shown at once
// where the next is asked for, and on the page of the batch.
func TestAnOTPIsEntered(t *testing.T) {
	h, b, id := heldFor(t, "pay")
	h.at = h.at.Add(2*time.Minute + 14*time.Second)
	is(t, b.get("/otp"), 200, `<data value="100.00">₹100.00</data>`, "1 payout from", "partner bank 3", "sent <b>2:14</b> ago", "●●●", "nov.csv",
		`inputmode="numeric" autocomplete="one-time-code"`, `stroke-dasharray="`)
	isNot(t, b.get("/otp"), "transaction_token", `name="total"`)
	otp, _ := h.otp(id)
	p := b.submit(id, " "+otp+" ")
	const back = "/otp?account=a0000000-0000-4000-8000-000000000003"
	is(t, p, 202, `<a href="`+back+`">`)
	leads(t, p, 202, "/batches/"+id)
	same(t, "Refresh", p.Header.Get("Refresh"), "1; url="+back)
	is(t, b.get("/otp"), 200, "<b>Submitted</b> "+h.set.TimeOfDay(h.at), "No batch waits for its OTP")
	is(t, b.get("/batches/"+id), 200, "<b>Submitted</b>", `data-state="submitted"`)
	h.bankSaw(id, 1, 0)
	eventSays(t, h.of(string(ledger.SubmitIntended))[0], " by ravi\n", "\nproof: at the desk, from 127.0.0.1, password")
	is(t, b.decide("/batches/nosuch/submit", "otp", "123456"), 404)
}

// A wrong OTP: how many tries are left, and the field again. A page from before is
// of no use any more.
func TestAWrongOTPIsRejected(t *testing.T) {
	h, b, id := heldFor(t, "pay")
	path := "/batches/" + id + "/submit"
	old := b.bound("/otp", path)
	right, _ := h.otp(id)
	b.submit(id, wrongOTP(right))
	is(t, b.get("/otp"), 200, "<b>Wrong OTP: 2 tries left</b>", "●●○", `name="otp"`)
	is(t, b.decide(path, append(old, "otp", right)...), 409, "no longer what the page showed")
	for range 2 {
		b.submit(id, wrongOTP(right))
	}
	is(t, b.get("/otp"), 200, "Wrong OTP: 0 tries left", "No tries left", "No batch waits for its OTP")
	isNot(t, b.get("/otp"), `name="otp"`)
	is(t, b.get("/attention"), 200, "No OTP tries left", `<a href="/batches/`+id+`#abandon">Cancel this batch</a>`)
	h.bankSaw(id, 0, 3)
}

// wrongOTP is not the one that it is given.
func wrongOTP(right string) string {
	if right == "000000" {
		return "111111"
	}
	return "000000"
}

// adminWho is the browser of a person with a role, where no one is there yet.
func (h *house) adminWho(may ...string) *browser {
	h.admin()
	return h.invite("ravi", may...)
}

// What is no OTP is not sent, and comes back in no page.
func TestWhatIsNoOTPIsNotSent(t *testing.T) {
	h, id := held(t)
	h.sendDigits()
	b := h.adminWho("pay")
	path := "/batches/" + id + "/submit"
	bound := b.bound("/otp", path)
	for _, typed := range []string{"", "123", "canary4711x", "123 456", "111222\n333444", "111222\r\n", "12345६", "1234-5", "canary12"} {
		p := b.decide(path, append(bound, "otp", typed)...)
		if typed == "111222\r\n" { // a line's end is a space around it
			is(t, p, 202)
			b.jobs.wait()
			bound = b.bound("/otp", path)
			continue
		}
		is(t, p, 422, "An OTP is 4 to 10 letters or digits", "nothing was sent", `name="otp"`)
		if len(typed) > 3 {
			isNot(t, p, typed)
		}
	}
	h.bankSaw(id, 0, 1)
}

// sendDigits has the banks of all accounts send OTPs of digits only.
func (h *house) sendDigits() {
	for i := range h.desk.set.Accounts {
		h.desk.set.Accounts[i].OTP = ledger.OTPsOfDigits
	}
}

// The last try is announced in words above the field, and what an account's bank never sends
// is not sent.
func TestTheLastTryIsAnnounced(t *testing.T) {
	h, b, id := heldFor(t, "pay")
	path := "/batches/" + id + "/submit"
	for range 2 {
		isNot(t, b.get("/otp"), "This is the last try.")
		is(t, b.decide(path, append(b.bound("/otp", path), "otp", "111222")...), 202)
		b.jobs.wait()
	}
	p := b.get("/otp")
	is(t, p, 200, "This is the last try.", "1 of 3 tries left")
	if strings.Index(p.body, "This is the last try.") > strings.Index(p.body, `name="otp"`) {
		t.Error("it is said behind the field")
	}
	h.sendDigits()
	is(t, b.decide(path, append(b.bound("/otp", path), "otp", "abcdef")...), 422, "digits only", "no try is used")
	h.bankSaw(id, 0, 2)
}

// Who may not pay sees what waits, and no field.
func TestOnlyWhoMayPayEntersAnOTP(t *testing.T) {
	h, b, id := heldFor(t, "approve")
	is(t, b.get("/otp"), 200, "A person who may pay enters it here")
	isNot(t, b.get("/otp"), `name="otp"`)
	is(t, b.decide("/batches/"+id+"/submit", "otp", "123456"), 403, "needs the role pay")
	h.bankSaw(id, 0, 0)
}

// M3: fifty at once, in as many forms, and the bank sees one.
func TestOneOfManySubmitsIsSent(t *testing.T) {
	h, b, id := heldFor(t, "pay")
	path := "/batches/" + id + "/submit"
	otp, _ := h.otp(id)
	b.fifty(202, path, append(b.bound("/otp", path), "otp", otp))
	h.bankSaw(id, 1, 0)
}

// A lost answer is a doubt: nothing is asked of anybody, and nothing is sent again.
func TestALostAnswerIsADoubt(t *testing.T) {
	h, b, id := heldFor(t, "pay")
	path := "/batches/" + id + "/submit"
	otp, _ := h.otp(id)
	fields := append(b.bound("/otp", path), "otp", otp)
	fine(t, h.bank.SetFaults([]sandbox.Fault{{Op: "submit", Kind: "drop_after"}}))
	b.submit(id, otp)
	is(t, b.get("/otp"), 200, "<b>In doubt</b>", "Do nothing: we ask the bank")
	is(t, b.get("/batches/"+id), 200, "<b>In doubt</b>", `data-state="submit_unknown"`)
	for _, page := range []string{"/otp", "/otp/" + id, "/batches/" + id} {
		isNot(t, b.get(page), `name="otp"`)
	}
	is(t, b.decide(path, fields...), 409)
	fine(t, h.bank.SetFaults(nil))
	h.poller.byItself(t.Context(), true)
	h.inState(id, ledger.BatchSubmitted)
	h.bankSaw(id, 1, 0)
}

// The token is asked for where the partner bank has one, and there only.
func TestPartnerBank1NeedsItsToken(t *testing.T) {
	h := build(t)
	h.loadFor("pb1", "INV/1")
	id := h.initiate()
	b := h.adminWho("pay")
	is(t, b.get("/otp"), 200, `name="transaction_token"`, `autocomplete="off"`)
	otp, token := h.otp(id)
	is(t, b.submit(id, otp), 422, "A transaction token is 1 to 200 characters")
	is(t, b.submit(id, otp, "transaction_token", "to ken"), 422)
	is(t, b.submit(id, otp, "transaction_token", token), 202)
	is(t, b.get("/otp"), 200, "<b>Submitted</b>")
}

// From policy.confirm_above on the total is typed with each OTP.
func TestTheTotalIsTypedAboveTheLimit(t *testing.T) {
	h, id := held(t)
	need(h.app.SetPolicy(t.Context(), h.asked("boss"), ledger.PolicyChange{Key: ledger.PolicyConfirmAbove, Value: "100", Reason: "as agreed"}))(t)
	b := h.adminWho("pay")
	is(t, b.get("/otp"), 200, `name="total"`, "from ₹100.00 on it is typed")
	otp, _ := h.otp(id)
	is(t, b.submit(id, otp), 422, "did not type the total")
	is(t, b.submit(id, otp, "total", "10"), 422, "did not type the total")
	is(t, b.submit(id, otp, "total", "100.00"), 202)
	is(t, b.get("/otp"), 200, "<b>Submitted</b>")
}

// Several that wait: one at a time, the oldest first, skipped by a link.
func TestOneBatchAtATimeIsAskedFor(t *testing.T) {
	h, first := held(t)
	h.loadFor("pb4", "INV/2")
	h.at = h.at.Add(time.Minute)
	second := h.initiate()
	h.load("INV/3")
	b := h.adminWho("pay")
	const other = "/otp?account=a0000000-0000-4000-8000-000000000004"
	is(t, b.get("/otp"), 200, `action="/batches/`+first+`/submit"`, `aria-current="true">pb3 <b>1</b></a>`, `<a href="`+other+`">pb4 <b>1</b></a>`, `<a href="`+other+`" data-key="s">`)
	isNot(t, b.get("/otp"), `action="/batches/`+second+`/submit"`, second)
	is(t, b.get(other), 200, `action="/batches/`+second+`/submit"`, `aria-current="true">pb4 <b>1</b></a>`, `<a href="/otp?account=a0000000-0000-4000-8000-000000000003" data-key="s">`)
	is(t, b.get("/otp?account=nosuch"), 200, `action="/batches/`+first+`/submit"`)
	is(t, b.get("/otp/"+second), 200, `action="/batches/`+second+`/submit"`)
	is(t, b.get("/otp/nosuch"), 404)
	isNot(t, b.get("/otp"), "Next OTPs to request") // one of each debit account is held already
	otp, _ := h.otp(first)
	b.submit(first, otp)
	p := b.get("/otp") // it goes on with the account whose OTP was entered
	is(t, p, 200, "No batch of pb3 waits for its OTP", "Next OTPs to request", "Send next OTP", `<a href="`+other+`">pb4 <b>1</b></a>`)
	isNot(t, p, `action="/batches/`+second+`/submit"`)
	letGo := h.inProgress("ravi", first, "a0000000-0000-4000-8000-000000000003")
	isNot(t, b.get("/otp"), "Send next OTP") // no form meanwhile
	letGo()
	next := p.part(t, `/batches/([a-z0-9]+)/initiate`)
	path := "/batches/" + next + "/initiate"
	p = b.decide(path, b.bound("/otp", path)...)
	b.jobs.wait()
	is(t, p, 202)
	same(t, "Refresh", p.Header.Get("Refresh"), "1; url=/otp?account=a0000000-0000-4000-8000-000000000003")
	is(t, b.get("/otp"), 200, "<b>Held for OTP</b>", `action="/batches/`+next+`/submit"`)
}

// heldAtTwo makes a desk over a ledger with two batches of one debit account and a third of
// another that wait for their OTPs.
func heldAtTwo(t *testing.T) (h *house, first, second, third string) {
	t.Helper()
	h, first = held(t)
	h.reopen(func(set *config.Settings) { set.OTP.HeldAtOnce = 2 })
	h.load("INV/2")
	second = h.initiate()
	h.loadFor("pb4", "INV/3")
	return h, first, second, h.initiate()
}

// Of a debit account with several batches held, one comes after the other, and then
// the next account's; while an OTP of one account is in progress, another's may be entered.
func TestEachDebitAccountHasItsQueue(t *testing.T) {
	h, first, second, third := heldAtTwo(t)
	b := h.adminWho("pay")
	is(t, b.get("/otp"), 200, `pb3 <b>2</b>`, `action="/batches/`+first+`/submit"`, `<a href="/otp?after=`+first+`" data-key="s">`, `href="/otp/`+second+`"`)
	is(t, b.get("/otp?after="+first), 200, `action="/batches/`+second+`/submit"`, `<a href="/otp?account=a0000000-0000-4000-8000-000000000004" data-key="s">`)
	is(t, b.get("/otp?after="+third), 200, `action="/batches/`+third+`/submit"`)
	isNot(t, b.get("/otp/"+third), first, second)
	letGo := h.inProgress("ravi", first, "a0000000-0000-4000-8000-000000000003")
	p := b.get("/otp")
	is(t, p, 200, "in progress", `pb4 <b>1</b>`)
	isNot(t, p, "/submit")
	p = b.get("/otp?account=a0000000-0000-4000-8000-000000000004")
	is(t, p, 200, `action="/batches/`+third+`/submit"`)
	isNot(t, p, "in progress")
	letGo()
	is(t, b.get("/otp"), 200, `action="/batches/`+first+`/submit"`)
}

// Two windows, of two debit accounts: each reads the outcome of its own entry, and has
// the field of its own next batch and of no other account's.
func TestEachDebitAccountIsToldItsResults(t *testing.T) {
	h, first, _, third := heldAtTwo(t)
	b := h.adminWho("pay")
	const pb3, pb4 = "/otp?account=a0000000-0000-4000-8000-000000000003", "/otp?account=a0000000-0000-4000-8000-000000000004"
	otp, _ := h.otp(first)
	one := b.submit(first, wrongOTP(otp))
	otp, _ = h.otp(third)
	other := b.submit(third, otp)
	same(t, "the first leads to", one.Header.Get("Refresh"), "1; url="+pb3)
	same(t, "the second leads to", other.Header.Get("Refresh"), "1; url="+pb4)
	p := b.get(pb3)
	is(t, p, 200, `data-batch="`+first+`" data-outcome="rejected"`, "<b>Wrong OTP: 2 tries left</b>", `action="/batches/`+first+`/submit"`)
	isNot(t, p, third)
	for _, page := range []string{pb4, "/otp"} { // without an account: that of the last entry
		p = b.get(page)
		is(t, p, 200, `data-batch="`+third+`" data-outcome="submitted"`, "No batch of pb4 waits for its OTP", `aria-current="true">pb4 <b>0</b></a>`, `<a href="`+pb3+`" data-key="s">`)
		isNot(t, p, `name="otp"`, first)
	}
	h.at = h.at.Add(recently)
	is(t, b.get("/otp"), 200, `action="/batches/`+first+`/submit"`) // nothing is news any more: where something waits
}

// "Not sent, try again" is no news of a batch that someone else has sent since.
func TestWhatWasNotSentIsQuietOnceTheBatchMovedOn(t *testing.T) {
	h, b, id := heldFor(t, "pay")
	otp, _ := h.otp(id)
	fields := append(b.bound("/otp", "/batches/"+id+"/submit"), "otp", otp)
	h.patience = time.Millisecond
	letGo := h.cronHolds()
	is(t, b.decide("/batches/"+id+"/submit", fields...), 202)
	h.jobs.wait()
	letGo()
	pages := []string{"/otp", "/otp?account=a0000000-0000-4000-8000-000000000003", "/batches/" + id}
	for _, page := range pages {
		is(t, b.get(page), 200, `role="alert"><p><b>Not sent: the ledger is busy`, "Try again")
	}
	h.at = h.at.Add(time.Minute)
	h.enters(id, otp)
	h.inState(id, ledger.BatchSubmitted)
	for _, page := range pages {
		p := b.get(page)
		is(t, p, 200, "Not sent: the ledger is busy", "It has moved on since.")
		isNot(t, p, `role="alert"`, "Try again")
	}
}

// Where someone else sent it while it waited, who and when is said, and that nothing is left to do;
// where something else happened to it, that is news.
func TestWhatSomebodyElseSentIsSaid(t *testing.T) {
	h, b, id := heldFor(t, "pay")
	var fields []string // of the form as it was shown
	enters := func(otp, ours string, at time.Duration) {
		t.Helper()
		h.entersAfter(id, otp, func() {
			fields = append(b.bound("/otp/"+id, "/batches/"+id+"/submit"), "otp", ours)
			is(t, b.decide("/batches/"+id+"/submit", fields...), 202)
			h.passes(at)
		})
		h.jobs.wait()
	}
	otp, _ := h.otp(id)
	enters(wrongOTP(otp), otp, 0)
	for _, page := range []string{"/otp", "/batches/" + id} {
		is(t, b.get(page), 200, `role="alert"><p><b>Not sent: this is no longer what the page showed. Nothing was done.</b>`, "Since then: submit rejected by asha", "decide again")
	}
	enters(otp, otp, time.Minute)
	for _, page := range []string{"/otp", "/batches/" + id, "/sheets/" + h.batch().SheetID} {
		p := b.get(page)
		is(t, p, 200, "Nothing was sent: asha sent it at 15:01:00.", "nothing more to do")
		isNot(t, p, "Not sent", "decide again", "Number <code>")
	}
	is(t, b.decide("/batches/"+id+"/submit", fields...), 409, "Nothing was sent: asha sent it at 15:01:00.", "nothing more to do")
	h.bankSaw(id, 1, 1)
	h.warnedOf(0)
}

// The ring and the words of the time.
func TestTheTimeSinceTheOTPWasSent(t *testing.T) {
	a := otpAsked{Asked: app.Asked{Held: 2*time.Minute + 14*time.Second, Window: 10 * time.Minute, Tries: 3, Try: 2}}
	same(t, "in its window", fmt.Sprintln(a.Left(), a.Ago(), a.Dots(), a.TriesLeft()), "78 2:14 ●●○ 2\n")
	a.Held = 25*time.Hour + time.Second
	same(t, "after it", fmt.Sprintln(a.Left(), a.Ago()), "0 25:00:01\n")
	a.Held, a.Window = -time.Minute, 0 // the clock was set back
	same(t, "before it", fmt.Sprintln(a.Left(), a.Ago()), "-1 0:00\n")
}

// O3: what the desk uses at the bank is asked for by no form, and is on no page.
func TestTheKeysOfTheBankAreNowhere(t *testing.T) {
	h, b, id := heldFor(t, "pay", "load", "approve")
	keys := h.bank.Ready()
	for _, path := range append(h.paths(), "/otp", "/otp/"+id, "/proof") {
		p := b.get(path)
		isNot(t, p, keys.AccessKey, keys.SecretKey)
		for _, field := range []string{"access_key", "secret_key", "base_url", "id_url"} {
			isNot(t, p, `name="`+field+`"`)
		}
	}
}

// Who was overtaken reads that it was sent, also where the bank has settled it since.
func TestWhatSomebodyElseSentIsSaidOnceItIsSettled(t *testing.T) {
	h, b, id := heldFor(t, "pay")
	otp, _ := h.otp(id)
	fields := append(b.bound("/otp/"+id, "/batches/"+id+"/submit"), "otp", otp)
	h.at = h.at.Add(time.Minute)
	h.enters(id, otp)
	for range 8 {
		h.bank.Settle()
		_, _ = h.app.Poll(t.Context(), app.Call{Actor: "cron"}, app.PollRequest{})
	}
	h.inState(id, ledger.BatchSettled)
	h.at = h.at.Add(time.Minute)
	p := b.decide("/batches/"+id+"/submit", fields...)
	is(t, p, 409, "it was sent meanwhile, and all its payouts are final", "nothing more to do")
	isNot(t, p, "decide again")
}

// The page says that a lock kept a batch from being submitted, and why.
func TestALockThatStoppedASubmitIsShownWithTheOTP(t *testing.T) {
	h, b, first := heldFor(t, "pay")
	h.paid(first, map[string]string{"INV/1": "failed"})
	need(h.app.Retry(h.Context(), app.Call{Actor: "asha"}, app.RetryRequest{Of: first}))(h)
	id := h.initiate()
	isNot(t, b.get("/otp"), "not submitted")
	h.importCSV(`03/11/2025,"CASH",R1,100.00,,900.00`)
	otp, _ := h.otp(id)
	b.submit(id, otp)
	h.inState(id, ledger.BatchHeld)
	is(t, b.get("/otp/"+id), 200, "not submitted: INV/1", "payrun checks that again before it submits", `inputmode="numeric"`)
}
