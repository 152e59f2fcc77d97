package submitter_test

import (
	"context"
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
	if _, err := d.client.Submit(d.t.Context(), payloadOf(d.t, d, id), otp.OTP, otp.Token); err != nil {
		d.t.Fatal(err)
	}
	for range 8 {
		d.bank.Settle()
	}
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
			d := newDesk(t)
			b := d.load(payouts{account: pb3, bank: 3, n: 1})[0]
			hides := d.hiding(none)
			d.verb(d.with(hides).Initiate(t.Context(), nil, 0))
			otp := d.otp(b.ID)
			d.atPortal(b.ID, otp)
			d.verb(d.with(shows.bank(d.client)).Poll(t.Context(), nil, 0))
			d.want(b.ID, ledger.BatchSubmitted, shows.payouts)
			if got := d.batch(b.ID); got.Asks() != ledger.StatusDiffers || got.Listed != ledger.ListingNo {
				t.Errorf("asks for %s, listed %q", got.Asks(), got.Listed)
			}
			d.verb(d.with(hides).Poll(t.Context(), nil, 0))
			if _, err := d.with(hides).Abandon(t.Context(), b.ID, "not there"); !errors.Is(err, submitter.ErrRefused) {
				t.Errorf("given up: %v", err)
			}
			if _, err := d.with(hides).Submit(t.Context(), []submitter.OTP{otp}); !errors.Is(err, submitter.ErrNotHeld) {
				t.Errorf("submitted: %v", err)
			}
			d.later(time.Hour)
			if again, _, err := d.store.Retryable(t.Context(), b.ID); err != nil || len(again) != 0 {
				t.Errorf("%d payouts may be tried again (%v)", len(again), err)
			}
			if n := d.executed("S1-G0-000"); n != 1 {
				t.Errorf("paid %d times", n)
			}
			d.sound()
		})
	}
}

// A payout that failed, and that an answer under no debit account, or another one, says
// was paid, is not tried again: what the bank says next is not to decide it alone.
func TestAFailureThatIsPaidUnderAnotherAccountIsDisputed(t *testing.T) {
	for name, shows := range map[string]func(submitter.Bank) submitter.Bank{
		"under no account": unnamed,
		"under another":    func(b submitter.Bank) submitter.Bank { return elsewhere{Bank: b} },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			b := d.corrected()
			d.verb(d.with(shows(d.client)).Poll(t.Context(), nil, 0))
			d.want(b.ID, ledger.BatchSettled, states{"failed": 1})
			d.bank.Settle() // the bank corrects itself
			d.verb(d.with(shows(d.client)).Poll(t.Context(), nil, 0))
			d.want(b.ID, ledger.BatchSettled, states{"disputed": 1})
			if again, _, err := d.store.Retryable(t.Context(), b.ID); err != nil || len(again) != 0 {
				t.Errorf("%d payouts may be tried again (%v)", len(again), err)
			}
			d.sound()
		})
	}
}

// paidAtOnce is a bank whose echo of an initiate says that its payouts were paid.
type paidAtOnce struct{ submitter.Bank }

func (b paidAtOnce) Initiate(ctx context.Context, p ledger.Payload) (ledger.Answer, error) {
	a, err := b.Bank.Initiate(ctx, p)
	for i := range a.Payouts {
		a.Payouts[i].Status = ledger.StatusSuccess
	}
	return a, err
}

// What an initiate's own answer shows moving is kept as what a status shows is.
func TestAnEchoThatMovesIsNotForgottenWithTheNextAnswer(t *testing.T) {
	d := newDesk(t)
	b := d.load(payouts{account: pb3, bank: 3, n: 1})[0]
	bank := paidAtOnce{d.hiding(none)}
	d.verb(d.with(bank).Initiate(t.Context(), nil, 0))
	d.want(b.ID, ledger.BatchSettled, states{"success": 1})
	if _, err := d.with(bank).Abandon(t.Context(), b.ID, "not there"); !errors.Is(err, submitter.ErrRefused) {
		t.Errorf("given up: %v", err)
	}
	d.sound()
}
