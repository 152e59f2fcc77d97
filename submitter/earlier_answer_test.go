package submitter_test

import (
	"context"
	"errors"
	"strings"
	"testing"

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

// timed says what time it is where it answers no.
type timed struct {
	submitter.Bank
	d *desk
}

func (b timed) ReadStatus(ctx context.Context, id string, n int, tries ledger.Patience) (ledger.StatusRead, error) {
	r, err := b.Bank.ReadStatus(ctx, id, n, tries)
	if c, ok := errors.AsType[*ledger.CallError](err); ok {
		c.BankTime = b.d.now()
	}
	return r, err
}

// One answer without a debit account does not ask for ever at a bank of which no read is
// whole.
func TestWhatEndedUnderItsAccountDiffersNoLonger(t *testing.T) {
	d := newDesk(t)
	b := d.load(payouts{account: pb3, bank: 3, n: 2})[0]
	d.initiate()
	d.submit(d.otp(b.ID))
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

// A number that the bank writes in groups is known again when it is configured.
func TestANumberInGroupsIsKnownAgain(t *testing.T) {
	for _, shown := range []string{"5020 0003 0000 09", "5020-0003-0000-09", pb3Number + " "} {
		d := newDesk(t, numbered)
		b := d.load(payouts{account: pb3, bank: 3, n: 1})[0]
		d.initiate()
		d.submit(d.otp(b.ID))
		mended, mistyped := d.set.Accounts, d.set.Accounts[pb3]
		mistyped.AccountNumber = "50200003000010"
		d.set.Accounts = map[string]ledger.DebitAccount{pb3: mistyped}
		d.verb(d.with(numbers{Bank: unlisting{d.client}, status: shown}).Poll(t.Context(), nil, 0))
		if got := d.batch(b.ID); !strings.Contains(got.Note, ledger.OtherNumber) {
			t.Fatalf("%q: %q", shown, got.Note)
		}
		d.set.Accounts = mended
		for range 7 {
			d.bank.Settle()
			d.verb(d.with(numbers{Bank: d.client}).Poll(t.Context(), nil, 0))
		}
		if got := d.batch(b.ID); got.State != ledger.BatchSettled || got.Differed() {
			t.Errorf("%q: %s, %s: %q", shown, got.State, got.Attention, got.Note)
		}
	}
}
