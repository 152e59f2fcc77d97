package app

import (
	"context"

	"payrun/ledger"
)

// WaitingReleases returns what people said about locked payouts and waits for a second
// person, oldest first.
func (a *App) WaitingReleases(ctx context.Context, call Call) (waiting []ledger.Proposal, err error) {
	err = a.read(ctx, call, func(o *operation) error {
		waiting, err = o.waitingReleases(ctx)
		return err
	})
	return waiting, err
}

func (o *operation) waitingReleases(ctx context.Context) ([]ledger.Proposal, error) {
	all, err := o.store.Proposals(ctx, "")
	return ledger.WaitingReleases(all, o.env.Now()), err
}
