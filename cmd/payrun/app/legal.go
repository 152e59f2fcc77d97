package app

import (
	"context"

	"payrun/ledger"
)

// Steps are what people may do about a batch as it stands.
type Steps struct {
	Bound ledger.Bound     // what a decision about it is bound to
	Legal []ledger.Next    // ledger.BatchRecord.Legal
	Retry []ledger.Attempt // its payouts that may be planned again
	Locks []ledger.Lock    // of its payouts that are over, gravest first
}

// Steps tells what may be done about a batch.
func (a *App) Steps(ctx context.Context, call Call, id string) (s Steps, err error) {
	err = a.read(ctx, call, func(o *operation) error {
		bound, err := o.bound(ctx, o.store, []ledger.Batch{{ID: id}})
		if err != nil {
			return err
		}
		k, err := o.store.BatchRecord(ctx, id)
		if err != nil {
			return err
		}
		s.Bound, s.Legal = bound[0], k.Legal(o.set.Poll.OverdueAfter.Std(), o.env.Now())
		s.Retry, s.Locks, err = o.store.Retryable(ctx, id)
		return err
	})
	return s, err
}
