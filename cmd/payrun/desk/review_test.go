package desk

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/ledger"
)

// twoPeople has the ledger want two people, from now on. There are boss, who is
// admin; asha, who loads at a terminal and may approve; meera, who approves; ravi,
// who pays; and dev, who may do both.
func (h *house) twoPeople() *house {
	h.Helper()
	h.admin()
	h.invite("asha", "load", "approve")
	h.invite("meera", "approve")
	h.invite("ravi", "pay")
	h.invite("dev", "approve", "pay")
	need(h.app.SetPolicy(h.Context(), h.asked("boss"), ledger.PolicyChange{Key: ledger.PolicyTwoPerson, Value: "true", Reason: "as agreed"}))(h)
	return h
}

// as is the browser of someone who is there already.
func (h *house) as(name string) *browser {
	h.Helper()
	b := h.browser()
	is(h, b.post("/login", "name", name, "password", password), 303)
	return b
}

// must ends the test where an error is of the ledger, and not of what a batch waits for.
func (h *house) must(_ *app.Work, err error) {
	h.Helper()
	if e := app.Worst(err); e != nil && e.Code != app.NeedsPerson {
		h.Fatal(err)
	}
}

func (h *house) batches() []ledger.Batch {
	h.Helper()
	return need(h.app.Status(h.Context(), app.Call{}))(h).Batches
}

// approving is an approval of a batch as it is now.
func (h *house) approving(id string) app.ApproveRequest {
	h.Helper()
	now := need(h.app.Bound(h.Context(), app.Call{}, id))(h)
	return app.ApproveRequest{ReviewedBatches: app.ReviewedBatches{Batches: []ledger.Bound{now}}}
}

// events of one kind.
func (h *house) of(kind string) (list []ledger.Event) {
	for _, e := range h.events() {
		if e.Kind == kind {
			list = append(list, e)
		}
	}
	return list
}

// A planned retry is approved by another person than its planner, who may be the one who loaded the sheet.
func TestARetryIsForAnotherPersonThanItsPlanner(t *testing.T) {
	h := build(t, "INV/1")
	h.paid(h.initiate(), map[string]string{"INV/1": "failed"})
	h.twoPeople()
	lila := h.invite("lila", "load", "approve")
	need(h.app.Retry(h.Context(), h.asked("lila"), app.RetryRequest{Of: h.batch().SheetID}))(t)
	is(t, lila.get("/"), 200, "Nothing waits for you", "Ready to approve")
	is(t, h.comesIn("asha").get("/"), 200, "1 thing waits for you", "Review and approve")
}

// A sheet is withdrawn by the person who planned all of it: not when another one planned its payouts again.
func TestAnotherPersonsRetryIsNotWithdrawn(t *testing.T) {
	h := build(t, "INV/1").twoPeople()
	sheet := h.batch().SheetID
	is(t, h.comesIn("asha").get("/sheets/"+sheet), 200, "Withdraw this sheet")
	h.must(h.app.Abandon(h.Context(), h.asked("ravi"), app.AbandonRequest{Batches: []string{h.batch().ID}, Reason: "the wrong day"}))
	h.invite("lila", "load")
	need(h.app.Retry(h.Context(), h.asked("lila"), app.RetryRequest{Of: sheet}))(t)
	isNot(t, h.comesIn("asha").get("/sheets/"+sheet), "Withdraw this sheet")
}

