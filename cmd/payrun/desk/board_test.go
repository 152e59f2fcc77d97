package desk

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
	"payrun/submitter/sandbox"
)

// places tells how the board says that payouts stand, and how many. All of them together are all
// payouts of the ledger.
func (h *house) places() string {
	h.Helper()
	all := need(h.app.Overview(h.Context(), app.Call{}))(h)
	var words []string
	var sum, payouts ledger.Tally
	for _, p := range all.Parts {
		words = append(words, fmt.Sprintf("%s %d of %s", p.Words, p.Count, p.Total))
		sum = ledger.Tally{Count: sum.Count + p.Count, Total: sum.Total + p.Total}
	}
	err := h.app.Payouts(h.Context(), app.Call{}, ledger.Filter{}, func(at ledger.Attempt, _ ledger.Attention) error { payouts.Add(at.Amount); return nil })
	if err != nil || sum != payouts {
		h.Errorf("%v; the parts hold %+v, and the ledger %+v", err, sum, payouts)
	}
	return strings.Join(words, "; ")
}

// enters enters an OTP at a terminal. What comes of it is for the test to see.
func (h *house) enters(id, otp string) {
	h.Helper()
	_, token, _ := h.bank.OTP(id)
	entry := app.OTP{BatchID: id, OTP: ledger.NewSecret(otp), Token: ledger.NewSecret(token)}
	_, _ = h.app.Submit(h.Context(), app.Call{Actor: "asha"}, app.SubmitRequest{OTPs: func() ([]app.OTP, error) { return []app.OTP{entry}, nil }})
}

func (h *house) placed(what, want string) {
	h.Helper()
	same(h, what, h.places(), want)
}

// Each payout is in one part of the board, from the plan to its end, and the parts add up.
func TestThePlacesOfPayouts(t *testing.T) {
	h := build(t)
	row := func(ref, amount, account string) string {
		return ref + ",Asha," + fmt.Sprintf("12345678%04d", len(h.batches())) + ",HDFC0001234," + amount + "," + account
	}
	h.loadRows(row("A/1", "1.00", "pb3"), row("A/2", "20.00", "pb3"), row("A/3", "300.00", "pb3"), row("A/4", "4000.00", "pb3"))
	h.placed("loaded", "not sent 4 of 4321.00")
	id := h.initiate()
	h.placed("held", "waiting for OTP 4 of 4321.00")
	fine(t, h.bank.SetOutcomes(map[string]string{"A/1": "failed", "A/2": "returned", "A/3": "stuck"}))
	right, _ := h.otp(id)
	h.enters(id, right)
	h.rounds(7, time.Minute)
	h.placed("submitted", "paid 1 of 4000.00; failed 1 of 1.00; returned 1 of 20.00; at the bank 1 of 300.00")

	h.loadRows(row("B/1", "50000.00", "pb4"))
	id = h.initiate()
	right, _ = h.otp(id)
	for range h.set.OTP.Tries {
		h.enters(id, wrongOTP(right))
	}
	h.placed("without tries", "paid 1 of 4000.00; failed 1 of 1.00; returned 1 of 20.00; at the bank 1 of 300.00; waiting for OTP 1 of 50000.00")
	h.must(h.app.Abandon(t.Context(), app.Call{Actor: "uid:1001"}, app.AbandonRequest{Batches: []string{id}, Reason: "no OTP works"}))
	h.placed("given up", "paid 1 of 4000.00; failed 1 of 1.00; returned 1 of 20.00; at the bank 1 of 300.00; cancelled 1 of 50000.00")

	h.loadRows(row("C/1", "600000.00", "pb4"))
	id = h.initiate()
	fine(t, h.bank.SetFaults([]sandbox.Fault{{Op: "submit", Kind: "drop_before"}}))
	right, _ = h.otp(id)
	h.enters(id, right)
	h.placed("an answer is lost", "paid 1 of 4000.00; failed 1 of 1.00; returned 1 of 20.00; in doubt 1 of 600000.00; at the bank 1 of 300.00; cancelled 1 of 50000.00")
	_, _ = h.app.Retry(t.Context(), app.Call{Actor: "asha"}, app.RetryRequest{Of: h.batch().SheetID}) // what waits besides is no failure
	h.placed("planned again", "paid 1 of 4000.00; in doubt 1 of 600000.00; at the bank 1 of 300.00; not sent 2 of 21.00; cancelled 1 of 50000.00")
	p := h.adminWho("view").get("/")
	is(t, p, 200, `href="/payouts?state=planned"><b>not sent</b><strong><data value="21.00">₹21.00</data></strong><span>2 payouts`, `href="/underway"><b>in doubt</b>`,
		`at the bank</b><strong><data value="300.00">`, "cancelled</b>", `Together <data value="654321.00">₹6,54,321.00</data>, 6 payouts`)
}

// What a part of the board leads to is what it counts.
func TestThePlacesOfWhatIsRefused(t *testing.T) {
	h, _ := refusing(t)
	h.placed("refused", "cancelled 1 of 100.00")
	h.loadFor("pb8", "INV/2")
	h.must(h.app.Abandon(t.Context(), app.Call{Actor: "uid:1001"}, app.AbandonRequest{Batches: []string{h.batches()[1].ID}, Reason: "not needed"}))
	b := h.adminWho("view")
	is(t, b.get("/"), 200, `href="/payouts?state=cancelled"><b>cancelled</b><strong><data value="200.00">₹200.00</data></strong><span>2 payouts`)
	is(t, b.get("/payouts?state=cancelled"), 200, `data-payout="INV/1"`, `data-payout="INV/2"`)
}

// Whether the ledger is whole is on every board.
func TestTheBoardTellsWhetherTheLedgerIsWhole(t *testing.T) {
	h := build(t, "INV/1", "INV/2")
	b := h.adminWho("view")
	is(t, b.get("/"), 200, "Check ledger integrity", "payrun ledger verify")
	look := func() page {
		is(t, b.post("/verify", "form", b.form()), 303)
		h.jobs.wait()
		return b.get("/")
	}
	p := look()
	is(t, p, 200, fmt.Sprintf("<b>The ledger is whole</b>, up to event %d, as of ", len(h.events())), "Look again")
	isNot(t, p, `role="alert"`)

	db := need(sql.Open("sqlite", h.set.LedgerPath))(t)
	need(db.ExecContext(t.Context(), `DROP TRIGGER payouts_fixed; UPDATE payouts SET amount = amount + 1 WHERE id = 1`))(t)
	fine(t, db.Close())
	p = look()
	is(t, p, 200, "<b>The ledger check found", "Send nothing", `role="alert"`)
	isNot(t, p, "The ledger is whole</b>, up to")
	if len(h.warned) == 0 || !strings.Contains(h.warned[0], "not whole") {
		t.Errorf("whoever runs the desk is told %q", h.warned)
	}
	isNot(t, p, h.dir)

	// a look that tells nothing takes nothing back
	was, stop := h.jobs.ctx, context.CancelFunc(nil)
	h.at = h.at.Add(time.Minute)
	h.jobs.ctx, stop = context.WithCancel(was)
	stop()
	h.verified(app.Call{})
	h.jobs.ctx = was
	is(t, b.get("/"), 200, "<b>The ledger check found", "as of 3 Nov 2025, 15:00:00", "Send nothing", "could not be checked at 15:01:00")
}
