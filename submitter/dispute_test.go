package submitter_test

import (
	"testing"

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
