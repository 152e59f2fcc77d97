package app

import (
	"context"

	"payrun/ledger"
)

// readAhead is a store of which the attempts of a whole sheet were read at once: to
// ask for those of each of its many batches one by one takes far longer. It is for
// use cases that only read, or while they only read.
type readAhead struct {
	store
	attempts map[string][]ledger.Attempt // by batch
}

// ahead reads the attempts of the filter's payouts.
func (o *operation) ahead(ctx context.Context, f ledger.Filter) (readAhead, error) {
	r := readAhead{o.store, map[string][]ledger.Attempt{}}
	f.Attempts = true
	return r, o.store.EachPayout(ctx, f, func(a ledger.Attempt) error {
		r.attempts[a.BatchID] = append(r.attempts[a.BatchID], a)
		return nil
	})
}

// Attempts implements submitter.Store.
func (r readAhead) Attempts(ctx context.Context, batchID string) ([]ledger.Attempt, error) {
	if list, ok := r.attempts[batchID]; ok {
		return list, nil
	}
	return r.store.Attempts(ctx, batchID)
}
