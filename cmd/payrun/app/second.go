package app

import (
	"context"

	"payrun/ledger"
)

// WaitingDecisions returns what people decided about batches and waits for a second
// person to decide the same, oldest first.
func (a *App) WaitingDecisions(ctx context.Context, call Call) (waiting []ledger.Proposal, err error) {
	err = a.read(ctx, call, func(o *operation) error {
		all, err := o.store.Proposals(ctx, "")
		if err != nil {
			return err
		}
		by := map[string][]ledger.Proposal{}
		var ids []string
		for _, p := range all {
			if by[p.BatchID] == nil {
				ids = append(ids, p.BatchID)
			}
			by[p.BatchID] = append(by[p.BatchID], p)
		}
		for _, id := range ids {
			b := ledger.Batch{}
			if len(ledger.WaitingDecisions(by[id], b.StateSince, a.env.Now())) == 0 {
				continue // whatever became of the batch
			}
			if b, err = o.store.Batch(ctx, id); err != nil {
				return err
			}
			waiting = append(waiting, ledger.WaitingDecisions(by[id], b.StateSince, a.env.Now())...)
		}
		return nil
	})
	return waiting, err
}
