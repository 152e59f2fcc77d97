package submitter_test

import (
	"testing"
	"time"

	"payrun/ledger"
)

// A retry's initiate has no answer, and the first attempt turns out to be paid: the doubt ends
// without a successor and asks for a person, and other batches go on.
func TestTheDoubtOfALockedPayoutStopsNobody(t *testing.T) {
	d := newDesk(t)
	first := d.corrected()
	retry := d.retryOf(first)
	d.faults(fault{Op: "initiate", Nth: []int{1}, Kind: "drop_before"})
	d.initiate()
	d.want(retry.ID, ledger.BatchInitiateUnknown, states{"planned": 1})
	d.bank.Settle() // the bank corrects itself
	d.poll(first.ID)
	d.want(first.ID, ledger.BatchSettled, states{"disputed": 1})
	d.later(11 * time.Minute)
	other := d.load(payouts{account: pb4, bank: 4, n: 1})[0]
	if _, err := d.engine().Poll(t.Context(), nil, 0); err != nil {
		t.Errorf("poll: %v", err)
	}
	if _, err := d.engine().Initiate(t.Context(), nil, 0); err != nil {
		t.Errorf("initiate: %v", err)
	}
	d.want(retry.ID, ledger.BatchRefused, states{"cancelled": 1})
	d.asks(retry.ID, ledger.WasRefused)
	d.want(other.ID, ledger.BatchHeld, states{"request_initiated": 1})
}
