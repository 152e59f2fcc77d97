package submitter_test

import (
	"context"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// What histories of the simulation found, each as a day of its own.

// A bank whose word for "not known" is a 200 without payouts says nothing of a
// held batch that asks for anybody.
func TestAnAnswerWithoutPayoutsIsNotAboutAnotherBatch(t *testing.T) {
	d := newDesk(t)
	b := d.load(payouts{account: pb3, bank: 3, n: 2})[0]
	bank := wordy{Bank: d.client, status: 200, known: func(string) bool { return false }}
	if r := d.verb(submitter.New(d.store, bank, d.set).Initiate(t.Context(), nil, 0)); r[0].Outcome != submitter.OutcomeHeld {
		t.Fatalf("%+v", r)
	}
	r := d.verb(submitter.New(d.store, bank, d.set).Poll(t.Context(), nil, 0))
	if got := d.batch(b.ID); r[0].Outcome != submitter.OutcomeHeld || got.Asks() != ledger.OTPWaiting || got.Note != "" {
		t.Errorf("%+v; asks for %s: %q", r, got.Asks(), got.Note)
	}
	d.sound()
}

// part is a bank that shows only the first payout of a batch, and calls that all.
type part struct{ submitter.Bank }

func (b part) Look(ctx context.Context, id string, n int) (ledger.StatusRead, error) {
	r, err := b.Bank.Look(ctx, id, n)
	r.Payouts = r.Payouts[:min(1, len(r.Payouts))]
	return r, err
}

func (b part) Ask(ctx context.Context, id string, n int) (ledger.StatusRead, error) {
	return b.Look(ctx, id, n)
}

func (b part) TransferStatus(ctx context.Context, id string, n int) (ledger.StatusRead, error) {
	return b.Look(ctx, id, n)
}

func TestALostInitiateThatTheBankTookInPartIsQuarantined(t *testing.T) {
	d := listing(t)
	b := d.load(payouts{account: pb3, bank: 3, n: 2})[0]
	d.faults(fault{Op: "initiate", Nth: []int{1}, Kind: "drop_after"})
	e := func() *submitter.Engine { return submitter.New(d.store, part{d.client}, d.set) }
	d.verb(e().Initiate(t.Context(), nil, 0))
	if got := d.batch(b.ID).State; got != ledger.BatchInitiateUnknown {
		t.Fatalf("%s before doubt.quiet", got)
	}
	d.later(11 * time.Minute)
	d.verb(e().Poll(t.Context(), nil, 0))
	d.want(b.ID, ledger.BatchQuarantined, states{"planned": 2})
	d.sound()
}