// What fraud changes is shown before anything is decided, and only the form that
// this person may send now.
func TestTheReviewSaysWhatIsDecided(t *testing.T) {
	h := build(t).loadRows("INV/1,<b>Asha</b> & Sons,123456789012,HDFC0001234,100.00,pb3", "INV/2,Ravi Traders,223456789012,HDFC0001234,1020.50,pb3").twoPeople()
	approver, payer, looker := h.as("meera"), h.as("ravi"), h.as("boss")
	b := h.batches()[0]
	for _, page := range []string{"/batches/" + b.ID, "/sheets/" + b.SheetID} {
		p := approver.get(page)
		is(t, p, 200, "₹1,120.50", "Rupees one thousand one hundred twenty and paise fifty only", "2 payouts from pb3", "in 1 batch, so one OTP", "not asked yet",
			"2 first-time payees", "The largest", "&lt;b&gt;Asha&lt;/b&gt;", "XXXXXXXX9012", "Planned by", `action="`+page+`/approve"`, `name="total"`, "payrun approve "+b.ID)
		isNot(t, p, page+"/initiate", "123456789012")
		is(t, payer.get(page), 200, "Someone other than its planner has to approve it first.")
		isNot(t, payer.get(page), page+"/initiate", page+"/approve")
		isNot(t, looker.get(page), "Before it is", page+"/initiate", page+"/approve")
	}
	row := ledger.ToBeApproved.Row()
	is(t, looker.get("/"), 200, `data-attention="approval_waiting"`, "Ready to approve")
	is(t, looker.get("/batches/"+b.ID), 200, row.Title, "payrun approve")
	n := len(h.events())
	leads(t, payer.post("/balances", "form", payer.form()), 303, "/")
	h.at = h.at.Add(90 * time.Second)
	is(t, payer.get("/batches/"+b.ID), 200, "Balance, 1m30s ago", "In flight", "Left afterwards")
	h.recorded(n)
}

// Where no one has to approve, a person who may not pay reads who may.
func TestTheReviewNamesWhoIsNext(t *testing.T) {
	h, _ := withAdmin(t, "INV/1")
	approver := h.invite("lata", "approve")
	b := h.batches()[0]
	for _, page := range []string{"/batches/" + b.ID, "/sheets/" + b.SheetID} {
		p := approver.get(page)
		is(t, p, 200, "No approval is needed. A person who may pay can initiate it.")
		isNot(t, p, page+"/initiate", page+"/approve", "no one yet")
	}
	is(t, approver.get("/sheets/"+b.SheetID), 200, `data-label="Approved by">not needed<`)
}

// What root loaded two others approve, each once: the pages say how many are missing, and who has done their part.
func TestTwoOthersApproveWhatRootLoaded(t *testing.T) {
	h := build(t).twoPeople()
	text := header + "\nINV/1,Asha,123456789012,HDFC0001234,100.00,pb3\nINV/2,Ravi,223456789012,HDFC0001234,50.00,pb4\n"
	need(h.app.Load(t.Context(), app.Call{Actor: ledger.UID(0)}, []string{h.file("nov.csv", text)}, app.SheetOptions{}))(t)
	meera, dev, payer := h.as("meera"), h.as("dev"), h.as("ravi")
	b := h.batches()[0]
	batch, sheet := "/batches/"+b.ID, "/sheets/"+b.SheetID
	const two, one = "Two people have to approve it, because its planner does not count as one of two people.", "One more person has to approve it, because its planner does not count as one of two people."
	for _, page := range []string{batch, sheet} {
		is(t, payer.get(page), 200, two)
		is(t, payer.decide(page+"/initiate", append(payer.boundTo(b), "plan", h.plan(b.SheetID))...), 409, two+" Nothing was sent.")
	}
	is(t, meera.get(sheet), 200, two, "gives the first of two approvals", sheet+"/approve", "no one yet")
	is(t, meera.decide(batch+"/approve", append(meera.bound(batch, batch+"/approve"), "total", "100")...), 303)
	is(t, meera.get(batch), 200, "You approved it already. "+one)
	isNot(t, meera.get(batch), batch+"/approve")
	is(t, meera.get("/"), 200, "Review and approve") // the other batch

	is(t, meera.decide(sheet+"/approve", append(meera.bound(sheet, sheet+"/approve"), "total", "150")...), 303)
	h.has(ledger.EventApproved, 2) // the first batch was approved already
	is(t, meera.get(sheet), 200, "You approved it already. "+one, "Send back…")
	isNot(t, meera.get(sheet), sheet+"/approve")
	is(t, meera.get("/"), 200, "Nothing waits for you")
	is(t, meera.decide(sheet+"/approve", "plan", h.plan(b.SheetID), "total", "150"), 303) // a form that is made up
	h.has(ledger.EventApproved, 2)

	is(t, dev.get("/"), 200, "Review and approve")
	is(t, dev.get(sheet), 200, one, "asha or dev gives the second of two approvals")
	is(t, dev.decide(sheet+"/approve", append(dev.bound(sheet, sheet+"/approve"), "total", "150")...), 303)
	h.has(ledger.EventApproved, 4)
	is(t, dev.get(sheet), 200, "Before it is sent")
}

