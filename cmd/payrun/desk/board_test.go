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
)

// enters enters an OTP at a terminal. What comes of it is for the test to see.
func (h *house) enters(id, otp string) { h.entersAfter(id, otp, func() {}) }

// entersAfter is enters, with something that is done while it has the ledger and before it sends.
func (h *house) entersAfter(id, otp string, do func()) {
	h.Helper()
	_, token, _ := h.bank.OTP(id)
	entry := app.OTP{BatchID: id, OTP: ledger.NewSecret(otp), Token: ledger.NewSecret(token)}
	_, _ = h.app.Submit(h.Context(), app.Call{Actor: "asha"}, app.SubmitRequest{OTPs: func() ([]app.OTP, error) {
		do()
		return []app.OTP{entry}, nil
	}})
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
		t.Errorf("the person who runs the desk reads %q", h.warned)
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
