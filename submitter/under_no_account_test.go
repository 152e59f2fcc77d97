package submitter_test

import (
	"errors"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// hiding is a bank that does not know what was not submitted, nor, for a while, what was.
func (d *desk) hiding(known func(id string) bool) submitter.Bank {
	return wordy{Bank: d.client, status: 404, known: known}
}

func none(string) bool { return false }

// with is the engine at such a bank.
func (d *desk) with(bank submitter.Bank) *submitter.Engine {
	return submitter.New(d.store, bank, d.set)
}

// atPortal is someone who submits a batch at the bank's own portal.
func (d *desk) atPortal(id string, otp submitter.OTP) {
	d.t.Helper()
	payload, err := d.client.EncodeSubmit(id, "")
	if err == nil {
		_, err = d.client.Submit(d.t.Context(), payload, otp.OTP, otp.Token)
	}
	must(d.t, err)
}

// A held batch that one answer shows moving, under no debit account or another one, was
// submitted by someone. The next answer may not know it any more: it is not abandoned
// for that, nor submitted.
func TestAHeldBatchThatMovedIsNotForgottenWithTheNextAnswer(t *testing.T) {
	for name, shows := range map[string]struct {
		bank    func(submitter.Bank) submitter.Bank
		payouts states
	}{
		"under no account": {unnamed, states{"request_initiated": 1}},
		"under another":    {func(b submitter.Bank) submitter.Bank { return elsewhere{Bank: b} }, states{"disputed": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			d, b := withPlanned(t, 1)
			hides := d.hiding(none)
			d.verb(d.with(hides).Initiate(t.Context(), nil, 0))
			otp := d.otp(b.ID)
			d.atPortal(b.ID, otp)
			for range 8 {
				d.bank.Settle()
			}
			d.verb(d.with(shows.bank(d.client)).Poll(t.Context(), nil, 0))
			d.want(b.ID, ledger.BatchSubmitted, shows.payouts)
			if got := d.batch(b.ID); got.Asks() != ledger.StatusDiffers || got.Listed != ledger.ListingNo {
				t.Errorf("asks for %s, listed %q", got.Asks(), got.Listed)
			}
			d.verb(d.with(hides).Poll(t.Context(), nil, 0))
			d.notAbandoned(hides, b.ID, "abandoned")
			if _, err := d.with(hides).Submit(t.Context(), []submitter.OTP{otp}); !errors.Is(err, submitter.ErrNotHeld) {
				t.Errorf("submitted: %v", err)
			}
			d.later(time.Hour)
			d.nothingToRetry(b.ID)
			d.paidTimes(1)
			d.sound()
		})
	}
}

// A payout that failed, and that an answer says was paid, is not tried again, also where it
// comes under no debit account, or another one: what the bank says next is not to decide it
// alone.
func TestAFailureThatIsPaidAfterAllIsDisputed(t *testing.T) {
	for name, shows := range map[string]func(submitter.Bank) submitter.Bank{
		"under its own":    func(b submitter.Bank) submitter.Bank { return b },
		"under no account": unnamed,
		"under another":    func(b submitter.Bank) submitter.Bank { return elsewhere{Bank: b} },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			b := d.corrected()
			d.verb(d.with(shows(d.client)).Poll(t.Context(), nil, 0))
			d.want(b.ID, ledger.BatchSettled, states{"failed": 1})
			d.bank.Settle() // the bank corrects itself
			d.paidTimes(1)
			d.verb(d.with(shows(d.client)).Poll(t.Context(), nil, 0))
			d.want(b.ID, ledger.BatchSettled, states{"disputed": 1})
			d.nothingToRetry(b.ID)
			d.sound()
		})
	}
}

// What an initiate's own answer shows moving is kept as what a status shows is.
func TestAnEchoThatMovesIsNotForgottenWithTheNextAnswer(t *testing.T) {
	d, b := withPlanned(t, 1)
	bank := answering{d.hiding(none), func(at string, a *ledger.Answer) {
		if at == "initiate" { // its echo says that it was paid
			a.Payouts[0].Status = ledger.StatusSuccess
		}
	}}
	d.verb(d.with(bank).Initiate(t.Context(), nil, 0))
	d.want(b.ID, ledger.BatchSettled, states{"success": 1})
	d.notAbandoned(bank, b.ID, "abandoned")
	d.sound()
}