// boundTo is what a form about a batch as it is now has.
func (b *browser) boundTo(of ledger.Batch) []string {
	b.Helper()
	now := need(b.app.Bound(b.Context(), app.Call{}, of.ID))(b)
	return []string{"payload_sha256", now.Payload, "state_sequence", string(now.Sequence)}
}

// A sheet is compared with the one before it of the same debit account, and payees who
// look like others are named, also where the other was paid long ago.
func TestTheReviewTellsWhatChangedSinceLastTime(t *testing.T) {
	h := build(t).loadRows("SEP/1,Kiran Shah,923456789012,HDFC0001234,5.00,pb3")
	h.loadRows("OCT/1,Asha Traders,123456789012,HDFC0001234,100.00,pb3", "OCT/2,Ravi Traders,223456789012,HDFC0001234,50.00,pb3", "OCT/3,Gone Traders,323456789012,HDFC0001234,7.00,pb3")
	h.loadRows("OOPS/1,Wrong Sheet,623456789012,HDFC0001234,1.00,pb3") // abandoned between the two looks
	wrong := h.batches()
	h.loadRows("NOV/9,Another Payee,523456789012,HDFC0001234,9.00,pb4")
	h.loadRows("NOV/1,Asha Traders,123456789012,HDFC0001234,80.00,pb3", "NOV/2,Ravi Traders,223456780099,HDFC0001234,50.00,pb3",
		"NOV/3,Asha Tráders,423456789012,HDFC0001234,12.00,pb3", "NOV/4,Farida Khan,923456789012,HDFC0001234,5.00,pb3")
	h.twoPeople()
	all := h.batches()
	b := all[len(all)-1]
	h.must(h.app.Abandon(h.Context(), app.Call{Actor: atTerminal}, app.AbandonRequest{Batches: []string{wrong[len(wrong)-1].ID}, Reason: "the wrong one"}))
	for _, page := range []string{"/batches/" + b.ID, "/sheets/" + b.SheetID} {
		p := h.as("meera").get(page)
		is(t, p.since("The largest"), 200, "nov.csv</a>, from pb3", "Was 3: 157.00\n", "Is 4: 147.00\n", "0 the same, 1 at another account",
			"New 2: +17.00\n", "No longer paid 1: −7.00\n", "Get less 1: −20.00\n")
		is(t, p, 200, "XXXXXXXX9012 → XXXXXXXX0099", "−₹20.00", "that end in the same digits: XXXXXXXX9012",
			"Payees who look alike", "&#34;Asha Tráders&#34; looks like &#34;Asha Traders&#34; (NOV/1)", "the account XXXXXXXX9012 was last paid as &#34;Kiran Shah&#34; (SEP/1")
		isNot(t, p, "Get more")
	}
}

func TestAnApprovalIsOfWhatWasShown(t *testing.T) {
	h := build(t, "INV/1", "INV/2").twoPeople()
	b, other := h.as("meera"), h.as("dev")
	id := h.batches()[0].ID
	page, path := "/batches/"+id, "/batches/"+id+"/approve"
	fields := b.bound(page, path)
	theirs := other.bound(page, path)
	is(t, b.decide(path, fields...), 422, "Type the total", path)
	is(t, b.decide(path, append(fields, "total", "lots")...), 422, "Type the total")
	is(t, b.decide(path, append(fields, "total", "100.00")...), 422, "did not type the total of 1 batch: ₹200.00")
	is(t, b.decide(path, append([]string{"payload_sha256", strings.Repeat("0", 64)}, append(fields[2:], "total", "200")...)...), 409, "no longer what the page showed")
	is(t, b.decide(path, "total", "200.00"), 409, "no longer what the page showed")
	is(t, h.as("ravi").decide(path, append(fields, "total", "200.00")...), 403, "needs the role approve")
	h.has(ledger.EventApproved, 0)
	is(t, b.decide(path, append(fields, "total", "2,00.00")...), 422)
	leads(t, b.decide(path, append(fields, "total", "₹ 200")...), 303, page)
	is(t, other.decide(path, append(theirs, "total", "200")...), 409, "Since then: approved by meera")
	h.has(ledger.EventApproved, 1)
	eventSays(t, h.of(ledger.EventApproved)[0], " by meera\n", fields[1], "\nproof: at the desk, from 127.0.0.1, password")
	is(t, b.get("/sheets/"+h.batches()[0].SheetID), 200, "<b>meera</b> "+h.set.Moment(h.at))
	is(t, b.get(page), 200, "It is approved. Who may pay initiates it.")
	isNot(t, b.get(page), path)
	is(t, b.decide("/batches/nosuch/approve", "total", "1"), 404)
	is(t, b.decide("/sheets/nosuch/approve", "total", "1"), 404)
	h.bankHas(0)
}

