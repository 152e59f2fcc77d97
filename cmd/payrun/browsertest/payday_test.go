//go:build unix

package browsertest

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"payrun/submitter/sandbox"
)

// twoPeople is a ledger where another person approves what one has planned.
const twoPeople = `
[policy]
two_person = true
`

// patient is a desk that asks the bank a while after it lost an answer.
const patient = `
[poll]
first = "1s"
most = "2s"

[doubt]
quiet = "300ms"
`

// TestAnAnswerIsLostAtTheDesk: the bank takes the submit, and no one hears of it.
func TestAnAnswerIsLostAtTheDesk(t *testing.T) {
	h := open(t, patient)
	_, asha := h.held()
	h.faults(sandbox.Fault{Op: "submit", Kind: "drop_after"})
	asha.open("/otp")
	asha.types("OTP", h.otp())
	h.until(func() bool { return h.bank.State().Batches[0].Submits == 1 })
	h.faults(sandbox.Fault{Op: "status", Kind: "500_before"})
	asha.sees("In doubt", "Do nothing: we ask the bank")
	asha.isDone()
	asha.look("otp-in-doubt")
	asha.until(`!document.querySelector("input[name=otp]")`, "asks for no OTP")
	asha.open("/attention")
	asha.look("attention-in-doubt")
	h.faults()
	h.settles(asha, "/sheets")
	h.submits(1)
}

// TestTheDeskIsKilledInTheMiddleOfASubmit: the bank has the OTP, and the desk is gone.
func TestTheDeskIsKilledInTheMiddleOfASubmit(t *testing.T) {
	h := open(t, quick)
	_, asha := h.held()
	h.faults(sandbox.Fault{Op: "submit", Kind: "slow", Seconds: 5})
	asha.open("/otp")
	asha.types("OTP", h.otp())
	h.until(func() bool { return h.bank.State().Batches[0].Submits == 1 })
	h.end(h.desk, syscall.SIGKILL)
	h.faults()
	h.start()
	asha.logsIn()
	asha.open("/otp")
	asha.until(`!document.querySelector("input[name=otp]")`, "asks for no OTP")
	h.settles(asha, "/sheets")
	h.submits(1)
}

// TestTwoWindowsSubmitOneOTP: the same person, twice.
func TestTwoWindowsSubmitOneOTP(t *testing.T) {
	h := open(t, quick)
	_, asha := h.held()
	other := asha.another()
	otp := h.otp()
	for _, window := range []*person{asha, other} {
		window.open("/otp")
		window.fills("OTP", otp)
	}
	asha.press("\r")
	other.press("\r")
	h.until(func() bool { return h.bank.State().Batches[0].Submits == 1 })
	asha.open("/otp") // either window may be the one that reads that the other asked
	asha.sees("Submitted")
	asha.look("otp-submitted")
	other.until(`!document.querySelector("input[name=otp]")`, "asks for no OTP")
	h.submits(1)
}

// staff are two people, one who loads and one who approves and pays, logged in. The
// one who loads has the page open that takes sheets.
func (h *house) staff() (ravi, asha *person) {
	h.Helper()
	h.meera = h.admin()
	ravi, asha = h.meera.invites("ravi", "load"), h.meera.invites("asha", "approve", "pay")
	ravi.open("/sheets/new")
	return ravi, asha
}

// held is a house with a batch that waits for its OTP.
func (h *house) held() (ravi, asha *person) {
	h.Helper()
	ravi, asha = h.staff()
	ravi.brings(h.sheet("vendors.csv", "VEN", 3))
	ravi.enter("Load 3 payouts")
	asha.open(ask[string](ravi, "location.pathname"))
	asha.enter("Initiate 1 batch")
	asha.sees("Held for OTP")
	asha.isDone()
	return ravi, asha
}

// isDone waits until what the person asked for is not in progress any more.
func (p *person) isDone() {
	p.Helper()
	p.until(`!document.body.innerText.includes("in progress")`, "says the result")
}

// otp is what came to the registered mobile for the one batch that is held.
func (h *house) otp() string {
	h.Helper()
	otp, _, ok := h.bank.OTP(h.bank.State().Batches[0].BatchID)
	if !ok {
		h.Fatal("no OTP was sent")
	}
	return otp
}

// wrong is an OTP like another that is not it.
func wrong(otp string) string {
	digit := "1"
	if strings.HasPrefix(otp, "1") {
		digit = "2"
	}
	return digit + otp[1:]
}

func (h *house) faults(list ...sandbox.Fault) {
	h.Helper()
	fine(h, h.bank.SetFaults(list))
}

// settles moves the bank on until the page, which the desk keeps up to date, shows
// that all is paid.
func (h *house) settles(p *person, page string) {
	h.Helper()
	p.open("/")
	h.until(func() bool {
		h.bank.Settle()
		return h.bank.State().Open.Count == 0
	})
	p.until(`[...document.querySelectorAll('[data-label="In flight"] data')].every(e => e.value === "0.00")`, "shows nothing in flight")
	p.open(page)
}

// submits checks how many submits the bank took, and that nothing was paid twice.
func (h *house) submits(n int) {
	h.Helper()
	s := h.bank.State()
	got := 0
	for _, b := range s.Batches {
		got += b.Submits
	}
	if got != n || len(s.PaidTwice) > 0 {
		h.Errorf("the bank took %d submits, not %d; paid twice: %v", got, n, s.PaidTwice)
	}
}

// until waits for something that happens in another process.
func (h *house) until(done func() bool) {
	h.Helper()
	tick, late := time.NewTicker(20*time.Millisecond), time.After(patience)
	defer tick.Stop()
	for !done() {
		select {
		case <-late:
			h.Fatal("it does not happen")
		case <-tick.C:
		}
	}
}
