package app

import (
	"context"
	"slices"

	"payrun/ledger"
)

// Steps are what people may do about a batch as it stands.
type Steps struct {
	Bound     ledger.Bound     // what a decision about it is bound to
	Legal     []ledger.Next    // ledger.Known.Legal
	Retry     []ledger.Attempt // its payouts that may be planned anew
	Renamable bool             // with new references
}

// Steps tells what may be done about a batch.
func (a *App) Steps(ctx context.Context, call Call, id string) (s Steps, err error) {
	err = a.read(ctx, call, func(o *operation) error {
		bound, err := o.bound(ctx, o.store, []ledger.Batch{{ID: id}})
		if err != nil {
			return err
		}
		k, err := o.store.Known(ctx, id)
		if err != nil {
			return err
		}
		s.Bound, s.Legal, s.Renamable = bound[0], k.Legal(o.set.Poll.OverdueAfter.Std(), o.env.Now()), k.Renamable()
		s.Retry, err = o.store.Retryable(ctx, id)
		return err
	})
	return s, err
}

// Closable are the decisions that people may make about each of a payout's attempts,
// by their place. Of one that ended there are none while a later one is paid, or on
// its way: it stands in nobody's way. Whether a submit in doubt arrived is decided of its
// batch first.
func (a *App) Closable(s PayoutStory) [][]ledger.Next {
	list := make([][]ledger.Next, len(s.Attempts))
	last := s.Attempts[len(s.Attempts)-1].State
	over := slices.Contains([]ledger.PayoutState{ledger.PayoutSuccess, ledger.PayoutPending, ledger.PayoutInitiated}, last)
	for i, at := range s.Attempts {
		if at.Batch.State != ledger.BatchSubmitUnknown && (at.State == ledger.PayoutDisputed || !over) {
			list[i] = at.Legal(a.set.Poll.SuccessWatch.Std(), a.env.Now())
		}
	}
	return list
}
