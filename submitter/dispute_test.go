package submitter_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// corrected is a batch of one payout that the bank called failed, which was
// believed, and that it has paid since. No one has read that yet.
func (d *desk) corrected() ledger.Batch {
	d.t.Helper()
	d.outcomes(map[string]string{"S1-G0-000": "failed-then-success"})
	b := d.load(payouts{account: pb3, bank: 3, n: 1})[0]
	d.initiate()
	d.submit(d.otp(b.ID))
	for range 7 {
		if d.batch(b.ID).State == ledger.BatchSettled {
			break
		}
		d.bank.Settle()
		d.poll()
	}
	d.want(b.ID, ledger.BatchSettled, states{"failed": 1})
	return b
}

// Found by the simulation, seed 4998: a payout failed, was retried, and then the
// bank said that the first attempt was paid. The ledger rightly refuses to
// submit the second; the engine stopped the whole run over it and asked no one.
func TestADisputeInAnEarlierAttemptHoldsItsRetryBackAndNothingElse(t *testing.T) {
	d := newDesk(t)
	first := d.corrected()
	retry := d.retryOf(first)
	d.initiate()
	d.bank.Settle() // and the bank corrects itself
	d.became(d.submit(d.otp(retry.ID)), submitter.OutcomeNeedsPerson)
	d.want(first.ID, ledger.BatchSettled, states{"disputed": 1})
	other := d.load(payouts{account: pb4, bank: 4, n: 1})[0]
	d.initiate()
	both := d.submit(d.otp(retry.ID), d.otp(other.ID)) // what is disputed is on record now
	d.became(both, submitter.OutcomeNeedsPerson, submitter.OutcomeSubmitted)
	if b := d.batch(retry.ID); b.State != ledger.BatchHeld || b.Attention != ledger.LockContradicted || b.Note == "" {
		t.Errorf("nobody is asked about %+v", b)
	}
	d.paidTimes(1)
	d.sound()
}

// retryOf plans the payouts of a batch that may be tried again, in one batch.
func (d *desk) retryOf(b ledger.Batch) ledger.Batch {
	d.t.Helper()
	attempts, _, err := d.store.Retryable(d.t.Context(), b.ID)
	must(d.t, err)
	plan := ledger.PlannedBatch{BankAccountID: b.BankAccountID, PartnerBankID: b.PartnerBankID, TransactionTypeID: b.TransactionTypeID, Reason: "retry"}
	for i, a := range attempts {
		plan.Members, plan.Total = append(plan.Members, int32(i)), plan.Total+a.Amount
	}
	batches, err := d.store.PlanRetry(d.t.Context(), d.set.Actor, d.now(), attempts, []ledger.PlannedBatch{plan})
	must(d.t, err)
	return batches[0]
}

// altered changes every read of a batch.
type altered struct {
	submitter.Bank
	by func(*ledger.StatusRead)
}

func (b altered) ReadStatus(ctx context.Context, id string, n int, tries ledger.Patience) (ledger.StatusRead, error) {
	r, err := b.Bank.ReadStatus(ctx, id, n, tries)
	if err == nil {
		b.by(&r)
	}
	return r, err
}

// timed is a bank whose answers say what time it is, also where it answers no.
type timed struct {
	submitter.Bank
	now func() time.Time
}

func (b timed) ReadStatus(ctx context.Context, id string, n int, tries ledger.Patience) (ledger.StatusRead, error) {
	r, err := b.Bank.ReadStatus(ctx, id, n, tries)
	r.BankTime = b.now()
	if c, ok := errors.AsType[*ledger.CallError](err); ok {
		c.BankTime = r.BankTime
	}
	return r, err
}

// One answer without a debit account does not ask for ever at a bank of which no read is
// whole.
func TestWhatEndedUnderItsAccountDiffersNoLonger(t *testing.T) {
	d, b := withSent(t, 2)
	d.verb(d.with(unnamed(d.client)).Poll(t.Context(), nil, 0))
	if got := d.batch(b.ID); got.Attention != ledger.StatusDiffers {
		t.Fatalf("%s: %q", got.Attention, got.Note)
	}
	for range 7 {
		d.bank.Settle()
	}
	for drop := range 2 {
		d.verb(d.with(altered{d.client, func(r *ledger.StatusRead) {
			if len(r.Payouts) == 2 {
				r.Payouts = append(r.Payouts[:drop:drop], r.Payouts[drop+1:]...)
			}
		}}).Poll(t.Context(), nil, 0))
	}
	if got := d.batch(b.ID); got.State != ledger.BatchSettled || got.Attention != ledger.NeedsNothing || got.Note != "" {
		t.Errorf("%s, %s: %q", got.State, got.Attention, got.Note)
	}
}
