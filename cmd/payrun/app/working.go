package app

import (
	"context"

	"payrun/ledger"
)

// atWork is a store for looking, to which a batch that a call is about is being sent, and not
// in doubt yet.
type atWork struct {
	store
	working func(batchID string) bool
}

func (s atWork) Batch(ctx context.Context, id string) (ledger.Batch, error) {
	b, err := s.store.Batch(ctx, id)
	return s.seen(b), err
}

func (s atWork) Batches(ctx context.Context, f ledger.Filter) ([]ledger.Batch, error) {
	list, err := s.store.Batches(ctx, f)
	for i := range list {
		list[i] = s.seen(list[i])
	}
	return list, err
}

func (s atWork) seen(b ledger.Batch) ledger.Batch {
	if (b.State == ledger.BatchSubmitting || b.State == ledger.BatchInitiating) && s.working(b.ID) {
		b.Attention = ledger.BeingSent
	}
	return b
}
