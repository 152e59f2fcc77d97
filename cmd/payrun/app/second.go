package app

import (
	"context"
	"time"

	"payrun/ledger"
)

// WaitingDecisions returns what people decided about batches and waits for a second
// person to decide the same, oldest first.
func (a *App) WaitingDecisions(ctx context.Context, call Call) (waiting []ledger.Proposal, err error) {
	err = a.read(ctx, call, func(o *operation) error {
		waiting, err = o.waitingDecisions(ctx)
		return err
	})
	return waiting, err
}

func (o *operation) waitingDecisions(ctx context.Context) (waiting []ledger.Proposal, err error) {
	all, err := o.store.Proposals(ctx, "")
	if err != nil {
		return nil, err
	}
	by := map[string][]ledger.Proposal{}
	var ids []string
	for _, p := range all {
		if by[p.BatchID] == nil {
			ids = append(ids, p.BatchID)
		}
		by[p.BatchID] = append(by[p.BatchID], p)
	}
	now := o.env.Now()
	for _, id := range ids {
		if len(ledger.WaitingDecisions(by[id], time.Time{}, now)) == 0 {
			continue // whatever became of the batch
		}
		b, err := o.store.Batch(ctx, id)
		if err != nil {
			return nil, err
		}
		waiting = append(waiting, ledger.WaitingDecisions(by[id], b.StateSince, now)...)
	}
	return waiting, nil
}
