//go:build unix

package browsertest

import (
	"testing"
	"time"
)

// soonSecond lets a second person say the same a second after the first, as only the sandbox
// may have it.
const soonSecond = `
[resolve]
between = "1s"
`

// TestTwoPeopleReleaseByKeyboard closes a payout that the bank called failed and then paid:
// one person sees the evidence and types the amount, another says the same, and the story
// tells both.
func TestTwoPeopleReleaseByKeyboard(t *testing.T) {
	h := open(t, quick+soonSecond)
	h.payrun(good, "load", h.sheet("vendors.csv", "VEN", 1))
	fine(t, h.bank.SetOutcomes(map[string]string{"VEN-001": "failed-then-success"}))
	h.payrun(asks, "initiate", "--all", "--yes")
	h.enterOTPs()
	_, asha := h.staff()
	dev := h.meera.invites("dev", "pay")

	payout := `document.querySelector("[data-payout]")?.dataset.state`
	h.until(func() bool {
		if h.bank.State().Batches[0].Payouts[0].Status != "failed" {
			h.bank.Settle()
		}
		asha.open("/payouts?ref=VEN-001")
		return ask[string](asha, payout) == "failed"
	})
	h.until(func() bool {
		h.bank.Settle()
		asha.open("/payouts?ref=VEN-001")
		return ask[string](asha, payout) == "disputed"
	})
	asha.open("/attention")
	asha.enter("Its locked payouts")
	tail := ask[string](asha, `location.pathname.slice(-6)`)
	asha.enter("VEN-001")
	asha.sees("It was paid: two people", "It was not paid: two people")
	asha.look("payout-to-release")
	asha.releases("It was paid", "it is on the statement")
	asha.sees("the payee gets nothing", "You have mail 4711")
	asha.doesNotSee("paid twice")
	asha.look("release")
	asha.confirms("It was paid", "18000.05", tail)
	asha.sees("did not type the amount and the end")
	asha.open("/payouts?ref=VEN-001")
	asha.releases("It was paid", "it is on the statement")
	asha.confirms("It was paid", "18,000.50", tail)
	first := time.Now().Unix()
	asha.open("/")
	asha.doesNotSee("Say the same about")

	h.until(func() bool { return time.Now().Unix() > first+1 }) // by the bank's clock, which tells seconds
	dev.open("/")
	dev.enter("Say the same about")
	dev.enter("VEN-001")
	dev.releases("It was paid", "I asked the payee")
	dev.sees("it is on the statement")
	dev.confirms("It was paid", "18000.50", tail)
	dev.open("/payouts?ref=VEN-001")
	dev.sees("Paid", "it is on the statement", "I asked the payee")
	dev.look("payout-closed")
	dev.open("/attention")
	dev.sees("Nothing needs a person")
}

// releases fills in why a payout is released, and asks for what the bank shows.
func (p *person) releases(what, why string) {
	p.Helper()
	p.unfolds(what + ": two people")
	p.fills("Why", why)
	p.fills("The bank's written confirmation", "mail 4711")
	p.enter(what)
}

// confirms is what a person types on the evidence: the amount and the end of the batch's id.
func (p *person) confirms(what, total, tail string) {
	p.Helper()
	p.fills("Type the amount", total)
	p.fills("Type the last six characters", tail)
	p.enter(what)
}
