package simulation

import (
	"context"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// month lists the cases of a normal month (interface.md says how each happens). set prepares the story; do
// is what people do about it in addition to a day's work.
var month = []struct {
	name string
	set  func(*history)
	do   func(*history)
}{
	{"an OTP that comes late", func(h *history) { h.set.OTPTries = 1 }, func(h *history) {
		h.initiate(&process{})
		h.later(time.Hour)
		h.poll(&process{})
	}},
	{"a lost answer that the status clears", on("submit 1", resetAfter), nil},
	{"failed without a debit", fated(fails), (*history).afterFailures},
	{"failed with a debit that came back", fated(fails), func(h *history) { h.readStatement(); h.afterFailures() }},
	{"returned after two days", fated(returns), func(h *history) { h.later(48 * time.Hour); h.afterFailures() }},
	{"a wrong row that is corrected", func(h *history) { h.bank.initErr = 1 }, func(h *history) { h.correct(&process{}) }},
	{"the same file imported twice", fated(fails), func(h *history) {
		for range 2 {
			h.imports(&process{}, accounts[0].id, wholeDays)
		}
		h.readStatement() // a return in a file frees nothing
		h.afterFailures()
	}},
}

// afterFailures: the bank has recovered, and what it did not pay is sent again.
func (h *history) afterFailures() {
	h.bank.nature.always = succeeds
	h.later(time.Hour)
	h.poll(&process{})
	h.check()
	h.retry(&process{})
}

func (h *history) readStatement() {
	err := h.run(&process{}, "reconcile", func(p *process, _ *submitter.Engine) error {
		return bankStatements{p}.ReadStatement(context.Background(), accounts[0].id, t0)
	})
	h.unexpected(&process{}, err)
}

// TestANormalMonthAsksForNobodysSecondWord: none of these cases locks a payout, however the bank
// books it.
func TestANormalMonthAsksForNobodysSecondWord(t *testing.T) {
	home := newHome(t)
	for _, c := range month {
		for _, s := range []style{byName, nameless, upfront, oneUTR, partInBulk} {
			if s == nameless && c.name == "failed with a debit that came back" {
				continue // it is not clear whose it is
			}
			h := play(t, home, 1, func(h *history) {
				h.bank.honest, h.bank.nature.statements, h.bank.nature.style = true, true, s
				c.set(h)
				h.load(&process{}, h.write(of(0, 100_00, 250_00)...))
				h.check()
				for n := range 6 {
					if n == 1 && c.do != nil {
						c.do(h)
						h.check()
					}
					h.day(&process{})
					h.later(20 * time.Hour)
					h.check()
				}
				h.verify()
				h.noLocks()
			}, keepLog)
			if paid := h.latest()[ledger.PayoutSuccess]; h.broken() || h.recordedWords > 0 || paid != 2 {
				t.Errorf("%s, books of style %d: %d paid, %d words; found %q\n%s", c.name, s, paid, h.recordedWords, h.violations, h.story())
			}
		}
	}
}

// noLocks requires that no payout waits for two people.
func (h *history) noLocks() {
	var ids []int64
	for _, a := range h.eye.now.attempts {
		ids = append(ids, a.payoutID)
	}
	records, err := h.records(ids)
	if err != nil {
		h.found("reading locks: %v", err)
	}
	for _, r := range records {
		for _, l := range ledger.Locks(r) {
			h.found("a lock: %s of %s", l.Kind, l.WireRef)
		}
	}
}
