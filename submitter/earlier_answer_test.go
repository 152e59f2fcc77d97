package submitter_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

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
