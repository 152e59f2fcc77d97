package app

import (
	"context"

	"payrun/ledger"
)

// Steps are what people may do about a batch in its state.
type Steps struct {
	Bound ledger.Bound     // what a decision about it is bound to
	Legal []ledger.Next    // ledger.BatchRecord.Legal
	Retry []ledger.Attempt // its payouts that may be planned again
	Locks []ledger.Lock    // of its payouts that are over, gravest first
}

// Steps tells what may be done about a batch.
func (a *App) Steps(ctx context.Context, call Call, id string) (Steps, error) {
	return look(ctx, a, call, func(o *operation) (s Steps, err error) {
		if s.Bound, err = o.bound(ctx, id); err != nil {
			return s, err
		}
		k, err := o.store.BatchRecord(ctx, id)
		if err != nil {
			return s, err
		}
		s.Legal = k.Legal(o.set.Poll.OverdueAfter.Std(), o.env.Now())
		s.Retry, s.Locks, err = o.store.Retryable(ctx, id)
		return s, err
	})
}
