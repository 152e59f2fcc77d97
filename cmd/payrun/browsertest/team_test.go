//go:build unix

package browsertest

import (
	"os"
	"syscall"
	"testing"
)

// TestAPaydayOfFivePeople pays a sheet by a maker, an approver, a payer, a viewer and an admin,
// from the first link to the report: it is sent back and corrected, the desk is killed while its
// OTP waits, an OTP is wrong, one payout fails, one comes back, and both are corrected.
func TestAPaydayOfFivePeople(t *testing.T) {
	h := open(t, quick+twoPeople)
	h.meera = h.admin()
	ravi, asha := h.meera.invites("ravi", "load"), h.meera.invites("asha", "approve")
	dev, eye := h.meera.invites("dev", "pay"), h.meera.invites("eye", "view")
	idle := func(people ...*person) {
		t.Helper()
		for _, p := range people {
			p.open("/")
			p.sees("Nothing waits for you")
		}
	}

	// it is loaded, and its page says who is next
	ravi.open("/sheets")
	ravi.needs(9, "sign in")
	ravi.enter("Upload a sheet")
	ravi.brings(h.sheet("salaries-november.csv", "SAL-NOV", 6))
	ravi.look("waiting-right")
	ravi.enter("Load 6 payouts")
	ravi.needs(3, "load a sheet")
	ravi.sees("Loaded by ravi", "no one yet", "Ready to approve. Next: asha approves it.")
	ravi.doesNotSee("Approve 1 batch", "Initiate 1 batch")
	sheet := ask[string](ravi, "location.pathname")
	idle(ravi, dev, eye)

	// the approver says no, and the maker reads why
	asha.open("/")
	asha.sees("1 thing waits for you", "salaries-november.csv", "₹1,19,253.00")
	asha.look("board-approver")
	asha.enter("Review and approve")
	asha.unfolds("Send back…")
	asha.look("sheet-send-back")
	asha.fills("Why do you send it back?", "Deepa left in October")
	asha.enter("Send back to ravi")
	asha.sees("Sent back", "Next: ravi corrects it", "Deepa left in October")
	idle(asha, dev, eye)
	ravi.open("/")
	ravi.sees("1 thing waits for you", "Sent back")
	ravi.enter("See why")
	ravi.sees("asha: Deepa left in October")
	ravi.look("sheet-sent-back")
	ravi.fills("Add a comment", "She is paid to the end of the month")
	ravi.enter("Comment")
	ravi.sees("She is paid to the end of the month")
	ravi.unfolds("Withdraw…")
	ravi.enter("Withdraw this sheet")
	ravi.sees("6 cancelled")

	// what is withdrawn is corrected in the sheet that payrun gives back, which it recognises
	ravi.downloads(func() { ravi.tabTo("Download 6 payouts to correct"); ravi.press("\r") }, "*.xlsx")
	ravi.brings(h.corrects("*.xlsx", "21000.50", "10500.50"))
	ravi.sees("What it corrects")
	h.remove("*.xlsx")
	ravi.enter("Load 6 payouts")
	ravi.sees("It corrects payouts of salaries-november.csv")
	ravi.doesNotSee("0 batches")
	ravi.look("sheet-corrects")
	ravi.enter("salaries-november.csv")
	ravi.sees("Corrected by", "Ready to approve. Next: asha approves it.")

	// another total approves nothing
	asha.needs(9, "send a sheet back")
	asha.open("/")
	asha.enter("Review and approve")
	asha.sees("Before it is approved", "₹1,08,753.00")
	asha.look("sheet-to-approve")
	asha.types("Type the total to confirm", "108752.00")
	asha.sees("did not type the total")
	asha.look("sheet-other-total")
	asha.clicks = 0
	asha.approves("108753.00")
	asha.needs(3, "approve a sheet")
	idle(asha, ravi, eye)
	dev.open("/")
	dev.sees("1 thing waits for you", "Ready to send")
	dev.look("board-payer")
	dev.needs(9, "sign in")
	dev.enter("Review and send")
	dev.sees("Before it is sent")
	dev.look("sheet-to-initiate")
	dev.enter("Refresh balances")
	dev.until(`!document.body.innerText.includes("not asked yet")`, "shows balances")
	dev.clicks-- // no one has to
	dev.enter("Initiate 1 batch")
	dev.sees("Held for OTP")
	dev.isDone()
	dev.look("sheet-held")
	sent := dev.clicks
	dev.clicks = 0

	// the desk is killed, and what waits is as it was
	h.end(h.desk, syscall.SIGKILL)
	h.start()
	for _, p := range []*person{ravi, asha, dev, eye} {
		p.logsIn()
	}
	fine(t, h.bank.SetOutcomes(map[string]string{"SAL-NOV-003": "failed", "SAL-NOV-006": "returned"}))
	dev.open("/")
	dev.sees("Waiting for OTP")
	dev.open("/otp")
	dev.types("OTP", wrong(h.otp()))
	dev.sees("Wrong OTP: 2 tries left")
	dev.isDone()
	dev.look("otp-rejected")
	dev.open("/")
	dev.clicks = sent
	dev.entersOTP()
	dev.needs(3+1, "send a batch and enter its OTP")
	eye.open(sheet)
	eye.until(`document.body.innerText.includes("4 paid") && document.body.innerText.includes("1 failed") && document.body.innerText.includes("1 returned")`, "says how it went")
	eye.look("sheet-outcome")
	idle(asha, dev, eye)

	// what was not paid is corrected, and paid
	ravi.open("/")
	ravi.sees("1 failed, 1 returned")
	ravi.look("board-maker")
	ravi.enter("Correct or retry")
	ravi.downloads(func() { ravi.tabTo("Download 2 payouts to correct"); ravi.press("\r") }, "*.xlsx")
	ravi.brings(h.corrects("*.xlsx", "5010010020104", "5010010029999"))
	ravi.sees("What it corrects")
	ravi.look("waiting-corrects-two")
	ravi.ticks("warning") // the payee has another account
	ravi.enter("Load 2 payouts")
	fine(t, h.bank.SetOutcomes(nil))
	asha.approves("")
	dev.open("/")
	dev.enter("Review and send")
	dev.enter("Initiate 1 batch")
	dev.sees("Held for OTP")
	dev.isDone()
	dev.open("/")
	dev.entersOTP()
	idle(asha, ravi, dev, eye)
	eye.sees("6 paid")
	eye.open(sheet)
	eye.look("sheet-settled")
	eye.open("/reports")
	eye.enter("Create reports")
	eye.entersFirstRun()
	eye.sees("ties out to the paisa")
	h.meera.logsIn()
	h.meera.sees("Nothing waits for you")
	h.submits(2)
}

