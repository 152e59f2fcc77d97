package app

import (
	"context"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// told is the bank, with the person told how long a call under way may take: one
// that changes something is never broken off.
type told struct {
	submitter.Bank
	progress Progress
	limit    time.Duration // http.timeout_send
	now      func() time.Time
}

// Initiate implements submitter.Bank.
func (b told) Initiate(ctx context.Context, p ledger.Payload) (ledger.Answer, error) {
	defer b.progress.Sending(b.now().Add(b.limit))()
	return b.Bank.Initiate(ctx, p)
}

// Submit implements submitter.Bank.
func (b told) Submit(ctx context.Context, p ledger.Payload, otp, token ledger.Secret) (ledger.Answer, error) {
	defer b.progress.Sending(b.now().Add(b.limit))()
	return b.Bank.Submit(ctx, p, otp, token)
}
