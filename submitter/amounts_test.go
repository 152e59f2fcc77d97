package submitter_test

import (
	"context"

	"payrun/ledger"
	"payrun/submitter"
)

// silentOnAmounts is a bank that shows no amounts, neither in its echo nor in
// its status.
func silentOnAmounts(b submitter.Bank) submitter.Bank {
	return answering{b, func(_ string, a *ledger.Answer) { *a = withoutAmounts(*a) }}
}

// answering is a bank whose answers are changed. at is "initiate", "submit" or "status".
type answering struct {
	submitter.Bank
	by func(at string, a *ledger.Answer)
}

func (b answering) change(at string, a *ledger.Answer, err error) {
	if err == nil {
		b.by(at, a)
	}
}

func (b answering) Initiate(ctx context.Context, p ledger.Payload) (ledger.Answer, error) {
	a, err := b.Bank.Initiate(ctx, p)
	b.change("initiate", &a, err)
	return a, err
}

func (b answering) Submit(ctx context.Context, p ledger.Payload, otp, token ledger.Secret) (ledger.Answer, error) {
	a, err := b.Bank.Submit(ctx, p, otp, token)
	b.change("submit", &a, err)
	return a, err
}

func (b answering) ReadStatus(ctx context.Context, id string, n int, tries ledger.Patience) (ledger.StatusRead, error) {
	r, err := b.Bank.ReadStatus(ctx, id, n, tries)
	b.change("status", &r.Answer, err)
	return r, err
}

func withoutAmounts(a ledger.Answer) ledger.Answer {
	for i := range a.Payouts {
		a.Payouts[i].Amount, a.Payouts[i].HasAmount = 0, false
	}
	return a
}