// unfolds opens what is folded.
func (p *person) unfolds(words string) {
	p.Helper()
	p.tabTo(words)
	p.press("\r")
}

// approves goes from the first page to the review, types the total, or where it is "" that which
// is there, and approves.
func (p *person) approves(total string) {
	p.Helper()
	p.open("/")
	p.enter("Review and approve")
	if total == "" {
		total = ask[string](p, `document.querySelector(".review .amount data").value`)
	}
	p.types("Type the total to confirm", total)
	p.sees("Ready to send")
}

// entersOTP goes from the first page to the one OTP that waits, enters it, and waits until the bank
// has ended the batch.
func (p *person) entersOTP() {
	p.Helper()
	p.enter("Enter OTP")
	all := p.bank.State().Batches
	otp, _, _ := p.bank.OTP(all[len(all)-1].BatchID)
	p.types("OTP", otp)
	p.sees("Submitted")
	p.isDone()
	for range 8 { // each step is seen: what came back was paid before
		p.bank.Settle()
		p.payrun(whatever, "poll")
	}
	p.open("/")
	p.until(`[...document.querySelectorAll('[data-label="In flight"] data')].every(e => e.value === "0.00")`, "shows nothing in flight")
}

// remove removes the files of the folder with a name like it.
func (h *house) remove(name string) {
	h.Helper()
	for _, path := range h.found(name) {
		fine(h, os.Remove(path))
	}
}
