package submitter_test

import (
	"context"
	"testing"

	"payrun/ledger"
	"payrun/submitter"
)

// silentOnAmounts is a bank that shows no amounts, neither in its echo nor in
// its status.
type silentOnAmounts struct{ submitter.Bank }

func (b silentOnAmounts) Initiate(ctx context.Context, p ledger.Payload) (ledger.Answer, error) {
	a, err := b.Bank.Initiate(ctx, p)
	return withoutAmounts(a), err
}

func (b silentOnAmounts) ReadStatus(ctx context.Context, id string, expect int, tries ledger.Patience) (ledger.StatusRead, error) {
	r, err := b.Bank.ReadStatus(ctx, id, expect, tries)
	r.Answer = withoutAmounts(r.Answer)
	return r, err
}

func withoutAmounts(a ledger.Answer) ledger.Answer {
	for i := range a.Payouts {
		a.Payouts[i].Amount, a.Payouts[i].HasAmount = 0, false
	}
	return a
}

// The bank took it, and what it holds cannot be judged: it is never planned again
// by itself (safety.md, "Outcome of a call").
func TestAnEchoThatNeverShowsAmountsIsQuarantined(t *testing.T) {
	d := newDesk(t)
	b := d.load(payouts{account: pb3, bank: 3, n: 2})[0]
	e := submitter.New(d.store, silentOnAmounts{d.client}, d.set)
	r := d.verb(e.Initiate(t.Context(), nil, 0))
	if len(r) != 1 || r[0].Outcome != submitter.OutcomeQuarantined {
		t.Fatalf("%+v", r)
	}
	d.want(b.ID, ledger.BatchQuarantined, states{"planned": 2})
	d.sound()
}