// R2: the page has no form for who planned it, and a form that is made up decides
// nothing.
func TestNobodyApprovesWhatTheyLoaded(t *testing.T) {
	h := build(t, "INV/1").twoPeople()
	b := h.batches()[0]
	fields, plan := h.as("meera").bound("/batches/"+b.ID, "/batches/"+b.ID+"/approve"), h.plan(b.SheetID)
	own := h.as("asha")
	for _, page := range []string{"/batches/" + b.ID, "/sheets/" + b.SheetID} {
		is(t, own.get(page), 200, "You planned it, so another person has to approve it.")
		isNot(t, own.get(page), page+"/approve")
		is(t, own.decide(page+"/approve", append(fields, "plan", plan, "total", "100")...), 403, "Another person has to approve it")
		is(t, own.decide(page+"/approve", append(fields, "plan", plan, "total", "1")...), 403, "Another person has to approve it")
	}
	h.has(ledger.EventApproved, 0)
	h.has(ledger.EventNotDecided, 4)
}

// plan is what the page of a sheet would have in its forms.
func (h *house) plan(sheetID string) string {
	h.Helper()
	return need(h.app.Planned(h.Context(), app.Call{}, ledger.Filter{SheetID: sheetID}))(h).Plan
}

// What happens between the page and the form: nothing is done, and the bank sees
// nothing of it.
func TestWhatWasOvertakenIsNotDone(t *testing.T) {
	for name, between := range map[string]func(h *house, b ledger.Batch){
		"abandoned": func(h *house, b ledger.Batch) {
			h.must(h.app.Abandon(h.Context(), app.Call{Actor: atTerminal}, app.AbandonRequest{Batches: []string{b.ID}, Reason: "by mistake"}))
		},
		"approved by another": func(h *house, b ledger.Batch) {
			h.must(h.app.Approve(h.Context(), h.asked("dev"), h.approving(b.ID)))
		},
		"initiated at a terminal": func(h *house, b ledger.Batch) {
			h.must(h.app.Initiate(h.Context(), h.asked("ravi"), app.InitiateRequest{Batches: []string{b.ID}}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := build(t, "INV/1").twoPeople()
			b := h.batches()[0]
			h.must(h.app.Approve(t.Context(), h.asked("meera"), h.approving(b.ID)))
			payer := h.as("dev")
			one, whole := payer.bound("/batches/"+b.ID, "/batches/"+b.ID+"/initiate"), payer.bound("/sheets/"+b.SheetID, "/sheets/"+b.SheetID+"/initiate")
			between(h, b)
			before := len(h.bank.State().Batches)
			for _, decision := range []string{"/initiate", "/approve"} {
				is(t, payer.decide("/batches/"+b.ID+decision, append(one, "total", "100")...), 409, "no longer what the page showed")
				is(t, payer.decide("/sheets/"+b.SheetID+decision, append(whole, "total", "100")...), 409, "no longer what the page showed")
			}
			h.jobs.wait()
			h.bankHas(before)
		})
	}
}

// It is asked once more when the ledger is held: what changed while the task waited
// sends nothing either.
func TestWhatIsOvertakenWhileItWaitsIsNotSent(t *testing.T) {
	h := build(t, "INV/1")
	b := h.batches()[0]
	look := need(h.app.Planned(t.Context(), app.Call{}, ledger.Filter{BatchID: b.ID}))(t)
	shown := map[string]app.ReviewedBatches{"a batch": {Batches: []ledger.Bound{look.Each[0].Bound}}, "a sheet": {Sheet: b.SheetID, Plan: look.Plan}}
	for _, to := range shown {
		fine(t, h.app.Holds(t.Context(), app.Call{}, to))
	}
	h.twoPeople()
	h.must(h.app.Approve(t.Context(), h.asked("dev"), h.approving(b.ID)))
	for name, to := range shown {
		if _, err := h.app.Initiate(t.Context(), h.asked("dev"), app.InitiateRequest{ReviewedBatches: &to}); !errors.Is(err, ledger.ErrStale) {
			t.Errorf("%s: %v", name, err)
		}
	}
	h.bankHas(0)
}

// A sheet is decided whole: what was shown of all its planned batches, or nothing.
func TestASheetIsDecidedWhole(t *testing.T) {
	h := build(t).loadRows("INV/1,Asha,123456789012,HDFC0001234,100.00,pb3", "INV/2,Ravi,223456789012,HDFC0001234,50.00,pb4").twoPeople()
	approver, payer := h.as("meera"), h.as("ravi")
	all := h.batches()
	page := "/sheets/" + all[0].SheetID
	plan := approver.bound(page, page+"/approve")
	h.loadRows("INV/3,Mina,323456789012,HDFC0001234,150.00,pb3")
	third := h.batches()[2]
	is(t, approver.decide("/sheets/"+third.SheetID+"/approve", append(plan, "total", "150")...), 409, "no longer what the page showed")
	is(t, approver.decide(page+"/approve", append(plan, "total", "100")...), 422, "did not type the total of 2 batches: ₹150.00")
	is(t, approver.decide(page+"/approve", append(plan, "total", "150")...), 303)
	h.has(ledger.EventApproved, 2)
	old := payer.bound(page, page+"/initiate")
	h.must(h.app.Abandon(t.Context(), app.Call{Actor: atTerminal}, app.AbandonRequest{Batches: []string{all[1].ID}, Reason: "by mistake"}))
	is(t, payer.decide(page+"/initiate", old...), 409, "no longer what the page showed")
	h.jobs.wait()
	h.bankHas(0)
	p := payer.decide(page+"/initiate", payer.bound(page, page+"/initiate")...)
	leads(t, p, 202, page)
	same(t, "Refresh", p.Header.Get("Refresh"), "1; url="+page)
	h.jobs.wait()
	is(t, payer.get(page), 200, "Held for OTP", `data-state="held"`, `data-state="abandoned"`)
	h.bankHas(1)
	h.inState(third.ID, ledger.BatchPlanned)
	for _, e := range h.of(string(ledger.InitiateIntended)) {
		eventSays(t, e, " by ravi\n", "\nproof: at the desk, from 127.0.0.1, password")
	}
}

// One batch of a sheet that waits for an approval keeps all of it.
func TestNothingOfASheetGoesWithoutAllOfIt(t *testing.T) {
	h := build(t).loadRows("INV/1,Asha,123456789012,HDFC0001234,100.00,pb3", "INV/2,Ravi,223456789012,HDFC0001234,50.00,pb4").twoPeople()
	payer := h.as("ravi")
	b := h.batches()[0]
	h.must(h.app.Approve(t.Context(), h.asked("dev"), h.approving(b.ID)))
	is(t, payer.decide("/sheets/"+b.SheetID+"/initiate", "plan", h.plan(b.SheetID)), 409, "has to approve it first")
	look := need(h.app.Planned(t.Context(), app.Call{}, ledger.Filter{SheetID: b.SheetID}))(t)
	both := app.ReviewedBatches{Batches: []ledger.Bound{look.Each[0].Bound, look.Each[1].Bound}}
	if _, err := h.app.Initiate(t.Context(), h.asked("dev"), app.InitiateRequest{ReviewedBatches: &both}); app.Worst(err).Attention != ledger.ToBeApproved {
		t.Errorf("when the ledger is held: %v", err)
	}
	h.bankHas(0)
}

// fifty sends a form fifty times at once, each as one of its own: one is answered so, and the
// others read that they are overtaken. No one's patience with the ledger ends meanwhile,
// however slow the machine.
func (b *browser) fifty(done int, path string, fields []string, overtaken ...string) {
	b.Helper()
	b.patience = time.Hour
	var all sync.WaitGroup
	var taken atomic.Int64
	for range 50 {
		one := *b
		all.Go(func() {
			p := one.decide(path, fields...)
			if p.StatusCode == done {
				taken.Add(1)
				return
			}
			is(b, p, 409, overtaken...)
		})
	}
	all.Wait()
	b.jobs.wait()
	same(b, path+", taken", taken.Load(), 1)
}

// M2: of fifty forms of one page one is done.
func TestOneOfManyDecisionsIsTaken(t *testing.T) {
	h := build(t, "INV/1").twoPeople()
	b := h.as("dev")
	id := h.batches()[0].ID
	path := "/batches/" + id + "/approve"
	b.fifty(303, path, append(b.bound("/batches/"+id, path), "total", "100"), "Since then: approved by dev")
	h.has(ledger.EventApproved, 1)
	path = "/batches/" + id + "/initiate"
	b.fifty(202, path, b.bound("/batches/"+id, path))
	h.bankHas(1)
	h.has(string(ledger.InitiateIntended), 1)
	h.inState(id, ledger.BatchHeld)
}

// Another desk over the same ledger takes no form of this one, and what was done at
// one overtakes the page of the other.
func TestTwoDesksOverOneLedger(t *testing.T) {
	h := build(t, "INV/1").twoPeople()
	here := h.as("meera")
	other := *h
	other.serves(h.now, app.First{})
	there := other.browser()
	is(t, there.post("/login", "name", "meera", "password", password), 303)
	id := h.batches()[0].ID
	path := "/batches/" + id + "/approve"
	fields, stale := append(here.bound("/batches/"+id, path), "total", "100"), append(there.bound("/batches/"+id, path), "total", "100")
	is(t, there.post(path, append([]string{"form", here.session().form}, fields...)...), 403, "another login")
	is(t, here.decide(path, fields...), 303)
	is(t, there.decide(path, stale...), 409, "Since then: approved by meera")
	h.has(ledger.EventApproved, 1)
}

// What has to be typed is asked for in a field, and what the bank says comes back in
// words.
func TestWhatIsTypedBeforeItIsSent(t *testing.T) {
	h := build(t)
	h.loadRows("INV/1,Asha,123456789012,HDFC0001234,6000000000.00,pb3", "INV/2,Ravi,223456789012,HDFC0001234,6000000000.00,pb3") // more than the sandbox has
	need(h.app.SetPolicy(t.Context(), h.asked("boss"), ledger.PolicyChange{Key: ledger.PolicyConfirmAbove, Value: "100", Reason: "as agreed"}))(t)
	h.reopen(func(set *config.Settings) { set.BaseURL = strings.Replace(set.BaseURL, "127.0.0.1", "localhost", 1) })
	b := h.adminWho("pay")
	id := h.batches()[0].ID
	page, path := "/batches/"+id, "/batches/"+id+"/initiate"
	is(t, b.get(page), 200, `name="total"`, `name="environment"`, "from ₹100.00 on it is typed")
	isNot(t, b.get(page), "allow_short")
	fields := b.bound(page, path)
	is(t, b.decide(path, fields...), 422, "Type the total as it is shown next to the button")
	fields = append(fields, "total", "12000000000")
	is(t, b.decide(path, fields...), 422, "Type which environment")
	fields = append(fields, "environment", "sandbox")
	is(t, b.decide(path, fields...), 202)
	h.jobs.wait()
	is(t, b.get(page), 200, "are free in its debit account", "Short by", `name="allow_short"`, `name="environment"`) // the bank agreed to nothing yet
	h.bankHas(0)
	is(t, b.decide(path, append(b.bound(page, path), "total", "12000000000", "environment", "sandbox", "allow_short", "yes")...), 202)
	h.jobs.wait()
	h.bankHas(1)
}

// However many batches a sheet has: its page shows a part of them, says of how many
// the review is, and a decision is about all of them.
func TestALargeSheetIsDecidedWhole(t *testing.T) {
	h := build(t)
	h.loadText("nov.csv", manyRows(batchRows+5, func(i int) string {
		return fmt.Sprintf("INV-%03d,Asha Verma,%d,HDFC0001234,10.00,pb8\n", i, 501000000000+i)
	}), app.SheetOptions{})
	h.twoPeople()
	b := h.as("meera")
	sheet := "/sheets/" + h.batches()[0].SheetID
	p := b.get(sheet)
	is(t, p, 200, "205 payouts from pb8", "in 205 batches, so 205 OTPs", "205 first-time payees", "And 155 more.", `href="`+sheet+`?after=200">The next</a> of 205 batches`,
		"the command is payrun approve, with the ids of these batches")
	same(t, "batches shown", strings.Count(p.body, "data-batch="), batchRows)
	p = b.get(sheet + "?after=200")
	is(t, p, 200, `href="`+sheet+`">The first</a>`)
	isNot(t, p, ">The next</a>")
	same(t, "batches shown behind the first", strings.Count(p.body, "data-batch="), 5)
	is(t, b.decide(sheet+"/approve", append(b.bound(sheet, sheet+"/approve"), "total", "2,050.00")...), 303)
	h.has(ledger.EventApproved, batchRows+5)
	is(t, h.as("ravi").get(sheet+"?after=300"), 200, "Before it is sent", "The first")
}

// account is the only debit account as the board shows it.
func (b *browser) account() (said, paid, inFlight, left string) {
	b.Helper()
	p := b.get("/")
	of := func(label string) string {
		return p.part(b, `data-label="`+label+`"><data value="([^"]+)"`)
	}
	return of("Balance"), of("Paid since"), of("In flight"), of("Balance after all payouts")
}

// What is left goes down with what goes out: also once it was paid, until the bank has
// said again what the account holds.
func TestWhatIsLeftGoesDownWithWhatWasPaid(t *testing.T) {
	h := build(t, "INV/1", "INV/2")
	b := h.adminWho("pay")
	id := h.initiate()
	otp, _ := h.otp(id)
	is(t, b.get("/"), 200, `data-label="Balance after all payouts">–`)
	ask := func() {
		is(t, b.post("/balances", "form", b.form()), 303)
	}
	ask()
	said, paid, inFlight, left := b.account()
	if paid != "0.00" || inFlight != "200.00" {
		t.Errorf("held: paid since %s, in flight %s", paid, inFlight)
	}
	h.enters(id, otp)
	for h.state(id) != ledger.BatchSettled {
		h.rounds(1, 10*time.Second)
	}
	said2, paid, inFlight, left2 := b.account()
	if said2 != said || paid != "200.00" || inFlight != "0.00" || left2 != left {
		t.Errorf("settled: the bank said %s, then %s; paid since %s, in flight %s; left %s, then %s", said, said2, paid, inFlight, left, left2)
	}
	ask()
	if _, paid, _, _ := b.account(); paid != "0.00" {
		t.Errorf("asked again: paid since %s", paid)
	}
}

// What came back is in what the bank said, and what is paid after it is not: that the
// first is no success any more hides nothing of the second.
func TestWhatCameBackHidesNothingThatWasPaid(t *testing.T) {
	h := build(t, "INV/1")
	fine(t, h.bank.SetOutcomes(map[string]string{"INV/1": "returned"}))
	b := h.adminWho("pay")
	counts := func(state ledger.PayoutState) int {
		return need(h.app.Status(t.Context(), app.Call{}))(t).Payouts[state].Count
	}
	isPaid := func() {
		id := h.initiate()
		otp, _ := h.otp(id)
		h.enters(id, otp)
		for i := 0; counts(ledger.PayoutSuccess) == 0 && i < 20; i++ {
			h.rounds(1, time.Minute)
		}
	}
	isPaid()
	for range 3 { // the bank credits it again, and no one has asked it about that
		h.bank.Settle()
	}
	is(t, b.post("/balances", "form", b.form()), 303)
	said, _, _, left := b.account()
	h.polls(time.Minute)
	if _, paid, _, _ := b.account(); counts(ledger.PayoutReturned) != 1 || said != left || paid != "0.00" {
		t.Fatalf("%d came back; the bank said %s, left are %s; paid since %s", counts(ledger.PayoutReturned), said, left, paid)
	}
	h.load("INV/2")
	isPaid()
	said, paid, inFlight, left := b.account()
	gone := need(app.ParseAmount(said))(t) - need(app.ParseAmount(left))(t)
	if paid != "100.00" || inFlight != "0.00" || gone != 100_00 {
		t.Errorf("paid since %s, in flight %s, of %s are left %s", paid, inFlight, said, left)
	}
}

// The page of a sheet shows its state now, to each who looks: what others did shows
// at once, and what one person reads is not shown to another.
func TestThePageOfASheetIsOfNow(t *testing.T) {
	h := build(t).loadRows("INV/1,Asha,123456789012,HDFC0001234,100.00,pb3", "INV/2,Ravi,223456789012,HDFC0001234,50.00,pb4").twoPeople()
	first := h.batches()[0]
	page := "/sheets/" + first.SheetID
	own, other := h.as("asha"), h.as("meera")
	for range 2 {
		is(t, own.get(page), 200, "You planned it, so another person has to approve it.")
		is(t, other.get(page), 200, page+"/approve", "no one yet")
		left := h.as("dev") // which changes nothing of it
		is(t, left.post("/logout", "form", left.form()), 303)
	}
	plan := other.bound(page, page+"/approve")
	h.must(h.app.Abandon(t.Context(), app.Call{Actor: atTerminal}, app.AbandonRequest{Batches: []string{h.batches()[1].ID}, Reason: "by mistake"}))
	is(t, other.get(page), 200, `data-state="abandoned"`, "Approve 1 payout")
	is(t, other.decide(page+"/approve", append(plan, "total", "100")...), 409, "no longer what the page showed")
	is(t, other.decide(page+"/approve", append(other.bound(page, page+"/approve"), "total", "100")...), 303)
	is(t, other.get(page), 200, "It is approved. Who may pay initiates it.", "<b>meera</b> "+h.set.Moment(h.at))
	is(t, h.as("ravi").get(page), 200, page+"/initiate")
	is(t, other.get("/sheets/nosuch"), 404)
}

// A changed account is the first thing that the review says, and is no first-time payee;
// what is unusual is folded; a sheet is compared with the one that shares most payees, or
// with another that the reviewer picks.
func TestWhatCanCostMoneyComesFirst(t *testing.T) {
	h := build(t)
	salaries := make([]string, 12)
	for i := range salaries {
		salaries[i] = fmt.Sprintf("OCT/%d,Payee Number %d,12345678%04d,HDFC0001234,%d.00,pb3", i, i, 9000+i, 1000+i)
	}
	h.loadRows(salaries...)
	october := h.batches()[0].SheetID
	h.loadRows("ONE/1,Asha Traders,923456789012,HDFC0001234,5.00,pb3") // newer, and of no one else
	other := h.batches()[1].SheetID
	for i := range salaries {
		salaries[i] = strings.Replace(salaries[i], "OCT", "NOV", 1)
	}
	salaries[3] = strings.Replace(salaries[3], "123456789003", "777756785678", 1)
	h.loadRows(append(salaries, "NOV/98,Imran Nair,823456780500,HDFC0001234,7.00,pb3", "NOV/99,Imran Nair,823456780500,HDFC0001234,7.00,pb3")...)
	h.twoPeople()
	all := h.batches()
	sheet := "/sheets/" + all[len(all)-1].SheetID
	b := h.as("meera")
	p := b.get(sheet)
	is(t, p, 200, "1 changed account", `href="/sheets/`+october+`"`, "12 payees in common", "Same amount to the same account in the last 7 days, or not finished <small>11 payouts</small>", "in one batch <small>1 case</small>", `name="with"`)
	changed, rest, _ := strings.Cut(p.body, "first-time payee")
	_, changed, _ = strings.Cut(changed, "1 changed account")
	is(t, page{p.Response, changed}, 200, "XXXXXXXX9003 HDFC0001234", "XXXXXXXX5678", "1 payout to the old account, last on", "NOV/3", `data-label="Amount"><data value="1003.00">`)
	first, _, _ := strings.Cut(rest, "<h2>Unusual")
	isNot(t, page{p.Response, first}, "NOV/3<")
	if i, j := strings.Index(p.body, "1 changed account"), strings.Index(p.body, "<h2>Unusual"); i < 0 || j < i {
		t.Errorf("the changed account is at %d, what is unusual at %d", i, j)
	}
	bar := strings.Index(p.body, `class="bar"`)
	if bar < 0 || strings.Contains(p.body[bar:], "<h2") || strings.Contains(p.body[bar:], "<table") {
		t.Error("the bar with the decision is not the last of the page")
	}
	is(t, b.get(sheet+"?with="+other), 200, `Compared with <a href="/sheets/`+other+`"`, "0 payees in common", `value="`+other+`" selected`)
	is(t, b.get(sheet+"?with=nosuch"), 404)
	is(t, b.decide(sheet+"/approve", append(b.bound(sheet, sheet+"/approve"), "total", "1,23")...), 422, `role="alert"`, `value="1,23"`)
}
