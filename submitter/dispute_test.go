package submitter_test

import (
	"testing"

	"payrun/ledger"
	"payrun/submitter"
)

// Found by the simulation, seed 4998: a payout failed, was retried, and then the
// bank said that the first attempt was paid. The ledger rightly refuses to
// submit the second; the engine stopped the whole run over it and asked nobody.
func TestADisputeInAnEarlierAttemptHoldsItsRetryBackAndNothingElse(t *testing.T) {
	d := newDesk(t)
	d.control("/outcomes", map[string]string{"S1-G0-000": "failed"})
	first := d.load(payouts{account: pb3, bank: 3, n: 2})[0]
	d.initiate()
	d.submit(d.otp(first.ID))
	d.settle()
	d.want(first.ID, ledger.BatchSettled, states{"failed": 1, "success": 1})
	retry := d.retryOf(first)
	other := d.load(payouts{account: pb4, bank: 4, n: 1})[0]
	d.initiate()
	d.dispute(first)
	r := d.submit(d.otp(retry.ID), d.otp(other.ID))
	if len(r) != 2 || r[0].Outcome != submitter.OutcomeNeedsPerson || r[1].Outcome != submitter.OutcomeSubmitted {
		t.Fatalf("%+v", r)
	}
	if b := d.batch(retry.ID); b.State != ledger.BatchHeld || b.Attention != ledger.DisputedEarlier || b.Note == "" {
		t.Errorf("nobody is asked about %+v", b)
	}
	d.sound()
}

// retryOf plans the payouts of a batch that may be tried again, in one batch.
func (d *desk) retryOf(b ledger.Batch) ledger.Batch {
	d.t.Helper()
	attempts, err := d.store.Retryable(d.t.Context(), b.ID)
	if err != nil {
		d.t.Fatal(err)
	}
	plan := ledger.PlannedBatch{BankAccountID: b.BankAccountID, PartnerBankID: b.PartnerBankID, TransactionTypeID: b.TransactionTypeID, Reason: "retry"}
	for i, a := range attempts {
		plan.Members, plan.Total = append(plan.Members, int32(i)), plan.Total+a.Amount
	}
	batches, err := d.store.PlanRetry(d.t.Context(), d.set.Actor, d.now(), attempts, []ledger.PlannedBatch{plan})
	if err != nil {
		d.t.Fatal(err)
	}
	return batches[0]
}

// dispute records that the bank now says success of what it had said failed.
func (d *desk) dispute(b ledger.Batch) {
	d.t.Helper()
	attempts, err := d.store.Attempts(d.t.Context(), b.ID)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, a := range attempts {
		if a.State != ledger.PayoutFailed {
			continue
		}
		o := ledger.Observation{WireRef: a.WireRef, Amount: a.Amount, HasAmount: true, OpenTxnID: a.OpenTxnID, Status: ledger.StatusSuccess}
		step := ledger.Step{Actor: "tester", BatchID: b.ID, From: ledger.BatchSettled, At: d.now(), Observed: []ledger.Observed{{PayoutID: a.ID, Number: a.Number, Observation: o, Verdict: ledger.Judge(a, o)}}}
		if err := d.store.Apply(d.t.Context(), step); err != nil {
			d.t.Fatal(err)
		}
	}
}
