//go:build unix

package browsertest

import (
	"testing"
	"time"
)

// soonSecond lets a second person decide a second after the first, as only the sandbox
// may have it.
const soonSecond = `
[resolve]
between = "1s"
`

// TestTwoPeopleDecideByKeyboard closes a dispute about a payout that the bank called
// failed and then paid: one person types the evidence, another decides the same, and the
// story tells both.
func TestTwoPeopleDecideByKeyboard(t *testing.T) {
	needsAll(t)
	h := open(t, quick+soonSecond)
	h.payrun(good, "load", h.sheet("vendors.csv", "VEN", 1))
	if err := h.bank.SetOutcomes(map[string]string{"VEN-001": "failed-then-success"}); err != nil {
		t.Fatal(err)
	}
	h.payrun(asks, "initiate", "--all", "--yes")
	h.enterOTPs()
	_, asha := h.staff()
	link := h.adds("dev", "pay")
	asha.open("/")
	asha.enter("Confirm it")
	dev := h.joining("dev", link)

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
	asha.enter("Its disputed payouts")
	tail := ask[string](asha, `location.pathname.slice(-6)`)
	asha.enter("VEN-001")
	asha.sees("It was paid", "It was not paid", "Two people decide the same")
	asha.look("payout-to-decide")
	asha.decides("It was not paid", "I think not", "18000.50", tail)
	asha.sees("is not resolved", "success")
	asha.look("not-resolved")
	asha.leaveBy(func() { asha.press("\r") }) // how it stands
	asha.enter("VEN-001")
	asha.decides("It was paid", "it is on the statement", "18000.05", tail)
	asha.sees("is not the amount and the end")
	asha.open("/payouts?ref=VEN-001")
	asha.decides("It was paid", "it is on the statement", "18,000.50", tail)
	first := time.Now().Unix()
	asha.sees("it is on the statement")
	asha.enter("VEN-001")
	asha.look("payout-decided-by-one")
	asha.decides("It was paid", "I am quite sure", "18000.50", tail)
	asha.sees("another person has to decide the same")
	asha.open("/")
	asha.doesNotSee("Decide the same about")

	h.until(func() bool { return time.Now().Unix() > first+1 }) // by the bank's clock, which tells seconds
	dev.open("/")
	dev.enter("Decide the same about")
	dev.enter("VEN-001")
	dev.decides("It was paid", "I asked the payee", "18000.50", tail)
	dev.enter("VEN-001")
	dev.sees("Paid", "resolution proposed by asha", "it is on the statement", "dispute closed by dev", "I asked the payee")
	dev.look("payout-closed")
	dev.open("/attention")
	dev.sees("Nothing needs a person")
}

// decides fills in the form of a decision about a payout: why, its amount, and the end of
// the batch's id.
func (p *person) decides(what, why, total, tail string) {
	p.Helper()
	p.tabTo("Why")
	if what == "It was not paid" { // the second of the two
		p.tabTo("It was paid")
		p.tabTo("Why")
	}
	p.press(why)
	p.tabTo("The bank's written word")
	p.tabTo("The amount")
	p.press(total)
	p.tabTo("The last six characters")
	p.press(tail)
	p.enter(what)
}
